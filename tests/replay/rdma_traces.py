#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Traces of RDMA methods as lines of JSON (docs/format.md), for the tests:
rdma_traces.py NAME [TIMES] [KEY=VALUE...]. The trees are those that soft RoCE and
mlx5 show on Linux 6.1; results stand behind the functions."""
import json
import sys

E = {"ENOENT": 2, "EIO": 5, "ENOMEM": 12, "EFAULT": 14, "EINVAL": 22, "ENOSPC": 28, "ENODATA": 61,
     "EOPNOTSUPP": 95, "ETIMEDOUT": 110, "EREMOTEIO": 121, "EPERM": 1, "EBADF": 9}
TEXT = {"ENOENT": "No such file or directory", "EIO": "Input/output error", "ENOMEM": "Cannot allocate memory",
        "EFAULT": "Bad address", "EINVAL": "Invalid argument", "ENOSPC": "No space left on device",
        "ENODATA": "No data available", "EPERM": "Operation not permitted", "EREMOTEIO": "Remote I/O error",
        "EOPNOTSUPP": "Operation not supported", "ETIMEDOUT": "Connection timed out", "EBADF": "Bad file descriptor"}
CORE = {"rdma_get_gid_attr", "rdma_fill_sgid_attr", "rdma_lag_get_ah_roce_slave", "_ib_modify_qp",
        "ib_modify_qp_with_udata", "ib_modify_qp_is_ok", "ib_umem_get", "__ib_umem_get_va", "ib_umem_dmabuf_get",
        "ib_umem_dmabuf_map_pages", "ib_resolve_eth_dmac.isra.0", "rdma_counter_bind_qp_auto", "alloc_and_bind"}
POINTER = {"rdma_lookup_get_uobject", "rdma_get_gid_attr", "rdma_lag_get_ah_roce_slave", "ib_umem_get",
           "rxe_reg_user_mr", "ib_umem_dmabuf_get", "mlx5_ib_reg_user_mr_dmabuf", "dma_buf_get"}
LONG = {"ib_uverbs_ioctl", "dma_resv_wait_timeout"}
BOOL = {"ib_modify_qp_is_ok"}
KERNEL = {"dma_resv_wait_timeout", "dma_buf_get", "pin_user_pages_fast"}


def module(fn, driver):
    if fn in KERNEL:
        return "kernel"
    if fn in CORE:
        return "ib_core"
    return driver if fn.startswith(("rxe_", "mlx5_ib", "__mlx5_ib")) else "mlx5_core" if fn.startswith("mlx5_") else "ib_uverbs"


def nodes(tree, driver):
    """Lines "FUNCTION RESULT [ARG=VALUE...]", two blanks for each level."""
    out = []
    for line in tree.strip("\n").splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        fn, result, *args = line.split()
        kind = "pointer" if fn in POINTER else "long" if fn in LONG else "bool" if fn in BOOL else "int"
        node = {"function": fn, "module": module(fn, driver), "depth": depth, "returns": kind}
        if result == "ok":
            node["ret"] = {"pointer": "0xffff888004a70000", "bool": 1}.get(kind, 0)
        elif result == "no" or result == "NULL":
            node["ret"] = 0
            if result == "no":
                node["failed"] = True
        elif result.startswith("0x"):
            node["ret"], node["narrowed"] = result, True
        else:
            node["ret"], node["failed"] = -E[result], True
        if args:
            node["args"] = {k: int(v, 0) for k, v in (a.split("=") for a in args)}
        out.append(node)
    for i, node in enumerate(out):	# what was entered last returns first
        node["exit_ns"] = 2000 * (len(out) - i)
    return out


def trace(method, tree, i=0, **more):
    t = {"object": "", "shape": "", "device": "rxe0", "driver": "rdma_rxe", "driver_version": "",
         "kernel": "6.1.0-56-amd64", "cgroup": "/system.slice/slurmstepd.scope/job_42/step_0/user/task_0",
         "container": "", "caller": "", "outer": "", "process": "ib_write_bw", "pid": 4711, "tid": 4711, "uid": 1000,
         "log": []}
    t.update(more)
    calls = nodes(tree, t["driver"])
    ret = calls[0]["ret"]
    error = next((k for k, v in E.items() if v == -ret), "") if isinstance(ret, int) and ret < 0 else ""
    wall = 1790000000000000000 + i * 1000000
    head = {"syscall": method, "errmsg": TEXT.get(error, ""), "errno": E.get(error, 0),
            "process": t.pop("process"), "timestamp": "", "type": "rdma", "error": error}
    tail = {"wall_ns": f"{wall:#x}", "duration_ns": t.pop("duration_ns", 90000), "ret": ret, "calls": calls}
    log = t.pop("log")
    return {**head, **t, **tail, "log": log}


def wrap(handler, result, inner):
    """Below the system call and the dispatcher."""
    up = "ok" if result in ("ok", "NULL") else result
    lines = inner.strip("\n").splitlines()
    return "\n".join([f"ib_uverbs_ioctl {up}", f"  ib_uverbs_cmd_verbs {up}",
                      f"    ib_uverbs_handler_UVERBS_METHOD_INVOKE_WRITE {up}", f"      {handler} {up}"] +
                     ["        " + x for x in lines])


def modify(gid="ok", is_ok="ok", driver="ok", up="ok", index=0, slave="NULL"):
    """modify_qp to RTR of soft RoCE."""
    inner = f"modify_qp {up}\n  rdma_lookup_get_uobject ok\n  _ib_modify_qp {up} attr_mask=0x121181\n" \
            f"    rdma_fill_sgid_attr {gid}\n      rdma_get_gid_attr {gid} port_num=1 index={index}\n"
    if gid == "ok":
        inner += f"    rdma_lag_get_ah_roce_slave {slave}\n    rxe_modify_qp {driver if is_ok == 'ok' else up}\n" \
                 f"      ib_modify_qp_is_ok {is_ok} cur_state=1 next_state=2\n"
        if is_ok == "ok":
            inner += f"      rxe_qp_chk_attr {driver}\n"
            if driver == "ok":
                inner += "      rxe_qp_from_attr ok\n"
    return wrap("ib_uverbs_modify_qp", up, inner)


def reg_mr(umem="ok"):
    return wrap("ib_uverbs_reg_mr", umem, f"rdma_lookup_get_uobject ok\nrxe_reg_user_mr {umem}\n"
                f"  ib_umem_get {umem} addr=0x7f0000000000 size=4096\n")


def dmabuf(wait, up):
    return f"""
ib_uverbs_ioctl {up}
  ib_uverbs_cmd_verbs {up}
    ib_uverbs_handler_UVERBS_METHOD_REG_DMABUF_MR {up}
      mlx5_ib_reg_user_mr_dmabuf {up} offset=0 length=0x200000
        ib_umem_dmabuf_get ok fd=57
        mlx5_ib_init_dmabuf_mr {up}
          ib_umem_dmabuf_map_pages {up}
            dma_resv_wait_timeout {wait} usage=1 intr=0
""" + ("          mlx5_ib_update_mr_pas ok\n" if up == "ok" else "")


def vendor(result):
    return wrap("ib_uverbs_modify_qp", result, f"modify_qp {result}\n  rdma_lookup_get_uobject ok\n"
                f"  _ib_modify_qp {result}\n    mlx5_ib_modify_qp {result} attr_mask=1\n      __mlx5_ib_modify_qp {result}\n"
                f"        mlx5_core_qp_modify {result if result == 'EREMOTEIO' else 'ok'}\n")


RTR = {"shape": "INIT>RTR", "caller": "ibv_modify_qp"}
MLX = {"driver": "mlx5_ib", "device": "mlx5_0", "driver_version": "5.19", "process": "train"}
LOCK = {"memlock_limit": 4096, "memory_pinned": 4096, "cap_ipc_lock": False}
DMABUF = {**MLX, "object": "MR", "caller": "ibv_reg_dmabuf_mr", "outer": "ncclCommInitRank", "kernel": "5.19.3"}
SCENES = {
    "good-rtr": lambda: ("modify_qp", modify(), RTR),
    "good-rts": lambda: ("modify_qp", modify(slave="ok"), {**RTR, "shape": "RTR>RTS"}),
    "bad-gid": lambda: ("modify_qp", modify("ENODATA", up="ENODATA", index=200), RTR),
    "bad-state": lambda: ("modify_qp", modify(is_ok="no", up="EINVAL"), {**RTR, "shape": "RESET>RTS"}),
    "good-reg": lambda: ("reg_mr", reg_mr(), {"caller": "ibv_reg_mr"}),
    "memlock": lambda: ("reg_mr", reg_mr("ENOMEM"), {"caller": "ibv_reg_mr", "process": "python3", **LOCK}),
    "memlock-va": lambda: ("reg_mr", reg_mr("ENOMEM").replace("ib_umem_get", "__ib_umem_get_va"), {
        "kernel": "7.2.13", **LOCK}),
    "memlock-unknown": lambda: ("reg_mr", reg_mr("ENOMEM"), {}),
    "good-cq": lambda: ("create_cq", wrap("ib_uverbs_create_cq", "ok", "rxe_create_cq ok cqe=16"), {}),
    "large-cq": lambda: ("create_cq", wrap("ib_uverbs_create_cq", "EINVAL", "rxe_create_cq EINVAL cqe=67108864"), {}),
    "unmapped": lambda: ("reg_mr", reg_mr("EFAULT"), {"caller": "ibv_reg_mr"}),
    "good-dmabuf": lambda: ("REG_DMABUF_MR", dmabuf("ok", "ok"), DMABUF),
    "dmabuf": lambda: ("REG_DMABUF_MR", dmabuf("0x7fffffffffffffff", "EPERM"), {
        **DMABUF, "log": ["mlx5_core 0000:3b:00.0: nothing to see here"]}),
    "good-mlx": lambda: ("modify_qp", vendor("ok"), {**RTR, **MLX}),
    "vendor": lambda: ("modify_qp", vendor("EINVAL"), {**RTR, **MLX}),
    "firmware": lambda: ("modify_qp", vendor("EREMOTEIO"), {**RTR, **MLX, "log": [
        "mlx5_core 0000:3b:00.0: mlx5_cmd_out_err: INIT2RTR_QP(0x503) failed, status bad parameter(0x3), "
        "syndrome (0x1d0b17), err(-22)"]}),
    "refused": lambda: ("modify_qp", vendor("EINVAL"), {**RTR, **MLX, "firmware": {
        "command": "INIT2RTR_QP", "opcode": 0x503, "op_mod": 0, "status": 0x10, "status_text": "bad QP state",
        "syndrome": 0x1d0b17, "err": -22, "source": "tracepoint", "count": 1, "at_ns": 1500}}),
    "probe": lambda: ("query_device", "ib_uverbs_ioctl ENOSPC\n  ib_uverbs_cmd_verbs ENOSPC\n"
                      "    ib_uverbs_handler_UVERBS_METHOD_INVOKE_WRITE ENOSPC", {"shape": ""}),
    "slow": lambda: ("reg_mr", reg_mr(), {"caller": "ibv_reg_mr", "slow": True, "duration_ns": 700000000}),
    "inner": lambda: ("reg_mr", reg_mr().replace("rdma_lookup_get_uobject ok", "rdma_lookup_get_uobject ok\n"
                      "        rxe_hint ENOENT"), {"caller": "ibv_reg_mr"}),
}

name, rest = sys.argv[1], sys.argv[2:]
times = int(rest.pop(0)) if rest and rest[0].isdigit() else 1
for i in range(times):
    method, tree, more = SCENES[name]()
    more = {**more, **{k: v for k, v in (a.split("=", 1) for a in rest)}}
    print(json.dumps(trace(method, tree, i, **more), separators=(",", ":")))
