/* leaves.c: who called a function is told by its name: NAME_leaf() is called by
 * NAME_calls() alone, and each other function by one function, too.
 *
 *	leaves MILLISECONDS KIND...
 *
 *	short	a leaf of a few instructions, called all the time
 *	chain	three functions without a frame, one below the other
 *	again	a function without a frame that calls itself
 *	signal	a handler's leaf
 *	memory	memchr() of libc, through a PLT slot
 *	clock	the vdso's clock
 *	large	a frame of 200 bytes
 *	code	generated code without information
 */
#define _GNU_SOURCE
#include "truth.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BARE KEPT __attribute__((optimize("omit-frame-pointer")))

static volatile unsigned sink;
static char text[1 << 7];

BARE unsigned short_leaf(unsigned x)
{
	return x * 1664525 + 1013904223;
}

KEPT unsigned short_calls(unsigned x)
{
	for (int i = 0; i < 10000; i++)
		x = short_leaf(x);
	return x;
}

BARE unsigned chain_leaf(unsigned x)
{
	return steps(x, 2000);
}

BARE unsigned chain_inner(unsigned x)
{
	return chain_leaf(x + 1) + 1;
}

BARE unsigned chain_calls(unsigned x)
{
	return chain_inner(x + 1) + 1;
}

BARE unsigned again_leaf(unsigned x)
{
	return steps(x, 2000);
}

BARE unsigned again_calls(unsigned x, unsigned depth)
{
	return 1 + (depth ? again_calls(x, depth - 1) : again_leaf(x));
}

BARE unsigned signal_leaf(unsigned x)
{
	return steps(x, 20000);
}

KEPT void signal_calls(int nr)
{
	sink += signal_leaf((unsigned)nr);
}

KEPT void memory_calls(void)
{
	for (int i = 0; i < 200; i++)
		sink += memchr(text, 1, 100 + sink % 2) != NULL;
}

KEPT void clock_calls(void)
{
	struct timespec t;

	for (int i = 0; i < 200; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	sink += (unsigned)t.tv_nsec;
}

BARE unsigned large_calls(unsigned x)
{
	volatile char room[200];

	room[x % 200] = 1;
	return steps(x, 2000) + (unsigned)room[0] + short_leaf(x);
}

#ifdef __x86_64__
typedef unsigned code_fn(unsigned);

/* "mov %edi, %eax; mov $2000, %ecx; 1: imul $1664525, %eax, %eax; dec %ecx;
 * jne 1b; ret" */
static const unsigned char code[] = { 0x89, 0xf8, 0xb9, 0xd0, 0x07, 0x00,
				      0x00, 0x69, 0xc0, 0x0d, 0x66, 0x19,
				      0x00, 0xff, 0xc9, 0x75, 0xf6, 0xc3 };

static code_fn *make_code(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(at, code, sizeof(code));
	mprotect(at, 4096, PROT_READ | PROT_EXEC);
	return (code_fn *)at;
}

KEPT unsigned code_calls(unsigned x)
{
	static code_fn *leaf;

	if (!leaf)
		leaf = make_code();
	return leaf(x) + 1;
}
#else
KEPT unsigned code_calls(unsigned x)
{
	return x + 1;
}
#endif

KEPT void once(const char *kind)
{
	if (!strcmp(kind, "short"))
		sink += short_calls(1);
	else if (!strcmp(kind, "chain"))
		sink += chain_calls(1);
	else if (!strcmp(kind, "again"))
		sink += again_calls(1, 2);
	else if (!strcmp(kind, "signal"))
		raise(SIGUSR1);
	else if (!strcmp(kind, "memory"))
		memory_calls();
	else if (!strcmp(kind, "clock"))
		clock_calls();
	else if (!strcmp(kind, "large"))
		sink += large_calls(1);
	else if (!strcmp(kind, "code"))
		sink += code_calls(1);
}

int main(int argc, char **argv)
{
	long long ns = (argc > 1 ? atoll(argv[1]) : 1000) * MS;

	signal(SIGUSR1, signal_calls);
	for (int i = 2; i < argc; i++) {
		long long end = used_ns() + ns;

		while (used_ns() < end)
			for (int nr = 0; nr < 10; nr++)
				once(argv[i]);
	}
	return 0;
}
