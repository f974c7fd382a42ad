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

#include <pthread.h>

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
	pthread_mutex_t *names_lock; /* NULL: no other thread asks for names */
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

/* Small tables of what was asked last, by the low bits of what it is about. */
enum {
	RPT_SCRIPT_WHOS_NR = 256,
	RPT_SCRIPT_STARTS_NR = 256,
	RPT_SCRIPT_PLACES_NR = 8192,
	RPT_SCRIPT_START_LEN = 64,
};

/* The text in front of a line, and what it depends on; without padding. */
struct rpt_script_start_key {
	uint64_t comm;
	uint64_t fields;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint32_t named_tid; /* where comm is 0 */
	uint64_t with_chain;
};

struct rpt_script_start {
	struct rpt_script_start_key key;
	size_t len; /* 0: free */
	char text[RPT_SCRIPT_START_LEN];
};

/* An address and all that its text depends on; without padding. */
struct rpt_script_place_key {
	uint64_t ip;
	uint64_t space;
	uint64_t fields;
	uint32_t generation;
	uint16_t kind;
	uint16_t cpumode;
};

struct rpt_script_place_slot {
	struct rpt_script_place_key key;
	uint64_t text_nr; /* the text's number + 1; 0: free */
};

struct rpt_script {
	struct rpt_script_conf conf;
	const struct pd_event_set *events;
	char **names;  /* owned, one an event */
	char **titles; /* owned: as they stand in the line */
	uint32_t name_width;
	struct rpt_intern lookups;     /* (ip, space, generation, kind) */
	struct rpt_script_text *texts; /* by number of the lookup */
	uint32_t texts_cap;
	struct rpt_arena pool;
	struct rpt_read_values read_values;
	uint64_t unwound[RPT_USER_STACK_FRAMES + 1];
	uint64_t chain_room[RPT_CHAIN_NR];
	struct rpt_who_span whos[RPT_SCRIPT_WHOS_NR];
	struct rpt_script_start starts[RPT_SCRIPT_STARTS_NR];
	struct rpt_script_place_slot places[RPT_SCRIPT_PLACES_NR];
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

/* Around every question for names and maps: symbols.h has no lock. */
void rpt_script_lock(const struct rpt_script *script);
void rpt_script_unlock(const struct rpt_script *script);

/* script_print.c: the parts of a line */
struct rpt_script_line {
	const struct pd_event *event;
	struct pd_sample sample;
	struct rpt_who who;
	const char *comm; /* of who; NULL: none */
	struct rpt_when when;
	/* of the task's and of the kernel's space, where is_placed */
	uint32_t space_generation;
	uint32_t kernel_generation;
	bool is_placed;
	uint64_t fields; /* RPT_FIELD_* */
	bool with_chain;
	bool swap;
	uint32_t unwound_nr;  /* of script.unwound */
	uint32_t record_type; /* PD_RECORD_* */
};

/* Fills in who and comm, as of line->when. */
void rpt_script_find_who(struct rpt_script *script,
			 struct rpt_script_line *line, uint32_t pid,
			 uint32_t tid);
/* Fills in event, fields and with_chain. */
void rpt_script_describe(const struct rpt_script *script,
			 struct rpt_script_line *line,
			 const struct pd_event *event);

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
const struct rpt_script_text *rpt_script_place(struct rpt_script *script,
					       struct rpt_script_line *line,
					       enum rpt_script_kind kind,
					       unsigned cpumode, uint64_t ip);
#endif
