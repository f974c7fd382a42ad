/* event_nearest.c: compute the edit distance to all names that are offered. */
#include "record/event/event_nearest.h"

#include <string.h>

void rec_nearest_init(struct rec_nearest *near, const char *want, size_t len)
{
	memset(near, 0, sizeof(*near));
	if (len >= sizeof(near->want))
		len = sizeof(near->want) - 1;
	memcpy(near->want, want, len);
	near->want[len] = '\0';
	near->limit = (unsigned)(len / 3 < 2 ? 2 : len / 3);
}

static unsigned min_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Compute Levenshtein's distance, one row at a time. */
static unsigned edits_between(const char *a, const char *b)
{
	unsigned row[REC_NEAREST_NAME_LEN + 1];
	size_t b_len = strlen(b);

	for (unsigned j = 0; j <= b_len; j++)
		row[j] = j;
	for (unsigned i = 1; a[i - 1]; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			unsigned swap = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = min_of(swap, min_of(row[j], row[j - 1]) + 1);
		}
	}
	return row[b_len];
}

static size_t position_of(const struct rec_nearest *near, unsigned edits)
{
	size_t at = 0;

	while (at < near->nr && near->best[at].edits <= edits)
		at++;
	return at;
}

void rec_nearest_offer(struct rec_nearest *near, const char *name)
{
	size_t len = strlen(name);
	unsigned edits;
	size_t at;

	if (len >= REC_NEAREST_NAME_LEN)
		return;
	edits = edits_between(near->want, name);
	if (edits > near->limit)
		return;
	for (size_t i = 0; i < near->nr; i++) {
		if (strcmp(near->best[i].name, name) == 0)
			return;
	}
	at = position_of(near, edits);
	if (at == REC_NEAREST_NR)
		return;
	if (near->nr < REC_NEAREST_NR)
		near->nr++;
	memmove(&near->best[at + 1], &near->best[at],
		(near->nr - at - 1) * sizeof(near->best[0]));
	memcpy(near->best[at].name, name, len + 1);
	near->best[at].edits = edits;
}

void rec_nearest_hint(const struct rec_nearest *near, struct pd_err *err,
		      const char *fallback)
{
	const char *second = near->nr > 1 ? near->best[1].name : "";
	const char *third = near->nr > 2 ? near->best[2].name : "";

	if (near->nr == 0) {
		if (fallback)
			pd_err_hint(err, "%s", fallback);
		return;
	}
	pd_err_hint(err, "nearest: %s%s%s%s%s", near->best[0].name,
		    near->nr > 1 ? ", " : "", second, near->nr > 2 ? ", " : "",
		    third);
}
