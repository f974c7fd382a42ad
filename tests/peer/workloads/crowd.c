/* crowd N: N threads that wait for a line on stdin; then each makes one
 * getppid system call.  Says "ready" when all are there. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;

static void *wait_and_call(void *arg)
{
	(void)arg;
	pthread_rwlock_rdlock(&gate);
	syscall(SYS_getppid);
	pthread_rwlock_unlock(&gate);
	return NULL;
}

int main(int argc, char **argv)
{
	size_t nr = argc > 1 ? (size_t)atol(argv[1]) : 1;
	pthread_t *threads = calloc(nr, sizeof(*threads));
	pthread_attr_t small;

	if (!threads)
		return 1;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	pthread_rwlock_wrlock(&gate);
	for (size_t i = 0; i < nr; i++)
		if (pthread_create(&threads[i], &small, wait_and_call, NULL))
			return 1;
	puts("ready");
	fflush(stdout);
	getchar();
	pthread_rwlock_unlock(&gate);
	for (size_t i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
