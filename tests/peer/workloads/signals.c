/* signals N: frames that are hard to find a way out of: handlers on the stack
 * and beside it, the vdso, calls through a PLT, frames that grow as they run,
 * deep ones, and one that never returns. */
#define _GNU_SOURCE
#include <alloca.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static volatile long sum;
static char other_stack[65536];

__attribute__((noinline)) static void turn(int nr)
{
	for (int i = 0; i < nr; i++)
		sum += i;
}

__attribute__((noinline)) static void handled(void)
{
	turn(20000);
}

static void handler(int signal_nr)
{
	(void)signal_nr;
	handled();
}

static int compare(const void *a, const void *b)
{
	sum++;
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void read_clock(int nr)
{
	struct timespec now;

	for (int i = 0; i < nr; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		sum += now.tv_nsec;
	}
}

__attribute__((noinline)) static void grow(int nr)
{
	char *room = alloca((size_t)nr * 16 + 64);

	memset(room, nr, (size_t)nr * 16 + 64);
	qsort(room, (size_t)nr, 4, compare);
	sum += room[3];
	turn(500);
}

__attribute__((noinline)) static int deepen(int depth)
{
	volatile char room[256];

	room[depth % 256] = (char)depth;
	if (depth)
		return deepen(depth - 1) + room[depth % 256];
	turn(300);
	return 0;
}

__attribute__((noreturn, noinline)) static void end(int nr)
{
	for (int i = 0; i < nr; i++)
		turn(20000);
	exit(0);
}

__attribute__((noinline)) static void leave(int nr)
{
	end(nr);
}

static void set_signals(void)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } };
	stack_t beside = { .ss_sp = other_stack,
			   .ss_size = sizeof(other_stack) };
	struct sigaction action = { .sa_handler = handler };

	sigaltstack(&beside, NULL);
	sigaction(SIGALRM, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGVTALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	setitimer(ITIMER_VIRTUAL, &often, NULL);
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 100;

	set_signals();
	for (int i = 0; i < nr; i++) {
		read_clock(2000);
		grow(100 + i % 50);
		deepen(30 + i % 200);
		for (int k = 0; k < 3000; k++)
			sum += atoi("123");
	}
	leave(nr);
}
