/* arena.h: memory for many small things that live and die together.
 *
 * Chunks double up to 1 MiB; nothing is given back before
 * rpt_arena_release().  A zeroed struct is an empty arena.  If it has a budget
 * (memory.h), chunks are charged to that.  Nothing here returns NULL.
 */
#ifndef RPT_ARENA_H
#define RPT_ARENA_H

#include "report/base/memory.h"

struct rpt_arena_chunk;

struct rpt_arena {
	struct rpt_arena_chunk *chunks;
	size_t used;		   /* bytes of the newest chunk */
	struct rpt_budget *budget; /* the caller's; NULL: none */
};

/* Return len bytes, aligned to 8, not zeroed. */
void *rpt_arena_alloc(struct rpt_arena *arena, size_t len);
/* Return a copy of len bytes, with a NUL behind them. */
void *rpt_arena_copy(struct rpt_arena *arena, const void *data, size_t len);
/* Return the name itself if it is safe to print, or else a copy that is, as
 * safe_text.h says. */
const char *rpt_arena_safe(struct rpt_arena *arena, const char *name);
/* Move all that from holds to to; from is empty then. */
void rpt_arena_move(struct rpt_arena *to, struct rpt_arena *from);
/* Free all memory; the budget remains. */
void rpt_arena_release(struct rpt_arena *arena);

#endif
