# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""One rank of NCCL: five reductions."""
import os

import torch
import torch.distributed as dist

os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511", RANK="0", WORLD_SIZE="1")
dist.init_process_group("nccl")
tensor = torch.ones(1 << 20, device="cuda")
for _ in range(5):
    dist.all_reduce(tensor)
torch.cuda.synchronize()
dist.destroy_process_group()
