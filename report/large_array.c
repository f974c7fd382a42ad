#include "report/large_array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20)

/* Less than a large page takes longer to clear than the few small ones. */
#define LARGE_LEN_MIN ((size_t)1 << 20)

void *rpt_large_array(size_t nr, size_t item_len)
{
	size_t len;
	void *ret;

	if (item_len && nr > SIZE_MAX / 2 / item_len)
		return NULL;
	len = nr * item_len;
	if (len < LARGE_LEN_MIN)
		return malloc(len + 1);
	len = (len + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
	if (posix_memalign(&ret, LARGE_PAGE, len))
		return NULL;
	madvise(ret, len, MADV_HUGEPAGE); /* else it is as any memory */
	return ret;
}

void *rpt_large_array_grow(void *items, size_t used_nr, size_t nr,
			   size_t item_len)
{
	void *ret;

	if (item_len && nr > SIZE_MAX / 2 / item_len)
		return NULL;
	if (nr * item_len < LARGE_LEN_MIN)
		return realloc(items, nr * item_len + 1);
	ret = rpt_large_array(nr, item_len);
	if (!ret)
		return NULL;
	if (used_nr)
		memcpy(ret, items, used_nr * item_len);
	free(items);
	return ret;
}
