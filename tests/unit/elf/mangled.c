/* A library with a function whose name a C++ compiler would have made. */
int mangled(void) __asm__("_ZdlPv");

int mangled(void)
{
	return 1;
}
