/* raised N: what signals.c does, at places of its own choice and not by the
 * clock: handlers on the stack and beside it, one in another, callbacks of the
 * C library, frames that grow as they run, deep ones. */
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile long sum;
static char other_stack[65536];

__attribute__((noinline)) static int turn(int nr)
{
	for (int i = 0; i < nr; i++)
		sum += i;
	return nr;
}

__attribute__((noinline)) static int deepen(int depth)
{
	volatile char room[64];

	room[depth % 64] = (char)depth;
	if (depth)
		return deepen(depth - 1) + room[depth % 64];
	return turn(3) + 1;
}

static void inner_handler(int signal_nr)
{
	sum += turn(signal_nr) + 1;
}

static void handler(int signal_nr)
{
	sum += deepen(signal_nr % 4);
	raise(SIGUSR2);
	sum++;
}

static int compare(const void *a, const void *b)
{
	sum += turn(2);
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int grow(int nr)
{
	int *room = alloca((size_t)nr * 16 + 64);

	for (int i = 0; i < nr; i++)
		room[i] = i * 7919 % 101;
	qsort(room, (size_t)nr, sizeof(*room), compare);
	return room[0] + turn(3);
}

static void *run(void *arg)
{
	sum += grow(*(int *)arg) + deepen(10);
	return NULL;
}

__attribute__((noreturn, noinline)) static void end(int nr)
{
	sum += turn(nr);
	exit(0);
}

static void set_signals(void)
{
	stack_t beside = { .ss_sp = other_stack,
			   .ss_size = sizeof(other_stack) };
	struct sigaction action = { .sa_handler = handler };

	sigaltstack(&beside, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_handler = inner_handler;
	sigaction(SIGUSR2, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGHUP, &action, NULL);
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 20;
	pthread_t thread;
	char text[64];

	set_signals();
	sum += deepen(40);
	sum += grow(nr);
	raise(SIGUSR1);
	raise(SIGHUP);
	if (pthread_create(&thread, NULL, run, &nr) == 0)
		pthread_join(thread, NULL);
	snprintf(text, sizeof(text), "%d %s", nr, argv[0]);
	end((int)strlen(text));
}
