/* script_line_cache.h: lines of `script` printed again, for samples that differ
 * from an earlier one by nothing but the time.  Part of struct rpt_script.
 *
 * Loops of system calls, idle CPUs and spinning threads give such samples one
 * after the other; they need not be decoded, nor their parts looked up.  A
 * line is kept once the same sample came twice in a batch, so that recordings
 * in which none is like the other pay for one comparison.  Without batches
 * (script_pool.h: where lines depend on those before them) none is kept.
 */
#ifndef RPT_SCRIPT_LINE_CACHE_H
#define RPT_SCRIPT_LINE_CACHE_H

#include "format/event_set.h"
#include "report/timeline/address_space.h"

enum {
	RPT_SCRIPT_REPEATS_NR = 16, /* tasks that take turns */
	RPT_SCRIPT_LINE_CACHE_RECORD_LEN = 1024,
	RPT_SCRIPT_LINE_CACHE_TEXT_LEN = 4096,
};

/* Of some tasks: the latest sample of the batch, and a line that is kept. */
struct rpt_script_line_cache {
	const uint8_t *seen; /* its record; NULL: none in this batch */
	uint16_t seen_len;
	uint16_t len; /* of record; 0: no line is kept */
	uint16_t time_off;
	struct rpt_span span; /* when the line prints so */
	uint32_t head_len;    /* of text: what stands before the time */
	uint32_t text_len;
	uint64_t fields;  /* RPT_FIELD_* of the line */
	size_t start;	  /* of a line to be kept, in script->text */
	size_t start_out; /* what had been put out then */
	uint8_t record[RPT_SCRIPT_LINE_CACHE_RECORD_LEN];
	char text[RPT_SCRIPT_LINE_CACHE_TEXT_LEN];
};

struct pd_record;
struct rpt_script;
struct rpt_script_line;

/* What was seen is gone: another batch begins. */
void rpt_script_repeats_begin(struct rpt_script *script);

/* Prints the sample rec by a line that is kept.  False: it is to be decoded and
 * printed; then *ret is where its line is to be kept, NULL: it is not. */
bool rpt_script_line_cache_print(struct rpt_script *script,
				 const struct pd_event *event,
				 const struct pd_record *rec,
				 struct rpt_script_line_cache **ret);

/* Keeps the line of rec that was printed since, if it can be printed so again.
 */
void rpt_script_line_cache_keep(struct rpt_script *script,
				struct rpt_script_line_cache *repeat,
				const struct rpt_script_line *line,
				const struct pd_record *rec);

#endif
