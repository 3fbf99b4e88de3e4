/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A parent that asks for everything which waitid(2) and SIGCHLD tell of a
 * child, as a shell with job control does. Runs a command and prints how often
 * it stopped, continued and ended.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t told[NSIG];

static void on_child(int sig, siginfo_t *info, void *ctx)
{
	(void)sig, (void)ctx;
	told[info->si_code & 15]++;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_sigaction = on_child, .sa_flags = SA_SIGINFO | SA_RESTART };
	int stopped = 0, continued = 0, ended = 0;
	siginfo_t info;
	pid_t pid;

	if (argc < 2)
		return 2;
	sigaction(SIGCHLD, &sa, NULL);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	while (!ended && !waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WCONTINUED)) {
		stopped += info.si_code == CLD_STOPPED || info.si_code == CLD_TRAPPED;
		continued += info.si_code == CLD_CONTINUED;
		ended += info.si_code == CLD_EXITED && info.si_status == 0;
		if (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)
			break;
	}
	printf("stopped %d continued %d ended %d, told of %d stops and %d ends\n", stopped,
	       continued, ended, told[CLD_STOPPED] + told[CLD_TRAPPED] + told[CLD_CONTINUED],
	       told[CLD_EXITED]);
	return ended ? 0 : 1;
}
