#include "report/large_array.h"

#include <stdint.h>
#include <stdlib.h>
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
