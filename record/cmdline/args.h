/* args.h: the command line of perfpair-record.
 *
 * The parser, --help, the man page and the shells' completion come from one
 * table in args.c; long and short names are those of perf record if perf has
 * the option.  Events and their filters are parsed in order, because --filter
 * applies to the -e before it.
 *
 * --config FILE, the first option, has options for a service:
 *
 *	# comments, and lines without anything, do nothing
 *	all-cpus
 *	freq = 49
 *	switch-output = 60s
 *
 * A line is an option's long name without its dashes, and its value behind "="
 * if it takes one.  Blanks around both are left out; there are no quotes.  The
 * options of the command line come behind those of the file, so that they win;
 * events (event = ...) add up.
 */
#ifndef REC_ARGS_H
#define REC_ARGS_H

#include "format/support/options.h"
#include "record/cmdline/delay.h"
#include "record/cmdline/switch_output_spec.h"
#include "record/event/attr_config.h"
#include "record/ring/affinity.h"
#include "record/targets/target.h"

/* Texts that are printed instead of recording. */
enum rec_asked {
	REC_ASKED_NOTHING,
	REC_ASKED_VERSION,
	REC_ASKED_LIST,
};

/* Large: one member for each option, which the table fills by offset. */
struct rec_args {
	struct rec_attr_options attr;
	struct rec_target_spec target; /* strings out of argv */
	struct rec_event_env env;      /* env.tracefs is owned */
	struct rec_event_list events;  /* owned */

	const char *output;  /* -o; NULL: perf.data, or a pipe on stdout */
	uint64_t ring_len;   /* -m in bytes */
	const char *threads; /* --threads; NULL: by number of CPUs */
	uint64_t spill_len;  /* --spill-size; UINT64_MAX: by CPUs and memory */
	enum rec_affinity_mode affinity;
	unsigned priority;	   /* -r; 0: none */
	bool no_boost;		   /* --no-boost */
	double cpu_limit_pct;	   /* --budget cpu=, --cpu-limit; 0: none */
	uint64_t disk_limit_len;   /* --budget disk=, an hour; 0: none */
	uint64_t memory_limit_len; /* --budget memory=; 0: none */
	const char *metrics;	   /* --metrics; NULL: none */
	int level;		   /* -z: zstd's; 0: plain */
	unsigned synth;		   /* REC_SYNTH_* */
	uint64_t duration_ns;	   /* --duration; 0: none */
	uint64_t tracepoint_hz;	   /* --tracepoint-rate; 0: each is recorded */
	struct rec_switch_output_spec switch_output; /* --switch-output */
	struct rec_event_list switch_events; /* owned; they end a file */
	uint32_t switch_max_files;	     /* 0: no limit */
	uint32_t max_files;		     /* in their folder; 0: no limit */
	uint64_t max_files_len;		     /* of all; 0: no limit */
	uint64_t max_files_age_ns;	     /* 0: no limit */
	uint64_t keep_free_len;		     /* --keep-free; 0: none */
	unsigned keep_free_pct;		     /* of the disk, that at most */
	const char *on_slice;		     /* NULL: none */
	uint64_t on_slice_ns;		     /* --on-slice-time */
	bool timestamp_filename;
	bool tail_synthesize;
	bool timestamp_boundary;    /* SAMPLE_TIME, as we always write it */
	size_t cgroup_nr;	    /* names given with -G */
	const char *each_cgroup;    /* --for-each-cgroup */
	uint64_t flush_interval_ns; /* --flush-interval */
	bool sync;		    /* --sync */
	bool holds_tasks;	    /* --sideband=sampled */
	uint64_t max_len;	    /* --max-size; 0: none */
	uint64_t max_samples;	    /* over all events; UINT64_MAX: none */
	unsigned carry;		    /* --carry: REC_CARRY_*; 0: none */
	uint64_t carry_len;	    /* --carry-size */
	uint64_t carry_ns;	    /* --carry-time */
	const char *carry_file;	    /* --carry-file; NULL: none */
	const char *carry_index;    /* --carry-index; NULL: none */
	struct rec_delay delay;	    /* -D */
	const char *control;	    /* --control; NULL: none */
	bool no_buildid;	    /* -B */
	bool buildid_all;	    /* --buildid-all */
	bool no_buildid_cache;	    /* -N: as always */
	bool dry_run;		    /* --dry-run */
	bool quiet;
	unsigned verbose_nr;

	enum rec_asked asked;
	const char *list_word; /* --list=WORD, or --list WORD */

	/* A message if one of several targets was chosen; NULL: none. */
	const char *target_note;
	bool off_cpu;		  /* --off-cpu */
	const char *off_cpu_note; /* what it records instead; NULL: as asked */

	char *const *workload; /* argv of the command; NULL: none */
	int argc;	       /* all of it, for the CMDLINE feature */
	char **argv;

	const char *config;  /* --config; NULL: none */
	bool reload;	     /* --reload */
	char **config_words; /* owned, as the texts */
	size_t config_nr;
};

enum { REC_LEVEL_DEFAULT = 1 };

/* Options that exclude each other. */
struct rec_option_check {
	bool is_wrong;
	const char *text, *hint;
};

/* Return -EINVAL, with err set, for the first one that is wrong. */
int rec_option_checks_run(const struct rec_option_check *checks, size_t nr,
			  struct pd_err *err);

extern const struct sup_command rec_command;

/* Fill args; argv is borrowed.  Return -EINVAL and the like with the option
 * named in err, or 1 if something else was asked for: args->asked, --help if
 * that is REC_ASKED_NOTHING. */
int rec_args_parse(struct rec_args *args, int argc, char **argv,
		   struct pd_err *err);
void rec_args_release(struct rec_args *args);

/* Return whether the options can be taken anew while it records: there is a
 * file of options, no command that was started, and no --control fd:N, which
 * would be closed. */
bool rec_args_can_reload(const struct rec_args *args);

/* Return --tracepoint-rate, or 0 if all events have a period of the user's. */
static inline uint64_t rec_args_tracepoint_hz(const struct rec_args *args)
{
	return args->attr.period ? 0 : args->tracepoint_hz;
}

/* Return whether rates may have to be lowered. */
static inline bool rec_args_has_budget(const struct rec_args *args)
{
	return args->cpu_limit_pct > 0 || args->disk_limit_len;
}

#endif
