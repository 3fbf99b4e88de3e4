# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Trains a small network for 50 steps on the GPU."""
import torch

torch.manual_seed(0)
device = torch.device("cuda")
model = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.GELU(),
                            torch.nn.Linear(4096, 1024)).to(device)
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
data = torch.randn(512, 1024, device=device)
for _ in range(50):
    optimizer.zero_grad(set_to_none=True)
    loss = (model(data) - data).square().mean()
    loss.backward()
    optimizer.step()
print(loss.item())
