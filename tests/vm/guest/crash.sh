# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Breaks the kernel of the virtual machine on purpose: tests/vm/trace.sh looks at
# what is told of that on the host.
echo c >/proc/sysrq-trigger
