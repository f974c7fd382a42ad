/* memfd_library PATH SECONDS: loads the library at PATH from a memfd, and runs
 * its function entry(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	static char bytes[1 << 20];
	unsigned long (*entry)(unsigned long), seed = 1;
	char path[64];
	void *library, *at;
	int from, to;
	ssize_t len;
	double end;

	if (argc != 3)
		return 2;
	from = open(argv[1], O_RDONLY);
	to = memfd_create("plugin", 0);
	len = read(from, bytes, sizeof(bytes));
	if (len <= 0 || write(to, bytes, (size_t)len) != len)
		return 1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", to);
	library = dlopen(path, RTLD_NOW);
	close(to);
	at = library ? dlsym(library, "entry") : NULL;
	if (!at)
		return 1;
	memcpy(&entry, &at, sizeof(entry));
	end = now() + atof(argv[2]);
	while (now() < end)
		seed = entry(seed);
	return seed == 0;
}
