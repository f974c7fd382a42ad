/* nearest.c: compute the edit distance to all names that are offered. */
#include "format/support/nearest.h"

#include <stdbool.h>
#include <string.h>

/* Below that, too much begins with it. */
enum { PREFIX_LEN_MIN = 3 };

void sup_nearest_init(struct sup_nearest *near, const char *want, size_t len)
{
	memset(near, 0, sizeof(*near));
	if (len >= sizeof(near->want))
		len = sizeof(near->want) - 1;
	memcpy(near->want, want, len);
	near->want[len] = '\0';
	near->limit = len < 3 ? 1 : len < 9 ? 2 : (unsigned)len / 3;
}

static unsigned min_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Compute the least number of letters to add, drop, change or swap with the
 * next, a row of the table at a time; two rows before it are kept. */
static unsigned edits_between(const char *a, const char *b)
{
	unsigned rows[3][SUP_NEAREST_NAME_LEN + 1];
	unsigned *older = rows[0], *old = rows[1], *row = rows[2];
	size_t b_len = strlen(b);

	for (unsigned j = 0; j <= b_len; j++)
		row[j] = j;
	for (unsigned i = 1; a[i - 1]; i++) {
		unsigned *free_row = older;

		older = old;
		old = row;
		row = free_row;
		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			row[j] = min_of(old[j], row[j - 1]) + 1;
			row[j] = min_of(row[j],
					old[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] = min_of(row[j], older[j - 2] + 1);
		}
	}
	return row[b_len];
}

/* Return whether one of the names begins with the other. */
static bool are_prefixes(const char *a, size_t a_len, const char *b,
			 size_t b_len)
{
	size_t len = a_len < b_len ? a_len : b_len;

	return len >= PREFIX_LEN_MIN && memcmp(a, b, len) == 0;
}

static size_t position_of(const struct sup_nearest *near, unsigned edits)
{
	size_t at = 0;

	while (at < near->nr && near->best[at].edits <= edits)
		at++;
	return at;
}

static bool has_control(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			return true;
	return false;
}

void sup_nearest_offer(struct sup_nearest *near, const char *name)
{
	size_t len = strlen(name);
	unsigned edits;
	size_t at;

	if (len >= SUP_NEAREST_NAME_LEN || has_control(name))
		return;
	edits = edits_between(near->want, name);
	if (edits > near->limit) {
		if (!are_prefixes(name, len, near->want, strlen(near->want)))
			return;
		edits = near->limit + 1; /* all others are nearer */
	}
	for (size_t i = 0; i < near->nr; i++) {
		if (strcmp(near->best[i].name, name) == 0)
			return;
	}
	at = position_of(near, edits);
	if (at == SUP_NEAREST_NR)
		return;
	if (near->nr < SUP_NEAREST_NR)
		near->nr++;
	memmove(&near->best[at + 1], &near->best[at],
		(near->nr - at - 1) * sizeof(near->best[0]));
	memcpy(near->best[at].name, name, len + 1);
	near->best[at].edits = edits;
}

void sup_nearest_hint(const struct sup_nearest *near, struct pd_err *err,
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
