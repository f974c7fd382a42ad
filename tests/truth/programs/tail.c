/* tail.c: outer() computes one part, and leaves by a jump to inner(), which
 * computes three.  No frame says that outer() was there.
 *
 *	tail MILLISECONDS
 */
#include "truth.h"

#include <stdlib.h>

COMPUTES_IN(inner)

__attribute__((optimize("optimize-sibling-calls"))) KEPT long long
outer(long long ns)
{
	compute(ns);
	return inner(3 * ns);
}

int main(int argc, char **argv)
{
	long long ns = (argc > 1 ? atoll(argv[1]) : 1000) * MS;
	long long begin = used_ns(), inner_ns = 0;

	for (int i = 0; i < 10; i++)
		inner_ns += outer(ns / 40);
	tell("inner", inner_ns);
	tell("outer", used_ns() - begin - inner_ns);
	return 0;
}
