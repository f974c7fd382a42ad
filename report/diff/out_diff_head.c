#include "report/diff/out_diff.h"

#include <math.h>

const char *rpt_measure_name(const struct rpt_diff_args *args, char *buf,
			     size_t len)
{
	static const char *const names[RPT_MEASURES] = {
		[RPT_MEASURE_SHARE] = "share of all",
		[RPT_MEASURE_WALL] = "events per second of wall time",
		[RPT_MEASURE_CPU] = "events per second of CPU time",
		[RPT_MEASURE_COUNT] = "number of events",
	};
	/* --measure latency, elapsed */
	static const char *const of_time[] = {
		"parts of the elapsed time in which something ran",
		"parts of the elapsed time",
	};
	const char *time = args->report.switches.latency
				   ? of_time[args->report.switches.waits]
				   : NULL;

	if (args->table.measure == RPT_MEASURE_UNIT)
		snprintf(buf, len, "%s per unit of work (%s)",
			 time ? time : "events", args->unit);
	else
		snprintf(buf, len, "%s",
			 time ? time : names[args->table.measure]);
	return buf;
}

static const char *plural(size_t nr)
{
	return nr == 1 ? "" : "s";
}

/* Begin a line about a change, with the side if there are several. */
static void begin_change(const struct rpt_diff_table *table, size_t side,
			 FILE *out)
{
	if (table->side_nr > 2)
		fprintf(out, "# [%zu] ", side);
	else
		fputs("# ", out);
}

void rpt_diff_print_side(FILE *out, size_t side_nr, size_t side)
{
	if (side_nr == 2)
		fputs(side ? "# New" : "# Old", out);
	else
		fprintf(out, "# [%zu]", side);
}

static const char *run_name(const struct rpt_diff_args *args)
{
	return args->run_name ? args->run_name : "run";
}

/* Print ": old.data (2.1 s)" or ": a.data ... c.data (3 runs, 6.3 s)". */
static void print_files(const struct rpt_diff_args *args,
			const struct rpt_side *side, FILE *out)
{
	const struct rpt_run *last = side->runs[side->run_nr - 1];
	double wall_s = 0.0;

	for (size_t r = 0; r < side->run_nr; r++)
		wall_s += side->runs[r]->wall_s;
	fprintf(out, ": %s", side->runs[0]->path);
	if (side->run_nr > 1)
		fprintf(out, " ... %s (%zu %ss", last->path, side->run_nr,
			run_name(args));
	if (wall_s > 0.0)
		fprintf(out, "%s%.1f s", side->run_nr > 1 ? ", " : " (",
			wall_s);
	fputs(side->run_nr > 1 || wall_s > 0.0 ? ")\n" : "\n", out);
}

/* Return whether each sample of a run is in exactly one row. */
static bool adds_up(const struct rpt_diff_args *args)
{
	const struct rpt_filter_args *filter = &args->report.filter;

	return !args->children && !args->call_paths &&
	       !args->table.baseline_only && !filter->comms && !filter->dsos &&
	       !filter->symbols && !filter->pids && !filter->tids;
}

/* Print whether costs or only shares can be compared, and why. */
static void print_work(const struct rpt_diff_args *args, FILE *out)
{
	static const char *const reasons[] = {
		[RPT_WORKLOAD_UNKNOWN] =
			("not all files are known to be of one "
			 "command\n"
			 "# from its start to a successful end"),
		[RPT_WORKLOAD_PART] = "--time takes parts of what was done",
		[RPT_WORKLOAD_DIFFERENT] =
			"the arguments of the commands differ",
	};

	if (args->is_measure_given)
		return;
	if (args->table.measure == RPT_MEASURE_COUNT)
		fprintf(out,
			"# Each run is of one command with the same arguments, "
			"from start to end, so what a run\n"
			"# cost is compared%s.\n%s",
			adds_up(args) ? "; the rows' changes add up to the "
					"run's"
				      : "",
			args->report.switches.latency
				? ""
				: "# If the command does not do a given work, "
				  "but runs for a given time: --measure "
				  "share.\n");
	else if (args->workload != RPT_WORKLOAD_SAME)
		fprintf(out,
			"# Only shares can be compared: %s.\n"
			"# A row's share changes with what the other rows "
			"cost, too.%s\n",
			reasons[args->workload],
			args->report.switches.latency
				? ""
				: " If both sides did the same work,\n"
				  "# --measure count compares its cost; if "
				  "not, but you know how much each did, --per "
				  "NAME=OLD:NEW.");
}

static void print_method(const struct rpt_diff_args *args,
			 const struct rpt_side *sides, FILE *out)
{
	size_t old_nr = sides[0].run_nr, new_nr = sides[1].run_nr;
	size_t pair_nr = sides[0].pair_nr;

	if (args->table.is_between && 2 * pair_nr == old_nr + new_nr) {
		fprintf(out,
			"# 95%% intervals from how much the change differs "
			"between the %zu %ss, which ran both.\n",
			pair_nr, run_name(args));
		return;
	}
	if (args->table.is_between) {
		fprintf(out,
			"# 95%% intervals from the scatter of %zu old and %zu "
			"new %ss%s.\n",
			old_nr, new_nr, run_name(args),
			args->children ? "" : ", of a row and of rows like it");
		if (args->unmarked)
			fputs("# No row is marked: " RPT_DIFF_BLOCKS ".\n",
			      out);
		if (pair_nr)
			fprintf(out,
				"# %zu %ss ran both: each is compared with "
				"itself.\n",
				pair_nr, run_name(args));
		return;
	}
	fputs("# 95% intervals from the scatter within each run (blocks of "
	      "time).\n",
	      out);
	if (!args->table.is_tested)
		fputs("# With one run on a side nobody can know how much runs "
		      "differ from each other: that is\n"
		      "# not in the intervals, and no row is marked. Three a "
		      "side can tell changes from\n"
		      "# chance: --old A B C --new D E F.\n",
		      out);
}

/* The least and the greatest value of the runs. */
struct range {
	double low;
	double high;
};

static void widen(struct range *range, double value)
{
	range->low = fmin(range->low, value);
	range->high = fmax(range->high, value);
}

/* Print by which name rows have the side's program, if it is another one. */
static void print_alias(const struct rpt_diff_args *args,
			const struct rpt_run *run, size_t side, FILE *out)
{
	if (!run->alias)
		return;
	rpt_diff_print_side(out, args->side_nr, side);
	fprintf(out,
		": the program %s is in the rows of the old side's, whose name "
		"is another.\n",
		run->alias);
}

/* Print how the runs differ, and what that means for the comparison. */
static void print_differences(const struct rpt_diff_args *args,
			      const struct rpt_side *sides, FILE *out)
{
	struct range wall = { INFINITY, -INFINITY }, cpus = wall, lost = wall,
		     lock = wall;
	enum rpt_measure measure = args->table.measure;

	for (size_t s = 0; s < args->side_nr; s++) {
		print_alias(args, sides[s].runs[0], s, out);
		for (size_t r = 0; r < sides[s].run_nr; r++) {
			const struct rpt_run *run = sides[s].runs[r];

			widen(&wall, run->wall_s);
			widen(&cpus, run->cpu_nr);
			widen(&lost, 100.0 * run->lost_share);
			widen(&lock, 100.0 * run->lock_reach);
		}
	}
	if (wall.high - wall.low > 0.1 * wall.high &&
	    measure == RPT_MEASURE_COUNT && args->workload != RPT_WORKLOAD_SAME)
		fprintf(out,
			"# The runs took %.1f to %.1f s: counts grow with "
			"that; --measure wall does not.\n",
			wall.low, wall.high);
	if (cpus.high > cpus.low)
		fprintf(out, "# The machines have %.0f to %.0f CPUs%s.\n",
			cpus.low, cpus.high,
			measure == RPT_MEASURE_SHARE
				? "; shares do not depend on it"
				: "");
	if (!args->table.is_between && wall.low <= 0.0)
		fputs("# Times of samples are not known in each file: there, "
		      "they are taken to be\n"
		      "# independent, and the intervals may be too narrow.\n",
		      out);
	if (lost.high > 0.0)
		fprintf(out,
			"# Up to %.2f%% of a run's samples were lost; the "
			"intervals allow for them.\n",
			lost.high);
	if (lock.high > 0.0)
		fprintf(out,
			"# A clock keeps step with a task: shares can be off by "
			"%.0f points; the intervals allow for it.\n",
			ceil(lock.high));
}

void rpt_diff_print_head(const struct rpt_diff_args *args,
			 const struct rpt_side *sides, FILE *out)
{
	char name[96];

	fprintf(out, "# Compared: %s%s. ",
		rpt_measure_name(args, name, sizeof(name)),
		args->children ? ", callees included" : "");
	fprintf(out, "%zu %s%s.\n", args->path_nr,
		args->run_name ? args->run_name : "file",
		plural(args->path_nr));
	for (size_t s = 0; s < 2 && args->side_nr == 2; s++) {
		rpt_diff_print_side(out, 2, s);
		print_files(args, &sides[s], out);
	}
	print_work(args, out);
	print_method(args, sides, out);
	if (args->table.is_tested)
		fputs("# *: significant after correction for the number of "
		      "rows (false discovery rate 5%).\n",
		      out);
	print_differences(args, sides, out);
	fputs("#\n", out);
}

/* Return the mean of a side's runs. */
static double mean_period(const struct rpt_diff_table *table, size_t side)
{
	const struct rpt_side_event *it = &table->sides[side];

	return it->total.period / (double)it->side->run_nr;
}

/* Return what the event counts ns of: "CPU time"; NULL if it counts no time. */
static const char *time_of(const struct rpt_side_event *side)
{
	const struct rpt_run_event *event = rpt_side_first_event(side);

	if (event && event->is_elapsed)
		return "elapsed time";
	return event && event->is_clock ? "CPU time" : NULL;
}

static void print_total(const struct rpt_diff_table *table, size_t side,
			FILE *out)
{
	const struct rpt_side_event *it = &table->sides[side];
	double period = it->total.period;

	fprintf(out, "%.0f sample%s, ", it->total.nr,
		plural((size_t)it->total.nr));
	if (time_of(it))
		fprintf(out, "%.3f s of %s", period / 1e9, time_of(it));
	else
		fprintf(out, "%.5g events", period);
}

/* Return the exponent of the unit, a power of 1000. */
static size_t unit_idx(const struct rpt_diff_table *table)
{
	double most = 0.0;
	size_t idx = 0;

	for (size_t i = 0; i < table->row_nr * table->side_nr; i++)
		most = fmax(most, table->cells[i].estimate.value);
	for (; idx < 3 && most >= 1e4; idx++)
		most /= 1e3;
	return idx;
}

double rpt_diff_unit(const struct rpt_diff_table *table)
{
	return pow(1e3, (double)unit_idx(table));
}

/* Print "ms of CPU time" or "millions of cycles". */
static void print_unit_name(const struct rpt_diff_table *table, FILE *out)
{
	static const struct {
		const char *of_time;
		const char *of_events;
	} names[] = {
		{ "ns", "" },
		{ "us", "thousands of " },
		{ "ms", "millions of " },
		{ "s", "billions of " },
	};
	const char *time = time_of(&table->sides[0]);
	size_t idx = unit_idx(table);

	if (time)
		fprintf(out, "%s of %s", names[idx].of_time, time);
	else
		fprintf(out, "%s%s", names[idx].of_events, table->event_name);
}

/* Print the unit of values that are not shares. */
static void print_unit(const struct rpt_diff_table *table, FILE *out)
{
	static const char *const per[RPT_MEASURES] = {
		[RPT_MEASURE_WALL] = " per second of wall time",
		[RPT_MEASURE_CPU] = " per second of CPU time",
		[RPT_MEASURE_COUNT] = " a run",
		[RPT_MEASURE_UNIT] = " per unit of work",
	};
	enum rpt_measure measure = table->conf.measure;

	if (measure == RPT_MEASURE_SHARE)
		return;
	fputs("# Numbers are ", out);
	print_unit_name(table, out);
	fprintf(out, "%s.\n", per[measure]);
}

/* Put by how much a row, or all together, may change unseen, in percent of all.
 */
static void put_missed(const struct rpt_diff_table *table, size_t side,
		       double widest, FILE *out)
{
	struct rpt_change total =
		rpt_measure_change(&table->sides[0], &table->sides[side]);

	fprintf(out, "changes below about %.2g%% of all",
		100.0 * widest / rpt_side_total(&table->sides[0]));
	if (!isnan(total.low))
		fprintf(out, " in a row, and %.2g%% in all together,",
			50.0 * (total.high - total.low));
	fputs(" may well be missed", out);
}

void rpt_diff_put_verdict(const struct rpt_diff_table *table, size_t side,
			  bool with_missed, FILE *out)
{
	size_t nr = 0;
	double widest = 0.0; /* interval, half of it */

	for (size_t r = 0; r < table->row_nr; r++) {
		const struct rpt_change *change =
			&rpt_diff_table_cell(table, r, side)->change;

		nr += change->is_significant;
		widest = fmax(widest, (change->high - change->low) / 2.0);
	}
	if (nr)
		fprintf(out, "%zu", nr);
	else
		fputs("None", out);
	fprintf(out, " of %zu rows changed by more than chance", table->row_nr);
	if ((!nr || with_missed) && table->row_nr &&
	    rpt_side_total(&table->sides[0]) > 0.0) {
		fputs("; ", out);
		put_missed(table, side, widest, out);
	}
	fputc('.', out);
}

static void print_verdict(const struct rpt_diff_table *table, size_t side,
			  FILE *out)
{
	if (!table->conf.is_tested)
		return;
	begin_change(table, side, out);
	rpt_diff_put_verdict(table, side, false, out);
	fputc('\n', out);
}

/* Print the change relative to the old mean, and its interval if known. */
static void print_total_change(const struct rpt_diff_table *table, size_t side,
			       FILE *out)
{
	const struct rpt_side_event *new = &table->sides[side];
	struct rpt_change change = rpt_total_change(&table->sides[0], new);
	double scale = 100.0 / mean_period(table, 0);

	fprintf(out, " (%+.1f%%%s", scale * change.delta,
		new->side->run_nr > 1 &&
				table->conf.measure != RPT_MEASURE_COUNT
			? " a run"
			: "");
	if (!isnan(change.low))
		fprintf(out, ", 95%% interval [%+.1f%%, %+.1f%%]",
			scale * change.low, scale * change.high);
	fputc(')', out);
}

void rpt_diff_put_cost(const struct rpt_diff_table *table, size_t side,
		       FILE *out)
{
	const struct rpt_side_event *old = &table->sides[0];
	double before = mean_period(table, 0), now = mean_period(table, side);

	if (time_of(old))
		fprintf(out, "A run cost %.3f s of %s, and now costs %.3f s",
			before / 1e9, time_of(old), now / 1e9);
	else
		fprintf(out, "A run cost %.5g events, and now costs %.5g",
			before, now);
	if (before > 0.0)
		print_total_change(table, side, out);
	fputc('.', out);
}

void rpt_diff_print_totals(const struct rpt_diff_table *table, FILE *out)
{
	bool is_cost = table->conf.measure == RPT_MEASURE_COUNT;

	for (size_t s = 1; s < table->side_nr && is_cost; s++) {
		begin_change(table, s, out);
		rpt_diff_put_cost(table, s, out);
		fputc('\n', out);
	}
	for (size_t s = 0; s < table->side_nr; s++) {
		rpt_diff_print_side(out, table->side_nr, s);
		fputs(table->side_nr == 2 ? ": " : " ", out);
		print_total(table, s, out);
		if (s && !is_cost && mean_period(table, 0) > 0.0)
			print_total_change(table, s, out);
		fputc('\n', out);
	}
	for (size_t s = 1; s < table->side_nr; s++)
		print_verdict(table, s, out);
	print_unit(table, out);
	fputs("#\n", out);
}
