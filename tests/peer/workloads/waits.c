/* waits.c: waits in four ways, each in a function of its own, and prints for
 * how many ns by its own clocks: "by_sleep 200123456".  What it waits is what
 * went by, without the time that the thread used the CPU.
 *
 *	waits FOLDER	where by_disk may write a file
 *
 * libc has no frame pointers, so that the caller of a system call is not in a
 * recorded call chain: each way has one more function below it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

static long long ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void nap(long ms)
{
	struct timespec t = { 0, ms * 1000000L };

	nanosleep(&t, NULL);
}

static long long off_ns(void)
{
	return ns_of(CLOCK_MONOTONIC) - ns_of(CLOCK_THREAD_CPUTIME_ID);
}

/* Write ten times, 9 ms apart. */
static void *write_slowly(void *arg)
{
	for (int i = 0; i < 10; i++) {
		nap(9);
		if (write(ends[1], "x", 1) != 1)
			abort();
	}
	return arg;
}

static void *hold(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&lock);
		nap(15);
		pthread_mutex_unlock(&lock);
		nap(4);
	}
	return arg;
}

KEPT int in_sleep(void)
{
	for (int i = 0; i < 10; i++)
		nap(10);
	return 0;
}

KEPT int in_pipe(void)
{
	char byte;

	for (int i = 0; i < 10; i++)
		if (read(ends[0], &byte, 1) != 1)
			abort();
	return 0;
}

KEPT int in_lock(void)
{
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		nap(2);
	}
	return 0;
}

KEPT int in_disk(int fd)
{
	static char block[1 << 20];

	for (int i = 0; i < 10; i++) {
		memset(block, i, sizeof(block));
		if (write(fd, block, sizeof(block)) < 0 || fdatasync(fd))
			abort();
	}
	return 0;
}

KEPT int by_sleep(void)
{
	return in_sleep() + 1;
}

KEPT int by_pipe(void)
{
	return in_pipe() + 1;
}

KEPT int by_lock(void)
{
	return in_lock() + 1;
}

KEPT int by_disk(int fd)
{
	return in_disk(fd) + 1;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char path[4096];
	long long t;
	int fd;

	snprintf(path, sizeof(path), "%s/waits.tmp", argc > 1 ? argv[1] : ".");
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	if (fd < 0 || pipe(ends))
		return 1;
	t = off_ns();
	by_sleep();
	printf("by_sleep %lld\n", off_ns() - t);
	pthread_create(&thread, NULL, write_slowly, NULL);
	t = off_ns();
	by_pipe();
	printf("by_pipe %lld\n", off_ns() - t);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, hold, NULL);
	nap(1);
	t = off_ns();
	by_lock();
	printf("by_lock %lld\n", off_ns() - t);
	pthread_join(thread, NULL);
	t = off_ns();
	by_disk(fd);
	printf("by_disk %lld\n", off_ns() - t);
	unlink(path);
	return 0;
}
