/* timeline_jit.h: functions of just-in-time compilers become maps: those that a
 * jitdump has wait until their time in the sideband comes.  Part of the
 * timeline.
 *
 * Each function is a DSO of its own, "jitted-12-3.so" of process 12, as `perf
 * inject --jit` makes such files.  From the dump's MMAP on, maps of anonymous
 * code of the process are passed over.
 */
#ifndef RPT_TIMELINE_JIT_H
#define RPT_TIMELINE_JIT_H

#include "format/record_body.h"
#include "report/base/intern.h"
#include "report/timeline/tasks.h"

#include <stdlib.h>

struct rpt_timeline;

struct rpt_jit_place {
	struct rpt_timestamp when;
	uint64_t addr;
	uint64_t len;
	struct rpt_dso *dso;
	uint32_t pid;
	uint32_t order; /* as they were read */
};

struct rpt_jit_places {
	/* Owned; those that wait, as a heap: [i] before [2i+1] and [2i+2]. */
	struct rpt_jit_place *items;
	uint32_t nr;
	uint32_t cap;
	uint32_t read_nr;	   /* of all times */
	struct rpt_intern sources; /* devices and inodes of dumps */
	uint64_t given_len;	   /* to the budget, for all dumps */
};

static inline void rpt_jit_places_release(struct rpt_jit_places *places)
{
	free(places->items);
	rpt_intern_release(&places->sources);
	*places = (struct rpt_jit_places){ 0 };
}

/* Read map->dso, which the task has mapped and which is called like a jitdump.
 * If it cannot be read, the DSO gets the reason as its problem. */
void rpt_timeline_jit_open(struct rpt_timeline *tl, struct rpt_timestamp when,
			   struct rpt_task *task, const struct rpt_map *map);

/* Map the functions that were made before when. */
void rpt_timeline_jit_until(struct rpt_timeline *tl, struct rpt_timestamp when);

#endif
