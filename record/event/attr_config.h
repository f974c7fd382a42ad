/* attr_config.h: apply the options of a recording to the parsed events.
 *
 * rec_attr_config() turns each event's attr into the one that perf 6.1 passes
 * to the kernel for the same command line, and adds the dummy event for mmap,
 * comm and task records if perf adds it.  Deliberate differences are behind the
 * own_* switches; docs/differences.md gives the reasons.  Events are opened in
 * the list's order; pid, cpu and group_fd are set by the code that opens them.
 */
#ifndef REC_ATTR_CONFIG_H
#define REC_ATTR_CONFIG_H

#include "record/event/event_spec.h"

enum rec_target_kind {
	REC_TARGET_COMMAND = 0, /* a command that we start; on exec */
	REC_TARGET_SYSTEM,	/* -a; a command only gives the duration */
	REC_TARGET_CPUS,	/* -C */
	REC_TARGET_PIDS,	/* -p, -u */
	REC_TARGET_TIDS,	/* -t: new threads are not followed */
};

enum { REC_STACK_LEN_DEFAULT = 8192, REC_FREQ_HZ_DEFAULT = 4000 };

/* A three-way switch: perf's default decides if the user did not. */
enum rec_choice { REC_DEFAULT = 0, REC_NO, REC_YES };

/* Large: one member for each option, which the table of options fills by
 * offset; most are switches. */
struct rec_attr_options {
	enum rec_target_kind target;
	bool has_command; /* a workload is started, whatever the target */
	bool per_thread;  /* --per-thread */
	bool to_pipe;	  /* -o -: each attr must carry ids */

	uint64_t freq_hz; /* -F; 0: not given */
	bool freq_max;	  /* -F max */
	bool strict_freq; /* --strict-freq */
	uint64_t period;  /* -c; 0: not given */

	enum rec_choice sample_address; /* -d */
	enum rec_choice sample_time;	/* -T; REC_NO: --no-timestamp */
	enum rec_choice sample_period;	/* -P; REC_NO: --no-period */
	bool data_maps;			/* --data-mmap */
	bool sample_weight;		/* -W */
	bool raw_samples;		/* -R */
	bool inherit_stat;		/* -s */
	bool no_samples;		/* -n */
	bool sample_cpu;		/* --sample-cpu */
	bool sample_identifier;		/* --sample-identifier */
	bool phys_data;			/* --phys-data */
	bool data_page_len;		/* --data-page-size */
	bool code_page_len;		/* --code-page-size */
	bool sample_transaction;	/* --transaction */
	bool running_time;		/* --running-time */

	enum rec_callchain callchain; /* -g, --call-graph */
	uint32_t stack_len;	      /* dwarf; 0: 8192 */
	bool kernel_callchains;	      /* --kernel-callchains */
	bool user_callchains;	      /* --user-callchains */
	uint64_t branch_type;	      /* -b, -j; rec_branch_parse() */
	uint64_t regs_intr;	      /* -I, --intr-regs: mask */
	uint64_t regs_user;	      /* --user-regs: mask */

	bool no_inherit; /* -i */
	bool all_user;	 /* --all-user */
	bool all_kernel; /* --all-kernel */
	bool overwrite;	 /* --overwrite */

	bool use_clockid; /* -k */
	int32_t clockid;

	bool switch_events; /* --switch-events */
	bool namespaces;    /* --namespaces */
	bool all_cgroups;   /* --all-cgroups */
	bool no_buffering;  /* --no-buffering */
	bool no_bpf_event;  /* --no-bpf-event */
	bool buildid_mmap;  /* --buildid-mmap, or if it harms nobody */
	bool is_delayed;    /* -D: events start disabled */
	bool has_control;   /* --control: events may go off and on */

	enum rec_choice leaf_callers; /* --leaf-callers: of chains without a
				       * caller and of switches, too */
	uint64_t own_leaf_hz;	      /* if all events with it together have at
				       * most so many samples a second */
	uint32_t own_watermark_len;   /* wake up once per so many bytes; 0: as
				       * perf */
};

/* The limits of the machine; read once, replaced in tests. */
struct rec_attr_host {
	uint64_t max_sample_hz; /* kernel.perf_event_max_sample_rate; 0: unknown
				 */
	uint16_t max_stack;	/* kernel.perf_event_max_stack */
	const char *machine;	/* uname -m: which user registers there are */
	uint64_t more_regs;	/* of its optional ones, REC_REG_* */
};

/* Change the attrs of list in place; may append the dummy event (which moves
 * list->events). note may be NULL; it gets a line for the user (frequency
 * lowered), its code stays 0.  Return -EINVAL if options exclude each other. */
int rec_attr_config(struct rec_event_list *list,
		    const struct rec_attr_options *opts,
		    const struct rec_attr_host *host, struct pd_err *note,
		    struct pd_err *err);

/* Take has_leaf from events that take more samples a second; from all of them,
 * if they do together.  Context switches, whose rate nothing bounds, do not
 * count and keep it. */
void rec_attr_limit_leaf(struct rec_event_list *list, uint64_t limit_hz);

/* Return the first event whose samples have callchains and which has no
 * has_leaf, switches left out; NULL: none. */
const struct rec_event *rec_attr_lacks_leaf(const struct rec_event_list *list);

/* Read kernel.perf_event_* below procfs ("/proc"). machine must stay valid. */
void rec_attr_host_read(struct rec_attr_host *host, const char *procfs);

/* Parse "fp", "dwarf", "dwarf,16384", "lbr" or "no", with perf's rounding and
 * limit of the stack. */
int rec_callchain_parse(const char *text, enum rec_callchain *ret,
			uint32_t *ret_stack_len, struct pd_err *err);

/* Parse "4096": the dwarf stack copy, rounded up to 8 bytes, at most 65528. */
int rec_stack_len_parse(const char *text, uint32_t *ret, struct pd_err *err);

/* Parse -j "any,u,k" to a mask of PERF_SAMPLE_BRANCH_*. */
int rec_branch_parse(const char *text, uint64_t *ret, struct pd_err *err);

/* Parse -k "mono", "CLOCK_MONOTONIC", "1". */
int rec_clockid_parse(const char *text, int32_t *ret, struct pd_err *err);

/* Parse --intr-regs, --user-regs "ax,bx" of a machine to PERF_REG_* bits. */
int rec_regs_parse(const char *text, const char *machine, uint64_t *ret,
		   struct pd_err *err);

/* The length of SVE's registers, on whose stack frames of arm64 with SVE
 * depend: arch/arm64/include/uapi/asm/perf_regs.h, PERF_REG_ARM64_VG,
 * Linux 6.1. */
#define REC_REG_VG (UINT64_C(1) << 46)

/* Return the user registers that an unwinder of that machine needs; 0: none
 * known. full: those of --call-graph dwarf. */
uint64_t rec_regs_user_mask(const char *machine);
/* Return those which this machine has and others of its kind lack. */
uint64_t rec_regs_own_optional(void);

/* The same for this machine; text NULL: all registers that can be sampled. */
int rec_regs_choose(const char *text, uint64_t *ret, struct pd_err *err);

/* Return the registers without which nothing can be unwound: instruction and
 * stack pointer. */
uint64_t rec_regs_minimum_mask(const char *machine);

/* Return the register that has the return address of a function without a frame
 * record, which a chain of frame pointers lacks; 0: none that is asked for. */
uint64_t rec_regs_link_mask(const char *machine);

/* The parts of rec_attr_config(), and what they share. */

/* The state that is the same for all events. */
struct rec_attr_work {
	const struct rec_attr_options *opts;
	const struct rec_attr_host *host;
	struct rec_event_list *list;
	uint64_t freq_hz; /* 0: opts->period is used */
	bool cpu_target;
	bool per_thread;
	size_t tracking_idx;
};

static inline bool rec_work_is_leader(const struct rec_attr_work *c,
				      const struct rec_event *event)
{
	return event->leader_idx == (size_t)(event - c->list->events);
}

static inline const struct rec_event *
rec_work_leader_of(const struct rec_attr_work *c, const struct rec_event *event)
{
	return &c->list->events[event->leader_idx];
}

static inline bool rec_work_is_tracking(const struct rec_attr_work *c,
					const struct rec_event *event)
{
	return c->tracking_idx == (size_t)(event - c->list->events);
}

/* True if the group's leader alone samples and reads all members. */
static inline bool rec_work_in_read_group(const struct rec_attr_work *c,
					  const struct rec_event *event)
{
	return event->sample_read &&
	       rec_work_leader_of(c, event)->member_nr > 1;
}

#endif
