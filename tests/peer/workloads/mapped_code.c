/* mapped_code PATH SECONDS END [FILE]: a just-in-time compiler for x86-64 that
 * tells of its function in a perf map at PATH ("-": /tmp/perf-PID.map), runs it
 * and ends; END: "keep" leaves the map, "remove" removes it before, "exec"
 * becomes `true` at once, "none" writes none, "crlf" ends its lines as on
 * Windows; FILE: the code is in a "memfd", or in shared memory ("shm") that was
 * unlinked. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* The CPU time, which is as much on a busy machine. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int file_of(const char *kind)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/mapped_code-%d", getpid());
	if (!strcmp(kind, "memfd"))
		return memfd_create("doublemapper", 0);
	fd = shm_open(name, O_CREAT | O_RDWR, 0700);
	shm_unlink(name);
	return fd;
}

/* As .NET does: no page may be written and run at once. */
static uint8_t *map_file(const char *kind, const uint8_t *code, size_t len)
{
	int fd = file_of(kind);

	if (fd < 0 || ftruncate(fd, 4096) || pwrite(fd, code, len, 0) < 0)
		return MAP_FAILED;
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
}

static uint8_t *map_memory(const uint8_t *code, size_t len)
{
	uint8_t *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at != MAP_FAILED)
		memcpy(at, code, len);
	return at;
}

int main(int argc, char **argv)
{
	static const uint8_t code[] = { 0xb9, 0x40, 0x0d, 0x03, 0x00,
					0xff, 0xc9, 0x75, 0xfc, 0xc3 };
	void (*function)(void);
	char path[4096];
	double end;
	uint8_t *at;
	FILE *map;

	if (argc != 4 && argc != 5)
		return 2;
	end = now() + atof(argv[2]);
	if (strcmp(argv[1], "-") != 0)
		snprintf(path, sizeof(path), "%s", argv[1]);
	else
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	at = argc == 5 ? map_file(argv[4], code, sizeof(code))
		       : map_memory(code, sizeof(code));
	if (at == MAP_FAILED)
		return 1;
	if (strcmp(argv[3], "none") != 0) {
		map = fopen(path, "w");
		if (!map)
			return 1;
		fprintf(map, "%lx %zx compiled_%s%s\n",
			(unsigned long)(uintptr_t)at, sizeof(code), argv[3],
			strcmp(argv[3], "crlf") ? "" : "\r");
		fclose(map);
	}
	memcpy(&function, &at, sizeof(function));
	while (now() < end)
		function();
	if (!strcmp(argv[3], "remove"))
		unlink(path);
	return 0;
}
