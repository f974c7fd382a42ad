/* reused_code MODE SECONDS: a just-in-time compiler for x86-64 that uses its
 * memory again, and tells of its functions in /tmp/perf-PID.map as it makes
 * them; it prints when each of them began to run, CLOCK_MONOTONIC in ns, and
 * its name.  Each has SECONDS of CPU time.  MODE: "reuse" runs "first", then
 * "second" where that was, "moved" a "mover", which is moved twice, and others
 * where it was, "anew" "lost", then "kept" in a map that is written anew, and
 * is shorter, then "added". */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const uint8_t code[] = { 0xb9, 0x40, 0x0d, 0x03, 0x00,
				0xff, 0xc9, 0x75, 0xfc, 0xc3 };
static uint8_t *memory;
static FILE *map;
static double seconds;

static int64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A place has 64 bytes. */
static void tell(unsigned place, const char *name)
{
	fprintf(map, "%lx %zx %s\n",
		(unsigned long)(uintptr_t)(memory + 64 * place), sizeof(code),
		name);
}

/* Code is written while the memory cannot be run. */
static void run(unsigned place, const char *name)
{
	uint8_t *at = memory + 64 * place;
	void (*function)(void);
	int64_t end_ns;

	fflush(map);
	mprotect(memory, 4096, PROT_READ | PROT_WRITE);
	memcpy(at, code, sizeof(code));
	mprotect(memory, 4096, PROT_READ | PROT_EXEC);
	printf("%lld %s\n", (long long)now_ns(CLOCK_MONOTONIC), name);
	memcpy(&function, &at, sizeof(function));
	end_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) + (int64_t)(seconds * 1e9);
	while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns)
		function();
}

static void run_moved(void)
{
	tell(0, "mover");
	run(0, "mover");
	tell(1, "mover");
	tell(0, "other");
	run(1, "mover");
	run(0, "other");
	tell(2, "mover");
	tell(1, "third");
	run(2, "mover");
	run(1, "third");
}

static void run_anew(const char *path)
{
	for (unsigned place = 8; place < 16; place++)
		tell(place, "never_run");
	tell(0, "lost");
	run(0, "lost");
	fclose(map);
	map = fopen(path, "w");
	if (!map)
		exit(1);
	tell(3, "never_run");
	tell(0, "kept");
	run(0, "kept");
	tell(0, "added");
	run(0, "added");
}

int main(int argc, char **argv)
{
	char path[64];

	if (argc != 3)
		return 2;
	seconds = atof(argv[2]);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!map || memory == MAP_FAILED)
		return 1;
	if (!strcmp(argv[1], "moved")) {
		run_moved();
	} else if (!strcmp(argv[1], "anew")) {
		run_anew(path);
	} else {
		tell(0, "first");
		run(0, "first");
		tell(0, "second");
		run(0, "second");
	}
	fclose(map);
	return 0;
}
