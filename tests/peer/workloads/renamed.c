/* renamed MILLISECONDS: a task that burns CPU time under a long name, then
 * under a short one. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

/* By a system call: see threads.c. */
static long cpu_ms(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

__attribute__((noinline)) static void burn(long until_ms)
{
	while (cpu_ms() < until_ms)
		for (int i = 0; i < 50000; i++)
			sink = sink * 6364136223846793005u + 1;
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 100;

	pthread_setname_np(pthread_self(), "a-long-name");
	burn(ms / 2);
	pthread_setname_np(pthread_self(), "short");
	burn(ms);
	return 0;
}
