// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Mistakes of programs on soft RoCE (rxe0), limits of the machine, and memory that
 * the kernel has not: `rdma_fresh_verbs FAULT`. By libibverbs where it
 * asks the kernel, else by the kernel's interface. What has to be told: fresh.tsv.
 */
#include <linux/userfaultfd.h>
#include <rdma/rdma_user_rxe.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "fresh.h"
#include "pair.h"
#include "raw.h"
#include "say.h"

#define DEVICE "rxe0"
#define NO_HANDLE 4711
#define PAGE 4096ul
#define SOME_FILES 500

static struct pair opened(void)
{
	struct pair p;

	pair_open(&p, DEVICE);
	return p;
}

/* Queues. */
static int cq_none(void)
{
	return say("f_cq_none", "ibv_create_cq", refused(ibv_create_cq(pair_open_device(DEVICE), 0, NULL, NULL, 0)));
}

/* A completion queue with time stamps, which soft RoCE does not have. */
static int cq_flags(void)
{
	struct ibv_context *ctx = pair_open_device(DEVICE);
	struct raw_method m = raw_method(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	struct rxe_create_cq_resp driver;
	uint32_t cqe;

	m.hdr.driver_id = RDMA_DRIVER_RXE;
	raw_in(&m, UVERBS_ATTR_CREATE_CQ_HANDLE, 0, 0);
	raw_in(&m, UVERBS_ATTR_CREATE_CQ_CQE, 4, 16);
	raw_in(&m, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, 8, 1);
	raw_in(&m, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 4, 0);
	raw_in(&m, UVERBS_ATTR_CREATE_CQ_FLAGS, 4, 1);
	raw_in(&m, UVERBS_ATTR_CREATE_CQ_RESP_CQE, sizeof(cqe), (uintptr_t)&cqe);
	raw_in(&m, UVERBS_ATTR_UHW_OUT, sizeof(driver), (uintptr_t)&driver);
	return say("f_cq_flags", "create_cq", raw_call(ctx->cmd_fd, &m));
}

static int srq_with(const char *fault, uint32_t max_wr, uint32_t max_sge)
{
	struct pair p = opened();
	struct ibv_srq_init_attr init = { .attr = { .max_wr = max_wr, .max_sge = max_sge } };

	return say(fault, "ibv_create_srq", refused(ibv_create_srq(p.pd, &init)));
}

static int srq_none(void) { return srq_with("f_srq_none", 0, 1); }
static int srq_sge(void) { return srq_with("f_srq_sge", 16, 5000); }

static int srq_resize(void)
{
	struct pair p = opened();
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(p.pd, &init);
	struct ibv_srq_attr attr = { .max_wr = 1 << 28 };

	must(srq != NULL, "create_srq");
	return say("f_srq_resize", "ibv_modify_srq", ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR));
}

static int srq_gone(void)
{
	struct ib_uverbs_query_srq in = { .srq_handle = NO_HANDLE };
	struct ib_uverbs_query_srq_resp out;
	struct pair p = opened();

	return say("f_srq_gone", "query_srq",
		   raw_command(p.ctx->cmd_fd, IB_USER_VERBS_CMD_QUERY_SRQ, &in, sizeof(in), &out, sizeof(out)));
}

static int too_many_sge(void)
{
	struct pair p = opened();
	struct ibv_qp_init_attr init = qp_init(p.cq);

	init.cap.max_recv_sge = 5000;
	return say("f_sge", "ibv_create_qp", refused(ibv_create_qp(p.pd, &init)));
}

static int xrc(void)
{
	struct pair p = opened();
	struct ibv_qp_init_attr init = qp_init(p.cq);

	init.qp_type = IBV_QPT_XRC_SEND;
	return say("f_xrc", "ibv_create_qp", refused(ibv_create_qp(p.pd, &init)));
}

static int work_queue(void)
{
	struct pair p = opened();
	struct ib_uverbs_ex_create_wq in = { .pd_handle = p.pd->handle, .cq_handle = p.cq->handle, .max_wr = 4, .max_sge = 1 };
	struct ib_uverbs_ex_create_wq_resp out;

	return say("f_wq", "create_wq",
		   raw_command_ex(p.ctx->cmd_fd, IB_USER_VERBS_EX_CMD_CREATE_WQ, &in, sizeof(in), &out, sizeof(out)));
}

/* Changes of a queue pair. */
static int modify_with(const char *fault, struct ibv_qp_attr attr, int more)
{
	struct pair p = opened();

	attr.qp_state = IBV_QPS_INIT;
	attr.port_num = PORT;
	return say(fault, "ibv_modify_qp",
		   ibv_modify_qp(p.qp[0], &attr,
				 IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS | more));
}

static int cur_state(void)
{
	return modify_with("f_cur_state", (struct ibv_qp_attr){ .cur_qp_state = 12 }, IBV_QP_CUR_STATE);
}

static int alt_port(void)
{
	return modify_with("f_alt_port", (struct ibv_qp_attr){ .alt_port_num = 3 }, IBV_QP_ALT_PATH);
}

static int qp_access(void)
{
	return modify_with("f_qp_access", (struct ibv_qp_attr){ .qp_access_flags = 1 << 18 }, 0);
}

/* Keys with the highest bit are the system's. */
static int privileged_key(void)
{
	struct pair p = opened();
	struct ibv_qp_init_attr init = qp_init(p.cq);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = PORT, .qkey = 0x80010000 };
	struct ibv_qp *qp;

	init.qp_type = IBV_QPT_UD;
	qp = ibv_create_qp(p.pd, &init);
	must(qp != NULL, "create_qp");
	become_nobody();
	return say("f_qkey", "ibv_modify_qp",
		   ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
}

/* Memory. */
static int rereg_with(const char *fault, uint32_t flags, uint32_t pd, uint32_t access)
{
	struct pair p = opened();
	struct ib_uverbs_rereg_mr in = {
		.mr_handle = p.mr->handle, .flags = flags, .pd_handle = pd, .access_flags = access,
		.start = (uintptr_t)p.bytes, .hca_va = (uintptr_t)p.bytes, .length = PAGE,
	};
	struct ib_uverbs_rereg_mr_resp out;

	return say(fault, "rereg_mr",
		   raw_command(p.ctx->cmd_fd, IB_USER_VERBS_CMD_REREG_MR, &in, sizeof(in), &out, sizeof(out)));
}

static int rereg_pd(void) { return rereg_with("f_rereg_pd", IBV_REREG_MR_CHANGE_PD, NO_HANDLE, 1); }
static int rereg_bits(void) { return rereg_with("f_rereg_bits", 0x80, 0, 1); }
static int rereg_access(void) { return rereg_with("f_rereg_access", IBV_REREG_MR_CHANGE_ACCESS, 0, 1 << 18); }

static int advise(void)
{
	struct pair p = opened();
	struct ib_uverbs_sge sge = { .addr = (uintptr_t)p.bytes, .length = PAGE, .lkey = p.mr->lkey };
	struct raw_method m = raw_method(UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR);

	m.hdr.driver_id = RDMA_DRIVER_RXE;
	raw_in(&m, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, p.pd->handle);
	raw_in(&m, UVERBS_ATTR_ADVISE_MR_ADVICE, 8, 0);
	raw_in(&m, UVERBS_ATTR_ADVISE_MR_FLAGS, 4, 0);
	raw_in(&m, UVERBS_ATTR_ADVISE_MR_SGE_LIST, sizeof(sge), (uintptr_t)&sge);
	return say("f_advise", "ibv_advise_mr", raw_call(p.ctx->cmd_fd, &m));
}

static int reg(const char *fault, struct pair *p, void *at, size_t n)
{
	return say(fault, "ibv_reg_mr", refused(ibv_reg_mr(p->pd, at, n, IBV_ACCESS_LOCAL_WRITE)));
}

/* Registers of a device, mapped as GPUs' are: pages that nobody can pin. */
static int device_pages(void)
{
	int fd = open("/dev/mem", O_RDWR | O_CLOEXEC);
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0xf0000);
	struct pair p = opened();

	must(at != MAP_FAILED, "/dev/mem");
	return reg("f_device_mem", &p, at, PAGE);
}

/* The second half of it is gone. */
static int hole(void)
{
	char *at = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct pair p = opened();

	munmap(at + 4 * PAGE, 4 * PAGE);
	return reg("f_hole", &p, at, 8 * PAGE);
}

/* Users may lock nothing at all. */
static int lock_none(void)
{
	struct rlimit limit = { 0 };
	struct pair p = opened();

	must(!setrlimit(RLIMIT_MEMLOCK, &limit), "setrlimit");
	become_nobody();
	return reg("f_lock_none", &p, p.bytes, PAGE);
}

static int foreign_mr(void)
{
	struct pair p = opened(), q = opened();
	struct ib_uverbs_dereg_mr in = { .mr_handle = p.mr->handle };

	errno = ibv_dereg_mr(q.mr);
	must(!errno, "dereg_mr");
	return say("f_foreign_mr", "dereg_mr",
		   raw_command(q.ctx->cmd_fd, IB_USER_VERBS_CMD_DEREG_MR, &in, sizeof(in), NULL, 0));
}

static int ah_pd(void)
{
	struct pair p = opened();
	struct ib_uverbs_create_ah in = { .pd_handle = NO_HANDLE, .attr = { .port_num = PORT } };
	struct ib_uverbs_create_ah_resp out;

	return say("f_ah_pd", "create_ah",
		   raw_command(p.ctx->cmd_fd, IB_USER_VERBS_CMD_CREATE_AH, &in, sizeof(in), &out, sizeof(out)));
}

/* Requests that are none. */
static struct raw_method destroy_mr(uint32_t handle)
{
	struct raw_method m = raw_method(UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY);

	m.hdr.driver_id = RDMA_DRIVER_RXE;
	raw_in(&m, UVERBS_ATTR_DESTROY_MR_HANDLE, 0, handle);
	return m;
}

static int attr_twice(void)
{
	struct pair p = opened();
	struct raw_method m = destroy_mr(p.mr->handle);

	raw_in(&m, UVERBS_ATTR_DESTROY_MR_HANDLE, 0, p.mr->handle);
	return say("f_attr_twice", "dereg_mr", raw_call(p.ctx->cmd_fd, &m));
}

static int other_driver(void)
{
	struct pair p = opened();
	struct raw_method m = destroy_mr(p.mr->handle);

	m.hdr.driver_id = RDMA_DRIVER_MLX5;
	return say("f_driver", "dereg_mr", raw_call(p.ctx->cmd_fd, &m));
}

static int reserved(void)
{
	struct pair p = opened();
	struct raw_method m = destroy_mr(p.mr->handle);

	m.hdr.reserved1 = 1;
	return say("f_reserved", "dereg_mr", raw_call(p.ctx->cmd_fd, &m));
}

static int length(void)
{
	struct pair p = opened();
	struct raw_method m = destroy_mr(p.mr->handle);

	m.hdr.length = sizeof(m.hdr);
	return say("f_length", "dereg_mr", ioctl(p.ctx->cmd_fd, RDMA_VERBS_IOCTL, &m) ? errno : 0);
}

static int nowhere(void)
{
	struct pair p = opened();

	return say("f_nowhere", "ioctl", ioctl(p.ctx->cmd_fd, RDMA_VERBS_IOCTL, (void *)PAGE) ? errno : 0);
}

static int short_write(void)
{
	struct pair p = opened();

	return say("f_short", "write", write(p.ctx->cmd_fd, &p, 4) < 0 ? errno : 0);
}

static int no_command(void)
{
	struct pair p = opened();
	uint32_t in[4] = { 0 };

	return say("f_no_command", "write", raw_command(p.ctx->cmd_fd, 77, in, sizeof(in), NULL, 0));
}

/* An answer is wanted, and no room is told for it. */
static int no_words(void)
{
	struct pair p = opened();
	struct ib_uverbs_ex_query_device in = { 0 };
	struct ib_uverbs_ex_query_device_resp out;

	return say("f_no_words", "query_device_ex",
		   raw_command_ex(p.ctx->cmd_fd, IB_USER_VERBS_EX_CMD_QUERY_DEVICE, &in, sizeof(in), &out, 0));
}

/* A queue's page, and more than it has. */
static int map_more(void)
{
	struct pair p = opened();
	struct ib_uverbs_create_cq in = { .cqe = 16, .comp_channel = -1 };
	struct {
		struct ib_uverbs_create_cq_resp cmd;
		struct rxe_create_cq_resp driver;
	} out = { 0 };
	void *at;

	errno = raw_command(p.ctx->cmd_fd, IB_USER_VERBS_CMD_CREATE_CQ, &in, sizeof(in), &out, sizeof(out));
	must(!errno, "create_cq");
	at = mmap(NULL, out.driver.mi.size + (1 << 20), PROT_READ | PROT_WRITE, MAP_SHARED, p.ctx->cmd_fd,
		  (off_t)out.driver.mi.offset);
	return say("f_map_more", "mmap", at == MAP_FAILED ? errno : 0);
}

/* Limits. */
static int async_fds(void)
{
	struct rlimit limit = { 0 };
	struct pair p = opened();
	struct raw_method m = raw_method(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC);

	m.hdr.driver_id = RDMA_DRIVER_RXE;
	raw_in(&m, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, 0);
	must(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
	return say("f_async_fds", "async_event_alloc", raw_call(p.ctx->cmd_fd, &m));
}

/* The whole machine may open no more files; those who rule it may. */
static int machine_files(void)
{
	static const char path[] = "/proc/sys/fs/file-max";
	struct pair p = opened();
	int fd = open(path, O_RDWR | O_CLOEXEC), err;
	char before[32] = "";

	/* The kernel counts files for each CPU, and adds up when these have some. */
	for (int i = 0; i < SOME_FILES; i++)
		must(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0, "/dev/null");
	must(fd >= 0 && read(fd, before, sizeof(before) - 1) > 0, path);
	must(pwrite(fd, "1", 1, 0) == 1, path);
	must(!setegid(NOBODY) && !seteuid(NOBODY), "seteuid");
	err = refused(ibv_create_comp_channel(p.ctx));
	must(!seteuid(0) && pwrite(fd, before, strlen(before), 0) > 0, path);
	return say("f_file_max", "ibv_create_comp_channel", err);
}

static void enter_group(const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), "/sys/fs/cgroup/%s/cgroup.procs", name);
	put(path, "0");
}

static void make_group(const char *name, const char *limit)
{
	char path[160];

	snprintf(path, sizeof(path), "/sys/fs/cgroup/%s", name);
	mkdir(path, 0755);
	if (!limit)
		return;
	snprintf(path, sizeof(path), "/sys/fs/cgroup/%s/rdma.max", name);
	put(path, limit);
}

/* Three objects are one too many. */
static int group_objects(void)
{
	struct ibv_context *ctx;
	int err = 0;

	put("/sys/fs/cgroup/cgroup.subtree_control", "+rdma");
	make_group("f_objects", DEVICE " hca_handle=4 hca_object=2");
	enter_group("f_objects");
	ctx = pair_open_device(DEVICE);
	for (int i = 0; !err && i < 4; i++)
		err = refused(ibv_alloc_pd(ctx));
	return say("f_cg_objects", "ibv_alloc_pd", err);
}

/* The group's own limit is none, that of the group around it is. */
static int group_parent(void)
{
	struct ibv_context *ctx;
	int err = 0;

	put("/sys/fs/cgroup/cgroup.subtree_control", "+rdma");
	make_group("f_around", DEVICE " hca_handle=4 hca_object=1");
	put("/sys/fs/cgroup/f_around/cgroup.subtree_control", "+rdma");
	make_group("f_around/within", NULL);
	enter_group("f_around/within");
	ctx = pair_open_device(DEVICE);
	for (int i = 0; !err && i < 4; i++)
		err = refused(ibv_create_cq(ctx, 8, NULL, NULL, 0));
	return say("f_cg_parent", "ibv_create_cq", err);
}

/* Memory that waits for somebody to fill it, who never does: the program is killed. */
static char *waiting_pages(int *ret_fd)
{
	struct uffdio_api api = { .api = UFFD_API };
	char *at = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register r = { .range = { .start = (uintptr_t)at, .len = 4 * PAGE },
				     .mode = UFFDIO_REGISTER_MODE_MISSING };

	*ret_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	must(*ret_fd >= 0 && !ioctl(*ret_fd, UFFDIO_API, &api) && !ioctl(*ret_fd, UFFDIO_REGISTER, &r), "userfaultfd");
	return at;
}

static int hang_killed(void)
{
	int ready[2], status = 0;
	char c;
	pid_t pid;

	must(!pipe(ready), "pipe");
	pid = fork();
	if (!pid) {
		struct pair p = opened();
		int fd;
		char *at = waiting_pages(&fd);

		if (!fork()) { /* tells when somebody waits for a page */
			struct uffd_msg m;

			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (read(fd, &m, sizeof(m)) > 0 && write(ready[1], "", 1) == 1)
				pause();
			_exit(0);
		}
		ibv_reg_mr(p.pd, at, 4 * PAGE, IBV_ACCESS_LOCAL_WRITE);
		_exit(0);
	}
	must(pid > 0 && read(ready[0], &c, 1) == 1, "fork");
	kill(pid, SIGKILL);
	must(waitpid(pid, &status, 0) == pid, "waitpid");
	return say("f_hang", "ibv_reg_mr", WIFSIGNALED(status) ? EINTR : 0);
}

/* Memory that the kernel itself has not (module xptw_nomem): "FUNCTION CALLER" by the program itself. */
static void deny(const char *what, const char *fault)
{
	char text[192];

	snprintf(text, sizeof(text), "%s %s 1", what, fault);
	put("/sys/module/xptw_nomem/parameters/deny", text);
}

static int denied(const char *fault, const char *call, int err)
{
	char c = '0';
	int fd = open("/sys/module/xptw_nomem/parameters/denied", O_RDONLY | O_CLOEXEC);

	must(fd >= 0 && read(fd, &c, 1) == 1, "denied");
	put("/sys/module/xptw_nomem/parameters/deny", "\n");
	return say(fault, call, c == '1' ? err : 0);
}

static int nomem_reg(const char *fault, const char *what)
{
	struct pair p = opened();
	int err;

	deny(what, fault);
	err = refused(ibv_reg_mr(p.pd, p.bytes, PAGE, IBV_ACCESS_LOCAL_WRITE));
	return denied(fault, "ibv_reg_mr", err);
}

#define KMALLOC "__kmalloc_cache_noprof "	/* of a size that the compiler knows */
#define KMALLOC_OF "__kmalloc_noprof "		/* of another */

static int nomem_umem(void) { return nomem_reg("m_umem", KMALLOC "ib_umem_get"); }
static int nomem_page(void) { return nomem_reg("m_umem_page", "get_free_pages_noprof ib_umem_get"); }
static int nomem_sg(void) { return nomem_reg("m_umem_sg", "-sg_alloc_append_table_from_pages ib_umem_get"); }
static int nomem_mr(void) { return nomem_reg("m_mr", KMALLOC "rxe_reg_user_mr"); }
static int nomem_pin(void) { return nomem_reg("m_pin", "-pin_user_pages_fast ib_umem_get"); }

static int nomem_cq(const char *fault, const char *what)
{
	struct pair p = opened();
	int err;

	deny(what, fault);
	err = refused(ibv_create_cq(p.ctx, 8, NULL, NULL, 0));
	return denied(fault, "ibv_create_cq", err);
}

static int nomem_queue(void) { return nomem_cq("m_queue", "vmalloc_user_noprof rxe_queue_init"); }
static int nomem_mmap(void) { return nomem_cq("m_mmap_info", KMALLOC "rxe_create_mmap_info"); }
static int nomem_uobject(void) { return nomem_cq("m_uobject", KMALLOC_OF "alloc_uobj"); }

static int nomem_context(void)
{
	int fd = raw_open(DEVICE), err;

	must(fd >= 0, DEVICE);
	deny(KMALLOC_OF "ib_alloc_ucontext", "m_context");
	err = raw_context(fd);
	return denied("m_context", "get_context", err);
}

static int nomem_attr(void)
{
	struct pair p = opened();
	int err;

	deny(KMALLOC "modify_qp", "m_attr");
	err = pair_to_init(&p, 0, PORT);
	return denied("m_attr", "ibv_modify_qp", err);
}

static int nomem_route(void)
{
	struct pair p = opened();
	int err;

	errno = pair_to_init(&p, 0, PORT);
	must(!errno, "modify_qp INIT");
	deny(KMALLOC "rdma_resolve_ip", "m_route");
	err = pair_to_rtr(&p, 0, GID, &p.gid);
	return denied("m_route", "ibv_modify_qp", err);
}

/* The first object of a container wants an account. */
static int nomem_account(void)
{
	struct ibv_context *ctx = pair_open_device(DEVICE);
	int err;

	put("/sys/fs/cgroup/cgroup.subtree_control", "+rdma");
	make_group("m_account", NULL);
	enter_group("m_account");
	deny(KMALLOC "get_cg_rpool_locked", "m_account");
	err = refused(ibv_alloc_pd(ctx));
	return denied("m_account", "ibv_alloc_pd", err);
}

static int nomem_pool(void)
{
	struct pair p = opened();
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 16, .max_sge = 1 } };
	int err;

	deny("-__xa_alloc_cyclic __rxe_add_to_pool", "m_pool");
	err = refused(ibv_create_srq(p.pd, &init));
	return denied("m_pool", "ibv_create_srq", err);
}

/* Nothing of this fails. */
static int neighbours(void)
{
	struct pair p;

	prctl(PR_SET_NAME, "f_neighbours");
	pair_open(&p, DEVICE);
	for (int i = 0; i < 2; i++) {
		errno = pair_to_init(&p, i, PORT);
		must(!errno, "modify_qp INIT");
		errno = pair_to_rtr(&p, i, GID, &p.gid);
		must(!errno, "modify_qp RTR");
		errno = pair_to_rts(&p, i);
		must(!errno, "modify_qp RTS");
	}
	errno = pair_transfer(&p);
	must(!errno, "transfer");
	pair_close(&p);
	printf("{\"healthy\":\"" DEVICE " fresh\",\"pid\":%d}\n", getpid());
	return 0;
}

static const struct fault faults[] = {
	{ "f_cq_none", cq_none }, { "f_cq_flags", cq_flags }, { "f_srq_none", srq_none }, { "f_srq_sge", srq_sge },
	{ "f_srq_resize", srq_resize }, { "f_srq_gone", srq_gone }, { "f_sge", too_many_sge }, { "f_xrc", xrc },
	{ "f_wq", work_queue }, { "f_cur_state", cur_state }, { "f_alt_port", alt_port }, { "f_qp_access", qp_access },
	{ "f_qkey", privileged_key }, { "f_rereg_pd", rereg_pd }, { "f_rereg_bits", rereg_bits },
	{ "f_rereg_access", rereg_access }, { "f_advise", advise }, { "f_device_mem", device_pages },
	{ "f_hole", hole }, { "f_lock_none", lock_none }, { "f_foreign_mr", foreign_mr }, { "f_ah_pd", ah_pd },
	{ "f_attr_twice", attr_twice }, { "f_driver", other_driver }, { "f_reserved", reserved },
	{ "f_length", length }, { "f_nowhere", nowhere }, { "f_short", short_write }, { "f_no_command", no_command },
	{ "f_no_words", no_words }, { "f_map_more", map_more }, { "f_async_fds", async_fds },
	{ "f_file_max", machine_files }, { "f_cg_objects", group_objects }, { "f_cg_parent", group_parent },
	{ "f_hang", hang_killed },
	{ "m_umem", nomem_umem }, { "m_umem_page", nomem_page }, { "m_umem_sg", nomem_sg }, { "m_mr", nomem_mr },
	{ "m_pin", nomem_pin }, { "m_queue", nomem_queue }, { "m_mmap_info", nomem_mmap },
	{ "m_uobject", nomem_uobject }, { "m_context", nomem_context }, { "m_attr", nomem_attr },
	{ "m_route", nomem_route }, { "m_account", nomem_account }, { "m_pool", nomem_pool },
	{ "neighbours", neighbours }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_fault(faults, argc, argv);
}
