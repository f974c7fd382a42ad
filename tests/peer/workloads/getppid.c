/* getppid N: makes exactly N getppid system calls. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000;

	while (n-- > 0)
		syscall(SYS_getppid);
	return 0;
}
