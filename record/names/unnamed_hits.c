#include "record/names/unnamed_hits.h"

#include <errno.h>
#include <stdlib.h>

#include "record/names/hit_set.h"

int rec_unnamed_hits_init(struct rec_unnamed_hits *unnamed,
			  const uint64_t *hits, size_t nr)
{
	*unnamed = (struct rec_unnamed_hits){ .hits = hits, .nr = nr };
	unnamed->next = calloc(nr + 1, sizeof(*unnamed->next));
	for (size_t i = 0; unnamed->next && i <= nr; i++)
		unnamed->next[i] = i;
	return unnamed->next ? 0 : -ENOMEM;
}

void rec_unnamed_hits_release(struct rec_unnamed_hits *unnamed)
{
	free(unnamed->next);
	*unnamed = (struct rec_unnamed_hits){ .nr = 0 };
}

/* Return the first hit from idx on without a name, or nr. */
static size_t next_unnamed(struct rec_unnamed_hits *unnamed, size_t idx)
{
	size_t *next = unnamed->next;

	while (next[idx] != idx) {
		next[idx] = next[next[idx]];
		idx = next[idx];
	}
	return idx;
}

bool rec_unnamed_hits_cover(const struct rec_unnamed_hits *unnamed,
			    uint64_t start, uint64_t len)
{
	size_t first = rec_hits_below(unnamed->hits, unnamed->nr, start);

	return first < unnamed->nr && unnamed->hits[first] - start < len;
}

void rec_unnamed_hits_name(struct rec_unnamed_hits *unnamed, uint64_t start,
			   uint64_t len)
{
	rec_unnamed_hits_mark(unnamed, start, len, NULL, 0);
}

void rec_unnamed_hits_mark(struct rec_unnamed_hits *unnamed, uint64_t start,
			   uint64_t len, uint64_t *marks, uint64_t mark)
{
	size_t first = rec_hits_below(unnamed->hits, unnamed->nr, start);

	for (size_t i = next_unnamed(unnamed, first);
	     i < unnamed->nr && unnamed->hits[i] - start < len;
	     i = next_unnamed(unnamed, i)) {
		unnamed->next[i] = i + 1;
		if (marks)
			marks[i] = mark;
		unnamed->named_nr++;
	}
}
