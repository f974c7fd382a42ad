/* Calls through its PLT three functions of the C library, and one that looks
 * like C++. */
#include <stdlib.h>

int mangled(void) __asm__("_ZdlPv");

int main(void)
{
	return abs(rand()) == mangled() && getenv("HOME");
}
