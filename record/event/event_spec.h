/* event_spec.h: the events of "-e", with their perf_event_attrs.
 *
 * Order of calls of a recorder:
 *	rec_event_list_init(&list)
 *	rec_event_parse(&list, "cycles:u,{a,b}:S", env, err)    per -e
 *	rec_event_filter(&list, "prev_pid > 0", err)            per --filter
 *	rec_event_exclude_pid(&list, getpid(), err)             --exclude-perf
 *	rec_event_default(&list, env, err)                      without any -e
 *	rec_attr_config(&list, ...)                             attr_config.h
 *	... open; on an error rec_event_fallback(), then again
 *	rec_event_list_release(&list)
 *
 * After parsing, an attr holds only what the text says: type, config*, bp_*,
 * exclude_*, precise_ip, pinned, exclusive; rec_attr_config() does the rest.
 *
 * The syntax is that of perf-list(1), "EVENT MODIFIERS" on, and of
 * perf-record(1), "-e"; names are those that perf 6.1 writes for it.
 */
#ifndef REC_EVENT_SPEC_H
#define REC_EVENT_SPEC_H

#include "format/base/err.h"
#include "record/event/event_attr.h"
#include "record/event/event_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The directories that describe the machine; tests use copied trees. */
struct rec_event_env {
	const char *sysfs;   /* "/sys" */
	const char *tracefs; /* NULL: none; see rec_tracefs_find() */
	bool cpu_is_amd;     /* see rec_host_cpu_is_amd() */
	bool vendor_names;   /* of this CPU, by libpfm4, if all else fails */
};

/* Terms of one event that override the options of the command line. */
enum rec_term_bit {
	REC_TERM_PERIOD = 1 << 0,
	REC_TERM_FREQ = 1 << 1,
	REC_TERM_TIME = 1 << 2,
	REC_TERM_CALLCHAIN = 1 << 3,
	REC_TERM_STACK_LEN = 1 << 4,
	REC_TERM_INHERIT = 1 << 5,
	REC_TERM_MAX_STACK = 1 << 6,
	REC_TERM_OVERWRITE = 1 << 7,
	REC_TERM_BRANCH = 1 << 8,
	REC_TERM_NAME = 1 << 9,
};

enum rec_callchain {
	REC_CALLCHAIN_NONE = 0,
	REC_CALLCHAIN_FP,
	REC_CALLCHAIN_DWARF,
	REC_CALLCHAIN_LBR,
};

struct rec_event_terms {
	unsigned set; /* REC_TERM_*: which of these were given */
	uint64_t period;
	uint64_t freq_hz;
	bool time;
	enum rec_callchain callchain;
	uint32_t stack_len; /* of the dwarf stack copy */
	bool inherit;
	uint16_t max_stack;
	bool overwrite;
	uint64_t branch_type; /* PERF_SAMPLE_BRANCH_* */
};

/* Large: each flag is one modifier, or one fact that opening needs. */
struct rec_event {
	union rec_attr attr;
	char *name;	/* owned */
	char *title;	/* owned; rec_event_title(); NULL: name */
	char *pmu_name; /* owned; NULL: a kind that needs no PMU directory */
	char *unit;	/* owned; NULL: none */
	double scale;	/* 1: none */
	char *cpus;	/* owned; the PMU's own CPU list "0-3,8"; NULL: any */
	char *filter;	/* owned; tracepoint filter text or NULL */
	char *cgroup;	/* owned; the control group; NULL: any */
	size_t leader_idx; /* its own index if it leads or is alone */
	size_t member_nr;  /* events of the group it leads, itself included; 0:
			    * another one leads */
	char *group_name;  /* owned; of the leader, "" if it has none */
	struct rec_event_terms terms;
	enum rec_tool tool; /* what stat measures instead of the kernel */
	bool precise_max;   /* :P; precise_ip is tried from 3 down to 0 */
	bool sample_read;   /* :S; the leader alone samples */
	bool weak_group;    /* :W; opened one by one if not as a group */
	bool guest_chosen;  /* H or G was given */
	bool is_tracking;   /* the dummy that rec_attr_config() adds */
	bool is_default;    /* from rec_event_default() */
	bool has_no_rungs;  /* too many descriptors; event_rate.h */
	bool has_leaf;	    /* opened with rec_attr_add_leaf() */
};

struct rec_event_list {
	struct rec_event *events; /* owned */
	size_t nr;
	size_t cap;
	size_t last_first; /* first event of the last rec_event_parse() */
};

void rec_event_list_init(struct rec_event_list *list);
void rec_event_list_release(struct rec_event_list *list);

/* Append the events of one -e.  On error nothing is appended; return -EINVAL
 * for the syntax, -ENOENT for an unknown name (the hint names the nearest),
 * -EACCES if tracefs cannot be read. */
int rec_event_parse(struct rec_event_list *list, const char *text,
		    const struct rec_event_env *env, struct pd_err *err);

/* Return -ENOTSUP if one of them fills AUX areas (Intel PT and the
 * like) or is measured by stat alone. */
int rec_event_refuse_unsampled(const struct rec_event_list *list,
			       struct pd_err *err);

/* --filter: add a filter to all events of the last -e, joined with "&&" to
 * those they have.  Return -EINVAL if one of them is no tracepoint. */
int rec_event_filter(struct rec_event_list *list, const char *filter,
		     struct pd_err *err);

/* --exclude-perf: add "common_pid != PID" to those events. */
int rec_event_exclude_pid(struct rec_event_list *list, uint64_t pid,
			  struct pd_err *err);

/* Append the event to record without -e: cycles, as precise as the machine can;
 * of guests, too, on AMD, where IBS counts them and cannot exclude them. */
int rec_event_default(struct rec_event_list *list,
		      const struct rec_event_env *env, struct pd_err *err);

/* The kernel refused this event with the negative errno rc: change the event to
 * the next thing worth trying and return true, or return false to give up:
 *	precise_max: precise_ip 3, 2, 1, 0
 *	cycles without a PMU (-ENOENT, -ENXIO, -ENODEV): cpu-clock
 *	-EACCES under perf_event_paranoid 2: user space only
 * If the recording changes its meaning, note (may be NULL) gets one line for
 * the user; its code stays 0. */
bool rec_event_fallback(struct rec_event *event, int rc, struct pd_err *note);

/* Append an event that is all zero but for name (copied) and defaults.  Return
 * NULL if memory is short.  The pointer is valid until the next append. */
struct rec_event *rec_event_append(struct rec_event_list *list,
				   const char *name);

/* Drop all events from nr on. */
void rec_event_list_truncate(struct rec_event_list *list, size_t nr);

/* Name a hardware or software event after its attr, as perf does for events
 * that were not typed: "cpu-clock:ppp", "dummy:HG". */
int rec_event_rename(struct rec_event *event);
/* Return true if it counts nothing and has no samples. */
bool rec_event_is_dummy(const struct rec_event *event);

/* The title of an event in a file: its name and, if it counts one control group
 * alone, that: "cpu-clock/cgroup=web/u". */

/* Make the titles once names are final.  Return 0 or -ENOMEM. */
int rec_event_set_titles(struct rec_event_list *list);

/* Return the title; the name if none was made. */
static inline const char *rec_event_title(const struct rec_event *event)
{
	return event->title ? event->title : event->name;
}

#endif
