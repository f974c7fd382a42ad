/* execs.c: a new program again and again, which begins in another one's task:
 * of a child of vfork(), whose parent waits for it, or of a thread that is not
 * the first of its process.
 *
 *	execs vfork | thread ROUNDS MILLISECONDS
 */
#include "truth.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

COMPUTES_IN(before)
COMPUTES_IN(after)

static char **words;
static long long ns;

static void *begin_anew(void *arg)
{
	char *args[] = { words[0], "anew", "1", words[3], NULL };

	tell("before", before(ns));
	execv(words[0], args);
	_exit(1);
	return arg;
}

static void in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, begin_anew, NULL);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 1;
	words = argv;
	ns = atoll(argv[3]) * MS;
	if (!strcmp(argv[1], "anew")) {
		tell("after", after(2 * ns));
		return 0;
	}
	for (int i = 0; i < atoi(argv[2]); i++) {
		int is_vfork = !strcmp(argv[1], "vfork");
		pid_t pid = is_vfork ? vfork() : fork();

		if (!pid && is_vfork)
			begin_anew(NULL);
		else if (!pid)
			in_thread();
		waitpid(pid, NULL, 0);
	}
	tell_cpu();
	return 0;
}
