/* ids.h: numbers thread ids and CPUs 0, 1, 2 ..., as intern.h does, which finds
 * those that came up last without a hash: records of a switch ask for the same
 * few again and again.
 */
#ifndef RPT_IDS_H
#define RPT_IDS_H

#include "report/base/intern.h"

#define RPT_RECENT_IDS_NR 64u

struct rpt_ids {
	struct rpt_intern table; /* uint32_t */
	struct rpt_recent_id {
		uint32_t id;
		uint32_t end;	     /* its number + 1; 0: none */
	} recent[RPT_RECENT_IDS_NR]; /* by the low bits of the id */
};

/* Begin.  budget limits the table, too; it is borrowed; NULL: none. */
static inline void rpt_ids_init(struct rpt_ids *ids, struct rpt_budget *budget)
{
	*ids = (struct rpt_ids){
		.table = { .is_bytes = true, .limit = budget },
	};
	ids->table.keys.budget = budget;
}

static inline void rpt_ids_release(struct rpt_ids *ids)
{
	rpt_intern_release(&ids->table);
	*ids = (struct rpt_ids){ 0 };
}

/* Return the id of a number. */
static inline uint32_t rpt_ids_at(const struct rpt_ids *ids, uint32_t idx)
{
	return *(const uint32_t *)rpt_intern_key(&ids->table, idx);
}

static inline int64_t rpt_ids_look_up(struct rpt_ids *ids, uint32_t id,
				      bool may_add)
{
	struct rpt_recent_id *recent = &ids->recent[id % RPT_RECENT_IDS_NR];
	int64_t idx;

	if (recent->end && recent->id == id)
		return (int64_t)recent->end - 1;
	idx = may_add ? rpt_intern(&ids->table, &id, sizeof(id))
		      : rpt_intern_find(&ids->table, &id, sizeof(id));
	if (idx >= 0)
		*recent = (struct rpt_recent_id){ id, (uint32_t)idx + 1 };
	return idx;
}

/* Return the number of an id, a new one (the old table.nr) at its first time;
 * or -EFBIG as rpt_intern() does. */
static inline int64_t rpt_ids_number(struct rpt_ids *ids, uint32_t id)
{
	return rpt_ids_look_up(ids, id, true);
}

/* Return the number of an id, or -1 if it has none. */
static inline int64_t rpt_ids_find(struct rpt_ids *ids, uint32_t id)
{
	return rpt_ids_look_up(ids, id, false);
}

#endif
