/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A target like SPDK's, in one thread and without a network: hosts connect, queue
 * pairs get memory that others have just given back, requests go through the states
 * of RDMA or TCP, some complete behind the removal of their queue pair. It fires the
 * probes, writes the trace as `spdk_trace -j` does, what bpftrace would record, and
 * the annotated lines that must come out. Time is simulated unless -w is given.
 * The truth (XPT_TRUTH, one line of JSON): probes and messages by name.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>
#include "probes.h"

#define RATE 2600000000ull
#define MAX_QPAIRS 64
#define MAX_DEPTH 32
#define MAX_COUNTS 96

struct request {
	unsigned nr, state;	/* number of the object; the next state */
	uint64_t start;
	bool busy;
};

struct qpair {
	uint64_t ptr, thread;
	unsigned qid, owner, slot;
	char subnqn[224], hostnqn[224];
	unsigned left;		/* requests that have not begun */
	struct request req[MAX_DEPTH];
};

struct point {
	const char *name;
	unsigned id;
	bool is_new;
};

/* As in SPDK 24.01, and one state that only this build has: for names from debug information. */
enum nvmf_tgt_state {
	NVMF_TGT_INIT_NONE, NVMF_TGT_INIT_CREATE_TARGET, NVMF_TGT_INIT_CREATE_POLL_GROUPS,
	NVMF_TGT_INIT_START_SUBSYSTEMS, NVMF_TGT_RUNNING, NVMF_TGT_FINI_STOP_SUBSYSTEMS,
	NVMF_TGT_FINI_DESTROY_SUBSYSTEMS, NVMF_TGT_FINI_DESTROY_POLL_GROUPS,
	NVMF_TGT_FINI_DESTROY_TARGET, NVMF_TGT_STOPPED, NVMF_TGT_ERROR, NVMF_TGT_OF_THIS_BUILD,
};
enum { INACTIVE, ACTIVE = 2, PAUSED = 4 };	/* of enum spdk_nvmf_subsystem_state */

static const struct point rdma[] = {
	{ "RDMA_REQ_NEW", 64, true }, { "RDMA_REQ_NEED_BUFFER", 65, false },
	{ "RDMA_REQ_HAVE_BUFFER", 66, false }, { "RDMA_REQ_RDY_TO_EXECUTE", 70, false },
	{ "RDMA_REQ_EXECUTING", 71, false }, { "RDMA_REQ_EXECUTED", 72, false },
	{ "RDMA_REQ_COMPLETING", 75, false }, { "RDMA_REQ_COMPLETED", 76, false },
}, tcp[] = {
	{ "TCP_REQ_NEW", 128, true }, { "TCP_REQ_NEED_BUFFER", 129, false },
	{ "TCP_REQ_HAVE_BUFFER", 130, false }, { "TCP_REQ_RDY_TO_EXECUTE", 133, false },
	{ "TCP_REQ_EXECUTING", 134, false }, { "TCP_REQ_EXECUTED", 135, false },
	{ "TCP_REQ_RDY_TO_COMPLETE", 136, false }, { "TCP_REQ_COMPLETED", 139, false },
};

#define NR_STATES 8

static struct { const char *name; uint64_t n; } probes[MAX_COUNTS], messages[MAX_COUNTS];
static struct qpair qpairs[MAX_QPAIRS];
static uint64_t now = 1000000000000ull, first, rng = 88172645463325252ull;
static uint64_t nr_entries, nr_requests, wait_ms, next_owner = 260;
static const char *const release = "SPDK v24.01 git sha1 0000000";	/* as programs say of themselves */
static const char *go;		/* begin when this file is there */
static bool use_tcp, long_names;
static unsigned nr_hosts = 2, nr_io = 2, depth = 4, nr_rounds = 2, per_qpair = 50;
static FILE *trace, *record, *expect;

#ifdef OLD_ERA
static const bool old_era = true;
#else
static const bool old_era;
#endif

static void count(void *table, const char *name)
{
	struct { const char *name; uint64_t n; } *t = table;
	unsigned i;

	for (i = 0; i < MAX_COUNTS - 1 && t[i].name && strcmp(t[i].name, name); i++)
		;
	t[i].name = name;
	t[i].n++;
}

void count_probe(const char *name)
{
	count(probes, name);
}

void count_message(const char *function)
{
	count(messages, function);
}

static uint64_t next_random(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

uint64_t ticks(void)
{
	return wait_ms ? __rdtsc() : now;
}

/* --- queue pairs ---------------------------------------------------------------------- */

static void name(char *to, const char *kind, unsigned host)
{
	int n = snprintf(to, 224, "nqn.2024-01.io.fake:%s%u", kind, host);

	if (long_names) {	/* 223 bytes, the most there may be, with what fields are split at */
		memset(to + n, 'x', 223 - (size_t)n);
		memcpy(to + n, ",a=b", 4);
		to[223] = '\0';
	}
}


static void send_add(void *ctx)
{
	(void)ctx;
	count_message("send_add");
}

static void _finish(void *ctx)
{
	(void)ctx;
	count_message("_finish");
}

static void step(struct qpair *q, struct request *r);

static void connect(struct qpair *q, unsigned host, unsigned qid)
{
	uint64_t t = ticks();

	name(q->subnqn, "cnode", host);
	name(q->hostnqn, "host", host);
	q->qid = qid;
	q->thread = host % 2 + 1;
	q->left = qid ? per_qpair : 1;
	q->owner = (unsigned)next_owner++;
	spdk_thread_send_msg(NULL, send_add, q);
	run_messages();
	PROBE2_T(nvmf_poll_group_add_qpair, t, q->ptr, q->thread);
	if (record)
		fprintf(record, "nvmf_poll_group_add_qpair: tsc=0x%" PRIx64 ", qpair=0x%" PRIx64
			", thread=0x%" PRIx64 "\n", t, q->ptr, q->thread);
	PROBE3(nvmf_transport_poll_group_add, q->ptr, (uint16_t)qid, q->thread);
	now += 5000;
	q->left--;	/* the connect is a request, too */
	step(q, &q->req[0]);
	t = ticks();
	PROBE4_T(nvmf_ctrlr_add_qpair, t, q->ptr, (uint16_t)qid, q->subnqn, q->hostnqn);
	if (record)
		fprintf(record, "nvmf_ctrlr_add_qpair: tsc=0x%" PRIx64 ", qpair=0x%" PRIx64 ", qid=0x%x, "
			"subnqn='%s', hostnqn='%s'\n", t, q->ptr, qid, q->subnqn, q->hostnqn);
	now += 5000;
}

/* Behind the connect of an admin queue: its controller; of others: that they belong to it. */
static void add_to_controller(struct qpair *q, unsigned host)
{
	uint64_t ctrlr = 0x7f3a20000000ull + 0x1000 * (uint64_t)host, t = ticks();

	if (!q->qid) {
		PROBE3_T(nvmf_ctrlr_create, t, ctrlr, q->subnqn, q->thread);
		PROBE3(nvmf_subsystem_add_ctrlr, q->subnqn, ctrlr, q->hostnqn);
	} else {
		PROBE4_T(nvmf_ctrlr_add_io_qpair, t, ctrlr, q->ptr, (uint16_t)q->qid, q->thread);
	}
}

static void remove_controller(unsigned host)
{
	uint64_t ctrlr = 0x7f3a20000000ull + 0x1000 * (uint64_t)host, thread = host % 2 + 1, t = ticks();
	char subnqn[224], hostnqn[224];

	name(subnqn, "cnode", host);
	name(hostnqn, "host", host);
	PROBE3(nvmf_subsystem_remove_ctrlr, subnqn, ctrlr, hostnqn);
#ifdef OLD_ERA
	PROBE3_T(nvmf_ctrlr_destruct, t, ctrlr, subnqn, thread);
#else
	PROBE2_T(nvmf_ctrlr_destruct, t, ctrlr, thread);
#endif
}

/* change: of all subsystems, to a state. */
static void change_subsystems(int from, int to)
{
	char subnqn[224];

	for (unsigned h = 0; h < nr_hosts; h++) {
		name(subnqn, "cnode", h);
		PROBE3(nvmf_subsystem_change_state, subnqn, to, from);
		for (uint64_t thread = 1; thread <= 2; thread++)
			PROBE3(nvmf_pg_change_state, subnqn, to, thread);
		now += 7000;
		for (uint64_t thread = 1; thread <= 2; thread++)
			PROBE3(nvmf_pg_change_state_done, subnqn, to, thread);
		PROBE4(nvmf_subsystem_change_state_done, subnqn, to, from, 0);
	}
}

static void each_subsystem(bool create)
{
	char subnqn[224];

	for (unsigned h = 0; h < nr_hosts; h++) {
		name(subnqn, "cnode", h);
		if (create)
			PROBE1(nvmf_subsystem_create, subnqn);
		else
			PROBE1(nvmf_subsystem_destroy, subnqn);
	}
}

static void disconnect(struct qpair *q)
{
	uint64_t t = ticks();

	PROBE2_T(nvmf_qpair_disconnect, t, q->ptr, q->thread);
	PROBE2_T(nvmf_poll_group_drain_qpair, t, q->ptr, q->thread);
	PROBE3(nvmf_transport_poll_group_remove, q->ptr, (uint16_t)q->qid, q->thread);
	PROBE2_T(nvmf_poll_group_remove_qpair, t, q->ptr, q->thread);
	if (record)
		fprintf(record, "nvmf_poll_group_remove_qpair: tsc=0x%" PRIx64 ", qpair=0x%" PRIx64
			", thread=0x%" PRIx64 "\n", t, q->ptr, q->thread);
	spdk_thread_send_msg(NULL, _finish, q);
	run_messages();
	now += 2000;
}

static void fini(struct qpair *q)
{
	PROBE1(nvmf_transport_qpair_fini, q->ptr);
	now += 1000;
}

/* --- the trace ------------------------------------------------------------------------ */

static void put_owner(FILE *f, const struct qpair *q)
{
	fprintf(f, "10.0.0.%u:%u %s 10.0.0.1:4420 qid:%u", q->owner % 200 + 2, 40000 + q->owner, q->subnqn,
		q->qid);
}

static void put_entry(const struct qpair *q, const struct request *r, const struct point *p,
		      uint64_t t, unsigned size)
{
	fprintf(trace, "%s{\"lcore\":%" PRIu64 ",\"tpoint\":%u,\"tsc\":%" PRIu64 ",\"poller\":\"%c%02u\"",
		nr_entries ? "," : "", q->thread, p->id, t, use_tcp ? 't' : 'q', q->owner);
	if (!old_era) {
		fputs(",\"owner\":\"", trace);
		put_owner(trace, q);
		fputs("\"", trace);
	}
	if (size)
		fprintf(trace, ",\"size\":%u", size);
	fprintf(trace, ",\"object\":{\"id\":\"r%u\",", r->nr);
	if (!p->is_new)
		fprintf(trace, "\"time\":%" PRIu64 ",", t - r->start);
	fprintf(trace, "\"value\":%" PRIu64 "}", q->ptr + 0x100000 + 64 * (uint64_t)(r - q->req));
	if (!use_tcp || old_era)
		fprintf(trace, ",\"args\":[%" PRIu64 ",%" PRIu64 "]}", q->ptr, (uint64_t)depth);
	else
		fprintf(trace, ",\"args\":[%" PRIu64 "]}", (uint64_t)depth);
}

/* The line that must come out for it. */
static void put_expected(const struct qpair *q, const struct request *r, const struct point *p,
			 uint64_t t, unsigned size)
{
	char poller[16], note[600], buf[64];

	snprintf(poller, sizeof(poller), "%c%02u", use_tcp ? 't' : 'q', q->owner);
	fprintf(expect, "%3" PRIu64 " %16.3f ", q->thread, (double)(t - first) * 1e6 / (double)RATE);
	if (old_era)
		fprintf(expect, "%-3s", poller);
	else
		put_owner(expect, q);
	snprintf(buf, sizeof(buf), size ? "size: %u" : "%.0u", size);
	fprintf(expect, " %-24s %-12s", p->name, buf);
	snprintf(buf, sizeof(buf), "r%u", r->nr);
	fprintf(expect, "id: %-12s ", buf);
	if (!p->is_new)
		fprintf(expect, "time: %-8.3f ", (double)(t - r->start) * 1e6 / (double)RATE);
	snprintf(note, sizeof(note), "qpair(ptr=0x%" PRIx64 ", thread=%" PRIu64 ", qid=%u, subnqn=%s, "
		 "hostnqn=%s)", q->ptr, q->thread, q->qid, q->subnqn, q->hostnqn);
	if (!use_tcp || old_era)
		fprintf(expect, "%s, qd: %u\n", note, depth);
	else
		fprintf(expect, "qd: %u, %s\n", depth, note);
}

static void step(struct qpair *q, struct request *r)
{
	const struct point *p = use_tcp ? &tcp[r->state] : &rdma[r->state];
	unsigned size = r->state == 1 ? 4096 : r->state == 4 ? 131072 : 0;
	uint64_t t = ticks();

	if (!nr_entries)
		first = t;
	if (!r->state) {
		r->start = t;
		r->nr = (unsigned)nr_requests++;
		r->busy = true;
	}
	if (trace)
		put_entry(q, r, p, t, size);
	if (expect)
		put_expected(q, r, p, t, size);
	nr_entries++;
	if (++r->state == NR_STATES) {
		r->state = 0;
		r->busy = false;
	}
	now += 100 + next_random() % 4000;
}

/* Requests until `keep` of those begun are left, or fewer. */
static void serve(struct qpair *q, unsigned nr, unsigned keep)
{
	unsigned busy = 0, done = 0;

	for (unsigned i = 0; i < nr; i++)
		busy += q[i].left;
	while (done < busy * NR_STATES * 2) {
		struct qpair *at = &q[next_random() % nr];
		struct request *r = &at->req[next_random() % depth];
		unsigned open = 0;

		for (unsigned i = 0; i < nr; i++) {
			open += q[i].left;
			for (unsigned k = 0; k < depth; k++)
				open += q[i].req[k].busy;
		}
		if (open <= keep)
			break;
		if (!r->busy && !at->left)
			continue;
		at->left -= !r->busy;
		step(at, r);
		poll_once();
	}
}

/* Completes what is open, behind the removal. */
static void drain(struct qpair *q)
{
	for (unsigned k = 0; k < depth; k++)
		while (q->req[k].busy)
			step(q, &q->req[k]);
}

static void put_head(void)
{
	const struct point *p = use_tcp ? tcp : rdma;

	if (!old_era)
		fputs("Using newest trace file found: /dev/shm/nvmf_trace.0\n", trace);
	fprintf(trace, "{\"tsc_rate\":%llu,\"tpoints\":[", RATE);
	for (unsigned i = 0; i < NR_STATES; i++) {
		fprintf(trace, "%s{\"name\":\"%s\",\"id\":%u,\"new_object\":%s,\"args\":[", i ? "," : "",
			p[i].name, p[i].id, p[i].is_new ? "true" : "false");
		if (!use_tcp || old_era)
			fputs("{\"name\":\"qpair\",\"type\":1,\"size\":8},", trace);
		fputs("{\"name\":\"qd\",\"type\":0,\"size\":8}]}", trace);
	}
	fputs("],", trace);
	if (!old_era)
		fputs("\"owners\":{\"12\":\"10.0.0.9:40000\"},", trace);
	fputs("\"entries\":[", trace);
}

static void put_tail(void)
{
	fputs("]}\n", trace);
	if (old_era)
		fputs("Trace Size of lcore (0): 32768\nTrace Size of lcore (1): 32768\n", trace);
}

/* --- the target ------------------------------------------------------------------------- */

static void round_of(unsigned round)
{
	unsigned n = 0, per_host = nr_io + 1;

	/* The pointer given back last is used first: in every round another order. */
	for (unsigned h = 0; h < nr_hosts; h++)
		for (unsigned i = 0; i < per_host; i++, n++) {
			struct qpair *q = &qpairs[n];

			q->ptr = 0x7f3a10000000ull + 0x2000 * (uint64_t)((n + round) % (nr_hosts * per_host));
			connect(q, h, i);
			add_to_controller(q, h);
		}
	if (round) {
		change_subsystems(ACTIVE, PAUSED);
		change_subsystems(PAUSED, ACTIVE);
	}
	serve(qpairs, n, n);
	for (unsigned i = 0; i < n; i++) {
		disconnect(&qpairs[i]);
		drain(&qpairs[i]);
		qpairs[i].left = 0;
	}
	for (unsigned i = 0; i < n; i++)
		fini(&qpairs[i]);
	for (unsigned h = 0; h < nr_hosts; h++)
		remove_controller(h);
	if (wait_ms)
		usleep((useconds_t)wait_ms * 1000);
}

static void put_counts(FILE *f, const char *key, void *table)
{
	struct { const char *name; uint64_t n; } *t = table;

	fprintf(f, ",\"%s\":{", key);
	for (unsigned i = 0; i < MAX_COUNTS && t[i].name; i++)
		fprintf(f, "%s\"%s\":%" PRIu64, i ? "," : "", t[i].name, t[i].n);
	fputs("}", f);
}

static void put_truth(void)
{
	const char *path = getenv("XPT_TRUTH");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (!f)
		return;
	fprintf(f, "{\"workload\":\"spdk_tgt\",\"release\":\"%s\",\"pid\":%d,\"has_probes\":%s,\"entries\":%" PRIu64
		",\"requests\":%" PRIu64 ",\"lives\":%u,\"channels\":%u", release, (int)getpid(), HAVE_PROBES ? "true" : "false",
		nr_entries, nr_requests, nr_rounds * nr_hosts * (nr_io + 1), nr_channels);
	put_counts(f, "probes", probes);
	put_counts(f, "messages", messages);
	fputs("}\n", f);
	fclose(f);
}

static FILE *create(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f) {
		perror(path);
		exit(1);
	}
	return f;
}

static int usage(void)
{
	fputs("usage: spdk_tgt [-t rdma|tcp] [-T trace.json] [-R record.txt] [-E expected.txt]\n"
	      "  [-l (long names)] [-r rounds] [-h hosts] [-q io queues] [-n requests per queue]\n"
	      "  [-d depth] [-w ms between rounds: real time] [-g file that begins it]\n", stderr);
	return 2;
}

static bool take_option(int c)
{
	unsigned v = optarg ? (unsigned)strtoul(optarg, NULL, 10) : 0;

	switch (c) {
	case 't': use_tcp = !strcmp(optarg, "tcp"); return true;
	case 'T': trace = create(optarg); return true;
	case 'R': record = create(optarg); return true;
	case 'E': expect = create(optarg); return true;
	case 'l': long_names = true; return true;
	case 'r': nr_rounds = v; return true;
	case 'h': nr_hosts = v; return true;
	case 'q': nr_io = v; return true;
	case 'n': per_qpair = v; return true;
	case 'd': depth = v; return true;
	case 'w': wait_ms = v; return true;
	case 'g': go = optarg; return true;
	default: return false;
	}
}

int main(int argc, char **argv)
{
	char subnqn[224], hostnqn[224];
	int c;

	while ((c = getopt(argc, argv, "t:T:R:E:lr:h:q:n:d:w:g:")) != -1)
		if (!take_option(c))
			return usage();
	if (!depth || depth > MAX_DEPTH || !nr_hosts || nr_hosts * (nr_io + 1) > MAX_QPAIRS)
		return usage();
	while (go && access(go, F_OK))
		usleep(1000);
	if (record)
		fputs("Attaching 3 probes...\n\n", record);
	if (trace)
		put_head();
	for (enum nvmf_tgt_state state = NVMF_TGT_INIT_NONE; state <= NVMF_TGT_RUNNING; state++)
		PROBE1(nvmf_tgt_state, (int)state);
	for (unsigned i = 0; i < 2; i++)
		PROBE1_T(nvmf_create_poll_group, i + 1);
	each_subsystem(true);
	change_subsystems(INACTIVE, ACTIVE);
	name(subnqn, "cnode", 0);
	name(hostnqn, "host", 0);
	fire_rest(subnqn, hostnqn);
	for (unsigned i = 0; i < nr_rounds; i++)
		round_of(i);
	change_subsystems(ACTIVE, INACTIVE);
	each_subsystem(false);
	for (unsigned i = 0; i < 2; i++) {
		PROBE1_T(nvmf_destroy_poll_group_qpairs, i + 1);
		PROBE1_T(nvmf_destroy_poll_group, i + 1);
	}
	for (enum nvmf_tgt_state state = NVMF_TGT_FINI_STOP_SUBSYSTEMS; state <= NVMF_TGT_STOPPED; state++)
		PROBE1(nvmf_tgt_state, (int)state);
	if (trace)
		put_tail();
	for (unsigned i = 0; i < 3; i++) {
		FILE *f = i == 0 ? trace : i == 1 ? record : expect;

		if (f && fclose(f)) {
			perror("write");
			return 1;
		}
	}
	put_truth();
	return 0;
}
