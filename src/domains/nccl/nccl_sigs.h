/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Signatures of the NCCL API as of NCCL 2.28.9: names, kinds and places of
 * parameters, fields and constants, in the form that model/domain/sig.h explains.
 * Made by scripts/gen-sigs, not by hand; tests/contract/check-sigs compares.
 */
static const char *const sig_fns[] = {
	"ncclAllGather sendbuff:p recvbuff:p sendcount:u8 datatype:e4 comm:h8 stream:h8",
	"ncclAllReduce sendbuff:p recvbuff:p count:u8 datatype:e4 op:e3 comm:h8 stream:h8",
	"ncclAlltoAll sendbuff:p recvbuff:p count:u8 datatype:e4 comm:h8 stream:h8",
	"ncclBcast buff:p count:u8 datatype:e4 root:i4 comm:h8 stream:h8",
	"ncclBroadcast sendbuff:p recvbuff:p count:u8 datatype:e4 root:i4 comm:h8 stream:h8",
	"ncclCommAbort comm:h8",
	"ncclCommCount comm:h8 count:oi4",
	"ncclCommCuDevice comm:h8 device:oi4",
	"ncclCommDeregister comm:h8 handle:p",
	"ncclCommDestroy comm:h8",
	"ncclCommFinalize comm:h8",
	"ncclCommGetAsyncError comm:h8 asyncError:oe1",
	"ncclCommInitAll comm:oh8 ndev:i4 devlist:p",
	"ncclCommInitRank comm:oh8 nranks:i4 commId:b128 rank:i4",
	"ncclCommInitRankConfig comm:oh8 nranks:i4 commId:b128 rank:i4 config:pt0",
	"ncclCommInitRankScalable newcomm:oh8 nranks:i4 myrank:i4 nId:i4 commIds:p config:pt0",
	"ncclCommRegister comm:h8 buff:p size:u8 handle:op",
	"ncclCommRevoke comm:h8 revokeFlags:i4",
	"ncclCommShrink comm:h8 excludeRanksList:p excludeRanksCount:i4 newcomm:oh8 config:pt0 "
	 "shrinkFlags:e0",
	"ncclCommSplit comm:h8 color:i4 key:i4 newcomm:oh8 config:pt0",
	"ncclCommUserRank comm:h8 rank:oi4",
	"ncclCommWindowDeregister comm:h8 win:h8",
	"ncclCommWindowRegister comm:h8 buff:p size:u8 win:oh8 winFlags:e2",
	"ncclGather sendbuff:p recvbuff:p count:u8 datatype:e4 root:i4 comm:h8 stream:h8",
	"ncclGetErrorString result:e1",
	"ncclGetLastError comm:h8",
	"ncclGetUniqueId uniqueId:p",
	"ncclGetVersion version:oi4",
	"ncclGroupEnd",
	"ncclGroupSimulateEnd simInfo:p",
	"ncclGroupStart",
	"ncclMemAlloc ptr:op size:u8",
	"ncclMemFree ptr:p",
	"ncclRecv recvbuff:p count:u8 datatype:e4 peer:i4 comm:h8 stream:h8",
	"ncclRedOpCreatePreMulSum op:oe3 scalar:p datatype:e4 residence:e5 comm:h8",
	"ncclRedOpDestroy op:e3 comm:h8",
	"ncclReduce sendbuff:p recvbuff:p count:u8 datatype:e4 op:e3 root:i4 comm:h8 stream:h8",
	"ncclReduceScatter sendbuff:p recvbuff:p recvcount:u8 datatype:e4 op:e3 comm:h8 "
	 "stream:h8",
	"ncclResetDebugInit",
	"ncclScatter sendbuff:p recvbuff:p count:u8 datatype:e4 root:i4 comm:h8 stream:h8",
	"ncclSend sendbuff:p count:u8 datatype:e4 peer:i4 comm:h8 stream:h8",
};

static const char *const sig_structs[] = {
	"ncclConfig_t 80 blocking:i4@16 cgaClusterSize:i4@20 minCTAs:i4@24 maxCTAs:i4@28 "
	 "netName:p@32 splitShare:i4@40",
};

static const char *const sig_enums[] = {
	"|NCCL_SHRINK NCCL_SHRINK_ 0=DEFAULT ABORT",
	"ncclResult_t nccl 0=Success UnhandledCudaError SystemError InternalError "
	 "InvalidArgument InvalidUsage RemoteError InProgress",
	"|NCCL_WIN NCCL_WIN_ 0=DEFAULT COLL_SYMMETRIC",
	"ncclRedOp_t nccl 0=Sum Prod Max Min Avg",
	"ncclDataType_t nccl 0=Int8 Uint8 Int32 Uint32 Int64 Uint64 Float16 Float32 Float64 "
	 "Bfloat16 Float8e4m3 Float8e5m2",
	"ncclScalarResidence_t ncclScalar 0=Device HostImmediate",
};
