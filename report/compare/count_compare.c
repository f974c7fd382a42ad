#include "report/compare/count_compare.h"

#include "format/support/message.h"
#include "report/base/json_text.h"
#include "report/base/memory.h"
#include "format/support/safe_text.h"
#include "report/cli/command_options.h"
#include "report/stats/t_test.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A change of the mean count of an event by more than chance.
 *
 * The 95 % interval of the difference of two means by Welch's t, in percent of
 * the old mean (the old mean's own error is not part of it), and the event's
 * mark: the p value among those of all events, at a false discovery rate of 5 %
 * (t_test.h).  Counts that are the same number in each run have no scatter; if
 * both sides are such, any difference is one. */

struct count_change {
	double old_mean, new_mean; /* NaN: the side was not counted */
	double pct;		   /* of old_mean; NaN: it is 0, or no number */
	double low_pct, high_pct;  /* NaN: a side has less than two runs */
	double p;		   /* NaN: likewise */
	double error_pct, df;	   /* of the difference; NaN: likewise */
	double drift_pct;	   /* that the gate allows for */
	bool is_significant;
};

#define ERROR_RATE 0.05

/* The advice if are_blocks(). */
#define BLOCKS                                                                \
	"runs were one block a side, and machines drift; stat --append adds " \
	"runs in turn"

/* How much a count may differ between two blocks of runs of the same program
 * (docs/diff.md, "Blocks"). */
#define BLOCK_DRIFT_PCT 50.0

/* Return whether all runs of one side began before those of the other: what the
 * machine did meanwhile then differs, too. */
static bool are_blocks(const struct rpt_count_table *table)
{
	const struct rpt_count_span *old = &table->spans[RPT_COUNT_OLD];
	const struct rpt_count_span *new = &table->spans[RPT_COUNT_NEW];

	return old->first_s && new->first_s &&
	       (old->last_s < new->first_s || new->last_s < old->first_s);
}

/* Return whether a count depends on what else the machine does: what the
 * program executes in user space does not. */
static bool can_drift(const struct rpt_count_row *row)
{
	return !strstr(row->name, "instructions:u") &&
	       !strstr(row->name, "branches:u");
}

struct mean {
	double mean;
	double variance; /* of the mean */
	double df;
};

static struct mean mean_of(const struct rpt_count_runs *runs)
{
	struct mean ret = { .mean = NAN, .variance = NAN };
	double sum = 0, squares = 0;

	for (uint32_t i = 0; i < runs->nr; i++)
		sum += runs->values[i];
	if (!runs->nr)
		return ret;
	ret.mean = sum / runs->nr;
	ret.df = runs->nr - 1.0;
	if (runs->nr < 2)
		return ret;
	for (uint32_t i = 0; i < runs->nr; i++) {
		double d = runs->values[i] - ret.mean;

		squares += d * d;
	}
	ret.variance = squares / ret.df / runs->nr;
	return ret;
}

static struct count_change change_of(const struct rpt_count_row *row)
{
	struct mean old = mean_of(&row->sides[RPT_COUNT_OLD]);
	struct mean new = mean_of(&row->sides[RPT_COUNT_NEW]);
	double variance = old.variance + new.variance;
	double difference = new.mean - old.mean;
	double scale = old.mean != 0 ? 100 / fabs(old.mean) : NAN;
	double error = 0;
	struct count_change ret = {
		.old_mean = old.mean,
		.new_mean = new.mean,
		.pct = difference *scale,
		.low_pct = NAN,
		.high_pct = NAN,
		.p = NAN,
		.error_pct = NAN,
	};

	if (!isfinite(variance))
		return ret;
	if (variance > 0) {
		ret.df = rpt_welch_df(old.variance, old.df, new.variance,
				      new.df);
		error = rpt_t_test_critical(ERROR_RATE, ret.df) *
			sqrt(variance);
		ret.p = rpt_t_test_two_sided(fabs(difference) / sqrt(variance),
					     ret.df);
	} else {
		ret.p = difference != 0 ? 0 : 1;
	}
	ret.error_pct = sqrt(variance) * scale;
	ret.low_pct = (difference - error) * scale;
	ret.high_pct = (difference + error) * scale;
	return ret;
}

/* Compute the change of each row; ret has room for all.  Return how many are
 * significant. */
static size_t count_changes(const struct rpt_count_table *table,
			    struct count_change *ret)
{
	uint32_t nr = rpt_count_table_nr(table);
	double *p = rpt_alloc(2 * sizeof(*p) * (nr + (size_t)1));
	bool *marks = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*marks));
	size_t significant_nr = 0;

	for (uint32_t i = 0; i < nr; i++) {
		ret[i] = change_of(&table->rows[i]);
		if (are_blocks(table) && can_drift(&table->rows[i])) {
			ret[i].p = NAN;
			ret[i].drift_pct = BLOCK_DRIFT_PCT;
		}
		p[i] = ret[i].p;
	}
	rpt_benjamini_hochberg(p, nr, ERROR_RATE, p + nr, marks);
	for (uint32_t i = 0; i < nr; i++) {
		ret[i].is_significant = marks[i];
		significant_nr += marks[i];
	}
	free(marks);
	free(p);
	return significant_nr;
}

enum { VALUE_WIDTH = 15, INTERVAL_WIDTH = 20 };

static const char *const side_names[] = { "old", "new" };

/* Print a mean: whole numbers up to 2^53, or six digits. */
static void print_mean(FILE *out, double mean)
{
	if (isnan(mean))
		fprintf(out, "%*s", VALUE_WIDTH, "<not counted>");
	else if (fabs(mean) >= 1e4)
		fprintf(out, "%*.0f", VALUE_WIDTH, mean);
	else
		fprintf(out, "%*.6g", VALUE_WIDTH, mean);
}

static void print_row(FILE *out, const struct rpt_count_row *row,
		      const struct count_change *change)
{
	char interval[64] = "-", pct[32] = "-";

	if (isfinite(change->pct))
		snprintf(pct, sizeof(pct), "%+.2f%%", change->pct);
	if (isfinite(change->low_pct))
		snprintf(interval, sizeof(interval), "[%+.2f%%, %+.2f%%]",
			 change->low_pct, change->high_pct);
	print_mean(out, change->old_mean);
	fputc(' ', out);
	print_mean(out, change->new_mean);
	fprintf(out, "  %10s  %*s  %c  ", pct, INTERVAL_WIDTH, interval,
		change->is_significant ? '*' : ' ');
	sup_put_safe_text(out, row->name);
	if (*row->unit) {
		fputs(" (", out);
		sup_put_safe_text(out, row->unit);
		fputc(')', out);
	}
	fputc('\n', out);
}

static void print_drift(FILE *out, const struct rpt_count_row *row, int side)
{
	const struct rpt_count_runs *runs = &row->sides[side];

	if (!runs->has_drift)
		return;
	fprintf(out, "# %s: ", side_names[side]);
	sup_put_safe_text(out, row->name);
	fprintf(out,
		" drifts by %+.2f%% from the first half of the runs to the "
		"last: the interval does not hold that\n",
		runs->drift_pct);
}

static uint32_t most_runs(const struct rpt_count_table *table, int side)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < rpt_count_table_nr(table); i++)
		if (table->rows[i].sides[side].nr > most)
			most = table->rows[i].sides[side].nr;
	return most;
}

static void print_text(FILE *out, const struct rpt_count_table *table,
		       const struct count_change *changes,
		       size_t significant_nr)
{
	uint32_t nr = rpt_count_table_nr(table);
	uint32_t old_nr = most_runs(table, RPT_COUNT_OLD);
	uint32_t new_nr = most_runs(table, RPT_COUNT_NEW);

	fprintf(out, "# Runs: %u old, %u new. ", old_nr, new_nr);
	if (old_nr < 2 || new_nr < 2)
		fputs("One run does not tell a change from chance: count with "
		      "-r 5.\n#\n",
		      out);
	else
		fprintf(out,
			"%zu of %u counts changed by more than chance.\n#\n",
			significant_nr, nr);
	if (are_blocks(table) && old_nr > 1 && new_nr > 1)
		fputs("# Counts that can drift have no mark: " BLOCKS ".\n#\n",
		      out);
	fprintf(out, "#%*s %*s  %10s  %*s  *  %s\n", VALUE_WIDTH - 1,
		"Old mean", VALUE_WIDTH, "New mean", "Change", INTERVAL_WIDTH,
		"95% interval", "Event");
	for (uint32_t i = 0; i < nr; i++)
		print_row(out, &table->rows[i], &changes[i]);
	for (uint32_t i = 0; i < nr; i++)
		for (int side = 0; side < RPT_COUNT_SIDES; side++)
			print_drift(out, &table->rows[i], side);
}

static void put_side(struct rpt_json *json, const struct rpt_count_runs *runs,
		     const char *side, double mean)
{
	rpt_json_key(json, side);
	rpt_json_open(json, '{');
	rpt_json_member_number(json, "mean", mean);
	rpt_json_key(json, "runs");
	rpt_json_open(json, '[');
	for (uint32_t i = 0; i < runs->nr; i++)
		rpt_json_number(json, runs->values[i]);
	rpt_json_close(json, ']');
	if (runs->has_drift)
		rpt_json_member_number(json, "drift_pct", runs->drift_pct);
	rpt_json_close(json, '}');
}

/* Print an object a line, as stat -j does. */
static void print_json(FILE *out, const struct rpt_count_table *table,
		       const struct count_change *changes)
{
	struct rpt_text *text = rpt_alloc(sizeof(*text));

	rpt_text_init(text, out);
	for (uint32_t i = 0; i < rpt_count_table_nr(table); i++) {
		const struct rpt_count_row *row = &table->rows[i];
		const struct count_change *change = &changes[i];
		struct rpt_json json = RPT_JSON_INIT(text, "");

		rpt_json_open(&json, '{');
		rpt_json_member_str(&json, "event", row->name);
		rpt_json_member_str(&json, "unit", row->unit);
		put_side(&json, &row->sides[RPT_COUNT_OLD], "old",
			 change->old_mean);
		put_side(&json, &row->sides[RPT_COUNT_NEW], "new",
			 change->new_mean);
		rpt_json_member_number(&json, "change_pct", change->pct);
		rpt_json_member_number(&json, "low_pct", change->low_pct);
		rpt_json_member_number(&json, "high_pct", change->high_pct);
		rpt_json_member_number(&json, "p", change->p);
		rpt_json_member_bool(&json, "significant",
				     change->is_significant);
		rpt_json_close(&json, '}');
		rpt_text_char(text, '\n');
	}
	rpt_text_flush(text);
	free(text);
}

/* Return the p value of a change above the limit. */
static double p_above(const struct count_change *change, double limit_pct)
{
	double above = change->pct - change->drift_pct - limit_pct;

	if (isnan(above) || isnan(change->error_pct))
		return NAN;
	if (above <= 0)
		return 1;
	return change->error_pct > 0
		       ? rpt_t_test_two_sided(above / change->error_pct,
					      change->df)
		       : 0;
}

/* Answer for a count: it is worse if that holds after correction for their
 * number.  Of all but the first, which stands for what a run costs, those that
 * did not grow by more than chance decide nothing: some always have intervals
 * that are wide. */
static enum rpt_gate_answer answer_of(const struct count_change *change,
				      bool is_first, bool is_worse,
				      double limit_pct)
{
	if (is_worse)
		return RPT_GATE_WORSE;
	if (!is_first && !(change->is_significant && change->pct > 0))
		return RPT_GATE_NOT_WORSE;
	return rpt_gate_answer(change->low_pct - change->drift_pct,
			       change->high_pct + change->drift_pct,
			       limit_pct) == RPT_GATE_NOT_WORSE
		       ? RPT_GATE_NOT_WORSE
		       : RPT_GATE_UNDECIDED;
}

static void note(const struct rpt_count_row *row,
		 const struct count_change *change, enum rpt_gate_answer answer,
		 double limit_pct, struct rpt_gate_result *ret)
{
	double nr = fmin(row->sides[RPT_COUNT_OLD].nr,
			 row->sides[RPT_COUNT_NEW].nr);
	char *name = NULL;
	size_t len;
	FILE *out = open_memstream(&name, &len);
	struct rpt_gate_finding finding = {
		.answer = answer,
		.pct = change->pct,
		.low_pct = change->low_pct - change->drift_pct,
		.high_pct = change->high_pct + change->drift_pct,
		.advice = change->drift_pct > 0 ? BLOCKS : NULL,
		.more = rpt_gate_more_runs(fabs(change->pct - limit_pct),
					   change->error_pct, change->df, nr),
	};

	sup_put_safe_text(out, row->name);
	fclose(out);
	finding.what = name;
	rpt_gate_note(ret, &finding);
	if (answer == RPT_GATE_WORSE)
		sup_message("%s grew by %.2f%% [%+.2f%%, %+.2f%%], more than "
			    "%g%%",
			    name, change->pct, change->low_pct,
			    change->high_pct, limit_pct);
	free(name);
}

/* Judge all counts, and name those that grew by more than limit_pct. */
static void judge(const struct rpt_count_table *table,
		  const struct count_change *changes, double limit_pct,
		  struct rpt_gate_result *ret)
{
	uint32_t nr = rpt_count_table_nr(table);
	double *p = rpt_alloc(2 * sizeof(*p) * (nr + (size_t)1));
	bool *marks = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*marks));

	for (uint32_t i = 0; i < nr; i++)
		p[i] = p_above(&changes[i], limit_pct);
	rpt_benjamini_hochberg(p, nr, ERROR_RATE, p + nr, marks);
	for (uint32_t i = 0; i < nr; i++)
		note(&table->rows[i], &changes[i],
		     answer_of(&changes[i], !i, marks[i], limit_pct), limit_pct,
		     ret);
	free(marks);
	free(p);
}

int rpt_compare_run(const struct rpt_compare_args *args, FILE *out,
		    struct rpt_gate_result *ret, const char **ret_path,
		    struct pd_err *err)
{
	struct rpt_count_table table = { .cap = 0 };
	struct count_change *changes;
	size_t significant_nr;
	int rc = 0;

	*ret = (struct rpt_gate_result)RPT_GATE_RESULT_INIT;
	for (int side = 0; side < RPT_COUNT_SIDES && !rc; side++) {
		*ret_path = args->paths[side];
		rc = rpt_count_table_read(&table, args->paths[side],
					  (enum rpt_count_side)side, err);
	}
	if (rc) {
		rpt_count_table_release(&table);
		return rc;
	}
	changes = rpt_alloc_zeroed(rpt_count_table_nr(&table) + (size_t)1,
				   sizeof(*changes));
	significant_nr = count_changes(&table, changes);
	if (args->is_json)
		print_json(out, &table, changes);
	else
		print_text(out, &table, changes, significant_nr);
	if (args->gate.limit_pct >= 0)
		judge(&table, changes, args->gate.limit_pct, ret);
	free(changes);
	rpt_count_table_release(&table);
	return 0;
}

#define ARGS(field) offsetof(struct rpt_compare_args, field)

static const struct sup_opt opts[] = {
	RPT_OPT_FLAG(0, "compare", ARGS(is_compare), 0,
		     "compare the counts of two files that stat -r N -j -o "
		     "FILE has written"),
	RPT_OPT_FLAG('j', "json-output", ARGS(is_json), 0,
		     "print one JSON object a line"),
	RPT_OPTS_GATE(ARGS(gate),
		      "exit with 4 if a count surely grew by more than "
		      "PERCENT, with 0 if the first one surely did not, and "
		      "else with 5; stderr names it"),
	{ 0 },
};

const struct sup_command rpt_compare_command = {
	.name = "perfpair stat",
	.usage = "--compare [OPTION]... OLD NEW",
	.summary = "Show which counts changed by more than chance.",
	.opts = opts,
};

int rpt_compare_args_parse(struct rpt_compare_args *args, int argc, char **argv,
			   struct pd_err *err)
{
	int first, rc;

	*args = (struct rpt_compare_args){ .gate = RPT_GATE_NONE };
	rc = sup_options_parse(&rpt_compare_command, args, argc, argv, &first,
			       err);
	if (rc)
		return rc;
	if (argc - first != RPT_COUNT_SIDES)
		return pd_err_set(err, -EINVAL,
				  "--compare needs two files: OLD NEW");
	args->paths[RPT_COUNT_OLD] = argv[first];
	args->paths[RPT_COUNT_NEW] = argv[first + 1];
	return 0;
}
