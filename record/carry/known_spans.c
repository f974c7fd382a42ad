#include "record/carry/known_spans.h"

#include <errno.h>
#include <stdlib.h>

#include "format/base/search.h"

size_t rec_known_spans_miss(const struct rec_known_spans *spans,
			    const uint64_t *hits, size_t nr, uint64_t *ret)
{
	size_t at = 0, left = 0;

	if (nr)
		PD_FIND_FIRST(at, spans->nr, spans->items[at].end > hits[0]);
	for (size_t i = 0; i < nr; i++) {
		while (at < spans->nr && spans->items[at].end <= hits[i])
			at++;
		if (at < spans->nr && spans->items[at].start <= hits[i])
			continue;
		if (ret)
			ret[left] = hits[i];
		left++;
	}
	return left;
}

int rec_known_spans_add(struct rec_known_spans *spans,
			const struct rec_name_span *more, size_t more_nr,
			size_t *budget)
{
	size_t nr = 0, a = 0, b = 0;
	struct rec_name_span *merged;

	if (more_nr * sizeof(*merged) > *budget)
		return -ENOMEM;
	merged = calloc(spans->nr + more_nr + 1, sizeof(*merged));
	if (!merged)
		return -ENOMEM;
	while (a < spans->nr || b < more_nr) {
		bool is_more =
			a == spans->nr ||
			(b < more_nr && more[b].start < spans->items[a].start);
		struct rec_name_span span =
			is_more ? more[b++] : spans->items[a++];

		if (!nr || merged[nr - 1].end < span.start)
			merged[nr++] = span;
		else if (merged[nr - 1].end < span.end)
			merged[nr - 1].end = span.end;
	}
	rec_known_spans_release(spans, budget);
	*budget -= nr * sizeof(*merged);
	spans->items = merged;
	spans->nr = nr;
	return 0;
}

void rec_known_spans_release(struct rec_known_spans *spans, size_t *budget)
{
	*budget += spans->nr * sizeof(*spans->items);
	free(spans->items);
	*spans = (struct rec_known_spans){ .nr = 0 };
}
