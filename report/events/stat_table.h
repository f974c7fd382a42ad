/* stat_table.h: the counts of `perf stat record` as a table, which script shows
 * and in which check looks for counts that have no place.
 *
 *	rpt_stat_table_init(&table, events, line_max_nr);
 *	rpt_stat_table_take(&table, &rec, &damage);	in the order of the file
 *	if (rec.type == PD_RECORD_STAT_ROUND) {
 *		rpt_stat_table_round(&table);
 *		print the cells
 *	}
 *	rpt_stat_table_release(&table);
 *
 * The first THREAD_MAP and CPU_MAP say what is counted; an EVENT_UPDATE before
 * them gives an event CPUs of its own.  Each STAT record is one cell: the count
 * of an event, on a CPU, for a thread.  A cell without a record (of an event
 * that the machine lacks) is 0.
 *
 * STAT_CONFIG says how perf stat added up.  A round shows what was counted
 * since the round before, scaled by the share of time that the event was on the
 * hardware; perf 6.1 shows the counts as they are if all CPUs were added up.
 * If a round has no record of a cell, what was shown of it before is its count,
 * as in perf.
 */
#ifndef RPT_STAT_TABLE_H
#define RPT_STAT_TABLE_H

#include "format/base/damage.h"
#include "format/file/layout.h"
#include "format/records/event_set.h"
#include "format/records/record_body.h"

struct rpt_stat_cpus {
	int32_t *items; /* owned; -1: whatever CPU the thread is on */
	size_t nr;
	uint32_t *order; /* indices of items, rising; owned; NULL: 0, 1, 2 */
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

/* The cells of an event: for each thread one for each CPU. */
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
	uint64_t left_nr;    /* lines, CPUs and cells that are still allowed */
	uint64_t strange_nr; /* counts of what the file does not list */
	uint64_t aggr_mode;  /* of STAT_CONFIG */
	bool is_scaled;	     /* likewise */
	bool is_titled;	     /* the caller has printed a title */
	bool is_full;	     /* more than the limit was needed */
};

/* The number of cells and lines that is always allowed, besides one for each
 * byte of the recording, where a count takes 48. */
#define RPT_STAT_LINES_LEAST ((uint64_t)64 << 10)

/* Begin an empty table of at most max_nr cells, CPUs and lines; a sound
 * recording has no more. */
void rpt_stat_table_init(struct rpt_stat_table *table,
			 const struct pd_event_set *events, uint64_t max_nr);
/* Free what the table owns. */
void rpt_stat_table_release(struct rpt_stat_table *table);

/* Return true for the types of records that the table is made of. */
bool rpt_stat_table_has(uint32_t type);

/* Take a record of any type; a damaged one is added to damage. */
void rpt_stat_table_take(struct rpt_stat_table *table,
			 const struct pd_record *rec, struct pd_damage *damage);

/* Return the CPUs that the event with that index is counted on. */
const struct rpt_stat_cpus *
rpt_stat_table_cpus(const struct rpt_stat_table *table, size_t idx);

/* Count nr more cells or lines.  Return false if that would be more than a
 * sound recording has; table->is_full is true then. */
bool rpt_stat_table_spend(struct rpt_stat_table *table, uint64_t nr);

/* End a round: the cells become what is shown of it. */
void rpt_stat_table_round(struct rpt_stat_table *table);

#endif
