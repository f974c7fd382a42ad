#include "report/diff/diff_load.h"

#include "report/base/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Runs that are counted at once. */
struct wave {
	struct rpt_run *runs;
	const char *const *paths;
	char **times; /* of each, of --time; owned */
	int *rcs;     /* of each, with ... */
	struct pd_err *errs;
	size_t nr;
	size_t good_nr; /* runs that could be opened, before the first that
			 * could not */
};

static void wave_release(struct wave *wave)
{
	for (size_t i = 0; wave->times && i < wave->nr; i++)
		free(wave->times[i]);
	free(wave->times);
	free(wave->rcs);
	free(wave->errs);
}

static int wave_init(struct wave *wave, struct rpt_run *runs, size_t nr,
		     struct pd_err *err)
{
	*wave = (struct wave){
		.runs = runs,
		.times = calloc(nr, sizeof(*wave->times)),
		.rcs = calloc(nr, sizeof(*wave->rcs)),
		.errs = calloc(nr, sizeof(*wave->errs)),
		.nr = nr,
	};
	if (wave->times && wave->rcs && wave->errs)
		return 0;
	return pd_err_set(err, -ENOMEM, "out of memory");
}

int rpt_run_times_of(const struct rpt_diff_args *args, size_t idx, char **ret,
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
	*ret = strndup(text, strcspn(text, ":"));
	return *ret ? 0 : pd_err_set(err, -ENOMEM, "out of memory");
}

/* Files of one length would do with their share of the threads; where they are
 * not, some threads end early: each file may have twice as many, unless their
 * number was asked for. */
static uint32_t jobs_of_each(const struct wave *wave, uint32_t asked)
{
	uint32_t threads = rpt_jobs_threads(asked, SIZE_MAX);
	uint32_t nr = (uint32_t)wave->nr;

	if (nr == 1)
		return asked;
	if (!asked)
		threads *= 2;
	return threads > nr ? threads / nr : 1;
}

static int open_run(struct wave *wave, size_t idx,
		    const struct rpt_run_conf *conf, struct pd_err *err)
{
	struct rpt_run_conf own = *conf;

	own.args.input = wave->paths[idx];
	own.args.filter.times = wave->times[idx];
	return rpt_run_open(&wave->runs[idx], &own, err);
}

/* The first one of all lends its symbols to the others. */
static int wave_open(struct wave *wave, const struct rpt_run *lender,
		     size_t first, const struct rpt_diff_args *args)
{
	struct rpt_run_conf conf = {
		.args = args->report,
		.children = args->children,
		.paths = args->call_paths,
		.blocks = args->table.intervals,
	};
	int rc = 0;

	wave->paths = &args->paths[first];
	conf.args.jobs = jobs_of_each(wave, args->report.jobs);
	for (size_t i = 0; i < wave->nr && !rc; i++) {
		conf.lender = rpt_run_symbols(lender);
		conf.is_lender_busy = conf.lender && !first;
		wave->errs[i] = (struct pd_err)PD_ERR_INIT;
		rc = rpt_run_times_of(args, first + i, &wave->times[i],
				      &wave->errs[i]);
		if (!rc)
			rc = open_run(wave, i, &conf, &wave->errs[i]);
		wave->rcs[i] = rc;
		wave->good_nr += !rc;
	}
	return rc;
}

static int count_beside(void *worker, const void *ctx, size_t idx,
			struct pd_err *err)
{
	const struct wave *wave = ctx;

	(void)worker;
	(void)err; /* each has its own */
	wave->rcs[idx] = rpt_run_count(&wave->runs[idx], &wave->errs[idx]);
	return 0;
}

static void wave_count(struct wave *wave, struct pd_err *err)
{
	char workers[RPT_THREADS_MAX]; /* that need nothing */
	struct rpt_jobs jobs = {
		.workers = workers,
		.worker_len = 1,
		.worker_nr = rpt_jobs_threads((uint32_t)wave->good_nr,
					      wave->good_nr),
		.nr = wave->good_nr,
		.fn = count_beside,
		.ctx = wave,
	};

	(void)rpt_jobs_run(&jobs, err);
}

/* The first error in the order of the files, at whatever step it came. */
static int wave_label(struct wave *wave, struct rpt_labels *labels,
		      const char **ret_path, struct pd_err *err)
{
	for (size_t i = 0; i < wave->nr; i++) {
		int rc = wave->rcs[i];

		if (!rc)
			rc = rpt_run_label(&wave->runs[i], labels,
					   &wave->errs[i]);
		if (!rc)
			continue;
		if (rc == -ENOMEM)
			pd_err_set(&wave->errs[i], rc, "out of memory");
		*err = wave->errs[i];
		*ret_path = wave->paths[i];
		return rc;
	}
	return 0;
}

/* What a file may take in memory has a part that does not hang on its length
 * (limits.h): small ones, which are counted soon, do not take it all at once.
 */
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
		struct wave wave;
		size_t nr = left < at_once ? left : at_once;

		rc = wave_init(&wave, &runs[first], nr, err);
		if (!rc) {
			wave_open(&wave, &runs[0], first, args);
			wave_count(&wave, err);
			rc = wave_label(&wave, labels, ret_path, err);
		}
		wave_release(&wave);
		left -= nr;
	}
	return rc;
}

/* What of each event all runs that have it counted; returns whether that is
 * less than one of them did. */
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

/* A pipe can be read once. */
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

/* Labels of nothing but what is compared of events. */
static void forget(struct rpt_run *runs, size_t run_nr,
		   struct rpt_labels *labels)
{
	struct rpt_labels kept = { .modes = labels->modes,
				   .modes_nr = labels->modes_nr };

	while (run_nr) /* the first one lends to the others */
		rpt_run_release(&runs[--run_nr]);
	labels->modes = NULL;
	rpt_labels_release(labels);
	*labels = kept;
}

/* Where one run counted user code alone, the kernel code of another would look
 * as if it had come or gone: all are read again for what they have in common.
 * perf's table is of all there is. */
int rpt_runs_load(struct rpt_run *runs, struct rpt_labels *labels,
		  const struct rpt_diff_args *args, const char **ret_path,
		  struct pd_err *err)
{
	int rc = load_all(runs, labels, args, ret_path, err);

	if (rc || !args->table.intervals)
		return rc;
	labels->modes = malloc(labels->events.nr + 1);
	if (!labels->modes)
		return pd_err_set(err, -ENOMEM, "out of memory");
	labels->modes_nr = labels->events.nr;
	if (common_modes(runs, args->path_nr, labels) && can_read_again(args)) {
		forget(runs, args->path_nr, labels);
		rc = load_all(runs, labels, args, ret_path, err);
	}
	if (!rc)
		rpt_unnamed_merge(labels, runs, args->path_nr);
	return rc;
}

int rpt_rerun_open(struct rpt_rerun *rerun, size_t idx,
		   const struct rpt_diff_args *args, struct rpt_symbols *lender,
		   struct pd_err *err)
{
	struct rpt_run_conf conf = { .args = args->report, .lender = lender };
	int rc;

	*rerun = (struct rpt_rerun){ .times = NULL };
	rc = rpt_run_times_of(args, idx, &rerun->times, err);
	if (rc)
		return rc;
	conf.args.input = args->paths[idx];
	conf.args.filter.times = rerun->times;
	rc = rpt_run_open(&rerun->run, &conf, err);
	return rc ? rc : rpt_run_count(&rerun->run, err);
}

void rpt_rerun_close(struct rpt_rerun *rerun)
{
	rpt_run_release(&rerun->run);
	free(rerun->times);
	rerun->times = NULL;
}
