/* perfpair's malloc: that of the C library or of a preloaded one; if it fails,
 * the program ends (shortage.h).  Libraries call this one too, since the
 * program's functions precede theirs.
 *
 * Sanitizers have a malloc of their own. */
#include "report/base/shortage.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED
#endif
#endif

#ifndef IS_SANITIZED

void *malloc(size_t len);
void *calloc(size_t nr, size_t len);
void *realloc(void *old, size_t len);
void *memalign(size_t align, size_t len);
void *aligned_alloc(size_t align, size_t len);
int posix_memalign(void **ret, size_t align, size_t len);

/* Set next to the function that this one hides.  dlsym() needs no malloc if it
 * finds the name. */
#define NEXT(name)                                         \
	static _Atomic(__typeof__(&(name))) found;         \
	__typeof__(&(name)) next = atomic_load(&found);    \
	if (!next) {                                       \
		*(void **)&next = dlsym(RTLD_NEXT, #name); \
		atomic_store(&found, next);                \
	}

/* Report a shortage if got is NULL.  A length beyond all memory is no shortage:
 * it is a number from a damaged file, which libelf multiplied. */
static void *checked(void *got, size_t nr, size_t len)
{
	size_t all;

	if (!got && !__builtin_mul_overflow(nr, len, &all) && all &&
	    all <= PTRDIFF_MAX)
		rpt_shortage_of_memory();
	return got;
}

/* Return false if what is lent to a library is spent. */
static bool take(size_t nr, size_t len)
{
	size_t all;

	if (!__builtin_mul_overflow(nr, len, &all) && rpt_shortage_take(all))
		return true;
	errno = ENOMEM;
	return false;
}

void *malloc(size_t len)
{
	NEXT(malloc)

	if (!take(1, len))
		return NULL;
	return checked(next(len), 1, len);
}

void *calloc(size_t nr, size_t len)
{
	NEXT(calloc)

	if (!take(nr, len))
		return NULL;
	return checked(next(nr, len), nr, len);
}

void *realloc(void *old, size_t len)
{
	NEXT(realloc)

	if (!take(1, len))
		return NULL;
	return checked(next(old, len), 1, len);
}

void *memalign(size_t align, size_t len)
{
	NEXT(memalign)

	return checked(next(align, len), 1, len);
}

void *aligned_alloc(size_t align, size_t len)
{
	NEXT(aligned_alloc)

	return checked(next(align, len), 1, len);
}

int posix_memalign(void **ret, size_t align, size_t len)
{
	NEXT(posix_memalign)
	int rc = next(ret, align, len);

	if (rc == ENOMEM)
		checked(NULL, 1, len);
	return rc;
}

#endif
