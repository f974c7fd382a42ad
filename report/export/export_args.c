#include "report/export/export_args.h"

#include "report/base/memory.h"
#include "report/cli/command_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)

static struct rpt_rows_args *rows_of(void *conf)
{
	return &((struct rpt_report_args *)conf)->out.rows;
}

static int parse_form(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "tsv", RPT_ROWS_TSV },
		{ "rowbinary", RPT_ROWS_ROWBINARY },
		{ NULL, 0 },
	};

	(void)unset;
	return rpt_option_word("--rows", words, arg, &rows_of(conf)->form, err);
}

static int parse_bin(void *conf, const char *arg, bool unset,
		     struct pd_err *err)
{
	uint64_t ns = 0;

	(void)unset;
	if (sup_parse_duration(arg, &ns) || ns < NS_PER_S || ns % NS_PER_S ||
	    ns / NS_PER_S > 86400)
		return pd_err_set(err, -EINVAL,
				  "option --time-bin: '%s' is not a number of "
				  "whole seconds, at most a day: 60s",
				  arg);
	rows_of(conf)->bin_ns = ns;
	return 0;
}

static int parse_stacks(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	(void)unset;
	(void)err;
	rows_of(conf)->stacks_path = arg;
	return 0;
}

/* Labels stand in one text, a line each, so that nothing in them may end a
 * line. */
static bool is_label(const char *arg)
{
	const char *sep = strchr(arg, '=');

	if (!sep || sep == arg)
		return false;
	for (; *arg; arg++)
		if ((unsigned char)*arg < ' ' || *arg == '\x7f')
			return false;
	return true;
}

static int parse_label(void *conf, const char *arg, bool unset,
		       struct pd_err *err)
{
	struct rpt_rows_args *rows = rows_of(conf);

	(void)unset;
	if (!is_label(arg))
		return pd_err_set(err, -EINVAL,
				  "option --label: '%s' is not NAME=VALUE, "
				  "without control characters",
				  arg);
	rows->labels = rpt_realloc_array(rows->labels, rows->label_nr + 1,
					 sizeof(*rows->labels));
	rows->labels[rows->label_nr++] = arg;
	return 0;
}

const struct sup_opt rpt_rows_opts[] = {
	RPT_OPT_CALL(0, "rows", "tsv|rowbinary",
		     "of --format rows: write them so (tsv)", parse_form),
	RPT_OPT_CALL(0, "stacks", "FILE",
		     "of --format rows: write the table of stacks to FILE; "
		     "that of samples is the output",
		     parse_stacks),
	RPT_OPT_CALL(0, "label", "NAME=VALUE",
		     "of --format rows: what all samples have: run, host, "
		     "release, service, pod and container have columns of "
		     "their own; may be given several times",
		     parse_label),
	RPT_OPT_CALL(0, "time-bin", "TIME",
		     "of --format rows: add up samples in TIME (60s)",
		     parse_bin),
	{ 0 },
};

const char *rpt_rows_label(const struct rpt_rows_args *args, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = args->label_nr; i-- > 0;)
		if (!strncmp(args->labels[i], name, len) &&
		    args->labels[i][len] == '=')
			return args->labels[i] + len + 1;
	return NULL;
}

int rpt_rows_check(struct rpt_report_args *args, struct pd_err *err)
{
	args->out.labels |= RPT_LABEL_CGROUP | RPT_LABEL_HOST;
	if (args->out.labels & (unsigned)(RPT_LABEL_PROCESS | RPT_LABEL_PID |
					  RPT_LABEL_TID | RPT_LABEL_CPU))
		return pd_err_set(err, -EINVAL,
				  "--format rows: samples of many hosts are "
				  "not told apart by process, pid, tid or cpu");
	return 0;
}
