/* sched_events.h: a recording as what the scheduler did, in the order of time.
 *
 *	rpt_sched_open(&se, &args);		prints its own errors
 *	rpt_sched_events_read(&se, deliver, ctx);
 *	return rpt_sched_close(&se, rc);	the command's exit code
 *
 * A switch is one of offcpu/switch_events.h: a sample of sched:sched_switch,
 * or, where that was not recorded, of context-switches, whose next task only
 * PERF_RECORD_SWITCH tells.  The other events are read by the fields
 * of their formats in the file; whatever a file lacks never comes.
 */
#ifndef RPT_SCHED_EVENTS_H
#define RPT_SCHED_EVENTS_H

#include "report/cli/recording_input.h"
#include "report/events/filter.h"
#include "report/offcpu/switch_events.h"
#include "report/timeline/address_cache.h"
#include "report/timeline/tasks.h"

/* Options of all commands; their tables fill it by offset. */
struct rpt_sched_args {
	const char *input;
	struct rpt_symbols_conf symbols;
	struct rpt_filter_args filter;
	uint32_t max_ratio;
	bool force;
};

enum rpt_sched_kind {
	RPT_SCHED_SWITCH,  /* task leaves its CPU, to next if that is known */
	RPT_SCHED_IN,	   /* task has the CPU, after a switch without next */
	RPT_SCHED_OUT,	   /* it has none; a SWITCH, if one was recorded, says
			    * the same before */
	RPT_SCHED_WAKING,  /* task wakes woken, as early as that is recorded */
	RPT_SCHED_WAKEUP,  /* woken can run: sched_wakeup, beside WAKING */
	RPT_SCHED_NEW,	   /* woken can run for the first time */
	RPT_SCHED_MIGRATE, /* woken goes from CPU orig to dest */
	RPT_SCHED_RUNTIME, /* task ran for value ns (sched_stat_runtime) */
	RPT_SCHED_LOST,	   /* value records of the CPU were lost */
	RPT_SCHED_FORK,	   /* task is new */
	RPT_SCHED_EXIT,	   /* task ends */
};

/* A task then, as the file names it. */
struct rpt_sched_task {
	struct rpt_task_ref ref;
	const char *comm; /* good until the next event; NULL: not known */
};

struct rpt_sched_event {
	enum rpt_sched_kind kind;
	uint64_t time_ns;
	uint32_t cpu; /* UINT32_MAX: not known */
	struct rpt_sched_task task;
	struct rpt_sched_task next; /* of SWITCH, if has_next */
	const char *next_comm;	    /* in the raw data; NULL: it is not there */
	struct rpt_sched_task woken; /* of wakeups and MIGRATE */
	uint32_t orig, dest;	     /* of MIGRATE */
	/* The kernel's thread ids of task and next, of SWITCH and IN. */
	uint32_t kernel_tid, kernel_next;
	uint64_t value;
	enum rpt_wait_state state; /* of SWITCH and OUT */
	bool has_next;
	bool by_interrupt; /* of wakeups: task only was there */
	/* The sample, with its call chain; NULL: the event is none. */
	const struct rpt_sample *sample;
};

/* Take an event.  Return 0, or a negative errno, which ends everything. */
typedef int rpt_sched_deliver(void *ctx, const struct rpt_sched_event *ev);

struct rpt_sched_source; /* an event of the file, and its fields */

struct rpt_sched_events {
	const struct rpt_sched_args *args;
	struct rpt_recording_input in;
	struct rpt_filter filter;
	struct rpt_symbols *symbols;
	struct rpt_timeline *timeline;
	struct rpt_tracepoints *tracepoints; /* NULL: no formats */
	struct rpt_switch_events switches;
	struct rpt_sample_reader samples;
	struct rpt_address_cache addresses;
	struct rpt_sched_source *sources; /* owned; by event */
	uint32_t cpu_nr; /* that were online, by the header; 0: not known */
	rpt_sched_deliver *deliver;
	void *ctx;
	char comms[3][64]; /* names out of raw data */
};

/* Open a recording that has switches.  args must outlive se, which must not be
 * moved.  Return RPT_EXIT_OK, or what the command ends with. */
int rpt_sched_open(struct rpt_sched_events *se,
		   const struct rpt_sched_args *args);

/* Deliver all events.  Return 0, what deliver returned, or the negative errno
 * of reading, with its message in err. */
int rpt_sched_events_read(struct rpt_sched_events *se,
			  rpt_sched_deliver *deliver, void *ctx,
			  struct pd_err *err);

/* Say what went wrong (rc and err of above), release all, and return the exit
 * code. */
int rpt_sched_close(struct rpt_sched_events *se, int rc, struct pd_err *err);

/* Return whether the file has events of that kind. */
bool rpt_sched_has(const struct rpt_sched_events *se, enum rpt_sched_kind kind);

/* Return what lies at an address of a sample; good until the next call. */
const struct rpt_location *rpt_sched_find(struct rpt_sched_events *se,
					  const struct rpt_sample *sample,
					  unsigned cpumode, uint64_t ip);

/* The rows that each table begins with. */
#define RPT_OPTS_SCHED(off)                                                    \
	RPT_OPT_INPUT((off) + offsetof(struct rpt_sched_args, input)),         \
		RPT_OPT_KALLSYMS((off) + offsetof(struct rpt_sched_args,       \
						  symbols.kallsyms)),          \
		RPT_OPT_VMLINUX((off) + offsetof(struct rpt_sched_args,        \
						 symbols.vmlinux)),            \
		RPT_OPT_SYMFS((off) +                                          \
			      offsetof(struct rpt_sched_args, symbols.symfs)), \
		RPT_OPT_CARRIED((off) + offsetof(struct rpt_sched_args,        \
						 symbols.carried)),            \
		RPT_OPT_MAX_RATIO((off) +                                      \
				  offsetof(struct rpt_sched_args, max_ratio)), \
		RPT_OPT_FORCE((off) + offsetof(struct rpt_sched_args, force))

#endif
