/* name_list.h: names that are to be carried, as they are collected. */
#ifndef REC_NAME_LIST_H
#define REC_NAME_LIST_H

#include "format/carried/carried.h"

/* Addresses that all have the same names. */
struct rec_name_span {
	uint64_t start;
	uint64_t end;
};

struct rec_name_list {
	struct pd_carried_name *items; /* owned, with their texts */
	uint32_t nr;
	uint32_t cap;
	uint64_t named_nr; /* hits that these cover */
	size_t *budget;	   /* bytes that it and others may still take; NULL:
			    * any number */
};

/* Append a name; its text is copied.  Return false if the budget or the
 * machine's memory is spent. */
bool rec_name_list_add(struct rec_name_list *list,
		       const struct pd_carried_name *name);
/* Sort by start; those that start at one address keep their order.  Return
 * false if there is no memory to do so. */
bool rec_name_list_sort(struct rec_name_list *list);
/* Free the names, and give the budget back. */
void rec_name_list_release(struct rec_name_list *list);

#endif
