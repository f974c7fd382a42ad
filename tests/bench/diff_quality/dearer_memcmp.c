/* dearer_memcmp.so: memcmp() for LD_PRELOAD, made dearer by so much: a function
 * of a real program (sort) whose cost can be set.
 *
 * DEARER is how many steps of nothing each 1000 calls take beside their work;
 * COUNT_CALLS names a file that is told at the end how often it was called
 * (sort closes its stderr before).
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define DEBT_LEN 64 /* steps that are taken at once */

static uint64_t calls;
static uint64_t steps_per_1000;
static uint64_t debt; /* thousandths of a step */
static volatile uint64_t sink;

__attribute__((constructor)) static void begin(void)
{
	const char *steps = getenv("DEARER");

	if (steps)
		steps_per_1000 = strtoull(steps, NULL, 10);
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("COUNT_CALLS");
	FILE *out = path ? fopen(path, "w") : NULL;

	if (!out)
		return;
	fprintf(out, "%" PRIu64 "\n", calls);
	fclose(out);
}

int memcmp(const void *a, const void *b, size_t len)
{
	const unsigned char *x = a;
	const unsigned char *y = b;
	size_t i = 0;

	calls++;
	debt += steps_per_1000;
	if (debt >= DEBT_LEN * UINT64_C(1000)) {
		uint64_t acc = sink;

		for (; debt >= 1000; debt -= 1000)
			acc = acc * 2862933555777941757u + 3037000493u;
		sink = acc;
	}
	while (i < len && x[i] == y[i])
		i++;
	return i < len ? (x[i] > y[i]) - (x[i] < y[i]) : 0;
}
