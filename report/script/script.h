/* script.h: records as lines of text, one after the other, in the layout of
 * perf script.
 *
 *	rpt_script_init(&script, &setup, stdout, &err);
 *	rpt_script_record(&script, &rec);	in the order of time
 *	rpt_script_finish(&script);
 *	rpt_script_release(&script);
 *
 * Each thread has a script of its own (script_pool.h); what they share is in
 * struct rpt_script_setup, and names are looked up under names_lock.
 */
#ifndef RPT_SCRIPT_H
#define RPT_SCRIPT_H

#include "report/base/text_out.h"
#include "report/events/sample_reader.h"
#include "report/events/tracepoint.h"
#include "report/profile/user_stack.h"
#include "report/script/script_setup.h"
#include "report/timeline/address_cache.h"

#include <pthread.h>

struct rpt_script_code;
struct rpt_script_json;
struct rpt_script_insns;
struct rpt_script_line_cache;
struct rpt_per_event_dump;

/* Samples and records that could not be printed */
struct rpt_script_counts {
	uint64_t unknown_id_nr; /* samples whose event the file lacks */
	uint64_t damaged_nr;	/* records that could not be read */
	struct pd_err damage;	/* the one of these nearest to the start */
	uint64_t chosen_nr;	/* samples that pass all filters */
};

/* Members from base_ns on depend on the lines before; if a recording needs
 * them, one thread prints all of it. */
struct rpt_script {
	const struct rpt_script_setup *setup;
	struct rpt_tracepoints *tracepoints; /* this thread's; NULL: none */
	struct rpt_unwind *unwind;	     /* this thread's */
	pthread_mutex_t *names_lock; /* NULL: no other thread asks for names */
	const struct pd_event_set *events;
	char **names;  /* owned, one an event */
	char **titles; /* owned; names as they stand in the line */
	struct rpt_sample_reader reader;
	struct rpt_address_cache addresses;
	struct rpt_script_line_cache *line_cache;    /* owned; NULL: none */
	uint64_t unwound[RPT_USER_STACK_FRAMES + 1]; /* room for one chain */
	struct rpt_script_counts counts;
	FILE *out;
	struct rpt_text text;

	uint64_t base_ns;      /* what --reltime, --deltatime count from */
	size_t data_src_width; /* of the longest so far */
	size_t dumped_attr_nr; /* HEADER_ATTR records that -D has passed */
	struct rpt_event_switch event_switch;
	struct rpt_script_json *json;	/* owned; NULL: none yet */
	struct rpt_script_code *code;	/* owned; -F srccode; NULL: none yet */
	struct rpt_script_insns *insns; /* owned; -F insn; NULL: none yet */
	struct rpt_per_event_dump *dumps; /* owned; NULL: all goes to out */
};

/* Initialise the zeroed script, which is large: keep it on the heap.  setup
 * must outlive it.  The caller sets tracepoints, unwind and names_lock
 * afterwards if they are not the setup's.  Return 0, -EINVAL if an event to
 * switch at is not in the file, or why a file could not be opened. */
int rpt_script_init(struct rpt_script *script,
		    const struct rpt_script_setup *setup, FILE *out,
		    struct pd_err *err);
void rpt_script_release(struct rpt_script *script);

/* Write out what is there and, with --per-event-dump, say on out which files
 * were written.  Return 0, or what writing failed with. */
int rpt_script_finish(struct rpt_script *script);

/* Print a record of any type, if it is shown.  Return 0, or what writing failed
 * with. */
int rpt_script_record(struct rpt_script *script, const struct pd_record *rec);

/* Return true if records of that type, other than samples, are shown. */
bool rpt_script_event_is_shown(const bool show[RPT_SHOW_NR], uint32_t type);

#endif
