/* hot.c: loops of two or three instructions, in a function each, of which one
 * divides, one stores and one jumps.
 *
 *	hot MILLISECONDS
 */
#include "truth.h"

#include <stdlib.h>

enum { TURNS = 20000 };

static volatile unsigned cell;

KEPT void divides(void)
{
	unsigned long x = ~0UL, by = 3;

	for (unsigned i = 0; i < TURNS; i++) {
		x = ~(x / by);
		__asm__ volatile("" : "+r"(x), "+r"(by));
	}
}

KEPT void stores(void)
{
	for (unsigned i = 0; i < TURNS; i++)
		cell = i;
}

KEPT void jumps(void)
{
	for (unsigned i = 0; i < TURNS; i++)
		__asm__ volatile("");
}

static long long in(void (*loop)(void), long long ns)
{
	long long begin = used_ns();

	while (used_ns() < begin + ns)
		for (int i = 0; i < 10; i++)
			loop();
	return used_ns() - begin;
}

int main(int argc, char **argv)
{
	long long ms = (argc > 1 ? atoll(argv[1]) : 1000) * MS;
	long long used[3] = { 0, 0, 0 };

	for (int i = 0; i < 10; i++) {
		used[0] += in(divides, ms / 100 * 5);
		used[1] += in(stores, ms / 100 * 3);
		used[2] += in(jumps, ms / 100 * 2);
	}
	tell("divides", used[0]);
	tell("stores", used[1]);
	tell("jumps", used[2]);
	return 0;
}
