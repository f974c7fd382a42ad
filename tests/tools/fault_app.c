/* app MILLISECONDS [FORKS]: takes CPU time in the function WORK, after so many
 * processes, one after the other, have executed it again.  -DWORK=NAME
 * -DWEIGHT=N: a number that only this variant has. */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) void WORK(void)
{
	for (int i = 0; i < 50000; i++)
		sink += (unsigned long)i * WEIGHT;
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 0;
	clock_t begin;

	for (int i = argc > 2 ? atoi(argv[2]) : 0; i > 0; i--) {
		if (!fork()) {
			execl(argv[0], argv[0], "0", (char *)NULL);
			_exit(1);
		}
		wait(NULL);
	}
	begin = clock();
	while (clock() - begin < ms * (CLOCKS_PER_SEC / 1000))
		WORK();
	return 0;
}
