// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * librdmacm's part of the kernel, by its commands as they are: `rdma_fresh_cm FAULT`.
 * Requests that are wrong, or come too early; and answers that come later, as events.
 * What has to be told: fresh.tsv.
 */
#include <arpa/inet.h>
#include <grp.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_user_cm.h>
#include "raw.h"
#include "say.h"

#define NOBODY 65534
#define ANSWER_MS 20000
#define HERE "10.0.0.1"		/* rxe0 */
#define SILENT "10.0.8.77"	/* beside rxe1, nobody is there */
#define IWARP "10.0.9.1"	/* siw0 */

static int command_out(int fd, uint32_t number, const void *in, size_t size, size_t out_size)
{
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		char body[512];
	} m = { .hdr = { .cmd = number, .in = (uint16_t)size, .out = (uint16_t)out_size } };

	memcpy(m.body, in, size);
	return write(fd, &m, sizeof(m.hdr) + size) < 0 ? errno : 0;
}

static int command(int fd, uint32_t number, const void *in, size_t size)
{
	return command_out(fd, number, in, size, 0);
}

static int open_cm(void)
{
	int fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);

	must(fd >= 0, "rdma_cm");
	return fd;
}

static int create_id(int fd, uint16_t space, uint32_t *ret_id)
{
	struct rdma_ucm_create_id_resp out = { 0 };
	/* Events of an id without a number of the program's own are thrown away. */
	struct rdma_ucm_create_id in = {
		.uid = 1, .response = (uintptr_t)&out, .ps = space, .qp_type = IBV_QPT_RC,
	};
	int err = command_out(fd, RDMA_USER_CM_CMD_CREATE_ID, &in, sizeof(in), sizeof(out));

	*ret_id = out.id;
	return err;
}

static uint32_t new_id(int fd)
{
	uint32_t id;

	errno = create_id(fd, RDMA_PS_TCP, &id);
	must(!errno, "create_id");
	return id;
}

static struct sockaddr_in address_of(const char *text, uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, text, &a.sin_addr);
	return a;
}

static int bind_to(int fd, uint32_t id, const char *text, uint16_t port, uint16_t size)
{
	struct rdma_ucm_bind in = { .id = id, .addr_size = size };
	struct sockaddr_in to = address_of(text, port);

	memcpy(&in.addr, &to, sizeof(to));
	return command(fd, RDMA_USER_CM_CMD_BIND, &in, sizeof(in));
}

static void bound(int fd, uint32_t id, const char *text)
{
	errno = bind_to(fd, id, text, 0, sizeof(struct sockaddr_in));
	must(!errno, "bind");
}

static int resolve(int fd, uint32_t id, const char *text, uint16_t port, uint32_t ms)
{
	struct rdma_ucm_resolve_addr in = { .id = id, .timeout_ms = ms, .dst_size = sizeof(struct sockaddr_in) };
	struct sockaddr_in to = address_of(text, port);

	memcpy(&in.dst_addr, &to, sizeof(to));
	return command(fd, RDMA_USER_CM_CMD_RESOLVE_ADDR, &in, sizeof(in));
}

static int resolve_route(int fd, uint32_t id, uint32_t ms)
{
	struct rdma_ucm_resolve_route in = { .id = id, .timeout_ms = ms };

	return command(fd, RDMA_USER_CM_CMD_RESOLVE_ROUTE, &in, sizeof(in));
}

static int connect_with(int fd, uint32_t id, uint32_t qp_num, uint8_t valid)
{
	struct rdma_ucm_connect in = {
		.id = id, .conn_param = { .qp_num = qp_num, .valid = valid, .retry_count = 1 },
	};

	return command(fd, RDMA_USER_CM_CMD_CONNECT, &in, sizeof(in));
}

static struct rdma_ucm_event_resp next_event(int fd)
{
	struct rdma_ucm_event_resp out = { 0 };
	struct rdma_ucm_get_event in = { .response = (uintptr_t)&out };
	struct pollfd p = { .fd = fd, .events = POLLIN };

	must(poll(&p, 1, ANSWER_MS) == 1, "no event");
	errno = command_out(fd, RDMA_USER_CM_CMD_GET_EVENT, &in, sizeof(in), sizeof(out));
	must(!errno, "get_event");
	return out;
}

/* An address that is resolved, and then the route. */
static void routed(int fd, uint32_t id, const char *text)
{
	errno = resolve(fd, id, text, 7471, 2000);
	must(!errno, "resolve_addr");
	must(next_event(fd).event == 0, "ADDR_RESOLVED");
	errno = resolve_route(fd, id, 2000);
	must(!errno, "resolve_route");
	must(next_event(fd).event == 2, "ROUTE_RESOLVED");
}

/* Ports below 1024 are for those who may. */
static int low_port(void)
{
	int fd = open_cm();
	uint32_t id = new_id(fd);

	/* The file must be opened by who writes to it. */
	must(!setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY), "setuid");
	fd = open_cm();
	id = new_id(fd);
	return say("c_low_port", "rdma_bind_addr", bind_to(fd, id, HERE, 80, sizeof(struct sockaddr_in)));
}

static int bad_size(void)
{
	int fd = open_cm();

	return say("c_size", "rdma_bind_addr", bind_to(fd, new_id(fd), HERE, 0, 9));
}

static int bad_space(void)
{
	uint32_t id;

	return say("c_space", "rdma_create_id", create_id(open_cm(), 0x999, &id));
}

/* An id of another channel of this program. */
static int other_channel(void)
{
	uint32_t id = new_id(open_cm());

	return say("c_channel", "rdma_bind_addr", bind_to(open_cm(), id, HERE, 0, sizeof(struct sockaddr_in)));
}

static int option_with(const char *fault, uint32_t level, uint32_t name, uint32_t len)
{
	static uint32_t value = 1;
	int fd = open_cm();
	struct rdma_ucm_set_option in = {
		.optval = (uintptr_t)&value, .id = new_id(fd), .level = level, .optname = name, .optlen = len,
	};

	return say(fault, "rdma_set_option", command(fd, RDMA_USER_CM_CMD_SET_OPTION, &in, sizeof(in)));
}

static int bad_level(void) { return option_with("c_level", 9, 0, 4); }
static int bad_tos(void) { return option_with("c_tos", RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, 4); }

static int notify(void)
{
	int fd = open_cm();
	struct rdma_ucm_notify in = { .id = new_id(fd), .event = IBV_EVENT_COMM_EST };

	return say("c_notify", "rdma_notify", command(fd, RDMA_USER_CM_CMD_NOTIFY, &in, sizeof(in)));
}

static int migrate(void)
{
	int fd = open_cm();
	struct rdma_ucm_migrate_resp out;
	struct rdma_ucm_migrate_id in = {
		.response = (uintptr_t)&out, .id = new_id(fd), .fd = (uint32_t)open("/dev/null", O_RDWR | O_CLOEXEC),
	};

	return say("c_migrate", "rdma_migrate_id",
		   command_out(fd, RDMA_USER_CM_CMD_MIGRATE_ID, &in, sizeof(in), sizeof(out)));
}

/* Before there is anybody to accept. */
static int accept_none(void)
{
	int fd = open_cm();
	struct rdma_ucm_accept in = { .id = new_id(fd), .conn_param = { .valid = 1 } };

	bound(fd, in.id, HERE);
	return say("c_accept", "rdma_accept", command(fd, RDMA_USER_CM_CMD_ACCEPT, &in, sizeof(in)));
}

/* Bound, but to nobody. */
static int connect_early(void)
{
	int fd = open_cm();
	uint32_t id = new_id(fd);

	bound(fd, id, HERE);
	return say("c_connect", "rdma_connect", connect_with(fd, id, 17, 1));
}

static int connect_nothing(void)
{
	int fd = open_cm();
	uint32_t id = new_id(fd);

	bound(fd, id, HERE);
	return say("c_invalid", "rdma_connect", connect_with(fd, id, 17, 0));
}

static int reject(void)
{
	int fd = open_cm();
	struct rdma_ucm_reject in = { .id = new_id(fd), .reason = 3 };

	bound(fd, in.id, HERE);
	return say("c_reject", "rdma_reject", command(fd, RDMA_USER_CM_CMD_REJECT, &in, sizeof(in)));
}

static int no_time(void)
{
	int fd = open_cm();
	uint32_t id = new_id(fd);

	bound(fd, id, HERE);
	return say("c_no_time", "rdma_resolve_route", resolve_route(fd, id, 0));
}

static int early_attr(void)
{
	int fd = open_cm();
	struct ib_uverbs_qp_attr out;
	struct rdma_ucm_init_qp_attr in = { .response = (uintptr_t)&out, .id = new_id(fd), .qp_state = 77 };

	return say("c_qp_state", "rdma_init_qp_attr",
		   command_out(fd, RDMA_USER_CM_CMD_INIT_QP_ATTR, &in, sizeof(in), sizeof(out)));
}

/* Groups are for datagrams. */
static int join(void)
{
	int fd = open_cm();
	struct rdma_ucm_create_id_resp out;
	struct rdma_ucm_join_mcast in = {
		.response = (uintptr_t)&out, .id = new_id(fd), .addr_size = sizeof(struct sockaddr_in), .join_flags = 0,
	};
	struct sockaddr_in to = address_of("239.1.2.3", 0);

	memcpy(&in.addr, &to, sizeof(to));
	bound(fd, in.id, HERE);
	return say("c_join", "rdma_join_multicast",
		   command_out(fd, RDMA_USER_CM_CMD_JOIN_MCAST, &in, sizeof(in), sizeof(out)));
}

/* An event has no place to go. */
static int small_event(void)
{
	int fd = open_cm();
	struct rdma_ucm_event_resp out;
	struct rdma_ucm_get_event in = { .response = (uintptr_t)&out };

	return say("c_small_event", "rdma_get_cm_event",
		   command_out(fd, RDMA_USER_CM_CMD_GET_EVENT, &in, sizeof(in), 16));
}

/* The call is well, and the answer, later, is none: nobody has that address. */
static int silent(void)
{
	int fd = open_cm();
	struct rdma_ucm_event_resp e;
	uint32_t id = new_id(fd);

	errno = resolve(fd, id, SILENT, 7471, 300);
	must(!errno, "resolve_addr");
	e = next_event(fd);
	return say("c_silent", "rdma_get_cm_event", e.event == 1 ? abs((int)e.status) : 0);
}

/* Nobody listens there: the peer says so. */
static int refused(void)
{
	int fd = open_cm();
	struct rdma_ucm_event_resp e;
	uint32_t id = new_id(fd);

	routed(fd, id, HERE);
	errno = connect_with(fd, id, 17, 1);
	must(!errno, "connect");
	e = next_event(fd);
	return say("c_refused", "rdma_get_cm_event", e.event == 8 ? -(int)e.status : 0);
}

/* The number of a queue pair of siw0; without that device the program ends. */
static uint32_t iwarp_qp(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_context *ctx = NULL;
	struct ibv_qp *qp;

	for (int i = 0; list && list[i] && !ctx; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), "siw0"))
			ctx = ibv_open_device(list[i]);
	}
	must(ctx != NULL, "siw0");
	init.send_cq = init.recv_cq = ibv_create_cq(ctx, 8, NULL, NULL, 0);
	must(init.send_cq != NULL, "create_cq");
	qp = ibv_create_qp(ibv_alloc_pd(ctx), &init);
	must(qp != NULL, "create_qp");
	return qp->qp_num;
}

static int iwarp_refused(void)
{
	uint32_t qp = iwarp_qp();
	int fd = open_cm();
	uint32_t id = new_id(fd);

	routed(fd, id, IWARP);
	return say("s_refused", "rdma_connect", connect_with(fd, id, qp, 1));
}

static const struct fault faults[] = {
	{ "c_low_port", low_port }, { "c_size", bad_size }, { "c_space", bad_space }, { "c_channel", other_channel },
	{ "c_level", bad_level }, { "c_tos", bad_tos }, { "c_notify", notify }, { "c_migrate", migrate },
	{ "c_accept", accept_none }, { "c_connect", connect_early }, { "c_invalid", connect_nothing },
	{ "c_reject", reject }, { "c_no_time", no_time }, { "c_qp_state", early_attr }, { "c_join", join },
	{ "c_small_event", small_event }, { "c_silent", silent }, { "c_refused", refused },
	{ "s_refused", iwarp_refused }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_fault(faults, argc, argv);
}
