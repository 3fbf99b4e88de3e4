// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The engine's side of holding (target.bpf.c). A process that is about to map a library sends a record and waits. The
 * engine opens the library through that process's own file descriptor and attaches the probes; then the process goes
 * on.
 *
 * If processes wait by SIGSTOP, a guardian (a child process that does nothing else) ends every stop that lasts too
 * long, and all stops if xputrace has died.
 */
#include "engine/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/log.h"
#include "base/process/pidfd.h"
#include "base/process/priority.h"
#include "engine/source.h"
#include "kernel/btf_part.h"
#include "kernel/tracefs.h"
#include "target.skel.h"

/* A library of 600 functions takes some 50 ms, on kernels without uprobe multi more. */
#define LIMIT_NS 2000000000ull		/* of a wait, as nothing else ends it if xputrace dies */
#define STOP_LIMIT_NS 8000000000ull	/* of a stop: the guardian ends it */
#define GUARD_US 100000		/* between two looks of the guardian */
#define GUARD_LAST 10		/* looks after xputrace has died */
#define LSM_HOOK "bpf_lsm_mmap_file"
#define TICK_NS 20000000ull	/* two of the ticks in which /proc reports when a process began */
#define STOP_UNIT 22		/* bits of the time in xpt_stopped that are left out */

/* Stores the common beginning of all names that the glob matches: all before its first wildcard. */
static void name_of_glob(const char *glob, struct xpt_hold_name *ret_name)
{
	size_t n = strcspn(glob, "*?[\\");
	char text[16] = { 0 }, mask[16] = { 0 };

	if (n > sizeof(text) - 1)	/* the last byte ends the text that the program reads */
		n = sizeof(text) - 1;
	memcpy(text, glob, n);
	memset(mask, 0xff, n);
	memcpy(ret_name->text, text, sizeof(text));
	memcpy(ret_name->mask, mask, sizeof(mask));
}

void xpt_hold__configure(const struct xpt_engine *e, struct xpt_target_cfg *ret_cfg)
{
	const struct xpt_domain *const *d;
	const char *const *glob;
	uint32_t i;

	ret_cfg->own_tgid = (uint32_t)getpid();
	ret_cfg->limit_ns = LIMIT_NS;
	for (d = e->cfg.domains; *d; d++)
		for (glob = (*d)->libs; glob && *glob && ret_cfg->nr_names < XPT_HOLD_NAMES; glob++)
			name_of_glob(*glob, &ret_cfg->name[ret_cfg->nr_names++]);
	for (i = 0; i < e->cfg.nr_probes && ret_cfg->nr_names < XPT_HOLD_NAMES; i++)
		if (xpt_probe__is_glob(&e->cfg.probes[i]) && !strchr(e->cfg.probes[i].path, '/'))
			name_of_glob(e->cfg.probes[i].path, &ret_cfg->name[ret_cfg->nr_names++]);
}

/* Examines the file of a waiting process, which is not mapped yet. */
static void look_at_file(struct xpt_engine *e, const struct xpt_held *who)
{
	char link[64], name[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%u/fd/%d", who->tid, who->fd);
	n = readlink(link, name, sizeof(name) - 1);
	if (n <= 0)
		return;
	name[n] = '\0';
	xpt_sources__on_file(e, (int)who->tgid, link, name);
}

static uint64_t monotonic_ns(void)	/* the clock of bpf_ktime_get_ns */
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Returns the age of a process; UINT64_MAX if not known. */
static uint64_t age_of(pid_t pid)
{
	char path[32], buf[1024], *p;
	unsigned long long ticks;
	struct timespec ts;
	uint64_t now, began;
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);
	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	p = strrchr(buf, ')');	/* proc_pid_stat(5): field 22, its beginning in ticks since boot */
	if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			 &ticks) != 1 || clock_gettime(CLOCK_BOOTTIME, &ts))
		return UINT64_MAX;
	now = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	began = ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
	return now > began ? now - began : 0;
}

/*
 * Ends the stop of a process, stopped_ns ago. One that began later has got its number: the one that was
 * stopped has been killed. The descriptor comes first, so that it is the process that was looked at.
 */
static void resume_process(pid_t pid, uint64_t stopped_ns)
{
	int pidfd = xpt_pidfd__open(pid);
	uint64_t age;

	if (pidfd < 0)
		return;
	age = age_of(pid);
	if (age >= stopped_ns || stopped_ns - age < TICK_NS)
		xpt_pidfd__send(pidfd, SIGCONT);
	close(pidfd);
}

static int on_wake(void *ctx, void *data, size_t size)
{
	struct xpt_engine *e = ctx;
	struct xpt_holder *h = &e->holder;
	const struct xpt_held *who = data;
	const uint32_t slot = who->number % XPT_HOLD_SLOTS, one = 1;
	uint64_t took;

	if (size < sizeof(*who))
		return 0;
	look_at_file(e, who);
	bpf_map_update_elem(bpf_map__fd(e->target->maps.xpt_seen), &who->file, &one, BPF_ANY);
	e->target->bss->xpt_answers[slot] = who->number;
	if (e->target->bss->xpt_silent == XPT_HOLD_UNHEARD)
		e->target->bss->xpt_silent = XPT_HOLD_HEARD;
	if (who->stopped && e->target->bss->xpt_stopped[slot]) {
		/* Before it is removed from the table, as xputrace may be killed in between. */
		resume_process((pid_t)who->tgid, monotonic_ns() - who->began_ns);
		e->target->bss->xpt_stopped[slot] = 0;
	}
	took = monotonic_ns() - who->began_ns;
	h->held_ns += took;
	if (took > h->longest_ns)
		h->longest_ns = took;
	h->served++;
	return 0;
}

void xpt_hold__forget(struct xpt_engine *e)
{
	int fd = e->target ? bpf_map__fd(e->target->maps.xpt_seen) : -1;
	struct xpt_file_key key;

	while (fd >= 0 && !bpf_map_get_next_key(fd, NULL, &key) && !bpf_map_delete_elem(fd, &key))
		;
}

/* --- the guardian ----------------------------------------------------------------- */

/* Ends stops that are older than limit_ns. They are a loss: the probes were not there in time. */
static void end_stops(struct target_bpf *t, uint64_t limit_ns)
{
	uint32_t now = (uint32_t)(monotonic_ns() >> STOP_UNIT), i;

	for (i = 0; i < XPT_HOLD_SLOTS; i++) {
		uint64_t was = __atomic_load_n(&t->bss->xpt_stopped[i], __ATOMIC_ACQUIRE);
		__typeof__(t->bss->xpt_silent) heard;

		if (!was || (now - (uint32_t)(was >> 32)) < limit_ns >> STOP_UNIT)
			continue;
		resume_process((pid_t)(uint32_t)was, (uint64_t)(now - (uint32_t)(was >> 32)) << STOP_UNIT);
		if (!__atomic_compare_exchange_n(&t->bss->xpt_stopped[i], &was, 0, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			continue;	/* the engine was faster */
		heard = XPT_HOLD_HEARD;		/* a value that the engine has set meanwhile stays */
		__atomic_compare_exchange_n(&t->bss->xpt_silent, &heard, XPT_HOLD_UNHEARD, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED);
		__atomic_add_fetch(&t->bss->xpt_timeouts, 1, __ATOMIC_RELAXED);
	}
}

/* Runs the guardian, without any descriptor: the programs must be detached when xputrace ends. */
static _Noreturn void guard_holder(struct target_bpf *t, pid_t of)
{
	int left = GUARD_LAST, sig;

	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_IGN);
	setsid();
	xpt_priority__raise_session();
	prctl(PR_SET_NAME, "xputrace-guard");
	if (syscall(SYS_close_range, 0u, ~0u, 0u))
		closefrom(0);
	while (getppid() == of) {
		usleep(GUARD_US);
		end_stops(t, STOP_LIMIT_NS);
	}
	for (; left > 0; left--) {
		end_stops(t, 0);
		usleep(GUARD_US);
	}
	_exit(0);
}

static int start_guardian(struct xpt_engine *e)
{
	pid_t of = getpid(), pid = fork();

	if (!pid)
		guard_holder(e->target, of);
	if (pid < 0)
		return -errno;
	e->holder.guardian = pid;
	return 0;
}

/* --- the engine's life ---------------------------------------------------------------- */

/* Whether this kernel calls the program when a file is mapped. */
static bool does_fire(const struct target_bpf *t)
{
	void *p = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p != MAP_FAILED)
		munmap(p, 1);
	return t->bss->xpt_fired;
}

/*
 * Whether a program may attach to the hook of the security module: asked by one that does
 * nothing, because for the real one libbpf reads all types of the kernel.
 */
static int try_lsm(struct xpt_engine *e)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_LSM_MAC,
		    .attach_btf_id = e->types ? xpt_btf_part__function(e->types, LSM_HOOK) : 0);
	int fd;

	if (!opts.attach_btf_id)
		return e->types ? -ESRCH : 0;
	fd = bpf_prog_load(BPF_PROG_TYPE_LSM, NULL, "GPL", insns, 2, &opts);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int xpt_hold__why_not(struct xpt_engine *e, enum xpt_hold_kind kind)
{
	if (kind == XPT_HOLD_WAIT)
		return try_lsm(e);
	if (kind == XPT_HOLD_STOP)
		return xpt_tracefs__has("syscalls", "sys_enter_mmap");
	return 0;
}

int xpt_hold__open(struct xpt_engine *e, enum xpt_hold_kind kind)
{
	struct xpt_holder *h = &e->holder;
	struct bpf_program *prog = kind == XPT_HOLD_WAIT ? e->target->progs.xpt_hold
							 : e->target->progs.xpt_stop;
	int err = 0;

	if (kind == XPT_HOLD_NONE)
		return 0;
	if (kind == XPT_HOLD_STOP)
		err = start_guardian(e);
	if (!err)
		h->link = kind == XPT_HOLD_WAIT ? bpf_program__attach(prog)
						: xpt_tracefs__attach(prog, "syscalls", "sys_enter_mmap", 0);
	if (!h->link)
		return err ? err : -errno;
	if (kind == XPT_HOLD_WAIT && !does_fire(e->target))
		return -ENOTSUP;
	h->wake = ring_buffer__new(bpf_map__fd(e->target->maps.xpt_wake), on_wake, e, NULL);
	return h->wake ? 0 : -errno;
}

void xpt_hold__add_to_epoll(struct xpt_engine *e, uint64_t data)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = data };

	/* Without it, waiting processes are found at the next look. */
	if (e->holder.wake)
		epoll_ctl(e->epfd, EPOLL_CTL_ADD, ring_buffer__epoll_fd(e->holder.wake), &ev);
}

bool xpt_hold__waiting(const struct xpt_engine *e)
{
	return e->holder.wake && e->target->bss->xpt_asked != e->holder.served;
}

void xpt_hold__serve(struct xpt_engine *e)
{
	if (e->holder.wake)
		ring_buffer__consume(e->holder.wake);
}

void xpt_hold__stop(struct xpt_engine *e)
{
	char all[32], longest[32];

	if (!e->holder.wake)
		return;
	e->target->bss->xpt_silent = XPT_HOLD_OVER;
	xpt_hold__serve(e);
	if (e->holder.served)
		xpt_debug("held %llu times before a library was mapped: %s in all, %s the longest",
			  (unsigned long long)e->holder.served,
			  xpt_fmt_ns(e->holder.held_ns, all, sizeof(all)),
			  xpt_fmt_ns(e->holder.longest_ns, longest, sizeof(longest)));
}

const char *xpt_hold__how(const struct xpt_engine *e)
{
	if (!e->holder.wake)
		return NULL;
	return e->holder.guardian ? "is stopped for a moment" : "waits in mmap(2)";
}

uint64_t xpt_hold__timeouts(const struct xpt_engine *e)
{
	return e->holder.wake ? e->target->bss->xpt_timeouts : 0;
}

/* No process is stopped after this: the program is detached first, then holds that it began are ended. */
void xpt_hold__close(struct xpt_engine *e)
{
	struct xpt_holder *h = &e->holder;

	bpf_link__destroy(h->link);
	if (h->guardian) {
		end_stops(e->target, 0);
		xpt_pidfd__end_child(h->guardian);
		waitpid(h->guardian, NULL, 0);
	}
	ring_buffer__free(h->wake);
	*h = (struct xpt_holder){ 0 };
}
