/* counted.c: so many system calls and writes to one variable; what it tells are
 * their numbers.
 *
 *	counted NUMBER
 */
#include "truth.h"

#include <stdlib.h>

volatile unsigned cell;

KEPT void asks(void)
{
	call(SYS_getppid, 0, NULL, 0);
}

KEPT void writes(unsigned i)
{
	cell = i;
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 1000;

	for (int i = 0; i < nr; i++) {
		asks();
		writes((unsigned)i);
		writes((unsigned)i);
	}
	tell("syscalls:sys_enter_getppid", nr);
	tell("cell", 2LL * nr);
	return 0;
}
