// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs' own mistakes and the machine's limits, on soft RoCE (rxe0) with
 * libibverbs: `rdma_verbs FAULT`; and `rdma_verbs healthy [SECONDS]`, which
 * does what a communication library does and nothing wrong, for a round or for
 * that long; and `rdma_verbs hang SECONDS`, a call that returns only then. Each says what it saw in a line of JSON.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include "pair.h"
#include "say.h"

#define DEVICE "rxe0"
#define BIG (1 << 20)
#define NOBODY 65534

/* A user without rights may lock 64 KiB and registers a megabyte. */
static int memlock(void)
{
	struct rlimit limit = { .rlim_cur = 65536, .rlim_max = 65536 };
	struct ibv_context *ctx = pair_open_device(DEVICE);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	void *p = aligned_alloc(4096, BIG);

	must(pd && p, "alloc_pd");
	memset(p, 1, BIG);
	must(!setrlimit(RLIMIT_MEMLOCK, &limit) && !setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY), "setuid");
	return say("memlock", "ibv_reg_mr", ibv_reg_mr(pd, p, BIG, IBV_ACCESS_LOCAL_WRITE) ? 0 : errno);
}

static void pair_ready(struct pair *p)
{
	pair_open(p, DEVICE);
	errno = pair_to_init(p, 0, PORT);
	must(!errno, "modify_qp INIT");
}

static int bad_gid(void)
{
	struct pair p;

	pair_ready(&p);
	return say("bad_gid", "ibv_modify_qp", pair_to_rtr(&p, 0, 200, &p.gid));
}

/* What the simulated NCCL calls in a thread of its own. */
void *fake_nccl_net(void *unused);
void *fake_nccl_net(void *unused)
{
	struct pair p;

	(void)unused;
	pair_ready(&p);
	return (void *)(intptr_t)pair_to_rtr(&p, 0, 200, &p.gid);
}

/* The same below a communicator that is made. */
static int nccl_bad_gid(void)
{
	struct { char internal[128]; } id = { .internal = { 1, 1 } };
	__typeof__(int (*)(void **, int, __typeof__(id), int)) init;
	void *so = dlopen("libnccl.so.2", RTLD_NOW), *comm = NULL;

	must(so != NULL, "libnccl.so.2");
	*(void **)&init = dlsym(so, "ncclCommInitRank");
	must(init != NULL, "ncclCommInitRank");
	return say("nccl_bad_gid", "ncclCommInitRank", init(&comm, 1, id, 0) ? EIO : 0);
}

static int bad_state(void)
{
	struct pair p;

	pair_open(&p, DEVICE);
	return say("bad_state", "ibv_modify_qp", pair_to_rts(&p, 0));
}

static int bad_port(void)
{
	struct pair p;

	pair_open(&p, DEVICE);
	return say("bad_port", "ibv_modify_qp", pair_to_init(&p, 0, 7));
}

/* No route leads to that address (of IPv6: without one, IPv4 takes any for a neighbour). */
static int no_route(void)
{
	union ibv_gid to = { .raw = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 } };
	struct pair p;

	pair_ready(&p);
	return say("no_route", "ibv_modify_qp", pair_to_rtr(&p, 0, 0, &to));
}

/* The library asks no questions of its own: the kernel says what is too large. */
static int cq_too_large(void)
{
	struct ibv_context *ctx = pair_open_device(DEVICE);

	return say("cq_too_large", "ibv_create_cq", ibv_create_cq(ctx, 1 << 26, NULL, NULL, 0) ? 0 : errno);
}

static int qp_too_large(void)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 500, .max_recv_sge = 1 },
	};
	struct pair p;

	pair_open(&p, DEVICE);
	init.send_cq = init.recv_cq = p.cq;
	return say("qp_too_large", "ibv_create_qp", ibv_create_qp(p.pd, &init) ? 0 : errno);
}

static int unmapped(void)
{
	struct pair p;
	void *gap = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	pair_open(&p, DEVICE);
	munmap(gap, BIG);
	return say("unmapped", "ibv_reg_mr", ibv_reg_mr(p.pd, gap, BIG, IBV_ACCESS_LOCAL_WRITE) ? 0 : errno);
}

/* The same again and again, until it is killed. */
static int flood(void)
{
	struct pair p;
	void *gap = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	pair_open(&p, DEVICE);
	munmap(gap, BIG);
	while (!ibv_reg_mr(p.pd, gap, BIG, IBV_ACCESS_LOCAL_WRITE))
		;
	return 1;
}

/* Others may write what the device itself may not. */
static int bad_access(void)
{
	struct pair p;

	pair_open(&p, DEVICE);
	return say("bad_access", "ibv_reg_mr", ibv_reg_mr(p.pd, p.bytes, 4096, IBV_ACCESS_REMOTE_WRITE) ? 0 : errno);
}

static int bad_pd(void)
{
	struct pair p;

	pair_open(&p, DEVICE);
	p.pd->handle = 4711;
	return say("bad_pd", "ibv_reg_mr", ibv_reg_mr(p.pd, p.bytes, 4096, IBV_ACCESS_LOCAL_WRITE) ? 0 : errno);
}

static int bad_mr(void)
{
	struct pair p;

	pair_open(&p, DEVICE);
	p.mr->handle = 4711;
	return say("bad_mr", "ibv_dereg_mr", ibv_dereg_mr(p.mr));
}

static int no_fds(void)
{
	struct rlimit limit = { 0 };
	struct ibv_context *ctx = pair_open_device(DEVICE);

	must(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
	return say("no_fds", "ibv_create_comp_channel", ibv_create_comp_channel(ctx) ? 0 : errno);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	must(fd >= 0 && write(fd, text, strlen(text)) > 0, path);
	close(fd);
}

/* The administrator's limit for a job: six objects of RDMA. */
static int cgroup_limit(void)
{
	struct ibv_context *ctx;
	int err = 0;

	put("/sys/fs/cgroup/cgroup.subtree_control", "+rdma");
	mkdir("/sys/fs/cgroup/job", 0755);
	put("/sys/fs/cgroup/job/rdma.max", DEVICE " hca_handle=4 hca_object=6");
	put("/sys/fs/cgroup/job/cgroup.procs", "0");
	ctx = pair_open_device(DEVICE);
	for (int i = 0; !err && i < 16; i++)
		err = ibv_create_cq(ctx, 8, NULL, NULL, 0) ? 0 : errno;
	return say("cgroup_limit", "ibv_create_cq", err);
}

/* The driver has no such operation; libraries that know it do not even ask. 0 or an errno. */
static int reg_dmabuf(struct pair *p, int fd)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr[9];
	} m = { .hdr = { .length = sizeof(m), .object_id = UVERBS_OBJECT_MR, .num_attrs = 9,
			 .method_id = UVERBS_METHOD_REG_DMABUF_MR, .driver_id = RDMA_DRIVER_RXE } };
	static const uint16_t len[] = { 0, 0, 8, 8, 8, 4, 4, 4, 4 };
	uint32_t keys[2];

	for (int i = 0; i < 9; i++) {
		m.attr[i].attr_id = i;
		m.attr[i].len = len[i];
		m.attr[i].flags = UVERBS_ATTR_F_MANDATORY;
	}
	m.attr[UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE].data = p->pd->handle;
	m.attr[UVERBS_ATTR_REG_DMABUF_MR_LENGTH].data = 4096;
	m.attr[UVERBS_ATTR_REG_DMABUF_MR_FD].data = (uint32_t)fd;
	m.attr[UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS].data = 1;
	m.attr[UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY].data = (uintptr_t)&keys[0];
	m.attr[UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY].data = (uintptr_t)&keys[1];
	return ioctl(p->ctx->cmd_fd, RDMA_VERBS_IOCTL, &m) ? errno : 0;
}

/* What is registered is no dma-buf; the descriptor is one, so that this is no question. */
static int no_dmabuf(void)
{
	struct pair p;

	pair_open(&p, DEVICE);
	return say("no_dmabuf", "reg_dmabuf_mr", reg_dmabuf(&p, open("/dev/null", O_RDWR)));
}

/* A question, as NCCL puts it. */
static int dmabuf_question(void)
{
	struct pair p;

	pair_open(&p, DEVICE);
	return say("dmabuf_question", "reg_dmabuf_mr", reg_dmabuf(&p, -1));
}

/* Whether a queue pair can have that inline size. */
static int takes_inline(struct pair *p, uint32_t size)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = p->cq, .recv_cq = p->cq,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = size },
	};
	struct ibv_qp *qp = ibv_create_qp(p->pd, &init);

	pair_calls++;
	return qp ? !ibv_destroy_qp(qp) : 0;
}

/* The largest one by trial, as libfabric looks for it. */
static void search_inline(struct pair *p)
{
	uint32_t good = 2, bad;

	while (takes_inline(p, good * 2))
		good *= 2;
	for (bad = good * 2; bad - good > 2;) {
		uint32_t size = good + (bad - good) / 2;

		if (takes_inline(p, size))
			good = size;
		else
			bad = size;
	}
	must(takes_inline(p, good), "create_qp with the largest inline size");
}

static void *wait_event(void *ctx)
{
	struct ibv_async_event event;

	while (!ibv_get_async_event(ctx, &event)) {
		int is_port = event.event_type == IBV_EVENT_PORT_ERR;

		ibv_ack_async_event(&event);
		if (is_port)
			return ctx;
	}
	return NULL;
}

static int link_down(void)
{
	struct pair p;
	pthread_t thread;
	void *seen = NULL;

	pair_open(&p, DEVICE);
	must(!pthread_create(&thread, NULL, wait_event, p.ctx), "thread");
	must(!system("ip link set dm0 down"), "ip link set dm0 down");
	pthread_join(thread, &seen);
	must(!system("ip link set dm0 up"), "ip link set dm0 up");
	return say("link_down", "IBV_EVENT_PORT_ERR", seen ? ENETDOWN : 0);
}

static int connect_both(struct pair *p)
{
	int err = 0;

	for (int i = 0; i < 2 && !err; i++)
		err = pair_to_init(p, i, PORT);
	for (int i = 0; i < 2 && !err; i++)
		err = pair_to_rtr(p, i, GID, &p->gid);
	for (int i = 0; i < 2 && !err; i++)
		err = pair_to_rts(p, i);
	return err;
}

/* Tells how the library answers NCCL's question: EBADF says yes, EOPNOTSUPP no. */
static int round_of(void)
{
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	union ibv_gid gid;
	struct pair p;
	int answer;

	pair_open(&p, DEVICE);
	must(!ibv_query_device(p.ctx, &attr) && !ibv_query_port(p.ctx, PORT, &port), "query");
	search_inline(&p);
	must(reg_dmabuf(&p, -1) != 0, "a question");
	for (int i = 0; i < 4; i++)
		must(!ibv_query_gid(p.ctx, PORT, i, &gid), "query_gid");
	must(!ibv_reg_dmabuf_mr(p.pd, 0, 0, 0, -1, 0), "reg_dmabuf_mr");
	answer = errno;
	errno = connect_both(&p);
	must(!errno, "modify_qp");
	for (int i = 0; i < 4 && !errno; i++)
		errno = pair_transfer(&p);
	must(!errno, "transfer");
	pair_close(&p);
	pair_calls += 7;
	return answer;
}

static int healthy(double seconds)
{
	struct timespec t0, t;
	int rounds = 0, answer;

	prctl(PR_SET_NAME, "healthy");
	clock_gettime(CLOCK_MONOTONIC, &t0);
	do {
		answer = round_of();
		rounds++;
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (t.tv_sec - t0.tv_sec + (t.tv_nsec - t0.tv_nsec) / 1e9 < seconds);
	printf("{\"healthy\":\"%s\",\"pid\":%d,\"rounds\":%d,\"calls\":%d,\"reg_dmabuf_mr\":\"%s\"}\n", DEVICE,
	       getpid(), rounds, pair_calls, strerrorname_np(answer));
	return 0;
}

static void *register_page(void *page)
{
	return ibv_reg_mr(ibv_alloc_pd(pair_open_device(DEVICE)), page, 4096, IBV_ACCESS_LOCAL_WRITE);
}

/* The page of memory that is registered comes after so long: its own program has to deliver it. */
static int hang(double seconds)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_zeropage zero = { .mode = 0 };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *mr;
	pthread_t thread;

	prctl(PR_SET_NAME, "hang");
	range.range = zero.range = (struct uffdio_range){ (uintptr_t)page, 4096 };
	must(fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &range), "userfaultfd");
	must(!pthread_create(&thread, NULL, register_page, page), "thread");
	usleep((useconds_t)(seconds * 1e6));
	must(!ioctl(fd, UFFDIO_ZEROPAGE, &zero) && !pthread_join(thread, &mr), "zeropage");
	return !mr;
}

static const struct fault faults[] = {
	{ "memlock", memlock }, { "bad_gid", bad_gid }, { "nccl_bad_gid", nccl_bad_gid }, { "bad_state", bad_state }, { "bad_port", bad_port },
	{ "no_route", no_route }, { "cq_too_large", cq_too_large }, { "qp_too_large", qp_too_large },
	{ "unmapped", unmapped }, { "flood", flood }, { "bad_access", bad_access }, { "bad_pd", bad_pd }, { "bad_mr", bad_mr },
	{ "no_fds", no_fds }, { "cgroup_limit", cgroup_limit }, { "no_dmabuf", no_dmabuf }, { "dmabuf_question", dmabuf_question }, { "link_down", link_down }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "healthy"))
		return healthy(argc > 2 ? strtod(argv[2], NULL) : 0);
	if (argc > 2 && !strcmp(argv[1], "hang"))
		return hang(strtod(argv[2], NULL));
	return run_fault(faults, argc, argv);
}
