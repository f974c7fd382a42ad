/* jitted FOLDER: a just-in-time compiler for x86-64 that tells of its functions
 * in FOLDER/jit-PID.dump: two of them run in turns, then a third in the place
 * of the first, then the second after it was moved.  `jitted FOLDER TIMES` does
 * so much more of each. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { LOAD = 0, MOVE = 1, DEBUG_INFO = 2, CLOSE = 3 };

struct record {
	uint32_t kind, len;
	uint64_t time_ns;
};

struct load {
	struct record head;
	uint32_t pid, tid;
	uint64_t linked, addr, len, idx;
};

struct move {
	struct record head;
	uint32_t pid, tid;
	uint64_t linked, from, to, len, idx;
};

static int dump;
static uint64_t idx;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void put(const void *bytes, size_t len)
{
	if (write(dump, bytes, len) != (ssize_t)len)
		abort();
}

/* A loop of that many turns. */
static size_t compile(uint8_t *at, uint32_t turns, const char *name)
{
	uint8_t code[] = { 0xb9, 0,    0,   0, 0, /* mov ecx, turns */
			   0xff, 0xc9,		  /* dec ecx */
			   0x75, 0xfc, 0xc3 };	  /* jnz; ret */
	uint32_t name_len = (uint32_t)strlen(name) + 1;
	struct load load = {
		{ LOAD, (uint32_t)(sizeof(load) + name_len + sizeof(code)),
		  now() },
		(uint32_t)getpid(),
		(uint32_t)getpid(),
		(uintptr_t)at,
		(uintptr_t)at,
		sizeof(code),
		idx++,
	};
	uint64_t debug[] = { (uintptr_t)at, 0 };
	struct record info = { DEBUG_INFO, sizeof(info) + sizeof(debug),
			       now() };

	memcpy(code + 1, &turns, sizeof(turns));
	memcpy(at, code, sizeof(code));
	put(&info, sizeof(info));
	put(debug, sizeof(debug));
	put(&load, sizeof(load));
	put(name, name_len);
	put(code, sizeof(code));
	return sizeof(code);
}

static void move(uint8_t *from, uint8_t *to, size_t len, uint64_t which)
{
	struct move moved = {
		{ MOVE, sizeof(moved), now() },
		(uint32_t)getpid(),
		(uint32_t)getpid(),
		(uintptr_t)to,
		(uintptr_t)from,
		(uintptr_t)to,
		len,
		which,
	};

	memcpy(to, from, len);
	put(&moved, sizeof(moved));
}

static void run(uint8_t *code, int times)
{
	void (*function)(void);

	memcpy(&function, &code, sizeof(function));
	while (times--)
		function();
}

int main(int argc, char **argv)
{
	struct {
		uint32_t magic, version, len, machine, padding, pid;
		uint64_t time_ns, flags;
	} head = { 0x4a695444, 1, sizeof(head),
		   EM_X86_64,  0, (uint32_t)getpid(),
		   now(),      0 };
	char path[4096];
	uint8_t *code;
	int factor = 1;

	if (argc != 2 && argc != 3)
		return 2;
	if (argc == 3)
		factor = atoi(argv[2]);
	snprintf(path, sizeof(path), "%s/jit-%d.dump", argv[1], getpid());
	dump = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);
	put(&head, sizeof(head));
	/* how recorders learn of it */
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0);
	code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 1;
	compile(code, 200000, "first");
	compile(code + 256, 400000, "second");
	for (int i = 0; i < 100 * factor; i++) {
		run(code, 3);
		run(code + 256, 3);
	}
	/* another event of memory without a file */
	mprotect(code + 4096, 4096, PROT_READ);
	mprotect(code + 4096, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	compile(code, 600000, "third");
	run(code, 150 * factor);
	move(code + 256, code + 512, 10, 1);
	run(code + 512, 150 * factor);
	put(&(struct record){ CLOSE, sizeof(struct record), now() },
	    sizeof(struct record));
	return 0;
}
