// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The program of a server process, see server_child.h. Its one thread runs a loop, which calls libmicrohttpd when
 * that has work, and takes new pages in between. Only the library reads data from clients.
 */
#include "http/server_child.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "http/page_message.h"

bool xpt_server_child__is_asked(int argc, char **argv)
{
	return argc == 2 && !strcmp(argv[1], XPT_SERVER_ARG);
}

static bool send_state(int32_t err)
{
	return send(XPT_SERVER_FD, &err, sizeof(err), MSG_NOSIGNAL) == (ssize_t)sizeof(err);
}

#if defined(XPT_HAVE_MICROHTTPD) && !defined(XPT_STATIC)
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/files/sealed.h"
#include "base/process/jail.h"
#include "base/time.h"
#include "http/connections.h"
#include "http/microhttpd.h"
#include "http/openmetrics.h"

#define SECOND UINT64_C(1000000000)
#define REQUEST_NS (10 * SECOND)	/* for a request and its answer */
#define STALE_NS (60 * SECOND)		/* older pages are not served: their values would look current */
#define HEAD_BYTES (16u << 10)		/* of memory for a connection, where the head of a request has to fit */
#define BLOCK_BYTES (64u << 10)
#define TEXT "text/plain; version=0.0.4; charset=utf-8"
#define ABOUT "This is an agent of xputrace. Its metrics are at /metrics, its health at /-/healthy.\n"

struct page {
	const char *text;		/* sealed: it never changes */
	uint64_t size, came_ns;
	/* References: one for each answer under way, and one of the server to the newest page. */
	unsigned users;
};

struct server {
	struct xpt_microhttpd m;
	struct MHD_Daemon *daemon;
	int epoll_fd;
	struct page *page;		/* the newest, or NULL */
	struct xpt_connections connections;
};

static struct server the_server;	/* the only one of this process */

/* --- pages --------------------------------------------------------------------------------------- */

static void leave_page(void *page)
{
	struct page *p = page;

	if (!p || --p->users)
		return;
	if (p->size)
		munmap((void *)p->text, p->size);
	free(p);
}

static void take_page(struct server *s, int fd, uint64_t size)
{
	const char *text = size ? mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) : "";
	struct page *p = text != MAP_FAILED ? malloc(sizeof(*p)) : NULL;

	close(fd);
	if (!p) {
		if (text != MAP_FAILED && size)
			munmap((void *)text, size);
		return;
	}
	*p = (struct page){ .text = text, .size = size, .came_ns = xpt_now_ns(), .users = 1 };
	leave_page(s->page);
	s->page = p;
}

/* Returns false when the other end is closed. */
static bool receive_page(struct server *s)
{
	struct xpt_server_message m = { 0 };
	int fd = -1, err = xpt_sealed__receive(XPT_SERVER_FD, &m, sizeof(m), &fd);

	if (err)
		return err == -EAGAIN;
	if (m.magic != XPT_SERVER_MAGIC) {
		close(fd);
		return false;
	}
	take_page(s, fd, m.size);
	return true;
}

/* Callback: copies the next bytes of an answer, which is a page as it is. */
static ssize_t read_page(void *page, uint64_t pos, char *buf, size_t max)
{
	const struct page *p = page;

	if (pos >= p->size)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	max = max < p->size - pos ? max : (size_t)(p->size - pos);
	memcpy(buf, p->text + pos, max);
	return (ssize_t)max;
}

/* An answer that is converted to OpenMetrics while it is sent. */
struct conversion {
	struct page *page;
	struct xpt_openmetrics o;
};

/* Callback: converts the next bytes of such an answer. */
static ssize_t convert_page(void *conversion, uint64_t pos, char *buf, size_t max)
{
	struct conversion *c = conversion;
	size_t n = xpt_openmetrics__read(&c->o, buf, max);

	(void)pos;
	if (n)
		return (ssize_t)n;
	return xpt_strbuf__err(&c->o.line) ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
}

/* Callback: frees such an answer, which was sent or given up. */
static void leave_conversion(void *conversion)
{
	struct conversion *c = conversion;

	xpt_openmetrics__free(&c->o);
	leave_page(c->page);
	free(c);
}

/* --- answers -------------------------------------------------------------------------------------- */

static enum MHD_Result answer_with(const struct server *s, struct MHD_Connection *c, unsigned status,
				   struct MHD_Response *r, const char *type)
{
	enum MHD_Result queued;

	if (!r)
		return MHD_NO;
	s->m.add_response_header(r, "Content-Type", type);
	s->m.add_response_header(r, "Vary", "Accept");
	s->m.add_response_header(r, "X-Content-Type-Options", "nosniff");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		s->m.add_response_header(r, "Allow", "GET, HEAD");
	queued = s->m.queue_response(c, status, r);
	s->m.destroy_response(r);
	return queued;
}

static enum MHD_Result answer_text(const struct server *s, struct MHD_Connection *c, unsigned status, const char *text)
{
	return answer_with(s, c, status, s->m.create_response_from_buffer(strlen(text), (void *)text,
									 MHD_RESPMEM_MUST_COPY), "text/plain");
}

static enum MHD_Result answer_openmetrics(const struct server *s, struct MHD_Connection *c)
{
	struct conversion *conversion = malloc(sizeof(*conversion));
	struct MHD_Response *r;

	if (!conversion)
		return MHD_NO;
	conversion->page = s->page;
	xpt_openmetrics__begin(&conversion->o, s->page->text, s->page->size);
	s->page->users++;
	r = s->m.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, convert_page, conversion,
					       leave_conversion);
	if (!r)
		leave_conversion(conversion);
	return answer_with(s, c, MHD_HTTP_OK, r, XPT_OPENMETRICS_TYPE);
}

static enum MHD_Result answer_metrics(const struct server *s, struct MHD_Connection *c)
{
	const char *accept = s->m.lookup_connection_value(c, MHD_HEADER_KIND, "Accept");
	struct MHD_Response *r;

	if (xpt_openmetrics__is_preferred(accept))
		return answer_openmetrics(s, c);
	r = s->m.create_response_from_callback(s->page->size, BLOCK_BYTES, read_page, s->page,
								    leave_page);

	if (r)
		s->page->users++;
	return answer_with(s, c, MHD_HTTP_OK, r, TEXT);
}

static bool is_stale(const struct server *s)
{
	return !s->page || xpt_now_ns() - s->page->came_ns > STALE_NS;
}

/* Callback: a request has come. */
static enum MHD_Result answer_request(void *ctx, struct MHD_Connection *c, const char *url, const char *method,
				      const char *version, const char *upload, size_t *upload_size, void **state)
{
	const struct server *s = ctx;

	(void)version, (void)upload, (void)state;
	if (*upload_size)		/* no request here has a body: the connection is closed */
		return MHD_NO;
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return answer_text(s, c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD are answered here\n");
	if (!strcmp(url, "/"))
		return answer_text(s, c, MHD_HTTP_OK, ABOUT);
	if (strcmp(url, "/metrics") && strcmp(url, "/-/healthy"))
		return answer_text(s, c, MHD_HTTP_NOT_FOUND, "there is nothing here: /metrics has the metrics\n");
	if (is_stale(s))
		return answer_text(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, s->page ?
				   "xputrace has written no metrics for a minute: its process hangs\n" :
				   "xputrace has written no metrics yet\n");
	return url[1] == 'm' ? answer_metrics(s, c) : answer_text(s, c, MHD_HTTP_OK, "ok\n");
}

/* --- connections ------------------------------------------------------------------------------------ */

static int fd_of(const struct server *s, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info = s->m.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

/* Callback: a connection was opened or closed. */
static void on_connection(void *ctx, struct MHD_Connection *c, void **state, enum MHD_ConnectionNotificationCode what)
{
	struct server *s = ctx;

	(void)state;
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		xpt_connections__add(&s->connections, fd_of(s, c), xpt_now_ns());
	else
		xpt_connections__remove(&s->connections, fd_of(s, c));
}

/* Callback: an answer has been sent, or never will be. */
static void on_served(void *ctx, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode how)
{
	struct server *s = ctx;

	(void)state;
	if (how == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		xpt_connections__served(&s->connections, fd_of(s, c), xpt_now_ns());
}

/* Callback: drops messages of the library, which are about what clients do wrong. */
static void ignore_message(void *ctx, const char *format, va_list args)
{
	(void)ctx, (void)format, (void)args;
}

/* --- the loop ------------------------------------------------------------------------------------------ */

static int start_serving(struct server *s)
{
	const union MHD_DaemonInfo *info;
	int err;

	/* Closes all other descriptors that xputrace had. */
	if (syscall(SYS_close_range, XPT_SERVER_LISTEN_FD + 1u, ~0u, 0u))
		return -errno;
	err = xpt_microhttpd__load(&s->m);
	if (err)
		return err;
	s->daemon = s->m.start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL, answer_request, s,
				      MHD_OPTION_EXTERNAL_LOGGER, ignore_message, NULL,
				      MHD_OPTION_LISTEN_SOCKET, XPT_SERVER_LISTEN_FD,
				      MHD_OPTION_CONNECTION_LIMIT, (unsigned)XPT_CONNECTIONS,
				      MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)(REQUEST_NS / SECOND),
				      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_BYTES,
				      MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
				      MHD_OPTION_NOTIFY_COMPLETED, on_served, s, MHD_OPTION_END);
	info = s->daemon ? s->m.get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (!info)
		return -ENOTSUP;
	s->epoll_fd = info->epoll_fd;
	return xpt_jail__enter_service(XPT_SERVER_LISTEN_FD);
}

static int wait_ms(const struct server *s)
{
	MHD_UNSIGNED_LONG_LONG ms;

	return s->m.get_timeout(s->daemon, &ms) == MHD_YES && ms < 1000 ? (int)ms : 1000;
}

static void serve_requests(struct server *s)
{
	struct pollfd p[] = { { .fd = XPT_SERVER_FD, .events = POLLIN }, { .fd = s->epoll_fd, .events = POLLIN } };

	for (;;) {
		if (poll(p, 2, wait_ms(s)) < 0 && errno != EINTR)
			return;
		if (p[0].revents && !receive_page(s))
			return;
		s->m.run(s->daemon);
		xpt_connections__end_old(&s->connections, REQUEST_NS, xpt_now_ns());
	}
}

int xpt_server_child__run(void)
{
	struct server *s = &the_server;
	int err = start_serving(s);

	if (!send_state(err) || err)
		return 1;
	serve_requests(s);
	_exit(0);			/* connections end with the process */
}
#else
int xpt_server_child__run(void)
{
	send_state(-ENOTSUP);
	return 1;
}
#endif
