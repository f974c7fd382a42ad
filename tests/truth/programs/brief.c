/* brief.c: short functions, some 10, 20 and 40 ns, called by turns.  What it
 * tells are the steps that each has done.
 *
 *	brief MILLISECONDS
 */
#include "truth.h"

#include <stdlib.h>

KEPT unsigned eight(unsigned x)
{
	return steps(x, 8);
}

KEPT unsigned sixteen(unsigned x)
{
	return steps(x, 16);
}

KEPT unsigned thirty_two(unsigned x)
{
	return steps(x, 32);
}

int main(int argc, char **argv)
{
	long long end = used_ns() + (argc > 1 ? atoll(argv[1]) : 1000) * MS;
	unsigned x = 1;
	long long nr = 0;

	for (; used_ns() < end; nr++)
		for (int i = 0; i < 1000; i++)
			x = thirty_two(sixteen(eight(x)));
	tell("eight", 8 * nr);
	tell("sixteen", 16 * nr);
	tell("thirty_two", 32 * nr);
	return x == 0;
}
