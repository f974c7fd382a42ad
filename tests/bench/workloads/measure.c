/* measure COMMAND...: runs it and prints one line on the file that MEASURE_OUT
 * names: wall, user and system seconds, peak KiB, exit status.
 *
 * A process of its own, small: what a child inherits over exec of its parent's
 * peak memory is counted as its own.  SIGINT is handed on.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t child;

static void hand_on(int sig)
{
	kill(child, sig);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	const char *path = getenv("MEASURE_OUT");
	struct timespec start, end;
	struct rusage usage;
	int status = 0;
	FILE *out;

	if (argc < 2 || !path)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &start);
	child = fork();
	if (child == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	signal(SIGINT, hand_on);
	while (wait4(child, &status, 0, &usage) < 0)
		;
	clock_gettime(CLOCK_MONOTONIC, &end);
	out = fopen(path, "w");
	if (!out)
		return 2;
	fprintf(out, "%f %f %f %ld %d\n",
		(double)(end.tv_sec - start.tv_sec) +
			(double)(end.tv_nsec - start.tv_nsec) / 1e9,
		seconds(usage.ru_utime), seconds(usage.ru_stime),
		usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
	return fclose(out) ? 2 : 0;
}
