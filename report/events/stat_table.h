/* stat_table.h: the counts of `perf stat record`, as the table that script
 * shows (stat_lines.h) and check looks for what has no place in it.
 *
 *	rpt_stat_table_init(&table, events, line_max_nr);
 *	rpt_stat_table_take(&table, &rec, &damage);	in the order of the file
 *	if (rpt_stat_table_is_due(&rec))
 *		rpt_stat_lines_print(&table, &filter, &rec, stdout);
 *	rpt_stat_table_release(&table);
 *
 * The first THREAD_MAP and CPU_MAP say what is counted; an event that has had
 * an EVENT_UPDATE of its CPUs before is counted on these.  Each STAT record is
 * one cell: of an event, on a CPU, for a thread.  A STAT_ROUND prints all
 * cells, those that no record came for (events that the machine lacks) as 0.
 *
 * STAT_CONFIG says how perf stat added up.  perf 6.1 shows what was counted
 * since the round before, scaled by the share of time that the event was on
 * the hardware, unless all CPUs were added up (then the counts as they are);
 * later ones always.  A round without a record of a cell takes what was shown
 * of it for its count, as in perf.
 */
#ifndef RPT_STAT_TABLE_H
#define RPT_STAT_TABLE_H

#include "format/damage.h"
#include "format/event_set.h"
#include "format/layout.h"
#include "format/record_body.h"

struct rpt_stat_cpus {
	int32_t *items; /* owned; -1: whatever CPU the thread is on */
	size_t nr;
	uint32_t *order; /* places in items, rising; owned; NULL: as they are */
};

struct rpt_stat_count {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
};

struct rpt_stat_cell {
	struct rpt_stat_count now;
	struct rpt_stat_count before; /* of the round before, as recorded */
};

/* Cells of an event: CPU by CPU for each thread */
struct rpt_stat_event {
	struct rpt_stat_cpus own; /* NULL: the table's */
	size_t first_cell;
};

struct rpt_stat_table {
	const struct pd_event_set *events;
	struct rpt_stat_event *of; /* by event; owned; NULL: none seen yet */
	struct rpt_stat_cpus cpus;
	int32_t *tids; /* owned */
	size_t tid_nr;
	struct rpt_stat_cell *cells; /* owned; NULL: not all maps seen yet */
	size_t cell_nr;
	uint64_t left_nr;    /* lines, CPUs and cells that there may be */
	uint64_t strange_nr; /* counts of what the file does not list */
	uint64_t aggr_mode;  /* of STAT_CONFIG */
	bool is_scaled;	     /* likewise */
	bool is_titled;
	bool is_full; /* there would be more */
};

/* So many cells and lines there may be in any case; and one for each byte of
 * the recording, in which a count takes 48. */
#define RPT_STAT_LINES_LEAST ((uint64_t)64 << 10)

/* Begin an empty table of max_nr cells, CPUs and lines at most: a sound
 * recording has no more. */
void rpt_stat_table_init(struct rpt_stat_table *table,
			 const struct pd_event_set *events, uint64_t max_nr);
void rpt_stat_table_release(struct rpt_stat_table *table);

/* rpt_stat_table_take() calls this for records that the table is made of. */
void rpt_stat_table_take_part(struct rpt_stat_table *table,
			      const struct pd_record *rec,
			      struct pd_damage *damage);

/* Return true for the types of those records. */
static inline bool rpt_stat_table_has(uint32_t type)
{
	return type == PD_RECORD_THREAD_MAP || type == PD_RECORD_CPU_MAP ||
	       type == PD_RECORD_EVENT_UPDATE ||
	       type == PD_RECORD_STAT_CONFIG || type == PD_RECORD_STAT;
}

/* Take a record of any type; a damaged one is added to damage. */
static inline void rpt_stat_table_take(struct rpt_stat_table *table,
				       const struct pd_record *rec,
				       struct pd_damage *damage)
{
	if (rpt_stat_table_has(rec->type))
		rpt_stat_table_take_part(table, rec, damage);
}

/* Return true if rec ends a round. */
static inline bool rpt_stat_table_is_due(const struct pd_record *rec)
{
	return rec->type == PD_RECORD_STAT_ROUND;
}

/* Return the CPUs that the event with that index is counted on. */
const struct rpt_stat_cpus *
rpt_stat_table_cpus(const struct rpt_stat_table *table, size_t idx);

/* Count nr more cells or lines.  Return false if that would be more than a
 * sound recording has; table->is_full is true then. */
bool rpt_stat_table_spend(struct rpt_stat_table *table, uint64_t nr);

/* End a round: the cells become what is shown of it. */
void rpt_stat_table_round(struct rpt_stat_table *table);

#endif
