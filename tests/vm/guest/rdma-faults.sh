# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# wants: rdma
#
# Runs in the virtual machine: soft RoCE. tests/vm/rdma-faults.sh judges what this
# leaves in /out.

. /x/rdma.sh
rdma_up || exit 1
cat /sys/class/infiniband/rxe0/ports/1/state /sys/class/infiniband/rxe0/ports/1/gids/1 >/out/device
