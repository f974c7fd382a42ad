/* calls.c: functions that call the kernel, by an instruction of their own, and
 * one that does not.  asks() has short calls, reads() long ones.
 *
 *	calls MILLISECONDS
 */
#include "truth.h"

#include <fcntl.h>
#include <stdlib.h>

static int zero;
static char bytes[1 << 16];

KEPT void asks(void)
{
	for (int i = 0; i < 500; i++)
		call(SYS_getppid, 0, NULL, 0);
}

KEPT void reads(void)
{
	for (int i = 0; i < 20; i++)
		call(SYS_read, zero, bytes, sizeof(bytes));
}

KEPT void computes(void)
{
	steps(1, 50000);
}

static long long in(void (*function)(void), long long ns)
{
	long long begin = used_ns();

	while (used_ns() < begin + ns)
		function();
	return used_ns() - begin;
}

int main(int argc, char **argv)
{
	long long ns = (argc > 1 ? atoll(argv[1]) : 1000) * MS;
	long long used[3] = { 0, 0, 0 };

	zero = open("/dev/zero", O_RDONLY);
	for (int i = 0; i < 10; i++) {
		used[0] += in(asks, ns / 100 * 3);
		used[1] += in(reads, ns / 100 * 5);
		used[2] += in(computes, ns / 100 * 2);
	}
	tell("asks", used[0]);
	tell("reads", used[1]);
	tell("computes", used[2]);
	return 0;
}
