/* event_nearest.h: suggest the names nearest to a misspelt one. */
#ifndef REC_EVENT_NEAREST_H
#define REC_EVENT_NEAREST_H

#include "format/err.h"

#include <stddef.h>

enum { REC_NEAREST_NR = 3, REC_NEAREST_NAME_LEN = 64 };

struct rec_nearest {
	char want[REC_NEAREST_NAME_LEN];
	unsigned limit; /* names with more edits are not suggested */
	size_t nr;
	struct {
		char name[REC_NEAREST_NAME_LEN];
		unsigned edits;
	} best[REC_NEAREST_NR]; /* nearest first */
};

void rec_nearest_init(struct rec_nearest *near, const char *want, size_t len);

/* Consider a name; names longer than REC_NEAREST_NAME_LEN are ignored. */
void rec_nearest_offer(struct rec_nearest *near, const char *name);

/* Set err's hint to "nearest: a, b, c", or to fallback if there are none. */
void rec_nearest_hint(const struct rec_nearest *near, struct pd_err *err,
		      const char *fallback);

#endif
