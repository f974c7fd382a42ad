/* tick.c: a program that turns with the clock, each millisecond, and computes
 * for 40 % of a turn in early() and for the rest in late().  Prints their
 * shares of its CPU time, by its own clock: "early 0.400 late 0.600".
 *
 *	tick MILLISECONDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KEPT __attribute__((noinline))

static volatile unsigned sum;

static long long ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Some microseconds of work, so that little of the time is the clock's. */
static inline __attribute__((always_inline)) void compute(void)
{
	for (unsigned i = 0; i < 2000; i++)
		sum = sum * 1664525 + 1013904223;
}

KEPT void early(long long until)
{
	while (ns_of(CLOCK_MONOTONIC) < until)
		compute();
}

KEPT void late(long long until)
{
	while (ns_of(CLOCK_MONOTONIC) < until)
		compute();
}

int main(int argc, char **argv)
{
	long long begin = ns_of(CLOCK_MONOTONIC), used[2] = { 0, 0 };
	int nr = argc > 1 ? atoi(argv[1]) : 1000;

	for (int i = 0; i < nr; i++) {
		long long at[3];

		at[0] = ns_of(CLOCK_PROCESS_CPUTIME_ID);
		early(begin + i * 1000000LL + 400000);
		at[1] = ns_of(CLOCK_PROCESS_CPUTIME_ID);
		late(begin + (i + 1) * 1000000LL);
		at[2] = ns_of(CLOCK_PROCESS_CPUTIME_ID);
		used[0] += at[1] - at[0];
		used[1] += at[2] - at[1];
	}
	printf("early %.3f late %.3f\n",
	       (double)used[0] / (double)(used[0] + used[1]),
	       (double)used[1] / (double)(used[0] + used[1]));
	return 0;
}
