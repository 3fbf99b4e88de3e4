#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# needs: bpf jq python3
# uses: promtool prometheus victoria-metrics vmalert openmetrics_parser
#
# What servers make of the agent's page: Prometheus and VictoriaMetrics scrape it and have what the program counted
# itself, also under the names of others; every rule of monitoring/ is evaluated, the alert for a call that hangs fires;
# the dashboard's expressions are answered; promtool finds nothing to complain about on a page with all devices, and in
# OpenMetrics (which Prometheus asks for) the strict parser of Prometheus's client reads the same samples of it.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/agent_lib.sh
export XPUTRACE_NVML="$B/fake/nvml/libnvidia-ml.so.1" XPT_FAKE_NVML="$T/nvml"
printf 'devices 2\nmig 1 1\nprocesses 0 1\n' >"$T/nvml"
cp "$W/storm" "$T/scrape-storm"
cp "$E/hang" "$T/scrape-hang"
cp "$E/runtime_train" "$T/scrape-runtime"

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
get() { # URL [NAME VALUE]
	python3 - "$@" <<-'END'
		import sys, urllib.parse, urllib.request
		url = sys.argv[1]
		if len(sys.argv) > 2:
		    url += "?" + urllib.parse.urlencode({sys.argv[2]: sys.argv[3]})
		try:
		    sys.stdout.write(urllib.request.urlopen(url, timeout=20).read().decode())
		except OSError as e:	# a query that is wrong has an answer, too
		    sys.stdout.write(e.read().decode() if hasattr(e, "read") else "")
	END
}
query() { # EXPRESSION: the values
	get "$server/api/v1/query" query "$1" | jq -r '.data.result[].value[1]'
}
query_is() { # EXPRESSION VALUE
	[ "$(query "$1")" = "$2" ]
}
answers() {
	[ -n "$(query 'up{job="xputrace"}')" ]
}

start_agent agent --compat dcgm --compat otel --compat obi --budget 100%
target=${url#http://}
target=${target%/metrics}
XPT_TRUTH=$T/truth "$T/scrape-storm" --iterations 500 >/dev/null 2>&1
XPT_TRUTH=$T/runtime.truth "$T/scrape-runtime" --iterations 5 >/dev/null 2>&1
# A name in which each character means something in one of the formats.
hostile='x"y\n{} # EOF'
cp "$E/runtime_train" "$T/$hostile"
"$T/$hostile" --iterations 1 >/dev/null 2>&1
launches=$(jq .calls.cudaLaunchKernel "$T/runtime.truth")
function=$(jq -r '.calls | to_entries | max_by(.value).key' "$T/truth")
n=$(jq --arg f "$function" '.calls[$f]' "$T/truth")
"$T/scrape-hang" --async >/dev/null 2>"$T/hang.err" &
hang=$!

# Alerts that are to be seen within this test do not wait for minutes.
sed 's/> 120$/> 1/' monitoring/xputrace.rules.yml >"$T/rules.yml"
cat >"$T/prometheus.yml" <<END
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [rules.yml]
scrape_configs:
  - job_name: xputrace
    static_configs: [{ targets: ["$target"] }]
END
sed '/^rule_files/d; s/, evaluation_interval: 1s//' "$T/prometheus.yml" >"$T/victoria.yml"

# --- promtool ------------------------------------------------------------------------------------
has_all() {
	get "$url" >"$T/page"
	grep -q '^xputrace_gpu_process_memory_used_bytes{' "$T/page" && grep -q "^xputrace_calls_total{process=\"scrape-storm\"" "$T/page" &&
		grep -q '^xputrace_call_in_flight_seconds{process="scrape-hang"' "$T/page" &&
		grep -qF 'xputrace_calls_total{process="x\"y\\n{} # EOF",' "$T/page"
}
holds page wait_for has_all
if command -v promtool >/dev/null; then
	# DCGM's names have capitals, and its counters no _total.
	is promtool "" "$(grep -v 'DCGM_' "$T/page" | promtool check metrics 2>&1)"
else
	echo "skip promtool: it is not installed (Debian: prometheus)"
fi

# --- OpenMetrics -----------------------------------------------------------------------------------
# Prints the number of samples in both formats; says what is not the same.
both_formats() {
	/usr/bin/python3 - "$url" "$hostile" <<-'END'
		import sys, urllib.request
		units = "bytes_per_second", "seconds", "bytes", "ratio", "watts", "joules", "hertz", "celsius"
		name_of_program = sys.argv[2]
		from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
		from prometheus_client.parser import text_string_to_metric_families as text
		def page(accept):
		    answer = urllib.request.urlopen(urllib.request.Request(sys.argv[1], headers={"Accept": accept}), timeout=20)
		    return answer.headers["Content-Type"], answer.read().decode()
		def name(s):	# the parser of the text format appends _total to counters of dcgm-exporter
		    return s.name.removesuffix("_total") if s.name.startswith("DCGM_") else s.name
		def samples(families):	# values change from page to page
		    return {(name(s), *sorted(s.labels.items())) for f in families for s in f.samples}
		kind, new = page("application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5")
		assert kind.startswith("application/openmetrics-text; version=1.0.0"), kind
		kind, old = page("text/plain")
		assert kind.startswith("text/plain; version=0.0.4"), kind
		families = list(openmetrics(new))
		new, old = samples(families), samples(text(old))
		for difference in sorted(new ^ old)[:20]:
		    print("only in OpenMetrics:" if difference in new else "only in the text format:", difference)
		for f in families:	# our own unit is that of the name
		    if f.unit != next((u for u in units if f.name.endswith("_" + u)), ""):
		        print("unit:", f.name, f.unit)
		if ("process", name_of_program) not in {label for s in new for label in s[1:]}:
		    print("no process has the name", name_of_program)
		unknown = {f.name for f in families if f.type in ("unknown", "unknown_type")}
		print(*sorted(n for n in unknown if not n.startswith("DCGM_")), end="")
		print("all" if len(new) > 500 else f"only {len(new)} samples")
	END
}
if /usr/bin/python3 -c 'import prometheus_client.openmetrics.parser' 2>/dev/null; then
	is openmetrics all "$(both_formats 2>&1)"
else
	echo "skip openmetrics: there is no parser (Debian: python3-prometheus-client)"
fi

# --- both servers ----------------------------------------------------------------------------------
# The dashboard's expressions with values for the variables, one a line.
jq -r '.panels[].targets[]?.expr' monitoring/xputrace.dashboard.json |
	sed 's/\$__rate_interval/10s/g; s/\$\(instance\|process\|function\)/.*/g' >"$T/expressions"
no_complaint() {	# prints those without an answer
	python3 - "$server/api/v1/query" "$T/expressions" <<-'END'
		import json, sys, urllib.error, urllib.parse, urllib.request
		for expression in open(sys.argv[2]):
		    url = sys.argv[1] + "?" + urllib.parse.urlencode({"query": expression.strip()})
		    try:
		        good = json.load(urllib.request.urlopen(url, timeout=20))["status"] == "success"
		    except urllib.error.HTTPError:	# a wrong query
		        good = False
		    if not good:
		        print(expression.strip())
	END
}
has_quantile() {
	[ -n "$(query "histogram_quantile(0.99, sum by (function, le) (rate(xputrace_call_duration_seconds_bucket[1h])))")" ]
}
check_server() { # NAME
	holds "$1_scrapes" wait_for query_is 'up{job="xputrace"}' 1
	holds "$1_counts" wait_for query_is "sum(xputrace_calls_total{process=\"scrape-storm\",function=\"$function\"})" "$n"
	holds "$1_devices" wait_for query_is 'sum(xputrace_gpu_up)' 2
	holds "$1_dcgm" wait_for query_is 'sum(DCGM_FI_DEV_POWER_USAGE)' 601
	holds "$1_otel" wait_for query_is 'sum(hw_status{hw_state="ok"})' 2
	holds "$1_obi" wait_for query_is 'sum(gpu_cuda_kernel_launch_calls_total{service_name="scrape-runtime"})' "$launches"
	holds "$1_hostile" wait_for query_is "count(count by (process) (xputrace_calls_total{process=~\"x.y.n.*EOF\"}))" 1
	holds "$1_hang" wait_for query_is 'max(xputrace_call_in_flight_seconds{process="scrape-hang"}) > bool 1' 1
	holds "$1_quantile" wait_for has_quantile
	is "$1_dashboard" "" "$(no_complaint)"
}

rules() { # JQ_EXPRESSION: of all rules
	get "$server/api/v1/rules" | jq -r "[.data.groups[].rules[]] | $1"
}
all_evaluated() {
	[ "$(rules 'length > 0 and all(.health != "unknown")')" = true ]
}
alert_fires() {
	[ "$(query 'ALERTS{alertname="XputraceCallHangs",alertstate="firing",process="scrape-hang"}')" = 1 ]
}
if command -v prometheus >/dev/null; then
	port=$(free_port)
	server=http://127.0.0.1:$port
	prometheus --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/tsdb" --web.listen-address="127.0.0.1:$port" \
		>/dev/null 2>"$T/prometheus.err" &
	daemon=$!
	wait_for answers
	check_server prometheus
	holds rules_evaluated wait_for all_evaluated
	is rules_healthy "" "$(rules 'map(select(.health != "ok") | "\(.name): \(.lastError)") | join("; ")')"
	holds alert_fires wait_for alert_fires
	is alert_says "scrape-hang cuStreamSynchronize" "$(get "$server/api/v1/alerts" |
		jq -r '[.data.alerts[] | select(.labels.alertname == "XputraceCallHangs" and .labels.process == "scrape-hang")][0].annotations.summary' |
		sed 's/^\([^ ]*\) on [0-9.:]* has waited in \([^ ]*\) for .*/\1 \2/')"
	kill -TERM $daemon
	wait $daemon
	is prometheus_ends 0 $?
else
	echo "skip prometheus: it is not installed (Debian: prometheus)"
fi
if command -v victoria-metrics >/dev/null; then
	port=$(free_port)
	server=http://127.0.0.1:$port
	victoria-metrics -promscrape.config="$T/victoria.yml" -storageDataPath="$T/victoria" -httpListenAddr="127.0.0.1:$port" \
		-search.latencyOffset=0s >/dev/null 2>"$T/victoria.err" &
	daemon=$!
	wait_for answers
	check_server victoria
	kill -TERM $daemon
	wait $daemon
	is victoria_ends 0 $?
else
	echo "skip victoria-metrics: it is not installed"
fi
if command -v vmalert >/dev/null; then
	vmalert -rule=monitoring/xputrace.rules.yml -dryRun >/dev/null 2>"$T/vmalert.err"
	is vmalert_accepts 0 $?
else
	echo "skip vmalert: it is not installed (Debian: victoria-metrics)"
fi

{ kill -9 $hang; wait $hang; } 2>/dev/null
kill -TERM $agent
wait $agent
is status 0 $?
exit $failed
