/* Decides what becomes of a record: it is kept, mended or left out. */
#include "report/repair/repair_impl.h"

#include "format/records/leaf_words.h"
#include "format/records/sample_id.h"
#include "report/check/check.h"

enum { MISC_OFF = 4, LEN_OFF = 6, UNALIGNED_MAX = PD_RECORD_LEN_MAX - 15 };

/* Return true for a type that perf 6.1 does not know: it gives up the whole
 * file. */
static bool is_newer(uint32_t type)
{
	return type > PD_RECORD_FINISHED_INIT ||
	       (type > PD_RECORD_AUX_OUTPUT_HW_ID &&
		type < PD_RECORD_USER_START);
}

/* Return whether a record's content is in the attr section or a feature. */
static bool is_moved(const struct rpt_repair *repair, uint32_t type)
{
	return type == PD_RECORD_HEADER_FEATURE ||
	       (pd_reader_header(repair->reader)->is_pipe &&
		(type == PD_RECORD_HEADER_ATTR ||
		 type == PD_RECORD_HEADER_TRACING_DATA));
}

/* Write scratch instead. */
static void take_scratch(struct rpt_repair *repair)
{
	repair->written.data = repair->scratch.data;
	repair->written.len = repair->scratch.len;
}

/* Begin a mended record with len bytes of data. */
static struct pd_buf *begin_copy(struct rpt_repair *repair, const uint8_t *data,
				 size_t len)
{
	struct pd_buf *b = &repair->scratch;

	pd_buf_reset(b);
	b->swap = pd_reader_header(repair->reader)->swap;
	pd_buf_bytes(b, data, len);
	return b;
}

/* End the mended record with the rest of rec, from byte from on. */
static enum rpt_record_outcome
end_copy(struct rpt_repair *repair, const struct pd_record *rec, size_t from)
{
	struct pd_buf *b = &repair->scratch;

	pd_buf_bytes(b, rec->data + from, rec->len - from);
	pd_buf_zero(b, (size_t)-b->len % 8);
	pd_buf_patch_u16(b, LEN_OFF, (uint16_t)b->len);
	take_scratch(repair);
	return RPT_RECORD_MENDED;
}

/* Pad a record to 8 bytes, and end its text. */
static enum rpt_record_outcome align(struct rpt_repair *repair,
				     const struct pd_record *rec,
				     const struct pd_body *body, size_t id_len)
{
	size_t body_len = rec->len - id_len;
	bool is_open = rpt_is_open_text(body, rec->data + body_len);

	if ((!is_open && rec->len % 8 == 0) || rec->len > UNALIGNED_MAX)
		return RPT_RECORD_KEPT;
	/* NULs end the text and fill 8 bytes; the sample_id stays last */
	pd_buf_zero(begin_copy(repair, rec->data, body_len),
		    is_open + (size_t) - (rec->len + is_open) % 8);
	return end_copy(repair, rec, body_len);
}

/* Make a copy of the record, to be mended, unless it is one. */
static void take_copy(struct rpt_repair *repair)
{
	const struct rpt_written *w = &repair->written;

	if (w->data == repair->scratch.data)
		return;
	begin_copy(repair, w->data, w->len);
	take_scratch(repair);
}

/* Leave out what the kernel put behind the record (pd_record_own_len()). Return
 * true if the record's length counted that. */
static bool shorten(struct rpt_repair *repair, struct pd_record *rec)
{
	struct pd_cursor c;

	if (!pd_record_may_be_long(rec->type))
		return false;
	pd_event_set_end_record(repair->events, rec);
	repair->written.len = rec->len;
	pd_cursor_init(&c, rec->data + LEN_OFF, 2, 0, "record header");
	c.swap = rec->swap;
	if (pd_cursor_u16(&c) == rec->len)
		return false;
	take_copy(repair);
	pd_buf_patch_u16(&repair->scratch, LEN_OFF,
			 (uint16_t)repair->written.len);
	return true;
}

static enum rpt_record_outcome kernel(struct rpt_repair *repair,
				      const struct pd_record *read)
{
	struct pd_record rec = *read;
	bool was_long = shorten(repair, &rec);
	const struct pd_event *event =
		pd_event_set_of_record(repair->events, &rec);
	bool has_owner = event;
	enum rpt_record_outcome outcome;
	struct pd_body body;

	if (!event)
		event = &repair->events->events[0];
	if (pd_body_read(&rec, event->layout.id_len, &body, NULL))
		return RPT_RECORD_BAD_BODY;
	outcome = align(repair, &rec, &body, event->layout.id_len);
	if (was_long)
		outcome = RPT_RECORD_MENDED;
	if (rpt_has_false_build_id(repair->events, &rec, &body)) {
		take_copy(repair);
		pd_buf_patch_u16(&repair->scratch, MISC_OFF,
				 rec.misc & (uint16_t)~PD_MISC_MMAP_BUILD_ID);
		outcome = RPT_RECORD_MENDED;
	}
	if (has_owner)
		return outcome;
	/* id 0 is the first event's */
	take_copy(repair);
	pd_buf_patch_u64(&repair->scratch,
			 repair->written.len -
				 (size_t)repair->events->other_id_off_back,
			 0);
	return RPT_RECORD_NO_ID;
}

/* Return whether raw data begins with the number of some event's format: at
 * others perf 6.1 ends in a signal. */
static bool has_known_format(const struct rpt_repair *repair,
			     const struct pd_record *rec,
			     const struct pd_sample *s)
{
	struct pd_cursor c;
	uint16_t number;

	pd_cursor_init(&c, s->raw, s->raw_len, 0, "raw data");
	c.swap = rec->swap;
	number = pd_cursor_u16(&c);
	return !pd_cursor_status(&c) &&
	       repair->formats[number / 64] >> number % 64 & 1;
}

/* Return whether a sample may have fields of unknown bits, amid fields that are
 * known and cannot be found then. */
static bool has_unknown_fields(const struct pd_sample_layout *l,
			       const struct pd_record *rec,
			       const struct pd_sample *s)
{
	bool may_have = ((l->sample_type & PD_SAMPLE_READ) &&
			 l->read_format >= 2 * PD_READ_LOST) ||
			((l->sample_type & PD_SAMPLE_BRANCH_STACK) &&
			 l->branch_sample_type >= 2 * PD_BRANCH_COUNTERS);

	return may_have && rec->len - s->fields_len > 7 &&
	       !pd_leaf_words(rec, s).nr;
}

/* Cut the counts of events that are not described.  The number of counts stands
 * in front of the group's times. */
static enum rpt_record_outcome cut_counts(struct rpt_repair *repair,
					  const struct pd_record *rec,
					  const struct pd_sample *s,
					  uint64_t known_nr)
{
	const struct pd_sample_counts *counts = &s->counts;
	const uint8_t *at = counts->words.raw;
	const size_t times_len =
		((counts->read_format & PD_READ_TOTAL_TIME_ENABLED) ? 8u : 0u) +
		((counts->read_format & PD_READ_TOTAL_TIME_RUNNING) ? 8u : 0u);
	const size_t member_len = 8 * (counts->words.nr / (size_t)counts->nr);
	struct pd_buf *b =
		begin_copy(repair, rec->data, (size_t)(at - rec->data));

	pd_buf_patch_u64(b, b->len - times_len - 8, known_nr);
	for (size_t i = 0; i < counts->nr; i++, at += member_len)
		if (pd_event_set_by_id(repair->events,
				       pd_sample_count_at(counts, i).id))
			pd_buf_bytes(b, at, member_len);
	return end_copy(repair, rec, (size_t)(at - rec->data));
}

static enum rpt_record_outcome sample(struct rpt_repair *repair,
				      const struct pd_record *rec)
{
	const struct pd_event *event =
		pd_event_set_of_record(repair->events, rec);
	const struct pd_body nothing = { .type = PD_RECORD_SAMPLE };
	struct pd_sample s;
	const struct pd_u64s *counters = &s.branch_counters;
	uint64_t known_nr;

	if (!event)
		return RPT_RECORD_NO_EVENT;
	if (pd_sample_read(&event->layout, rec, &s, NULL))
		return RPT_RECORD_BAD_SAMPLE;
	if (event->attr.type == PD_TYPE_TRACEPOINT &&
	    (s.present & PD_SAMPLE_RAW) && !has_known_format(repair, rec, &s))
		return RPT_RECORD_BAD_SAMPLE;
	/* perf 6.1 takes it as an index of what CPU_TOPOLOGY lists */
	if (rpt_is_strange_cpu(&s, repair->cpu_nr))
		return RPT_RECORD_BAD_SAMPLE;
	known_nr = s.counts.nr;
	/* perf looks at ids of counts even in a file of one event without ids
	 */
	if ((s.present & PD_SAMPLE_READ) &&
	    (s.counts.read_format & PD_READ_ID)) {
		known_nr = rpt_known_counts(repair->events, &s);
		if (!known_nr)
			return RPT_RECORD_NO_EVENT;
	}
	if (has_unknown_fields(&event->layout, rec, &s))
		return RPT_RECORD_NEWER_SAMPLE;
	if (counters->nr &&
	    !(event->attr.branch_sample_type & PD_BRANCH_COUNTERS)) {
		size_t at = (size_t)(counters->raw - rec->data);

		if (known_nr != s.counts.nr)
			return RPT_RECORD_NO_EVENT;
		begin_copy(repair, rec->data, at);
		return end_copy(repair, rec, at + 8 * counters->nr);
	}
	if (known_nr != s.counts.nr)
		return cut_counts(repair, rec, &s, known_nr);
	return align(repair, rec, &nothing, 0);
}

/* Return false if ids are not described, at which perf gives up. */
static bool has_known_ids(const struct rpt_repair *repair,
			  const struct pd_body *body)
{
	const struct pd_id_index *index = &body->u.id_index;

	if (body->type == PD_RECORD_EVENT_UPDATE)
		return pd_event_set_by_id(repair->events,
					  body->u.event_update.id);
	if (body->type == PD_RECORD_STAT)
		return pd_event_set_by_id(repair->events, body->u.stat.id);
	if (body->type != PD_RECORD_ID_INDEX)
		return true;
	for (size_t i = 0; i < index->nr; i++)
		if (!pd_event_set_by_id(repair->events,
					pd_u64s_at(&index->entries, 4 * i)))
			return false;
	return true;
}

/* Keep the trace data behind an AUXTRACE record. */
static enum rpt_record_outcome auxtrace(struct rpt_repair *repair,
					const struct pd_record *rec,
					const struct pd_body *body)
{
	if (rec->plain_off != PD_RECORD_NOT_COMPRESSED)
		return RPT_RECORD_BAD_BODY;
	if (!repair->lists.has_tracer)
		return RPT_RECORD_NO_TRACE;
	repair->written.behind = rec->data + rec->len;
	repair->written.behind_len = (size_t)body->u.auxtrace.trace_len;
	return RPT_RECORD_KEPT;
}

/* perf 6.1 opens no file of a tracer that it has no decoder for, or that has
 * fewer words than its decoder needs (tried with all numbers up to 8).  Without
 * a trace, some decoders end in a signal: the second walk leaves these out. */
static enum rpt_record_outcome auxtrace_info(struct rpt_repair *repair,
					     const struct pd_record *rec,
					     const struct pd_body *body)
{
	enum { HEAD_LEN = 16, DECODED_NR = 7 };
	static const uint8_t least_words[DECODED_NR] = { 0, 9, 5, 3, 2, 0, 1 };
	uint32_t type = body->u.auxtrace_info.auxtrace_type;

	if (!type || type >= DECODED_NR)
		return RPT_RECORD_NEWER;
	if (rec->len < HEAD_LEN + 8u * least_words[type])
		return RPT_RECORD_NO_TRACE;
	if (repair->is_second && !repair->result->kept_nr[PD_RECORD_AUXTRACE])
		return RPT_RECORD_NO_TRACE;
	repair->lists.has_tracer = true;
	return RPT_RECORD_KEPT;
}

/* Return whether there was a list of this kind before: perf takes the first. */
static bool is_second_list(struct rpt_repair *repair, uint32_t type)
{
	bool *has_one = type == PD_RECORD_CPU_MAP
				? &repair->lists.has_cpu_map
				: &repair->lists.has_thread_map;
	bool is_second = *has_one;

	if (type != PD_RECORD_CPU_MAP && type != PD_RECORD_THREAD_MAP)
		return false;
	*has_one = true;
	return is_second;
}

/* Leave out the count of a CPU or thread that is not listed: perf gives up at
 * it. */
static enum rpt_record_outcome stat_count(struct rpt_repair *repair,
					  const struct pd_record *rec)
{
	uint64_t strange_nr = repair->lists.counts.strange_nr;

	rpt_stat_table_take(&repair->lists.counts, rec, NULL);
	return repair->lists.counts.strange_nr == strange_nr ||
			       repair->lists.counts.is_full
		       ? RPT_RECORD_KEPT
		       : RPT_RECORD_NO_COUNTER;
}

static enum rpt_record_outcome user(struct rpt_repair *repair,
				    const struct pd_record *rec)
{
	struct pd_body body;

	if (pd_body_read(rec, 0, &body, NULL))
		return RPT_RECORD_BAD_BODY;
	if (!has_known_ids(repair, &body))
		return RPT_RECORD_NO_EVENT;
	if (is_second_list(repair, rec->type))
		return RPT_RECORD_SECOND;
	if (rec->type != PD_RECORD_STAT)
		rpt_stat_table_take(&repair->lists.counts, rec, NULL);
	switch (rec->type) {
	case PD_RECORD_AUXTRACE_INFO:
		return auxtrace_info(repair, rec, &body);
	case PD_RECORD_STAT:
		return stat_count(repair, rec);
	case PD_RECORD_AUXTRACE:
		return auxtrace(repair, rec, &body);
	case PD_RECORD_HEADER_ATTR:
	case PD_RECORD_HEADER_TRACING_DATA:
		return RPT_RECORD_BAD_BODY; /* has no place in a file */
	case PD_RECORD_FINISHED_INIT:
		/* ours may hold an old table entry: FORMAT.md "Checkpoints" */
		begin_copy(repair, rec->data, 0);
		pd_record_end(&repair->scratch,
			      pd_record_begin(&repair->scratch, rec->type, 0));
		take_scratch(repair);
		return RPT_RECORD_KEPT;
	default:
		return align(repair, rec, &body, 0);
	}
}

static enum rpt_record_outcome decide(struct rpt_repair *repair,
				      const struct pd_record *rec)
{
	if (is_moved(repair, rec->type))
		return RPT_RECORD_MOVED;
	if (is_newer(rec->type))
		return RPT_RECORD_NEWER;
	if (rec->type == PD_RECORD_SAMPLE)
		return sample(repair, rec);
	return rec->type < PD_RECORD_USER_START ? kernel(repair, rec)
						: user(repair, rec);
}

/* Let conf->edit change rec, which is what would be written; NULL if that
 * cannot be read.  Return false if it is left out. */
static bool edit(struct rpt_repair *repair, const struct pd_record *rec)
{
	const struct rpt_repair_edit *how = repair->conf->edit;
	struct rpt_written *w = &repair->written;
	struct pd_buf *b = &repair->edited;
	bool is_kept = true;

	if (!how || (rec && rec->type == PD_RECORD_FINISHED_ROUND))
		return true;
	if (!rec)
		return false;
	pd_buf_reset(b);
	b->swap = rec->swap;
	if (rec->type != PD_RECORD_SAMPLE && how->record)
		is_kept = how->record(how->ctx, repair->events,
				      repair->is_second, rec, b);
	else if (rec->type == PD_RECORD_SAMPLE && repair->is_second &&
		 how->sample)
		is_kept = how->sample(how->ctx, repair->events, rec, b);
	if (b->len) {
		w->data = b->data;
		w->len = b->len;
		w->behind_len = 0;
	}
	return is_kept && !pd_buf_status(b);
}

enum rpt_record_outcome rpt_repair_record(struct rpt_repair *repair,
					  const struct pd_record *rec)
{
	struct rpt_repair_result *result = repair->result;
	struct rpt_written *w = &repair->written;
	struct pd_record new = *rec;
	enum rpt_record_outcome outcome;
	bool is_read;

	*w = (struct rpt_written){
		.type = rec->type,
		.data = rec->data,
		.len = rec->len,
	};
	outcome = decide(repair, rec);
	is_read = !pd_record_read(w->data, w->len, rec->file_off, rec->swap,
				  &new, NULL);
	if (is_read)
		w->time_ns = pd_event_set_time_of(repair->events, &new);
	if (!rpt_repair_is_written(outcome) ||
	    edit(repair, is_read ? &new : NULL))
		return outcome;
	if (rec->type == PD_RECORD_SAMPLE && repair->is_second) {
		/* the first walk counted it as kept */
		result->kept_nr[PD_RECORD_SAMPLE]--;
		result->outcome_nr[outcome]--;
		result->outcome_nr[RPT_RECORD_EDITED_OUT]++;
	}
	return RPT_RECORD_EDITED_OUT;
}
