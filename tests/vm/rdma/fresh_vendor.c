// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls of the driver in ../fresh (device xptw0), of which one fails where the
 * driver's parameter says: `rdma_fresh_vendor FAULT`. By the kernel's interface
 * as it is; no library has a provider for this driver. What has to be told: fresh.tsv.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "../fresh/faults.h"
#include "raw.h"
#include "say.h"

#define DEVICE "xptw0"
#define BYTES 65536
#define RING_TOO_LARGE 4000

struct device {
	int fd;
	uint32_t pd, cq, qp, mr, send_wr;
};

static void set(const char *module, const char *parameter, int value)
{
	char path[128], text[16];
	int fd;

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module, parameter);
	snprintf(text, sizeof(text), "%d", value);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	must(fd >= 0 && write(fd, text, strlen(text)) > 0, path);
	close(fd);
}

static void fail(enum xptw_faults what)
{
	set("xptw_core", "fault", what);
}

static int is_waiting(void)
{
	static const char path[] = "/sys/module/xptw_core/parameters/waiting";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char c = 0;

	must(fd >= 0 && read(fd, &c, 1) == 1, path);
	close(fd);
	return c != '0';
}

static int get_context(struct device *d)
{
	d->fd = raw_open(DEVICE);
	must(d->fd >= 0, DEVICE);
	return raw_context(d->fd);
}

static int alloc_pd(struct device *d)
{
	return raw_alloc_pd(d->fd, &d->pd);
}

static int create_cq(struct device *d)
{
	struct ib_uverbs_create_cq in = { .cqe = 16, .comp_channel = -1 };
	struct ib_uverbs_create_cq_resp out = { 0 };
	int err = raw_command(d->fd, IB_USER_VERBS_CMD_CREATE_CQ, &in, sizeof(in), &out, sizeof(out));

	if (!err)
		d->cq = out.cq_handle;
	return err;
}

static int destroy_cq(struct device *d)
{
	struct ib_uverbs_destroy_cq in = { .cq_handle = d->cq };
	struct ib_uverbs_destroy_cq_resp out = { 0 };

	return raw_command(d->fd, IB_USER_VERBS_CMD_DESTROY_CQ, &in, sizeof(in), &out, sizeof(out));
}

static int create_qp(struct device *d)
{
	struct ib_uverbs_create_qp in = {
		.pd_handle = d->pd, .send_cq_handle = d->cq, .recv_cq_handle = d->cq,
		.max_send_wr = d->send_wr ? d->send_wr : 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1,
		.qp_type = 2,
	};
	struct ib_uverbs_create_qp_resp out = { 0 };
	int err = raw_command(d->fd, IB_USER_VERBS_CMD_CREATE_QP, &in, sizeof(in), &out, sizeof(out));

	if (!err)
		d->qp = out.qp_handle;
	return err;
}

static int modify_qp(struct device *d)
{
	struct ib_uverbs_modify_qp in = { .qp_handle = d->qp, .attr_mask = 1, .qp_state = 1 };

	return raw_command(d->fd, IB_USER_VERBS_CMD_MODIFY_QP, &in, sizeof(in), NULL, 0);
}

static int destroy_qp(struct device *d)
{
	struct ib_uverbs_destroy_qp in = { .qp_handle = d->qp };
	struct ib_uverbs_destroy_qp_resp out = { 0 };

	return raw_command(d->fd, IB_USER_VERBS_CMD_DESTROY_QP, &in, sizeof(in), &out, sizeof(out));
}

static int reg_mr(struct device *d)
{
	void *p = aligned_alloc(4096, BYTES);
	struct ib_uverbs_reg_mr in = {
		.start = (uintptr_t)p, .hca_va = (uintptr_t)p, .length = BYTES, .pd_handle = d->pd, .access_flags = 1,
	};
	struct ib_uverbs_reg_mr_resp out = { 0 };
	int err;

	memset(p, 1, BYTES);
	err = raw_command(d->fd, IB_USER_VERBS_CMD_REG_MR, &in, sizeof(in), &out, sizeof(out));
	if (!err)
		d->mr = out.mr_handle;
	return err;
}

static int dereg_mr(struct device *d)
{
	struct ib_uverbs_dereg_mr in = { .mr_handle = d->mr };

	return raw_command(d->fd, IB_USER_VERBS_CMD_DEREG_MR, &in, sizeof(in), NULL, 0);
}

static int query_port(struct device *d)
{
	struct ib_uverbs_query_port in = { .port_num = 1 };
	struct ib_uverbs_query_port_resp out = { 0 };

	return raw_command(d->fd, IB_USER_VERBS_CMD_QUERY_PORT, &in, sizeof(in), &out, sizeof(out));
}

static int create_srq(struct device *d)
{
	struct ib_uverbs_create_srq in = { .pd_handle = d->pd, .max_wr = 16, .max_sge = 1 };
	struct ib_uverbs_create_srq_resp out = { 0 };

	return raw_command(d->fd, IB_USER_VERBS_CMD_CREATE_SRQ, &in, sizeof(in), &out, sizeof(out));
}

static int map_window(struct device *d)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, d->fd, 0);

	return p == MAP_FAILED ? errno : 0;
}

static void good(int err, const char *what)
{
	errno = abs(err);
	must(!err, what);
}

/* With all that a call may want. */
static struct device open_device(void)
{
	struct device d = { 0 };

	good(get_context(&d), "get_context");
	good(alloc_pd(&d), "alloc_pd");
	good(create_cq(&d), "create_cq");
	good(create_qp(&d), "create_qp");
	return d;
}

/* Those that are a call, made well before (unless there is only one of its kind), with a parameter set. */
static const struct plain {
	const char *name, *call;
	int (*run)(struct device *);
	enum xptw_faults what;
	int only_once;
} plain[] = {
	{ "w_veto", "alloc_pd", alloc_pd, XPTW_VETO, 0 },
	{ "w_jumps", "create_cq", create_cq, XPTW_JUMPS, 0 },
	{ "w_clone", "create_cq", create_cq, XPTW_CLONE, 0 },
	{ "w_written", "create_cq", create_cq, XPTW_WRITTEN, 0 },
	{ "w_ready", "create_cq", create_cq, XPTW_READY, 0 },
	{ "w_pingpong", "create_qp", create_qp, XPTW_PINGPONG, 0 },
	{ "w_steps", "create_qp", create_qp, XPTW_STEPS, 0 },
	{ "w_steps_void", "create_qp", create_qp, XPTW_STEPS_VOID, 0 },
	{ "w_steps_other", "create_qp", create_qp, XPTW_STEPS_OTHER, 0 },
	{ "w_translated", "create_qp", create_qp, XPTW_TRANSLATED, 0 },
	{ "w_silence", "modify_qp", modify_qp, XPTW_SILENCE, 0 },
	{ "w_left", "modify_qp", modify_qp, XPTW_LEFT, 0 },
	{ "w_apply", "modify_qp", modify_qp, XPTW_APPLY, 0 },
	{ "w_dead", "modify_qp", modify_qp, XPTW_DEAD, 0 },
	{ "w_optional", "modify_qp", modify_qp, XPTW_OPTIONAL, 0 },
	{ "w_both", "modify_qp", modify_qp, XPTW_BOTH, 0 },
	{ "w_again", "modify_qp", modify_qp, XPTW_AGAIN, 0 },
	{ "w_pointer", "reg_mr", reg_mr, XPTW_POINTER, 0 },
	{ "w_empty", "reg_mr", reg_mr, XPTW_EMPTY, 0 },
	{ "w_left_behind", "reg_mr", reg_mr, XPTW_LEFT_BEHIND, 0 },
	{ "w_byte", "modify_qp", modify_qp, XPTW_BYTE, 0 },
	{ "w_word", "reg_mr", reg_mr, XPTW_WORD, 0 },
	{ "w_wide", "reg_mr", reg_mr, XPTW_WIDE, 0 },
	{ "w_timer", "reg_mr", reg_mr, XPTW_TIMER, 0 },
	{ "w_tables", "reg_mr", reg_mr, XPTW_TWO_TABLES, 0 },
	{ "w_in_use", "dereg_mr", dereg_mr, XPTW_IN_USE, 1 },
	{ "w_stuck", "destroy_cq", destroy_cq, XPTW_STUCK, 1 },
	{ "w_window", "mmap", map_window, XPTW_WINDOW, 1 },
	{ "w_chosen", "create_srq", create_srq, XPTW_CHOSEN, 0 },
	{ "w_version", "get_context", get_context, XPTW_VERSION, 0 },
	{ "w_port", "query_port", query_port, XPTW_PORT, 0 },
};

static int run_plain(const struct plain *p)
{
	struct device d;
	int err;

	prctl(PR_SET_NAME, p->name);
	d = open_device();
	good(reg_mr(&d), "reg_mr");
	if (p->run == destroy_cq)
		good(create_cq(&d), "create_cq");
	if (!p->only_once)
		good(p->run(&d), p->call);
	fail(p->what);
	err = p->run(&d);
	fail(XPTW_NONE);
	return say(p->name, p->call, err);
}

static int too_many(void)
{
	struct device d = open_device();
	int err = 0;

	for (int i = 0; !err && i < 32; i++)
		err = create_qp(&d);
	return say("w_too_many", "create_qp", err);
}

/* A queue that is longer than the device's ring: the program has asked for it. */
static int ring(void)
{
	struct device d = open_device();

	d.send_wr = RING_TOO_LARGE;
	return say("w_ring", "create_qp", create_qp(&d));
}

/* A child waits for the adapter; @end is done to it meanwhile. The child's wait status. */
static int while_waiting(void (*end)(pid_t pid))
{
	int status = 1;
	pid_t pid;

	fail(XPTW_FOREVER);
	pid = fork();
	if (!pid) {
		struct device d = open_device();

		_exit(reg_mr(&d));
	}
	must(pid > 0, "fork");
	while (!is_waiting() && !waitpid(pid, &status, WNOHANG))
		usleep(10000);
	end(pid);
	waitpid(pid, &status, 0);
	fail(XPTW_NONE);
	return status;
}

static void kill_it(pid_t pid)
{
	kill(pid, SIGKILL);
}

static void unplug(pid_t unused)
{
	(void)unused;
	set("xptw", "plugged", 0);
}

static int killed(void)
{
	return say("w_killed", "reg_mr", WIFSIGNALED(while_waiting(kill_it)) ? EINTR : 0);
}

/* The adapter is pulled out while a call waits for it. */
static int pulled(void)
{
	int status = while_waiting(unplug);

	set("xptw", "plugged", 1);
	return say("w_pulled", "reg_mr", WIFEXITED(status) ? WEXITSTATUS(status) : 0);
}

/* The adapter was pulled out, and a queue is made. */
static int gone(void)
{
	struct device d = open_device();
	int err;

	set("xptw", "plugged", 0);
	err = create_cq(&d);
	close(d.fd);
	set("xptw", "plugged", 1);
	return say("w_gone", "create_cq", err);
}

/* Nothing of these fails for the program, whatever the driver goes through. */
static int neighbours(void)
{
	static const enum xptw_faults what[] = { XPTW_NONE, XPTW_UNDONE, XPTW_NONE, XPTW_SLOW };

	prctl(PR_SET_NAME, "w_neighbours");
	for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
		struct device d = open_device();

		fail(what[i]);
		good(modify_qp(&d), "modify_qp");
		good(query_port(&d), "query_port");
		good(create_srq(&d), "create_srq");
		good(reg_mr(&d), "reg_mr");
		good(dereg_mr(&d), "dereg_mr");
		good(destroy_qp(&d), "destroy_qp");
		fail(XPTW_NONE);
		good(destroy_cq(&d), "destroy_cq");
		close(d.fd);
	}
	printf("{\"healthy\":\"" DEVICE "\",\"pid\":%d}\n", getpid());
	return 0;
}

static const struct fault faults[] = {
	{ "w_too_many", too_many }, { "w_ring", ring }, { "w_killed", killed }, { "w_pulled", pulled },
	{ "w_gone", gone }, { "neighbours", neighbours }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (argc < 2)
			printf("%s\n", plain[i].name);
		else if (!strcmp(argv[1], plain[i].name))
			return run_plain(&plain[i]);
	}
	return run_fault(faults, argc, argv);
}
