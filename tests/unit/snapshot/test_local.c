/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * snapshot/local.h: a document goes from server to client; a second server, a socket that was left behind, a folder of
 * others; clients that talk, that never read, that are too many; servers that send what is no sealed memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/files/sealed.h"
#include "snapshot/local.h"
#include "snapshot/snapshot.h"

#define SEC 1000000000ull

static char folder[64], path[96];
static struct xpt_local_server *server;
static struct xpt_strbuf sb;
static const struct xpt_strbuf document = { .s = (char *)"{\"a\":1}", .len = 7 };

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/xpt-local.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/sub/agent.sock", folder);
	xpt_strbuf__init(&sb, XPT_SNAPSHOT_BYTES);
	server = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	xpt_local_server__close(server);
	xpt_strbuf__free(&sb);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	return rmdir(folder);
}

static int connect_client(void)
{
	int32_t pid = 0;
	int fd = xpt_local_client__connect(path, &pid);

	assert_true(fd >= 0);
	assert_int_equal(pid, getpid());
	return fd;
}

static void test_document(void **state)
{
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(xpt_local_server__open(path, &server), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_false(xpt_local_server__step(server, SEC));
	fd = connect_client();
	assert_true(xpt_local_server__step(server, SEC));
	assert_int_equal(xpt_local_client__receive(fd, &sb), -EAGAIN);
	assert_int_equal(xpt_local_server__send(server, &document, SEC), 0);
	assert_int_equal(xpt_local_client__receive(fd, &sb), 0);
	assert_string_equal(xpt_strbuf__str(&sb), "{\"a\":1}");
	assert_int_equal(xpt_local_client__receive(fd, &sb), -EAGAIN);
	xpt_local_server__close(server);
	server = NULL;
	assert_int_equal(xpt_local_client__receive(fd, &sb), -EPIPE);
	close(fd);
	assert_int_equal(lstat(path, &st), -1);
}

static void test_one_server(void **state)
{
	struct xpt_local_server *second = NULL;
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int32_t pid;
	int left;

	(void)state;
	assert_int_equal(xpt_local_client__connect(path, &pid), -ENOENT);
	assert_int_equal(xpt_local_server__open("agent.sock", &server), -EINVAL);
	assert_int_equal(xpt_local_server__open(path, &server), 0);
	assert_int_equal(xpt_local_server__open(path, &second), -EADDRINUSE);
	xpt_local_server__close(server);
	server = NULL;
	/* One that was killed leaves its socket. */
	left = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	assert_int_equal(bind(left, (struct sockaddr *)&a, sizeof(a)), 0);
	close(left);
	assert_int_equal(xpt_local_client__connect(path, &pid), -ECONNREFUSED);
	assert_int_equal(xpt_local_server__open(path, &server), 0);
	close(connect_client());
	*strrchr(path, '/') = '\0';
	assert_int_equal(chmod(path, 0777), 0);
	path[strlen(path)] = '/';
	assert_int_equal(xpt_local_server__open(path, &second), -EPERM);
}

static void test_clients(void **state)
{
	int fd[XPT_LOCAL_CLIENTS + 2], left = 0;

	(void)state;
	assert_int_equal(xpt_local_server__open(path, &server), 0);
	for (unsigned i = 0; i < XPT_LOCAL_CLIENTS + 2; i++) {
		fd[i] = connect_client();
		xpt_local_server__step(server, SEC);
	}
	for (unsigned i = 0; i < XPT_LOCAL_CLIENTS + 2; i++)
		left += xpt_local_client__receive(fd[i], &sb) == -EPIPE;
	assert_int_equal(left, 2);
	/* The first talks, the second never reads, the third goes; the fourth gets all. */
	assert_int_equal(send(fd[0], "x", 1, 0), 1);
	close(fd[2]);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(xpt_local_server__send(server, &document, SEC + i), 0);
		assert_int_equal(xpt_local_client__receive(fd[3], &sb), 0);
	}
	assert_int_equal(xpt_local_client__receive(fd[0], &sb), -EPIPE);
	assert_int_equal(xpt_local_client__receive(fd[1], &sb), 0);
	assert_int_equal(xpt_local_client__receive(fd[1], &sb), -EAGAIN);
	assert_int_equal(xpt_local_server__send(server, &document, 2 * SEC), 0);
	assert_int_equal(xpt_local_client__receive(fd[3], &sb), 0);
	assert_int_equal(xpt_local_server__send(server, &document, 100 * SEC), 0);
	assert_int_equal(xpt_local_client__receive(fd[1], &sb), 0);	/* what was sent before it was let go */
	assert_int_equal(xpt_local_client__receive(fd[1], &sb), -EPIPE);
	for (unsigned i = 0; i < XPT_LOCAL_CLIENTS + 2; i++)
		if (i != 2)
			close(fd[i]);
}

/* What a client says to a message with that descriptor. */
static int receive_from(uint32_t magic, uint64_t size, int fd)
{
	struct xpt_local_message m = { magic, 0, size };
	int pair[2], err;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
	if (fd >= 0)
		assert_int_equal(xpt_sealed__send(pair[0], &m, sizeof(m), fd), 0);
	else
		assert_int_equal(send(pair[0], &m, sizeof(m), 0), sizeof(m));
	err = xpt_local_client__receive(pair[1], &sb);
	close(pair[0]);
	close(pair[1]);
	return err;
}

static void test_hostile_servers(void **state)
{
	int sealed = xpt_sealed__make("x", "abc", 3), open_ = memfd_create("y", MFD_ALLOW_SEALING), end[2];

	(void)state;
	assert_int_equal(xpt_local_server__open(path, &server), 0);	/* for its folder, which teardown removes */
	assert_true(sealed >= 0 && open_ >= 0 && !pipe(end));
	assert_int_equal(write(open_, "abc", 3), 3);
	assert_int_equal(receive_from(XPT_LOCAL_MAGIC, 3, sealed), 0);
	assert_int_equal(receive_from(1, 3, sealed), -EBADMSG);
	assert_int_equal(receive_from(XPT_LOCAL_MAGIC, 4, sealed), -EBADMSG);
	assert_int_equal(receive_from(XPT_LOCAL_MAGIC, UINT64_MAX, sealed), -E2BIG);
	assert_int_equal(receive_from(XPT_LOCAL_MAGIC, 3, open_), -EBADMSG);
	assert_int_equal(receive_from(XPT_LOCAL_MAGIC, 3, end[0]), -EBADMSG);
	assert_int_equal(receive_from(XPT_LOCAL_MAGIC, 3, -1), -EBADMSG);
	close(sealed);
	close(open_);
	close(end[0]);
	close(end[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_document, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_server, setup, teardown),
		cmocka_unit_test_setup_teardown(test_clients, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile_servers, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
