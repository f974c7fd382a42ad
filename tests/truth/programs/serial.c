/* serial.c: a third of the computing is serial, two thirds are shared by two
 * threads, of which the second one waits in await() while serial() runs.
 * The program tells the CPU time by function, and how long await() had none.
 *
 *	serial ROUNDS MILLISECONDS
 */
#include "truth.h"

#include <pthread.h>
#include <stdlib.h>

COMPUTES_IN(serial)
COMPUTES_IN(parallel)

static int begun[2], done[2];
static int rounds;
static long long ns;

KEPT void await(int fd)
{
	char byte;

	if (call(SYS_read, fd, &byte, 1) != 1)
		abort();
}

static void announce(int fd)
{
	if (write(fd, "", 1) != 1)
		abort();
}

static void *second(void *arg)
{
	long long used = 0, waited = 0;

	for (int i = 0; i < rounds; i++) {
		long long wall = ns_of(CLOCK_MONOTONIC), mine = used_ns();

		await(begun[0]);
		waited += ns_of(CLOCK_MONOTONIC) - wall - (used_ns() - mine);
		used += parallel(ns);
		announce(done[1]);
	}
	tell("parallel", used);
	tell("await", waited);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	long long used[2] = { 0, 0 };
	char byte;

	rounds = argc > 1 ? atoi(argv[1]) : 10;
	ns = (argc > 2 ? atoll(argv[2]) : 20) * MS;
	if (pipe(begun) || pipe(done))
		return 1;
	pthread_create(&thread, NULL, second, NULL);
	for (int i = 0; i < rounds; i++) {
		used[0] += serial(ns);
		announce(begun[1]);
		used[1] += parallel(ns);
		if (read(done[0], &byte, 1) != 1)
			return 1;
	}
	pthread_join(thread, NULL);
	tell("serial", used[0]);
	tell("parallel", used[1]);
	return 0;
}
