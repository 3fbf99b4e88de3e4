// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Failures of the files themselves: open(2) and mmap(2) of devices, and commands of
 * the connection manager (/dev/infiniband/rdma_cm), by the kernel's interface as it
 * is: `rdma_files FAULT`. Before each failure the same goes well.
 */
#include <arpa/inet.h>
#include <rdma/rdma_user_cm.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "uverbs.h"

#define PARAMETERS "/sys/module/xptv/parameters/"
#define PAGE 4096
#define OURS "10.0.0.1"		/* of rxe0, see guest.sh */

static void set(const char *parameter, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), PARAMETERS "%s", parameter);
	fd = open(path, O_WRONLY);
	must(fd >= 0 && write(fd, value, strlen(value)) > 0, path);
	close(fd);
}

/* A page of the device at that offset. 0 or the errno. */
static int map(int fd, off_t at)
{
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);

	return p == MAP_FAILED ? errno : munmap(p, PAGE);
}

/* --- files of devices ----------------------------------------------------------------- */

/* Devices are in the machine's namespace alone, and a container opens one. */
static int open_netns(void)
{
	char path[64];
	int status = 0, fd;
	pid_t pid;

	must(uverbs_path("rxe0", path, sizeof(path)), "rxe0");
	fd = open(path, O_RDWR);
	must(fd >= 0, path);
	close(fd);
	must(!system("rdma_link netns exclusive"), "netns exclusive");
	pid = fork();
	if (!pid) {
		must(!unshare(CLONE_NEWNET), "unshare");
		_exit(say("open_netns", "open", open(path, O_RDWR) < 0 ? errno : 0));
	}
	must(pid > 0 && waitpid(pid, &status, 0) == pid, "fork");
	while (system("rdma_link netns shared 2>/dev/null"))	/* when the namespace is gone */
		usleep(10000);
	return WEXITSTATUS(status);
}

/* No object of the program lies there. */
static int mmap_nowhere(void)
{
	int fd = uverbs_open("rxe0");

	must(fd >= 0, "rxe0");
	uverbs_context(fd);
	return say("mmap_nowhere", "mmap", map(fd, 1l << 40));
}

static int mmap_doorbell(void)
{
	int fd = uverbs_open("xptv0"), err;

	must(fd >= 0, "xptv0");
	uverbs_context(fd);
	errno = map(fd, 0);
	must(!errno, "mmap");
	set("fail_depth", "6");
	err = map(fd, 0);
	set("fail_depth", "0");
	return say("mmap_doorbell", "mmap", err);
}

static int mmap_gone(void)
{
	int fd = uverbs_open("xptv0"), err;

	must(fd >= 0, "xptv0");
	uverbs_context(fd);
	set("plugged", "0");
	err = map(fd, 0);
	close(fd);
	set("plugged", "1");
	return say("mmap_gone", "mmap", err);
}

/* --- the connection manager ------------------------------------------------------------- */

/* 0 or the errno. */
static int cm(int fd, uint32_t command, const void *in, size_t size, size_t out_size)
{
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		char body[512];
	} m = { .hdr = { .cmd = command, .in = (uint16_t)size, .out = (uint16_t)out_size } };

	memcpy(m.body, in, size);
	return write(fd, &m, sizeof(m.hdr) + size) < 0 ? errno : 0;
}

static int cm_open(void)
{
	int fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);

	must(fd >= 0, "rdma_cm");
	return fd;
}

static uint32_t cm_id(int fd)
{
	struct rdma_ucm_create_id_resp out = { 0 };
	struct rdma_ucm_create_id in = { .response = (uintptr_t)&out, .ps = RDMA_PS_TCP };

	errno = cm(fd, RDMA_USER_CM_CMD_CREATE_ID, &in, sizeof(in), sizeof(out));
	must(!errno, "create_id");
	return out.id;
}

static int cm_bind(int fd, uint32_t id, const char *address, uint16_t port)
{
	struct rdma_ucm_bind in = { .id = id, .addr_size = sizeof(struct sockaddr_in) };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, address, &to.sin_addr);
	memcpy(&in.addr, &to, sizeof(to));
	return cm(fd, RDMA_USER_CM_CMD_BIND, &in, sizeof(in), 0);
}

static int cm_resolve(int fd, uint32_t id, const void *to, size_t size)
{
	struct rdma_ucm_resolve_addr in = { .id = id, .timeout_ms = 100, .dst_size = (uint16_t)size };

	memcpy(&in.dst_addr, to, size);
	return cm(fd, RDMA_USER_CM_CMD_RESOLVE_ADDR, &in, sizeof(in), 0);
}

static int cm_listen(int fd, uint32_t id)
{
	struct rdma_ucm_listen in = { .id = id, .backlog = 1 };

	return cm(fd, RDMA_USER_CM_CMD_LISTEN, &in, sizeof(in), 0);
}

/* No interface has that address. */
static int cm_not_ours(void)
{
	int fd = cm_open();

	errno = cm_bind(fd, cm_id(fd), OURS, 0);
	must(!errno, "bind");
	return say("cm_not_ours", "rdma_bind_addr", cm_bind(fd, cm_id(fd), "203.0.113.7", 0));
}

static int cm_in_use(void)
{
	int fd = cm_open();

	errno = cm_bind(fd, cm_id(fd), OURS, 7471);
	must(!errno, "bind");
	return say("cm_in_use", "rdma_bind_addr", cm_bind(fd, cm_id(fd), OURS, 7471));
}

static bool is_asleep(pid_t pid)
{
	char path[32], text[256] = "", *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	must(f && fgets(text, sizeof(text), f), path);
	fclose(f);
	end = strrchr(text, ')');
	return end && !strncmp(end, ") S", 3);
}

/* The same while 40 processes wait for an event, more than the kernel keeps returns of one function for. */
static int cm_waiters(void)
{
	enum { WAITERS = 40 };
	pid_t pid[WAITERS];
	int fd = cm_open(), err, i;

	for (i = 0; i < WAITERS; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			struct rdma_ucm_event_resp out;
			struct rdma_ucm_get_event in = { .response = (uintptr_t)&out };

			_exit(cm(cm_open(), RDMA_USER_CM_CMD_GET_EVENT, &in, sizeof(in), sizeof(out)));
		}
		must(pid[i] > 0, "fork");
	}
	for (i = 0; i < WAITERS; i++)
		while (!is_asleep(pid[i]))
			usleep(1000);
	errno = cm_bind(fd, cm_id(fd), OURS, 7471);
	must(!errno, "bind");
	err = cm_bind(fd, cm_id(fd), OURS, 7471);
	for (i = 0; i < WAITERS; i++)
		must(!kill(pid[i], SIGKILL) && waitpid(pid[i], NULL, 0) == pid[i], "waiter");
	return say("cm_waiters", "rdma_bind_addr", err);
}

static int cm_no_route(void)
{
	struct sockaddr_in good = { .sin_family = AF_INET, .sin_port = htons(7471) };
	struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_port = htons(7471) };
	int fd = cm_open();

	inet_pton(AF_INET, OURS, &good.sin_addr);
	inet_pton(AF_INET6, "2001:db8::1", &to.sin6_addr);
	errno = cm_resolve(fd, cm_id(fd), &good, sizeof(good));
	must(!errno, "resolve_addr");
	return say("cm_no_route", "rdma_resolve_addr", cm_resolve(fd, cm_id(fd), &to, sizeof(to)));
}

/* Before its address is known. */
static int cm_too_early(void)
{
	int fd = cm_open();
	struct rdma_ucm_resolve_route in = { .id = cm_id(fd), .timeout_ms = 100 };

	return say("cm_too_early", "rdma_resolve_route", cm(fd, RDMA_USER_CM_CMD_RESOLVE_ROUTE, &in, sizeof(in), 0));
}

static int cm_no_connect(void)
{
	int fd = cm_open();
	struct rdma_ucm_connect in = { .id = cm_id(fd), .conn_param = { .valid = 1, .retry_count = 7 } };

	return say("cm_no_connect", "rdma_connect", cm(fd, RDMA_USER_CM_CMD_CONNECT, &in, sizeof(in), 0));
}

/* Two on one address: the second finds it taken. */
static int cm_listen_twice(void)
{
	int fd = cm_open();
	uint32_t id = cm_id(fd);

	errno = cm_bind(fd, id, OURS, 0);
	must(!errno, "bind");
	errno = cm_listen(fd, id);
	must(!errno, "listen");
	return say("cm_listen_twice", "rdma_listen", cm_listen(fd, id));
}

static int cm_no_id(void)
{
	int fd = cm_open();

	return say("cm_no_id", "rdma_bind_addr", cm_bind(fd, 4711, OURS, 0));
}

static const struct fault faults[] = {
	{ "open_netns", open_netns }, { "mmap_nowhere", mmap_nowhere }, { "mmap_doorbell", mmap_doorbell },
	{ "mmap_gone", mmap_gone }, { "cm_not_ours", cm_not_ours }, { "cm_in_use", cm_in_use },
	{ "cm_no_route", cm_no_route }, { "cm_too_early", cm_too_early }, { "cm_no_connect", cm_no_connect },
	{ "cm_listen_twice", cm_listen_twice }, { "cm_no_id", cm_no_id }, { "cm_waiters", cm_waiters }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_fault(faults, argc, argv);
}
