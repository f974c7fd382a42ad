#include "report/diff_match.h"

#include "report/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN 4096
#define NO_LABEL UINT32_MAX

/* Labels of the old side by what is compared of them, in lists. */
struct candidates {
	struct rpt_intern keys;
	uint32_t *first; /* by number of the key */
	uint32_t *next;	 /* by label */
	uint32_t nr;
};

static int64_t label_key(struct rpt_intern *keys,
			 const struct rpt_labels *labels, uint32_t label,
			 enum rpt_name_match level, char *buf)
{
	const struct rpt_label *item = &labels->items[label];
	size_t used = 0;

	for (size_t i = 0; i < labels->column_nr; i++) {
		const char *text = item->texts[i];
		char *to = buf + i * NAME_LEN;

		if (labels->by[i] == RPT_BY_SYMBOL)
			rpt_diff_symbol(text, level, to, NAME_LEN);
		else if (labels->by[i] == RPT_BY_DSO)
			rpt_diff_dso(text, level, to, NAME_LEN);
		else
			strncpy(to, text, NAME_LEN - 1);
		memmove(buf + used, to, strlen(to) + 1);
		used += strlen(to) + 1;
	}
	return rpt_intern(keys, buf, used);
}

static void candidates_release(struct candidates *c)
{
	rpt_intern_release(&c->keys);
	free(c->first);
	free(c->next);
}

static int candidates_fill(struct candidates *c,
			   const struct rpt_labels *labels, const bool *is_free,
			   enum rpt_name_match level, char *buf)
{
	uint32_t nr = labels->keys.nr;

	c->first = malloc((nr + 1) * sizeof(*c->first));
	c->next = malloc((nr + 1) * sizeof(*c->next));
	if (!c->first || !c->next)
		return -ENOMEM;
	for (uint32_t label = 0; label < nr; label++) {
		int64_t key;

		if (!is_free[label])
			continue;
		key = label_key(&c->keys, labels, label, level, buf);
		if (key < 0)
			return -ENOMEM;
		if (key == c->nr) {
			c->first[key] = NO_LABEL;
			c->nr++;
		}
		c->next[label] = c->first[key];
		c->first[key] = label;
	}
	return 0;
}

static size_t common_len(const struct rpt_labels *labels, uint32_t a,
			 uint32_t b)
{
	size_t sum = 0;

	for (size_t i = 0; i < labels->column_nr; i++) {
		const char *x = labels->items[a].texts[i];
		const char *y = labels->items[b].texts[i];

		for (; *x && *x == *y; x++, y++)
			sum++;
	}
	return sum;
}

/* The free label of the list that is most like this one. */
static uint32_t best(const struct candidates *c,
		     const struct rpt_labels *labels, const bool *is_free,
		     uint32_t label, uint32_t from)
{
	uint32_t found = NO_LABEL;
	size_t most = 0;

	for (; from != NO_LABEL; from = c->next[from]) {
		size_t len;

		if (!is_free[from])
			continue;
		len = common_len(labels, label, from);
		if (found == NO_LABEL || len > most) {
			found = from;
			most = len;
		}
	}
	return found;
}

static int match_level(struct rpt_matches *matches,
		       const struct rpt_labels *labels, bool *is_old_free,
		       bool *is_new_free, enum rpt_name_match level)
{
	struct candidates c = { .nr = 0 };
	char *buf = calloc(RPT_LABEL_COLUMNS_MAX, NAME_LEN);
	int rc = buf ? candidates_fill(&c, labels, is_old_free, level, buf)
		     : -ENOMEM;

	for (uint32_t label = 0; label < matches->nr && !rc; label++) {
		int64_t key;
		uint32_t old = NO_LABEL;

		if (!is_new_free[label])
			continue;
		key = label_key(&c.keys, labels, label, level, buf);
		if (key >= 0 && key < c.nr)
			old = best(&c, labels, is_old_free, label,
				   c.first[key]);
		if (old == NO_LABEL)
			continue;
		matches->to[label] = old;
		matches->level[label] = (uint8_t)level;
		is_new_free[label] = false;
		is_old_free[old] = false;
	}
	candidates_release(&c);
	free(buf);
	return rc;
}

int rpt_matches_find(struct rpt_matches *matches,
		     const struct rpt_labels *labels, const bool *is_old,
		     const bool *is_new)
{
	uint32_t nr = labels->keys.nr;
	bool *old_free = calloc(nr + 1, 1);
	bool *new_free = calloc(nr + 1, 1);
	int rc = 0;

	*matches = (struct rpt_matches){ .nr = nr };
	matches->to = malloc((nr + 1) * sizeof(*matches->to));
	matches->level = calloc(nr + 1, 1);
	if (!old_free || !new_free || !matches->to || !matches->level)
		rc = -ENOMEM;
	for (uint32_t i = 0; i < nr && !rc; i++) {
		matches->to[i] = i;
		old_free[i] = is_old[i] && !is_new[i];
		new_free[i] = is_new[i] && !is_old[i];
	}
	for (enum rpt_name_match level = RPT_NAME_STEM;
	     level < RPT_NAME_MATCHES && !rc; level++)
		rc = match_level(matches, labels, old_free, new_free, level);
	free(old_free);
	free(new_free);
	return rc;
}

void rpt_matches_release(struct rpt_matches *matches)
{
	free(matches->to);
	free(matches->level);
	*matches = (struct rpt_matches){ 0 };
}
