/* why_causes CAUSE PERCENT: takes its time for one planted cause, whose part is
 * PERCENT of what it is at 100; prints its id and how many ns it took.
 *
 *	cpu	hot_code() computes, besides other_code()
 *	lock	a thread "holder" sleeps in hold_lock() while need_lock() waits
 *	pipe	a process "feeder" sleeps in feed_slowly() before it answers
 *	starved	a process "rival" has the same CPU, for 100; else it is alone
 *	idle	serve() polls for what never comes
 *
 * The program asks for a real-time priority, so that what else runs is no
 * cause. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 20, PART_MS = 20, REST_MS = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t wanted, held;
static int percent;
static int asks[2], answers[2];

static long long now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noinline)) static void spin(long ms)
{
	long long end = now_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000LL;

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 20000; i++)
			;
}

/* Leaves no frame. */
__attribute__((always_inline)) static inline void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = PART_MS * 10000L * percent },
		  NULL);
}

__attribute__((noinline)) static void hot_code(void)
{
	long long end =
		now_ns(CLOCK_THREAD_CPUTIME_ID) + PART_MS * 10000LL * percent;

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 20000; i++)
			;
}

__attribute__((noinline)) static void other_code(void)
{
	spin(REST_MS);
	__asm__ volatile("");
}

__attribute__((noinline)) static void hold_lock(void)
{
	pthread_mutex_lock(&lock);
	sem_post(&held);
	nap();
	pthread_mutex_unlock(&lock);
	__asm__ volatile("");
}

static void *run_holder(void *unused)
{
	prctl(PR_SET_NAME, "holder");
	for (;;) {
		sem_wait(&wanted);
		hold_lock();
	}
	return unused;
}

__attribute__((noinline)) static void need_lock(void)
{
	sem_post(&wanted);
	sem_wait(&held);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	__asm__ volatile("");
}

__attribute__((noinline)) static void feed_slowly(void)
{
	nap();
	if (write(answers[1], "", 1) != 1)
		_exit(1);
	__asm__ volatile("");
}

__attribute__((noinline)) static void read_byte(void)
{
	char c;

	if (write(asks[1], "", 1) != 1 || read(answers[0], &c, 1) != 1)
		exit(1);
	__asm__ volatile("");
}

__attribute__((noinline)) static void serve(void)
{
	poll(NULL, 0, PART_MS);
	__asm__ volatile("");
}

static void begin_feeder(void)
{
	char c;

	if (pipe(asks) || pipe(answers))
		exit(1);
	if (fork())
		return;
	prctl(PR_SET_NAME, "feeder");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < ROUNDS && read(asks[0], &c, 1) == 1; i++)
		feed_slowly();
	_exit(0);
}

static pid_t begin_rival(void)
{
	cpu_set_t cpus;
	pid_t pid;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	if (percent < 100)
		return 0;
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_NAME, "rival");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		spin(1000);
}

int main(int argc, char **argv)
{
	const struct sched_param param = { .sched_priority = 1 };
	const char *cause = argc > 2 ? argv[1] : "";
	long long start_ns;
	pthread_t holder;
	pid_t rival = 0;

	sched_setscheduler(0, SCHED_RR, &param);
	percent = argc > 2 ? atoi(argv[2]) : 100;
	sem_init(&wanted, 0, 0);
	sem_init(&held, 0, 0);
	if (!strcmp(cause, "lock"))
		pthread_create(&holder, NULL, run_holder, NULL);
	if (!strcmp(cause, "pipe"))
		begin_feeder();
	if (!strcmp(cause, "starved"))
		rival = begin_rival();
	start_ns = now_ns(CLOCK_MONOTONIC);
	for (int i = 0; i < ROUNDS; i++) {
		if (!strcmp(cause, "cpu") || !strcmp(cause, "starved"))
			hot_code();
		if (!strcmp(cause, "lock"))
			need_lock();
		if (!strcmp(cause, "pipe"))
			read_byte();
		if (!strcmp(cause, "idle"))
			serve();
		else
			other_code();
	}
	printf("%d %lld\n", getpid(), now_ns(CLOCK_MONOTONIC) - start_ns);
	if (rival)
		kill(rival, SIGKILL);
	return 0;
}
