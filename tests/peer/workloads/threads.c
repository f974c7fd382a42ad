/* threads N MILLISECONDS [cpu]: N threads with names of their own that burn CPU
 * time, each until so much time has gone by, or (cpu) it had so much, the main
 * one waiting for them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static clockid_t clock_id = CLOCK_MONOTONIC;
static long left_ms;
static volatile uint64_t sink;

/* By a system call: perf names what is in the vdso only where its ~/.debug has
 * a copy of it. */
static void read_clock(struct timespec *ret)
{
	syscall(SYS_clock_gettime, clock_id, ret);
}

__attribute__((noinline)) static uint64_t work(uint64_t seed)
{
	for (int i = 0; i < 50000; i++)
		seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed;
}

static void *thread_main(void *arg)
{
	struct timespec start, now;
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", (int)(intptr_t)arg);
	pthread_setname_np(pthread_self(), name);
	read_clock(&start);
	do {
		sink += work((uint64_t)(intptr_t)arg);
		read_clock(&now);
	} while ((now.tv_sec - start.tv_sec) * 1000 +
			 (now.tv_nsec - start.tv_nsec) / 1000000 <
		 left_ms);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;
	pthread_t threads[64];

	left_ms = argc > 2 ? atol(argv[2]) : 500;
	if (argc > 3)
		clock_id = CLOCK_THREAD_CPUTIME_ID;
	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&threads[i], NULL, thread_main,
			       (void *)(intptr_t)i);
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
