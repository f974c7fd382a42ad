/* script.h: samples as lines of text, one event after the other.
 *
 *	rpt_script_init(&script, &conf, out);
 *	rpt_script_sample(&script, &rec);	in the order of time
 *	rpt_script_release(&script);
 *
 * The layout is perf script's.  An address is looked up once per state of its
 * address space; what it prints as is kept.
 */
#ifndef RPT_SCRIPT_H
#define RPT_SCRIPT_H

#include "report/filter.h"
#include "report/intern.h"
#include "report/read_values.h"
#include "report/reg_name.h"
#include "report/script_fields.h"
#include "report/text_out.h"
#include "report/timeline.h"
#include "report/tracepoint.h"
#include "report/unwind.h"
#include "report/user_stack.h"

struct rpt_script_conf {
	struct pd_reader *reader;
	const struct rpt_timeline *timeline;
	struct rpt_script_fields fields;
	struct rpt_tracepoints *tracepoints; /* NULL: no formats */
	struct rpt_unwind *unwind;	     /* NULL: no stack copies */
	const struct rpt_reg_names *reg_names;
	bool is_ns;	      /* nanoseconds, not microseconds */
	bool is_reltime;      /* times since the first shown */
	bool is_deltatime;    /* times since the one before */
	int64_t tod_shift_ns; /* time of day less time */
	bool hide_chains;
	bool is_latency;		/* -L: short columns */
	bool hide_inlined;		/* --no-inline */
	bool is_full_path;		/* of sources */
	bool is_kernel_path;		/* of kernel files too */
	const struct rpt_intern *stops; /* functions to end chains at */
	const char *switch_on;		/* events, by name; NULL: none */
	const char *switch_off;
	bool show_switches;
	const char *dump_prefix; /* "perf.data": a file an event; else NULL */
	uint32_t max_stack;
	const struct rpt_filter *filter; /* settled */
};

/* What an address prints as */
struct rpt_script_text {
	const char *ptr;
	uint32_t len;
	bool is_stop; /* the last of a chain */
};

struct rpt_script {
	struct rpt_script_conf conf;
	const struct pd_event_set *events;
	char **names; /* owned, one an event */
	uint32_t name_width;
	struct rpt_intern lookups;     /* (ip, space, generation, kind) */
	struct rpt_script_text *texts; /* by number of the lookup */
	uint32_t texts_cap;
	struct rpt_arena pool;
	struct rpt_read_values read_values;
	uint64_t unwound[RPT_USER_STACK_FRAMES + 1];
	uint64_t chain_room[RPT_CHAIN_NR];
	uint64_t base_ns;      /* what --reltime, --deltatime count from */
	size_t data_src_width; /* of the longest so far */
	FILE *out;
	bool is_off;		       /* by switch_on, switch_off */
	struct rpt_event_dumps *dumps; /* NULL: all goes to one place */
	uint64_t unknown_id_nr;	       /* samples whose event the file lacks */
	uint64_t damaged_nr;	       /* samples that could not be read */
	struct pd_err damage;	       /* the first of them */
	struct rpt_text text;
};

/* The script is large: keep it on the heap.  0, -ENOMEM, -EINVAL where an event
 * to switch at is not in the file, or why a file could not be opened. */
int rpt_script_init(struct rpt_script *script,
		    const struct rpt_script_conf *conf, FILE *out,
		    struct pd_err *err);
void rpt_script_release(struct rpt_script *script);

/* Writes out what is there and says on out what files were written.  0, or what
 * writing failed with. */
int rpt_script_finish(struct rpt_script *script);

/* Prints one sample.  0, -ENOMEM, or what writing failed with. */
int rpt_script_sample(struct rpt_script *script, const struct pd_record *rec);

/* What is printed from here on goes to out. */
void rpt_script_to(struct rpt_script *script, FILE *out);

/* script_print.c: the parts of a line */
struct rpt_script_line {
	const struct pd_event *event;
	struct pd_sample sample;
	struct rpt_who who;
	struct rpt_when when;
	uint64_t fields; /* RPT_FIELD_* */
	bool with_chain;
	bool swap;
	uint32_t unwound_nr;  /* of script.unwound */
	uint32_t record_type; /* PD_RECORD_* */
};

/* What stands in front: who, when, which event. */
void rpt_script_print_start(struct rpt_script *script,
			    struct rpt_script_line *line);

int rpt_script_print(struct rpt_script *script, struct rpt_script_line *line);

enum rpt_script_kind {
	RPT_SCRIPT_CHAIN,      /* a whole line of a recorded call chain */
	RPT_SCRIPT_UNWOUND,    /* of one out of a stack copy: perf 6.1 shows
				* inlined functions in those only */
	RPT_SCRIPT_PLACE,      /* " name+0x1 (dso)" */
	RPT_SCRIPT_PASSES,     /* "" where a filter is against it, else "y" */
	RPT_SCRIPT_BRANCH,     /* "1000(dso)" */
	RPT_SCRIPT_BRANCH_SYM, /* "name+0x1", "[unknown](dso)" */
	RPT_SCRIPT_BRANCH_OFF, /* "0x1000", in its file where that is not there
				*/
};

/* script_place.c: NULL: out of memory.  Valid until the next call. */
const struct rpt_script_text *
rpt_script_place(struct rpt_script *script, const struct rpt_script_line *line,
		 enum rpt_script_kind kind, unsigned cpumode, uint64_t ip);
#endif
