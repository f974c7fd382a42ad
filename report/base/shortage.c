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

static _Thread_local struct {
	bool is_limited;
	bool is_over;
	size_t left;
} lent;

void rpt_shortage_lend(size_t len)
{
	lent.is_limited = true;
	lent.is_over = false;
	lent.left = len;
}

bool rpt_shortage_lend_end(void)
{
	lent.is_limited = false;
	return lent.is_over;
}

bool rpt_shortage_take(size_t len)
{
	if (!lent.is_limited)
		return true;
	if (len > lent.left) {
		lent.is_over = true;
		return false;
	}
	lent.left -= len;
	return true;
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
