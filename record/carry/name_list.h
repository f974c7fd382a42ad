/* name_list.h: names that are to be carried, as they are collected. */
#ifndef REC_NAME_LIST_H
#define REC_NAME_LIST_H

#include "format/carried.h"

struct rec_name_list {
	struct pd_carried_name *items; /* owned, with their texts */
	uint32_t nr;
	uint32_t cap;
	uint64_t named_nr; /* hits that these cover */
};

/* Append a name; its text is copied.  Return false if there is no memory. */
bool rec_name_list_add(struct rec_name_list *list,
		       const struct pd_carried_name *name);
/* Sort by start; those that start at one address keep their order. */
void rec_name_list_sort(struct rec_name_list *list);
void rec_name_list_release(struct rec_name_list *list);

#endif
