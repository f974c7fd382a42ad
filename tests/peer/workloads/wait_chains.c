/* wait_chains DEPTH HOW: the thread "victim" waits for a lock, whose holder
 * waits for the lock of the next thread, and so on for DEPTH threads, until the
 * last one, which holds its lock while it sleeps, computes, reads from a pipe
 * or waits for a condition.  Prints for how many ns the victim waited. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH_MAX = 5, ROUNDS = 6, HELD_MS = 40 };

static pthread_mutex_t locks[DEPTH_MAX];
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static sem_t held;
static int depth;
static int pipe_ends[2];
static int is_told;
static const char *how;

static long long now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = HELD_MS * 1000000L }, NULL);
}

/* Ways to hold a lock, of the innermost thread; each leaves a frame. */
__attribute__((noinline)) static void holder_sleeps(void)
{
	nap();
	__asm__ volatile("");
}

__attribute__((noinline)) static void holder_computes(void)
{
	long long end = now_ns(CLOCK_MONOTONIC) + HELD_MS * 1000000LL;

	while (now_ns(CLOCK_MONOTONIC) < end)
		;
}

__attribute__((noinline)) static void holder_reads(void)
{
	char c;

	if (read(pipe_ends[0], &c, 1) != 1)
		exit(1);
	__asm__ volatile("");
}

__attribute__((noinline)) static void holder_is_told(void)
{
	pthread_mutex_lock(&other);
	while (!is_told)
		pthread_cond_wait(&told, &other);
	is_told = 0;
	pthread_mutex_unlock(&other);
	__asm__ volatile("");
}

/* Writes, or tells, after a while. */
static void *tell(void *ctx)
{
	(void)ctx;
	pthread_setname_np(pthread_self(), "teller");
	nap();
	if (!strcmp(how, "pipe"))
		return write(pipe_ends[1], "x", 1) == 1 ? NULL : ctx;
	pthread_mutex_lock(&other);
	is_told = 1;
	pthread_cond_signal(&told);
	pthread_mutex_unlock(&other);
	return NULL;
}

static void hold(void)
{
	pthread_t teller;

	if (!strcmp(how, "sleep")) {
		holder_sleeps();
	} else if (!strcmp(how, "compute")) {
		holder_computes();
	} else {
		pthread_create(&teller, NULL, tell, NULL);
		if (!strcmp(how, "pipe"))
			holder_reads();
		else
			holder_is_told();
		pthread_join(teller, NULL);
	}
}

/* Take a lock that another thread has. */
__attribute__((noinline)) static void wait_for(int number)
{
	pthread_mutex_lock(&locks[number]);
	pthread_mutex_unlock(&locks[number]);
	__asm__ volatile("");
}

static void *level(void *ctx)
{
	int number = (int)(long)ctx;
	char name[16];

	snprintf(name, sizeof(name), "level%d", number);
	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&locks[number]);
	sem_post(&held);
	if (number)
		wait_for(number - 1);
	else
		hold();
	pthread_mutex_unlock(&locks[number]);
	return NULL;
}

static long long wait_once(void)
{
	pthread_t threads[DEPTH_MAX];
	long long start;

	for (int i = 0; i < depth; i++) {
		pthread_create(&threads[i], NULL, level, (void *)(long)i);
		while (sem_wait(&held))
			;
	}
	start = now_ns(CLOCK_MONOTONIC);
	wait_for(depth - 1);
	start = now_ns(CLOCK_MONOTONIC) - start;
	for (int i = 0; i < depth; i++)
		pthread_join(threads[i], NULL);
	return start;
}

int main(int argc, char **argv)
{
	long long sum_ns = 0;

	if (argc != 3 || pipe(pipe_ends) || sem_init(&held, 0, 0))
		return 2;
	depth = atoi(argv[1]);
	how = argv[2];
	if (depth < 1 || depth > DEPTH_MAX)
		return 2;
	for (int i = 0; i < depth; i++)
		pthread_mutex_init(&locks[i], NULL);
	pthread_setname_np(pthread_self(), "victim");
	for (int i = 0; i < ROUNDS; i++)
		sum_ns += wait_once();
	printf("%lld\n", sum_ns);
	return 0;
}
