/* steady.c: a host that does much the same all the time.
 *
 *	steady threads NR	NR threads, each of which computes some 50 us,
 *				ten times a second
 *	steady forks RATE	so many processes a second that execute
 *				/bin/true
 *
 * Runs until SIGTERM, then prints what it did a second: turns of threads, or
 * programs that ended.  A busy machine does less than was asked for.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TURN_NS = 100000000, STEPS = 40000, SECOND_NS = 1000000000 };

static volatile sig_atomic_t is_over;
static uint64_t done_nr; /* atomic */

static void end(int signal_nr)
{
	(void)signal_nr;
	is_over = 1;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	struct timespec at = { (time_t)(ns / SECOND_NS),
			       (long)(ns % SECOND_NS) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* Its turns begin at a moment of its own, as those of strangers do. */
static void *turn(void *arg)
{
	uint64_t next = now_ns() + (uintptr_t)arg;

	while (!is_over) {
		volatile unsigned sum = 0;

		for (unsigned i = 0; i < STEPS; i++)
			sum += i;
		__atomic_fetch_add(&done_nr, 1, __ATOMIC_RELAXED);
		next += TURN_NS;
		sleep_until(next);
	}
	return NULL;
}

static int run_threads(unsigned nr)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (unsigned i = 0; i < nr; i++) {
		uintptr_t begin = (uintptr_t)TURN_NS / nr * i;

		if (pthread_create(&thread, &attr, turn, (void *)begin))
			return 1;
	}
	while (!is_over)
		pause();
	return 0;
}

static void reap(int options)
{
	while (waitpid(-1, NULL, options) > 0)
		done_nr++;
}

/* Turns that were not in time are left out: a late machine is not asked for
 * more. */
static int run_forks(unsigned rate)
{
	uint64_t next = now_ns();

	while (!is_over) {
		uint64_t now = now_ns();
		pid_t pid = fork();

		if (pid < 0 && errno != EAGAIN)
			return 1;
		if (!pid) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(127);
		}
		reap(WNOHANG);
		next += SECOND_NS / rate;
		if (next < now)
			next = now;
		sleep_until(next);
	}
	reap(0);
	return 0;
}

int main(int argc, char **argv)
{
	const unsigned nr = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
	struct sigaction action = { .sa_handler = end };
	uint64_t begin = now_ns();
	int rc;

	if (nr < 1 || nr > 100000 ||
	    (strcmp(argv[1], "threads") && strcmp(argv[1], "forks"))) {
		fprintf(stderr, "usage: steady threads NR | forks RATE\n");
		return 2;
	}
	sigaction(SIGTERM, &action, NULL);
	rc = strcmp(argv[1], "forks") ? run_threads(nr) : run_forks(nr);
	printf("%.0f\n", (double)done_nr * 1e9 / (double)(now_ns() - begin));
	return rc;
}
