/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * devices/reader.h with reader processes of this very program and the simulated NVML: answers,
 * processes that hang, come back, are killed, crash, or send what cannot be; a driver that goes and
 * comes. Time is the test's own: it stands still while a process is waited for.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <cmocka.h>
#include "devices/reader.h"
#include "devices/reader_child.h"
#include "devices/reader_message.h"
#include "unit/devices/readings.h"

#define SECOND 1000000000ull
#define PATIENCE_S 60

static struct xpt_reader *reader;
static uint64_t now_ns;
static uint32_t nr_devices, nr_ends, parent_of_last;
static uint64_t nr_values;
static char last_name[XPT_DEVICE_NAME];

static uint32_t on_device(void *ctx, const struct xpt_device_info *info, uint32_t parent)
{
	(void)ctx;
	parent_of_last = parent;
	snprintf(last_name, sizeof(last_name), "%s", info->name);
	return ++nr_devices;
}

static void on_values(void *ctx, uint32_t device, const struct xpt_wire_reading *value, size_t nr)
{
	(void)ctx;
	(void)value;
	assert_in_range(device, 1, nr_devices);
	nr_values += nr;
}

/* A process of which nobody knows that it is ours has been asked for nothing: it makes no call that could be counted. */
static int refusal;		/* what on_start() returns */
static uint32_t nr_started;

static int on_start(void *ctx, int pid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0), fd = -1;
	struct xpt_reader_request q;

	(void)ctx;
	nr_started++;
	if (pidfd >= 0)
		fd = (int)syscall(SYS_pidfd_getfd, pidfd, XPT_READER_FD, 0);
	if (fd >= 0) {		/* else it may not be looked at, or has no socket yet */
		assert_int_equal(recv(fd, &q, sizeof(q), MSG_PEEK | MSG_DONTWAIT), -1);
		assert_int_equal(errno, EAGAIN);
		close(fd);
	}
	if (pidfd >= 0)
		close(pidfd);
	return refusal;
}

static void on_end(void *ctx)
{
	(void)ctx;
	nr_ends++;
}

static void make(const char *script)
{
	static char path[512];
	struct xpt_reader_cfg cfg = {
		.kind = XPT_READER_NVML, .from = path, .period_ns = SECOND,
		.started = on_start, .device = on_device, .values = on_values, .end = on_end,
	};

	if (access(FAKE_NVML, R_OK) || !realpath(FAKE_NVML, path))
		skip();
	write_script(script);
	now_ns = 1000 * SECOND;
	nr_devices = nr_ends = nr_started = 0;
	nr_values = 0;
	refusal = 0;
	assert_int_equal(xpt_reader__new(&cfg, &reader), 0);
}

static struct xpt_reader_status status(void)
{
	struct xpt_reader_status s;

	xpt_reader__status(reader, now_ns, &s);
	return s;
}

static uint64_t monotonic_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec;
}

/* Steps, with time standing still, until the condition holds. */
#define WAIT_FOR(condition)                                                             \
	do {                                                                            \
		uint64_t until = monotonic_s() + PATIENCE_S;                            \
											\
		while (!(condition)) {                                                  \
			struct pollfd p = { xpt_reader__fd(reader), POLLIN, 0 };        \
											\
			assert_true(monotonic_s() < until);                             \
			poll(&p, 1, 20);                                                \
			xpt_reader__step(reader, now_ns);                               \
		}                                                                       \
	} while (0)

static void pass(uint64_t ns)
{
	now_ns += ns;
	xpt_reader__step(reader, now_ns);
}

static const char *say(void)
{
	static char text[256];

	return xpt_reader__say(reader, now_ns, text, sizeof(text));
}

/* A running child of ours that is a reader, or 0. */
static pid_t find_child(void)
{
	char path[64], comm[64], state;
	struct dirent *entry;
	DIR *d = opendir("/proc");
	pid_t found = 0;
	int pid, parent;
	FILE *f;

	while (d && !found && (entry = readdir(d))) {
		if (sscanf(entry->d_name, "%d", &pid) != 1)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		f = fopen(path, "re");
		if (f && fscanf(f, "%*d (%63[^)]) %c %d", comm, &state, &parent) == 3 && parent == getpid() &&
		    state != 'Z' && !strcmp(comm, "xputrace-nvml"))
			found = pid;
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return found;
}

static void wait_for_no_child(void)
{
	const struct timespec ms = { 0, 5000000 };
	uint64_t until = monotonic_s() + PATIENCE_S;

	while (find_child()) {
		assert_true(monotonic_s() < until);
		nanosleep(&ms, NULL);
	}
}

static int unmake(void **state)
{
	(void)state;
	write_script("devices 1\n");	/* whatever hangs goes on */
	xpt_reader__free(reader);
	reader = NULL;
	wait_for_no_child();
	return 0;
}

static void test_answers(void **state)
{
	(void)state;
	make("devices 3\nmig 2 1\n");
	WAIT_FOR(nr_ends == 1);
	assert_int_equal(nr_devices, 4);
	assert_int_equal(parent_of_last, 3);
	assert_true(nr_values > 100);
	assert_int_equal(status().state, XPT_READER_ANSWERS);
	assert_string_equal(status().last.text, "driver 580.00.fake, NVML 13.580.00.fake");
	assert_string_equal(say(), "");
	xpt_reader__step(reader, now_ns + SECOND - 1);	/* not due */
	pass(SECOND);
	WAIT_FOR(nr_ends == 2);
	assert_int_equal(nr_devices, 4);	/* described once */
	assert_int_equal(status().starts, 1);
	assert_int_equal(nr_started, 1);
}

/* One that would be taken for a stranger is asked for nothing and ends; another one is tried later. */
static void test_refused(void **state)
{
	(void)state;
	make("devices 1\n");
	refusal = -ENOSPC;
	xpt_reader__step(reader, now_ns);
	assert_int_equal(nr_started, 1);
	assert_int_equal(nr_ends, 1);
	assert_int_equal(status().starts, 0);
	assert_int_equal(status().abandoned, 0);
	assert_string_equal(say(), "NVML failed: no reader process: No space left on device");
	wait_for_no_child();
	pass(10 * SECOND - 1);
	assert_int_equal(nr_started, 1);
	refusal = 0;
	pass(1);
	WAIT_FOR(status().state == XPT_READER_ANSWERS);
	assert_int_equal(nr_started, 2);
	assert_int_equal(status().starts, 1);
}

/* Descriptors and rights of the process. */
static void test_process(void **state)
{
	char path[64], line[256];
	uint64_t caps = 1;
	struct dirent *entry;
	DIR *d;
	FILE *f;

	(void)state;
	make("devices 1\n");
	WAIT_FOR(nr_ends == 1);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)find_child());
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "CapPrm: %lx", &caps) == 1)
			assert_int_equal(caps, 0);
	fclose(f);
	assert_int_equal(caps, 0);
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)find_child());
	d = opendir(path);
	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			assert_in_range(strtol(entry->d_name, NULL, 10), 0, XPT_READER_FD);
	if (d)
		closedir(d);
}

static void test_hang(void **state)
{
	(void)state;
	make("devices 1\n");
	WAIT_FOR(nr_ends == 1);
	write_script("devices 1\nhang nvmlDeviceGetPowerUsage\n");
	pass(SECOND);			/* asks */
	pass(2 * SECOND - 1);
	assert_int_equal(status().abandoned, 0);
	pass(1);
	assert_int_equal(status().state, XPT_READER_SILENT);
	assert_int_equal(status().abandoned, 1);
	assert_int_equal(nr_ends, 2);
	assert_string_equal(say(), "NVML has not answered for 2 s");
	pass(10 * SECOND - 1);
	assert_int_equal(status().starts, 1);
	pass(1);			/* the second process, whose first answer may take 30 s */
	assert_int_equal(status().starts, 2);
	pass(28 * SECOND);
	assert_string_equal(say(), "NVML has not answered for 40 s");
	assert_int_equal(status().abandoned, 1);
	pass(2 * SECOND);
	assert_int_equal(status().abandoned, 2);
	pass(20 * SECOND);
	assert_int_equal(status().starts, 3);
	pass(30 * SECOND);
	assert_int_equal(status().abandoned, 3);
	pass(400 * SECOND);		/* no fourth one */
	assert_int_equal(status().starts, 3);
	assert_int_not_equal(find_child(), 0);
	write_script("devices 1\n");	/* the calls return: the processes end, and a new one answers */
	WAIT_FOR(status().state == XPT_READER_ANSWERS);
	assert_string_equal(say(), "");
	WAIT_FOR(status().abandoned == 0);
}

static void test_kill(void **state)
{
	pid_t hung;

	(void)state;
	make("devices 1\n");
	WAIT_FOR(nr_ends == 1);
	hung = find_child();
	write_script("devices 1\nhang nvmlDeviceGetPowerUsage\n");
	pass(SECOND);
	pass(2 * SECOND);
	assert_int_equal(status().abandoned, 1);
	pass(599 * SECOND);
	assert_int_equal(kill(hung, 0), 0);
	pass(SECOND);
	WAIT_FOR(kill(hung, 0) && errno == ESRCH);
}

static void test_end_does_not_wait(void **state)
{
	(void)state;
	make("devices 1\nhang nvmlDeviceGetPowerUsage\n");
	WAIT_FOR(find_child());
	xpt_reader__free(reader);
	reader = NULL;
	assert_int_not_equal(find_child(), 0);
}

static void test_driver_goes(void **state)
{
	(void)state;
	make("driver gone\n");
	WAIT_FOR(status().state == XPT_READER_NO_DRIVER);
	assert_string_equal(say(), "no readings of GPUs: the NVIDIA driver is not loaded");
	wait_for_no_child();
	pass(0);
	write_script("devices 1\n");
	pass(10 * SECOND);
	WAIT_FOR(status().state == XPT_READER_ANSWERS);
	write_script("driver gone\n");
	pass(SECOND);
	WAIT_FOR(status().state == XPT_READER_FAILED);
	assert_string_equal(say(), "NVML failed: the driver has gone (error 1)");
	wait_for_no_child();
	pass(0);
	write_script("devices 1\n");
	pass(10 * SECOND);
	WAIT_FOR(status().state == XPT_READER_ANSWERS);
	assert_int_equal(status().starts, 3);
}

static void test_crash(void **state)
{
	(void)state;
	make("devices 1\n");
	WAIT_FOR(nr_ends == 1);
	kill(find_child(), SIGKILL);
	WAIT_FOR(status().state == XPT_READER_FAILED);
	assert_string_equal(say(), "NVML failed: the reader process has ended");
	assert_int_equal(status().abandoned, 0);
	pass(10 * SECOND);
	WAIT_FOR(status().state == XPT_READER_ANSWERS);
}

/* --- a process that sends what cannot be ------------------------------------------------------------- */

static struct xpt_reader_message bad_message(const char *which, uint32_t seq)
{
	struct xpt_reader_message m = { .magic = XPT_READER_MAGIC, .seq = seq, .kind = XPT_MESSAGE_VALUES, .nr = 1 };

	if (!strcmp(which, "magic"))
		m.magic++;
	else if (!strcmp(which, "seq"))
		m.seq++;
	else if (!strcmp(which, "kind"))
		m.kind = 9;
	else if (!strcmp(which, "nr"))
		m.nr = XPT_VALUES_MAX + 1;
	else if (!strcmp(which, "slot"))
		m.slot = XPT_READER_SLOTS;
	else if (!strcmp(which, "device")) {
		m.kind = XPT_MESSAGE_DEVICE;
		m.device.kind = XPT_DEVICE__MAX;
	} else if (!strcmp(which, "parent")) {
		m.kind = XPT_MESSAGE_DEVICE;
		m.device.kind = XPT_DEVICE_GPU;
		m.device.parent = XPT_READER_SLOTS;
	} else if (!strcmp(which, "state")) {
		m.kind = XPT_MESSAGE_END;
		m.result.state = XPT_READ__MAX;
	} else if (!strcmp(which, "text")) {	/* no fault: text without an end, and with controls */
		m.kind = XPT_MESSAGE_DEVICE;
		m.device.kind = XPT_DEVICE_GPU;
		m.device.parent = XPT_NO_SLOT;
		memset(m.device.name, '\033', sizeof(m.device.name));
	}
	return m;
}

static int be_bad(const char *which)
{
	struct xpt_reader_request q;
	struct xpt_reader_message m;
	size_t size = sizeof(m);

	if (recv(XPT_READER_FD, &q, sizeof(q), 0) != sizeof(q))
		return 1;
	m = bad_message(which, q.seq);
	if (!strcmp(which, "short"))
		size--;
	send(XPT_READER_FD, &m, size, MSG_NOSIGNAL);
	return recv(XPT_READER_FD, &q, sizeof(q), 0) < 0;
}

static void test_bad_messages(void **state)
{
	static const char *const which[] = { "magic", "seq", "kind", "nr", "slot", "device", "parent", "state", "short" };

	(void)state;
	for (size_t i = 0; i < sizeof(which) / sizeof(which[0]); i++) {
		setenv("XPT_TEST_BAD", which[i], 1);
		make("devices 1\n");
		WAIT_FOR(status().rejected == 1);
		assert_int_equal(nr_devices + nr_values, 0);
		xpt_reader__free(reader);
	}
	setenv("XPT_TEST_BAD", "text", 1);
	make("devices 1\n");
	WAIT_FOR(nr_devices == 1);
	assert_int_equal(strlen(last_name), XPT_DEVICE_NAME - 1);
	assert_int_equal(strspn(last_name, "?"), XPT_DEVICE_NAME - 1);
	unsetenv("XPT_TEST_BAD");
}

static void test_no_program(void **state)
{
	const struct xpt_reader_cfg cfg = {
		.kind = XPT_READER_SYSFS, .exe = "/nonexistent/xputrace", .period_ns = SECOND,
		.device = on_device, .values = on_values, .end = on_end,
	};

	(void)state;
	nr_ends = 0;
	now_ns = SECOND;
	assert_int_equal(xpt_reader__new(&cfg, &reader), 0);
	xpt_reader__step(reader, now_ns);
	assert_string_equal(say(), "sysfs failed: no reader process: No such file or directory");
	assert_int_equal(nr_ends, 1);
	pass(9 * SECOND);
	assert_int_equal(nr_ends, 1);
	pass(SECOND);
	assert_int_equal(nr_ends, 2);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_answers, unmake),
		cmocka_unit_test_teardown(test_refused, unmake),
		cmocka_unit_test_teardown(test_process, unmake),
		cmocka_unit_test_teardown(test_hang, unmake),
		cmocka_unit_test_teardown(test_kill, unmake),
		cmocka_unit_test_teardown(test_end_does_not_wait, unmake),
		cmocka_unit_test_teardown(test_driver_goes, unmake),
		cmocka_unit_test_teardown(test_crash, unmake),
		cmocka_unit_test_teardown(test_bad_messages, unmake),
		cmocka_unit_test_teardown(test_no_program, unmake),
	};

	if (xpt_reader_child__is_asked(argc, argv))
		return getenv("XPT_TEST_BAD") ? be_bad(getenv("XPT_TEST_BAD")) : xpt_reader_child__run(argc, argv);
	return cmocka_run_group_tests_name("reader", tests, NULL, remove_script);
}
