/* crew.c: 16 threads at once, each with a name and a share of the CPU time of
 * its own, from 1 to 16 parts.
 *
 *	crew MILLISECONDS
 */
#define _GNU_SOURCE
#include "truth.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 16 };

static long long all_ns;

static void *work(void *arg)
{
	int nth = (int)(long)arg;
	char name[16];

	snprintf(name, sizeof(name), "thread%d", nth);
	pthread_setname_np(pthread_self(), name);
	compute(all_ns * nth / (THREADS * (THREADS + 1) / 2));
	tell(name, used_ns());
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	all_ns = (argc > 1 ? atoll(argv[1]) : 1000) * MS;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
