/* irqs.c: disturbed() computes while a timer interrupts its CPU each 50 us, and
 * sends() has datagrams go through the loop device, which soft interrupts
 * deliver.  undisturbed() computes as long as both.
 *
 *	irqs MILLISECONDS
 */
#include "truth.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

COMPUTES_IN(disturbed)
COMPUTES_IN(undisturbed)

static int to = -1, from = -1;

static int open_sockets(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	from = socket(AF_INET, SOCK_DGRAM, 0);
	to = socket(AF_INET, SOCK_DGRAM, 0);
	return bind(from, (struct sockaddr *)&at, len) ||
	       getsockname(from, (struct sockaddr *)&at, &len) ||
	       connect(to, (struct sockaddr *)&at, len);
}

KEPT long long sends(long long ns)
{
	long long begin = used_ns();
	char text[256] = "";

	while (used_ns() < begin + ns)
		for (int i = 0; i < 20; i++)
			if (call(SYS_write, to, text, sizeof(text)) < 0 ||
			    call(SYS_read, from, text, sizeof(text)) < 0)
				abort();
	return used_ns() - begin;
}

int main(int argc, char **argv)
{
	const struct itimerspec each = { { 0, 50000 }, { 0, 50000 } };
	const struct itimerspec none = { { 0, 0 }, { 0, 0 } };
	long long ns = (argc > 1 ? atoll(argv[1]) : 1000) * MS;
	long long used[3] = { 0, 0, 0 };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	if (fd < 0 || open_sockets())
		return 1;
	for (int i = 0; i < 10; i++) {
		timerfd_settime(fd, 0, &each, NULL);
		used[0] += disturbed(ns / 40);
		timerfd_settime(fd, 0, &none, NULL);
		used[1] += undisturbed(ns / 20);
		used[2] += sends(ns / 40);
	}
	tell("disturbed", used[0]);
	tell("undisturbed", used[1]);
	tell("sends", used[2]);
	return 0;
}
