/* cache_fetch.h: memory that will soon be asked for begins to be fetched into
 * the cache.
 *
 * With the builtin alone GCC 12 takes a function that does nothing else for one
 * without effect, and leaves out its calls.
 */
#ifndef RPT_CACHE_FETCH_H
#define RPT_CACHE_FETCH_H

#include <stddef.h>

#define RPT_CACHE_LINE_LEN 64u

static inline void rpt_cache_fetch(const void *at)
{
	__builtin_prefetch(at);
	__asm__ volatile("");
}

/* All lines that len bytes lie in. */
static inline void rpt_cache_fetch_all(const void *at, size_t len)
{
	for (size_t i = 0; i < len; i += RPT_CACHE_LINE_LEN)
		rpt_cache_fetch((const char *)at + i);
	rpt_cache_fetch((const char *)at + len - 1);
}

#endif
