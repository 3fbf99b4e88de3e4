/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metrics of GPUs, of MIG devices and of their processes, as NVML (nvml.h) has them; rows of
 * XPT_METRICS, see metric.h.
 */
#ifndef XPT_WIRE_METRIC_GPU_H
#define XPT_WIRE_METRIC_GPU_H

/* Metrics of the device. */
#define XPT_GPU_METRICS(X) \
	X(1, GPU_UP, "gpu_up", STATE, NONE, 1, DEVICE, \
	  "The device answers; 0: it is lost or must be reset") \
	X(2, GPU_UTILIZATION, "gpu_utilization_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, DEVICE, \
	  "Share of the time in which any kernel ran") \
	X(3, GPU_MEMORY_UTILIZATION, "gpu_memory_utilization_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, DEVICE, \
	  "Share of the time in which device memory was read or written") \
	X(4, GPU_ENCODER, "gpu_encoder_utilization_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, DEVICE, \
	  "Utilization of the video encoders") \
	X(5, GPU_DECODER, "gpu_decoder_utilization_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, DEVICE, \
	  "Utilization of the video decoders") \
	X(6, GPU_MEMORY_TOTAL, "gpu_memory_total_bytes", GAUGE, BYTES, 1, DEVICE, \
	  "Memory of the device") \
	X(7, GPU_MEMORY_USED, "gpu_memory_used_bytes", GAUGE, BYTES, 1, DEVICE, \
	  "Allocated memory; with drivers before 510 it includes the reserved memory") \
	X(8, GPU_MEMORY_FREE, "gpu_memory_free_bytes", GAUGE, BYTES, 1, DEVICE, \
	  "Memory that can be allocated") \
	X(9, GPU_MEMORY_RESERVED, "gpu_memory_reserved_bytes", GAUGE, BYTES, 1, DEVICE, \
	  "Memory that the driver and the firmware keep") \
	X(10, GPU_POWER, "gpu_power_watts", GAUGE, WATTS, 1000, DEVICE, "Power draw of the board") \
	X(11, GPU_POWER_LIMIT, "gpu_power_limit_watts", GAUGE, WATTS, 1000, DEVICE, \
	  "Power limit that is enforced") \
	X(12, GPU_ENERGY, "gpu_energy_joules_total", COUNTER, JOULES, 1000, DEVICE, \
	  "Energy since the driver was loaded") \
	X(13, GPU_CLOCK_SM, "gpu_clock_sm_hertz", GAUGE, HERTZ, 1, DEVICE, \
	  "Clock of the multiprocessors") \
	X(14, GPU_CLOCK_MEMORY, "gpu_clock_memory_hertz", GAUGE, HERTZ, 1, DEVICE, \
	  "Clock of the memory") \
	X(15, GPU_CLOCK_GRAPHICS, "gpu_clock_graphics_hertz", GAUGE, HERTZ, 1, DEVICE, \
	  "Clock of the graphics engine") \
	X(16, GPU_CLOCK_VIDEO, "gpu_clock_video_hertz", GAUGE, HERTZ, 1, DEVICE, \
	  "Clock of the video engines") \
	X(17, GPU_PERFORMANCE_STATE, "gpu_performance_state", GAUGE, NONE, 1, DEVICE, \
	  "P-state: 0 is the fastest, 15 the slowest") \
	X(18, GPU_FAN, "gpu_fan_speed_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, PART, \
	  "Fan speed, as a share of the highest; above 1 for a short time") \
	X(20, GPU_EVENT_IDLE, "gpu_clocks_event_gpu_idle", STATE, NONE, 1, DEVICE, \
	  "Clocks are low because nothing runs") \
	X(21, GPU_EVENT_APPLICATION, "gpu_clocks_event_applications_clocks_setting", STATE, NONE, 1, DEVICE, \
	  "Clocks are limited by the applications clocks setting") \
	X(22, GPU_EVENT_POWER_CAP, "gpu_clocks_event_sw_power_cap", STATE, NONE, 1, DEVICE, \
	  "Clocks are limited by the power limit") \
	X(23, GPU_EVENT_HW_SLOWDOWN, "gpu_clocks_event_hw_slowdown", STATE, NONE, 1, DEVICE, \
	  "Hardware slowdown: heat, power brake or fast power draw") \
	X(24, GPU_EVENT_SYNC_BOOST, "gpu_clocks_event_sync_boost", STATE, NONE, 1, DEVICE, \
	  "Clocks follow another device of the sync boost group") \
	X(25, GPU_EVENT_SW_THERMAL, "gpu_clocks_event_sw_thermal_slowdown", STATE, NONE, 1, DEVICE, \
	  "Clocks are limited because the device or its memory is hot") \
	X(26, GPU_EVENT_HW_THERMAL, "gpu_clocks_event_hw_thermal_slowdown", STATE, NONE, 1, DEVICE, \
	  "Hardware slowdown because of heat") \
	X(27, GPU_EVENT_POWER_BRAKE, "gpu_clocks_event_hw_power_brake_slowdown", STATE, NONE, 1, DEVICE, \
	  "Hardware slowdown by the external power brake") \
	X(28, GPU_EVENT_DISPLAY, "gpu_clocks_event_display_clock_setting", STATE, NONE, 1, DEVICE, \
	  "Clocks are limited by the display") \
	X(30, GPU_TEMPERATURE, "gpu_temperature_celsius", GAUGE, CELSIUS, 1, DEVICE, \
	  "Temperature of the die") \
	X(31, GPU_MEMORY_TEMPERATURE, "gpu_memory_temperature_celsius", GAUGE, CELSIUS, 1, DEVICE, \
	  "Temperature of the memory") \
	X(32, GPU_TEMPERATURE_SHUTDOWN, "gpu_temperature_shutdown_celsius", GAUGE, CELSIUS, 1, DEVICE, \
	  "The device shuts down at this temperature") \
	X(33, GPU_TEMPERATURE_SLOWDOWN, "gpu_temperature_slowdown_celsius", GAUGE, CELSIUS, 1, DEVICE, \
	  "Hardware slowdown begins at this temperature") \
	X(34, GPU_MEMORY_TEMPERATURE_MAX, "gpu_memory_temperature_max_celsius", GAUGE, CELSIUS, 1, DEVICE, \
	  "Software slowdown begins at this temperature of the memory") \
	X(35, GPU_TEMPERATURE_MAX, "gpu_temperature_max_celsius", GAUGE, CELSIUS, 1, DEVICE, \
	  "Software slowdown begins at this temperature") \
	X(40, GPU_ECC_CORRECTED, "gpu_ecc_corrected_volatile_total", COUNTER, NONE, 1, DEVICE, \
	  "Corrected memory errors since the driver was loaded") \
	X(41, GPU_ECC_UNCORRECTED, "gpu_ecc_uncorrected_volatile_total", COUNTER, NONE, 1, DEVICE, \
	  "Uncorrected memory errors since the driver was loaded") \
	X(42, GPU_ECC_CORRECTED_LIFE, "gpu_ecc_corrected_aggregate_total", COUNTER, NONE, 1, DEVICE, \
	  "Corrected memory errors in the life of the device") \
	X(43, GPU_ECC_UNCORRECTED_LIFE, "gpu_ecc_uncorrected_aggregate_total", COUNTER, NONE, 1, DEVICE, \
	  "Uncorrected memory errors in the life of the device") \
	X(44, GPU_ROWS_CORRECTABLE, "gpu_remapped_rows_correctable_total", COUNTER, NONE, 1, DEVICE, \
	  "Rows of memory remapped for correctable errors") \
	X(45, GPU_ROWS_UNCORRECTABLE, "gpu_remapped_rows_uncorrectable_total", COUNTER, NONE, 1, DEVICE, \
	  "Rows of memory remapped for uncorrectable errors") \
	X(46, GPU_ROWS_PENDING, "gpu_remapped_rows_pending", STATE, NONE, 1, DEVICE, \
	  "Rows will be remapped at the next reset") \
	X(47, GPU_ROWS_FAILURE, "gpu_remapped_rows_failure", STATE, NONE, 1, DEVICE, \
	  "Remapping a row has failed") \
	X(48, GPU_PAGES_SINGLE, "gpu_retired_pages_single_bit_total", COUNTER, NONE, 1, DEVICE, \
	  "Pages retired for single-bit errors; of devices without row remapping") \
	X(49, GPU_PAGES_DOUBLE, "gpu_retired_pages_double_bit_total", COUNTER, NONE, 1, DEVICE, \
	  "Pages retired for double-bit errors; of devices without row remapping") \
	X(50, GPU_PAGES_PENDING, "gpu_retired_pages_pending", STATE, NONE, 1, DEVICE, \
	  "Pages will be retired at the next reset") \
	X(55, GPU_PCIE_SENT, "gpu_pcie_transmitted_bytes_per_second", GAUGE, BYTES_PER_SECOND, 1, DEVICE, \
	  "PCIe traffic from the device") \
	X(56, GPU_PCIE_RECEIVED, "gpu_pcie_received_bytes_per_second", GAUGE, BYTES_PER_SECOND, 1, DEVICE, \
	  "PCIe traffic to the device") \
	X(57, GPU_PCIE_REPLAYS, "gpu_pcie_replays_total", COUNTER, NONE, 1, DEVICE, \
	  "PCIe packets that were sent again") \
	X(58, GPU_PCIE_GENERATION, "gpu_pcie_link_generation", GAUGE, NONE, 1, DEVICE, \
	  "Generation of the PCIe link now; idle devices lower it") \
	X(59, GPU_PCIE_WIDTH, "gpu_pcie_link_width", GAUGE, NONE, 1, DEVICE, \
	  "Lanes of the PCIe link now") \
	X(60, GPU_PCIE_GENERATION_MAX, "gpu_pcie_link_generation_max", GAUGE, NONE, 1, DEVICE, \
	  "Generation that device and slot can have") \
	X(61, GPU_PCIE_WIDTH_MAX, "gpu_pcie_link_width_max", GAUGE, NONE, 1, DEVICE, \
	  "Lanes that device and slot can have") \
	X(65, GPU_NVLINK_ACTIVE, "gpu_nvlink_active", STATE, NONE, 1, PART, "The link is active") \
	X(66, GPU_NVLINK_SENT, "gpu_nvlink_transmitted_bytes_total", COUNTER, BYTES, 1, DEVICE, \
	  "Data sent by all links") \
	X(67, GPU_NVLINK_RECEIVED, "gpu_nvlink_received_bytes_total", COUNTER, BYTES, 1, DEVICE, \
	  "Data received by all links") \
	X(68, GPU_NVLINK_CRC_FLIT, "gpu_nvlink_crc_flit_errors_total", COUNTER, NONE, 1, PART, \
	  "Flow control units with a wrong CRC") \
	X(69, GPU_NVLINK_CRC_DATA, "gpu_nvlink_crc_data_errors_total", COUNTER, NONE, 1, PART, \
	  "Data with a wrong CRC") \
	X(70, GPU_NVLINK_REPLAYS, "gpu_nvlink_replays_total", COUNTER, NONE, 1, PART, \
	  "Transmissions that were repeated") \
	X(71, GPU_NVLINK_RECOVERIES, "gpu_nvlink_recoveries_total", COUNTER, NONE, 1, PART, \
	  "Recoveries of the link") \
	X(72, GPU_NVLINK_ECC, "gpu_nvlink_ecc_errors_total", COUNTER, NONE, 1, PART, \
	  "Data with ECC errors") \
	X(80, GPU_MIG_MODE, "gpu_mig_mode", STATE, NONE, 1, DEVICE, "Multi-Instance GPU is on") \
	X(81, GPU_MIG_INSTANCES, "gpu_mig_instances", GAUGE, NONE, 1, DEVICE, \
	  "MIG devices that exist") \
	X(90, GPU_GPM_GRAPHICS, "gpu_gpm_graphics_active_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, DEVICE, \
	  "Share of the time in which the compute or graphics engine was active") \
	X(91, GPU_GPM_SM, "gpu_gpm_sm_active_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, DEVICE, \
	  "Share of the multiprocessors that were busy") \
	X(92, GPU_GPM_OCCUPANCY, "gpu_gpm_sm_occupancy_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, DEVICE, \
	  "Warps that were active, as a share of the most possible") \
	X(93, GPU_GPM_TENSOR, "gpu_gpm_tensor_active_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, DEVICE, \
	  "Share of the time in which tensor cores worked") \
	X(94, GPU_GPM_DRAM, "gpu_gpm_dram_active_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, DEVICE, \
	  "Memory bandwidth used, as a share of the most possible") \
	X(95, GPU_GPM_FP64, "gpu_gpm_fp64_active_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, DEVICE, \
	  "Share of the time in which the multiprocessors did FP64 work") \
	X(96, GPU_GPM_FP32, "gpu_gpm_fp32_active_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, DEVICE, \
	  "Share of the time in which the multiprocessors did FP32 work") \
	X(97, GPU_GPM_FP16, "gpu_gpm_fp16_active_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, DEVICE, \
	  "Share of the time in which the multiprocessors did FP16 work") \
	X(98, GPU_GPM_INTEGER, "gpu_gpm_integer_active_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, DEVICE, \
	  "Share of the time in which the multiprocessors did integer work")

/* Metrics of a process on a device. */
#define XPT_GPU_PROCESS_METRICS(X) \
	X(100, GPU_PROCESS_MEMORY, "gpu_process_memory_used_bytes", GAUGE, BYTES, 1, PROCESS, \
	  "Device memory that the process holds") \
	X(101, GPU_PROCESS_SM, "gpu_process_sm_utilization_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, PROCESS, \
	  "Utilization of the multiprocessors by the process") \
	X(102, GPU_PROCESS_MEMORY_UTILIZATION, "gpu_process_memory_utilization_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, PROCESS, \
	  "Utilization of the memory by the process") \
	X(103, GPU_PROCESS_ENCODER, "gpu_process_encoder_utilization_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, PROCESS, \
	  "Utilization of the encoders by the process") \
	X(104, GPU_PROCESS_DECODER, "gpu_process_decoder_utilization_ratio", GAUGE, RATIO, XPT_RATIO_SCALE, PROCESS, \
	  "Utilization of the decoders by the process") \
	X(105, GPU_PROCESS_COMPUTE, "gpu_process_compute", STATE, NONE, 1, PROCESS, \
	  "The process has a compute context") \
	X(106, GPU_PROCESS_GRAPHICS, "gpu_process_graphics", STATE, NONE, 1, PROCESS, \
	  "The process has a graphics context") \
	X(107, GPU_PROCESS_MPS, "gpu_process_mps", STATE, NONE, 1, PROCESS, \
	  "The process has a compute context by way of MPS")

#endif
