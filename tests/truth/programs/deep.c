/* deep.c: two functions that call each other so deep, and compute at the end:
 * for three parts below left(), for one part below right().
 *
 *	deep MILLISECONDS DEPTH
 */
#include "truth.h"

#include <stdlib.h>

COMPUTES_IN(bottom)

KEPT long long odd(int depth, long long ns);

KEPT long long even(int depth, long long ns)
{
	return depth ? odd(depth - 1, ns) + 1 : bottom(ns);
}

KEPT long long odd(int depth, long long ns)
{
	return depth ? even(depth - 1, ns) + 1 : bottom(ns);
}

KEPT long long left(int depth, long long ns)
{
	return even(depth, ns) + 1;
}

KEPT long long right(int depth, long long ns)
{
	return even(depth, ns) + 1;
}

int main(int argc, char **argv)
{
	long long ns = (argc > 1 ? atoll(argv[1]) : 1000) * MS;
	int depth = argc > 2 ? atoi(argv[2]) : 100;
	long long used[2] = { 0, 0 };

	for (int i = 0; i < 10; i++) {
		used[0] += left(depth, ns / 40 * 3);
		used[1] += right(depth, ns / 40);
	}
	tell("left", used[0]);
	tell("right", used[1]);
	return 0;
}
