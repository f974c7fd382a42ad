/* hit_set.h: the addresses of one file that samples hit, each once.
 *
 * An open-addressing hash set; all sets share one budget of memory.
 */
#ifndef REC_HIT_SET_H
#define REC_HIT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_hit_set {
	uint64_t *slots; /* owned; address + 1, 0: free */
	size_t cap;	 /* a power of two, or 0 */
	size_t nr;
	uint64_t secret; /* that slots depend on */
};

/* Add addr, which is not UINT64_MAX.  *budget: bytes that all sets may still
 * take.  Return false if that or the machine's memory is spent. */
bool rec_hit_set_add(struct rec_hit_set *set, uint64_t addr, size_t *budget);

/* Move all addresses of from to set. */
void rec_hit_set_move(struct rec_hit_set *from, struct rec_hit_set *set,
		      size_t *budget);

/* Return the addresses in ascending order: the set's own memory, which is no
 * set any more. */
const uint64_t *rec_hit_set_sort(struct rec_hit_set *set);

/* Return a copy of the addresses in ascending order, the caller's, or NULL if
 * there is no memory; the set stays one. */
uint64_t *rec_hit_set_list(const struct rec_hit_set *set);

/* Return how many of the ascending hits[0..nr) are below addr. */
size_t rec_hits_below(const uint64_t *hits, size_t nr, uint64_t addr);

void rec_hit_set_release(struct rec_hit_set *set);

#endif
