/* script.h: records as lines of text, one after the other.
 *
 *	rpt_script_init(&script, &conf, out, &err);
 *	rpt_script_record(&script, &rec);	in the order of time
 *	rpt_script_finish(&script);
 *	rpt_script_release(&script);
 *
 * The layout is perf script's.  An address is looked up once per state of its
 * address space; what it prints as is kept.
 */
#ifndef RPT_SCRIPT_H
#define RPT_SCRIPT_H

#include "report/input/dir_source.h"
#include "report/events/filter.h"
#include "report/timeline/guest_ids.h"
#include "report/base/intern.h"
#include "report/events/read_values.h"
#include "report/events/reg_name.h"
#include "report/script/script_code.h"
#include "report/script/script_fields.h"
#include "report/script/script_caches.h"
#include "report/script/script_line_cache.h"
#include "report/script/symbol_text_cache.h"
#include "report/base/text_out.h"
#include "report/timeline/timeline.h"
#include "report/events/tracepoint.h"
#include "report/unwind/unwind.h"
#include "report/profile/user_stack.h"

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
	bool is_stitched;		/* equal samples have other chains */
	bool is_latency;		/* -L: short columns */
	bool hide_inlined;		/* --no-inline */
	bool is_full_path;		/* of sources */
	bool is_kernel_path;		/* of kernel files too */
	const struct rpt_intern *stops; /* functions to end chains at */
	const char *switch_on;		/* events, by name; NULL: none */
	const char *switch_off;
	bool show_switches;
	pthread_mutex_t *names_lock; /* NULL: no other thread asks for names */
	const bool *show;	     /* by enum rpt_show */
	const char *dump_path;	     /* -D: what to call the file; else NULL */
	const struct rpt_dir_source *dump_dir; /* -D: its files, if several */
	bool is_unsorted;    /* of the dump: in the order of the file */
	bool is_report_dump; /* what perf report does not know is "unhandled!"
			      */
	const char *dump_prefix; /* "perf.data": a file an event; else NULL */
	uint32_t max_stack;
	const struct rpt_guest_ids *guests; /* NULL: nobody asks for them */
	const struct rpt_filter *filter;    /* settled */
	uint64_t kept_max_len; /* memory for texts, about; set by the pool */
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
	char **names;  /* owned, one an event */
	char **titles; /* owned: as they stand in the line */
	uint32_t name_width;
	struct rpt_intern lookups;     /* (ip, space, generation, kind) */
	struct rpt_script_text *texts; /* by number of the lookup */
	uint32_t texts_cap;
	struct rpt_arena pool; /* of the texts */
	struct rpt_script_spots spots;
	struct rpt_text_string *string; /* owned; to put texts together */
	uint64_t kept_len;		/* memory that texts and spots take */
	struct rpt_read_values read_values;
	uint64_t unwound[RPT_USER_STACK_FRAMES + 1];
	uint64_t chain_room[RPT_CHAIN_NR];
	struct rpt_task_state whos[RPT_SCRIPT_WHOS_NR];
	struct rpt_script_start starts[RPT_SCRIPT_STARTS_NR];
	struct rpt_script_address_slot places[RPT_SCRIPT_PLACES_NR];
	struct rpt_script_line_cache
		*repeats;      /* owned; NULL: lines must be made */
	uint64_t base_ns;      /* what --reltime, --deltatime count from */
	size_t data_src_width; /* of the longest so far */
	size_t dumped_attr_nr; /* HEADER_ATTR records */
	FILE *out;
	bool is_off;	   /* by switch_on, switch_off */
	bool may_postpone; /* lines that would wait for the kernel's names */
	bool is_postponed; /* this line is one of them, and not to be kept */
	struct rpt_script_code *code;	  /* owned; -F srccode */
	struct rpt_per_event_dump *dumps; /* NULL: all goes to one place */
	uint64_t unknown_id_nr;	    /* samples whose event the file lacks */
	uint64_t damaged_nr;	    /* records that could not be read */
	struct pd_err damage;	    /* that of them nearest to the start */
	struct rpt_text_heap spare; /* of script_batch.c; owned */
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

/* Prints a record of any type, if it is shown.  0, -ENOMEM, or what writing
 * failed with. */
int rpt_script_record(struct rpt_script *script, const struct pd_record *rec);

#endif
