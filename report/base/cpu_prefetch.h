/* cpu_prefetch.h: start to fetch memory into the CPU's cache.
 *
 * With the builtin alone GCC 12 takes a function that does nothing else for one
 * without effect, and drops calls of it.
 */
#ifndef RPT_CPU_PREFETCH_H
#define RPT_CPU_PREFETCH_H

#include <stddef.h>

static inline void rpt_cpu_prefetch(const void *at)
{
	__builtin_prefetch(at);
	__asm__ volatile("");
}

/* Fetch every cache line that the len bytes lie in. */
static inline void rpt_cpu_prefetch_all(const void *at, size_t len)
{
	for (size_t i = 0; i < len; i += 64)
		rpt_cpu_prefetch((const char *)at + i);
	rpt_cpu_prefetch((const char *)at + len - 1);
}

#endif
