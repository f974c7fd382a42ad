/* large_array.h: memory for an array that is long and written from end to end:
 * in large pages where the system has them.
 *
 * A page of 4 KiB costs 1 to 2 us when it is first touched: of an array of some
 * MiB that lives for a few ms, more than what is done with it.
 */
#ifndef RPT_LARGE_ARRAY_H
#define RPT_LARGE_ARRAY_H

#include <stddef.h>

/* nr items, not cleared, to be freed with free(); up to 2 MiB more than these
 * take.  NULL: out of memory. */
void *rpt_large_array(size_t nr, size_t item_len);

/* The same in place of an array out of malloc() or of this file, whose first
 * used_nr items it begins with.  NULL: out of memory, and that is as it was. */
void *rpt_large_array_grow(void *items, size_t used_nr, size_t nr,
			   size_t item_len);

#endif
