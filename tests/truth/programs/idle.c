/* idle.c: a job of some milliseconds each turn, and sleep for the rest of it.
 *
 *	idle TURNS MILLISECONDS_OF_A_TURN MILLISECONDS
 */
#include "truth.h"

#include <stdlib.h>

COMPUTES_IN(job)

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 10;
	long long turn = (argc > 2 ? atoll(argv[2]) : 100) * MS;
	long long ns = (argc > 3 ? atoll(argv[3]) : 2) * MS, used = 0;
	long long at = ns_of(CLOCK_MONOTONIC);

	for (int i = 0; i < nr; i++) {
		struct timespec t;

		at += turn;
		t.tv_sec = at / 1000000000;
		t.tv_nsec = at % 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		used += job(ns);
	}
	tell("job", used);
	return 0;
}
