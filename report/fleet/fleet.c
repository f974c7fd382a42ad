#include "report/fleet/fleet.h"

#include "format/support/message.h"
#include "report/base/memory.h"
#include "report/fleet/fleet_client.h"
#include "report/fleet/fleet_impl.h"
#include "report/fleet/fleet_load.h"

#include <stdlib.h>
#include <string.h>

void rpt_fleet_note(void *notes, const char *text)
{
	struct rpt_fleet_notes *to = notes;

	to->texts = rpt_grow(to->texts, &to->cap, to->nr, sizeof(*to->texts));
	to->texts[to->nr++] = rpt_alloc_text(text, strlen(text));
}

static void fleet_notes_release(struct rpt_fleet_notes *notes)
{
	for (uint32_t i = 0; i < notes->nr; i++)
		free(notes->texts[i]);
	free(notes->texts);
	*notes = (struct rpt_fleet_notes){ 0 };
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
	double here = rpt_fleet_sum(&answer, 0),
	       all = rpt_fleet_sum(&answer, 1);

	if (!rc && here < all) {
		sup_message("%.0f of %.0f servers do not answer: their hosts "
			    "are missing",
			    all - here, all);
		*ret_is_partial = true;
	}
	rpt_fleet_answer_release(&answer);
	return rc;
}

/* Say how many samples count for no function. */
static int look_at_stacks(const struct rpt_fleet_scope *scope,
			  bool *ret_is_partial, struct pd_err *err)
{
	struct rpt_fleet_answer answer;
	int rc = rpt_fleet_ask(&answer, scope->args,
			       rpt_fleet_sql_missing(scope), 1, err);
	double nr = rpt_fleet_sum(&answer, 0);

	if (!rc && nr > 0.0) {
		sup_message("%.0f samples are of stacks that were not loaded, "
			    "and count for no function: load what export "
			    "--stacks has written",
			    nr);
		*ret_is_partial = true;
	}
	rpt_fleet_answer_release(&answer);
	return rc;
}

static void print_sql(const struct rpt_fleet_scope *scope, FILE *out)
{
	char *sql = scope->args->question == RPT_FLEET_HOSTS
			    ? rpt_fleet_sql_slices(scope)
			    : rpt_fleet_sql_rows(scope, false);

	fputs(sql, out);
	free(sql);
}

/* Return whether the answer has functions and no stacks: who prints these says
 * what they lack. */
static bool has_functions(const struct rpt_fleet_args *args)
{
	return args->question != RPT_FLEET_HOSTS &&
	       args->format != RPT_FLEET_FOLDED &&
	       args->format != RPT_FLEET_HTML;
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
	struct rpt_fleet_answer slices = { .text = NULL };
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
		rc = rpt_fleet_slices_look(&slices, &scope, ret_is_partial,
					   err);
	if (!rc && args->children && has_functions(args))
		rc = look_at_stacks(&scope, ret_is_partial, err);
	if (!rc)
		rc = answer(&scope, out, err);
	sup_message_listen(NULL, NULL);
	fleet_notes_release(&notes);
	rpt_fleet_answer_release(&slices);
	return rc;
}
