/* sample_reader.h: decodes sample records and finds their context: the event,
 * the time, and the task that ran.
 *
 *	rpt_sample_reader_init(&reader, &conf);
 *	for each record of type PD_RECORD_SAMPLE:
 *		if (rpt_sample_reader_read(&reader, &rec, &sample, NULL))
 *			continue;
 *		for (size_t i = 0;
 *		     rpt_sample_reader_next(&reader, &sample, &i);)
 *			... sample.event, sample.fields.period ...
 *	rpt_sample_reader_release(&reader);
 *
 * One thread uses a reader.  It caches the states of the tasks that ran last,
 * and remembers the last value of every counter (PERF_SAMPLE_READ), whose
 * increase is a sample's period.
 */
#ifndef RPT_SAMPLE_READER_H
#define RPT_SAMPLE_READER_H

#include "format/reader/reader.h"
#include "report/base/intern.h"
#include "report/events/event_switch.h"
#include "report/events/filter.h"
#include "report/timeline/lbr_stitch.h"

struct rpt_leaf_caller;

/* How many states of tasks are cached, by tid. */
#define RPT_RECENT_TASKS_NR 256u

struct rpt_sample_reader_conf {
	const struct pd_event_set *events;
	const struct rpt_timeline *timeline;
	/* Join parts of call chains that stand in other records, and the
	 * callers of leaves (leaf_caller.h). */
	bool with_chains;
	/* Both decide on rpt_sample.is_shown.  NULL: all are shown. */
	const struct rpt_filter *filter;
	const struct rpt_event_switch *event_switch;
};

/* Good until the next sample is read. */
struct rpt_sample {
	struct pd_sample fields; /* without a task pid and tid are ~0 */
	/* with_chains: what was unwound, from its mark on; it stands right
	 * behind fields.callchain, which has the rest */
	struct pd_u64s unwound;
	/* likewise: in fields.callchain, of the callers of a leaf that were not
	 * recorded there */
	size_t leaf_idx;
	size_t leaf_nr;
	const struct pd_event *event;
	const struct pd_record *rec;
	struct rpt_timestamp when;
	const struct rpt_task_state *task;
	uint64_t second; /* a number to add up beside fields.period; 0 */
	uint8_t cpumode; /* PD_CPUMODE_* of fields.ip */
	bool is_shown;	 /* its time and CPU were asked for */
};

/* The last values of counters; a zeroed struct holds none. */
struct rpt_counter_values {
	struct rpt_intern ids; /* uint64_t keys */
	uint64_t *last;	       /* owned; by number of the id */
	uint32_t cap;
};

/* Return by how much the counter increased since the last call; at the first
 * call, its value.  id must be one of the recording's events. */
uint64_t rpt_counter_values_delta(struct rpt_counter_values *counters,
				  uint64_t id, uint64_t value);
/* Forget all values.  Safe on a zeroed struct. */
void rpt_counter_values_release(struct rpt_counter_values *counters);

struct rpt_sample_reader {
	struct rpt_sample_reader_conf conf;
	uint64_t unknown_id_nr; /* samples whose event the file lacks */
	uint64_t damaged_nr;	/* samples that could not be decoded */
	struct rpt_counter_values counters;
	struct rpt_task_state *recent; /* owned; RPT_RECENT_TASKS_NR */
	uint64_t *chain_room;	       /* owned; RPT_CHAIN_NR words */
	struct rpt_leaf_caller *leaf;  /* owned; NULL: not asked yet */
	bool has_leaf; /* a sample had what callers of leaves are found by */
};

/* Copy conf; what it points to is borrowed. */
void rpt_sample_reader_init(struct rpt_sample_reader *reader,
			    const struct rpt_sample_reader_conf *conf);
/* Free what the reader owns.  Safe on a zeroed struct. */
void rpt_sample_reader_release(struct rpt_sample_reader *reader);

/* Decode rec.  Return 0; -ENOENT if the file does not describe its event; or
 * the negative errno and the text of pd_sample_read().  Both are counted.  err
 * may be NULL. */
int rpt_sample_reader_read(struct rpt_sample_reader *reader,
			   const struct pd_record *rec, struct rpt_sample *ret,
			   struct pd_err *err);

/* Go to the next event that the sample counts for: its own, once; of a sample
 * with counter values each event whose counter moved since the last sample, by
 * how much is then its period.  *idx starts as 0.  A sample that is not shown
 * must be gone through as well, so that the values are known.  Return false
 * after the last one. */
bool rpt_sample_reader_next(struct rpt_sample_reader *reader,
			    struct rpt_sample *sample, size_t *idx);

/* Return the state of a task.  It is good until the next question or sample. */
const struct rpt_task_state *
rpt_sample_reader_task(struct rpt_sample_reader *reader, uint32_t pid,
		       uint32_t tid, struct rpt_timestamp when);

#endif
