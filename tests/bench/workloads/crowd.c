/* crowd.c: a host with many processes, for a while.
 *
 *	crowd [PROCESSES [SECONDS]]
 *
 * Starts PROCESSES (2000) sleeping processes with libraries mapped and prints
 * one line when all are there.  They end after SECONDS (120), on SIGTERM or
 * SIGINT, and when crowd dies, however it dies.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What an ordinary program of a distribution has mapped; those that are not
 * installed are left out. */
static const char *const libraries[] = {
	"libm.so.6",	   "libz.so.1",	       "libzstd.so.1",
	"liblzma.so.5",	   "libbz2.so.1.0",    "libelf.so.1",
	"libdw.so.1",	   "libstdc++.so.6",   "libgcc_s.so.1",
	"libcrypto.so.3",  "libssl.so.3",      "libselinux.so.1",
	"libpcre2-8.so.0", "libncursesw.so.6",
};
enum { LIBRARY_NR = sizeof(libraries) / sizeof(libraries[0]) };

static unsigned map_libraries(void)
{
	unsigned nr = 0;

	for (size_t i = 0; i < LIBRARY_NR; i++)
		nr += dlopen(libraries[i], RTLD_NOW) != NULL;
	return nr;
}

_Noreturn static void sleep_among_others(pid_t crowd, unsigned seconds,
					 const sigset_t *mask)
{
	char name[16];

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != crowd)
		_exit(0);
	snprintf(name, sizeof(name), "crowd-%d", (int)getpid());
	prctl(PR_SET_NAME, name);
	alarm(seconds);
	for (;;)
		pause();
}

static size_t start_all(pid_t *pids, size_t nr, unsigned seconds,
			const sigset_t *mask)
{
	const pid_t crowd = getpid();
	size_t i;

	for (i = 0; i < nr; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			sleep_among_others(crowd, seconds, mask);
		if (pids[i] < 0) {
			fprintf(stderr, "crowd: process %zu: %s\n", i,
				strerror(errno));
			break;
		}
	}
	return i;
}

static void end_all(const pid_t *pids, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		kill(pids[i], SIGKILL);
	for (size_t i = 0; i < nr; i++)
		waitpid(pids[i], NULL, 0);
}

/* The handler is there so that SIGTERM ends pause() and not the program. */
static void wake_up(int signal_nr)
{
	(void)signal_nr;
}

static void handle(int signal_nr)
{
	struct sigaction action = { .sa_handler = wake_up };

	sigaction(signal_nr, &action, NULL);
}

int main(int argc, char **argv)
{
	const size_t nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
	const unsigned long seconds =
		argc > 2 ? strtoul(argv[2], NULL, 10) : 120;
	sigset_t ends;
	sigset_t old;
	pid_t *pids;
	size_t started;

	if (nr == 0 || nr > 100000 || seconds == 0 || seconds > 3600) {
		fprintf(stderr, "usage: crowd [PROCESSES [SECONDS]]\n");
		return 2;
	}
	pids = calloc(nr, sizeof(*pids));
	if (!pids)
		return 1;
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGALRM);
	sigprocmask(SIG_BLOCK, &ends, &old);
	handle(SIGTERM);
	handle(SIGINT);
	handle(SIGALRM);
	alarm((unsigned)seconds);
	printf("%u libraries", map_libraries());
	started = start_all(pids, nr, (unsigned)seconds, &old);
	printf(", %zu processes\n", started);
	fflush(stdout);
	if (started == nr)
		sigsuspend(&old);
	end_all(pids, started);
	free(pids);
	return started == nr ? 0 : 1;
}
