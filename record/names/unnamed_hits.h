/* unnamed_hits.h: which of the addresses that were hit have no name yet.
 *
 * Whoever tells of names may cover all hits by each of them: none is looked at
 * twice.
 */
#ifndef REC_UNNAMED_HITS_H
#define REC_UNNAMED_HITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_unnamed_hits {
	const uint64_t *hits; /* borrowed, ascending */
	size_t nr;
	size_t *next;	   /* owned; by hit: itself, or one behind it if it has
			    * a name */
	uint64_t named_nr; /* those that have one */
};

/* hits stays the caller's.  Return 0 or -ENOMEM. */
int rec_unnamed_hits_init(struct rec_unnamed_hits *unnamed,
			  const uint64_t *hits, size_t nr);
void rec_unnamed_hits_release(struct rec_unnamed_hits *unnamed);

/* Return whether a hit lies in start[0..len), be it named or not. */
bool rec_unnamed_hits_cover(const struct rec_unnamed_hits *unnamed,
			    uint64_t start, uint64_t len);
/* Hits in start[0..len) have a name. */
void rec_unnamed_hits_name(struct rec_unnamed_hits *unnamed, uint64_t start,
			   uint64_t len);
/* The same; those that had none get the mark in marks, by hit. */
void rec_unnamed_hits_mark(struct rec_unnamed_hits *unnamed, uint64_t start,
			   uint64_t len, uint64_t *marks, uint64_t mark);

#endif
