#include "report/fleet/fleet.h"

#include "report/base/memory.h"
#include "report/fleet/fleet_client.h"
#include "report/fleet/fleet_impl.h"
#include "report/fleet/fleet_notes.h"

#include "format/support/message.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t count_at(const struct rpt_fleet_answer *answer, size_t column)
{
	double v = answer->row_nr ? rpt_fleet_number(answer, 0, column) : 0.0;

	return v > 0.0 ? (uint64_t)v : 0;
}

static int ask_slices(struct rpt_fleet_scope *scope, uint64_t *counts,
		      struct pd_err *err)
{
	struct rpt_fleet_answer answer;
	int rc =
		rpt_fleet_ask(&answer, scope->args, rpt_fleet_sql_slices(scope),
			      RPT_FLEET_SLICES_COLUMNS, err);

	for (size_t c = 0; c < RPT_FLEET_SLICES_COLUMNS && !rc; c++)
		counts[c] = count_at(&answer, c);
	rpt_fleet_answer_release(&answer);
	return rc;
}

/* Look whether slices were loaded twice, or are incomplete. */
static int look_at_slices(struct rpt_fleet_scope *scope, bool *ret_is_partial,
			  struct pd_err *err)
{
	uint64_t counts[RPT_FLEET_SLICES_COLUMNS] = { 0 };
	int rc = ask_slices(scope, counts, err);

	if (!rc && counts[RPT_FLEET_SLICES_TWINS]) {
		scope->has_twins = scope->args->engine == RPT_FLEET_CLICKHOUSE;
		rc = ask_slices(scope, counts, err);
	}
	if (rc)
		return rc;
	if (counts[RPT_FLEET_SLICES_SHORT]) {
		sup_message("%" PRIu64 " of %" PRIu64 " slices lack rows: load "
			    "them again",
			    counts[RPT_FLEET_SLICES_SHORT],
			    counts[RPT_FLEET_SLICES_ALL]);
		*ret_is_partial = true;
	}
	if (counts[RPT_FLEET_SLICES_DAMAGED])
		sup_message("%" PRIu64 " of %" PRIu64 " slices are of damaged "
			    "recordings, of which the whole part counts",
			    counts[RPT_FLEET_SLICES_DAMAGED],
			    counts[RPT_FLEET_SLICES_ALL]);
	return 0;
}

/* Say how many servers are missing. */
static int look_at_servers(const struct rpt_fleet_args *args,
			   bool *ret_is_partial, struct pd_err *err)
{
	static const char sql[] =
		"SELECT count(), (SELECT uniqExact(shard_num) FROM "
		"system.clusters WHERE cluster = 'perfpair') "
		"FROM cluster('perfpair', system.one)\n";
	struct rpt_fleet_answer answer;
	int rc = rpt_fleet_ask(&answer, args,
			       rpt_alloc_text(sql, sizeof(sql) - 1), 2, err);
	uint64_t here = rc ? 0 : count_at(&answer, 0);
	uint64_t all = rc ? 0 : count_at(&answer, 1);

	if (!rc && here < all) {
		sup_message("%" PRIu64 " of %" PRIu64 " servers do not answer: "
			    "their hosts are missing",
			    all - here, all);
		*ret_is_partial = true;
	}
	rpt_fleet_answer_release(&answer);
	return rc;
}

static void print_sql(const struct rpt_fleet_scope *scope, FILE *out)
{
	char *sql = scope->args->question == RPT_FLEET_HOSTS
			    ? rpt_fleet_sql_hosts(scope)
			    : rpt_fleet_sql_rows(scope, false);

	fputs(sql, out);
	free(sql);
}

static int answer(const struct rpt_fleet_scope *scope, FILE *out,
		  struct pd_err *err)
{
	static int (*const questions[])(const struct rpt_fleet_scope *, FILE *,
					struct pd_err *) = {
		[RPT_FLEET_TOP] = rpt_fleet_top,
		[RPT_FLEET_DIFF] = rpt_fleet_diff,
		[RPT_FLEET_TREND] = rpt_fleet_trend,
		[RPT_FLEET_HOSTS] = rpt_fleet_hosts,
	};
	const struct rpt_fleet_args *args = scope->args;

	if (args->format == RPT_FLEET_FOLDED)
		return rpt_fleet_folded(scope, out, err);
	if (args->format == RPT_FLEET_HTML && args->question == RPT_FLEET_TOP)
		return rpt_fleet_page_top(scope, out, err);
	return questions[args->question](scope, out, err);
}

int rpt_fleet_run(const struct rpt_fleet_args *args, FILE *out,
		  bool *ret_is_partial, struct pd_err *err)
{
	struct rpt_fleet_notes notes = { 0 };
	struct rpt_fleet_scope scope = { .args = args };
	int rc = 0;

	*ret_is_partial = false;
	if (args->format == RPT_FLEET_SQL) {
		print_sql(&scope, out);
		return 0;
	}
	if (args->format == RPT_FLEET_HTML) {
		scope.notes = &notes;
		sup_message_listen(rpt_fleet_note, &notes);
	}
	if (args->is_partial)
		rc = look_at_servers(args, ret_is_partial, err);
	if (!rc)
		rc = look_at_slices(&scope, ret_is_partial, err);
	if (!rc)
		rc = answer(&scope, out, err);
	sup_message_listen(NULL, NULL);
	rpt_fleet_notes_release(&notes);
	return rc;
}
