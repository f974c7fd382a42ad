/* tick.c: a program that turns with the clock, each millisecond, and computes
 * for 40 % of a turn in early() and for the rest in late().
 *
 *	tick MILLISECONDS [MICROSECONDS OF A TURN]
 */
#include "truth.h"

#include <stdlib.h>

KEPT void early(long long until)
{
	while (ns_of(CLOCK_MONOTONIC) < until)
		steps(1, 2000);
}

KEPT void late(long long until)
{
	while (ns_of(CLOCK_MONOTONIC) < until)
		steps(1, 2000);
}

int main(int argc, char **argv)
{
	long long begin = ns_of(CLOCK_MONOTONIC), used[2] = { 0, 0 };
	long long all = (argc > 1 ? atoll(argv[1]) : 1000) * MS;
	long long turn = argc > 2 ? atoll(argv[2]) * 1000 : MS;

	for (long long t = 0; t < all; t += turn) {
		long long at[3];

		at[0] = used_ns();
		early(begin + t + turn * 2 / 5);
		at[1] = used_ns();
		late(begin + t + turn);
		at[2] = used_ns();
		used[0] += at[1] - at[0];
		used[1] += at[2] - at[1];
	}
	tell("early", used[0]);
	tell("late", used[1]);
	return 0;
}
