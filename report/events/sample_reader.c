#include "report/events/sample_reader.h"

#include "format/records/callchain.h"
#include "report/events/leaf_caller.h"

#include <errno.h>
#include <stdlib.h>

void rpt_sample_reader_init(struct rpt_sample_reader *reader,
			    const struct rpt_sample_reader_conf *conf)
{
	*reader = (struct rpt_sample_reader){
		.conf = *conf,
		.recent = rpt_alloc_zeroed(RPT_RECENT_TASKS_NR,
					   sizeof(*reader->recent)),
		.chain_room = rpt_alloc_zeroed(RPT_CHAIN_NR, sizeof(uint64_t)),
	};
}

void rpt_sample_reader_release(struct rpt_sample_reader *reader)
{
	rpt_counter_values_release(&reader->counters);
	free(reader->recent);
	free(reader->chain_room);
	rpt_leaf_caller_free(reader->leaf);
	*reader = (struct rpt_sample_reader){ 0 };
}

const struct rpt_task_state *
rpt_sample_reader_task(struct rpt_sample_reader *reader, uint32_t pid,
		       uint32_t tid, struct rpt_timestamp when)
{
	struct rpt_task_state *task =
		&reader->recent[tid % RPT_RECENT_TASKS_NR];

	if (task->ref.pid != pid || task->ref.tid != tid ||
	    !rpt_span_has(&task->span, when))
		rpt_timeline_task_state(reader->conf.timeline, pid, tid, when,
					task);
	return task;
}

static bool is_shown(const struct rpt_sample_reader_conf *conf,
		     const struct rpt_sample *sample)
{
	return (!conf->filter ||
		rpt_filter_sample_time(conf->filter, &sample->fields)) &&
	       (!conf->event_switch ||
		rpt_event_switch_passes(conf->event_switch, sample->when));
}

/* Take what was unwound when the file was made from the end of the chain. */
static void split_chain(struct rpt_sample *sample)
{
	struct pd_u64s *chain = &sample->fields.callchain;
	size_t nr = chain->nr;

	if (!sample->event->is_unwound || !nr)
		return;
	chain->nr = pd_callchain_last_user(chain);
	sample->unwound = (struct pd_u64s){
		.raw = chain->raw + 8 * chain->nr,
		.nr = nr - chain->nr,
		.swap = chain->swap,
	};
}

int rpt_sample_reader_read(struct rpt_sample_reader *reader,
			   const struct pd_record *rec, struct rpt_sample *ret,
			   struct pd_err *err)
{
	const struct rpt_sample_reader_conf *conf = &reader->conf;
	struct pd_sample *fields = &ret->fields;
	int rc;

	ret->event = pd_event_set_of_record(conf->events, rec);
	if (!ret->event) {
		reader->unknown_id_nr++;
		return -ENOENT;
	}
	rc = pd_sample_read(&ret->event->layout, rec, fields, err);
	if (rc) {
		reader->damaged_nr++;
		return rc;
	}
	ret->unwound = (struct pd_u64s){ .nr = 0 };
	ret->leaf_idx = ret->leaf_nr = 0;
	ret->second = 0;
	if (conf->with_chains) {
		rpt_timeline_join_chain(conf->timeline, ret->event, rec->seq,
					fields, reader->chain_room);
		split_chain(ret);
	}
	if (!(fields->present & PD_SAMPLE_TID))
		fields->pid = fields->tid = UINT32_MAX;
	ret->rec = rec;
	ret->when = (struct rpt_timestamp){
		pd_event_set_order(conf->events, fields->time_ns), rec->seq
	};
	ret->cpumode = fields->misc & PD_MISC_CPUMODE_MASK;
	ret->is_shown = is_shown(conf, ret);
	ret->task = rpt_sample_reader_task(reader, fields->pid, fields->tid,
					   ret->when);
	if (conf->with_chains && ret->is_shown)
		rpt_leaf_caller_join(&reader->leaf, conf->timeline, ret,
				     reader->chain_room);
	reader->has_leaf |= reader->leaf != NULL;
	return 0;
}

uint64_t rpt_counter_values_delta(struct rpt_counter_values *counters,
				  uint64_t id, uint64_t value)
{
	uint32_t known_nr = counters->ids.nr;
	int64_t idx = rpt_intern(&counters->ids, &id, sizeof(id));
	uint64_t before;

	counters->last = rpt_grow(counters->last, &counters->cap, known_nr,
				  sizeof(*counters->last));
	before = idx == known_nr ? 0 : counters->last[idx];
	counters->last[idx] = value;
	return value - before;
}

void rpt_counter_values_release(struct rpt_counter_values *counters)
{
	rpt_intern_release(&counters->ids);
	free(counters->last);
	*counters = (struct rpt_counter_values){ 0 };
}

bool rpt_sample_reader_next(struct rpt_sample_reader *reader,
			    struct rpt_sample *sample, size_t *idx)
{
	const struct pd_sample_counts *counts = &sample->fields.counts;

	if (!(sample->fields.present & PD_SAMPLE_READ))
		return !(*idx)++;
	while (*idx < counts->nr) {
		struct pd_read_value value =
			pd_sample_count_at(counts, (*idx)++);

		sample->event =
			pd_event_set_by_id(reader->conf.events, value.id);
		if (!sample->event) {
			reader->unknown_id_nr++;
			continue;
		}
		sample->fields.period = rpt_counter_values_delta(
			&reader->counters, value.id, value.value);
		if (sample->fields.period)
			return true;
	}
	return false;
}
