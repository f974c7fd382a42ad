#include "report/base/memory.h"

#include "report/base/shortage.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define GROW_NR_MIN 4u

static void *must_be(void *memory)
{
	if (!memory)
		rpt_shortage_of_memory();
	return memory;
}

void *rpt_alloc(size_t len)
{
	return must_be(malloc(len ? len : 1));
}

void *rpt_alloc_zeroed(size_t nr, size_t item_len)
{
	return must_be(calloc(nr ? nr : 1, item_len));
}

void *rpt_realloc_array(void *items, size_t nr, size_t item_len)
{
	return must_be(reallocarray(items, nr ? nr : 1, item_len));
}

char *rpt_alloc_text(const char *text, size_t len)
{
	char *copy = rpt_alloc(len + 1);

	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *rpt_alloc_safe(const char *text, size_t len, enum sup_safe kind)
{
	char *copy = sup_safe_copy((struct pd_str){ text, len }, kind);

	if (!copy)
		rpt_shortage_of_memory();
	return copy;
}

void *rpt_grow(void *items, uint32_t *cap, uint32_t nr, size_t item_len)
{
	return rpt_grow_within(NULL, items, cap, nr, item_len);
}

void *rpt_grow_within(struct rpt_budget *budget, void *items, uint32_t *cap,
		      uint32_t nr, size_t item_len)
{
	uint64_t new_cap = *cap ? *cap : GROW_NR_MIN / 2;

	if (nr < *cap)
		return items;
	do
		new_cap *= 2;
	while (new_cap <= nr);
	if (new_cap > UINT32_MAX)
		rpt_shortage_of_memory();
	items = rpt_realloc_array(items, (size_t)new_cap, item_len);
	rpt_budget_charge(budget, (new_cap - *cap) * item_len);
	*cap = (uint32_t)new_cap;
	return items;
}

void rpt_freed_memory_limit(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

void rpt_freed_memory_return(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
