/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tracepoint nvidia:nvidia_dev_xid, which open kernel modules have since
 * release 575: device, number and text of an Xid.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM nvidia

#if !defined(NV_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define NV_TRACE_H

#include <linux/pci.h>
#include <linux/tracepoint.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define nv_assign_str(dst, src) __assign_str(dst, src)
#else
#define nv_assign_str(dst, src) __assign_str(dst)
#endif

TRACE_EVENT(nvidia_dev_xid,
	TP_PROTO(const struct pci_dev *pdev, uint32_t error_code, const char *msg),
	TP_ARGS(pdev, error_code, msg),
	TP_STRUCT__entry(
		__string(dev, pci_name(pdev))
		__field(u32, error_code)
		__string(msg, msg)
	),
	TP_fast_assign(
		nv_assign_str(dev, pci_name(pdev));
		__entry->error_code = error_code;
		nv_assign_str(msg, msg);
	),
	TP_printk("Xid (PCI:%s): %u, %s", __get_str(dev), __entry->error_code, __get_str(msg))
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE nv_trace
#include <trace/define_trace.h>
