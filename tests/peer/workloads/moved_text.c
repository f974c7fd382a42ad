/* moved_text SECONDS [map]: moves a function of its own to memory without a
 * file, as programs do for which text on huge pages is faster, runs it and
 * ends; map: as a compiler would, it names the memory in a perf map. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE_LEN = 4096 };

#define MOVED __attribute__((noinline, section("moved")))

extern char __start_moved[];

__attribute__((aligned(PAGE_LEN))) MOVED unsigned long
hot_moved(unsigned long seed)
{
	for (int i = 0; i < 100000; i++)
		seed = seed * 69069 + 1 + (seed >> 7);
	return seed;
}

__attribute__((aligned(PAGE_LEN))) MOVED void behind(void)
{
}

/* The text's end is not moved. */
static int move(void)
{
	static char copy[PAGE_LEN];
	void *text = __start_moved;

	memcpy(copy, text, PAGE_LEN);
	if (mmap(text, PAGE_LEN, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return -1;
	memcpy(text, copy, PAGE_LEN);
	return 0;
}

static void write_map(void)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		exit(1);
	fprintf(map, "%lx 1000 compiled\n", (unsigned long)__start_moved);
	fclose(map);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	unsigned long seed = 1;
	double end;

	if (argc < 2 || move())
		return 1;
	if (argc > 2)
		write_map();
	end = now() + atof(argv[1]);
	while (now() < end)
		seed = hot_moved(seed);
	return seed == 0;
}
