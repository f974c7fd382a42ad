#include "report/diff/diff_load.h"

#include "report/base/memory.h"
#include "report/base/threads.h"
#include "report/input/file_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A run that is counted in a thread. */
struct loading {
	struct rpt_run *run;
	int rc;
	struct pd_err err; /* with rc */
};

/* Set *ret to the part of --time for file number idx, NULL for all times:
 * "1.0,2.0:5.0,6.0" has the times of one file after the other; without a colon
 * they are for all files.  The caller frees *ret. */
static int times_of(const struct rpt_diff_args *args, size_t idx, char **ret,
		    struct pd_err *err)
{
	const char *text = args->report.filter.times;
	bool is_one = !text || !strchr(text, ':');

	*ret = NULL;
	if (!text)
		return 0;
	for (; !is_one && idx && *text; idx--) {
		text += strcspn(text, ":");
		text += *text == ':';
	}
	if (!is_one && (idx || !*text))
		return pd_err_set(err, -EINVAL,
				  "option --time: there are more files than "
				  "parts between colons");
	*ret = rpt_alloc_text(text, strcspn(text, ":"));
	return 0;
}

/* Return how many threads each of nr files gets: unless the user asked for a
 * number, twice its share, as some files end early. */
static uint32_t jobs_of_each(size_t nr, uint32_t asked)
{
	uint32_t threads = rpt_jobs_threads(asked, SIZE_MAX);

	if (nr == 1)
		return asked;
	if (!asked)
		threads *= 2;
	return threads > nr ? threads / (uint32_t)nr : 1;
}

/* Open the files from number first on, which share the symbols of the first of
 * all.  Return how many could be opened before the first that could not. */
static size_t open_runs(struct loading *loading, size_t nr,
			struct rpt_run *runs, size_t first,
			const struct rpt_diff_args *args)
{
	struct rpt_run_conf conf = {
		.args = args->report,
		.children = args->children,
		.paths = args->call_paths,
		.blocks = args->table.intervals,
		.visitor = args->visitor,
	};

	conf.args.jobs = jobs_of_each(nr, args->report.jobs);
	for (size_t i = 0; i < nr; i++) {
		struct loading *l = &loading[i];

		conf.shared_from = rpt_run_symbols(&runs[0]);
		conf.is_owner_busy = conf.shared_from && !first;
		l->run = &runs[first + i];
		l->err = (struct pd_err)PD_ERR_INIT;
		l->run->path = args->paths[first + i];
		l->rc = times_of(args, first + i, &l->run->times, &l->err);
		if (!l->rc)
			l->rc = rpt_run_open(l->run, &conf, &l->err);
		if (l->rc)
			return i;
	}
	return nr;
}

static int count_run(void *worker, const void *ctx, size_t idx,
		     struct pd_err *err)
{
	struct loading *const *loading = ctx;
	struct loading *l = *loading + idx;

	(void)worker;
	(void)err; /* each has its own */
	l->rc = rpt_run_count(l->run, &l->err);
	return 0;
}

static void count_runs(struct loading *loading, size_t nr, struct pd_err *err)
{
	char workers[RPT_THREADS_MAX]; /* that need nothing */
	struct rpt_jobs jobs = {
		.workers = workers,
		.worker_len = 1,
		.worker_nr = rpt_jobs_threads((uint32_t)nr, nr),
		.nr = nr,
		.fn = count_run,
		.ctx = &loading,
	};

	(void)rpt_jobs_run(&jobs, err);
}

/* Return the first error in the order of the files. */
static int label_runs(struct loading *loading, size_t nr,
		      struct rpt_labels *labels, const char **ret_path,
		      struct pd_err *err)
{
	for (size_t i = 0; i < nr; i++) {
		struct loading *l = &loading[i];
		int rc = l->rc ? l->rc : rpt_run_label(l->run, labels, &l->err);

		if (!rc)
			continue;
		*err = l->err;
		*ret_path = l->run->path;
		return rc;
	}
	return 0;
}

/* Return how many files are counted at once.  Small ones are counted one by
 * one: part of the memory that a file may take does not depend on its length
 * (limits.h). */
static size_t runs_at_once(const struct rpt_diff_args *args)
{
	enum { SMALL_LEN = 1 << 20 };
	struct stat st;

	for (size_t i = 0; i < args->path_nr; i++)
		if (stat(args->paths[i], &st) || !S_ISREG(st.st_mode) ||
		    st.st_size > SMALL_LEN)
			return rpt_jobs_threads(args->report.jobs,
						args->path_nr);
	return 1;
}

static int load_all(struct rpt_run *runs, struct rpt_labels *labels,
		    const struct rpt_diff_args *args, const char **ret_path,
		    struct pd_err *err)
{
	size_t left = args->path_nr;
	size_t at_once = runs_at_once(args);
	int rc = 0;

	for (size_t first = 0; left && !rc; first += at_once) {
		size_t nr = left < at_once ? left : at_once;
		struct loading *loading =
			rpt_alloc_zeroed(nr, sizeof(*loading));

		count_runs(loading, open_runs(loading, nr, runs, first, args),
			   err);
		rc = label_runs(loading, nr, labels, ret_path, err);
		free(loading);
		left -= nr;
	}
	return rc;
}

/* Set labels->modes, by event, to what all runs that have it counted.  Return
 * whether one of them counted more. */
static bool common_modes(const struct rpt_run *runs, size_t run_nr,
			 struct rpt_labels *labels)
{
	bool is_less = false;

	memset(labels->modes, RPT_MODE_BOTH, labels->events.nr);
	for (size_t r = 0; r < run_nr; r++) {
		for (size_t e = 0; e < runs[r].event_nr; e++)
			labels->modes[runs[r].events[e].number] &=
				(uint8_t)rpt_event_modes(
					&runs[r].events[e].attr);
	}
	for (size_t r = 0; r < run_nr; r++) {
		for (size_t e = 0; e < runs[r].event_nr; e++)
			is_less |= labels->modes[runs[r].events[e].number] !=
				   rpt_event_modes(&runs[r].events[e].attr);
	}
	return is_less;
}

/* Return whether no file is a pipe, which can be read once. */
static bool can_read_again(const struct rpt_diff_args *args)
{
	struct stat st;

	for (size_t i = 0; i < args->path_nr; i++) {
		if (stat(args->paths[i], &st) ||
		    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
			return false;
	}
	return true;
}

/* Release runs and labels, except for the modes of events. */
static void forget(struct rpt_run *runs, size_t run_nr,
		   struct rpt_labels *labels)
{
	struct rpt_labels modes = { .modes = labels->modes,
				    .modes_nr = labels->modes_nr };

	while (run_nr) /* the others use symbols of the first */
		rpt_run_release(&runs[--run_nr]);
	labels->modes = NULL;
	rpt_labels_release(labels);
	*labels = modes;
}

/* If one run counted user code alone, the kernel code of another would look as
 * if it were new or gone: all are read again for what they have in common.
 * perf's table has all. */
int rpt_runs_load(struct rpt_run *runs, struct rpt_labels *labels,
		  const struct rpt_diff_args *args, const char **ret_path,
		  struct pd_err *err)
{
	int rc = load_all(runs, labels, args, ret_path, err);

	if (rc || !args->table.intervals)
		return rc;
	labels->modes = rpt_alloc((size_t)labels->events.nr + 1);
	labels->modes_nr = labels->events.nr;
	if (common_modes(runs, args->path_nr, labels) && can_read_again(args)) {
		forget(runs, args->path_nr, labels);
		rc = load_all(runs, labels, args, ret_path, err);
	}
	if (!rc)
		rpt_unnamed_merge(labels, runs, args->path_nr);
	return rc;
}

/* Return whether both files are asked for the same times. */
static bool is_same_part(const struct rpt_diff_args *args, size_t a, size_t b)
{
	char *x = NULL, *y = NULL;
	struct pd_err ignored = PD_ERR_INIT;
	bool is_same = !times_of(args, a, &x, &ignored) &&
		       !times_of(args, b, &y, &ignored) &&
		       ((!x && !y) || (x && y && !strcmp(x, y)));

	free(x);
	free(y);
	return is_same;
}

int rpt_diff_check_duplicates(const struct rpt_diff_args *args,
			      struct pd_err *err)
{
	const char *const *paths = args->paths;
	bool is_tested = args->old_nr > 1 || args->new_nr > 1;

	for (size_t b = 1; b < args->path_nr && is_tested; b++) {
		for (size_t a = 0; a < b; a++) {
			if (!is_same_part(args, a, b) ||
			    !rpt_is_same_recording(paths[a], paths[b]))
				continue;
			pd_err_set(err, -EINVAL,
				   "%s and %s are the same recording", paths[a],
				   paths[b]);
			pd_err_hint(err, "each of several runs has to be one "
					 "of its own");
			return -EINVAL;
		}
	}
	return 0;
}

static enum rpt_workload work_of(const struct rpt_diff_args *args,
				 const struct rpt_run *runs, size_t run_nr)
{
	if (args->report.filter.times)
		return RPT_WORKLOAD_PART;
	for (size_t r = 0; r < run_nr; r++) {
		if (!runs[r].command || runs[r].is_damaged)
			return RPT_WORKLOAD_UNKNOWN;
	}
	for (size_t r = 1; r < run_nr; r++) {
		if (runs[r].command != runs[0].command)
			return RPT_WORKLOAD_DIFFERENT;
	}
	return RPT_WORKLOAD_SAME;
}

/* Return whether the measure may be chosen: perf's options compare shares. */
static bool is_free(const struct rpt_diff_args *args)
{
	return args->table.intervals && !args->is_measure_given &&
	       !args->report.rows.is_relative &&
	       args->table.compute <= RPT_COMPUTE_DELTA_ABS;
}

void rpt_diff_choose_measure(struct rpt_diff_args *args,
			     const struct rpt_run *runs, size_t run_nr)
{
	args->workload = work_of(args, runs, run_nr);
	if (is_free(args) && args->workload == RPT_WORKLOAD_SAME)
		args->table.measure = RPT_MEASURE_COUNT;
}
