/* nearest.h: suggests the names nearest to a misspelt one.
 *
 *	sup_nearest_init(&near, word, strlen(word));
 *	for each name: sup_nearest_offer(&near, name);
 *	sup_nearest_hint(&near, &err, "'perfpair help' lists the commands");
 *
 * A name is near if few letters differ (two, or a third of a long word), or if
 * it begins with the word or the word with it.
 */
#ifndef SUP_NEAREST_H
#define SUP_NEAREST_H

#include "format/base/err.h"

#include <stddef.h>

enum { SUP_NEAREST_NR = 3, SUP_NEAREST_NAME_LEN = 64 };

struct sup_nearest {
	char want[SUP_NEAREST_NAME_LEN];
	unsigned limit; /* names with more edits are not suggested */
	size_t nr;
	struct {
		char name[SUP_NEAREST_NAME_LEN];
		unsigned edits;
	} best[SUP_NEAREST_NR]; /* nearest first */
};

void sup_nearest_init(struct sup_nearest *near, const char *want, size_t len);

/* Consider a name; those longer than SUP_NEAREST_NAME_LEN, and those that have
 * control characters, are ignored. */
void sup_nearest_offer(struct sup_nearest *near, const char *name);

/* Set err's hint to "nearest: a, b, c", or to fallback if there are none. */
void sup_nearest_hint(const struct sup_nearest *near, struct pd_err *err,
		      const char *fallback);

#endif
