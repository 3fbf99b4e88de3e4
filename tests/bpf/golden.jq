# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What a report says that does not depend on time, address or process id: one
# line a fact, in an order that depends on names alone. For golden.sh.
def line: map(tostring | gsub("0x[0-9a-f]+"; "0x...")) | join(" ");
def rows(t; f): [t[]? | f | line] | sort | .[];

rows([.summary]; ["summary", .processes, "processes", .threads, "threads", .calls, "calls",
	.nested_calls, "nested", .failed_calls, "failed", .events_lost, "lost"]),
rows(.operations; ["operation", .operation, .calls, .failed, .bytes]),
rows(.launches; ["kernel", .kernel, .launches]),
rows(.launch_shapes; ["shape", .kernel, .grid_x, .grid_y, .grid_z, .block_x, .block_y,
	.block_z, .launches]),
rows(.copies; ["copies", .direction, .how, .host, .calls, .bytes]),
rows(.memory; ["memory", .kind, .allocations, .bytes, "freed", .frees, "implicitly",
	.implicit, "left", .not_freed, .not_freed_bytes]),
rows(.leaks; ["leak", .function, .kind, .size, .blocks]),
rows(.failed_frees; ["failed free", .function, .calls, .reason]),
rows(.failed_allocations; ["failed allocation", .function, .size, .calls]),
rows(.errors; ["error", .function, .error, .calls]),
rows(.first_failures; ["first failure", .function, .error, .later_failures, .later_same]),
rows(.inflight; ["in flight", .function])
