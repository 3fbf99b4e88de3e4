# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What scripts/gen-sigs is told about each domain's headers, since they do not
say it: which functions, where the version stands, which integers are handles or
hold flags of which constants, which structs are worth looking into.

  prefix      functions of the library (a regular expression)
  version     header, macros with its version, how to write that
  handles     integer types that name an object
  groups      constants that are no enum: name -> macros
  flags       integer parameters and fields that hold constants
  flag_enums  enums whose values are added up
  out_pointers, in_pointers   parameters: room for a pointer; read, though not const
  structs     struct -> fields that are shown
"""

EXTENT = "extent.width extent.height extent.depth"
PLACE = "location.type location.id"
COPY = ("WidthInBytes Height %ssrcMemoryType srcHost srcDevice srcArray dstMemoryType dstHost "
        "dstDevice dstArray srcPitch dstPitch srcXInBytes srcY dstXInBytes dstY")
DIMS = "gridDim.x gridDim.y gridDim.z blockDim.x blockDim.y blockDim.z"
GRID = "gridDimX gridDimY gridDimZ blockDimX blockDimY blockDimZ sharedMemBytes"


def cuda_version(n):
    return "CUDA %d.%d" % (n // 1000, n % 1000 // 10)


def dotted(name):
    return lambda *v: name + " " + ".".join(map(str, v))


DOMAINS = {
    "cuda": {
        "prefix": "cu[A-Z]", "title": "CUDA driver API", "version": ("cuda.h", ["CUDA_VERSION"], cuda_version),
        "headers": ["cuda.h", "cudaProfiler.h", "cudaGL.h", "cudaEGL.h", "vdpau/vdpau.h",
                    "cudaVDPAU.h"],
        "defines": ["__CUDA_API_VERSION_INTERNAL"],
        # Integers that name an object or an address
        "handles": {"CUdeviceptr", "CUdeviceptr_v1", "CUdeviceptr_v2", "CUtexObject",
                    "CUtexObject_v1", "CUsurfObject", "CUsurfObject_v1",
                    "CUmemGenericAllocationHandle", "CUmemGenericAllocationHandle_v1",
                    "CUgraphConditionalHandle"},
        # Constants that are no enum: name of the group -> macros
        "groups": {
            "CU_MEMHOSTALLOC": r"CU_MEMHOSTALLOC_\w+",
            "CU_MEMHOSTREGISTER": r"CU_MEMHOSTREGISTER_\w+",
            "CU_TRSF": r"CU_TRSF_\w+",
            "CU_TRSA": r"CU_TRSA_\w+",
            "CUDA_ARRAY3D": r"CUDA_ARRAY3D_(?!2DARRAY)\w+",
        },
        # Integer parameters and fields that hold constants: first match of function.parameter
        "flags": [
            ("cuMemAllocManaged.flags", "CUmemAttach_flags"),
            ("cuStreamAttachMemAsync*.flags", "CUmemAttach_flags"),
            ("cuStreamCreate*.[Ff]lags", "CUstream_flags"),
            ("cuStreamGetFlags*.flags", "CUstream_flags"),
            ("cuGreenCtxStreamCreate.flags", "CUstream_flags"),
            ("cuEventCreate.Flags", "CUevent_flags"),
            ("cuEventRecordWithFlags*.flags", "CUevent_record_flags"),
            ("cuStreamWaitEvent*.Flags", "CUevent_wait_flags"),
            ("cuStreamWaitValue*.flags", "CUstreamWaitValue_flags"),
            ("cuStreamWriteValue*.flags", "CUstreamWriteValue_flags"),
            ("cuStreamUpdateCaptureDependencies*.flags", "CUstreamUpdateCaptureDependencies_flags"),
            ("cuCtxCreate*.flags", "CUctx_flags"),
            ("cuCtxGetFlags.flags", "CUctx_flags"),
            ("cuCtxSetFlags.flags", "CUctx_flags"),
            ("cuDevicePrimaryCtx*.flags", "CUctx_flags"),
            ("cuIpcOpenMemHandle*.Flags", "CUipcMem_flags"),
            ("cuOccupancy*.flags", "CUoccupancy_flags"),
            ("cuGetProcAddress*.flags", "CUdriverProcAddress_flags"),
            ("cuGraphDebugDotPrint.flags", "CUgraphDebugDot_flags"),
            ("cuGraphInstantiateWithFlags.flags", "CUgraphInstantiate_flags"),
            ("cuGraphExecGetFlags.flags", "CUgraphInstantiate_flags"),
            ("CUDA_GRAPH_INSTANTIATE_PARAMS.flags", "CUgraphInstantiate_flags"),
            ("cuUserObjectCreate.flags", "CUuserObject_flags"),
            ("cuGraphRetainUserObject.flags", "CUuserObjectRetain_flags"),
            ("cuGreenCtxCreate.flags", "CUgreenCtxCreate_flags"),
            ("cuDevSmResourceSplitByCount.useFlags", "CUdevSmResourceSplit_flags"),
            ("cuGraphicsResourceSetMapFlags*.flags", "CUgraphicsMapResourceFlags"),
            ("cuGraphics*RegisterImage.*lags", "CUgraphicsRegisterFlags"),
            ("cuGraphics*RegisterBuffer.*lags", "CUgraphicsRegisterFlags"),
            ("cuGraphics*Register*Surface.flags", "CUgraphicsRegisterFlags"),
            ("cuMemHostAlloc.Flags", "CU_MEMHOSTALLOC"),
            ("cuMemHostGetFlags.pFlags", "CU_MEMHOSTALLOC"),
            ("cuMemHostRegister*.Flags", "CU_MEMHOSTREGISTER"),
            ("cuTexRef?etFlags.*lags", "CU_TRSF"),
            ("cuTexRefSet*Array.Flags", "CU_TRSA"),
            ("CUDA_ARRAY3D_DESCRIPTOR*.Flags", "CUDA_ARRAY3D"),
        ],
        "flag_enums": ["CUmemAllocationHandleType"],
        # Parameters that point to room for a pointer
        "out_pointers": ["*.pfn", "*.pp"],
        "structs": {
            "CUDA_ARRAY3D_DESCRIPTOR*": "Width Height Depth Format NumChannels Flags",
            "CUDA_ARRAY_DESCRIPTOR*": "Width Height Format NumChannels",
            "CUDA_EXTERNAL_MEMORY_BUFFER_DESC": "offset size flags",
            "CUDA_EXTERNAL_MEMORY_HANDLE_DESC": "type size flags",
            "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC": "type flags",
            "CUDA_GRAPH_INSTANTIATE_PARAMS": "flags hUploadStream result_out",
            "CUDA_KERNEL_NODE_PARAMS_v1": "func " + GRID,
            "CUDA_KERNEL_NODE_PARAMS": "func " + GRID + " kern ctx",
            "CUDA_LAUNCH_PARAMS": "function " + GRID + " hStream",
            "CUDA_MEMCPY2D*": COPY % "",
            "CUDA_MEMCPY3D_PEER": COPY % "Depth " + " srcContext dstContext",
            "CUDA_MEMCPY3D": COPY % "Depth ",
            "CUDA_MEMCPY3D_v1": COPY % "Depth ",
            "CUDA_MEMSET_NODE_PARAMS": "dst pitch value elementSize width height",
            "CUDA_MEM_ALLOC_NODE_PARAMS": "poolProps.allocType poolProps.location.type "
                                          "poolProps.location.id bytesize dptr",
            "CUDA_RESOURCE_DESC": "resType",
            "CUlaunchConfig": GRID + " hStream numAttrs",
            "CUmemAccessDesc": PLACE + " flags",
            "CUmemAllocationProp": "type requestedHandleTypes " + PLACE,
            "CUmemLocation": "type id",
            "CUmemPoolProps": "allocType handleTypes " + PLACE + " maxSize",
            "CUmulticastObjectProp": "numDevices size handleTypes flags",
        },
    },
    "cudart": {
        "prefix": "(?:__)?cuda[A-Z]", "title": "CUDA runtime API",
        "version": ("cuda_runtime_api.h", ["CUDART_VERSION"], cuda_version),
        "headers": ["cuda_runtime_api.h", "cuda_profiler_api.h", "cuda_gl_interop.h",
                    "cuda_egl_interop.h", "cuda_vdpau_interop.h"],
        "defines": [],
        "removed": "generated_cudart_removed_meta.h",
        # Called by code that nvcc makes; declared for C++ only
        "more": "cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim,"
                " void **args, size_t sharedMem, cudaStream_t stream);"
                "cudaError_t __cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr);"
                "void **__cudaRegisterFatBinary(void *fatCubin);"
                "void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun,"
                " char *deviceFun, const char *deviceName, int thread_limit, uint3 *tid,"
                " uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize);"
                "void __cudaUnregisterFatBinary(void **fatCubinHandle);",
        "handles": {"cudaTextureObject_t", "cudaSurfaceObject_t", "cudaGraphConditionalHandle"},
        "groups": {
            "cudaHostAlloc": r"cudaHostAlloc[A-Z]\w+",
            "cudaHostRegister": r"cudaHostRegister[A-Z]\w+",
            "cudaStream": r"cudaStream(?:Default|NonBlocking)",
            "cudaEvent": r"cudaEvent(?:Default|BlockingSync|DisableTiming|Interprocess)",
            "cudaEventRecord": r"cudaEventRecord(?:Default|External)",
            "cudaEventWait": r"cudaEventWait(?:Default|External)",
            "cudaDevice": r"cudaDevice(?:Schedule\w+|MapHost|LmemResizeToMax|SyncMemops)",
            "cudaArray": r"cudaArray(?:Default|Layered|SurfaceLoadStore|Cubemap|TextureGather|"
                         r"ColorAttachment|Sparse|DeferredMapping)",
            "cudaIpcMem": r"cudaIpcMem\w+",
            "cudaMemAttach": r"cudaMemAttach\w+",
            "cudaOccupancy": r"cudaOccupancy[A-Z]\w+",
            "cudaInitDevice": r"cudaInitDevice\w+",
        },
        "flags": [
            ("cudaMallocManaged.flags", "cudaMemAttach"),
            ("cudaStreamAttachMemAsync*.flags", "cudaMemAttach"),
            ("cudaHostAlloc.flags", "cudaHostAlloc"),
            ("cudaHostGetFlags.pFlags", "cudaHostAlloc"),
            ("cudaHostRegister.flags", "cudaHostRegister"),
            ("cudaStreamCreate*.flags", "cudaStream"),
            ("cudaStreamGetFlags*.flags", "cudaStream"),
            ("cudaEventCreateWithFlags.flags", "cudaEvent"),
            ("cudaEventRecordWithFlags*.flags", "cudaEventRecord"),
            ("cudaStreamWaitEvent*.flags", "cudaEventWait"),
            ("cudaStreamUpdateCaptureDependencies*.flags",
             "cudaStreamUpdateCaptureDependenciesFlags"),
            ("cudaSetDeviceFlags.flags", "cudaDevice"),
            ("cudaGetDeviceFlags.flags", "cudaDevice"),
            ("cudaInitDevice.deviceFlags", "cudaDevice"),
            ("cudaInitDevice.flags", "cudaInitDevice"),
            ("cudaIpcOpenMemHandle.flags", "cudaIpcMem"),
            ("cudaMalloc*Array.flags", "cudaArray"),
            ("cudaArrayGetInfo.flags", "cudaArray"),
            ("cudaOccupancy*.flags", "cudaOccupancy"),
            ("cudaGetDriverEntryPoint*.flags", "cudaGetDriverEntryPointFlags"),
            ("cudaGraphDebugDotPrint.flags", "cudaGraphDebugDotFlags"),
            ("cudaGraphInstantiate*.flags", "cudaGraphInstantiateFlags"),
            ("cudaGraphExecGetFlags.flags", "cudaGraphInstantiateFlags"),
            ("cudaGraphInstantiateParams.flags", "cudaGraphInstantiateFlags"),
            ("cudaUserObjectCreate.flags", "cudaUserObjectFlags"),
            ("cudaGraphRetainUserObject.flags", "cudaUserObjectRetainFlags"),
            ("cudaGraphicsResourceSetMapFlags.flags", "cudaGraphicsMapFlags"),
            ("cudaGraphics*Register*.*lags", "cudaGraphicsRegisterFlags"),
        ],
        "flag_enums": ["cudaMemAllocationHandleType"],
        # The toolkit's own list of older forms has more than CUDA 10 to 12 did
        "at_most": {"cudaStreamGetCaptureInfo": 3},
        "renamed": {"deviceOrdinal": "device"},
        "out_pointers": ["*.funcPtr", "*.devPtr", "*.ptr", "*.dptr", "*.pHost", "*.pDevice"],
        "structs": {
            "cudaChannelFormatDesc": "x y z w f",
            "cudaExtent": "width height depth",
            "cudaExternalMemoryBufferDesc": "offset size flags",
            "cudaExternalMemoryHandleDesc": "type size flags",
            "cudaExternalSemaphoreHandleDesc": "type flags",
            "cudaGraphInstantiateParams": "flags uploadStream result_out",
            "cudaKernelNodeParams": "func " + DIMS + " sharedMemBytes",
            "cudaLaunchConfig_t": DIMS + " dynamicSmemBytes stream numAttrs",
            "cudaMemAccessDesc": PLACE + " flags",
            "cudaMemAllocNodeParams": "poolProps.allocType poolProps.location.type "
                                      "poolProps.location.id bytesize dptr",
            "cudaMemLocation": "type id",
            "cudaMemPoolProps": "allocType handleTypes " + PLACE + " maxSize",
            "cudaMemcpy3DParms": EXTENT + " srcPtr.ptr dstPtr.ptr srcArray dstArray kind",
            "cudaMemcpy3DPeerParms": EXTENT + " srcPtr.ptr dstPtr.ptr srcDevice dstDevice srcArray "
                                     "dstArray",
            "cudaMemsetParams": "dst pitch value elementSize width height",
            "cudaPitchedPtr": "ptr pitch xsize ysize",
            "cudaPointerAttributes": "type device devicePointer hostPointer",
            "cudaPos": "x y z",
            "cudaResourceDesc": "resType",
            "dim3": "x y z",
        },
    },
    "nccl": {
        "prefix": "nccl[A-Z]", "title": "NCCL API",
        "version": ("nccl.h", ["NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH"], dotted("NCCL")),
        "headers": ["nccl.h"],
        "handles": set(),
        "groups": {
            "NCCL_WIN": r"NCCL_WIN_(?:DEFAULT|COLL_SYMMETRIC)",
            "NCCL_SHRINK": r"NCCL_SHRINK_\w+",
        },
        "flags": [
            ("ncclCommWindowRegister.winFlags", "NCCL_WIN"),
            ("ncclCommShrink.shrinkFlags", "NCCL_SHRINK"),
        ],
        "out_pointers": ["ncclMemAlloc.ptr", "ncclCommRegister.handle"],
        "in_pointers": ["*.config", "ncclCommShrink.excludeRanksList"],
        "structs": {
            "ncclConfig_t": "blocking cgaClusterSize minCTAs maxCTAs netName splitShare",
        },
    },
    "nvml": {
        "prefix": "nvml[A-Z]", "title": "NVML API",
        "version": ("nvml.h", ["NVML_API_VERSION"], None),
        "headers": ["nvml.h"],
        "handles": set(),
        "groups": {
            "NVML_INIT_FLAG": r"NVML_INIT_FLAG_\w+",
        },
        "flags": [
            ("nvmlInitWithFlags.flags", "NVML_INIT_FLAG"),
        ],
        "structs": {
            "nvmlMemory_t": "total free used",
            "nvmlMemory_v2_t": "total reserved free used",
            "nvmlUtilization_t": "gpu memory",
            "nvmlBAR1Memory_t": "bar1Total bar1Free bar1Used",
        },
    },
    "verbs": {
        "prefix": "_?ibv_", "title": "verbs API", "version": ("infiniband/verbs.h", [], None),
        "headers": ["infiniband/verbs.h"],
        "handles": set(), "groups": {},
        "flags": [
            ("ibv_modify_qp.attr_mask", "ibv_qp_attr_mask"),
            ("ibv_query_qp.attr_mask", "ibv_qp_attr_mask"),
            ("ibv_modify_srq.srq_attr_mask", "ibv_srq_attr_mask"),
            ("ibv_rereg_mr.flags", "ibv_rereg_mr_flags"),
            ("ibv_re*_mr*.access", "ibv_access_flags"),
            ("ibv_qp_attr.qp_access_flags", "ibv_access_flags"),
        ],
        "flag_enums": ["ibv_qp_attr_mask", "ibv_srq_attr_mask"],
        # Not const, but only read
        "in_pointers": ["ibv_modify_*", "ibv_create_*", "ibv_free_*", "*.qp", "*.mr"],
        "out_pointers": ["ibv_get_cq_event.cq_context"],
        "structs": {
            "ibv_qp": "qp_num state qp_type",
            "ibv_mr": "addr length lkey rkey",
            "ibv_qp_attr": "qp_state cur_qp_state path_mtu qkey rq_psn sq_psn dest_qp_num "
                           "qp_access_flags port_num ah_attr.dlid ah_attr.port_num "
                           "ah_attr.is_global ah_attr.grh.sgid_index timeout retry_cnt rnr_retry",
            "ibv_qp_init_attr": "qp_type send_cq recv_cq srq cap.max_send_wr cap.max_recv_wr "
                                "cap.max_send_sge cap.max_recv_sge cap.max_inline_data",
            "ibv_srq_attr": "max_wr max_sge srq_limit",
            "ibv_srq_init_attr": "attr.max_wr attr.max_sge attr.srq_limit",
            "ibv_ah_attr": "dlid sl is_global port_num grh.sgid_index",
            "ibv_port_attr": "state max_mtu active_mtu lid sm_lid phys_state link_layer",
        },
    },
}
# Fields that an entry may leave out
for _d in DOMAINS.values():
    for _k in ("defines", "flags", "out_pointers", "in_pointers", "flag_enums"):
        _d.setdefault(_k, [])
