// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `rdma_startup [SECONDS]`: what a collective library does as it starts, with nothing wrong: it looks at every port
 * and address of the device, asks whether dma-bufs can be registered (with descriptor -1), registers memory with
 * access flags that not all kernels know, and connects many queue pairs, while a thread waits for asynchronous events.
 * One round, or rounds for that long; then one line of JSON.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include "pair.h"
#include "say.h"

#define DEVICE "rxe0"
#define CHANNELS 8
#define GIDS 16

static volatile int is_over;

/* Reads events as they come, without ever staying in the kernel. */
static void *read_events(void *arg)
{
	struct ibv_context *ctx = arg;
	struct pollfd p = { .fd = ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	while (!is_over)
		if (poll(&p, 1, 50) > 0 && !ibv_get_async_event(ctx, &event))
			ibv_ack_async_event(&event);
	return NULL;
}

static void look_around(struct ibv_context *ctx)
{
	struct ibv_device_attr_ex attr;
	struct ibv_port_attr port;
	union ibv_gid gid;

	must(!ibv_query_device_ex(ctx, NULL, &attr), "query_device_ex");
	for (int i = 1; i <= attr.orig_attr.phys_port_cnt; i++) {
		must(!ibv_query_port(ctx, (uint8_t)i, &port), "query_port");
		for (int k = 0; k < port.gid_tbl_len && k < GIDS; k++)
			ibv_query_gid(ctx, (uint8_t)i, k, &gid);	/* most entries are empty */
	}
}

static void register_memory(struct pair *p)
{
	struct ibv_mr *mr;

	ibv_reg_dmabuf_mr(p->pd, 0, 0, 0, -1, 0);
	mr = ibv_reg_mr(p->pd, p->bytes, PAIR_BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			IBV_ACCESS_REMOTE_READ | IBV_ACCESS_RELAXED_ORDERING);
	must(mr && !ibv_dereg_mr(mr), "reg_mr");
}

static void connect_both(struct pair *p)
{
	errno = 0;
	for (int i = 0; i < 2 && !errno; i++)
		errno = pair_to_init(p, i, PORT);
	for (int i = 0; i < 2 && !errno; i++)
		errno = pair_to_rtr(p, i, GID, &p->gid);
	for (int i = 0; i < 2 && !errno; i++)
		errno = pair_to_rts(p, i);
	must(!errno, "modify_qp");
	errno = pair_transfer(p);
	must(!errno, "transfer");
}

static void start_up(void)
{
	struct ibv_context *ctx = pair_open_device(DEVICE);
	struct pair channel[CHANNELS];
	pthread_t thread;

	is_over = 0;
	must(!pthread_create(&thread, NULL, read_events, ctx), "thread");
	look_around(ctx);
	for (int i = 0; i < CHANNELS; i++) {
		pair_open(&channel[i], DEVICE);
		register_memory(&channel[i]);
	}
	for (int i = 0; i < CHANNELS; i++)
		connect_both(&channel[i]);
	for (int i = 0; i < CHANNELS; i++)
		pair_close(&channel[i]);
	is_over = 1;
	pthread_join(thread, NULL);
	must(!ibv_close_device(ctx), "close_device");
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 0;
	struct timespec t0, t;
	int rounds = 0;

	prctl(PR_SET_NAME, "startup");
	clock_gettime(CLOCK_MONOTONIC, &t0);
	do {
		start_up();
		rounds++;
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (t.tv_sec - t0.tv_sec + (t.tv_nsec - t0.tv_nsec) / 1e9 < seconds);
	printf("{\"healthy\":\"startup\",\"pid\":%d,\"rounds\":%d}\n", getpid(), rounds);
	return 0;
}
