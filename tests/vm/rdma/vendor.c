// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls of the driver in ../vendor (device xptv0), whose parameters say what
 * fails: `rdma_vendor FAULT`. No library has a provider for it, so the kernel's
 * interface is used as it is: commands by write(2), as old libraries send them,
 * and ioctl(2) where there is no command. The parameter files must be writable.
 */
#include <poll.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "uverbs.h"

#define PARAMETERS "/sys/module/%s/parameters/%s"
#define MR_BYTES 65536

struct device {
	int fd, async_fd;
	uint32_t pd, cq;
};

static void set(const char *parameter, const char *value)
{
	char path[128];
	int fd;

	/* Those of the firmware are the core module's. */
	snprintf(path, sizeof(path), PARAMETERS, strncmp(parameter, "fw_", 3) ? "xptv" : "xptv_core", parameter);
	fd = open(path, O_WRONLY);
	must(fd >= 0 && write(fd, value, strlen(value)) > 0, path);
	close(fd);
}

static int alloc_pd(struct device *d)
{
	struct ib_uverbs_alloc_pd in = { 0 };
	struct ib_uverbs_alloc_pd_resp out = { 0 };
	int err = uverbs_command(d->fd, IB_USER_VERBS_CMD_ALLOC_PD, &in, sizeof(in), &out, sizeof(out));

	d->pd = out.pd_handle;
	return err;
}

static int create_cq(struct device *d)
{
	struct ib_uverbs_create_cq in = { .cqe = 16, .comp_channel = -1 };
	struct ib_uverbs_create_cq_resp out = { 0 };
	int err = uverbs_command(d->fd, IB_USER_VERBS_CMD_CREATE_CQ, &in, sizeof(in), &out, sizeof(out));

	if (!err)
		d->cq = out.cq_handle;
	return err;
}

static int create_qp(struct device *d, uint32_t *ret_qp)
{
	struct ib_uverbs_create_qp in = {
		.pd_handle = d->pd, .send_cq_handle = d->cq, .recv_cq_handle = d->cq,
		.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1, .qp_type = 2,
	};
	struct ib_uverbs_create_qp_resp out = { 0 };
	int err = uverbs_command(d->fd, IB_USER_VERBS_CMD_CREATE_QP, &in, sizeof(in), &out, sizeof(out));

	if (!err)
		*ret_qp = out.qp_handle;
	return err;
}

static int modify_qp(struct device *d, uint32_t qp, uint8_t state)
{
	struct ib_uverbs_modify_qp in = { .qp_handle = qp, .attr_mask = 1, .qp_state = state };

	return uverbs_command(d->fd, IB_USER_VERBS_CMD_MODIFY_QP, &in, sizeof(in), NULL, 0);
}

static int reg_mr_at(struct device *d, void *p)
{
	struct ib_uverbs_reg_mr in = {
		.start = (uintptr_t)p, .hca_va = (uintptr_t)p, .length = MR_BYTES,
		.pd_handle = d->pd, .access_flags = 1,
	};
	struct ib_uverbs_reg_mr_resp out = { 0 };

	return uverbs_command(d->fd, IB_USER_VERBS_CMD_REG_MR, &in, sizeof(in), &out, sizeof(out));
}

static int reg_mr(struct device *d)
{
	void *p = aligned_alloc(4096, MR_BYTES);

	memset(p, 1, MR_BYTES);
	return reg_mr_at(d, p);
}

static void set_attr(struct ib_uverbs_attr *a, uint16_t id, uint16_t len, uint64_t data, int output)
{
	a->attr_id = id;
	a->len = len;
	a->flags = output ? 0 : UVERBS_ATTR_F_MANDATORY;
	a->data = data;
}

static int reg_dmabuf(struct device *d, int buf)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr[9];
	} m = { .hdr = { .length = sizeof(m), .object_id = UVERBS_OBJECT_MR, .num_attrs = 9,
			 .method_id = UVERBS_METHOD_REG_DMABUF_MR } };
	uint32_t lkey, rkey;

	set_attr(&m.attr[0], UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0, 0, 0);
	set_attr(&m.attr[1], UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 0, d->pd, 0);
	set_attr(&m.attr[2], UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, 0, 0);
	set_attr(&m.attr[3], UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, 4096, 0);
	set_attr(&m.attr[4], UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, 0, 0);
	set_attr(&m.attr[5], UVERBS_ATTR_REG_DMABUF_MR_FD, 4, (uint32_t)buf, 0);
	set_attr(&m.attr[6], UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 4, 1, 0);
	set_attr(&m.attr[7], UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4, (uintptr_t)&lkey, 1);
	set_attr(&m.attr[8], UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4, (uintptr_t)&rkey, 1);
	return ioctl(d->fd, RDMA_VERBS_IOCTL, &m) < 0 ? errno : 0;
}

/* With a protection domain and a queue for completions. */
static struct device open_device(void)
{
	struct device d = { .fd = uverbs_open("xptv0") };

	must(d.fd >= 0, "xptv0");
	d.async_fd = uverbs_context(d.fd);
	errno = alloc_pd(&d);
	must(!errno, "alloc_pd");
	errno = create_cq(&d);
	must(!errno, "create_cq");
	return d;
}

/* A registration with a parameter changed. */
static int mr_with(const char *fault, const char *parameter, const char *value)
{
	struct device d = open_device();
	int err;

	set(parameter, value);
	err = reg_mr(&d);
	set(parameter, "0");
	return say(fault, "reg_mr", err);
}

static int depth_1(void) { return mr_with("vendor_depth_1", "fail_depth", "1"); }
static int depth_3(void) { return mr_with("vendor_depth_3", "fail_depth", "3"); }
static int depth_5(void) { return mr_with("vendor_depth_5", "fail_depth", "5"); }

static int no_memory(void)
{
	return mr_with("vendor_nomem", "mr_bytes", "70368744177664");
}

static int timeout(void)
{
	struct device d = open_device();
	uint32_t qp = 0;
	int err;

	errno = create_qp(&d, &qp);
	must(!errno, "create_qp");
	set("fail_errno", "110");
	set("fail_depth", "4");
	err = modify_qp(&d, qp, 1);
	set("fail_depth", "0");
	set("fail_errno", "5");
	return say("vendor_timeout", "modify_qp", err);
}

/* The driver forgets the sign: write(2) tells of 22 bytes, and the program finds no errno. */
static int positive(void)
{
	struct ib_uverbs_modify_qp in = { .attr_mask = 1, .qp_state = 1 };
	struct device d = open_device();
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_modify_qp in;
	} m = { .hdr = { .command = IB_USER_VERBS_CMD_MODIFY_QP, .in_words = sizeof(m) / 4 } };
	ssize_t n;

	errno = create_qp(&d, &in.qp_handle);
	must(!errno, "create_qp");
	m.in = in;
	set("fail_errno", "-22");
	set("fail_depth", "2");
	n = write(d.fd, &m, sizeof(m));
	set("fail_depth", "0");
	set("fail_errno", "5");
	return say("vendor_positive", "modify_qp", n == 22 ? -22 : 0);
}

/* The firmware refuses what the call asks of it. */
static int refused(const char *fault, const char *call, const char *status, const char *syndrome)
{
	struct device d = open_device();
	uint32_t qp = 0;
	int err = 0;

	if (!strcmp(call, "modify_qp"))
		err = create_qp(&d, &qp);
	errno = err;
	must(!err, "create_qp");
	set("fw_syndrome", syndrome);
	set("fw_status", status);
	err = !strcmp(call, "reg_mr") ? reg_mr(&d) : !strcmp(call, "create_qp") ? create_qp(&d, &qp) :
	      modify_qp(&d, qp, 1);
	set("fw_status", "0");
	return say(fault, call, err);
}

static int fw_parameter(void) { return refused("fw_parameter", "modify_qp", "3", "0x1d7ac"); }
static int fw_resources(void) { return refused("fw_resources", "create_qp", "15", "0x68cb3b"); }
static int fw_internal(void) { return refused("fw_internal", "reg_mr", "1", "0xdeadbeef"); }

/* A driver that has no tracepoint. */
static int fw_in_log(void)
{
	int err;

	set("fw_log", "1");
	err = refused("fw_in_log", "modify_qp", "2", "0x4bb88f");
	set("fw_log", "0");
	return err;
}

static int fw_alone(void)
{
	set("fw_event", "1");
	return say("fw_alone", "none", EINVAL);
}

/* The call goes well, and what an interrupt tells meanwhile is not of it. */
static int fw_interrupt(void)
{
	struct device d = open_device();
	uint32_t qp;

	set("fw_interrupt", "1");
	errno = create_qp(&d, &qp);
	set("fw_interrupt", "0");
	must(!errno, "create_qp");
	return say("fw_interrupt", "none", EINVAL);
}

/* The device's limit is one more than what is there. */
static int too_many(const char *fault, const char *call, const char *parameter, int (*make)(struct device *))
{
	struct device d = open_device();
	int err = 0;

	set(parameter, "2");
	for (int i = 0; !err && i < 8; i++)
		err = make(&d);
	set(parameter, "1024");
	return say(fault, call, err);
}

static int a_qp(struct device *d)
{
	uint32_t qp;

	return create_qp(d, &qp);
}

static int many_qps(void) { return too_many("too_many_qps", "create_qp", "max_qp", a_qp); }
static int many_cqs(void) { return too_many("too_many_cqs", "create_cq", "max_cq", create_cq); }
static int many_mrs(void) { return too_many("too_many_mrs", "reg_mr", "max_mr", reg_mr); }

static int unmapped(void)
{
	struct device d = open_device();
	void *p = mmap(NULL, MR_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p, MR_BYTES);
	return say("vendor_unmapped", "reg_mr", reg_mr_at(&d, p));
}

static int a_dmabuf(void)
{
	int fd = open("/dev/xptv_buf", O_RDWR), buf = fd < 0 ? -1 : ioctl(fd, 0);

	must(buf >= 0, "xptv_buf");
	close(fd);
	return buf;
}

/* The same call is good without the defect. */
static int narrow_as(const char *name, const char *way)
{
	struct device d = open_device();
	int buf = a_dmabuf(), err;

	errno = reg_dmabuf(&d, buf);
	must(!errno, "reg_dmabuf_mr");
	set("narrow", way);
	err = reg_dmabuf(&d, buf);
	set("narrow", "0");
	return say(name, "reg_dmabuf_mr", err);
}

static int narrow(void) { return narrow_as("narrow", "1"); }
static int narrow_unsigned(void) { return narrow_as("narrow_unsigned", "2"); }

static int no_dmabuf(void)
{
	struct device d = open_device();

	return say("not_a_dmabuf", "reg_dmabuf_mr", reg_dmabuf(&d, open("/dev/null", O_RDWR)));
}

static int gone(void)
{
	struct device d = open_device();
	int err;

	set("plugged", "0");
	err = alloc_pd(&d);
	close(d.fd);
	set("plugged", "1");
	return say("device_gone", "alloc_pd", err);
}

static int is_set(const char *parameter)
{
	char path[128], c = 0;
	int fd;

	snprintf(path, sizeof(path), PARAMETERS, "xptv", parameter);
	fd = open(path, O_RDONLY);
	must(fd >= 0 && read(fd, &c, 1) == 1, path);
	close(fd);
	return c != '0';
}

/* A process dies while the adapter works on its registration. */
static int killed(void)
{
	int status = 0;
	pid_t pid;

	set("wait_ms", "60000");
	pid = fork();
	if (!pid) {
		struct device d = open_device();

		reg_mr(&d);
		_exit(0);
	}
	must(pid > 0, "fork");
	while (!is_set("waiting") && !waitpid(pid, &status, WNOHANG))
		usleep(10000);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	set("wait_ms", "0");
	return say("killed", "reg_mr", WIFSIGNALED(status) ? EINTR : 0);
}

static int event(const char *fault, const char *what, uint32_t type)
{
	struct device d = open_device();
	struct ib_uverbs_async_event_desc desc = { 0 };
	struct pollfd async = { .fd = d.async_fd, .events = POLLIN };
	uint32_t qp;

	errno = create_qp(&d, &qp);
	must(!errno, "create_qp");
	set("event", what);
	must(poll(&async, 1, 10000) == 1 && read(d.async_fd, &desc, sizeof(desc)) == sizeof(desc), "event");
	return say(fault, "event", desc.event_type == type ? EIO : 0);
}

/* Numbers of enum ib_event_type. */
static int qp_fatal(void) { return event("qp_fatal", "qp", 1); }
static int device_fatal(void) { return event("device_fatal", "device", 8); }

/* All that the others do, and nothing of it fails. */
static int healthy(void)
{
	for (int i = 0; i < 20; i++) {
		struct device d = open_device();
		uint32_t qp = 0;
		int err = create_qp(&d, &qp);

		for (uint8_t state = 1; !err && state <= 3; state++)
			err = modify_qp(&d, qp, state);
		err = err ? err : reg_mr(&d);
		err = err ? err : reg_dmabuf(&d, a_dmabuf());
		errno = err;
		must(!err, "healthy");
		close(d.fd);
	}
	printf("{\"healthy\":\"xptv0\",\"pid\":%d,\"rounds\":20}\n", getpid());
	return 0;
}

static const struct fault faults[] = {
	{ "vendor_depth_1", depth_1 }, { "vendor_depth_3", depth_3 }, { "vendor_depth_5", depth_5 },
	{ "vendor_positive", positive }, { "vendor_nomem", no_memory }, { "vendor_timeout", timeout }, { "vendor_unmapped", unmapped },
	{ "too_many_qps", many_qps }, { "too_many_cqs", many_cqs }, { "too_many_mrs", many_mrs },
	{ "narrow", narrow }, { "narrow_unsigned", narrow_unsigned }, { "not_a_dmabuf", no_dmabuf }, { "device_gone", gone },
	{ "killed", killed }, { "qp_fatal", qp_fatal }, { "device_fatal", device_fatal },
	{ "fw_parameter", fw_parameter }, { "fw_resources", fw_resources },
	{ "fw_internal", fw_internal }, { "fw_in_log", fw_in_log }, { "fw_alone", fw_alone },
	{ "fw_interrupt", fw_interrupt },
	{ "vendor_healthy", healthy }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_fault(faults, argc, argv);
}
