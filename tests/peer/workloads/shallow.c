/* shallow MILLISECONDS [WORD...]: burns CPU time close to the top of its stack,
 * in its first thread, in another and in a child, and prints "PID START_STACK"
 * of both processes (man proc_pid_stat).  It takes a variable out of its
 * environment first, as programs do. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { START_STACK = 28 };

static volatile uint64_t sink;

static void print_start_stack(void)
{
	char text[2048];
	char *at = text;
	FILE *f = fopen("/proc/self/stat", "r");

	if (!f || !fgets(text, sizeof(text), f))
		exit(1);
	fclose(f);
	at = strrchr(text, ')');
	for (int i = 2; i < START_STACK; i++)
		at = strchr(at, ' ') + 1;
	printf("%d %lu\n", (int)getpid(), strtoul(at, NULL, 10));
	fflush(stdout);
}

__attribute__((noinline)) static void turn(uint64_t seed)
{
	for (int i = 0; i < 20000; i++)
		seed = seed * 6364136223846793005u + 1442695040888963407u;
	sink += seed;
}

static void *spin(void *arg)
{
	const int64_t left_ns = *(int64_t *)arg;
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		turn(sink);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * INT64_C(1000000000) +
			 now.tv_nsec - begin.tv_nsec <
		 left_ns);
	return arg;
}

int main(int argc, char **argv)
{
	int64_t left_ns = argc > 1 ? atol(argv[1]) * INT64_C(1000000) : 0;
	pthread_t thread;
	pid_t child;

	unsetenv("TAKEN_OUT");
	child = fork();
	print_start_stack();
	pthread_create(&thread, NULL, spin, &left_ns);
	spin(&left_ns);
	pthread_join(thread, NULL);
	if (!child)
		return 0;
	waitpid(child, NULL, 0);
	return 0;
}
