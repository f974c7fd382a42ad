#include "record/names/name_list.h"

#include <stdlib.h>

/* The bytes that malloc() takes beside a text. */
enum { MALLOC_LEN = 16 };

static size_t len_of(const struct pd_carried_name *name)
{
	return name->text.len + 1 + MALLOC_LEN + sizeof(*name);
}

bool rec_name_list_add(struct rec_name_list *list,
		       const struct pd_carried_name *name)
{
	size_t len = len_of(name);
	char *text;

	if (list->budget && len > *list->budget)
		return false;
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
	if (list->budget)
		*list->budget -= len;
	list->items[list->nr] = *name;
	list->items[list->nr++].text.ptr = text;
	return true;
}

static bool is_sorted(const struct rec_name_list *list)
{
	for (uint32_t i = 1; i < list->nr; i++)
		if (list->items[i - 1].start > list->items[i].start)
			return false;
	return true;
}

/* Merge the sorted from[lo..mid) and from[mid..hi) to to[lo..hi). */
static void merge(const struct pd_carried_name *from,
		  struct pd_carried_name *to, size_t lo, size_t mid, size_t hi)
{
	size_t a = lo, b = mid;

	for (size_t i = lo; i < hi; i++)
		to[i] = a < mid && (b == hi || from[a].start <= from[b].start)
				? from[a++]
				: from[b++];
}

/* By merging, as qsort() does not keep the order of equal ones, and whoever
 * writes a perf map chooses its order. */
bool rec_name_list_sort(struct rec_name_list *list)
{
	struct pd_carried_name *to;
	size_t nr = list->nr;

	if (is_sorted(list))
		return true;
	to = calloc(nr, sizeof(*to));
	if (!to)
		return false;
	list->cap = list->nr;
	for (size_t len = 1; len < nr; len *= 2) {
		struct pd_carried_name *from = list->items;

		for (size_t lo = 0; lo < nr; lo += 2 * len) {
			size_t mid = lo + len < nr ? lo + len : nr;

			merge(from, to, lo, mid,
			      mid + len < nr ? mid + len : nr);
		}
		list->items = to;
		to = from;
	}
	free(to);
	return true;
}

void rec_name_list_release(struct rec_name_list *list)
{
	for (uint32_t i = 0; i < list->nr; i++) {
		if (list->budget)
			*list->budget += len_of(&list->items[i]);
		free((char *)(uintptr_t)list->items[i].text.ptr);
	}
	free(list->items);
	*list = (struct rec_name_list){ .budget = list->budget };
}
