#include "report/diff/diff_load.h"

#include "format/buf.h"
#include "format/feature.h"
#include "format/reader.h"
#include "format/trailer.h"

#include <errno.h>

/* Numbers the words from the first on. */
static int number_words(struct rpt_run *run, struct rpt_labels *labels,
			const struct pd_str_list *argv, size_t first)
{
	struct pd_buf key = PD_BUF_INIT;
	int64_t idx = -ENOMEM;

	for (size_t i = first; i < argv->nr; i++) {
		pd_buf_u64(&key, argv->items[i].len);
		pd_buf_bytes(&key, argv->items[i].ptr, argv->items[i].len);
	}
	if (!pd_buf_status(&key)) /* without arguments there are no data */
		idx = rpt_intern(&labels->commands,
				 key.len ? (const void *)key.data : "",
				 key.len);
	pd_buf_release(&key);
	if (idx < 0)
		return -ENOMEM;
	run->command = (uint32_t)idx + 1;
	return 0;
}

int rpt_run_set_command(struct rpt_run *run, struct rpt_labels *labels,
			const struct pd_reader *reader)
{
	const struct pd_trailer *trailer = pd_reader_trailer(reader);
	struct pd_str_list argv;
	struct pd_cursor c;
	int rc = 0;

	if (!trailer || !trailer->whole_command ||
	    !pd_reader_feature(reader, PD_FEATURE_CMDLINE, &c) ||
	    pd_feature_cmdline_read(&c, &argv))
		return 0;
	/* the number is the place behind the command's name */
	if (trailer->whole_command <= argv.nr)
		rc = number_words(run, labels, &argv, trailer->whole_command);
	pd_str_list_release(&argv);
	return rc;
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

/* What perf's columns and options mean is a share. */
static bool is_free(const struct rpt_diff_args *args)
{
	return args->table.intervals && !args->is_measure_given &&
	       !args->report.is_relative &&
	       args->table.compute <= RPT_COMPUTE_DELTA_ABS;
}

void rpt_diff_choose_measure(struct rpt_diff_args *args,
			     const struct rpt_run *runs, size_t run_nr)
{
	args->workload = work_of(args, runs, run_nr);
	if (is_free(args) && args->workload == RPT_WORKLOAD_SAME)
		args->table.measure = RPT_MEASURE_COUNT;
}
