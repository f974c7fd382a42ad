/* truth.h: what the programs of this folder share: a clock, work, and the line
 * "NAME NUMBER" by which they tell what a recording of them has to show.  Lines
 * of one name add up.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A function that stays one, with its own name. */
#define KEPT	__attribute__((noipa))
#define INLINED static inline __attribute__((always_inline))

#define MS 1000000LL

INLINED long long ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* The thread's CPU time. */
INLINED long long used_ns(void)
{
	return ns_of(CLOCK_THREAD_CPUTIME_ID);
}

/* So many steps that wait for each other: 3 to 5 CPU cycles each. */
INLINED unsigned steps(unsigned x, int nr)
{
	for (int i = 0; i < nr; i++) {
		x = x * 1664525 + 1013904223;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

/* Compute until the thread has had so much more CPU time.  Little of it is the
 * clock's. */
INLINED void compute(long long ns)
{
	long long end = used_ns() + ns;

	while (used_ns() < end)
		steps(1, 20000);
}

/* Compute in a function of this name until the thread has had so much CPU
 * time, and return how much it was. */
#define COMPUTES_IN(name)                    \
	KEPT long long name(long long ns)    \
	{                                    \
		long long begin = used_ns(); \
                                             \
		compute(ns);                 \
		return used_ns() - begin;    \
	}

/* A system call without a function of libc, which would hide its caller from
 * call chains by frame pointers. */
INLINED long call(long nr, long a, void *b, long c)
{
#ifdef __x86_64__
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return ret;
#else
	return syscall(nr, a, b, c);
#endif
}

/* One write, so that lines of processes do not mix. */
static inline void tell(const char *name, long long number)
{
	dprintf(STDOUT_FILENO, "%s %lld\n", name, number);
}

/* Tell the CPU time of this process and of all children that it waited for,
 * the kernel's work for fork() and exec() included. */
static inline void tell_cpu(void)
{
	struct rusage used;

	getrusage(RUSAGE_CHILDREN, &used);
	tell("cpu",
	     ns_of(CLOCK_PROCESS_CPUTIME_ID) +
		     (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 * MS +
		     (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000LL);
}

#endif
