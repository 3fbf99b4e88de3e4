# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs in the virtual machine for bench/vm.sh.
/x/kernel_probes 500 >/out/probes
