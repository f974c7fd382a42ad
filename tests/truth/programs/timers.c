/* timers.c: each millisecond on_timer() computes for 300 us: the handler of
 * setitimer()'s signal, which interrupts between(), or a reader of a timerfd,
 * which waits then.  between() computes for the rest, or for 300 us.
 *
 *	timers signal | fd MILLISECONDS
 */
#include "truth.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/timerfd.h>

static volatile long long in_timer_ns;

KEPT void on_timer(int signal)
{
	long long begin = used_ns();

	(void)signal;
	while (used_ns() < begin + 300000)
		steps(1, 5000);
	in_timer_ns += used_ns() - begin;
}

KEPT void between(long long until)
{
	while (used_ns() < until)
		steps(1, 5000);
}

static void by_signal(long long all)
{
	struct itimerval each = { { 0, 1000 }, { 0, 1000 } };

	signal(SIGALRM, on_timer);
	setitimer(ITIMER_REAL, &each, NULL);
	between(used_ns() + all);
	memset(&each, 0, sizeof(each));
	setitimer(ITIMER_REAL, &each, NULL);
}

static void by_fd(long long all)
{
	struct itimerspec each = { { 0, MS }, { 0, MS } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t nr;

	timerfd_settime(fd, 0, &each, NULL);
	while (used_ns() < all && read(fd, &nr, sizeof(nr)) == sizeof(nr)) {
		on_timer(0);
		between(used_ns() + 300000);
	}
}

int main(int argc, char **argv)
{
	long long all = argc > 2 ? atoll(argv[2]) * MS : 1000 * MS;
	long long begin = used_ns();

	if (argc > 1 && !strcmp(argv[1], "fd"))
		by_fd(all);
	else
		by_signal(all);
	tell("on_timer", in_timer_ns);
	tell("between", used_ns() - begin - in_timer_ns);
	return 0;
}
