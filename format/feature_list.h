/* feature_list.h: how the feature sections allocate the lists that they count
 * themselves; for feature.c and feature_host.c. */
#ifndef PD_FEATURE_LIST_H
#define PD_FEATURE_LIST_H

#include "format/cursor.h"

/* Zeroed room for nr items of item_len bytes, each at least least_len bytes in
 * the file.  NULL, with the failure latched in c, where the rest of the payload
 * cannot hold them, a limit stands against it, or memory is out; NULL without a
 * failure for nr 0. */
void *pd_list_alloc(struct pd_cursor *c, uint64_t nr, size_t item_len,
		    size_t least_len);

#endif
