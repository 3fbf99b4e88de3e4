# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sourced by the scripts that fetch packages of Debian's archive (./fetch, ./headers,
# ./modules, ../real/fetch-libcuda) without installing any. apt runs with a configuration,
# state and cache of its own and only takes the mirror's address from this machine.
# Variables of the caller: what (for messages), suite, component (main), and work, an
# empty directory that the caller removes.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

cannot() {
	echo "$what cannot be had: $*" >&2
	exit 77
}

# Mirrors fail for moments: a command that fails runs up to three times.
three_times() { # COMMAND...
	"$@" || { sleep 2; "$@"; } || { sleep 5; "$@"; }
}

can_fetch() {
	[ "$(uname -m)" = x86_64 ] || cannot "only x86-64 machines are simulated"
	for tool in apt-get dpkg-deb; do
		command -v $tool >/dev/null 2>&1 || cannot "no $tool on this machine"
	done
	[ -r $keyring ] || cannot "no $keyring"
}

# Debian's mirror as this machine's own configuration names it.
mirror() {
	apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(RELEASE) $(REPO_URI)' 2>/dev/null |
		awk '$1 == "Debian" && $2 == "main" && $3 !~ /security|updates/ { print $4; exit }'
}

# "6.1.0-50-amd64": the boot header of the image says where its version stands.
version_of() { # IMAGE
	at=$(od -An -tu2 -j 526 -N 2 "$1")
	dd if="$1" bs=1 skip=$((at + 512)) count=80 2>/dev/null | tr '\0' ' ' | cut -d ' ' -f 1
}

# The lists and hooks of the machine are left out by -c, which is read last.
configure() {
	mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/parts"
	: > "$work/state/status"
	uri=$(mirror)
	for s in $suite ${more_suites:-}; do
		echo "deb [arch=amd64 signed-by=$keyring] ${uri:-http://deb.debian.org/debian} $s ${component:-main}"
	done > "$work/sources.list"
	cat > "$work/apt.conf" <<-CONF
		#clear APT::Update;
		#clear DPkg;
		APT::Architecture "amd64";
		APT::Sandbox::User "$(id -un)";
		APT::Get::AllowUnauthenticated "false";
		APT::Update::Error-Mode "any";
		Acquire::Languages "none";
		Acquire::Retries "2";
		Acquire::http::Timeout "30";
		Dir::Etc::sourcelist "$work/sources.list";
		Dir::Etc::sourceparts "$work/parts";
		Dir::State "$work/state";
		Dir::State::status "$work/state/status";
		Dir::Cache "$work/cache";
	CONF
}

# The first reason that apt gives.
reason() {
	grep -m 1 "^[$1]:" "$work/log" || tail -n 1 "$work/log"
}

update() {
	configure
	three_times apt-get -q -c="$work/apt.conf" update >"$work/log" 2>&1 ||
		cannot "apt-get update: $(reason EW)"
}

download() { # PACKAGE...: into $work
	(cd "$work" && three_times apt-get -q -c="$work/apt.conf" download "$@") >>"$work/log" 2>&1 ||
		cannot "apt-get download: $(reason E)"
}
