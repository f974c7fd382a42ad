/* callers.c: rarely() and often() call leaf(), which has no frame of its own,
 * one part and two parts of the time.
 *
 *	callers MILLISECONDS
 */
#include "truth.h"

#include <stdlib.h>

KEPT unsigned leaf(unsigned x)
{
	return steps(x, 20000);
}

INLINED long long below(long long ns)
{
	long long begin = used_ns();
	unsigned x = 1;

	while (used_ns() < begin + ns)
		x = leaf(x);
	return used_ns() - begin;
}

KEPT long long rarely(long long ns)
{
	return below(ns);
}

KEPT long long often(long long ns)
{
	return below(ns);
}

int main(int argc, char **argv)
{
	long long ns = (argc > 1 ? atoll(argv[1]) : 1000) * MS;
	long long used[2] = { 0, 0 };

	for (int i = 0; i < 10; i++) {
		used[0] += rarely(ns / 30);
		used[1] += often(ns / 15);
	}
	tell("rarely", used[0]);
	tell("often", used[1]);
	return 0;
}
