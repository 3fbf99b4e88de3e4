/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Signatures of the CUDA driver API as of CUDA 13.0: names, kinds and places of
 * parameters, fields and constants, in the form that model/domain/sig.h explains.
 * Made by scripts/gen-sigs, not by hand; tests/contract/check-sigs compares.
 */
static const char *const sig_fns[] = {
	"cuArray3DCreate pHandle:oh8 pAllocateArray:pt23",
	"cuArray3DCreate_v2 pHandle:oh8 pAllocateArray:pt4",
	"cuArray3DGetDescriptor pArrayDescriptor:ot23 hArray:h8",
	"cuArray3DGetDescriptor_v2 pArrayDescriptor:ot4 hArray:h8",
	"cuArrayCreate pHandle:oh8 pAllocateArray:pt22",
	"cuArrayCreate_v2 pHandle:oh8 pAllocateArray:pt3",
	"cuArrayDestroy hArray:h8",
	"cuArrayGetDescriptor pArrayDescriptor:ot22 hArray:h8",
	"cuArrayGetDescriptor_v2 pArrayDescriptor:ot3 hArray:h8",
	"cuArrayGetMemoryRequirements memoryRequirements:p array:h8 device:i4",
	"cuArrayGetPlane pPlaneArray:oh8 hArray:h8 planeIdx:u4",
	"cuArrayGetSparseProperties sparseProperties:p array:h8",
	"cuCheckpointProcessCheckpoint pid:i4 args:p",
	"cuCheckpointProcessGetRestoreThreadId pid:i4 tid:oi4",
	"cuCheckpointProcessGetState pid:i4 state:oe66",
	"cuCheckpointProcessLock pid:i4 args:p",
	"cuCheckpointProcessRestore pid:i4 args:p",
	"cuCheckpointProcessUnlock pid:i4 args:p",
	"cuCoredumpGetAttribute attrib:e61 value:p size:ou8",
	"cuCoredumpGetAttributeGlobal attrib:e61 value:p size:ou8",
	"cuCoredumpSetAttribute attrib:e61 value:p size:ou8",
	"cuCoredumpSetAttributeGlobal attrib:e61 value:p size:ou8",
	"cuCtxAttach pctx:oh8 flags:u4",
	"cuCtxCreate pctx:oh8 flags:e6 dev:i4",
	"cuCtxCreate_v2 pctx:oh8 flags:e6 dev:i4",
	"cuCtxCreate_v3 pctx:oh8 paramsArray:p numParams:i4 flags:e6 dev:i4",
	"cuCtxCreate_v4 pctx:oh8 ctxCreateParams:p flags:e6 dev:i4",
	"cuCtxDestroy ctx:h8",
	"cuCtxDestroy_v2 ctx:h8",
	"cuCtxDetach ctx:h8",
	"cuCtxDisablePeerAccess peerContext:h8",
	"cuCtxEnablePeerAccess peerContext:h8 Flags:u4",
	"cuCtxFromGreenCtx pContext:oh8 hCtx:h8",
	"cuCtxGetApiVersion ctx:h8 version:ou4",
	"cuCtxGetCacheConfig pconfig:oe8",
	"cuCtxGetCurrent pctx:oh8",
	"cuCtxGetDevResource hCtx:h8 resource:p type:e63",
	"cuCtxGetDevice device:oi4",
	"cuCtxGetDevice_v2 device:oi4 ctx:h8",
	"cuCtxGetExecAffinity pExecAffinity:p type:e3",
	"cuCtxGetFlags flags:oe6",
	"cuCtxGetId ctx:h8 ctxId:ou8",
	"cuCtxGetLimit pvalue:ou8 limit:e7",
	"cuCtxGetSharedMemConfig pConfig:oe9",
	"cuCtxGetStreamPriorityRange leastPriority:oi4 greatestPriority:oi4",
	"cuCtxPopCurrent pctx:oh8",
	"cuCtxPopCurrent_v2 pctx:oh8",
	"cuCtxPushCurrent ctx:h8",
	"cuCtxPushCurrent_v2 ctx:h8",
	"cuCtxRecordEvent hCtx:h8 hEvent:h8",
	"cuCtxResetPersistingL2Cache",
	"cuCtxSetCacheConfig config:e8",
	"cuCtxSetCurrent ctx:h8",
	"cuCtxSetFlags flags:e6",
	"cuCtxSetLimit limit:e7 value:u8",
	"cuCtxSetSharedMemConfig config:e9",
	"cuCtxSynchronize",
	"cuCtxSynchronize_v2 ctx:h8",
	"cuCtxWaitEvent hCtx:h8 hEvent:h8",
	"cuDestroyExternalMemory extMem:h8",
	"cuDestroyExternalSemaphore extSem:h8",
	"cuDevResourceGenerateDesc phDesc:oh8 resources:p nbResources:u4",
	"cuDevSmResourceSplitByCount result:p nbGroups:ou4 input:p remaining:p useFlags:e64 "
	 "minCount:u4",
	"cuDeviceCanAccessPeer canAccessPeer:oi4 dev:i4 peerDev:i4",
	"cuDeviceComputeCapability major:oi4 minor:oi4 dev:i4",
	"cuDeviceGet device:oi4 ordinal:i4",
	"cuDeviceGetAttribute pi:oi4 attrib:e2 dev:i4",
	"cuDeviceGetByPCIBusId dev:oi4 pciBusId:s",
	"cuDeviceGetCount count:oi4",
	"cuDeviceGetDefaultMemPool pool_out:oh8 dev:i4",
	"cuDeviceGetDevResource device:i4 resource:p type:e63",
	"cuDeviceGetExecAffinitySupport pi:oi4 type:e3 dev:i4",
	"cuDeviceGetGraphMemAttribute device:i4 attr:e40 value:p",
	"cuDeviceGetHostAtomicCapabilities capabilities:p operations:p count:u4 dev:i4",
	"cuDeviceGetLuid luid:p deviceNodeMask:ou4 dev:i4",
	"cuDeviceGetMemPool pool:oh8 dev:i4",
	"cuDeviceGetName name:p len:i4 dev:i4",
	"cuDeviceGetNvSciSyncAttributes nvSciSyncAttrList:p dev:i4 flags:i4",
	"cuDeviceGetP2PAtomicCapabilities capabilities:p operations:p count:u4 srcDevice:i4 "
	 "dstDevice:i4",
	"cuDeviceGetP2PAttribute value:oi4 attrib:e57 srcDevice:i4 dstDevice:i4",
	"cuDeviceGetPCIBusId pciBusId:p len:i4 dev:i4",
	"cuDeviceGetProperties prop:p dev:i4",
	"cuDeviceGetTexture1DLinearMaxWidth maxWidthInElements:ou8 format:e1 numChannels:u4 "
	 "dev:i4",
	"cuDeviceGetUuid uuid:p dev:i4",
	"cuDeviceGetUuid_v2 uuid:p dev:i4",
	"cuDeviceGraphMemTrim device:i4",
	"cuDevicePrimaryCtxGetState dev:i4 flags:oe6 active:oi4",
	"cuDevicePrimaryCtxRelease dev:i4",
	"cuDevicePrimaryCtxRelease_v2 dev:i4",
	"cuDevicePrimaryCtxReset dev:i4",
	"cuDevicePrimaryCtxReset_v2 dev:i4",
	"cuDevicePrimaryCtxRetain pctx:oh8 dev:i4",
	"cuDevicePrimaryCtxSetFlags dev:i4 flags:e6",
	"cuDevicePrimaryCtxSetFlags_v2 dev:i4 flags:e6",
	"cuDeviceRegisterAsyncNotification device:i4 callbackFunc:F userData:p callback:oh8",
	"cuDeviceSetGraphMemAttribute device:i4 attr:e40 value:p",
	"cuDeviceSetMemPool dev:i4 pool:h8",
	"cuDeviceTotalMem bytes:ou4 dev:i4",
	"cuDeviceTotalMem_v2 bytes:ou8 dev:i4",
	"cuDeviceUnregisterAsyncNotification device:i4 callback:h8",
	"cuDriverGetVersion driverVersion:oi4",
	"cuEGLStreamConsumerAcquireFrame conn:oh8 pCudaResource:oh8 pStream:oh8 timeout:u4",
	"cuEGLStreamConsumerConnect conn:oh8 stream:p",
	"cuEGLStreamConsumerConnectWithFlags conn:oh8 stream:p flags:u4",
	"cuEGLStreamConsumerDisconnect conn:oh8",
	"cuEGLStreamConsumerReleaseFrame conn:oh8 pCudaResource:h8 pStream:oh8",
	"cuEGLStreamProducerConnect conn:oh8 stream:p width:i4 height:i4",
	"cuEGLStreamProducerDisconnect conn:oh8",
	"cuEGLStreamProducerPresentFrame conn:oh8 eglframe:b64 pStream:oh8",
	"cuEGLStreamProducerReturnFrame conn:oh8 eglframe:p pStream:oh8",
	"cuEventCreate phEvent:oh8 Flags:e35",
	"cuEventCreateFromEGLSync phEvent:oh8 eglSync:p flags:u4",
	"cuEventDestroy hEvent:h8",
	"cuEventDestroy_v2 hEvent:h8",
	"cuEventElapsedTime pMilliseconds:of4 hStart:h8 hEnd:h8",
	"cuEventElapsedTime_v2 pMilliseconds:of4 hStart:h8 hEnd:h8",
	"cuEventQuery hEvent:h8",
	"cuEventRecord hEvent:h8 hStream:h8",
	"cuEventRecordWithFlags hEvent:h8 hStream:h8 flags:e36",
	"cuEventSynchronize hEvent:h8",
	"cuExternalMemoryGetMappedBuffer devPtr:oh8 extMem:h8 bufferDesc:pt11",
	"cuExternalMemoryGetMappedMipmappedArray mipmap:oh8 extMem:h8 mipmapDesc:p",
	"cuFlushGPUDirectRDMAWrites target:e4 scope:e5",
	"cuFuncGetAttribute pi:oi4 attrib:e14 hfunc:h8",
	"cuFuncGetModule hmod:oh8 hfunc:h8",
	"cuFuncGetName name:op hfunc:h8",
	"cuFuncGetParamInfo func:h8 paramIndex:u8 paramOffset:ou8 paramSize:ou8",
	"cuFuncIsLoaded state:oe39 function:h8",
	"cuFuncLoad function:h8",
	"cuFuncSetAttribute hfunc:h8 attrib:e14 value:i4",
	"cuFuncSetBlockShape hfunc:h8 x:i4 y:i4 z:i4",
	"cuFuncSetCacheConfig hfunc:h8 config:e8",
	"cuFuncSetSharedMemConfig hfunc:h8 config:e9",
	"cuFuncSetSharedSize hfunc:h8 bytes:u4",
	"cuGLCtxCreate pCtx:oh8 Flags:u4 device:i4",
	"cuGLCtxCreate_v2 pCtx:oh8 Flags:u4 device:i4",
	"cuGLGetDevices pCudaDeviceCount:ou4 pCudaDevices:p cudaDeviceCount:u4 deviceList:e69",
	"cuGLGetDevices_v2 pCudaDeviceCount:ou4 pCudaDevices:p cudaDeviceCount:u4 "
	 "deviceList:e69",
	"cuGLInit",
	"cuGLMapBufferObject dptr:oh4 size:ou4 buffer:u4",
	"cuGLMapBufferObjectAsync dptr:oh4 size:ou4 buffer:u4 hStream:h8",
	"cuGLMapBufferObjectAsync_v2 dptr:oh8 size:ou8 buffer:u4 hStream:h8",
	"cuGLMapBufferObject_v2 dptr:oh8 size:ou8 buffer:u4",
	"cuGLRegisterBufferObject buffer:u4",
	"cuGLSetBufferObjectMapFlags buffer:u4 Flags:u4",
	"cuGLUnmapBufferObject buffer:u4",
	"cuGLUnmapBufferObjectAsync buffer:u4 hStream:h8",
	"cuGLUnregisterBufferObject buffer:u4",
	"cuGetErrorName error:e0 pStr:op",
	"cuGetErrorString error:e0 pStr:op",
	"cuGetExportTable ppExportTable:p pExportTableId:p",
	"cuGetProcAddress symbol:s pfn:op cudaVersion:i4 flags:e59w",
	"cuGetProcAddress_v2 symbol:s pfn:op cudaVersion:i4 flags:e59w symbolStatus:oe60",
	"cuGraphAddBatchMemOpNode phGraphNode:oh8 hGraph:h8 dependencies:p numDependencies:u8 "
	 "nodeParams:p",
	"cuGraphAddChildGraphNode phGraphNode:oh8 hGraph:h8 dependencies:p numDependencies:u8 "
	 "childGraph:h8",
	"cuGraphAddDependencies hGraph:h8 from:p to:p numDependencies:u8",
	"cuGraphAddDependencies_v2 hGraph:h8 from:p to:p edgeData:p numDependencies:u8",
	"cuGraphAddEmptyNode phGraphNode:oh8 hGraph:h8 dependencies:p numDependencies:u8",
	"cuGraphAddEventRecordNode phGraphNode:oh8 hGraph:h8 dependencies:p numDependencies:u8 "
	 "event:h8",
	"cuGraphAddEventWaitNode phGraphNode:oh8 hGraph:h8 dependencies:p numDependencies:u8 "
	 "event:h8",
	"cuGraphAddExternalSemaphoresSignalNode phGraphNode:oh8 hGraph:h8 dependencies:p "
	 "numDependencies:u8 nodeParams:p",
	"cuGraphAddExternalSemaphoresWaitNode phGraphNode:oh8 hGraph:h8 dependencies:p "
	 "numDependencies:u8 nodeParams:p",
	"cuGraphAddHostNode phGraphNode:oh8 hGraph:h8 dependencies:p numDependencies:u8 "
	 "nodeParams:p",
	"cuGraphAddKernelNode phGraphNode:oh8 hGraph:h8 dependencies:p numDependencies:u8 "
	 "nodeParams:pt24",
	"cuGraphAddKernelNode_v2 phGraphNode:oh8 hGraph:h8 dependencies:p numDependencies:u8 "
	 "nodeParams:pt15",
	"cuGraphAddMemAllocNode phGraphNode:oh8 hGraph:h8 dependencies:p numDependencies:u8 "
	 "nodeParams:ot17",
	"cuGraphAddMemFreeNode phGraphNode:oh8 hGraph:h8 dependencies:p numDependencies:u8 "
	 "dptr:h8",
	"cuGraphAddMemcpyNode phGraphNode:oh8 hGraph:h8 dependencies:p numDependencies:u8 "
	 "copyParams:pt1 ctx:h8",
	"cuGraphAddMemsetNode phGraphNode:oh8 hGraph:h8 dependencies:p numDependencies:u8 "
	 "memsetParams:pt16 ctx:h8",
	"cuGraphAddNode phGraphNode:oh8 hGraph:h8 dependencies:p numDependencies:u8 "
	 "nodeParams:p",
	"cuGraphAddNode_v2 phGraphNode:oh8 hGraph:h8 dependencies:p dependencyData:p "
	 "numDependencies:u8 nodeParams:p",
	"cuGraphBatchMemOpNodeGetParams hNode:h8 nodeParams_out:p",
	"cuGraphBatchMemOpNodeSetParams hNode:h8 nodeParams:p",
	"cuGraphChildGraphNodeGetGraph hNode:h8 phGraph:oh8",
	"cuGraphClone phGraphClone:oh8 originalGraph:h8",
	"cuGraphConditionalHandleCreate pHandle_out:oh8 hGraph:h8 ctx:h8 defaultLaunchValue:u4 "
	 "flags:u4",
	"cuGraphCreate phGraph:oh8 flags:u4",
	"cuGraphDebugDotPrint hGraph:h8 path:s flags:e43",
	"cuGraphDestroy hGraph:h8",
	"cuGraphDestroyNode hNode:h8",
	"cuGraphEventRecordNodeGetEvent hNode:h8 event_out:oh8",
	"cuGraphEventRecordNodeSetEvent hNode:h8 event:h8",
	"cuGraphEventWaitNodeGetEvent hNode:h8 event_out:oh8",
	"cuGraphEventWaitNodeSetEvent hNode:h8 event:h8",
	"cuGraphExecBatchMemOpNodeSetParams hGraphExec:h8 hNode:h8 nodeParams:p",
	"cuGraphExecChildGraphNodeSetParams hGraphExec:h8 hNode:h8 childGraph:h8",
	"cuGraphExecDestroy hGraphExec:h8",
	"cuGraphExecEventRecordNodeSetEvent hGraphExec:h8 hNode:h8 event:h8",
	"cuGraphExecEventWaitNodeSetEvent hGraphExec:h8 hNode:h8 event:h8",
	"cuGraphExecExternalSemaphoresSignalNodeSetParams hGraphExec:h8 hNode:h8 nodeParams:p",
	"cuGraphExecExternalSemaphoresWaitNodeSetParams hGraphExec:h8 hNode:h8 nodeParams:p",
	"cuGraphExecGetFlags hGraphExec:h8 flags:oe42w",
	"cuGraphExecHostNodeSetParams hGraphExec:h8 hNode:h8 nodeParams:p",
	"cuGraphExecKernelNodeSetParams hGraphExec:h8 hNode:h8 nodeParams:pt24",
	"cuGraphExecKernelNodeSetParams_v2 hGraphExec:h8 hNode:h8 nodeParams:pt15",
	"cuGraphExecMemcpyNodeSetParams hGraphExec:h8 hNode:h8 copyParams:pt1 ctx:h8",
	"cuGraphExecMemsetNodeSetParams hGraphExec:h8 hNode:h8 memsetParams:pt16 ctx:h8",
	"cuGraphExecNodeSetParams hGraphExec:h8 hNode:h8 nodeParams:p",
	"cuGraphExecUpdate hGraphExec:h8 hGraph:h8 hErrorNode_out:oh8 updateResult_out:oe65",
	"cuGraphExecUpdate_v2 hGraphExec:h8 hGraph:h8 resultInfo:p",
	"cuGraphExternalSemaphoresSignalNodeGetParams hNode:h8 params_out:p",
	"cuGraphExternalSemaphoresSignalNodeSetParams hNode:h8 nodeParams:p",
	"cuGraphExternalSemaphoresWaitNodeGetParams hNode:h8 params_out:p",
	"cuGraphExternalSemaphoresWaitNodeSetParams hNode:h8 nodeParams:p",
	"cuGraphGetEdges hGraph:h8 from:p to:p numEdges:ou8",
	"cuGraphGetEdges_v2 hGraph:h8 from:p to:p edgeData:p numEdges:ou8",
	"cuGraphGetNodes hGraph:h8 nodes:p numNodes:ou8",
	"cuGraphGetRootNodes hGraph:h8 rootNodes:p numRootNodes:ou8",
	"cuGraphHostNodeGetParams hNode:h8 nodeParams:p",
	"cuGraphHostNodeSetParams hNode:h8 nodeParams:p",
	"cuGraphInstantiate phGraphExec:oh8 hGraph:h8 phErrorNode:oh8 logBuffer:p bufferSize:u8",
	"cuGraphInstantiateWithFlags phGraphExec:oh8 hGraph:h8 flags:e42w",
	"cuGraphInstantiateWithParams phGraphExec:oh8 hGraph:h8 instantiateParams:ot18",
	"cuGraphInstantiate_v2 phGraphExec:oh8 hGraph:h8 phErrorNode:oh8 logBuffer:p "
	 "bufferSize:u8",
	"cuGraphKernelNodeCopyAttributes dst:h8 src:h8",
	"cuGraphKernelNodeGetAttribute hNode:h8 attr:e34 value_out:p",
	"cuGraphKernelNodeGetParams hNode:h8 nodeParams:ot24",
	"cuGraphKernelNodeGetParams_v2 hNode:h8 nodeParams:ot15",
	"cuGraphKernelNodeSetAttribute hNode:h8 attr:e34 value:p",
	"cuGraphKernelNodeSetParams hNode:h8 nodeParams:pt24",
	"cuGraphKernelNodeSetParams_v2 hNode:h8 nodeParams:pt15",
	"cuGraphLaunch hGraphExec:h8 hStream:h8",
	"cuGraphMemAllocNodeGetParams hNode:h8 params_out:ot17",
	"cuGraphMemFreeNodeGetParams hNode:h8 dptr_out:oh8",
	"cuGraphMemcpyNodeGetParams hNode:h8 nodeParams:ot1",
	"cuGraphMemcpyNodeSetParams hNode:h8 nodeParams:pt1",
	"cuGraphMemsetNodeGetParams hNode:h8 nodeParams:ot16",
	"cuGraphMemsetNodeSetParams hNode:h8 nodeParams:pt16",
	"cuGraphNodeFindInClone phNode:oh8 hOriginalNode:h8 hClonedGraph:h8",
	"cuGraphNodeGetDependencies hNode:h8 dependencies:p numDependencies:ou8",
	"cuGraphNodeGetDependencies_v2 hNode:h8 dependencies:p edgeData:p numDependencies:ou8",
	"cuGraphNodeGetDependentNodes hNode:h8 dependentNodes:p numDependentNodes:ou8",
	"cuGraphNodeGetDependentNodes_v2 hNode:h8 dependentNodes:p edgeData:p "
	 "numDependentNodes:ou8",
	"cuGraphNodeGetEnabled hGraphExec:h8 hNode:h8 isEnabled:ou4",
	"cuGraphNodeGetType hNode:h8 type:oe41",
	"cuGraphNodeSetEnabled hGraphExec:h8 hNode:h8 isEnabled:u4",
	"cuGraphNodeSetParams hNode:h8 nodeParams:p",
	"cuGraphReleaseUserObject graph:h8 object:h8 count:u4",
	"cuGraphRemoveDependencies hGraph:h8 from:p to:p numDependencies:u8",
	"cuGraphRemoveDependencies_v2 hGraph:h8 from:p to:p edgeData:p numDependencies:u8",
	"cuGraphRetainUserObject graph:h8 object:h8 count:u4 flags:e45",
	"cuGraphUpload hGraphExec:h8 hStream:h8",
	"cuGraphicsEGLRegisterImage pCudaResource:oh8 image:p flags:e68",
	"cuGraphicsGLRegisterBuffer pCudaResource:oh8 buffer:u4 Flags:e68",
	"cuGraphicsGLRegisterImage pCudaResource:oh8 image:u4 target:u4 Flags:e68",
	"cuGraphicsMapResources count:u4 resources:p hStream:h8",
	"cuGraphicsResourceGetMappedEglFrame eglFrame:p resource:h8 index:u4 mipLevel:u4",
	"cuGraphicsResourceGetMappedMipmappedArray pMipmappedArray:oh8 resource:h8",
	"cuGraphicsResourceGetMappedPointer pDevPtr:oh4 pSize:ou4 resource:h8",
	"cuGraphicsResourceGetMappedPointer_v2 pDevPtr:oh8 pSize:ou8 resource:h8",
	"cuGraphicsResourceSetMapFlags resource:h8 flags:e58",
	"cuGraphicsResourceSetMapFlags_v2 resource:h8 flags:e58",
	"cuGraphicsSubResourceGetMappedArray pArray:oh8 resource:h8 arrayIndex:u4 mipLevel:u4",
	"cuGraphicsUnmapResources count:u4 resources:p hStream:h8",
	"cuGraphicsUnregisterResource resource:h8",
	"cuGraphicsVDPAURegisterOutputSurface pCudaResource:oh8 vdpSurface:u4 flags:e68",
	"cuGraphicsVDPAURegisterVideoSurface pCudaResource:oh8 vdpSurface:u4 flags:e68",
	"cuGreenCtxCreate phCtx:oh8 desc:h8 dev:i4 flags:e62",
	"cuGreenCtxDestroy hCtx:h8",
	"cuGreenCtxGetDevResource hCtx:h8 resource:p type:e63",
	"cuGreenCtxGetId greenCtx:h8 greenCtxId:ou8",
	"cuGreenCtxRecordEvent hCtx:h8 hEvent:h8",
	"cuGreenCtxStreamCreate phStream:oh8 greenCtx:h8 flags:e29 priority:i4",
	"cuGreenCtxWaitEvent hCtx:h8 hEvent:h8",
	"cuImportExternalMemory extMem_out:oh8 memHandleDesc:pt10",
	"cuImportExternalSemaphore extSem_out:oh8 semHandleDesc:pt12",
	"cuInit Flags:u4",
	"cuIpcCloseMemHandle dptr:h8",
	"cuIpcGetEventHandle pHandle:p event:h8",
	"cuIpcGetMemHandle pHandle:p dptr:h8",
	"cuIpcOpenEventHandle phEvent:oh8 handle:b64",
	"cuIpcOpenMemHandle pdptr:oh8 handle:b64 Flags:e17",
	"cuIpcOpenMemHandle_v2 pdptr:oh8 handle:b64 Flags:e17",
	"cuKernelGetAttribute pi:oi4 attrib:e14 kernel:h8 dev:i4",
	"cuKernelGetFunction pFunc:oh8 kernel:h8",
	"cuKernelGetLibrary pLib:oh8 kernel:h8",
	"cuKernelGetName name:op hfunc:h8",
	"cuKernelGetParamInfo kernel:h8 paramIndex:u8 paramOffset:ou8 paramSize:ou8",
	"cuKernelSetAttribute attrib:e14 val:i4 kernel:h8 dev:i4",
	"cuKernelSetCacheConfig kernel:h8 config:e8 dev:i4",
	"cuLaunch f:h8",
	"cuLaunchCooperativeKernel f:h8 gridDimX:u4 gridDimY:u4 gridDimZ:u4 blockDimX:u4 "
	 "blockDimY:u4 blockDimZ:u4 sharedMemBytes:u4 hStream:h8 kernelParams:p",
	"cuLaunchCooperativeKernelMultiDevice launchParamsList:ot14 numDevices:u4 flags:u4",
	"cuLaunchGrid f:h8 grid_width:i4 grid_height:i4",
	"cuLaunchGridAsync f:h8 grid_width:i4 grid_height:i4 hStream:h8",
	"cuLaunchHostFunc hStream:h8 fn:F userData:p",
	"cuLaunchKernel f:h8 gridDimX:u4 gridDimY:u4 gridDimZ:u4 blockDimX:u4 blockDimY:u4 "
	 "blockDimZ:u4 sharedMemBytes:u4 hStream:h8 kernelParams:p extra:p",
	"cuLaunchKernelEx config:pt13 f:h8 kernelParams:p extra:p",
	"cuLibraryEnumerateKernels kernels:p numKernels:u4 lib:h8",
	"cuLibraryGetGlobal dptr:oh8 bytes:ou8 library:h8 name:s",
	"cuLibraryGetKernel pKernel:oh8 library:h8 name:s",
	"cuLibraryGetKernelCount count:ou4 lib:h8",
	"cuLibraryGetManaged dptr:oh8 bytes:ou8 library:h8 name:s",
	"cuLibraryGetModule pMod:oh8 library:h8",
	"cuLibraryGetUnifiedFunction fptr:p library:h8 symbol:s",
	"cuLibraryLoadData library:oh8 code:p jitOptions:p jitOptionsValues:p numJitOptions:u4 "
	 "libraryOptions:p libraryOptionValues:p numLibraryOptions:u4",
	"cuLibraryLoadFromFile library:oh8 fileName:s jitOptions:p jitOptionsValues:p "
	 "numJitOptions:u4 libraryOptions:p libraryOptionValues:p numLibraryOptions:u4",
	"cuLibraryUnload library:h8",
	"cuLinkAddData state:h8 type:e12 data:p size:u8 name:s numOptions:u4 options:p "
	 "optionValues:p",
	"cuLinkAddData_v2 state:h8 type:e12 data:p size:u8 name:s numOptions:u4 options:p "
	 "optionValues:p",
	"cuLinkAddFile state:h8 type:e12 path:s numOptions:u4 options:p optionValues:p",
	"cuLinkAddFile_v2 state:h8 type:e12 path:s numOptions:u4 options:p optionValues:p",
	"cuLinkComplete state:h8 cubinOut:p sizeOut:ou8",
	"cuLinkCreate numOptions:u4 options:p optionValues:p stateOut:oh8",
	"cuLinkCreate_v2 numOptions:u4 options:p optionValues:p stateOut:oh8",
	"cuLinkDestroy state:h8",
	"cuLogsCurrent iterator_out:ou4 flags:u4",
	"cuLogsDumpToFile iterator:ou4 pathToFile:s flags:u4",
	"cuLogsDumpToMemory iterator:ou4 buffer:p size:ou8 flags:u4",
	"cuLogsRegisterCallback callbackFunc:F userData:p callback_out:oh8",
	"cuLogsUnregisterCallback callback:h8",
	"cuMemAddressFree ptr:h8 size:u8",
	"cuMemAddressReserve ptr:oh8 size:u8 alignment:u8 addr:h8 flags:u8",
	"cuMemAdvise devPtr:h8 count:u8 advice:e27 device:i4",
	"cuMemAdvise_v2 devPtr:h8 count:u8 advice:e27 location:t7",
	"cuMemAlloc dptr:oh4 bytesize:u4",
	"cuMemAllocAsync dptr:oh8 bytesize:u8 hStream:h8",
	"cuMemAllocFromPoolAsync dptr:oh8 bytesize:u8 pool:h8 hStream:h8",
	"cuMemAllocHost pp:op bytesize:u4",
	"cuMemAllocHost_v2 pp:op bytesize:u8",
	"cuMemAllocManaged dptr:oh8 bytesize:u8 flags:e16",
	"cuMemAllocPitch dptr:oh4 pPitch:ou4 WidthInBytes:u4 Height:u4 ElementSizeBytes:u4",
	"cuMemAllocPitch_v2 dptr:oh8 pPitch:ou8 WidthInBytes:u8 Height:u8 ElementSizeBytes:u4",
	"cuMemAlloc_v2 dptr:oh8 bytesize:u8",
	"cuMemBatchDecompressAsync paramsArray:p count:u8 flags:u4 errorIndex:ou8 stream:h8",
	"cuMemCreate handle:oh8 size:u8 prop:pt5 flags:u8",
	"cuMemDiscardAndPrefetchBatchAsync dptrs:p sizes:p count:u8 prefetchLocs:p "
	 "prefetchLocIdxs:p numPrefetchLocs:u8 flags:u8 hStream:h8",
	"cuMemDiscardBatchAsync dptrs:p sizes:p count:u8 flags:u8 hStream:h8",
	"cuMemExportToShareableHandle shareableHandle:p handle:h8 handleType:e20 flags:u8",
	"cuMemFree dptr:h4",
	"cuMemFreeAsync dptr:h8 hStream:h8",
	"cuMemFreeHost p:p",
	"cuMemFree_v2 dptr:h8",
	"cuMemGetAccess flags:ou8 location:pt7 ptr:h8",
	"cuMemGetAddressRange pbase:oh4 psize:ou4 dptr:h4",
	"cuMemGetAddressRange_v2 pbase:oh8 psize:ou8 dptr:h8",
	"cuMemGetAllocationGranularity granularity:ou8 prop:pt5 option:e21",
	"cuMemGetAllocationPropertiesFromHandle prop:ot5 handle:h8",
	"cuMemGetDefaultMemPool pool_out:oh8 location:ot7 type:e24",
	"cuMemGetHandleForAddressRange handle:p dptr:h8 size:u8 handleType:e19 flags:u8",
	"cuMemGetInfo free:ou4 total:ou4",
	"cuMemGetInfo_v2 free:ou8 total:ou8",
	"cuMemGetMemPool pool:oh8 location:ot7 type:e24",
	"cuMemHostAlloc pp:op bytesize:u8 Flags:e15",
	"cuMemHostGetDevicePointer pdptr:oh4 p:p Flags:u4",
	"cuMemHostGetDevicePointer_v2 pdptr:oh8 p:p Flags:u4",
	"cuMemHostGetFlags pFlags:oe15 p:p",
	"cuMemHostRegister p:p bytesize:u8 Flags:e18",
	"cuMemHostRegister_v2 p:p bytesize:u8 Flags:e18",
	"cuMemHostUnregister p:p",
	"cuMemImportFromShareableHandle handle:oh8 osHandle:p shHandleType:e20",
	"cuMemMap ptr:h8 size:u8 offset:u8 handle:h8 flags:u8",
	"cuMemMapArrayAsync mapInfoList:p count:u4 hStream:h8",
	"cuMemPoolCreate pool:oh8 poolProps:pt8",
	"cuMemPoolDestroy pool:h8",
	"cuMemPoolExportPointer shareData_out:p ptr:h8",
	"cuMemPoolExportToShareableHandle handle_out:p pool:h8 handleType:e20 flags:u8",
	"cuMemPoolGetAccess flags:oe23 memPool:h8 location:ot7",
	"cuMemPoolGetAttribute pool:h8 attr:e22 value:p",
	"cuMemPoolImportFromShareableHandle pool_out:oh8 handle:p handleType:e20 flags:u8",
	"cuMemPoolImportPointer ptr_out:oh8 pool:h8 shareData:p",
	"cuMemPoolSetAccess pool:h8 map:pt6 count:u8",
	"cuMemPoolSetAttribute pool:h8 attr:e22 value:p",
	"cuMemPoolTrimTo pool:h8 minBytesToKeep:u8",
	"cuMemPrefetchAsync devPtr:h8 count:u8 dstDevice:i4 hStream:h8",
	"cuMemPrefetchAsync_v2 devPtr:h8 count:u8 location:t7 flags:u4 hStream:h8",
	"cuMemPrefetchBatchAsync dptrs:p sizes:p count:u8 prefetchLocs:p prefetchLocIdxs:p "
	 "numPrefetchLocs:u8 flags:u8 hStream:h8",
	"cuMemRangeGetAttribute data:p dataSize:u8 attribute:e28 devPtr:h8 count:u8",
	"cuMemRangeGetAttributes data:p dataSizes:p attributes:p numAttributes:u8 devPtr:h8 "
	 "count:u8",
	"cuMemRelease handle:h8",
	"cuMemRetainAllocationHandle handle:oh8 addr:p",
	"cuMemSetAccess ptr:h8 size:u8 desc:pt6 count:u8",
	"cuMemSetMemPool location:ot7 type:e24 pool:h8",
	"cuMemUnmap ptr:h8 size:u8",
	"cuMemcpy dst:h8 src:h8 ByteCount:u8",
	"cuMemcpy2D pCopy:pt20",
	"cuMemcpy2DAsync pCopy:pt20 hStream:h8",
	"cuMemcpy2DAsync_v2 pCopy:pt0 hStream:h8",
	"cuMemcpy2DUnaligned pCopy:pt20",
	"cuMemcpy2DUnaligned_v2 pCopy:pt0",
	"cuMemcpy2D_v2 pCopy:pt0",
	"cuMemcpy3D pCopy:pt21",
	"cuMemcpy3DAsync pCopy:pt21 hStream:h8",
	"cuMemcpy3DAsync_v2 pCopy:pt1 hStream:h8",
	"cuMemcpy3DBatchAsync numOps:u8 opList:p failIdx:ou8 flags:u8 hStream:h8",
	"cuMemcpy3DBatchAsync_v2 numOps:u8 opList:p flags:u8 hStream:h8",
	"cuMemcpy3DPeer pCopy:pt2",
	"cuMemcpy3DPeerAsync pCopy:pt2 hStream:h8",
	"cuMemcpy3D_v2 pCopy:pt1",
	"cuMemcpyAsync dst:h8 src:h8 ByteCount:u8 hStream:h8",
	"cuMemcpyAtoA dstArray:h8 dstOffset:u4 srcArray:h8 srcOffset:u4 ByteCount:u4",
	"cuMemcpyAtoA_v2 dstArray:h8 dstOffset:u8 srcArray:h8 srcOffset:u8 ByteCount:u8",
	"cuMemcpyAtoD dstDevice:h4 srcArray:h8 srcOffset:u4 ByteCount:u4",
	"cuMemcpyAtoD_v2 dstDevice:h8 srcArray:h8 srcOffset:u8 ByteCount:u8",
	"cuMemcpyAtoH dstHost:p srcArray:h8 srcOffset:u4 ByteCount:u4",
	"cuMemcpyAtoHAsync dstHost:p srcArray:h8 srcOffset:u4 ByteCount:u4 hStream:h8",
	"cuMemcpyAtoHAsync_v2 dstHost:p srcArray:h8 srcOffset:u8 ByteCount:u8 hStream:h8",
	"cuMemcpyAtoH_v2 dstHost:p srcArray:h8 srcOffset:u8 ByteCount:u8",
	"cuMemcpyBatchAsync dsts:p srcs:p sizes:p count:u8 attrs:p attrsIdxs:p numAttrs:u8 "
	 "failIdx:ou8 hStream:h8",
	"cuMemcpyBatchAsync_v2 dsts:p srcs:p sizes:p count:u8 attrs:p attrsIdxs:p numAttrs:u8 "
	 "hStream:h8",
	"cuMemcpyDtoA dstArray:h8 dstOffset:u4 srcDevice:h4 ByteCount:u4",
	"cuMemcpyDtoA_v2 dstArray:h8 dstOffset:u8 srcDevice:h8 ByteCount:u8",
	"cuMemcpyDtoD dstDevice:h4 srcDevice:h4 ByteCount:u4",
	"cuMemcpyDtoDAsync dstDevice:h4 srcDevice:h4 ByteCount:u4 hStream:h8",
	"cuMemcpyDtoDAsync_v2 dstDevice:h8 srcDevice:h8 ByteCount:u8 hStream:h8",
	"cuMemcpyDtoD_v2 dstDevice:h8 srcDevice:h8 ByteCount:u8",
	"cuMemcpyDtoH dstHost:p srcDevice:h4 ByteCount:u4",
	"cuMemcpyDtoHAsync dstHost:p srcDevice:h4 ByteCount:u4 hStream:h8",
	"cuMemcpyDtoHAsync_v2 dstHost:p srcDevice:h8 ByteCount:u8 hStream:h8",
	"cuMemcpyDtoH_v2 dstHost:p srcDevice:h8 ByteCount:u8",
	"cuMemcpyHtoA dstArray:h8 dstOffset:u4 srcHost:p ByteCount:u4",
	"cuMemcpyHtoAAsync dstArray:h8 dstOffset:u4 srcHost:p ByteCount:u4 hStream:h8",
	"cuMemcpyHtoAAsync_v2 dstArray:h8 dstOffset:u8 srcHost:p ByteCount:u8 hStream:h8",
	"cuMemcpyHtoA_v2 dstArray:h8 dstOffset:u8 srcHost:p ByteCount:u8",
	"cuMemcpyHtoD dstDevice:h4 srcHost:p ByteCount:u4",
	"cuMemcpyHtoDAsync dstDevice:h4 srcHost:p ByteCount:u4 hStream:h8",
	"cuMemcpyHtoDAsync_v2 dstDevice:h8 srcHost:p ByteCount:u8 hStream:h8",
	"cuMemcpyHtoD_v2 dstDevice:h8 srcHost:p ByteCount:u8",
	"cuMemcpyPeer dstDevice:h8 dstContext:h8 srcDevice:h8 srcContext:h8 ByteCount:u8",
	"cuMemcpyPeerAsync dstDevice:h8 dstContext:h8 srcDevice:h8 srcContext:h8 ByteCount:u8 "
	 "hStream:h8",
	"cuMemsetD16 dstDevice:h4 us:u2 N:u4",
	"cuMemsetD16Async dstDevice:h8 us:u2 N:u8 hStream:h8",
	"cuMemsetD16_v2 dstDevice:h8 us:u2 N:u8",
	"cuMemsetD2D16 dstDevice:h4 dstPitch:u4 us:u2 Width:u4 Height:u4",
	"cuMemsetD2D16Async dstDevice:h8 dstPitch:u8 us:u2 Width:u8 Height:u8 hStream:h8",
	"cuMemsetD2D16_v2 dstDevice:h8 dstPitch:u8 us:u2 Width:u8 Height:u8",
	"cuMemsetD2D32 dstDevice:h4 dstPitch:u4 ui:u4 Width:u4 Height:u4",
	"cuMemsetD2D32Async dstDevice:h8 dstPitch:u8 ui:u4 Width:u8 Height:u8 hStream:h8",
	"cuMemsetD2D32_v2 dstDevice:h8 dstPitch:u8 ui:u4 Width:u8 Height:u8",
	"cuMemsetD2D8 dstDevice:h4 dstPitch:u4 uc:u1 Width:u4 Height:u4",
	"cuMemsetD2D8Async dstDevice:h8 dstPitch:u8 uc:u1 Width:u8 Height:u8 hStream:h8",
	"cuMemsetD2D8_v2 dstDevice:h8 dstPitch:u8 uc:u1 Width:u8 Height:u8",
	"cuMemsetD32 dstDevice:h4 ui:u4 N:u4",
	"cuMemsetD32Async dstDevice:h8 ui:u4 N:u8 hStream:h8",
	"cuMemsetD32_v2 dstDevice:h8 ui:u4 N:u8",
	"cuMemsetD8 dstDevice:h4 uc:u1 N:u4",
	"cuMemsetD8Async dstDevice:h8 uc:u1 N:u8 hStream:h8",
	"cuMemsetD8_v2 dstDevice:h8 uc:u1 N:u8",
	"cuMipmappedArrayCreate pHandle:oh8 pMipmappedArrayDesc:pt4 numMipmapLevels:u4",
	"cuMipmappedArrayDestroy hMipmappedArray:h8",
	"cuMipmappedArrayGetLevel pLevelArray:oh8 hMipmappedArray:h8 level:u4",
	"cuMipmappedArrayGetMemoryRequirements memoryRequirements:p mipmap:h8 device:i4",
	"cuMipmappedArrayGetSparseProperties sparseProperties:p mipmap:h8",
	"cuModuleEnumerateFunctions functions:p numFunctions:u4 mod:h8",
	"cuModuleGetFunction hfunc:oh8 hmod:h8 name:s",
	"cuModuleGetFunctionCount count:ou4 mod:h8",
	"cuModuleGetGlobal dptr:oh4 bytes:ou4 hmod:h8 name:s",
	"cuModuleGetGlobal_v2 dptr:oh8 bytes:ou8 hmod:h8 name:s",
	"cuModuleGetLoadingMode mode:oe11",
	"cuModuleGetSurfRef pSurfRef:oh8 hmod:h8 name:s",
	"cuModuleGetTexRef pTexRef:oh8 hmod:h8 name:s",
	"cuModuleLoad module:oh8 fname:s",
	"cuModuleLoadData module:oh8 image:p",
	"cuModuleLoadDataEx module:oh8 image:p numOptions:u4 options:p optionValues:p",
	"cuModuleLoadFatBinary module:oh8 fatCubin:p",
	"cuModuleUnload hmod:h8",
	"cuMulticastAddDevice mcHandle:h8 dev:i4",
	"cuMulticastBindAddr mcHandle:h8 mcOffset:u8 memptr:h8 size:u8 flags:u8",
	"cuMulticastBindMem mcHandle:h8 mcOffset:u8 memHandle:h8 memOffset:u8 size:u8 flags:u8",
	"cuMulticastCreate mcHandle:oh8 prop:pt9",
	"cuMulticastGetGranularity granularity:ou8 prop:pt9 option:e25",
	"cuMulticastUnbind mcHandle:h8 dev:i4 mcOffset:u8 size:u8",
	"cuOccupancyAvailableDynamicSMemPerBlock dynamicSmemSize:ou8 func:h8 numBlocks:i4 "
	 "blockSize:i4",
	"cuOccupancyMaxActiveBlocksPerMultiprocessor numBlocks:oi4 func:h8 blockSize:i4 "
	 "dynamicSMemSize:u8",
	"cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags numBlocks:oi4 func:h8 "
	 "blockSize:i4 dynamicSMemSize:u8 flags:e46",
	"cuOccupancyMaxActiveClusters numClusters:oi4 func:h8 config:pt13",
	"cuOccupancyMaxPotentialBlockSize minGridSize:oi4 blockSize:oi4 func:h8 "
	 "blockSizeToDynamicSMemSize:F dynamicSMemSize:u8 blockSizeLimit:i4",
	"cuOccupancyMaxPotentialBlockSizeWithFlags minGridSize:oi4 blockSize:oi4 func:h8 "
	 "blockSizeToDynamicSMemSize:F dynamicSMemSize:u8 blockSizeLimit:i4 flags:e46",
	"cuOccupancyMaxPotentialClusterSize clusterSize:oi4 func:h8 config:pt13",
	"cuParamSetSize hfunc:h8 numbytes:u4",
	"cuParamSetTexRef hfunc:h8 texunit:i4 hTexRef:h8",
	"cuParamSetf hfunc:h8 offset:i4 value:f4",
	"cuParamSeti hfunc:h8 offset:i4 value:u4",
	"cuParamSetv hfunc:h8 offset:i4 ptr:p numbytes:u4",
	"cuPointerGetAttribute data:p attribute:e26 ptr:h8",
	"cuPointerGetAttributes numAttributes:u4 attributes:p data:p ptr:h8",
	"cuPointerSetAttribute value:p attribute:e26 ptr:h8",
	"cuProfilerInitialize configFile:s outputFile:s outputMode:e67",
	"cuProfilerStart",
	"cuProfilerStop",
	"cuSignalExternalSemaphoresAsync extSemArray:p paramsArray:p numExtSems:u4 stream:h8",
	"cuStreamAddCallback hStream:h8 callback:F userData:p flags:u4",
	"cuStreamAttachMemAsync hStream:h8 dptr:h8 length:u8 flags:e16",
	"cuStreamBatchMemOp stream:h8 count:u4 paramArray:p flags:u4",
	"cuStreamBatchMemOp_v2 stream:h8 count:u4 paramArray:p flags:u4",
	"cuStreamBeginCapture hStream:h8",
	"cuStreamBeginCaptureToGraph hStream:h8 hGraph:h8 dependencies:p dependencyData:p "
	 "numDependencies:u8 mode:e31",
	"cuStreamBeginCapture_v2 hStream:h8 mode:e31",
	"cuStreamCopyAttributes dst:h8 src:h8",
	"cuStreamCreate phStream:oh8 Flags:e29",
	"cuStreamCreateWithPriority phStream:oh8 flags:e29 priority:i4",
	"cuStreamDestroy hStream:h8",
	"cuStreamDestroy_v2 hStream:h8",
	"cuStreamEndCapture hStream:h8 phGraph:oh8",
	"cuStreamGetAttribute hStream:h8 attr:e34 value_out:p",
	"cuStreamGetCaptureInfo hStream:h8 captureStatus_out:oe32 id_out:ou8",
	"cuStreamGetCaptureInfo_v2 hStream:h8 captureStatus_out:oe32 id_out:ou8 graph_out:oh8 "
	 "dependencies_out:op numDependencies_out:ou8",
	"cuStreamGetCaptureInfo_v3 hStream:h8 captureStatus_out:oe32 id_out:ou8 graph_out:oh8 "
	 "dependencies_out:op edgeData_out:op numDependencies_out:ou8",
	"cuStreamGetCtx hStream:h8 pctx:oh8",
	"cuStreamGetCtx_v2 hStream:h8 pCtx:oh8 pGreenCtx:oh8",
	"cuStreamGetDevice hStream:h8 device:oi4",
	"cuStreamGetFlags hStream:h8 flags:oe29",
	"cuStreamGetGreenCtx hStream:h8 phCtx:oh8",
	"cuStreamGetId hStream:h8 streamId:ou8",
	"cuStreamGetPriority hStream:h8 priority:oi4",
	"cuStreamIsCapturing hStream:h8 captureStatus:oe32",
	"cuStreamQuery hStream:h8",
	"cuStreamSetAttribute hStream:h8 attr:e34 value:p",
	"cuStreamSynchronize hStream:h8",
	"cuStreamUpdateCaptureDependencies hStream:h8 dependencies:p numDependencies:u8 "
	 "flags:e33",
	"cuStreamUpdateCaptureDependencies_v2 hStream:h8 dependencies:p dependencyData:p "
	 "numDependencies:u8 flags:e33",
	"cuStreamWaitEvent hStream:h8 hEvent:h8 Flags:e30",
	"cuStreamWaitValue32 stream:h8 addr:h8 value:u4 flags:e37",
	"cuStreamWaitValue32_v2 stream:h8 addr:h8 value:u4 flags:e37",
	"cuStreamWaitValue64 stream:h8 addr:h8 value:u8 flags:e37",
	"cuStreamWaitValue64_v2 stream:h8 addr:h8 value:u8 flags:e37",
	"cuStreamWriteValue32 stream:h8 addr:h8 value:u4 flags:e38",
	"cuStreamWriteValue32_v2 stream:h8 addr:h8 value:u4 flags:e38",
	"cuStreamWriteValue64 stream:h8 addr:h8 value:u8 flags:e38",
	"cuStreamWriteValue64_v2 stream:h8 addr:h8 value:u8 flags:e38",
	"cuSurfObjectCreate pSurfObject:oh8 pResDesc:pt19",
	"cuSurfObjectDestroy surfObject:h8",
	"cuSurfObjectGetResourceDesc pResDesc:ot19 surfObject:h8",
	"cuSurfRefGetArray phArray:oh8 hSurfRef:h8",
	"cuSurfRefSetArray hSurfRef:h8 hArray:h8 Flags:u4",
	"cuTensorMapEncodeIm2col tensorMap:p tensorDataType:e51 tensorRank:u4 globalAddress:p "
	 "globalDim:p globalStrides:p pixelBoxLowerCorner:p pixelBoxUpperCorner:p "
	 "channelsPerPixel:u4 pixelsPerColumn:u4 elementStrides:p interleave:e52 swizzle:e53 "
	 "l2Promotion:e54 oobFill:e55",
	"cuTensorMapEncodeIm2colWide tensorMap:p tensorDataType:e51 tensorRank:u4 "
	 "globalAddress:p globalDim:p globalStrides:p pixelBoxLowerCornerWidth:i4 "
	 "pixelBoxUpperCornerWidth:i4 channelsPerPixel:u4 pixelsPerColumn:u4 elementStrides:p "
	 "interleave:e52 mode:e56 swizzle:e53 l2Promotion:e54 oobFill:e55",
	"cuTensorMapEncodeTiled tensorMap:p tensorDataType:e51 tensorRank:u4 globalAddress:p "
	 "globalDim:p globalStrides:p boxDim:p elementStrides:p interleave:e52 swizzle:e53 "
	 "l2Promotion:e54 oobFill:e55",
	"cuTensorMapReplaceAddress tensorMap:p globalAddress:p",
	"cuTexObjectCreate pTexObject:oh8 pResDesc:pt19 pTexDesc:p pResViewDesc:p",
	"cuTexObjectDestroy texObject:h8",
	"cuTexObjectGetResourceDesc pResDesc:ot19 texObject:h8",
	"cuTexObjectGetResourceViewDesc pResViewDesc:p texObject:h8",
	"cuTexObjectGetTextureDesc pTexDesc:p texObject:h8",
	"cuTexRefCreate pTexRef:oh8",
	"cuTexRefDestroy hTexRef:h8",
	"cuTexRefGetAddress pdptr:oh4 hTexRef:h8",
	"cuTexRefGetAddressMode pam:oe48 hTexRef:h8 dim:i4",
	"cuTexRefGetAddress_v2 pdptr:oh8 hTexRef:h8",
	"cuTexRefGetArray phArray:oh8 hTexRef:h8",
	"cuTexRefGetBorderColor pBorderColor:of4 hTexRef:h8",
	"cuTexRefGetFilterMode pfm:oe49 hTexRef:h8",
	"cuTexRefGetFlags pFlags:oe50 hTexRef:h8",
	"cuTexRefGetFormat pFormat:oe1 pNumChannels:oi4 hTexRef:h8",
	"cuTexRefGetMaxAnisotropy pmaxAniso:oi4 hTexRef:h8",
	"cuTexRefGetMipmapFilterMode pfm:oe49 hTexRef:h8",
	"cuTexRefGetMipmapLevelBias pbias:of4 hTexRef:h8",
	"cuTexRefGetMipmapLevelClamp pminMipmapLevelClamp:of4 pmaxMipmapLevelClamp:of4 "
	 "hTexRef:h8",
	"cuTexRefGetMipmappedArray phMipmappedArray:oh8 hTexRef:h8",
	"cuTexRefSetAddress ByteOffset:ou4 hTexRef:h8 dptr:h4 bytes:u4",
	"cuTexRefSetAddress2D hTexRef:h8 desc:pt22 dptr:h4 Pitch:u4",
	"cuTexRefSetAddress2D_v2 hTexRef:h8 desc:pt3 dptr:h8 Pitch:u8",
	"cuTexRefSetAddress2D_v3 hTexRef:h8 desc:pt3 dptr:h8 Pitch:u8",
	"cuTexRefSetAddressMode hTexRef:h8 dim:i4 am:e48",
	"cuTexRefSetAddress_v2 ByteOffset:ou8 hTexRef:h8 dptr:h8 bytes:u8",
	"cuTexRefSetArray hTexRef:h8 hArray:h8 Flags:e47",
	"cuTexRefSetBorderColor hTexRef:h8 pBorderColor:of4",
	"cuTexRefSetFilterMode hTexRef:h8 fm:e49",
	"cuTexRefSetFlags hTexRef:h8 Flags:e50",
	"cuTexRefSetFormat hTexRef:h8 fmt:e1 NumPackedComponents:i4",
	"cuTexRefSetMaxAnisotropy hTexRef:h8 maxAniso:u4",
	"cuTexRefSetMipmapFilterMode hTexRef:h8 fm:e49",
	"cuTexRefSetMipmapLevelBias hTexRef:h8 bias:f4",
	"cuTexRefSetMipmapLevelClamp hTexRef:h8 minMipmapLevelClamp:f4 maxMipmapLevelClamp:f4",
	"cuTexRefSetMipmappedArray hTexRef:h8 hMipmappedArray:h8 Flags:e47",
	"cuThreadExchangeStreamCaptureMode mode:oe31",
	"cuUserObjectCreate object_out:oh8 ptr:p destroy:F initialRefcount:u4 flags:e44",
	"cuUserObjectRelease object:h8 count:u4",
	"cuUserObjectRetain object:h8 count:u4",
	"cuVDPAUCtxCreate pCtx:oh8 flags:u4 device:i4 vdpDevice:u4 vdpGetProcAddress:F",
	"cuVDPAUCtxCreate_v2 pCtx:oh8 flags:u4 device:i4 vdpDevice:u4 vdpGetProcAddress:F",
	"cuVDPAUGetDevice pDevice:oi4 vdpDevice:u4 vdpGetProcAddress:F",
	"cuWaitExternalSemaphoresAsync extSemArray:p paramsArray:p numExtSems:u4 stream:h8",
};

static const char *const sig_structs[] = {
	"CUDA_MEMCPY2D 128 WidthInBytes:u8@112 Height:u8@120 srcMemoryType:e70@16 srcHost:p@24 "
	 "srcDevice:h8@32 srcArray:h8@40 dstMemoryType:e70@72 dstHost:p@80 dstDevice:h8@88 "
	 "dstArray:h8@96 srcPitch:u8@48 dstPitch:u8@104 srcXInBytes:u8@0 srcY:u8@8 "
	 "dstXInBytes:u8@56 dstY:u8@64",
	"CUDA_MEMCPY3D 200 WidthInBytes:u8@176 Height:u8@184 Depth:u8@192 srcMemoryType:e70@32 "
	 "srcHost:p@40 srcDevice:h8@48 srcArray:h8@56 dstMemoryType:e70@120 dstHost:p@128 "
	 "dstDevice:h8@136 dstArray:h8@144 srcPitch:u8@72 dstPitch:u8@160 srcXInBytes:u8@0 "
	 "srcY:u8@8 dstXInBytes:u8@88 dstY:u8@96",
	"CUDA_MEMCPY3D_PEER 200 WidthInBytes:u8@176 Height:u8@184 Depth:u8@192 "
	 "srcMemoryType:e70@32 srcHost:p@40 srcDevice:h8@48 srcArray:h8@56 "
	 "dstMemoryType:e70@120 dstHost:p@128 dstDevice:h8@136 dstArray:h8@144 srcPitch:u8@72 "
	 "dstPitch:u8@160 srcXInBytes:u8@0 srcY:u8@8 dstXInBytes:u8@88 dstY:u8@96 "
	 "srcContext:h8@64 dstContext:h8@152",
	"CUDA_ARRAY_DESCRIPTOR 24 Width:u8@0 Height:u8@8 Format:e1@16 NumChannels:u4@20",
	"CUDA_ARRAY3D_DESCRIPTOR 40 Width:u8@0 Height:u8@8 Depth:u8@16 Format:e1@24 "
	 "NumChannels:u4@28 Flags:e71@32",
	"CUmemAllocationProp 32 type:e24@0 requestedHandleTypes:e20@4 location.type:e72@8 "
	 "location.id:i4@12",
	"CUmemAccessDesc 12 location.type:e72@0 location.id:i4@4 flags:e23@8",
	"CUmemLocation 8 type:e72@0 id:i4@4",
	"CUmemPoolProps 88 allocType:e24@0 handleTypes:e20@4 location.type:e72@8 "
	 "location.id:i4@12 maxSize:u8@24",
	"CUmulticastObjectProp 32 numDevices:u4@0 size:u8@8 handleTypes:u8@16 flags:u8@24",
	"CUDA_EXTERNAL_MEMORY_HANDLE_DESC 104 type:e73@0 size:u8@24 flags:u4@32",
	"CUDA_EXTERNAL_MEMORY_BUFFER_DESC 88 offset:u8@0 size:u8@8 flags:u4@16",
	"CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC 96 type:e74@0 flags:u4@24",
	"CUlaunchConfig 56 gridDimX:u4@0 gridDimY:u4@4 gridDimZ:u4@8 blockDimX:u4@12 "
	 "blockDimY:u4@16 blockDimZ:u4@20 sharedMemBytes:u4@24 hStream:h8@32 numAttrs:u4@48",
	"CUDA_LAUNCH_PARAMS 56 function:h8@0 gridDimX:u4@8 gridDimY:u4@12 gridDimZ:u4@16 "
	 "blockDimX:u4@20 blockDimY:u4@24 blockDimZ:u4@28 sharedMemBytes:u4@32 hStream:h8@40",
	"CUDA_KERNEL_NODE_PARAMS 72 func:h8@0 gridDimX:u4@8 gridDimY:u4@12 gridDimZ:u4@16 "
	 "blockDimX:u4@20 blockDimY:u4@24 blockDimZ:u4@28 sharedMemBytes:u4@32 kern:h8@56 "
	 "ctx:h8@64",
	"CUDA_MEMSET_NODE_PARAMS 40 dst:h8@0 pitch:u8@8 value:u4@16 elementSize:u4@20 "
	 "width:u8@24 height:u8@32",
	"CUDA_MEM_ALLOC_NODE_PARAMS 120 poolProps.allocType:e24@0 "
	 "poolProps.location.type:e72@8 poolProps.location.id:i4@12 bytesize:u8@104 dptr:h8@112",
	"CUDA_GRAPH_INSTANTIATE_PARAMS 32 flags:e42w@0 hUploadStream:h8@8 result_out:e75@24",
	"CUDA_RESOURCE_DESC 144 resType:e76@0",
	"CUDA_MEMCPY2D_v1 96 WidthInBytes:u4@84 Height:u4@88 srcMemoryType:e70@8 srcHost:p@16 "
	 "srcDevice:h4@24 srcArray:h8@32 dstMemoryType:e70@52 dstHost:p@56 dstDevice:h4@64 "
	 "dstArray:h8@72 srcPitch:u4@40 dstPitch:u4@80 srcXInBytes:u4@0 srcY:u4@4 "
	 "dstXInBytes:u4@44 dstY:u4@48",
	"CUDA_MEMCPY3D_v1 144 WidthInBytes:u4@128 Height:u4@132 Depth:u4@136 "
	 "srcMemoryType:e70@16 srcHost:p@24 srcDevice:h4@32 srcArray:h8@40 dstMemoryType:e70@80 "
	 "dstHost:p@88 dstDevice:h4@96 dstArray:h8@104 srcPitch:u4@56 dstPitch:u4@120 "
	 "srcXInBytes:u4@0 srcY:u4@4 dstXInBytes:u4@64 dstY:u4@68",
	"CUDA_ARRAY_DESCRIPTOR_v1 16 Width:u4@0 Height:u4@4 Format:e1@8 NumChannels:u4@12",
	"CUDA_ARRAY3D_DESCRIPTOR_v1 24 Width:u4@0 Height:u4@4 Depth:u4@8 Format:e1@12 "
	 "NumChannels:u4@16 Flags:e71@20",
	"CUDA_KERNEL_NODE_PARAMS_v1 56 func:h8@0 gridDimX:u4@8 gridDimY:u4@12 gridDimZ:u4@16 "
	 "blockDimX:u4@20 blockDimY:u4@24 blockDimZ:u4@28 sharedMemBytes:u4@32",
};

static const char *const sig_enums[] = {
	"CUresult CUDA_ 0=SUCCESS ERROR_INVALID_VALUE ERROR_OUT_OF_MEMORY "
	 "ERROR_NOT_INITIALIZED ERROR_DEINITIALIZED ERROR_PROFILER_DISABLED "
	 "ERROR_PROFILER_NOT_INITIALIZED ERROR_PROFILER_ALREADY_STARTED "
	 "ERROR_PROFILER_ALREADY_STOPPED 34=ERROR_STUB_LIBRARY "
	 "36=ERROR_CALL_REQUIRES_NEWER_DRIVER 46=ERROR_DEVICE_UNAVAILABLE 100=ERROR_NO_DEVICE "
	 "ERROR_INVALID_DEVICE ERROR_DEVICE_NOT_LICENSED 200=ERROR_INVALID_IMAGE "
	 "ERROR_INVALID_CONTEXT ERROR_CONTEXT_ALREADY_CURRENT 205=ERROR_MAP_FAILED "
	 "ERROR_UNMAP_FAILED ERROR_ARRAY_IS_MAPPED ERROR_ALREADY_MAPPED ERROR_NO_BINARY_FOR_GPU "
	 "ERROR_ALREADY_ACQUIRED ERROR_NOT_MAPPED ERROR_NOT_MAPPED_AS_ARRAY "
	 "ERROR_NOT_MAPPED_AS_POINTER ERROR_ECC_UNCORRECTABLE ERROR_UNSUPPORTED_LIMIT "
	 "ERROR_CONTEXT_ALREADY_IN_USE ERROR_PEER_ACCESS_UNSUPPORTED ERROR_INVALID_PTX "
	 "ERROR_INVALID_GRAPHICS_CONTEXT ERROR_NVLINK_UNCORRECTABLE "
	 "ERROR_JIT_COMPILER_NOT_FOUND ERROR_UNSUPPORTED_PTX_VERSION "
	 "ERROR_JIT_COMPILATION_DISABLED ERROR_UNSUPPORTED_EXEC_AFFINITY "
	 "ERROR_UNSUPPORTED_DEVSIDE_SYNC ERROR_CONTAINED 300=ERROR_INVALID_SOURCE "
	 "ERROR_FILE_NOT_FOUND ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND "
	 "ERROR_SHARED_OBJECT_INIT_FAILED ERROR_OPERATING_SYSTEM 400=ERROR_INVALID_HANDLE "
	 "ERROR_ILLEGAL_STATE ERROR_LOSSY_QUERY 500=ERROR_NOT_FOUND 600=ERROR_NOT_READY "
	 "700=ERROR_ILLEGAL_ADDRESS ERROR_LAUNCH_OUT_OF_RESOURCES ERROR_LAUNCH_TIMEOUT "
	 "ERROR_LAUNCH_INCOMPATIBLE_TEXTURING ERROR_PEER_ACCESS_ALREADY_ENABLED "
	 "ERROR_PEER_ACCESS_NOT_ENABLED 708=ERROR_PRIMARY_CONTEXT_ACTIVE "
	 "ERROR_CONTEXT_IS_DESTROYED ERROR_ASSERT ERROR_TOO_MANY_PEERS "
	 "ERROR_HOST_MEMORY_ALREADY_REGISTERED ERROR_HOST_MEMORY_NOT_REGISTERED "
	 "ERROR_HARDWARE_STACK_ERROR ERROR_ILLEGAL_INSTRUCTION ERROR_MISALIGNED_ADDRESS "
	 "ERROR_INVALID_ADDRESS_SPACE ERROR_INVALID_PC ERROR_LAUNCH_FAILED "
	 "ERROR_COOPERATIVE_LAUNCH_TOO_LARGE ERROR_TENSOR_MEMORY_LEAK 800=ERROR_NOT_PERMITTED "
	 "ERROR_NOT_SUPPORTED ERROR_SYSTEM_NOT_READY ERROR_SYSTEM_DRIVER_MISMATCH "
	 "ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE ERROR_MPS_CONNECTION_FAILED "
	 "ERROR_MPS_RPC_FAILURE ERROR_MPS_SERVER_NOT_READY ERROR_MPS_MAX_CLIENTS_REACHED "
	 "ERROR_MPS_MAX_CONNECTIONS_REACHED ERROR_MPS_CLIENT_TERMINATED ERROR_CDP_NOT_SUPPORTED "
	 "ERROR_CDP_VERSION_MISMATCH 900=ERROR_STREAM_CAPTURE_UNSUPPORTED "
	 "ERROR_STREAM_CAPTURE_INVALIDATED ERROR_STREAM_CAPTURE_MERGE "
	 "ERROR_STREAM_CAPTURE_UNMATCHED ERROR_STREAM_CAPTURE_UNJOINED "
	 "ERROR_STREAM_CAPTURE_ISOLATION ERROR_STREAM_CAPTURE_IMPLICIT ERROR_CAPTURED_EVENT "
	 "ERROR_STREAM_CAPTURE_WRONG_THREAD ERROR_TIMEOUT ERROR_GRAPH_EXEC_UPDATE_FAILURE "
	 "ERROR_EXTERNAL_DEVICE ERROR_INVALID_CLUSTER_SIZE ERROR_FUNCTION_NOT_LOADED "
	 "ERROR_INVALID_RESOURCE_TYPE ERROR_INVALID_RESOURCE_CONFIGURATION ERROR_KEY_ROTATION "
	 "999=ERROR_UNKNOWN",
	"CUarray_format CU_AD_FORMAT_ 1=UNSIGNED_INT8 UNSIGNED_INT16 UNSIGNED_INT32 "
	 "8=SIGNED_INT8 SIGNED_INT16 SIGNED_INT32 16=HALF 32=FLOAT 80=UNORM_INT_101010_2 "
	 "145=BC1_UNORM BC1_UNORM_SRGB BC2_UNORM BC2_UNORM_SRGB BC3_UNORM BC3_UNORM_SRGB "
	 "BC4_UNORM BC4_SNORM BC5_UNORM BC5_SNORM BC6H_UF16 BC6H_SF16 BC7_UNORM BC7_UNORM_SRGB "
	 "P010 161=P016 NV16 P210 P216 YUY2 Y210 Y216 AYUV Y410 176=NV12 Y416 Y444_PLANAR8 "
	 "Y444_PLANAR10 YUV444_8bit_SemiPlanar YUV444_16bit_SemiPlanar 192=UNORM_INT8X1 "
	 "UNORM_INT8X2 UNORM_INT8X4 UNORM_INT16X1 UNORM_INT16X2 UNORM_INT16X4 SNORM_INT8X1 "
	 "SNORM_INT8X2 SNORM_INT8X4 SNORM_INT16X1 SNORM_INT16X2 SNORM_INT16X4",
	"CUdevice_attribute CU_DEVICE_ATTRIBUTE_ 1=MAX_THREADS_PER_BLOCK MAX_BLOCK_DIM_X "
	 "MAX_BLOCK_DIM_Y MAX_BLOCK_DIM_Z MAX_GRID_DIM_X MAX_GRID_DIM_Y MAX_GRID_DIM_Z "
	 "MAX_SHARED_MEMORY_PER_BLOCK TOTAL_CONSTANT_MEMORY WARP_SIZE MAX_PITCH "
	 "MAX_REGISTERS_PER_BLOCK CLOCK_RATE TEXTURE_ALIGNMENT GPU_OVERLAP MULTIPROCESSOR_COUNT "
	 "KERNEL_EXEC_TIMEOUT INTEGRATED CAN_MAP_HOST_MEMORY COMPUTE_MODE "
	 "MAXIMUM_TEXTURE1D_WIDTH MAXIMUM_TEXTURE2D_WIDTH MAXIMUM_TEXTURE2D_HEIGHT "
	 "MAXIMUM_TEXTURE3D_WIDTH MAXIMUM_TEXTURE3D_HEIGHT MAXIMUM_TEXTURE3D_DEPTH "
	 "MAXIMUM_TEXTURE2D_LAYERED_WIDTH MAXIMUM_TEXTURE2D_LAYERED_HEIGHT "
	 "MAXIMUM_TEXTURE2D_LAYERED_LAYERS SURFACE_ALIGNMENT CONCURRENT_KERNELS ECC_ENABLED "
	 "PCI_BUS_ID PCI_DEVICE_ID TCC_DRIVER MEMORY_CLOCK_RATE GLOBAL_MEMORY_BUS_WIDTH "
	 "L2_CACHE_SIZE MAX_THREADS_PER_MULTIPROCESSOR ASYNC_ENGINE_COUNT UNIFIED_ADDRESSING "
	 "MAXIMUM_TEXTURE1D_LAYERED_WIDTH MAXIMUM_TEXTURE1D_LAYERED_LAYERS CAN_TEX2D_GATHER "
	 "MAXIMUM_TEXTURE2D_GATHER_WIDTH MAXIMUM_TEXTURE2D_GATHER_HEIGHT "
	 "MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE "
	 "MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE PCI_DOMAIN_ID TEXTURE_PITCH_ALIGNMENT "
	 "MAXIMUM_TEXTURECUBEMAP_WIDTH MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH "
	 "MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS MAXIMUM_SURFACE1D_WIDTH MAXIMUM_SURFACE2D_WIDTH "
	 "MAXIMUM_SURFACE2D_HEIGHT MAXIMUM_SURFACE3D_WIDTH MAXIMUM_SURFACE3D_HEIGHT "
	 "MAXIMUM_SURFACE3D_DEPTH MAXIMUM_SURFACE1D_LAYERED_WIDTH "
	 "MAXIMUM_SURFACE1D_LAYERED_LAYERS MAXIMUM_SURFACE2D_LAYERED_WIDTH "
	 "MAXIMUM_SURFACE2D_LAYERED_HEIGHT MAXIMUM_SURFACE2D_LAYERED_LAYERS "
	 "MAXIMUM_SURFACECUBEMAP_WIDTH MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH "
	 "MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS MAXIMUM_TEXTURE1D_LINEAR_WIDTH "
	 "MAXIMUM_TEXTURE2D_LINEAR_WIDTH MAXIMUM_TEXTURE2D_LINEAR_HEIGHT "
	 "MAXIMUM_TEXTURE2D_LINEAR_PITCH MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH "
	 "MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT COMPUTE_CAPABILITY_MAJOR COMPUTE_CAPABILITY_MINOR "
	 "MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH STREAM_PRIORITIES_SUPPORTED "
	 "GLOBAL_L1_CACHE_SUPPORTED LOCAL_L1_CACHE_SUPPORTED "
	 "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR MAX_REGISTERS_PER_MULTIPROCESSOR MANAGED_MEMORY "
	 "MULTI_GPU_BOARD MULTI_GPU_BOARD_GROUP_ID HOST_NATIVE_ATOMIC_SUPPORTED "
	 "SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO PAGEABLE_MEMORY_ACCESS "
	 "CONCURRENT_MANAGED_ACCESS COMPUTE_PREEMPTION_SUPPORTED "
	 "CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM CAN_USE_STREAM_MEM_OPS_V1 "
	 "CAN_USE_64_BIT_STREAM_MEM_OPS_V1 CAN_USE_STREAM_WAIT_VALUE_NOR_V1 COOPERATIVE_LAUNCH "
	 "COOPERATIVE_MULTI_DEVICE_LAUNCH MAX_SHARED_MEMORY_PER_BLOCK_OPTIN "
	 "CAN_FLUSH_REMOTE_WRITES HOST_REGISTER_SUPPORTED "
	 "PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES DIRECT_MANAGED_MEM_ACCESS_FROM_HOST "
	 "VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED "
	 "HANDLE_TYPE_WIN32_HANDLE_SUPPORTED HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED "
	 "MAX_BLOCKS_PER_MULTIPROCESSOR GENERIC_COMPRESSION_SUPPORTED "
	 "MAX_PERSISTING_L2_CACHE_SIZE MAX_ACCESS_POLICY_WINDOW_SIZE "
	 "GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED RESERVED_SHARED_MEMORY_PER_BLOCK "
	 "SPARSE_CUDA_ARRAY_SUPPORTED READ_ONLY_HOST_REGISTER_SUPPORTED "
	 "TIMELINE_SEMAPHORE_INTEROP_SUPPORTED MEMORY_POOLS_SUPPORTED GPU_DIRECT_RDMA_SUPPORTED "
	 "GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS GPU_DIRECT_RDMA_WRITES_ORDERING "
	 "MEMPOOL_SUPPORTED_HANDLE_TYPES CLUSTER_LAUNCH DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED "
	 "CAN_USE_64_BIT_STREAM_MEM_OPS CAN_USE_STREAM_WAIT_VALUE_NOR DMA_BUF_SUPPORTED "
	 "IPC_EVENT_SUPPORTED MEM_SYNC_DOMAIN_COUNT TENSOR_MAP_ACCESS_SUPPORTED "
	 "HANDLE_TYPE_FABRIC_SUPPORTED UNIFIED_FUNCTION_POINTERS NUMA_CONFIG NUMA_ID "
	 "MULTICAST_SUPPORTED MPS_ENABLED HOST_NUMA_ID D3D12_CIG_SUPPORTED "
	 "137=MEM_DECOMPRESS_MAXIMUM_LENGTH VULKAN_CIG_SUPPORTED GPU_PCI_DEVICE_ID "
	 "GPU_PCI_SUBSYSTEM_ID HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED "
	 "HOST_NUMA_MEMORY_POOLS_SUPPORTED HOST_NUMA_MULTINODE_IPC_SUPPORTED "
	 "HOST_MEMORY_POOLS_SUPPORTED HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED "
	 "HOST_ALLOC_DMA_BUF_SUPPORTED ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED",
	"CUexecAffinityType - 0=CU_EXEC_AFFINITY_TYPE_SM_COUNT",
	"CUflushGPUDirectRDMAWritesTarget - "
	 "0=CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX",
	"CUflushGPUDirectRDMAWritesScope CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ 100=OWNER "
	 "200=ALL_DEVICES",
	"|CUctx_flags CU_CTX_ 0=SCHED_AUTO SCHED_SPIN SCHED_YIELD 4=SCHED_BLOCKING_SYNC "
	 "8=MAP_HOST 16=LMEM_RESIZE_TO_MAX 32=COREDUMP_ENABLE 64=USER_COREDUMP_ENABLE "
	 "128=SYNC_MEMOPS",
	"CUlimit CU_LIMIT_ 0=STACK_SIZE PRINTF_FIFO_SIZE MALLOC_HEAP_SIZE "
	 "DEV_RUNTIME_SYNC_DEPTH DEV_RUNTIME_PENDING_LAUNCH_COUNT MAX_L2_FETCH_GRANULARITY "
	 "PERSISTING_L2_CACHE_SIZE SHMEM_SIZE CIG_ENABLED CIG_SHMEM_FALLBACK_ENABLED",
	"CUfunc_cache CU_FUNC_CACHE_PREFER_ 0=NONE SHARED L1 EQUAL",
	"CUsharedconfig CU_SHARED_MEM_CONFIG_ 0=DEFAULT_BANK_SIZE FOUR_BYTE_BANK_SIZE "
	 "EIGHT_BYTE_BANK_SIZE",
	"CUjit_option CU_JIT_ 0=MAX_REGISTERS THREADS_PER_BLOCK WALL_TIME INFO_LOG_BUFFER "
	 "INFO_LOG_BUFFER_SIZE_BYTES ERROR_LOG_BUFFER ERROR_LOG_BUFFER_SIZE_BYTES "
	 "OPTIMIZATION_LEVEL TARGET_FROM_CUCONTEXT TARGET FALLBACK_STRATEGY GENERATE_DEBUG_INFO "
	 "LOG_VERBOSE GENERATE_LINE_INFO CACHE_MODE NEW_SM3X_OPT FAST_COMPILE "
	 "GLOBAL_SYMBOL_NAMES GLOBAL_SYMBOL_ADDRESSES GLOBAL_SYMBOL_COUNT LTO FTZ PREC_DIV "
	 "PREC_SQRT FMA REFERENCED_KERNEL_NAMES REFERENCED_KERNEL_COUNT "
	 "REFERENCED_VARIABLE_NAMES REFERENCED_VARIABLE_COUNT OPTIMIZE_UNUSED_DEVICE_VARIABLES "
	 "POSITION_INDEPENDENT_CODE MIN_CTA_PER_SM MAX_THREADS_PER_BLOCK "
	 "OVERRIDE_DIRECTIVE_VALUES SPLIT_COMPILE",
	"CUmoduleLoadingMode CU_MODULE_ 1=EAGER_LOADING LAZY_LOADING",
	"CUjitInputType CU_JIT_INPUT_ 0=CUBIN PTX FATBINARY OBJECT LIBRARY NVVM",
	"CUlibraryOption CU_LIBRARY_ 0=HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE "
	 "BINARY_IS_PRESERVED",
	"CUfunction_attribute CU_FUNC_ATTRIBUTE_ 0=MAX_THREADS_PER_BLOCK SHARED_SIZE_BYTES "
	 "CONST_SIZE_BYTES LOCAL_SIZE_BYTES NUM_REGS PTX_VERSION BINARY_VERSION CACHE_MODE_CA "
	 "MAX_DYNAMIC_SHARED_SIZE_BYTES PREFERRED_SHARED_MEMORY_CARVEOUT "
	 "CLUSTER_SIZE_MUST_BE_SET REQUIRED_CLUSTER_WIDTH REQUIRED_CLUSTER_HEIGHT "
	 "REQUIRED_CLUSTER_DEPTH NON_PORTABLE_CLUSTER_SIZE_ALLOWED "
	 "CLUSTER_SCHEDULING_POLICY_PREFERENCE",
	"|CU_MEMHOSTALLOC CU_MEMHOSTALLOC_ 1=PORTABLE DEVICEMAP 4=WRITECOMBINED",
	"|CUmemAttach_flags CU_MEM_ATTACH_ 1=GLOBAL HOST 4=SINGLE",
	"|CUipcMem_flags - 1=CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS",
	"|CU_MEMHOSTREGISTER CU_MEMHOSTREGISTER_ 1=PORTABLE DEVICEMAP 4=IOMEMORY 8=READ_ONLY",
	"CUmemRangeHandleType - 1=CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD",
	"|CUmemAllocationHandleType CU_MEM_HANDLE_TYPE_ 0=NONE POSIX_FILE_DESCRIPTOR WIN32 "
	 "4=WIN32_KMT 8=FABRIC",
	"|CUmemAllocationGranularity_flags CU_MEM_ALLOC_GRANULARITY_ 0=MINIMUM RECOMMENDED",
	"CUmemPool_attribute CU_MEMPOOL_ATTR_ 1=REUSE_FOLLOW_EVENT_DEPENDENCIES "
	 "REUSE_ALLOW_OPPORTUNISTIC REUSE_ALLOW_INTERNAL_DEPENDENCIES RELEASE_THRESHOLD "
	 "RESERVED_MEM_CURRENT RESERVED_MEM_HIGH USED_MEM_CURRENT USED_MEM_HIGH",
	"|CUmemAccess_flags CU_MEM_ACCESS_FLAGS_PROT_ 0=NONE READ 3=READWRITE",
	"CUmemAllocationType CU_MEM_ALLOCATION_TYPE_ 0=INVALID PINNED MANAGED",
	"|CUmulticastGranularity_flags CU_MULTICAST_GRANULARITY_ 0=MINIMUM RECOMMENDED",
	"CUpointer_attribute CU_POINTER_ATTRIBUTE_ 1=CONTEXT MEMORY_TYPE DEVICE_POINTER "
	 "HOST_POINTER P2P_TOKENS SYNC_MEMOPS BUFFER_ID IS_MANAGED DEVICE_ORDINAL "
	 "IS_LEGACY_CUDA_IPC_CAPABLE RANGE_START_ADDR RANGE_SIZE MAPPED ALLOWED_HANDLE_TYPES "
	 "IS_GPU_DIRECT_RDMA_CAPABLE ACCESS_FLAGS MEMPOOL_HANDLE MAPPING_SIZE MAPPING_BASE_ADDR "
	 "MEMORY_BLOCK_ID IS_HW_DECOMPRESS_CAPABLE",
	"CUmem_advise CU_MEM_ADVISE_ 1=SET_READ_MOSTLY UNSET_READ_MOSTLY "
	 "SET_PREFERRED_LOCATION UNSET_PREFERRED_LOCATION SET_ACCESSED_BY UNSET_ACCESSED_BY",
	"CUmem_range_attribute CU_MEM_RANGE_ATTRIBUTE_ 1=READ_MOSTLY PREFERRED_LOCATION "
	 "ACCESSED_BY LAST_PREFETCH_LOCATION PREFERRED_LOCATION_TYPE PREFERRED_LOCATION_ID "
	 "LAST_PREFETCH_LOCATION_TYPE LAST_PREFETCH_LOCATION_ID",
	"|CUstream_flags CU_STREAM_ 0=DEFAULT NON_BLOCKING",
	"|CUevent_wait_flags CU_EVENT_WAIT_ 0=DEFAULT EXTERNAL",
	"CUstreamCaptureMode CU_STREAM_CAPTURE_MODE_ 0=GLOBAL THREAD_LOCAL RELAXED",
	"CUstreamCaptureStatus CU_STREAM_CAPTURE_STATUS_ 0=NONE ACTIVE INVALIDATED",
	"|CUstreamUpdateCaptureDependencies_flags CU_STREAM_ 0=ADD_CAPTURE_DEPENDENCIES "
	 "SET_CAPTURE_DEPENDENCIES",
	"CUlaunchAttributeID CU_LAUNCH_ATTRIBUTE_ 0=IGNORE ACCESS_POLICY_WINDOW COOPERATIVE "
	 "SYNCHRONIZATION_POLICY CLUSTER_DIMENSION CLUSTER_SCHEDULING_POLICY_PREFERENCE "
	 "PROGRAMMATIC_STREAM_SERIALIZATION PROGRAMMATIC_EVENT PRIORITY MEM_SYNC_DOMAIN_MAP "
	 "MEM_SYNC_DOMAIN PREFERRED_CLUSTER_DIMENSION LAUNCH_COMPLETION_EVENT "
	 "DEVICE_UPDATABLE_KERNEL_NODE PREFERRED_SHARED_MEMORY_CARVEOUT "
	 "16=NVLINK_UTIL_CENTRIC_SCHEDULING",
	"|CUevent_flags CU_EVENT_ 0=DEFAULT BLOCKING_SYNC DISABLE_TIMING 4=INTERPROCESS",
	"|CUevent_record_flags CU_EVENT_RECORD_ 0=DEFAULT EXTERNAL",
	"|CUstreamWaitValue_flags CU_STREAM_WAIT_VALUE_ 0=GEQ EQ AND NOR 1073741824=FLUSH",
	"|CUstreamWriteValue_flags CU_STREAM_WRITE_VALUE_ 0=DEFAULT NO_MEMORY_BARRIER",
	"CUfunctionLoadingState CU_FUNCTION_LOADING_STATE_ 0=UNLOADED LOADED",
	"CUgraphMem_attribute CU_GRAPH_MEM_ATTR_ 0=USED_MEM_CURRENT USED_MEM_HIGH "
	 "RESERVED_MEM_CURRENT RESERVED_MEM_HIGH",
	"CUgraphNodeType CU_GRAPH_NODE_TYPE_ 0=KERNEL MEMCPY MEMSET HOST GRAPH EMPTY "
	 "WAIT_EVENT EVENT_RECORD EXT_SEMAS_SIGNAL EXT_SEMAS_WAIT MEM_ALLOC MEM_FREE "
	 "BATCH_MEM_OP CONDITIONAL",
	"|CUgraphInstantiate_flags CUDA_GRAPH_INSTANTIATE_FLAG_ 1=AUTO_FREE_ON_LAUNCH UPLOAD "
	 "4=DEVICE_LAUNCH 8=USE_NODE_PRIORITY",
	"|CUgraphDebugDot_flags CU_GRAPH_DEBUG_DOT_FLAGS_ 1=VERBOSE RUNTIME_TYPES "
	 "4=KERNEL_NODE_PARAMS 8=MEMCPY_NODE_PARAMS 16=MEMSET_NODE_PARAMS 32=HOST_NODE_PARAMS "
	 "64=EVENT_NODE_PARAMS 128=EXT_SEMAS_SIGNAL_NODE_PARAMS 256=EXT_SEMAS_WAIT_NODE_PARAMS "
	 "512=KERNEL_NODE_ATTRIBUTES 1024=HANDLES 2048=MEM_ALLOC_NODE_PARAMS "
	 "4096=MEM_FREE_NODE_PARAMS 8192=BATCH_MEM_OP_NODE_PARAMS 16384=EXTRA_TOPO_INFO "
	 "32768=CONDITIONAL_NODE_PARAMS",
	"|CUuserObject_flags - 1=CU_USER_OBJECT_NO_DESTRUCTOR_SYNC",
	"|CUuserObjectRetain_flags - 1=CU_GRAPH_USER_OBJECT_MOVE",
	"|CUoccupancy_flags CU_OCCUPANCY_D 0=EFAULT ISABLE_CACHING_OVERRIDE",
	"|CU_TRSA - 1=CU_TRSA_OVERRIDE_FORMAT",
	"CUaddress_mode CU_TR_ADDRESS_MODE_ 0=WRAP CLAMP MIRROR BORDER",
	"CUfilter_mode CU_TR_FILTER_MODE_ 0=POINT LINEAR",
	"|CU_TRSF CU_TRSF_ 1=READ_AS_INTEGER NORMALIZED_COORDINATES 16=SRGB "
	 "32=DISABLE_TRILINEAR_OPTIMIZATION 64=SEAMLESS_CUBEMAP",
	"CUtensorMapDataType CU_TENSOR_MAP_DATA_TYP 0=E_UINT8 E_UINT16 E_UINT32 E_INT32 "
	 "E_UINT64 E_INT64 E_FLOAT16 E_FLOAT32 E_FLOAT64 E_BFLOAT16 E_FLOAT32_FTZ E_TFLOAT32 "
	 "E_TFLOAT32_FTZ E_16U4_ALIGN8B E_16U4_ALIGN16B E_16U6_ALIGN16B",
	"CUtensorMapInterleave CU_TENSOR_MAP_INTERLEAV 0=E_NONE E_16B E_32B",
	"CUtensorMapSwizzle CU_TENSOR_MAP_SWIZZL 0=E_NONE E_32B E_64B E_128B E_128B_ATOM_32B "
	 "E_128B_ATOM_32B_FLIP_8B E_128B_ATOM_64B",
	"CUtensorMapL2promotion CU_TENSOR_MAP_L2_PROMOTION_ 0=NONE L2_64B L2_128B L2_256B",
	"CUtensorMapFloatOOBfill CU_TENSOR_MAP_FLOAT_OOB_FILL_N 0=ONE AN_REQUEST_ZERO_FMA",
	"CUtensorMapIm2ColWideMode CU_TENSOR_MAP_IM2COL_WIDE_MODE_ 0=W W128",
	"CUdevice_P2PAttribute CU_DEVICE_P2P_ATTRIBUTE_ 1=PERFORMANCE_RANK ACCESS_SUPPORTED "
	 "NATIVE_ATOMIC_SUPPORTED ACCESS_ACCESS_SUPPORTED ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED",
	"|CUgraphicsMapResourceFlags CU_GRAPHICS_MAP_RESOURCE_FLAGS_ 0=NONE READ_ONLY "
	 "WRITE_DISCARD",
	"|CUdriverProcAddress_flags CU_GET_PROC_ADDRESS_ 0=DEFAULT LEGACY_STREAM "
	 "PER_THREAD_DEFAULT_STREAM",
	"CUdriverProcAddressQueryResult CU_GET_PROC_ADDRESS_ 0=SUCCESS SYMBOL_NOT_FOUND "
	 "VERSION_NOT_SUFFICIENT",
	"CUcoredumpSettings CU_COREDUMP_ 1=ENABLE_ON_EXCEPTION TRIGGER_HOST LIGHTWEIGHT "
	 "ENABLE_USER_TRIGGER FILE PIPE GENERATION_FLAGS",
	"|CUgreenCtxCreate_flags - 1=CU_GREEN_CTX_DEFAULT_STREAM",
	"CUdevResourceType CU_DEV_RESOURCE_TYPE_ 0=INVALID SM",
	"|CUdevSmResourceSplit_flags CU_DEV_SM_RESOURCE_SPLIT_ 1=IGNORE_SM_COSCHEDULING "
	 "MAX_POTENTIAL_CLUSTER_SIZE",
	"CUgraphExecUpdateResult CU_GRAPH_EXEC_UPDATE_ 0=SUCCESS ERROR ERROR_TOPOLOGY_CHANGED "
	 "ERROR_NODE_TYPE_CHANGED ERROR_FUNCTION_CHANGED ERROR_PARAMETERS_CHANGED "
	 "ERROR_NOT_SUPPORTED ERROR_UNSUPPORTED_FUNCTION_CHANGE ERROR_ATTRIBUTES_CHANGED",
	"CUprocessState CU_PROCESS_STATE_ 0=RUNNING LOCKED CHECKPOINTED FAILED",
	"CUoutput_mode CU_OUT_ 0=KEY_VALUE_PAIR CSV",
	"|CUgraphicsRegisterFlags CU_GRAPHICS_REGISTER_FLAGS_ 0=NONE READ_ONLY WRITE_DISCARD "
	 "4=SURFACE_LDST 8=TEXTURE_GATHER",
	"CUGLDeviceList CU_GL_DEVICE_LIST_ 1=ALL CURRENT_FRAME NEXT_FRAME",
	"CUmemorytype CU_MEMORYTYPE_ 1=HOST DEVICE ARRAY UNIFIED",
	"|CUDA_ARRAY3D CUDA_ARRAY3D_ 1=LAYERED SURFACE_LDST 4=CUBEMAP 8=TEXTURE_GATHER "
	 "16=DEPTH_TEXTURE 32=COLOR_ATTACHMENT 64=SPARSE 128=DEFERRED_MAPPING "
	 "256=VIDEO_ENCODE_DECODE",
	"CUmemLocationType CU_MEM_LOCATION_TYPE_ 0=INVALID DEVICE HOST HOST_NUMA "
	 "HOST_NUMA_CURRENT",
	"CUexternalMemoryHandleType CU_EXTERNAL_MEMORY_HANDLE_TYPE_ 1=OPAQUE_FD OPAQUE_WIN32 "
	 "OPAQUE_WIN32_KMT D3D12_HEAP D3D12_RESOURCE D3D11_RESOURCE D3D11_RESOURCE_KMT NVSCIBUF "
	 "DMABUF_FD",
	"CUexternalSemaphoreHandleType CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_ 1=OPAQUE_FD "
	 "OPAQUE_WIN32 OPAQUE_WIN32_KMT D3D12_FENCE D3D11_FENCE NVSCISYNC D3D11_KEYED_MUTEX "
	 "D3D11_KEYED_MUTEX_KMT TIMELINE_SEMAPHORE_FD TIMELINE_SEMAPHORE_WIN32",
	"CUgraphInstantiateResult CUDA_GRAPH_INSTANTIATE_ 0=SUCCESS ERROR INVALID_STRUCTURE "
	 "NODE_OPERATION_NOT_SUPPORTED MULTIPLE_CTXS_NOT_SUPPORTED CONDITIONAL_HANDLE_UNUSED",
	"CUresourcetype CU_RESOURCE_TYPE_ 0=ARRAY MIPMAPPED_ARRAY LINEAR PITCH2D",
};
