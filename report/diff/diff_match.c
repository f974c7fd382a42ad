#include "report/diff/diff_table.h"

#include "report/base/memory.h"
#include "report/rows/rows_conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN 4096
#define NO_LABEL UINT32_MAX

/* Labels of the old side, in a list for each key by which they are compared. */
struct candidates {
	struct rpt_intern keys;
	uint32_t *first; /* by number of the key */
	uint32_t *next;	 /* by label */
	uint32_t nr;
};

/* Return whether a column is "ID:NAME" of a task. */
static bool is_task(const struct rpt_labels *labels, size_t idx)
{
	return labels->by[idx] == RPT_BY_TASK ||
	       !strcmp(labels->names[idx], "tgid");
}

/* Copy the id: a task that has another name is the same. */
static void copy_id(const char *text, char to[NAME_LEN])
{
	snprintf(to, NAME_LEN, "%.*s", (int)strcspn(text, ":"), text);
}

/* Return the number of the key by which a label is compared at a level.  parent
 * is 1 + the number of the caller's label on the old side; 0: it has none. */
static int64_t label_key(struct rpt_intern *keys,
			 const struct rpt_labels *labels, uint32_t label,
			 uint32_t parent, enum rpt_name_match level, char *buf)
{
	const struct rpt_label *item = &labels->items[label];
	size_t used = sizeof(parent);

	memcpy(buf, &parent, used);
	for (size_t i = 0; i < labels->column_nr; i++) {
		const char *text = item->texts[i];
		char *to = buf + used;

		if (labels->by[i] == RPT_BY_SYMBOL)
			rpt_diff_symbol(text, level, to, NAME_LEN);
		else if (labels->by[i] == RPT_BY_DSO)
			rpt_diff_dso(text, level, to, NAME_LEN);
		else if (is_task(labels, i))
			copy_id(text, to);
		else
			snprintf(to, NAME_LEN, "%s", text);
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

static void candidates_fill(struct candidates *c,
			    const struct rpt_labels *labels,
			    const bool *is_free, enum rpt_name_match level,
			    char *buf)
{
	uint32_t nr = labels->keys.nr;

	c->first = rpt_alloc((nr + 1) * sizeof(*c->first));
	c->next = rpt_alloc((nr + 1) * sizeof(*c->next));
	for (uint32_t label = 0; label < nr; label++) {
		int64_t key;

		if (!is_free[label])
			continue;
		key = label_key(&c->keys, labels, label,
				labels->items[label].parent, level, buf);
		if (key == c->nr) {
			c->first[key] = NO_LABEL;
			c->nr++;
		}
		c->next[label] = c->first[key];
		c->first[key] = label;
	}
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

/* Return the free label of the list that shares the longest beginning. */
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

/* Free labels are on one side only and not matched yet. */
struct search {
	struct rpt_matches *matches;
	const struct rpt_labels *labels;
	bool *old_free; /* by label */
	bool *new_free;
	struct candidates by_level[RPT_NAME_MATCHES]; /* exact: empty */
	uint32_t *depths; /* by label: callers above */
	uint32_t depth_most;
	char *buf; /* room for the texts of a label */
};

/* Match a label of the new side at one level. */
static void match_label(struct search *s, uint32_t label,
			enum rpt_name_match level)
{
	struct candidates *c = &s->by_level[level];
	uint32_t parent = s->labels->items[label].parent;
	uint32_t old = NO_LABEL;
	int64_t key;

	if (parent) /* matched before */
		parent = s->matches->to[parent - 1] + 1;
	key = label_key(&c->keys, s->labels, label, parent, level, s->buf);
	if (key < c->nr)
		old = best(c, s->labels, s->old_free, label, c->first[key]);
	if (old == NO_LABEL)
		return;
	s->matches->to[label] = old;
	/* below a caller that was renamed names may be equal */
	if (strcmp(s->labels->items[old].texts[0],
		   s->labels->items[label].texts[0]) != 0 ||
	    !s->labels->is_paths)
		s->matches->level[label] = (uint8_t)level;
	s->new_free[label] = false;
	s->old_free[old] = false;
}

/* Set depths.  Callers have lower numbers than what they call. */
static void set_depths(struct search *s)
{
	for (uint32_t i = 0; i < s->matches->nr; i++) {
		uint32_t parent = s->labels->items[i].parent;

		s->depths[i] = parent ? s->depths[parent - 1] + 1 : 0;
		if (s->new_free[i] && s->depths[i] > s->depth_most)
			s->depth_most = s->depths[i];
	}
}

static void search_init(struct search *s, const bool *is_old,
			const bool *is_new)
{
	uint32_t nr = s->labels->keys.nr;

	s->old_free = rpt_alloc_zeroed(nr + 1, 1);
	s->new_free = rpt_alloc_zeroed(nr + 1, 1);
	s->depths = rpt_alloc_zeroed(nr + 1, sizeof(*s->depths));
	s->buf = rpt_alloc(sizeof(uint32_t) + RPT_LABEL_COLUMNS_MAX * NAME_LEN);
	s->matches->nr = nr;
	s->matches->to = rpt_alloc((nr + 1) * sizeof(*s->matches->to));
	s->matches->level = rpt_alloc_zeroed(nr + 1, 1);
	for (uint32_t i = 0; i < nr; i++) {
		s->matches->to[i] = i;
		s->old_free[i] = is_old[i] && !is_new[i];
		s->new_free[i] = is_new[i] && !is_old[i];
	}
	set_depths(s);
	for (enum rpt_name_match level = RPT_NAME_STEM;
	     level < RPT_NAME_MATCHES; level++)
		candidates_fill(&s->by_level[level], s->labels, s->old_free,
				level, s->buf);
}

static void search_release(struct search *s)
{
	for (size_t level = 0; level < RPT_NAME_MATCHES; level++)
		candidates_release(&s->by_level[level]);
	free(s->old_free);
	free(s->new_free);
	free(s->depths);
	free(s->buf);
}

/* Match all labels of a depth at one level, then at the next; callers before
 * what they call. */
static void match_all(struct search *s)
{
	for (uint32_t d = 0; d <= s->depth_most; d++)
		for (enum rpt_name_match level = RPT_NAME_STEM;
		     level < RPT_NAME_MATCHES; level++)
			for (uint32_t i = 0; i < s->matches->nr; i++)
				if (s->new_free[i] && s->depths[i] == d)
					match_label(s, i, level);
}

void rpt_matches_find(struct rpt_matches *matches,
		      const struct rpt_labels *labels, const bool *is_old,
		      const bool *is_new)
{
	struct search s = { .matches = matches, .labels = labels };

	*matches = (struct rpt_matches){ 0 };
	search_init(&s, is_old, is_new);
	match_all(&s);
	search_release(&s);
}

void rpt_matches_release(struct rpt_matches *matches)
{
	free(matches->to);
	free(matches->level);
	*matches = (struct rpt_matches){ 0 };
}
