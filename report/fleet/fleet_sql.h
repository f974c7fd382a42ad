/* fleet_sql.h: the questions as SQL, in what ClickHouse 18.16 and DuckDB have
 * in common; names and values of options are literals in it, whatever they
 * hold.
 *
 * Each function returns SQL that the caller frees.
 */
#ifndef RPT_FLEET_SQL_H
#define RPT_FLEET_SQL_H

#include "report/fleet/fleet_client.h"
#include "report/fleet/fleet_args.h"

#include <stddef.h>

struct rpt_fleet_notes;

/* The slices that the questions are about. */
struct rpt_fleet_scope {
	const struct rpt_fleet_args *args;
	struct rpt_fleet_notes *notes; /* what a page says in front; borrowed;
					* NULL: there is no page */
	bool has_twins; /* rows of a slice are there more than once */
	const struct rpt_fleet_answer *slices; /* rpt_fleet_sql_slices(); NULL:
						* not asked for yet; borrowed */
};

/* Slices by host, hosts in ascending order.  Of slices that have the labels and
 * the time asked for: how many there are, have rows twice, lack rows, are
 * damaged.  Of those among them that have samples asked for: how many there
 * are, are damaged, all samples that they lost, samples asked for, the first
 * second of these and the one behind the last, release.  Then for the old side
 * and the new one, of slices that have samples of it: all samples lost, all
 * samples, damaged slices.  (Only whole slices know what was lost.) */
enum {
	RPT_FLEET_SLICES_HOST,
	RPT_FLEET_SLICES_ALL,
	RPT_FLEET_SLICES_TWINS,
	RPT_FLEET_SLICES_SHORT,
	RPT_FLEET_SLICES_DAMAGED,
	RPT_FLEET_SLICES_ASKED,
	RPT_FLEET_SLICES_ASKED_DAMAGED,
	RPT_FLEET_SLICES_ASKED_LOST,
	RPT_FLEET_SLICES_NUMBER,
	RPT_FLEET_SLICES_START,
	RPT_FLEET_SLICES_END,
	RPT_FLEET_SLICES_RELEASE,
	RPT_FLEET_SLICES_OLD,
	RPT_FLEET_SLICES_NEW = RPT_FLEET_SLICES_OLD + 3,
	RPT_FLEET_SLICES_COLUMNS = RPT_FLEET_SLICES_NEW + 3
};
char *rpt_fleet_sql_slices(const struct rpt_fleet_scope *scope);

/* Totals by event and host, hosts in ascending order: how many servers have
 * rows of it; whether the event is a clock; then for the old side and the new
 * one rows, weight, number. */
enum {
	RPT_FLEET_TOTAL_EVENT,
	RPT_FLEET_TOTAL_HOST,
	RPT_FLEET_TOTAL_SERVERS,
	RPT_FLEET_TOTAL_CLOCK,
	RPT_FLEET_TOTAL_OLD,
	RPT_FLEET_TOTAL_NEW = RPT_FLEET_TOTAL_OLD + 3,
	RPT_FLEET_TOTAL_COLUMNS = RPT_FLEET_TOTAL_NEW + 3
};
char *rpt_fleet_sql_totals(const struct rpt_fleet_scope *scope);

/* Sums of the functions' shares on the hosts (struct rpt_row_sums): by event
 * and function its names, then for the old side and the new one weight, number,
 * value, squares, chance; then of the hosts on both sides values and squares of
 * the old one and the new one, and products.  is_spread: some host has rows on
 * several servers. */
enum {
	RPT_FLEET_ROW_EVENT,
	RPT_FLEET_ROW_FUNCTION,
	RPT_FLEET_ROW_LEVEL,
	RPT_FLEET_ROW_NAME,
	RPT_FLEET_ROW_DSO,
	RPT_FLEET_ROW_OLD,
	RPT_FLEET_ROW_NEW = RPT_FLEET_ROW_OLD + 5,
	RPT_FLEET_ROW_PAIRS = RPT_FLEET_ROW_NEW + 5,
	RPT_FLEET_ROW_COLUMNS = RPT_FLEET_ROW_PAIRS + 5
};
char *rpt_fleet_sql_rows(const struct rpt_fleet_scope *scope, bool is_spread);
/* How many samples have a stack that is not in the table of stacks, so that
 * with callees they count for no function. */
char *rpt_fleet_sql_missing(const struct rpt_fleet_scope *scope);

/* The weights of some functions on each host: event, function, host, on the old
 * and the new side.  functions: their numbers, as text. */
enum {
	RPT_FLEET_WEIGHT_EVENT,
	RPT_FLEET_WEIGHT_FUNCTION,
	RPT_FLEET_WEIGHT_HOST,
	RPT_FLEET_WEIGHT_OLD,
	RPT_FLEET_WEIGHT_NEW,
	RPT_FLEET_WEIGHT_COLUMNS
};
char *rpt_fleet_sql_weights(const struct rpt_fleet_scope *scope,
			    const char *const *functions, size_t nr);

/* Shares over time: event, step (a second), function, sum of the hosts' shares
 * in it, and hosts that have samples in it.  functions as above. */
enum {
	RPT_FLEET_STEP_EVENT,
	RPT_FLEET_STEP_TIME,
	RPT_FLEET_STEP_FUNCTION,
	RPT_FLEET_STEP_SHARE,
	RPT_FLEET_STEP_COLUMNS
};
char *rpt_fleet_sql_steps(const struct rpt_fleet_scope *scope,
			  const char *const *functions, size_t nr);
/* Hosts with samples by event and step. */
enum {
	RPT_FLEET_COUNT_EVENT,
	RPT_FLEET_COUNT_TIME,
	RPT_FLEET_COUNT_HOSTS,
	RPT_FLEET_COUNT_COLUMNS
};
char *rpt_fleet_sql_counts(const struct rpt_fleet_scope *scope);

/* The frames of all stacks, those of a stack behind each other, the outermost
 * first: event, thread's name (empty in a diff), stack, name of the function,
 * samples of the stack on the old side and on the new one, 1.  A stack that is
 * not in the table, or has no frames (stack 0), is a row without the 1. */
enum rpt_fleet_frame_column {
	RPT_FLEET_FRAME_EVENT,
	RPT_FLEET_FRAME_COMM,
	RPT_FLEET_FRAME_STACK,
	RPT_FLEET_FRAME_NAME,
	RPT_FLEET_FRAME_OLD,
	RPT_FLEET_FRAME_NEW,
	RPT_FLEET_FRAME_THERE,
	RPT_FLEET_FRAME_COLUMNS
};
char *rpt_fleet_sql_frames(const struct rpt_fleet_scope *scope);

/* The questions of a page as SQL.
 *
 * Each function returns SQL that the caller frees. */

/* Hosts: host, a hash of it, which is below 10^15, so that a double holds it.
 */
enum { RPT_FLEET_HASH_HOST, RPT_FLEET_HASH_NUMBER, RPT_FLEET_HASH_COLUMNS };
char *rpt_fleet_sql_hashes(const struct rpt_fleet_scope *scope);

/* When there are samples: the first second, that behind the last, and the
 * widest bin. */
enum {
	RPT_FLEET_SPAN_FIRST,
	RPT_FLEET_SPAN_END,
	RPT_FLEET_SPAN_BIN,
	RPT_FLEET_SPAN_COLUMNS
};
char *rpt_fleet_sql_span(const struct rpt_fleet_scope *scope);

/* Hosts of a comparison by their hashes: one is in the last range whose least
 * hash is not above its own. */
struct rpt_fleet_ranges {
	double *least; /* ascending; the caller's */
	size_t nr;     /* at least 1 */
};

/* Samples by event, task and stack: also by release and step of time in a top,
 * by range in a comparison, where the step is 0.  A sample may be on both sides
 * of one. */
enum rpt_fleet_cell_column {
	RPT_FLEET_CELL_EVENT,
	RPT_FLEET_CELL_CLOCK,
	RPT_FLEET_CELL_COMM,
	RPT_FLEET_CELL_STACK,
	RPT_FLEET_CELL_LANE, /* a release, or the number of a range */
	RPT_FLEET_CELL_STEP, /* the second in which it begins */
	RPT_FLEET_CELL_OLD,  /* weight, number */
	RPT_FLEET_CELL_NEW = RPT_FLEET_CELL_OLD + 2,
	RPT_FLEET_CELL_COLUMNS = RPT_FLEET_CELL_NEW + 2
};
/* ranges: of a comparison; NULL: a top.  step_s: of the time. */
char *rpt_fleet_sql_cells(const struct rpt_fleet_scope *scope,
			  const struct rpt_fleet_ranges *ranges,
			  uint64_t step_s);

/* The frames of all stacks, those of a stack behind each other, the outermost
 * first. */
enum rpt_fleet_name_column {
	RPT_FLEET_NAME_STACK,
	RPT_FLEET_NAME_FUNCTION,
	RPT_FLEET_NAME_DSO,
	RPT_FLEET_NAME_KIND,
	RPT_FLEET_NAME_LEVEL,
	RPT_FLEET_NAME_COLUMNS
};
char *rpt_fleet_sql_names(const struct rpt_fleet_scope *scope);

#endif
