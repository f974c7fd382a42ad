/* stat_args.h: the command line of perfpair-record stat.
 *
 * As for recording (record/cmdline/args.h), the parser and --help come from one
 * table (stat_args.c), and long and short names are those of perf stat.
 */
#ifndef REC_STAT_ARGS_H
#define REC_STAT_ARGS_H

#include "record/event/event_spec.h"
#include "record/metric/metric.h"
#include "record/stat/stat_groups.h"
#include "record/targets/target.h"

enum { REC_STAT_METRIC_MAX = 64 };

/* Large: one member for each option, which the table fills by offset. */
struct rec_stat_args {
	struct rec_target_spec target; /* strings out of argv */
	struct rec_event_env env;      /* env.tracefs is owned */
	struct rec_event_list events;  /* owned */
	struct rec_metric_host host;
	const struct rec_metric *metrics[REC_STAT_METRIC_MAX]; /* -M */
	size_t metric_nr;
	size_t cgroup_nr;	 /* names given with -G */
	const char *each_cgroup; /* --for-each-cgroup */
	bool group;		 /* -g */
	bool null_run;		 /* -n */
	unsigned detail_nr;	 /* -d */
	bool all_user;
	bool all_kernel;
	bool no_inherit;
	bool scale;

	enum rec_stat_mode mode;
	bool no_merge; /* what is always done */
	bool no_aggr, per_core, per_die, per_socket, per_node, per_thread;

	uint32_t repeat_nr; /* -r; 0: for ever, if repeats */
	bool repeats;
	bool table;
	uint32_t interval_ms; /* -I; 0: none */
	uint32_t interval_nr; /* --interval-count; 0: no limit */
	bool interval_clear;
	bool summary;
	bool no_csv_summary;
	uint32_t timeout_ms; /* --timeout; 0: none */
	uint32_t delay_ms;   /* -D */
	bool starts_off;     /* -D -1: a control command enables the events */
	const char *control;
	const char *pre, *post;
	bool sync;

	const char *sep; /* -x */
	bool json;
	bool json_details;
	bool big_num;
	bool quiet;
	bool metric_only;
	const char *output;
	bool append;
	int log_fd; /* -1: none */
	unsigned verbose_nr;

	bool records;	   /* stat record: -o is a perf.data file */
	bool reports;	   /* stat report: of the file input */
	const char *input; /* NULL: perf.data */
	int argc;	   /* of the whole command line */
	char **argv;

	char *title;	       /* owned; what is counted */
	const char *note;      /* for the user; NULL: none */
	char *const *workload; /* argv of the command; NULL: none */
	bool counts_workload;  /* it is the target */
};

/* Fill args; argv is borrowed.  Return -EINVAL and the like with the option
 * named in err, or 1 if --help was given. */
int rec_stat_args_parse(struct rec_stat_args *args, int argc, char **argv,
			struct pd_err *err);
void rec_stat_args_release(struct rec_stat_args *args);

/* Return the mode that an option names, else other. */
enum rec_stat_mode rec_stat_args_mode(const struct rec_stat_args *args,
				      enum rec_stat_mode other);

#endif
