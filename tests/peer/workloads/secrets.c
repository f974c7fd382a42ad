/* Has a word on its stack, opens a file of that name again and again, and names
 * itself; the word is its argument, to be looked for in a recording. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile unsigned long sum;

static void work(const char *word)
{
	char on_stack[512];

	for (size_t i = 0; i + 20 < sizeof(on_stack); i += 20)
		snprintf(on_stack + i, 20, "STACK%s", word);
	for (unsigned long i = 0; i < 60000000; i++) {
		sum += (unsigned char)on_stack[i % 500];
		if (i % 1000000)
			continue;
		snprintf(on_stack, 200, "/tmp/OPEN%s", word);
		close(open(on_stack, O_RDONLY));
	}
}

int main(int argc, char **argv)
{
	char comm[16];

	if (argc < 2)
		return 1;
	snprintf(comm, sizeof(comm), "COMM%s", argv[1]);
	prctl(PR_SET_NAME, comm);
	work(argv[1]);
	return 0;
}
