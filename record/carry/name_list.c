#include "record/carry/name_list.h"

#include <stdlib.h>

bool rec_name_list_add(struct rec_name_list *list,
		       const struct pd_carried_name *name)
{
	char *text;

	if (list->nr == list->cap) {
		uint32_t cap = list->cap ? 2 * list->cap : 2;
		struct pd_carried_name *items =
			reallocarray(list->items, cap, sizeof(*items));

		if (!items)
			return false;
		list->items = items;
		list->cap = cap;
	}
	text = pd_str_dup(name->text);
	if (!text)
		return false;
	list->items[list->nr] = *name;
	list->items[list->nr++].text.ptr = text;
	return true;
}

/* Items lie in one array that qsort() moves: source order is kept by the
 * insertion below, which is fast on lists that are nearly sorted. */
void rec_name_list_sort(struct rec_name_list *list)
{
	for (uint32_t i = 1; i < list->nr; i++) {
		struct pd_carried_name name = list->items[i];
		uint32_t at = i;

		for (; at && list->items[at - 1].start > name.start; at--)
			list->items[at] = list->items[at - 1];
		list->items[at] = name;
	}
}

void rec_name_list_release(struct rec_name_list *list)
{
	for (uint32_t i = 0; i < list->nr; i++)
		free((char *)(uintptr_t)list->items[i].text.ptr);
	free(list->items);
	*list = (struct rec_name_list){ .items = NULL };
}
