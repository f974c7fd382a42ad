/* cpu_prefetch.h: memory that will soon be asked for begins to be fetched into
 * the cache.
 *
 * With the builtin alone GCC 12 takes a function that does nothing else for one
 * without effect, and leaves out its calls.
 */
#ifndef RPT_CPU_PREFETCH_H
#define RPT_CPU_PREFETCH_H

#include <stddef.h>

#define RPT_CACHE_LINE_LEN 64u

static inline void rpt_cpu_prefetch(const void *at)
{
	__builtin_prefetch(at);
	__asm__ volatile("");
}

/* All lines that len bytes lie in. */
static inline void rpt_cpu_prefetch_all(const void *at, size_t len)
{
	for (size_t i = 0; i < len; i += RPT_CACHE_LINE_LEN)
		rpt_cpu_prefetch((const char *)at + i);
	rpt_cpu_prefetch((const char *)at + len - 1);
}

#endif
