/* generated KIND FOLDER: x86-64 code without a file, called by functions
 * without frame pointers, which it calls in turn:
 *
 *	main host_a outer host_b inner loop
 *
 * outer, inner and loop are generated.  KIND says what is known of them:
 *
 *	map	names, in /tmp/perf-PID.map
 *	bare	nothing
 *	memfd	as map, and they are in one
 *	file	they are in FOLDER/code, which is no ELF file
 *	dump	names, in FOLDER/jit-PID.dump
 *	cfi	how to unwind them, there, too; they have no frame pointers
 *	cfi0	the same, in a dump that does not tell the processor
 *	none	as map, but the frame pointer of loop leads to an address that
 *		follows no call
 *	entry	as map, and they begin and end all the time
 */
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

typedef void called(long nr, void *next);

struct code {
	const char *name;
	const uint8_t *bytes;
	size_t len;
	const uint8_t *steps; /* of its call frame information */
	size_t steps_len;
};

static called *outer, *inner, *loop;
static const char *kind;
static int dump;

/* push %rbp; mov %rsp, %rbp; mov %rdi, %rax; dec %rax; jne; pop %rbp; ret */
static const uint8_t framed_loop[] = {
	0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8,
	0x48, 0xff, 0xc8, 0x75, 0xfb, 0x5d, 0xc3
};
/* push %rbp; mov %rsp, %rbp; sub $32, %rsp; call *%rsi; leave; ret */
static const uint8_t framed_call[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83,
				       0xec, 0x20, 0xff, 0xd6, 0xc9, 0xc3 };
/* The same without frame pointers. */
static const uint8_t bare_loop[] = { 0x48, 0x89, 0xf8, 0x48, 0xff,
				     0xc8, 0x75, 0xfb, 0xc3 };
static const uint8_t bare_call[] = { 0x48, 0x83, 0xec, 0x28, 0xff, 0xd6,
				     0x48, 0x83, 0xc4, 0x28, 0xc3 };
/* DW_CFA_advance_loc 4, def_cfa_offset 48, advance_loc 6, def_cfa_offset 8 */
static const uint8_t bare_call_steps[] = { 0x44, 0x0e, 0x30, 0x46, 0x0e, 0x08 };
/* push %rbp; movabs $ADDR, %rax; push %rax; push %rax; mov %rsp, %rbp: what
 * looks like a frame; then the loop; add $16, %rsp; pop %rbp; ret */
static uint8_t lost_loop[] = {
	0x55, 0x48, 0xb8, 0,	0,    0,    0,	  0,	0,    0,
	0,    0x50, 0x50, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8, 0x48,
	0xff, 0xc8, 0x75, 0xfb, 0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3,
};
enum { LOST_ADDR = 3 };

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

static void put_words(const uint64_t *words, size_t nr)
{
	put(words, nr * sizeof(*words));
}

/* A CIE and an FDE behind the code, then a table of them that is not. */
static void tell_unwinding(const struct code *code)
{
	static const uint8_t cie[] = {
		20, 0,	  0,  0, 0,    0,    0, 0, 1,	 'z', 'R', 0,
		1,  0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,   0,
	};
	static const uint8_t table[20] = { 1, 0x1b, 3, 0x3b };
	uint8_t fde[24] = { 20, 0, 0, 0, sizeof(cie) + 4 };
	int32_t distance =
		-(int32_t)((code->len + 7) / 8 * 8 + sizeof(cie) + 8);
	uint32_t len = (uint32_t)code->len;
	uint64_t all = sizeof(cie) + sizeof(fde) + sizeof(table);

	memcpy(fde + 8, &distance, sizeof(distance));
	memcpy(fde + 12, &len, sizeof(len));
	memcpy(fde + 17, code->steps, code->steps_len);
	put_words((uint64_t[]){ 4 | (16 + 24 + all) << 32, now(), all,
				sizeof(table), all },
		  5);
	put(cie, sizeof(cie));
	put(fde, sizeof(fde));
	put(table, sizeof(table));
}

static void tell(const struct code *code, uint64_t addr)
{
	static uint64_t idx;
	uint64_t len = 56 + strlen(code->name) + 1 + code->len;

	if (!strncmp(kind, "cfi", 3))
		tell_unwinding(code);
	put_words((uint64_t[]){ len << 32, now(), (uint64_t)getpid(), addr,
				addr, code->len, idx++ },
		  7);
	put(code->name, strlen(code->name) + 1);
	put(code->bytes, code->len);
}

static void open_dump(const char *folder)
{
	uint32_t machine = strcmp(kind, "cfi0") ? EM_X86_64 : 0;
	uint32_t head[10] = {
		0x4a695444, 1, 40, machine, 0, (uint32_t)getpid()
	};
	char path[4096];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, getpid());
	dump = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);
	put(head, sizeof(head));
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0);
}

static uint8_t *map_code(const char *folder)
{
	int prot = PROT_READ | PROT_WRITE | PROT_EXEC, fd;
	char path[4096];
	void *map;

	if (strcmp(kind, "memfd") != 0 && strcmp(kind, "file") != 0) {
		map = mmap(NULL, 4096, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	} else {
		snprintf(path, sizeof(path), "%s/code", folder);
		fd = !strcmp(kind, "memfd")
			     ? memfd_create("doublemapper", 0)
			     : open(path, O_CREAT | O_RDWR, 0755);
		if (ftruncate(fd, 4096))
			abort();
		map = mmap(NULL, 4096, prot, MAP_SHARED, fd, 0);
	}
	if (map == MAP_FAILED)
		exit(1);
	return map;
}

static called *at(uint8_t *addr)
{
	called *function;

	memcpy(&function, &addr, sizeof(function));
	return function;
}

__attribute__((noinline)) static void host_b(long nr, void *next)
{
	(void)next;
	inner(nr, (void *)loop);
	__asm__ volatile("");
}

__attribute__((noinline)) static void host_a(long nr)
{
	outer(nr, (void *)host_b);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	struct code codes[] = {
		{ "outer", framed_call, sizeof(framed_call), NULL, 0 },
		{ "inner", framed_call, sizeof(framed_call), NULL, 0 },
		{ "loop", framed_loop, sizeof(framed_loop), NULL, 0 },
	};
	uint8_t *map;
	char path[64];
	FILE *names;

	if (argc != 3)
		return 2;
	kind = argv[1];
	if (!strncmp(kind, "cfi", 3))
		for (int i = 0; i < 3; i++)
			codes[i] =
				i < 2 ? (struct code){ codes[i].name, bare_call,
						       sizeof(bare_call),
						       bare_call_steps,
						       sizeof(bare_call_steps) }
				      : (struct code){ "loop", bare_loop,
						       sizeof(bare_loop), NULL,
						       0 };
	if (!strcmp(kind, "none")) {
		uintptr_t no_return = (uintptr_t)host_b + 4;

		memcpy(lost_loop + LOST_ADDR, &no_return, sizeof(no_return));
		codes[2] = (struct code){ "loop", lost_loop, sizeof(lost_loop),
					  NULL, 0 };
	}
	if (!strcmp(kind, "dump") || !strncmp(kind, "cfi", 3))
		open_dump(argv[2]);
	map = map_code(argv[2]);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	names = strcmp(kind, "bare") != 0 && !dump ? fopen(path, "w") : NULL;
	for (size_t i = 0; i < 3; i++) {
		uint8_t *addr = map + i * 64;

		memcpy(addr, codes[i].bytes, codes[i].len);
		if (dump)
			tell(&codes[i], (uintptr_t)addr);
		if (names)
			fprintf(names, "%lx %zx %s\n", (uintptr_t)addr,
				codes[i].len, codes[i].name);
	}
	if (names)
		fclose(names);
	outer = at(map);
	inner = at(map + 64);
	loop = at(map + 128);
	if (strcmp(kind, "entry") != 0)
		host_a(300000000);
	else
		for (int i = 0; i < 20000000; i++)
			host_a(3);
	return 0;
}
