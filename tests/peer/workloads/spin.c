/* spin MILLISECONDS [cpu] [first]: burns CPU time through three levels of
 * functions, some of it in the C library and in the kernel, until so much time
 * has gone by, or (cpu) was had.  first: on CPU 0, where it may. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static clockid_t clock_id = CLOCK_MONOTONIC;
static volatile uint64_t sink;

/* By a system call: perf names what is in the vdso only where its ~/.debug has
 * a copy of it. */
static void read_clock(struct timespec *ret)
{
	syscall(SYS_clock_gettime, clock_id, ret);
}

__attribute__((noinline)) static void leaf_hash(uint64_t seed)
{
	for (int i = 0; i < 20000; i++)
		seed = seed * 6364136223846793005u + 1442695040888963407u;
	sink += seed;
}

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

__attribute__((noinline)) static void leaf_sort(uint32_t seed)
{
	uint32_t numbers[2000];

	for (int i = 0; i < 2000; i++)
		numbers[i] = seed = seed * 1664525u + 1013904223u;
	qsort(numbers, 2000, sizeof(numbers[0]), compare);
	sink += numbers[1000];
}

__attribute__((noinline)) static void leaf_memory(void)
{
	char *block = malloc(1 << 20);

	memset(block, 1, 1 << 20);
	sink += (uint64_t)block[4711];
	free(block);
}

__attribute__((noinline)) static void middle(uint32_t round)
{
	leaf_hash(round);
	leaf_sort(round);
	leaf_memory();
	sink += 1;
}

int main(int argc, char **argv)
{
	long left_ms = argc > 1 ? atol(argv[1]) : 500;
	struct timespec start, now;
	uint32_t round = 0;

	for (int i = 2; i < argc; i++) {
		cpu_set_t cpus;

		if (!strcmp(argv[i], "cpu"))
			clock_id = CLOCK_PROCESS_CPUTIME_ID;
		if (strcmp(argv[i], "first"))
			continue;
		CPU_ZERO(&cpus);
		CPU_SET(0, &cpus);
		sched_setaffinity(0, sizeof(cpus), &cpus);
	}
	read_clock(&start);
	do {
		middle(round++);
		read_clock(&now);
	} while ((now.tv_sec - start.tv_sec) * 1000 +
			 (now.tv_nsec - start.tv_nsec) / 1000000 <
		 left_ms);
	printf("%lu\n", (unsigned long)sink);
	return 0;
}
