/* phases.c: a program of four phases, each as long as it is told to be: one
 * thread computes, two do, all sleep, and all wait for a lock whose holder
 * sleeps.  Eight threads of a pool wait for work that never comes.  The program
 * tells the elapsed time by function; that of wait_for() is its holder's.
 *
 *	phases MILLISECONDS...
 */
#include "truth.h"

#include <pthread.h>
#include <stdlib.h>

enum { SERIAL, PARALLEL, NAP, HOLDS, PHASES_NR };

static long long ns[PHASES_NR];
static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t is_held;

static void compute_until(long long end)
{
	while (ns_of(CLOCK_MONOTONIC) < end)
		steps(1, 1000);
}

KEPT void serial(long long end)
{
	compute_until(end);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

KEPT void parallel(long long end)
{
	compute_until(end);
	__asm__ volatile("" ::: "memory");
}

KEPT void nap(const struct timespec *len)
{
	call(SYS_nanosleep, (long)len, NULL, 0);
}

KEPT void holds(const struct timespec *len)
{
	call(SYS_nanosleep, (long)len, NULL, 0);
}

static struct timespec timespec_of(long long len)
{
	return (struct timespec){ len / 1000000000, len % 1000000000 };
}

KEPT void wait_for(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
}

static void *idle(void *arg)
{
	wait_for(&never);
	return arg;
}

static void *helper(void *arg)
{
	parallel(*(long long *)arg);
	return arg;
}

static void *holder(void *arg)
{
	const struct timespec len = timespec_of(ns[HOLDS]);

	pthread_mutex_lock(&lock);
	pthread_barrier_wait(&is_held);
	holds(&len);
	pthread_mutex_unlock(&lock);
	return arg;
}

/* Tell how long it was since *start, and begin anew. */
static void tell_since(const char *name, long long *start)
{
	long long now = ns_of(CLOCK_MONOTONIC);

	tell(name, now - *start);
	*start = ns_of(CLOCK_MONOTONIC);
}

int main(int argc, char **argv)
{
	pthread_t pool[8], other;
	struct timespec len;
	long long start, end;

	for (int i = 0; i < PHASES_NR; i++)
		ns[i] = (i + 1 < argc ? atoll(argv[i + 1]) : 200) * MS;
	pthread_mutex_lock(&never);
	for (int i = 0; i < 8; i++)
		pthread_create(&pool[i], NULL, idle, NULL);
	pthread_barrier_init(&is_held, NULL, 2);
	start = ns_of(CLOCK_MONOTONIC);
	serial(start + ns[SERIAL]);
	tell_since("serial", &start);
	end = start + ns[PARALLEL];
	pthread_create(&other, NULL, helper, &end);
	parallel(end);
	pthread_join(other, NULL);
	tell_since("parallel", &start);
	len = timespec_of(ns[NAP]);
	nap(&len);
	tell_since("nap", &start);
	pthread_create(&other, NULL, holder, NULL);
	pthread_barrier_wait(&is_held);
	wait_for(&lock);
	tell_since("holds", &start);
	return 0;
}
