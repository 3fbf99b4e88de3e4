# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sourced by ../boot for a script with the line `# wants: rdma more`: programs of libfabric and UCX.
# They are not needed: why they are missing is said in /x/more.missing.

put_more() { # ROOT
	more=$("$here/rdma/tools" more 2>"$1/x/more.missing") || return 0
	rm "$1/x/more.missing"
	LD_LIBRARY_PATH=$more/lib put_programs "$1" "$more"/bin/*
	cp -L "$more"/lib/*.so.? "$(gcc -print-file-name=libmlx5.so.1)" "$1/x/lib/"
	cp -r "$more/lib/ucx" "$1/x/lib/"
}
