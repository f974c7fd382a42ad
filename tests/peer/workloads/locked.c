/* locked.c: four threads map and unmap memory of their process, for whose maps
 * the kernel has one lock.
 *
 *	locked NR	each maps NR times
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

static void *map(void *nr)
{
	for (long i = 0; i < *(long *)nr; i++) {
		char *p = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		*p = 1;
		munmap(p, 1 << 16);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long nr = argc > 1 ? atol(argv[1]) : 1000;
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, map, &nr);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
