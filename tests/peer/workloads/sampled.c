/* sampled.c: tasks that are born long before they compute, and 300 that never
 * do.  Each that computes has a function of its own, and says how often it was
 * called by its exit. */
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long count;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#define SPIN(name)                                       \
	static __attribute__((noinline)) void name(void) \
	{                                                \
		double until_s = now_s() + 0.1;          \
                                                         \
		while (now_s() < until_s)                \
			for (int i = 0; i < 100000; i++) \
				count++;                 \
	}

SPIN(in_leader)
SPIN(in_thread)
SPIN(in_orphan)
SPIN(in_child)

static void sleep_ms(long ms)
{
	struct timespec span = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&span, NULL);
}

static void *thread_main(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "its_thread");
	sleep_ms(700);
	in_thread();
	return NULL;
}

/* Its parent has ended long before. */
static void start_orphan(void)
{
	if (fork())
		return;
	if (!fork()) {
		prctl(PR_SET_NAME, "its_orphan");
		sleep_ms(900);
		in_orphan();
	}
	_exit(0);
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, thread_main, NULL);
	start_orphan();
	wait(NULL);
	for (int i = 0; i < 300; i++) {
		if (!fork())
			_exit(0);
		wait(NULL);
		sleep_ms(1);
	}
	sleep_ms(500);
	in_leader();
	if (!fork()) {
		in_child();
		_exit(0);
	}
	wait(NULL);
	pthread_join(thread, NULL);
	sleep_ms(500);
	return 0;
}
