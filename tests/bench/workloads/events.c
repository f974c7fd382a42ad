/* events.c: makes events of one kind, and prints how long one took.
 *
 *	events KIND NR		NR times; the median of ns over REPEATS runs
 *
 * The pauses between these let a ring be emptied.
 * On one CPU, so that what records the events of that CPU, and runs on another,
 * takes time only where the events come.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS = 7, PAUSE_US = 100000, DEPTH = 16, PAGE = 4096, STEPS = 100 };

static double ns_of(struct timeval time)
{
	return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

static double used_ns(void)
{
	struct rusage children;
	struct timespec own;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	return (double)own.tv_sec * 1e9 + (double)own.tv_nsec +
	       ns_of(children.ru_utime) + ns_of(children.ru_stime);
}

static void call(long nr)
{
	for (long i = 0; i < nr; i++)
		syscall(SYS_getppid);
}

static void name(long nr)
{
	for (long i = 0; i < nr; i++)
		prctl(PR_SET_NAME, i % 2 ? "one" : "other");
}

/* First touches of pages; they go back at once, which makes no event. */
static void touch(long nr)
{
	const size_t len = (size_t)512 * PAGE;
	char *pages = mmap(NULL, len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(pages, len, MADV_NOHUGEPAGE);
	for (long i = 0; i < nr; i++) {
		if (i % 512 == 0)
			madvise(pages, len, MADV_DONTNEED);
		*(volatile char *)(pages + i % 512 * PAGE) = 1;
	}
	munmap(pages, len);
}

static void map(long nr)
{
	FILE *file = fopen("/proc/self/exe", "re");

	for (long i = 0; i < nr; i++)
		munmap(mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			    fileno(file), 0),
		       PAGE);
	fclose(file);
}

static void fork_child(long nr)
{
	for (long i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

/* Two processes give the CPU to each other: two switches a turn. */
static void pass(long nr)
{
	int to[2], from[2];
	char byte = 0;

	if (pipe(to) || pipe(from))
		exit(1);
	if (!fork()) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1)
			(void)!write(from[1], &byte, 1);
		_exit(0);
	}
	close(to[0]);
	for (long i = 0; i < nr / 2; i++)
		if (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1)
			exit(1);
	close(to[1]);
	wait(NULL);
	close(from[0]);
	close(from[1]);
}

/* For a uprobe. */
__attribute__((noinline)) void probed(void)
{
	__asm__ volatile("");
}

static void probe(long nr)
{
	for (long i = 0; i < nr; i++)
		probed();
}

/* Computes, for a clock: nr times some 100 ns. */
static void spin(long nr)
{
	for (long i = 0; i < nr; i++)
		for (volatile unsigned step = 0; step < STEPS; step++)
			;
}

static const struct {
	const char *name;
	void (*make)(long nr);
} kinds[] = {
	{ "call", call }, { "name", name },	  { "touch", touch },
	{ "map", map },	  { "fork", fork_child }, { "switch", pass },
	{ "spin", spin }, { "probe", probe },
};

/* A stack that is as deep as those of programs are. */
__attribute__((noinline)) static void at_depth(int depth, void (*make)(long nr),
					       long nr)
{
	if (depth)
		at_depth(depth - 1, make, nr);
	else
		make(nr);
	__asm__ volatile("" ::: "memory");
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	const long nr = argc == 3 ? atol(argv[2]) : 0;
	double took[REPEATS];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (size_t k = 0; nr > 0 && k < sizeof(kinds) / sizeof(kinds[0]);
	     k++) {
		if (strcmp(kinds[k].name, argv[1]) != 0)
			continue;
		for (int i = 0; i < REPEATS; i++) {
			double begin;

			usleep(PAUSE_US);
			begin = used_ns();
			at_depth(DEPTH, kinds[k].make, nr);
			took[i] = (used_ns() - begin) / (double)nr;
		}
		qsort(took, REPEATS, sizeof(took[0]), compare);
		printf("%.1f\n", took[REPEATS / 2]);
		return 0;
	}
	fprintf(stderr, "usage: events KIND NR\n");
	return 2;
}
