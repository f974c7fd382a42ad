/* named MS COMM [REST]: runs for so much CPU time, called so, in one function,
 * whose name the build chooses: -DWORK=work_one, and then sleeps for REST ms.
 * Builds with another -DSEED have it at the same address, and another build-id.
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

__attribute__((noinline)) void WORK(void)
{
	for (unsigned i = 0; i < 1000000; i++)
		sink += i * SEED;
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 100;
	clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);

	if (argc > 2)
		prctl(PR_SET_NAME, argv[2]);
	while (clock() < end)
		WORK();
	if (argc > 3)
		usleep((useconds_t)atol(argv[3]) * 1000);
	return 0;
}
