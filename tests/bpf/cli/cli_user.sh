#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3 user
#
# Users: under sudo the command belongs to who called, and so do the files; a
# user without privileges gets a message about the missing privilege, and no file stays.
# shellcheck disable=SC2016 # for an inner shell
. tests/bpf/lib.sh
. tests/cli.lib
need_bpf
U=65534 G=65534
chmod 777 "$T"
cd "$T" || exit 1
sudo_run() { # NAME STATUS TEXT OPTION... -- COMMAND...: as sudo calls it
	n=$1 s=$2 t=$3
	shift 3
	SUDO_UID=$U SUDO_GID=$G gives "$n" "$s" "$t" "$XPT" run -q --no-summary "$@"
}
owner() { stat -c %u:%g "$1"; }

sudo_run drops 0 "none was called" --no-file -- sh -c 'echo $(id -u):$(id -g):$(id -G)'
is drops_ids "$U:$G:$G" "$(cat out)"
user=$(getent passwd $U | cut -d : -f 1) home=$(getent passwd $U | cut -d : -f 6)
HOME=/root USER=root sudo_run env 0 "none was called" --no-file -- sh -c 'echo $USER:$LOGNAME:$HOME'
is env_text "$user:$user:$home" "$(cat out)"
sudo_run env_given 0 "none was called" --no-file -E HOME=/x -- sh -c 'echo $HOME'
is env_given_text /x "$(cat out)"
sudo_run as_root 0 "none was called" --no-file --as-root -- id -u
is as_root_id 0 "$(cat out)"
SUDO_UID=0 SUDO_GID=0 gives by_root 0 "none was called" "$XPT" run -q --no-summary --no-file -- id -u
is by_root_id 0 "$(cat out)"
SUDO_UID=4000000 SUDO_GID=4000001 gives nameless 0 "none was called" "$XPT" run -q --no-summary \
	--no-file -- sh -c 'echo $(id -u):$(id -g)'
is nameless_id 4000000:4000001 "$(cat out)"

mkdir closed
cp /bin/true closed/program
chmod 700 closed
sudo_run not_allowed 126 "as user $U (--as-root: as root): Permission denied" --no-file -- ./closed/program
sudo_run not_allowed_root 0 "none was called" --no-file --as-root -- ./closed/program

# Those that are made belong to the caller, those that were there stay whose they were.
sudo_run files 0 "driver library" -o new.jsonl -o new.xtr --as-root -- "$E/train" --iterations 1
is files_owner "$U:$G $U:$G" "$(owner new.jsonl) $(owner new.xtr)"
sudo_run files_again 0 "driver library" -o new.jsonl -o new.xtr --as-root -- "$E/train" --iterations 1
: >mine.jsonl
chmod 666 mine.jsonl	# the caller may write it
sudo_run files_kept 0 "driver library" -o mine.jsonl --as-root -- "$E/train" --iterations 1
is files_kept_owner 0:0 "$(owner mine.jsonl)"
sudo_run default_file 0 "the trace is in traces/" --as-root -- "$E/train" --iterations 1
is default_folder_owner "$U:$G" "$(owner traces)"
is default_file_owner "$U:$G" "$(owner traces/trace_[0-9]*.xtr)"
is default_lines_owner "$U:$G" "$(owner traces/trace_[0-9]*.jsonl)"
is default_link_owner "$U:$G $U:$G" "$(owner traces/trace_latest.xtr) $(owner traces/trace_latest.jsonl)"
rm -rf traces

# A call of a program that runs as the other user is seen like any other.
if setpriv --reuid $U --regid $G --clear-groups test -x "$E/train"; then
	sudo_run traced 0 "driver library" -o traced.jsonl -- "$E/train" --iterations 1
	is traced_calls 19 "$(wc -l <traced.jsonl)"
else
	echo "skip cli_user_traced: the build directory is closed to other users"
fi

# --- without privileges -------------------------------------------------------------
plain() { # NAME STATUS TEXT COMMAND...
	n=$1 s=$2 t=$3
	shift 3
	gives "$n" "$s" "$t" setpriv --reuid $U --regid $G --clear-groups "$@"
}
cp "$XPT" xputrace
chmod 755 xputrace
touch keep.jsonl
chmod 666 keep.jsonl
echo precious >keep.jsonl
plain plain_run 4 "tracing needs root (CAP_[A-Z]* is missing): try sudo" ./xputrace run -o keep.jsonl -- touch ran
is plain_kept precious "$(cat keep.jsonl)"
holds plain_not_run [ ! -e ran ]
plain plain_default 4 "tracing needs root" ./xputrace run -- true
holds plain_no_folder [ ! -e traces ]
plain plain_attach 4 "tracing needs root" ./xputrace attach -p $$
plain plain_doctor 4 "" ./xputrace doctor
holds plain_doctor_says grep -q '^NO  privileges .*CAP_[A-Z]* is missing' out
cp "$B/fake/libcuda.so.1" .	# the build directory may be closed to others
plain plain_list 0 "" env LD_LIBRARY_PATH=. ./xputrace list 'cuMemAlloc*'
plain plain_list_pid 4 "cannot look into process 1: Permission denied (try sudo)" ./xputrace list -p 1
plain plain_errors 0 "" ./xputrace errors 700
plain plain_report 0 "" ./xputrace report new.xtr
gives doctor 0 "" "$XPT" doctor
is doctor_one_in_use 1 "$(grep -c 'in use' out)"
holds doctor_metrics grep -qE '^(ok  metrics +can be served|--  metrics +cannot be served)' out
holds doctor_sysfs grep -qE '^ok  sysfs +(answers|readings of)' out
export XPUTRACE_NVML="$B/fake/nvml/libnvidia-ml.so.1" XPT_FAKE_NVML=$T/nvml
echo "devices 3" >nvml
gives doctor_nvml 0 "" "$XPT" doctor
holds doctor_nvml_answers grep -qE '^ok  NVML +readings of 3 GPUs' out
printf "devices 3\nhang nvmlDeviceGetPowerUsage\n" >nvml
gives doctor_nvml_hangs 0 "" "$XPT" doctor
holds doctor_nvml_silent grep -qE '^--  NVML +NVML has not answered for [0-9]+ s' out
exit $failed
