# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What a report says, as the lines that tests/bpf/truth.sh compares: no times,
# no addresses, no process numbers.
(.launches // [] | if . == [] then empty else "launches \(map(.launches) | add) failed \(map(.failed) | add)" end),
(.copies // [] | group_by(.direction)[] | "copied \(.[0].direction) calls \(map(.calls) | add) bytes \(map(.bytes) | add)"),
(.memory[]? | "memory \(.kind) allocated \(.allocations) bytes \(.bytes) freed \(.frees + .implicit) left \(.not_freed) bytes \(.not_freed_bytes)"),
(.leaks // [] | group_by([.function, .kind])[] | "leak \(.[0].function) \(.[0].kind) blocks \(map(.blocks) | add) bytes \(map(.bytes) | add)"),
(.inflight[]? | "in flight \(.function)"),
(.left[]? | "left \(.function) calls \(.calls)"),
(.first_failures[]? | select(.repeats == 0) | "failed \(if .later == 1 then "later" else "first" end) \(.function) \(.code)\(if .processes > 1 then " in \(.processes) processes" else "" end)"),
(.verdict[]? | "finding \(.kind)"),
(if .summary.events_lost != 0 then "lost \(.summary.events_lost)" else empty end)
