// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls of the driver in ../untuned (device xptu0), of which one fails where
 * the driver's parameter says: `rdma_untuned_vendor FAULT`. By the kernel's
 * interface as it is; no library has a provider for this driver.
 */
#include <grp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "../untuned/faults.h"
#include "raw.h"
#include "say.h"

#define PARAMETERS "/sys/module/%s/parameters/%s"
#define BYTES 65536
#define NOBODY 65534

struct device {
	int fd;
	uint32_t pd, cq, qp;
};

static void set(const char *module, const char *parameter, int value)
{
	char path[128], text[16];
	int fd;

	snprintf(path, sizeof(path), PARAMETERS, module, parameter);
	snprintf(text, sizeof(text), "%d", value);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	must(fd >= 0 && write(fd, text, strlen(text)) > 0, path);
	close(fd);
}

static void fail(enum xptu_faults what)
{
	set("xptu_core", "fault", what);
}

static int is_waiting(void)
{
	char path[128], c = 0;
	int fd;

	snprintf(path, sizeof(path), PARAMETERS, "xptu_core", "waiting");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	must(fd >= 0 && read(fd, &c, 1) == 1, path);
	close(fd);
	return c != '0';
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

/* With more than the driver knows of, where @extra is set. */
static int create_qp_with(struct device *d, size_t extra)
{
	struct {
		struct ib_uverbs_create_qp cmd;
		uint64_t extra[2];
	} in = { .cmd = {
		.pd_handle = d->pd, .send_cq_handle = d->cq, .recv_cq_handle = d->cq,
		.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1, .qp_type = 2,
	} };
	struct ib_uverbs_create_qp_resp out = { 0 };
	int err = raw_command(d->fd, IB_USER_VERBS_CMD_CREATE_QP, &in, sizeof(in.cmd) + extra, &out, sizeof(out));

	if (!err)
		d->qp = out.qp_handle;
	return err;
}

static int create_qp(struct device *d)
{
	return create_qp_with(d, 0);
}

static int modify_qp(struct device *d)
{
	struct ib_uverbs_modify_qp in = { .qp_handle = d->qp, .attr_mask = 1, .qp_state = 1 };

	return raw_command(d->fd, IB_USER_VERBS_CMD_MODIFY_QP, &in, sizeof(in), NULL, 0);
}

static int query_qp(struct device *d)
{
	struct ib_uverbs_query_qp in = { .qp_handle = d->qp };
	struct ib_uverbs_query_qp_resp out = { 0 };

	return raw_command(d->fd, IB_USER_VERBS_CMD_QUERY_QP, &in, sizeof(in), &out, sizeof(out));
}

static int destroy_qp(struct device *d)
{
	struct ib_uverbs_destroy_qp in = { .qp_handle = d->qp };
	struct ib_uverbs_destroy_qp_resp out = { 0 };

	return raw_command(d->fd, IB_USER_VERBS_CMD_DESTROY_QP, &in, sizeof(in), &out, sizeof(out));
}

static int reg_mr_get(struct device *d, uint32_t *ret_mr)
{
	void *p = aligned_alloc(4096, BYTES);
	struct ib_uverbs_reg_mr in = {
		.start = (uintptr_t)p, .hca_va = (uintptr_t)p, .length = BYTES, .pd_handle = d->pd, .access_flags = 1,
	};
	struct ib_uverbs_reg_mr_resp out = { 0 };
	int err;

	memset(p, 1, BYTES);
	err = raw_command(d->fd, IB_USER_VERBS_CMD_REG_MR, &in, sizeof(in), &out, sizeof(out));
	*ret_mr = out.mr_handle;
	return err;
}

static int reg_mr(struct device *d)
{
	uint32_t mr;

	return reg_mr_get(d, &mr);
}

static int dereg_mr(int fd, uint32_t mr)
{
	struct ib_uverbs_dereg_mr in = { .mr_handle = mr };

	return raw_command(fd, IB_USER_VERBS_CMD_DEREG_MR, &in, sizeof(in), NULL, 0);
}

static int query_port(struct device *d)
{
	struct ib_uverbs_query_port in = { .port_num = 1 };
	struct ib_uverbs_query_port_resp out = { 0 };

	return raw_command(d->fd, IB_USER_VERBS_CMD_QUERY_PORT, &in, sizeof(in), &out, sizeof(out));
}

static int query_device(struct device *d)
{
	struct ib_uverbs_ex_query_device in = { 0 };
	struct ib_uverbs_ex_query_device_resp out = { 0 };

	return raw_command_ex(d->fd, IB_USER_VERBS_EX_CMD_QUERY_DEVICE, &in, sizeof(in), &out, sizeof(out));
}

static int create_ah(struct device *d)
{
	struct ib_uverbs_create_ah in = { .pd_handle = d->pd, .attr = { .dlid = 1, .port_num = 1 } };
	struct ib_uverbs_create_ah_resp out = { 0 };

	return raw_command(d->fd, IB_USER_VERBS_CMD_CREATE_AH, &in, sizeof(in), &out, sizeof(out));
}

static int create_srq(struct device *d)
{
	struct ib_uverbs_create_srq in = { .pd_handle = d->pd, .max_wr = 16, .max_sge = 1 };
	struct ib_uverbs_create_srq_resp out = { 0 };

	return raw_command(d->fd, IB_USER_VERBS_CMD_CREATE_SRQ, &in, sizeof(in), &out, sizeof(out));
}

static int alloc_pd(struct device *d)
{
	uint32_t pd;

	return raw_alloc_pd(d->fd, &pd);
}

static void good(int err, const char *what)
{
	errno = abs(err);
	must(!err, what);
}

/* With all that a call may want. */
static struct device open_device(void)
{
	struct device d = { .fd = raw_open("xptu0") };

	must(d.fd >= 0, "xptu0");
	good(raw_context(d.fd), "get_context");
	good(raw_alloc_pd(d.fd, &d.pd), "alloc_pd");
	good(create_cq(&d), "create_cq");
	good(create_qp(&d), "create_qp");
	return d;
}

/* The table of those that are a call, made well before, with a parameter set. */
static const struct plain {
	const char *name, *call;
	int (*run)(struct device *);
	enum xptu_faults what;
} plain[] = {
	{ "u_status", "create_qp", create_qp, XPTU_STATUS },
	{ "u_refused", "modify_qp", modify_qp, XPTU_REFUSED },
	{ "u_callback", "reg_mr", reg_mr, XPTU_CALLBACK },
	{ "u_generation", "modify_qp", modify_qp, XPTU_GENERATION },
	{ "u_retries", "create_cq", create_cq, XPTU_RETRIES },
	{ "u_rollback", "create_qp", create_qp, XPTU_ROLLBACK },
	{ "u_roll_same", "create_cq", create_cq, XPTU_ROLLBACK_SAME },
	{ "u_roll_other", "reg_mr", reg_mr, XPTU_ROLLBACK_OTHER },
	{ "u_worker", "create_qp", create_qp, XPTU_WORKER },
	{ "u_silent", "modify_qp", modify_qp, XPTU_SILENT },
	{ "u_positive", "create_cq", create_cq, XPTU_POSITIVE },
	{ "u_unsigned", "reg_mr", reg_mr, XPTU_UNSIGNED },
	{ "u_void", "create_ah", create_ah, XPTU_VOID },
	{ "u_bool", "create_srq", create_srq, XPTU_BOOL },
	{ "u_null", "create_ah", create_ah, XPTU_NULL },
	{ "u_converted", "modify_qp", modify_qp, XPTU_CONVERTED },
	{ "u_destroy", "destroy_qp", destroy_qp, XPTU_DESTROY },
	{ "u_query_port", "query_port", query_port, XPTU_QUERY_PORT },
	{ "u_query_qp", "query_qp", query_qp, XPTU_QUERY_QP },
	{ "u_tail", "query_device", query_device, XPTU_TAIL },
	{ "u_deep", "reg_mr", reg_mr, XPTU_DEEP },
	{ "u_huge", "reg_mr", reg_mr, XPTU_HUGE },
};

static int run_plain(const struct plain *p)
{
	struct device d;
	int err;

	prctl(PR_SET_NAME, p->name);
	d = open_device();
	if (p->run != destroy_qp)
		good(p->run(&d), p->call);
	fail(p->what);
	err = p->run(&d);
	fail(XPTU_NONE);
	return say(p->name, p->call, err);
}

/* More domains than the adapter has: the table says so, of the kernel's own kind. */
static int too_many_domains(void)
{
	struct device d = open_device();
	int err = 0;

	for (int i = 0; !err && i < 32; i++)
		err = alloc_pd(&d);
	return say("u_domains", "alloc_pd", err);
}

static int too_many_keys(void)
{
	struct device d = open_device();
	int err = 0;

	for (int i = 0; !err && i < 32; i++)
		err = reg_mr(&d);
	return say("u_keys", "reg_mr", err);
}

static void wake(int unused)
{
	(void)unused;
}

/* A timer of the program's comes while it waits for the adapter. */
static int interrupted(void)
{
	struct sigaction act = { .sa_handler = wake };
	int status = 1;
	pid_t pid;

	fail(XPTU_SIGNAL);
	sigaction(SIGUSR1, &act, NULL);
	pid = fork();
	if (!pid) {
		struct device d = open_device();

		_exit(reg_mr(&d));
	}
	must(pid > 0, "fork");
	while (!is_waiting() && !waitpid(pid, &status, WNOHANG))
		usleep(10000);
	kill(pid, SIGUSR1);
	waitpid(pid, &status, 0);
	fail(XPTU_NONE);
	return say("u_signal", "reg_mr", WIFEXITED(status) ? WEXITSTATUS(status) : 0);
}

static int still_used(void)
{
	struct device d = open_device();
	uint32_t mr;
	int err;

	good(reg_mr_get(&d, &mr), "reg_mr");
	fail(XPTU_DEREG);
	err = dereg_mr(d.fd, mr);
	fail(XPTU_NONE);
	return say("u_dereg", "dereg_mr", err);
}

/* The call is a user's who has no rights. */
static int no_rights(void)
{
	int status = 0;
	pid_t pid;

	fail(XPTU_RIGHTS);
	pid = fork();
	if (!pid)
		_exit(setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY) ? 255 : raw_context(raw_open("xptu0")));
	waitpid(pid, &status, 0);
	fail(XPTU_NONE);
	return say("u_rights", "get_context", WIFEXITED(status) ? WEXITSTATUS(status) : 0);
}

static int long_request(void)
{
	struct device d = open_device();

	return say("u_request", "create_qp", create_qp_with(&d, 16));
}

static int bad_page(void)
{
	struct device d = open_device();
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, d.fd, 7 * 4096);

	return say("u_mmap", "mmap", p == MAP_FAILED ? errno : 0);
}

/* Bits of access that nobody has given a meaning. */
static int dmabuf_bits(void)
{
	struct raw_method m = raw_method(UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR);
	struct device d = open_device();
	uint32_t lkey, rkey;

	raw_in(&m, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0, 0);
	raw_in(&m, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 0, d.pd);
	raw_in(&m, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, 0);
	raw_in(&m, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, 4096);
	raw_in(&m, UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, 0);
	raw_in(&m, UVERBS_ATTR_REG_DMABUF_MR_FD, 4, 0);
	raw_in(&m, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 4, 1u << 18);
	raw_in(&m, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4, (uintptr_t)&lkey);
	raw_in(&m, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4, (uintptr_t)&rkey);
	return say("u_dmabuf_bits", "reg_dmabuf_mr", raw_call(d.fd, &m));
}

/* The adapter is pulled out; its program goes on with the queue pair that it had. */
static int gone(void)
{
	struct device d = open_device();
	int err;

	set("xptu", "plugged", 0);
	err = modify_qp(&d);
	close(d.fd);
	set("xptu", "plugged", 1);
	return say("u_gone", "modify_qp", err);
}

/* Nothing of these fails for the program, whatever the driver goes through. */
static int neighbours(void)
{
	static const enum xptu_faults what[] = { XPTU_NONE, XPTU_GOES_WELL, XPTU_FALLS_BACK };

	prctl(PR_SET_NAME, "u_neighbours");
	for (size_t i = 0; i < 3 * sizeof(what) / sizeof(what[0]); i++) {
		struct device d;
		uint32_t mr;

		fail(what[i % (sizeof(what) / sizeof(what[0]))]);
		d = open_device();
		good(modify_qp(&d), "modify_qp");
		good(query_qp(&d), "query_qp");
		good(query_port(&d), "query_port");
		good(query_device(&d), "query_device");
		good(create_srq(&d), "create_srq");
		good(create_ah(&d), "create_ah");
		good(reg_mr_get(&d, &mr), "reg_mr");
		good(dereg_mr(d.fd, mr), "dereg_mr");
		good(destroy_qp(&d), "destroy_qp");
		close(d.fd);
	}
	fail(XPTU_NONE);
	printf("{\"healthy\":\"xptu0\",\"pid\":%d}\n", getpid());
	return 0;
}

static const struct fault faults[] = {
	{ "u_domains", too_many_domains }, { "u_keys", too_many_keys }, { "u_signal", interrupted },
	{ "u_dereg", still_used }, { "u_rights", no_rights }, { "u_request", long_request }, { "u_mmap", bad_page },
	{ "u_dmabuf_bits", dmabuf_bits }, { "u_gone", gone }, { "neighbours", neighbours }, { NULL, NULL },
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
