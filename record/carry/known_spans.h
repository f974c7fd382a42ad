/* known_spans.h: the addresses of a file of which all names are known.
 *
 * Names are found around addresses that were hit.  A span (name_list.h) has the
 * addresses around one of these that have the same names: another hit in it
 * needs no look at the file.
 */
#ifndef REC_KNOWN_SPANS_H
#define REC_KNOWN_SPANS_H

#include "record/names/name_list.h"

struct rec_known_spans {
	struct rec_name_span *items; /* owned; ascending, apart */
	size_t nr;
};

/* Move those of the ascending hits[0..nr) that are in no span to ret, which may
 * be hits; NULL: count them.  Return how many they are. */
size_t rec_known_spans_miss(const struct rec_known_spans *spans,
			    const uint64_t *hits, size_t nr, uint64_t *ret);

/* Add spans of which the starts ascend; some may be the same.  They take bytes
 * of budget, which rec_known_spans_release() gives back.  Return 0 or -ENOMEM,
 * with nothing added. */
int rec_known_spans_add(struct rec_known_spans *spans,
			const struct rec_name_span *more, size_t more_nr,
			size_t *budget);
void rec_known_spans_release(struct rec_known_spans *spans, size_t *budget);

#endif
