#include "report/base/shortage.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int first;
static _Atomic(const char *) unlinked;
static void (*_Atomic called)(void);

static bool is_shortage(int error)
{
	return error == ENOMEM || error == EMFILE || error == ENFILE ||
	       error == EIO;
}

void rpt_shortage_note(int error)
{
	int none = 0;

	if (is_shortage(error))
		atomic_compare_exchange_strong(&first, &none, error);
}

int rpt_shortage(void)
{
	return atomic_load(&first);
}

void rpt_shortage_unlinks(const char *path)
{
	atomic_store(&unlinked, path);
}

void rpt_shortage_calls(void (*call)(void))
{
	atomic_store(&called, call);
}

/* No lock is taken and nothing flushed: any library may be at work. */
void rpt_shortage_of_memory(void)
{
	static const char text[] = "perfpair: out of memory\n";
	const char *path = atomic_load(&unlinked);
	void (*call)(void) = atomic_load(&called);

	if (call)
		call();
	if (path)
		unlink(path);
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(EXIT_FAILURE);
}
