/* Calls three functions of the C library through its PLT. */
#include <stdlib.h>

int main(void)
{
	return abs(rand()) == 0 && getenv("HOME");
}
