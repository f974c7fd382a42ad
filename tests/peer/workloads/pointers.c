/* pointers: spins, until it is ended, with a stack full of addresses of the C
 * library's code, others all the time: stack copies of it hit as much as a
 * recorder can take. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static volatile uint64_t sink;

__attribute__((noinline)) static void fill(uint64_t start, uint64_t len,
					   uint64_t *seed)
{
	volatile uint64_t words[900];

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		words[i] = start + (*seed >> 33) % len;
	}
	for (int i = 0; i < 100000; i++)
		sink += words[(unsigned)i % 900];
}

int main(void)
{
	unsigned long start = 0, end = 0;
	uint64_t seed = 1;
	char line[512], rights[8];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps) &&
	       (sscanf(line, "%lx-%lx %7s", &start, &end, rights) != 3 ||
		rights[2] != 'x' || !strstr(line, "libc")))
		;
	for (;;)
		fill(start, end - start, &seed);
}
