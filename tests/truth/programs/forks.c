/* forks.c: children that live for some milliseconds, one after the other; what
 * their parent computes meanwhile is as much again.
 *
 *	forks CHILDREN MILLISECONDS
 */
#include "truth.h"

#include <stdlib.h>
#include <sys/wait.h>

COMPUTES_IN(in_parent)
COMPUTES_IN(in_child)

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 100;
	long long ns = (argc > 2 ? atoll(argv[2]) : 5) * MS, used = 0;

	for (int i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (!pid) {
			tell("in_child", in_child(ns));
			_exit(0);
		}
		used += in_parent(ns);
		waitpid(pid, NULL, 0);
	}
	tell("in_parent", used);
	tell_cpu();
	return 0;
}
