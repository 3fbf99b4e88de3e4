/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * http/server.h: addresses; what clients get, before there is a page, of a large one, and of a page that is replaced
 * while they read; clients that are slow, many, or send what is no request; a server process that ends is started again.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/time.h"
#include "http/server.h"
#include "http/server_child.h"

#define SEC 1000000000ull
#define LARGE (8u << 20)
#define INHERITED 99	/* a descriptor */

static struct xpt_server *server;
static char where[XPT_SERVER_ADDRESS];

static int setup(void **state)
{
	(void)state;
	return xpt_server__open("0", &server, where);
}

static int teardown(void **state)
{
	(void)state;
	xpt_server__close(server);
	server = NULL;
	return 0;
}

static void put(const char *page)
{
	assert_int_equal(xpt_server__put(server, page, strlen(page), xpt_now_ns()), 0);
}

static int dial(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	a.sin_port = htons((uint16_t)strtoul(strchr(where, ':') + 1, NULL, 10));
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static void say(int fd, const char *text)
{
	(void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
}

/* All that comes until the other end closes, at most max - 1 bytes; how many. */
static size_t read_all(int fd, char *buf, size_t max)
{
	size_t n = 0;
	ssize_t got;

	while (n < max - 1 && (got = read(fd, buf + n, max - 1 - n)) > 0)
		n += (size_t)got;
	buf[n] = '\0';
	close(fd);
	return n;
}

static char answer[64 << 10];

/* What a request gets; the last line of its head says that the connection ends. */
static const char *ask(const char *line)
{
	int fd = dial();
	char head[512];

	snprintf(head, sizeof(head), "%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", line);
	say(fd, head);
	read_all(fd, answer, sizeof(answer));
	return answer;
}

#define SAYS(line, text) assert_non_null(strstr(ask(line), text))
#define STATUS(line, status) assert_memory_equal(ask(line), "HTTP/1.1 " status, sizeof("HTTP/1.1 " status) - 1)

/* The page is on its way while the process starts and reads. */
static bool comes_to_be(const char *line, const char *text)
{
	for (unsigned i = 0; i < 3000; i++) {
		if (strstr(ask(line), text))
			return true;
		usleep(10000);
	}
	return false;
}

/* --- addresses ------------------------------------------------------------------------------------ */

static void test_addresses(void **state)
{
	static const char *const bad[] = { "", "x", "65536", "-1", "127.0.0.1", "127.0.0.1:", "1.2.3:80", "::1:80", "[::1]",
					   "[127.0.0.1:80", "example.org:80", "127.0.0.1:80x", ":" };
	struct xpt_server *other;
	char w[XPT_SERVER_ADDRESS];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(xpt_server__open(bad[i], &other, w), -EINVAL);
	assert_memory_equal(where, "127.0.0.1:", 10);
	assert_int_equal(xpt_server__open(where, &other, w), -EADDRINUSE);
	assert_int_equal(xpt_server__open("localhost:0", &other, w), 0);
	assert_memory_equal(w, "127.0.0.1:", 10);
	xpt_server__close(other);
	if (xpt_server__open("[::1]:0", &other, w) == 0) {	/* not every machine has IPv6 */
		assert_memory_equal(w, "[::1]:", 6);
		xpt_server__close(other);
	}
}

/* --- answers --------------------------------------------------------------------------------------- */

static void test_answers(void **state)
{
	(void)state;
	STATUS("GET /metrics", "503");		/* there is no page yet */
	STATUS("GET /-/healthy", "503");
	put("first 1\n");
	assert_true(comes_to_be("GET /metrics", "\r\n\r\nfirst 1\n"));
	SAYS("GET /metrics", "Content-Type: text/plain; version=0.0.4");
	STATUS("GET /metrics?collect=all", "200");
	STATUS("GET /-/healthy", "200");
	STATUS("GET /", "200");
	SAYS("GET /", "/metrics");
	STATUS("HEAD /metrics", "200");
	assert_null(strstr(answer, "first"));
	STATUS("POST /metrics", "405");
	SAYS("DELETE /metrics", "Allow: GET, HEAD");
	STATUS("GET /metrics/../../../etc/passwd", "404");
	STATUS("GET /../etc/passwd", "404");
	STATUS("GET /%2e%2e/etc/passwd", "404");
	put("second 2\n");
	assert_true(comes_to_be("GET /metrics", "\r\n\r\nsecond 2\n"));
}

/* Prometheus asks for OpenMetrics first. */
static void test_openmetrics(void **state)
{
	static const char request[] = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
				      "Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5\r\n\r\n";
	int fd;

	(void)state;
	put("# TYPE a_total counter\na_total 1\n");
	assert_true(comes_to_be("GET /metrics", "\r\n\r\n# TYPE a_total counter\na_total 1\n"));
	fd = dial();
	say(fd, request);
	read_all(fd, answer, sizeof(answer));
	assert_memory_equal(answer, "HTTP/1.1 200", 12);
	assert_non_null(strstr(answer, "Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"));
	assert_non_null(strstr(answer, "# TYPE a counter\na_total 1\n# EOF\n"));
	STATUS("GET /-/healthy", "200");	/* the answer is done, and the process goes on */
}

/* Who reads slowly gets the page that he began with, to its end. */
static void test_large_page(void **state)
{
	char *page = malloc(LARGE + 1), *got = malloc(LARGE + 1024), *body;
	int fd;
	size_t n;

	(void)state;
	assert_non_null(page);
	assert_non_null(got);
	memset(page, 'a', LARGE);
	page[LARGE] = '\0';
	put(page);
	assert_true(comes_to_be("HEAD /metrics", "Content-Length: 8388608"));
	fd = dial();
	say(fd, "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	assert_int_equal(recv(fd, got, 1, 0), 1);
	for (unsigned i = 0; i < 100; i++)
		put("small 1\n");
	assert_true(comes_to_be("GET /metrics", "small 1\n"));
	n = 1 + read_all(fd, got + 1, LARGE + 1023);
	body = strstr(got, "\r\n\r\n") + 4;
	assert_int_equal(got + n - body, LARGE);
	assert_memory_equal(body, page, LARGE);
	free(page);
	free(got);
}

/* --- clients ----------------------------------------------------------------------------------------- */

static void test_no_requests(void **state)
{
	static const char *const bad[] = { "\r\n\r\n", "GET\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "GET / HTTP/9.9\r\n\r\n",
					   "GET /metrics HTTP/1.1\r\nContent-Length: -5\r\n\r\n" };
	char *huge = malloc(LARGE);
	int fd;

	(void)state;
	put("page 1\n");
	assert_true(comes_to_be("GET /metrics", "page 1\n"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fd = dial();
		say(fd, bad[i]);
		shutdown(fd, SHUT_WR);
		read_all(fd, answer, sizeof(answer));
	}
	assert_non_null(huge);
	memset(huge, 'x', LARGE);
	memcpy(huge, "GET / HTTP/1.1\r\nA: ", 19);
	huge[LARGE - 1] = '\0';
	fd = dial();
	say(fd, huge);			/* the server stops reading it and ends the connection */
	read_all(fd, answer, sizeof(answer));
	assert_true(!answer[0] || strstr(answer, " 431 ") || strstr(answer, " 413 ") || strstr(answer, " 400 "));
	memcpy(huge, "GET /x", 6);
	fd = dial();
	say(fd, huge);
	read_all(fd, answer, sizeof(answer));
	assert_null(strstr(answer, " 200 "));
	free(huge);
	SAYS("GET /metrics", "page 1\n");
	assert_null(xpt_server__problem(server));
}

/* More than it takes at a time, each of which sends nothing, or a byte now and then: others are served once they are ended. */
static void test_many_slow_clients(void **state)
{
	int fd[300];
	uint64_t began = xpt_now_ns();
	struct pollfd p;

	(void)state;
	put("page 1\n");
	assert_true(comes_to_be("GET /metrics", "page 1\n"));
	for (unsigned i = 0; i < 100; i++) {
		fd[i] = dial();
		if (i % 2)
			say(fd[i], "GET /met");
	}
	p = (struct pollfd){ .fd = fd[1], .events = POLLIN };
	for (unsigned i = 0; i < 100 && poll(&p, 1, 1000) == 0; i++)	/* it is ended though it never stops */
		say(fd[1], "r");
	assert_int_equal(poll(&p, 1, 0), 1);
	SAYS("GET /metrics", "page 1\n");
	assert_true(xpt_now_ns() - began < 120 * SEC);
	for (unsigned i = 0; i < 100; i++)
		close(fd[i]);
	SAYS("GET /metrics", "page 1\n");
}

/* --- the process ---------------------------------------------------------------------------------------- */

static pid_t find_child(void)
{
	char path[64];
	int pid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "re");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &pid), 1);
	fclose(f);
	return pid;
}

static void test_process_ends(void **state)
{
	uint64_t now = xpt_now_ns();
	pid_t first = find_child();

	(void)state;
	put("page 1\n");
	assert_true(comes_to_be("GET /metrics", "page 1\n"));
	assert_int_equal(kill(first, SIGKILL), 0);
	for (unsigned i = 0; i < 1000 && !xpt_server__problem(server); i++) {
		usleep(10000);
		xpt_server__put(server, "page 2\n", 7, now);
	}
	assert_string_equal(xpt_server__problem(server), "was ended by signal 9");
	xpt_server__put(server, "page 2\n", 7, now + 2 * SEC);
	assert_null(xpt_server__problem(server));
	assert_true(find_child() != first);
	assert_true(comes_to_be("GET /metrics", "page 2\n"));
}

/* It has no rights, and nothing of what xputrace was started with. */
static void test_process_is_jailed(void **state)
{
	char path[64], line[256], inherited[64];
	unsigned long long caps = 1;
	int uid = -1, mode = -1, no_new = -1;
	FILE *f;

	(void)state;
	put("page 1\n");
	assert_true(comes_to_be("GET /metrics", "page 1\n"));
	snprintf(path, sizeof(path), "/proc/%d/status", (int)find_child());
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "Uid: %d", &uid);
		sscanf(line, "CapPrm: %llx", &caps);
		sscanf(line, "Seccomp: %d", &mode);
		sscanf(line, "NoNewPrivs: %d", &no_new);
	}
	fclose(f);
	snprintf(inherited, sizeof(inherited), "/proc/%d/fd/%d", (int)find_child(), INHERITED);
	assert_int_equal(access(inherited, F_OK), -1);
	assert_true(uid != 0);
	assert_true(caps == 0);
	assert_int_equal(mode, 2);
	assert_int_equal(no_new, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(test_addresses), TEST(test_answers), TEST(test_openmetrics), TEST(test_large_page), TEST(test_no_requests),
		TEST(test_many_slow_clients), TEST(test_process_ends), TEST(test_process_is_jailed),
	};

	if (xpt_server_child__is_asked(argc, argv))
		return xpt_server_child__run();
	signal(SIGPIPE, SIG_IGN);
	assert(dup2(STDERR_FILENO, INHERITED) == INHERITED);	/* not closed by exec */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
