/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Signatures of the CUDA runtime API as of CUDA 13.0: names, kinds and places of
 * parameters, fields and constants, in the form that model/domain/sig.h explains.
 * Made by scripts/gen-sigs, not by hand; tests/contract/check-sigs compares.
 */
static const char *const sig_fns[] = {
	"__cudaGetKernel kernelPtr:oh8 entryFuncAddr:p",
	"__cudaLaunchKernel kernel:h8 gridDim:t4 blockDim:t4 args:p sharedMem:u8 stream:h8",
	"__cudaRegisterFatBinary fatCubin:p",
	"__cudaRegisterFunction fatCubinHandle:p hostFun:s deviceFun:p deviceName:s "
	 "thread_limit:i4 tid:p bid:p bDim:ot4 gDim:ot4 wSize:oi4",
	"__cudaUnregisterFatBinary fatCubinHandle:p",
	"cudaArrayGetInfo desc:ot0 extent:ot7 flags:oe22 array:h8",
	"cudaArrayGetMemoryRequirements memoryRequirements:p array:h8 device:i4",
	"cudaArrayGetPlane pPlaneArray:oh8 hArray:h8 planeIdx:u4",
	"cudaArrayGetSparseProperties sparseProperties:p array:h8",
	"cudaBindSurfaceToArray surfref:p array:h8 desc:pt0",
	"cudaBindTexture offset:ou8 texref:p devPtr:p desc:pt0 size:u8",
	"cudaBindTexture2D offset:ou8 texref:p devPtr:p desc:pt0 width:u8 height:u8 pitch:u8",
	"cudaBindTextureToArray texref:p array:h8 desc:pt0",
	"cudaBindTextureToMipmappedArray texref:p mipmappedArray:h8 desc:pt0",
	"cudaChooseDevice device:oi4 prop:p",
	"cudaConfigureCall gridDim:t4 blockDim:t4 sharedMem:u8 stream:h8",
	"cudaCreateChannelDesc x:i4 y:i4 z:i4 w:i4 f:e33",
	"cudaCreateSurfaceObject pSurfObject:oh8 pResDesc:pt14",
	"cudaCreateTextureObject pTexObject:oh8 pResDesc:pt14 pTexDesc:p pResViewDesc:p",
	"cudaCreateTextureObject_v2 pTexObject:oh8 pResDesc:pt14 pTexDesc:p pResViewDesc:p",
	"cudaCtxResetPersistingL2Cache",
	"cudaDestroyExternalMemory extMem:h8",
	"cudaDestroyExternalSemaphore extSem:h8",
	"cudaDestroySurfaceObject surfObject:h8",
	"cudaDestroyTextureObject texObject:h8",
	"cudaDeviceCanAccessPeer canAccessPeer:oi4 device:i4 peerDevice:i4",
	"cudaDeviceDisablePeerAccess peerDevice:i4",
	"cudaDeviceEnablePeerAccess peerDevice:i4 flags:u4",
	"cudaDeviceFlushGPUDirectRDMAWrites target:e3 scope:e4",
	"cudaDeviceGetAttribute value:oi4 attr:e7 device:i4",
	"cudaDeviceGetByPCIBusId device:oi4 pciBusId:s",
	"cudaDeviceGetCacheConfig pCacheConfig:oe1",
	"cudaDeviceGetDefaultMemPool memPool:oh8 device:i4",
	"cudaDeviceGetGraphMemAttribute device:i4 attr:e34 value:p",
	"cudaDeviceGetHostAtomicCapabilities capabilities:p operations:p count:u4 device:i4",
	"cudaDeviceGetLimit pValue:ou8 limit:e0",
	"cudaDeviceGetMemPool memPool:oh8 device:i4",
	"cudaDeviceGetNvSciSyncAttributes nvSciSyncAttrList:p device:i4 flags:i4",
	"cudaDeviceGetP2PAtomicCapabilities capabilities:p operations:p count:u4 srcDevice:i4 "
	 "dstDevice:i4",
	"cudaDeviceGetP2PAttribute value:oi4 attr:e8 srcDevice:i4 dstDevice:i4",
	"cudaDeviceGetPCIBusId pciBusId:p len:i4 device:i4",
	"cudaDeviceGetSharedMemConfig pConfig:oe5",
	"cudaDeviceGetStreamPriorityRange leastPriority:oi4 greatestPriority:oi4",
	"cudaDeviceGetTexture1DLinearMaxWidth maxWidthInElements:ou8 fmtDesc:pt0 device:i4",
	"cudaDeviceGraphMemTrim device:i4",
	"cudaDeviceRegisterAsyncNotification device:i4 callbackFunc:F userData:p callback:oh8",
	"cudaDeviceReset",
	"cudaDeviceSetCacheConfig cacheConfig:e1",
	"cudaDeviceSetGraphMemAttribute device:i4 attr:e34 value:p",
	"cudaDeviceSetLimit limit:e0 value:u8",
	"cudaDeviceSetMemPool device:i4 memPool:h8",
	"cudaDeviceSetSharedMemConfig config:e5",
	"cudaDeviceSynchronize",
	"cudaDeviceUnregisterAsyncNotification device:i4 callback:h8",
	"cudaDriverGetVersion driverVersion:oi4",
	"cudaEGLStreamConsumerAcquireFrame conn:oh8 pCudaResource:oh8 pStream:oh8 timeout:u4",
	"cudaEGLStreamConsumerConnect conn:oh8 eglStream:p",
	"cudaEGLStreamConsumerConnectWithFlags conn:oh8 eglStream:p flags:u4",
	"cudaEGLStreamConsumerDisconnect conn:oh8",
	"cudaEGLStreamConsumerReleaseFrame conn:oh8 pCudaResource:h8 pStream:oh8",
	"cudaEGLStreamProducerConnect conn:oh8 eglStream:p width:i4 height:i4",
	"cudaEGLStreamProducerDisconnect conn:oh8",
	"cudaEGLStreamProducerPresentFrame conn:oh8 eglframe:b280 pStream:oh8",
	"cudaEGLStreamProducerReturnFrame conn:oh8 eglframe:p pStream:oh8",
	"cudaEventCreate event:oh8",
	"cudaEventCreateFromEGLSync phEvent:oh8 eglSync:p flags:u4",
	"cudaEventCreateWithFlags event:oh8 flags:e18",
	"cudaEventDestroy event:h8",
	"cudaEventElapsedTime ms:of4 start:h8 end:h8",
	"cudaEventQuery event:h8",
	"cudaEventRecord event:h8 stream:h8",
	"cudaEventRecordWithFlags event:h8 stream:h8 flags:e19",
	"cudaEventSynchronize event:h8",
	"cudaExternalMemoryGetMappedBuffer devPtr:op extMem:h8 bufferDesc:pt2",
	"cudaExternalMemoryGetMappedMipmappedArray mipmap:oh8 extMem:h8 mipmapDesc:p",
	"cudaFree devPtr:p",
	"cudaFreeArray array:h8",
	"cudaFreeAsync devPtr:p hStream:h8",
	"cudaFreeHost ptr:p",
	"cudaFreeMipmappedArray mipmappedArray:h8",
	"cudaFuncGetAttributes attr:p func:p",
	"cudaFuncGetName name:op func:p",
	"cudaFuncGetParamInfo func:p paramIndex:u8 paramOffset:ou8 paramSize:ou8",
	"cudaFuncSetAttribute func:p attr:e20 value:i4",
	"cudaFuncSetCacheConfig func:p cacheConfig:e1",
	"cudaFuncSetSharedMemConfig func:p config:e5",
	"cudaGLGetDevices pCudaDeviceCount:ou4 pCudaDevices:p cudaDeviceCount:u4 deviceList:e44",
	"cudaGLMapBufferObject devPtr:op bufObj:u4",
	"cudaGLMapBufferObjectAsync devPtr:op bufObj:u4 stream:h8",
	"cudaGLRegisterBufferObject bufObj:u4",
	"cudaGLSetBufferObjectMapFlags bufObj:u4 flags:u4",
	"cudaGLSetGLDevice device:i4",
	"cudaGLUnmapBufferObject bufObj:u4",
	"cudaGLUnmapBufferObjectAsync bufObj:u4 stream:h8",
	"cudaGLUnregisterBufferObject bufObj:u4",
	"cudaGetChannelDesc desc:ot0 array:h8",
	"cudaGetDevice device:oi4",
	"cudaGetDeviceCount count:oi4",
	"cudaGetDeviceFlags flags:oe9",
	"cudaGetDeviceProperties prop:p device:i4",
	"cudaGetDriverEntryPoint symbol:s funcPtr:op flags:e40w driverStatus:oe41",
	"cudaGetDriverEntryPointByVersion symbol:s funcPtr:op cudaVersion:u4 flags:e40w "
	 "driverStatus:oe41",
	"cudaGetErrorName error:e6",
	"cudaGetErrorString error:e6",
	"cudaGetExportTable ppExportTable:p pExportTableId:p",
	"cudaGetFuncBySymbol functionPtr:oh8 symbolPtr:p",
	"cudaGetKernel kernelPtr:oh8 entryFuncAddr:p",
	"cudaGetLastError",
	"cudaGetMipmappedArrayLevel levelArray:oh8 mipmappedArray:h8 level:u4",
	"cudaGetSurfaceObjectResourceDesc pResDesc:ot14 surfObject:h8",
	"cudaGetSurfaceReference surfref:op symbol:p",
	"cudaGetSymbolAddress devPtr:op symbol:p",
	"cudaGetSymbolSize size:ou8 symbol:p",
	"cudaGetTextureAlignmentOffset offset:ou8 texref:p",
	"cudaGetTextureObjectResourceDesc pResDesc:ot14 texObject:h8",
	"cudaGetTextureObjectResourceViewDesc pResViewDesc:p texObject:h8",
	"cudaGetTextureObjectTextureDesc pTexDesc:p texObject:h8",
	"cudaGetTextureObjectTextureDesc_v2 pTexDesc:p texObject:h8",
	"cudaGetTextureReference texref:op symbol:p",
	"cudaGraphAddChildGraphNode pGraphNode:oh8 graph:h8 pDependencies:p numDependencies:u8 "
	 "childGraph:h8",
	"cudaGraphAddDependencies graph:h8 from:p to:p",
	"cudaGraphAddEmptyNode pGraphNode:oh8 graph:h8 pDependencies:p numDependencies:u8",
	"cudaGraphAddEventRecordNode pGraphNode:oh8 graph:h8 pDependencies:p "
	 "numDependencies:u8 event:h8",
	"cudaGraphAddEventWaitNode pGraphNode:oh8 graph:h8 pDependencies:p numDependencies:u8 "
	 "event:h8",
	"cudaGraphAddExternalSemaphoresSignalNode pGraphNode:oh8 graph:h8 pDependencies:p "
	 "numDependencies:u8 nodeParams:p",
	"cudaGraphAddExternalSemaphoresWaitNode pGraphNode:oh8 graph:h8 pDependencies:p "
	 "numDependencies:u8 nodeParams:p",
	"cudaGraphAddHostNode pGraphNode:oh8 graph:h8 pDependencies:p numDependencies:u8 "
	 "pNodeParams:p",
	"cudaGraphAddKernelNode pGraphNode:oh8 graph:h8 pDependencies:p numDependencies:u8 "
	 "pNodeParams:pt15",
	"cudaGraphAddMemAllocNode pGraphNode:oh8 graph:h8 pDependencies:p numDependencies:u8 "
	 "nodeParams:ot17",
	"cudaGraphAddMemFreeNode pGraphNode:oh8 graph:h8 pDependencies:p numDependencies:u8 "
	 "dptr:p",
	"cudaGraphAddMemcpyNode pGraphNode:oh8 graph:h8 pDependencies:p numDependencies:u8 "
	 "pCopyParams:pt8",
	"cudaGraphAddMemcpyNode1D pGraphNode:oh8 graph:h8 pDependencies:p numDependencies:u8 "
	 "dst:p src:p count:u8 kind:e25",
	"cudaGraphAddMemcpyNodeFromSymbol pGraphNode:oh8 graph:h8 pDependencies:p "
	 "numDependencies:u8 dst:p symbol:p count:u8 offset:u8 kind:e25",
	"cudaGraphAddMemcpyNodeToSymbol pGraphNode:oh8 graph:h8 pDependencies:p "
	 "numDependencies:u8 symbol:p src:p count:u8 offset:u8 kind:e25",
	"cudaGraphAddMemsetNode pGraphNode:oh8 graph:h8 pDependencies:p numDependencies:u8 "
	 "pMemsetParams:pt16",
	"cudaGraphAddNode pGraphNode:oh8 graph:h8 pDependencies:p",
	"cudaGraphChildGraphNodeGetGraph node:h8 pGraph:oh8",
	"cudaGraphClone pGraphClone:oh8 originalGraph:h8",
	"cudaGraphConditionalHandleCreate pHandle_out:oh8 graph:h8 defaultLaunchValue:u4 "
	 "flags:u4",
	"cudaGraphCreate pGraph:oh8 flags:u4",
	"cudaGraphDebugDotPrint graph:h8 path:s flags:e37",
	"cudaGraphDestroy graph:h8",
	"cudaGraphDestroyNode node:h8",
	"cudaGraphEventRecordNodeGetEvent node:h8 event_out:oh8",
	"cudaGraphEventRecordNodeSetEvent node:h8 event:h8",
	"cudaGraphEventWaitNodeGetEvent node:h8 event_out:oh8",
	"cudaGraphEventWaitNodeSetEvent node:h8 event:h8",
	"cudaGraphExecChildGraphNodeSetParams hGraphExec:h8 node:h8 childGraph:h8",
	"cudaGraphExecDestroy graphExec:h8",
	"cudaGraphExecEventRecordNodeSetEvent hGraphExec:h8 hNode:h8 event:h8",
	"cudaGraphExecEventWaitNodeSetEvent hGraphExec:h8 hNode:h8 event:h8",
	"cudaGraphExecExternalSemaphoresSignalNodeSetParams hGraphExec:h8 hNode:h8 nodeParams:p",
	"cudaGraphExecExternalSemaphoresWaitNodeSetParams hGraphExec:h8 hNode:h8 nodeParams:p",
	"cudaGraphExecGetFlags graphExec:h8 flags:oe36w",
	"cudaGraphExecHostNodeSetParams hGraphExec:h8 node:h8 pNodeParams:p",
	"cudaGraphExecKernelNodeSetParams hGraphExec:h8 node:h8 pNodeParams:pt15",
	"cudaGraphExecMemcpyNodeSetParams hGraphExec:h8 node:h8 pNodeParams:pt8",
	"cudaGraphExecMemcpyNodeSetParams1D hGraphExec:h8 node:h8 dst:p src:p count:u8 kind:e25",
	"cudaGraphExecMemcpyNodeSetParamsFromSymbol hGraphExec:h8 node:h8 dst:p symbol:p "
	 "count:u8 offset:u8 kind:e25",
	"cudaGraphExecMemcpyNodeSetParamsToSymbol hGraphExec:h8 node:h8 symbol:p src:p "
	 "count:u8 offset:u8 kind:e25",
	"cudaGraphExecMemsetNodeSetParams hGraphExec:h8 node:h8 pNodeParams:pt16",
	"cudaGraphExecNodeSetParams graphExec:h8 node:h8 nodeParams:p",
	"cudaGraphExecUpdate hGraphExec:h8 hGraph:h8 resultInfo:p",
	"cudaGraphExternalSemaphoresSignalNodeGetParams hNode:h8 params_out:p",
	"cudaGraphExternalSemaphoresSignalNodeSetParams hNode:h8 nodeParams:p",
	"cudaGraphExternalSemaphoresWaitNodeGetParams hNode:h8 params_out:p",
	"cudaGraphExternalSemaphoresWaitNodeSetParams hNode:h8 nodeParams:p",
	"cudaGraphGetEdges graph:h8 from:p to:p",
	"cudaGraphGetNodes graph:h8 nodes:p numNodes:ou8",
	"cudaGraphGetRootNodes graph:h8 pRootNodes:oh8 pNumRootNodes:ou8",
	"cudaGraphHostNodeGetParams node:h8 pNodeParams:p",
	"cudaGraphHostNodeSetParams node:h8 pNodeParams:p",
	"cudaGraphInstantiate pGraphExec:oh8 graph:h8",
	"cudaGraphInstantiateWithFlags pGraphExec:oh8 graph:h8 flags:e36w",
	"cudaGraphInstantiateWithParams pGraphExec:oh8 graph:h8 instantiateParams:ot18",
	"cudaGraphKernelNodeCopyAttributes hDst:h8 hSrc:h8",
	"cudaGraphKernelNodeGetAttribute hNode:h8 attr:e12 value_out:p",
	"cudaGraphKernelNodeGetParams node:h8 pNodeParams:ot15",
	"cudaGraphKernelNodeSetAttribute hNode:h8 attr:e12 value:p",
	"cudaGraphKernelNodeSetParams node:h8 pNodeParams:pt15",
	"cudaGraphLaunch graphExec:h8 stream:h8",
	"cudaGraphMemAllocNodeGetParams node:h8 params_out:ot17",
	"cudaGraphMemFreeNodeGetParams node:h8 dptr_out:p",
	"cudaGraphMemcpyNodeGetParams node:h8 pNodeParams:ot8",
	"cudaGraphMemcpyNodeSetParams node:h8 pNodeParams:pt8",
	"cudaGraphMemcpyNodeSetParams1D node:h8 dst:p src:p count:u8 kind:e25",
	"cudaGraphMemcpyNodeSetParamsFromSymbol node:h8 dst:p symbol:p count:u8 offset:u8 "
	 "kind:e25",
	"cudaGraphMemcpyNodeSetParamsToSymbol node:h8 symbol:p src:p count:u8 offset:u8 "
	 "kind:e25",
	"cudaGraphMemsetNodeGetParams node:h8 pNodeParams:ot16",
	"cudaGraphMemsetNodeSetParams node:h8 pNodeParams:pt16",
	"cudaGraphNodeFindInClone pNode:oh8 originalNode:h8 clonedGraph:h8",
	"cudaGraphNodeGetDependencies node:h8 pDependencies:oh8",
	"cudaGraphNodeGetDependentNodes node:h8 pDependentNodes:oh8",
	"cudaGraphNodeGetEnabled hGraphExec:h8 hNode:h8 isEnabled:ou4",
	"cudaGraphNodeGetType node:h8 pType:oe35",
	"cudaGraphNodeSetEnabled hGraphExec:h8 hNode:h8 isEnabled:u4",
	"cudaGraphNodeSetParams node:h8 nodeParams:p",
	"cudaGraphReleaseUserObject graph:h8 object:h8 count:u4",
	"cudaGraphRemoveDependencies graph:h8 from:p to:p",
	"cudaGraphRetainUserObject graph:h8 object:h8 count:u4 flags:e39",
	"cudaGraphUpload graphExec:h8 stream:h8",
	"cudaGraphicsEGLRegisterImage pCudaResource:op image:p flags:e45",
	"cudaGraphicsGLRegisterBuffer resource:op buffer:u4 flags:e45",
	"cudaGraphicsGLRegisterImage resource:op image:u4 target:u4 flags:e45",
	"cudaGraphicsMapResources count:i4 resources:p stream:h8",
	"cudaGraphicsResourceGetMappedEglFrame eglFrame:p resource:h8 index:u4 mipLevel:u4",
	"cudaGraphicsResourceGetMappedMipmappedArray mipmappedArray:oh8 resource:h8",
	"cudaGraphicsResourceGetMappedPointer devPtr:op size:ou8 resource:h8",
	"cudaGraphicsResourceSetMapFlags resource:h8 flags:e32",
	"cudaGraphicsSubResourceGetMappedArray array:oh8 resource:h8 arrayIndex:u4 mipLevel:u4",
	"cudaGraphicsUnmapResources count:i4 resources:p stream:h8",
	"cudaGraphicsUnregisterResource resource:h8",
	"cudaGraphicsVDPAURegisterOutputSurface resource:op vdpSurface:u4 flags:e45",
	"cudaGraphicsVDPAURegisterVideoSurface resource:op vdpSurface:u4 flags:e45",
	"cudaHostAlloc pHost:op size:u8 flags:e23",
	"cudaHostGetDevicePointer pDevice:op pHost:p flags:u4",
	"cudaHostGetFlags pFlags:oe23 pHost:p",
	"cudaHostRegister ptr:p size:u8 flags:e24",
	"cudaHostUnregister ptr:p",
	"cudaImportExternalMemory extMem_out:oh8 memHandleDesc:pt1",
	"cudaImportExternalSemaphore extSem_out:oh8 semHandleDesc:pt3",
	"cudaInitDevice device:i4 deviceFlags:e9 flags:e10",
	"cudaIpcCloseMemHandle devPtr:p",
	"cudaIpcGetEventHandle handle:p event:h8",
	"cudaIpcGetMemHandle handle:p devPtr:p",
	"cudaIpcOpenEventHandle event:oh8 handle:b64",
	"cudaIpcOpenMemHandle devPtr:op handle:b64 flags:e2",
	"cudaKernelSetAttributeForDevice kernel:h8 attr:e20 value:i4 device:i4",
	"cudaLaunch func:p",
	"cudaLaunchCooperativeKernel func:p gridDim:t4 blockDim:t4 args:p sharedMem:u8 "
	 "stream:h8",
	"cudaLaunchCooperativeKernelMultiDevice launchParamsList:p numDevices:u4 flags:u4",
	"cudaLaunchHostFunc stream:h8 fn:F userData:p",
	"cudaLaunchKernel func:p gridDim:t4 blockDim:t4 args:p sharedMem:u8 stream:h8",
	"cudaLaunchKernelExC config:pt5 func:p args:p",
	"cudaLibraryEnumerateKernels kernels:p numKernels:u4 lib:h8",
	"cudaLibraryGetGlobal dptr:op bytes:ou8 library:h8 name:s",
	"cudaLibraryGetKernel pKernel:oh8 library:h8 name:s",
	"cudaLibraryGetKernelCount count:ou4 lib:h8",
	"cudaLibraryGetManaged dptr:op bytes:ou8 library:h8 name:s",
	"cudaLibraryGetUnifiedFunction fptr:p library:h8 symbol:s",
	"cudaLibraryLoadData library:oh8 code:p jitOptions:p jitOptionsValues:p "
	 "numJitOptions:u4 libraryOptions:p libraryOptionValues:p numLibraryOptions:u4",
	"cudaLibraryLoadFromFile library:oh8 fileName:s jitOptions:p jitOptionsValues:p "
	 "numJitOptions:u4 libraryOptions:p libraryOptionValues:p numLibraryOptions:u4",
	"cudaLibraryUnload library:h8",
	"cudaLogsCurrent iterator_out:ou4 flags:u4",
	"cudaLogsDumpToFile iterator:ou4 pathToFile:s flags:u4",
	"cudaLogsDumpToMemory iterator:ou4 buffer:p size:ou8 flags:u4",
	"cudaLogsRegisterCallback callbackFunc:F userData:p callback_out:oh8",
	"cudaLogsUnregisterCallback callback:h8",
	"cudaMalloc devPtr:op size:u8",
	"cudaMalloc3D pitchedDevPtr:ot6 extent:t7",
	"cudaMalloc3DArray array:oh8 desc:pt0 extent:t7 flags:e22",
	"cudaMallocArray array:oh8 desc:pt0 width:u8 height:u8 flags:e22",
	"cudaMallocAsync devPtr:op size:u8 hStream:h8",
	"cudaMallocFromPoolAsync ptr:op size:u8 memPool:h8 stream:h8",
	"cudaMallocHost ptr:op size:u8",
	"cudaMallocManaged devPtr:op size:u8 flags:e14",
	"cudaMallocMipmappedArray mipmappedArray:oh8 desc:pt0 extent:t7 numLevels:u4 flags:e22",
	"cudaMallocPitch devPtr:op pitch:ou8 width:u8 height:u8",
	"cudaMemAdvise devPtr:p count:u8 advice:e26",
	"cudaMemDiscardAndPrefetchBatchAsync dptrs:p sizes:p count:u8 prefetchLocs:p "
	 "prefetchLocIdxs:p numPrefetchLocs:u8 flags:u8 stream:h8",
	"cudaMemDiscardBatchAsync dptrs:p sizes:p count:u8 flags:u8 stream:h8",
	"cudaMemGetDefaultMemPool memPool:oh8 location:ot10 type:e30",
	"cudaMemGetInfo free:ou8 total:ou8",
	"cudaMemGetMemPool memPool:oh8 location:ot10 type:e30",
	"cudaMemPoolCreate memPool:oh8 poolProps:pt12",
	"cudaMemPoolDestroy memPool:h8",
	"cudaMemPoolExportPointer exportData:p ptr:p",
	"cudaMemPoolExportToShareableHandle shareableHandle:p memPool:h8 handleType:e31 "
	 "flags:u4",
	"cudaMemPoolGetAccess flags:oe29 memPool:h8 location:ot10",
	"cudaMemPoolGetAttribute memPool:h8 attr:e28 value:p",
	"cudaMemPoolImportFromShareableHandle memPool:oh8 shareableHandle:p handleType:e31 "
	 "flags:u4",
	"cudaMemPoolImportPointer ptr:op memPool:h8 exportData:p",
	"cudaMemPoolSetAccess memPool:h8 descList:pt11 count:u8",
	"cudaMemPoolSetAttribute memPool:h8 attr:e28 value:p",
	"cudaMemPoolTrimTo memPool:h8 minBytesToKeep:u8",
	"cudaMemPrefetchAsync devPtr:p count:u8",
	"cudaMemPrefetchBatchAsync dptrs:p sizes:p count:u8 prefetchLocs:p prefetchLocIdxs:p "
	 "numPrefetchLocs:u8 flags:u8 stream:h8",
	"cudaMemRangeGetAttribute data:p dataSize:u8 attribute:e27 devPtr:p count:u8",
	"cudaMemRangeGetAttributes data:p dataSizes:p attributes:p numAttributes:u8 devPtr:p "
	 "count:u8",
	"cudaMemSetMemPool location:ot10 type:e30 memPool:h8",
	"cudaMemcpy dst:p src:p count:u8 kind:e25",
	"cudaMemcpy2D dst:p dpitch:u8 src:p spitch:u8 width:u8 height:u8 kind:e25",
	"cudaMemcpy2DArrayToArray dst:h8 wOffsetDst:u8 hOffsetDst:u8 src:h8 wOffsetSrc:u8 "
	 "hOffsetSrc:u8 width:u8 height:u8 kind:e25",
	"cudaMemcpy2DAsync dst:p dpitch:u8 src:p spitch:u8 width:u8 height:u8 kind:e25 "
	 "stream:h8",
	"cudaMemcpy2DFromArray dst:p dpitch:u8 src:h8 wOffset:u8 hOffset:u8 width:u8 height:u8 "
	 "kind:e25",
	"cudaMemcpy2DFromArrayAsync dst:p dpitch:u8 src:h8 wOffset:u8 hOffset:u8 width:u8 "
	 "height:u8 kind:e25 stream:h8",
	"cudaMemcpy2DToArray dst:h8 wOffset:u8 hOffset:u8 src:p spitch:u8 width:u8 height:u8 "
	 "kind:e25",
	"cudaMemcpy2DToArrayAsync dst:h8 wOffset:u8 hOffset:u8 src:p spitch:u8 width:u8 "
	 "height:u8 kind:e25 stream:h8",
	"cudaMemcpy3D p:pt8",
	"cudaMemcpy3DAsync p:pt8 stream:h8",
	"cudaMemcpy3DBatchAsync numOps:u8 opList:p",
	"cudaMemcpy3DPeer p:pt9",
	"cudaMemcpy3DPeerAsync p:pt9 stream:h8",
	"cudaMemcpyArrayToArray dst:h8 wOffsetDst:u8 hOffsetDst:u8 src:h8 wOffsetSrc:u8 "
	 "hOffsetSrc:u8 count:u8 kind:e25",
	"cudaMemcpyAsync dst:p src:p count:u8 kind:e25 stream:h8",
	"cudaMemcpyBatchAsync dsts:p srcs:p sizes:p count:u8 attrs:p attrsIdxs:p numAttrs:u8",
	"cudaMemcpyFromArray dst:p src:h8 wOffset:u8 hOffset:u8 count:u8 kind:e25",
	"cudaMemcpyFromArrayAsync dst:p src:h8 wOffset:u8 hOffset:u8 count:u8 kind:e25 "
	 "stream:h8",
	"cudaMemcpyFromSymbol dst:p symbol:p count:u8 offset:u8 kind:e25",
	"cudaMemcpyFromSymbolAsync dst:p symbol:p count:u8 offset:u8 kind:e25 stream:h8",
	"cudaMemcpyPeer dst:p dstDevice:i4 src:p srcDevice:i4 count:u8",
	"cudaMemcpyPeerAsync dst:p dstDevice:i4 src:p srcDevice:i4 count:u8 stream:h8",
	"cudaMemcpyToArray dst:h8 wOffset:u8 hOffset:u8 src:p count:u8 kind:e25",
	"cudaMemcpyToArrayAsync dst:h8 wOffset:u8 hOffset:u8 src:p count:u8 kind:e25 stream:h8",
	"cudaMemcpyToSymbol symbol:p src:p count:u8 offset:u8 kind:e25",
	"cudaMemcpyToSymbolAsync symbol:p src:p count:u8 offset:u8 kind:e25 stream:h8",
	"cudaMemset devPtr:p value:i4 count:u8",
	"cudaMemset2D devPtr:p pitch:u8 value:i4 width:u8 height:u8",
	"cudaMemset2DAsync devPtr:p pitch:u8 value:i4 width:u8 height:u8 stream:h8",
	"cudaMemset3D pitchedDevPtr:t6 value:i4 extent:t7",
	"cudaMemset3DAsync pitchedDevPtr:t6 value:i4 extent:t7 stream:h8",
	"cudaMemsetAsync devPtr:p value:i4 count:u8 stream:h8",
	"cudaMipmappedArrayGetMemoryRequirements memoryRequirements:p mipmap:h8 device:i4",
	"cudaMipmappedArrayGetSparseProperties sparseProperties:p mipmap:h8",
	"cudaOccupancyAvailableDynamicSMemPerBlock dynamicSmemSize:ou8 func:p numBlocks:i4 "
	 "blockSize:i4",
	"cudaOccupancyMaxActiveBlocksPerMultiprocessor numBlocks:oi4 func:p blockSize:i4 "
	 "dynamicSMemSize:u8",
	"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags numBlocks:oi4 func:p "
	 "blockSize:i4 dynamicSMemSize:u8 flags:e21",
	"cudaOccupancyMaxActiveClusters numClusters:oi4 func:p launchConfig:pt5",
	"cudaOccupancyMaxPotentialClusterSize clusterSize:oi4 func:p launchConfig:pt5",
	"cudaPeekAtLastError",
	"cudaPointerGetAttributes attributes:ot13 ptr:p",
	"cudaProfilerInitialize configFile:s outputFile:s cudaOutputMode_t:i4 outputMode:i4",
	"cudaProfilerStart",
	"cudaProfilerStop",
	"cudaRuntimeGetVersion runtimeVersion:oi4",
	"cudaSetDevice device:i4",
	"cudaSetDeviceFlags flags:e9",
	"cudaSetDoubleForDevice d:of8",
	"cudaSetDoubleForHost d:of8",
	"cudaSetValidDevices device_arr:oi4 len:i4",
	"cudaSetupArgument arg:p size:u8 offset:u8",
	"cudaSignalExternalSemaphoresAsync extSemArray:p paramsArray:p numExtSems:u4 stream:h8",
	"cudaStreamAddCallback stream:h8 callback:F userData:p flags:u4",
	"cudaStreamAttachMemAsync stream:h8 devPtr:p length:u8 flags:e14",
	"cudaStreamBeginCapture stream:h8 mode:e15",
	"cudaStreamBeginCaptureToGraph stream:h8 graph:h8 dependencies:p dependencyData:p "
	 "numDependencies:u8 mode:e15",
	"cudaStreamCopyAttributes dst:h8 src:h8",
	"cudaStreamCreate pStream:oh8",
	"cudaStreamCreateWithFlags pStream:oh8 flags:e11",
	"cudaStreamCreateWithPriority pStream:oh8 flags:e11 priority:i4",
	"cudaStreamDestroy stream:h8",
	"cudaStreamEndCapture stream:h8 pGraph:oh8",
	"cudaStreamGetAttribute hStream:h8 attr:e12 value_out:p",
	"cudaStreamGetCaptureInfo stream:h8 captureStatus_out:oe16 id_out:ou8",
	"cudaStreamGetCaptureInfo_v2 stream:h8 captureStatus_out:oe16 id_out:ou8 graph_out:oh8 "
	 "dependencies_out:op numDependencies_out:ou8",
	"cudaStreamGetDevice hStream:h8 device:oi4",
	"cudaStreamGetFlags hStream:h8 flags:oe11",
	"cudaStreamGetId hStream:h8 streamId:ou8",
	"cudaStreamGetPriority hStream:h8 priority:oi4",
	"cudaStreamIsCapturing stream:h8 pCaptureStatus:oe16",
	"cudaStreamQuery stream:h8",
	"cudaStreamSetAttribute hStream:h8 attr:e12 value:p",
	"cudaStreamSetFlags hStream:h8 flags:u4",
	"cudaStreamSynchronize stream:h8",
	"cudaStreamUpdateCaptureDependencies stream:h8 dependencies:p",
	"cudaStreamWaitEvent stream:h8 event:h8 flags:e13",
	"cudaThreadExchangeStreamCaptureMode mode:oe15",
	"cudaThreadGetCacheConfig pCacheConfig:oe1",
	"cudaThreadGetLimit pValue:ou8 limit:e0",
	"cudaThreadSetCacheConfig cacheConfig:e1",
	"cudaThreadSetLimit limit:e0 value:u8",
	"cudaUnbindTexture texref:p",
	"cudaUserObjectCreate object_out:oh8 ptr:p destroy:F initialRefcount:u4 flags:e38",
	"cudaUserObjectRelease object:h8 count:u4",
	"cudaUserObjectRetain object:h8 count:u4",
	"cudaVDPAUGetDevice device:oi4 vdpDevice:u4 vdpGetProcAddress:F",
	"cudaVDPAUSetVDPAUDevice device:i4 vdpDevice:u4 vdpGetProcAddress:F",
	"cudaWaitExternalSemaphoresAsync extSemArray:p paramsArray:p numExtSems:u4 stream:h8",
};

static const char *const sig_structs[] = {
	"cudaChannelFormatDesc 20 x:i4@0 y:i4@4 z:i4@8 w:i4@12 f:e33@16",
	"cudaExternalMemoryHandleDesc 104 type:e46@0 size:u8@24 flags:u4@32",
	"cudaExternalMemoryBufferDesc 88 offset:u8@0 size:u8@8 flags:u4@16",
	"cudaExternalSemaphoreHandleDesc 96 type:e47@0 flags:u4@24",
	"dim3 12 x:u4@0 y:u4@4 z:u4@8",
	"cudaLaunchConfig_t 56 gridDim.x:u4@0 gridDim.y:u4@4 gridDim.z:u4@8 blockDim.x:u4@12 "
	 "blockDim.y:u4@16 blockDim.z:u4@20 dynamicSmemBytes:u8@24 stream:h8@32 numAttrs:u4@48",
	"cudaPitchedPtr 32 ptr:p@0 pitch:u8@8 xsize:u8@16 ysize:u8@24",
	"cudaExtent 24 width:u8@0 height:u8@8 depth:u8@16",
	"cudaMemcpy3DParms 160 extent.width:u8@128 extent.height:u8@136 extent.depth:u8@144 "
	 "srcPtr.ptr:p@32 dstPtr.ptr:p@96 srcArray:h8@0 dstArray:h8@64 kind:e25@152",
	"cudaMemcpy3DPeerParms 168 extent.width:u8@144 extent.height:u8@152 "
	 "extent.depth:u8@160 srcPtr.ptr:p@32 dstPtr.ptr:p@104 srcDevice:i4@64 dstDevice:i4@136 "
	 "srcArray:h8@0 dstArray:h8@72",
	"cudaMemLocation 8 type:e48@0 id:i4@4",
	"cudaMemAccessDesc 12 location.type:e48@0 location.id:i4@4 flags:e29@8",
	"cudaMemPoolProps 88 allocType:e30@0 handleTypes:e31@4 location.type:e48@8 "
	 "location.id:i4@12 maxSize:u8@24",
	"cudaPointerAttributes 88 type:e49@0 device:i4@4 devicePointer:p@8 hostPointer:p@16",
	"cudaResourceDesc 144 resType:e50@0",
	"cudaKernelNodeParams 56 func:p@0 gridDim.x:u4@8 gridDim.y:u4@12 gridDim.z:u4@16 "
	 "blockDim.x:u4@20 blockDim.y:u4@24 blockDim.z:u4@28 sharedMemBytes:u4@32",
	"cudaMemsetParams 40 dst:p@0 pitch:u8@8 value:u4@16 elementSize:u4@20 width:u8@24 "
	 "height:u8@32",
	"cudaMemAllocNodeParams 120 poolProps.allocType:e30@0 poolProps.location.type:e48@8 "
	 "poolProps.location.id:i4@12 bytesize:u8@104 dptr:p@112",
	"cudaGraphInstantiateParams 32 flags:e36w@0 uploadStream:h8@8 result_out:e51@24",
};

static const char *const sig_enums[] = {
	"cudaLimit cudaLimit 0=StackSize PrintfFifoSize MallocHeapSize DevRuntimeSyncDepth "
	 "DevRuntimePendingLaunchCount MaxL2FetchGranularity PersistingL2CacheSize",
	"cudaFuncCache cudaFuncCachePrefer 0=None Shared L1 Equal",
	"|cudaIpcMem - 1=cudaIpcMemLazyEnablePeerAccess",
	"cudaFlushGPUDirectRDMAWritesTarget - 0=cudaFlushGPUDirectRDMAWritesTargetCurrentDevice",
	"cudaFlushGPUDirectRDMAWritesScope cudaFlushGPUDirectRDMAWritesTo 100=Owner "
	 "200=AllDevices",
	"cudaSharedMemConfig cudaSharedMemBankSize 0=Default FourByte EightByte",
	"cudaError_t cuda 0=Success ErrorInvalidValue ErrorMemoryAllocation "
	 "ErrorInitializationError ErrorCudartUnloading ErrorProfilerDisabled "
	 "ErrorProfilerNotInitialized ErrorProfilerAlreadyStarted ErrorProfilerAlreadyStopped "
	 "ErrorInvalidConfiguration 12=ErrorInvalidPitchValue ErrorInvalidSymbol "
	 "16=ErrorInvalidHostPointer ErrorInvalidDevicePointer ErrorInvalidTexture "
	 "ErrorInvalidTextureBinding ErrorInvalidChannelDescriptor ErrorInvalidMemcpyDirection "
	 "ErrorAddressOfConstant ErrorTextureFetchFailed ErrorTextureNotBound "
	 "ErrorSynchronizationError ErrorInvalidFilterSetting ErrorInvalidNormSetting "
	 "ErrorMixedDeviceExecution 31=ErrorNotYetImplemented ErrorMemoryValueTooLarge "
	 "34=ErrorStubLibrary ErrorInsufficientDriver ErrorCallRequiresNewerDriver "
	 "ErrorInvalidSurface 43=ErrorDuplicateVariableName ErrorDuplicateTextureName "
	 "ErrorDuplicateSurfaceName ErrorDevicesUnavailable 49=ErrorIncompatibleDriverContext "
	 "52=ErrorMissingConfiguration ErrorPriorLaunchFailure 65=ErrorLaunchMaxDepthExceeded "
	 "ErrorLaunchFileScopedTex ErrorLaunchFileScopedSurf ErrorSyncDepthExceeded "
	 "ErrorLaunchPendingCountExceeded 98=ErrorInvalidDeviceFunction 100=ErrorNoDevice "
	 "ErrorInvalidDevice ErrorDeviceNotLicensed ErrorSoftwareValidityNotEstablished "
	 "127=ErrorStartupFailure 200=ErrorInvalidKernelImage ErrorDeviceUninitialized "
	 "205=ErrorMapBufferObjectFailed ErrorUnmapBufferObjectFailed ErrorArrayIsMapped "
	 "ErrorAlreadyMapped ErrorNoKernelImageForDevice ErrorAlreadyAcquired ErrorNotMapped "
	 "ErrorNotMappedAsArray ErrorNotMappedAsPointer ErrorECCUncorrectable "
	 "ErrorUnsupportedLimit ErrorDeviceAlreadyInUse ErrorPeerAccessUnsupported "
	 "ErrorInvalidPtx ErrorInvalidGraphicsContext ErrorNvlinkUncorrectable "
	 "ErrorJitCompilerNotFound ErrorUnsupportedPtxVersion ErrorJitCompilationDisabled "
	 "ErrorUnsupportedExecAffinity ErrorUnsupportedDevSideSync ErrorContained "
	 "300=ErrorInvalidSource ErrorFileNotFound ErrorSharedObjectSymbolNotFound "
	 "ErrorSharedObjectInitFailed ErrorOperatingSystem 400=ErrorInvalidResourceHandle "
	 "ErrorIllegalState ErrorLossyQuery 500=ErrorSymbolNotFound 600=ErrorNotReady "
	 "700=ErrorIllegalAddress ErrorLaunchOutOfResources ErrorLaunchTimeout "
	 "ErrorLaunchIncompatibleTexturing ErrorPeerAccessAlreadyEnabled "
	 "ErrorPeerAccessNotEnabled 708=ErrorSetOnActiveProcess ErrorContextIsDestroyed "
	 "ErrorAssert ErrorTooManyPeers ErrorHostMemoryAlreadyRegistered "
	 "ErrorHostMemoryNotRegistered ErrorHardwareStackError ErrorIllegalInstruction "
	 "ErrorMisalignedAddress ErrorInvalidAddressSpace ErrorInvalidPc ErrorLaunchFailure "
	 "ErrorCooperativeLaunchTooLarge ErrorTensorMemoryLeak 800=ErrorNotPermitted "
	 "ErrorNotSupported ErrorSystemNotReady ErrorSystemDriverMismatch "
	 "ErrorCompatNotSupportedOnDevice ErrorMpsConnectionFailed ErrorMpsRpcFailure "
	 "ErrorMpsServerNotReady ErrorMpsMaxClientsReached ErrorMpsMaxConnectionsReached "
	 "ErrorMpsClientTerminated ErrorCdpNotSupported ErrorCdpVersionMismatch "
	 "900=ErrorStreamCaptureUnsupported ErrorStreamCaptureInvalidated "
	 "ErrorStreamCaptureMerge ErrorStreamCaptureUnmatched ErrorStreamCaptureUnjoined "
	 "ErrorStreamCaptureIsolation ErrorStreamCaptureImplicit ErrorCapturedEvent "
	 "ErrorStreamCaptureWrongThread ErrorTimeout ErrorGraphExecUpdateFailure "
	 "ErrorExternalDevice ErrorInvalidClusterSize ErrorFunctionNotLoaded "
	 "ErrorInvalidResourceType ErrorInvalidResourceConfiguration 999=ErrorUnknown "
	 "10000=ErrorApiFailureBase",
	"cudaDeviceAttr cudaDevAttr 1=MaxThreadsPerBlock MaxBlockDimX MaxBlockDimY "
	 "MaxBlockDimZ MaxGridDimX MaxGridDimY MaxGridDimZ MaxSharedMemoryPerBlock "
	 "TotalConstantMemory WarpSize MaxPitch MaxRegistersPerBlock ClockRate TextureAlignment "
	 "GpuOverlap MultiProcessorCount KernelExecTimeout Integrated CanMapHostMemory "
	 "ComputeMode MaxTexture1DWidth MaxTexture2DWidth MaxTexture2DHeight MaxTexture3DWidth "
	 "MaxTexture3DHeight MaxTexture3DDepth MaxTexture2DLayeredWidth "
	 "MaxTexture2DLayeredHeight MaxTexture2DLayeredLayers SurfaceAlignment "
	 "ConcurrentKernels EccEnabled PciBusId PciDeviceId TccDriver MemoryClockRate "
	 "GlobalMemoryBusWidth L2CacheSize MaxThreadsPerMultiProcessor AsyncEngineCount "
	 "UnifiedAddressing MaxTexture1DLayeredWidth MaxTexture1DLayeredLayers "
	 "45=MaxTexture2DGatherWidth MaxTexture2DGatherHeight MaxTexture3DWidthAlt "
	 "MaxTexture3DHeightAlt MaxTexture3DDepthAlt PciDomainId TexturePitchAlignment "
	 "MaxTextureCubemapWidth MaxTextureCubemapLayeredWidth MaxTextureCubemapLayeredLayers "
	 "MaxSurface1DWidth MaxSurface2DWidth MaxSurface2DHeight MaxSurface3DWidth "
	 "MaxSurface3DHeight MaxSurface3DDepth MaxSurface1DLayeredWidth "
	 "MaxSurface1DLayeredLayers MaxSurface2DLayeredWidth MaxSurface2DLayeredHeight "
	 "MaxSurface2DLayeredLayers MaxSurfaceCubemapWidth MaxSurfaceCubemapLayeredWidth "
	 "MaxSurfaceCubemapLayeredLayers MaxTexture1DLinearWidth MaxTexture2DLinearWidth "
	 "MaxTexture2DLinearHeight MaxTexture2DLinearPitch MaxTexture2DMipmappedWidth "
	 "MaxTexture2DMipmappedHeight ComputeCapabilityMajor ComputeCapabilityMinor "
	 "MaxTexture1DMipmappedWidth StreamPrioritiesSupported GlobalL1CacheSupported "
	 "LocalL1CacheSupported MaxSharedMemoryPerMultiprocessor MaxRegistersPerMultiprocessor "
	 "ManagedMemory IsMultiGpuBoard MultiGpuBoardGroupID HostNativeAtomicSupported "
	 "SingleToDoublePrecisionPerfRatio PageableMemoryAccess ConcurrentManagedAccess "
	 "ComputePreemptionSupported CanUseHostPointerForRegisteredMem Reserved92 Reserved93 "
	 "Reserved94 CooperativeLaunch Reserved96 MaxSharedMemoryPerBlockOptin "
	 "CanFlushRemoteWrites HostRegisterSupported PageableMemoryAccessUsesHostPageTables "
	 "DirectManagedMemAccessFromHost 106=MaxBlocksPerMultiprocessor "
	 "108=MaxPersistingL2CacheSize MaxAccessPolicyWindowSize "
	 "111=ReservedSharedMemoryPerBlock SparseCudaArraySupported "
	 "HostRegisterReadOnlySupported TimelineSemaphoreInteropSupported MemoryPoolsSupported "
	 "GPUDirectRDMASupported GPUDirectRDMAFlushWritesOptions GPUDirectRDMAWritesOrdering "
	 "MemoryPoolSupportedHandleTypes ClusterLaunch DeferredMappingCudaArraySupported "
	 "Reserved122 Reserved123 Reserved124 IpcEventSupport MemSyncDomainCount Reserved127 "
	 "Reserved128 Reserved129 NumaConfig NumaId Reserved132 MpsEnabled HostNumaId "
	 "D3D12CigSupported 138=VulkanCigSupported GpuPciDeviceId GpuPciSubsystemId Reserved141 "
	 "HostNumaMemoryPoolsSupported HostNumaMultinodeIpcSupported HostMemoryPoolsSupported "
	 "Reserved145 147=OnlyPartialHostNativeAtomicSupported",
	"cudaDeviceP2PAttr cudaDevP2PAttr 1=PerformanceRank AccessSupported "
	 "NativeAtomicSupported CudaArrayAccessSupported OnlyPartialNativeAtomicSupported",
	"|cudaDevice cudaDevice 0=ScheduleAuto ScheduleSpin ScheduleYield "
	 "4=ScheduleBlockingSync 8=MapHost 16=LmemResizeToMax 128=SyncMemops",
	"|cudaInitDevice - 1=cudaInitDeviceFlagsAreValid",
	"|cudaStream cudaStream 0=Default NonBlocking",
	"cudaLaunchAttributeID cudaLaunchAttribute 0=Ignore AccessPolicyWindow Cooperative "
	 "SynchronizationPolicy ClusterDimension ClusterSchedulingPolicyPreference "
	 "ProgrammaticStreamSerialization ProgrammaticEvent Priority MemSyncDomainMap "
	 "MemSyncDomain PreferredClusterDimension LaunchCompletionEvent "
	 "DeviceUpdatableKernelNode PreferredSharedMemoryCarveout 16=NvlinkUtilCentricScheduling",
	"|cudaEventWait cudaEventWait 0=Default External",
	"|cudaMemAttach cudaMemAttach 1=Global Host 4=Single",
	"cudaStreamCaptureMode cudaStreamCaptureMode 0=Global ThreadLocal Relaxed",
	"cudaStreamCaptureStatus cudaStreamCaptureStatus 0=None Active Invalidated",
	"|cudaStreamUpdateCaptureDependenciesFlags cudaStream 0=AddCaptureDependencies "
	 "SetCaptureDependencies",
	"|cudaEvent cudaEvent 0=Default BlockingSync DisableTiming 4=Interprocess",
	"|cudaEventRecord cudaEventRecord 0=Default External",
	"cudaFuncAttribute cudaFuncAttribute 8=MaxDynamicSharedMemorySize "
	 "PreferredSharedMemoryCarveout ClusterDimMustBeSet RequiredClusterWidth "
	 "RequiredClusterHeight RequiredClusterDepth NonPortableClusterSizeAllowed "
	 "ClusterSchedulingPolicyPreference",
	"|cudaOccupancy cudaOccupancy 0=Default DisableCachingOverride",
	"|cudaArray cudaArray 0=Default Layered SurfaceLoadStore 4=Cubemap 8=TextureGather "
	 "32=ColorAttachment 64=Sparse 128=DeferredMapping",
	"|cudaHostAlloc cudaHostAlloc 0=Default Portable Mapped 4=WriteCombined",
	"|cudaHostRegister cudaHostRegister 0=Default Portable Mapped 4=IoMemory 8=ReadOnly",
	"cudaMemcpyKind cudaMemcpy 0=HostToHost HostToDevice DeviceToHost DeviceToDevice "
	 "Default",
	"cudaMemoryAdvise cudaMemAdvise 1=SetReadMostly UnsetReadMostly SetPreferredLocation "
	 "UnsetPreferredLocation SetAccessedBy UnsetAccessedBy",
	"cudaMemRangeAttribute cudaMemRangeAttribute 1=ReadMostly PreferredLocation AccessedBy "
	 "LastPrefetchLocation PreferredLocationType PreferredLocationId "
	 "LastPrefetchLocationType LastPrefetchLocationId",
	"cudaMemPoolAttr cudaMemPool 1=ReuseFollowEventDependencies ReuseAllowOpportunistic "
	 "ReuseAllowInternalDependencies AttrReleaseThreshold AttrReservedMemCurrent "
	 "AttrReservedMemHigh AttrUsedMemCurrent AttrUsedMemHigh",
	"|cudaMemAccessFlags cudaMemAccessFlagsProt 0=None Read 3=ReadWrite",
	"cudaMemAllocationType cudaMemAllocationType 0=Invalid Pinned Managed",
	"|cudaMemAllocationHandleType cudaMemHandleType 0=None PosixFileDescriptor Win32 "
	 "4=Win32Kmt 8=Fabric",
	"|cudaGraphicsMapFlags cudaGraphicsMapFlags 0=None ReadOnly WriteDiscard",
	"cudaChannelFormatKind cudaChannelFormatKind 0=Signed Unsigned Float None NV12 "
	 "UnsignedNormalized8X1 UnsignedNormalized8X2 UnsignedNormalized8X4 "
	 "UnsignedNormalized16X1 UnsignedNormalized16X2 UnsignedNormalized16X4 "
	 "SignedNormalized8X1 SignedNormalized8X2 SignedNormalized8X4 SignedNormalized16X1 "
	 "SignedNormalized16X2 SignedNormalized16X4 UnsignedBlockCompressed1 "
	 "UnsignedBlockCompressed1SRGB UnsignedBlockCompressed2 UnsignedBlockCompressed2SRGB "
	 "UnsignedBlockCompressed3 UnsignedBlockCompressed3SRGB UnsignedBlockCompressed4 "
	 "SignedBlockCompressed4 UnsignedBlockCompressed5 SignedBlockCompressed5 "
	 "UnsignedBlockCompressed6H SignedBlockCompressed6H UnsignedBlockCompressed7 "
	 "UnsignedBlockCompressed7SRGB UnsignedNormalized1010102",
	"cudaGraphMemAttributeType cudaGraphMemAttr 0=UsedMemCurrent UsedMemHigh "
	 "ReservedMemCurrent ReservedMemHigh",
	"cudaGraphNodeType cudaGraphNodeType 0=Kernel Memcpy Memset Host Graph Empty WaitEvent "
	 "EventRecord ExtSemaphoreSignal ExtSemaphoreWait MemAlloc MemFree 13=Conditional",
	"|cudaGraphInstantiateFlags cudaGraphInstantiateFlag 1=AutoFreeOnLaunch Upload "
	 "4=DeviceLaunch 8=UseNodePriority",
	"|cudaGraphDebugDotFlags cudaGraphDebugDotFlags 1=Verbose 4=KernelNodeParams "
	 "8=MemcpyNodeParams 16=MemsetNodeParams 32=HostNodeParams 64=EventNodeParams "
	 "128=ExtSemasSignalNodeParams 256=ExtSemasWaitNodeParams 512=KernelNodeAttributes "
	 "1024=Handles 32768=ConditionalNodeParams",
	"|cudaUserObjectFlags - 1=cudaUserObjectNoDestructorSync",
	"|cudaUserObjectRetainFlags - 1=cudaGraphUserObjectMove",
	"|cudaGetDriverEntryPointFlags cudaEnable 0=Default LegacyStream PerThreadDefaultStream",
	"cudaDriverEntryPointQueryResult cudaDriverEntryPoint 0=Success SymbolNotFound "
	 "VersionNotSufficent",
	"cudaJitOption cudaJit 0=MaxRegisters ThreadsPerBlock WallTime InfoLogBuffer "
	 "InfoLogBufferSizeBytes ErrorLogBuffer ErrorLogBufferSizeBytes OptimizationLevel "
	 "10=FallbackStrategy GenerateDebugInfo LogVerbose GenerateLineInfo CacheMode "
	 "30=PositionIndependentCode MinCtaPerSm MaxThreadsPerBlock OverrideDirectiveValues",
	"cudaLibraryOption cudaLibrary 0=HostUniversalFunctionAndDataTable BinaryIsPreserved",
	"cudaGLDeviceList cudaGLDeviceList 1=All CurrentFrame NextFrame",
	"|cudaGraphicsRegisterFlags cudaGraphicsRegisterFlags 0=None ReadOnly WriteDiscard "
	 "4=SurfaceLoadStore 8=TextureGather",
	"cudaExternalMemoryHandleType cudaExternalMemoryHandleType 1=OpaqueFd OpaqueWin32 "
	 "OpaqueWin32Kmt D3D12Heap D3D12Resource D3D11Resource D3D11ResourceKmt NvSciBuf",
	"cudaExternalSemaphoreHandleType cudaExternalSemaphoreHandleType 1=OpaqueFd "
	 "OpaqueWin32 OpaqueWin32Kmt D3D12Fence D3D11Fence NvSciSync KeyedMutex KeyedMutexKmt "
	 "TimelineSemaphoreFd TimelineSemaphoreWin32",
	"cudaMemLocationType cudaMemLocationType 0=Invalid Device Host HostNuma HostNumaCurrent",
	"cudaMemoryType cudaMemoryType 0=Unregistered Host Device Managed",
	"cudaResourceType cudaResourceType 0=Array MipmappedArray Linear Pitch2D",
	"cudaGraphInstantiateResult cudaGraphInstantiate 0=Success Error InvalidStructure "
	 "NodeOperationNotSupported MultipleDevicesNotSupported ConditionalHandleUnused",
};
