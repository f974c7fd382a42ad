/* perfpair's malloc: that of the C library, or of whatever is preloaded; where
 * that fails, the program ends (shortage.h).  Calls from libraries come here
 * too: the program's functions stand before theirs.
 *
 * Not under sanitizers, which have a malloc of their own. */
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

/* next: the function that this one stands before.  dlsym() needs no malloc
 * where it finds what it looks for. */
#define NEXT(name)                                         \
	static _Atomic(__typeof__(&(name))) found;         \
	__typeof__(&(name)) next = atomic_load(&found);    \
	if (!next) {                                       \
		*(void **)&next = dlsym(RTLD_NEXT, #name); \
		atomic_store(&found, next);                \
	}

/* What no machine has is not a want of this one: a number out of a damaged
 * file, which libelf multiplied. */
static void *noted(void *got, size_t nr, size_t len)
{
	size_t all;

	if (!got && !__builtin_mul_overflow(nr, len, &all) && all &&
	    all <= PTRDIFF_MAX)
		rpt_shortage_of_memory();
	return got;
}

void *malloc(size_t len)
{
	NEXT(malloc)

	return noted(next(len), 1, len);
}

void *calloc(size_t nr, size_t len)
{
	NEXT(calloc)

	return noted(next(nr, len), nr, len);
}

void *realloc(void *old, size_t len)
{
	NEXT(realloc)

	return noted(next(old, len), 1, len);
}

void *memalign(size_t align, size_t len)
{
	NEXT(memalign)

	return noted(next(align, len), 1, len);
}

void *aligned_alloc(size_t align, size_t len)
{
	NEXT(aligned_alloc)

	return noted(next(align, len), 1, len);
}

int posix_memalign(void **ret, size_t align, size_t len)
{
	NEXT(posix_memalign)
	int rc = next(ret, align, len);

	if (rc == ENOMEM)
		noted(NULL, 1, len);
	return rc;
}

#endif
