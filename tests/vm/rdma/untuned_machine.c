// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the machine does to programs on soft RoCE: its limits and permissions,
 * the network below, requests that are no requests, and librdmacm's part of the
 * kernel: `rdma_untuned_machine FAULT`. What has to be told: untuned.tsv.
 */
#include <arpa/inet.h>
#include <grp.h>
#include <rdma/rdma_user_cm.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "pair.h"
#include "raw.h"
#include "say.h"

#define DEVICE "rxe0"
#define NOBODY 65534
#define MIB (1ul << 20)

static int open_raw(void)
{
	int fd = raw_open(DEVICE);

	must(fd >= 0, DEVICE);
	return fd;
}

static int open_context(void)
{
	int fd = open_raw();

	errno = raw_context(fd);
	must(!errno, "get_context");
	return fd;
}

static void become_nobody(void)
{
	must(!setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY), "setuid");
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	must(fd >= 0 && write(fd, text, strlen(text)) > 0, path);
	close(fd);
}

static void run(const char *command)
{
	errno = 0;
	must(!system(command), command);
}

/* The queue pair of network packets is for those who may see them. */
static int raw_user(void)
{
	struct pair p;
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	pair_open(&p, DEVICE);
	init.send_cq = init.recv_cq = p.cq;
	become_nobody();
	return say("r_raw_user", "ibv_create_qp", ibv_create_qp(p.pd, &init) ? 0 : errno);
}

/* Half of what a user may lock, and then more than the rest. */
static int memlock_rest(void)
{
	struct rlimit limit = { .rlim_cur = 65536, .rlim_max = 65536 };
	struct ibv_context *ctx = pair_open_device(DEVICE);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	char *p = aligned_alloc(4096, MIB);

	must(pd && p, "alloc_pd");
	memset(p, 1, MIB);
	must(!setrlimit(RLIMIT_MEMLOCK, &limit), "setrlimit");
	become_nobody();
	must(ibv_reg_mr(pd, p, 32768, IBV_ACCESS_LOCAL_WRITE) != NULL, "reg_mr");
	return say("r_memlock_rest", "ibv_reg_mr", ibv_reg_mr(pd, p + 65536, 36864, IBV_ACCESS_LOCAL_WRITE) ? 0 : errno);
}

static int context_fds(void)
{
	struct rlimit limit = { 0 };
	int fd = open_raw();

	must(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
	return say("r_context_fds", "get_context", raw_context(fd));
}

static void enter_group(const char *controller, const char *name, const char *file, const char *limit)
{
	char path[128];

	put("/sys/fs/cgroup/cgroup.subtree_control", controller);
	snprintf(path, sizeof(path), "/sys/fs/cgroup/%s", name);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "/sys/fs/cgroup/%s/%s", name, file);
	put(path, limit);
	snprintf(path, sizeof(path), "/sys/fs/cgroup/%s/cgroup.procs", name);
	put(path, "0");
}

/* A container that may open no device of RDMA at all. */
static int handles(void)
{
	int fd;

	enter_group("+rdma", "u_handles", "rdma.max", DEVICE " hca_handle=0 hca_object=100");
	fd = open_raw();
	return say("r_handles", "get_context", raw_context(fd));
}

/* A container with 16 MiB registers 128 that nobody has touched yet. */
static int oom(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		struct ibv_pd *pd = ibv_alloc_pd(pair_open_device(DEVICE));
		void *p = mmap(NULL, 128 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		enter_group("+memory", "u_oom", "memory.max", "16777216");
		ibv_reg_mr(pd, p, 128 * MIB, IBV_ACCESS_LOCAL_WRITE);
		_exit(0);
	}
	must(pid > 0 && waitpid(pid, &status, 0) == pid, "fork");
	return say("r_oom", "ibv_reg_mr", WIFSIGNALED(status) ? EINTR : 0);
}

/* In a process of its own, as nobody, who inherits no file. */
static int open_as_nobody(const char *path)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		become_nobody();
		_exit(open(path, O_RDWR | O_CLOEXEC) < 0 ? errno : 0);
	}
	must(pid > 0 && waitpid(pid, &status, 0) == pid, "fork");
	return WEXITSTATUS(status);
}

static int open_mode(void)
{
	char path[64];
	int err;

	must(!raw_path(DEVICE, path, sizeof(path)) && !chmod(path, 0600), "chmod");
	err = open_as_nobody(path);
	must(!chmod(path, 0666), "chmod");
	return say("r_open_mode", "open", err);
}

/* Who opened the file had other rights than who writes to it. */
static int other_rights(void)
{
	int fd = open_context();
	uint32_t pd;

	become_nobody();
	return say("r_other_rights", "alloc_pd", raw_alloc_pd(fd, &pd));
}

/* Requests that are none. */
static int context_twice(void)
{
	int fd = open_context();

	return say("r_context_two", "get_context", raw_context(fd));
}

static int no_context(void)
{
	int fd = open_raw();
	uint32_t pd;

	return say("r_no_context", "alloc_pd", raw_alloc_pd(fd, &pd));
}

struct pd_request {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_alloc_pd in;
};

static int request_pd(const char *fault, uint16_t in_words, uint16_t out_words, void *answer)
{
	struct pd_request m = {
		.hdr = { .command = IB_USER_VERBS_CMD_ALLOC_PD, .in_words = in_words, .out_words = out_words },
	};

	m.in.response = (uintptr_t)answer;
	return say(fault, "alloc_pd", write(open_context(), &m, sizeof(m)) < 0 ? errno : 0);
}

#define PD_IN ((uint16_t)(sizeof(struct pd_request) / 4))
static struct ib_uverbs_alloc_pd_resp pd_answer;
#define PD_OUT ((uint16_t)(sizeof(pd_answer) / 4))

static int wrong_length(void) { return request_pd("r_length", PD_IN + 1, PD_OUT, &pd_answer); }
static int no_room(void) { return request_pd("r_no_room", PD_IN, 0, &pd_answer); }

/* The domain is made, and the answer has no place to go. */
static int answer(void) { return request_pd("r_answer", PD_IN, PD_OUT, (void *)0x10000); }

static int mr_method(const char *fault, uint16_t attr)
{
	struct raw_method m = raw_method(UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY);

	m.hdr.driver_id = RDMA_DRIVER_RXE;
	if (attr)
		raw_in(&m, attr, 0, 0);
	return say(fault, "dereg_mr", raw_call(open_context(), &m));
}

static int no_handle(void) { return mr_method("r_no_handle", 0); }
static int no_attr(void) { return mr_method("r_no_attr", 60); }

/* The header ends where the mapping does; its attributes would follow. */
static int attrs(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ib_uverbs_ioctl_hdr *hdr = (void *)(page + 4096 - sizeof(*hdr));
	int fd = open_context();

	munmap(page + 4096, 4096);
	*hdr = (struct ib_uverbs_ioctl_hdr){
		.length = sizeof(*hdr) + sizeof(struct ib_uverbs_attr), .object_id = UVERBS_OBJECT_MR,
		.method_id = UVERBS_METHOD_MR_DESTROY, .num_attrs = 1, .driver_id = RDMA_DRIVER_RXE,
	};
	return say("r_attrs", "dereg_mr", ioctl(fd, RDMA_VERBS_IOCTL, hdr) ? errno : 0);
}

/* The network below. */
static void wait_gids(int index, int present)
{
	char path[96], gid[64] = "";

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/%d", DEVICE, index);
	for (int i = 0; i < 3000; i++) {
		FILE *f = fopen(path, "re");
		int there = f && fgets(gid, sizeof(gid), f) && strncmp(gid, "0000:0000:0000:0000:0000:0000:0000:0000", 39);

		if (f)
			fclose(f);
		if (there == present)
			return;
		usleep(10000);
	}
	must(0, path);
}

static int rtr(const char *fault, struct pair *p, int gid_index, const union ibv_gid *to)
{
	return say(fault, "ibv_modify_qp", pair_to_rtr(p, 0, gid_index, to));
}

static struct pair at_init(const char *device)
{
	struct pair p;

	pair_open(&p, device);
	errno = pair_to_init(&p, 0, PORT);
	must(!errno, "modify_qp INIT");
	return p;
}

/* An address is taken away between the choice of a GID and its use. */
static int gid_gone(void)
{
	union ibv_gid gid = { .raw = { 0 } };
	struct pair p;
	int index = 0;

	run("ip addr add 10.0.7.7/32 dev dm0");
	p = at_init(DEVICE);
	for (int i = 0; i < 300 && memcmp(gid.raw + 12, "\x0a\x00\x07\x07", 4); i++) {
		index = 1 + i % 8;
		if (ibv_query_gid(p.ctx, PORT, index, &gid))
			usleep(10000);
	}
	must(!memcmp(gid.raw + 12, "\x0a\x00\x07\x07", 4), "GID of 10.0.7.7");
	run("ip addr del 10.0.7.7/32 dev dm0");
	wait_gids(index, 0);
	return rtr("r_gid_gone", &p, index, &p.gid);
}

/* The other end's network device goes down before the queue pair is connected. */
static int link_rtr(void)
{
	struct pair p = at_init(DEVICE);
	int err;

	run("ip link set dm0 down");
	err = rtr("r_link_rtr", &p, GID, &p.gid);
	run("ip link set dm0 up");
	return err;
}

/* Nobody answers for that address (rxe1 is on a device that asks). */
static int arp(void)
{
	struct pair p = at_init("rxe1");
	union ibv_gid to = p.gid;

	to.raw[15] = 77;
	return rtr("r_arp", &p, GID, &to);
}

/* librdmacm's part. */
static int cm_command(int fd, uint32_t number, void *in, size_t size, size_t out_size)
{
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		char body[256];
	} m = { .hdr = { .cmd = number, .in = (uint16_t)size, .out = (uint16_t)out_size } };

	memcpy(m.body, in, size);
	return write(fd, &m, sizeof(m.hdr) + size) < 0 ? errno : 0;
}

static uint32_t cm_id(int fd)
{
	struct rdma_ucm_create_id_resp out = { 0 };
	struct rdma_ucm_create_id in = { .response = (uintptr_t)&out, .ps = RDMA_PS_TCP, .qp_type = IBV_QPT_RC };

	errno = cm_command(fd, RDMA_USER_CM_CMD_CREATE_ID, &in, sizeof(in), sizeof(out));
	must(!errno, "create_id");
	return out.id;
}

static int cm_bind(int fd, uint32_t id, const char *address)
{
	struct rdma_ucm_bind in = { .id = id, .addr_size = sizeof(struct sockaddr_in) };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(4791) };

	inet_pton(AF_INET, address, &to.sin_addr);
	memcpy(&in.addr, &to, sizeof(to));
	return cm_command(fd, RDMA_USER_CM_CMD_BIND, &in, sizeof(in), 0);
}

static int open_cm(void)
{
	int fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);

	must(fd >= 0, "rdma_cm");
	return fd;
}

static int cm_foreign(void)
{
	int fd = open_cm();

	return say("r_cm_foreign", "rdma_bind_addr", cm_bind(fd, cm_id(fd), "192.0.2.9"));
}

static int cm_twice(void)
{
	int fd = open_cm();

	errno = cm_bind(fd, cm_id(fd), "10.0.0.1");
	must(!errno, "bind");
	return say("r_cm_twice", "rdma_bind_addr", cm_bind(fd, cm_id(fd), "10.0.0.1"));
}

/* A device that is renamed below it is none of the program's affairs. */
static int neighbours(void)
{
	struct pair p;
	int renamed;

	prctl(PR_SET_NAME, "r_neighbours");
	pair_open(&p, DEVICE);
	renamed = !system("ip link set dm0 name dm7 2>/dev/null"); /* 6.1 does not while it is up */
	errno = pair_to_init(&p, 0, PORT);
	must(!errno, "modify_qp INIT");
	errno = pair_to_rtr(&p, 0, GID, &p.gid);
	must(!errno, "modify_qp RTR");
	errno = pair_to_rts(&p, 0);
	must(!errno, "modify_qp RTS");
	if (renamed)
		run("ip link set dm7 name dm0");
	pair_close(&p);
	printf("{\"healthy\":\"%s renamed\",\"pid\":%d}\n", DEVICE, getpid());
	return 0;
}

static const struct fault faults[] = {
	{ "r_raw_user", raw_user }, { "r_memlock_rest", memlock_rest }, { "r_context_fds", context_fds },
	{ "r_handles", handles }, { "r_oom", oom }, { "r_open_mode", open_mode }, { "r_other_rights", other_rights },
	{ "r_context_two", context_twice }, { "r_no_context", no_context }, { "r_length", wrong_length },
	{ "r_no_room", no_room }, { "r_answer", answer }, { "r_no_handle", no_handle }, { "r_no_attr", no_attr },
	{ "r_attrs", attrs }, { "r_gid_gone", gid_gone }, { "r_link_rtr", link_rtr }, { "r_arp", arp },
	{ "r_cm_foreign", cm_foreign }, { "r_cm_twice", cm_twice }, { "neighbours", neighbours }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_fault(faults, argc, argv);
}
