#include "report/diff/diff_labels.h"

#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>

void rpt_labels_release(struct rpt_labels *labels)
{
	rpt_intern_release(&labels->keys);
	rpt_event_match_release(&labels->events);
	rpt_intern_release(&labels->commands);
	rpt_intern_release(&labels->builds);
	rpt_arena_release(&labels->texts);
	free(labels->items);
	free(labels->modes);
	*labels = (struct rpt_labels){ 0 };
}

uint32_t rpt_label_new(struct rpt_labels *labels, const char *key, size_t len)
{
	uint32_t known_nr = labels->keys.nr;
	uint32_t idx = (uint32_t)rpt_intern(&labels->keys, key, len);

	labels->items = rpt_grow(labels->items, &labels->cap, known_nr,
				 sizeof(*labels->items));
	if (idx == known_nr)
		labels->items[idx] = (struct rpt_label){ .parent = 0 };
	return idx;
}

void rpt_label_fill(struct rpt_labels *labels, struct rpt_label *label,
		    const char *texts, size_t len)
{
	const char *copy = rpt_arena_copy(&labels->texts, texts, len);

	for (size_t i = 0; i < labels->column_nr; i++) {
		label->texts[i] = copy;
		copy += strlen(copy) + 1;
	}
}

const char *rpt_label_text(const struct rpt_labels *labels, uint32_t label,
			   unsigned by)
{
	for (size_t i = 0; i < labels->column_nr; i++)
		if (labels->by[i] == by)
			return labels->items[label].texts[i];
	return NULL;
}
