/* Checks one record: its length, its fields, its event and its time. */
#include "format/records/leaf_words.h"
#include "format/records/record_body.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/check/check_impl.h"

#include <inttypes.h>
#include <stdlib.h>

static bool may_be_unaligned(const struct pd_record *rec)
{
	return rec->type == PD_RECORD_HEADER_TRACING_DATA ||
	       rec->type == PD_RECORD_HEADER_FEATURE;
}

static void check_alignment(struct rpt_check *check,
			    const struct pd_record *rec)
{
	if (rec->len % 8 && !may_be_unaligned(rec))
		rpt_find_in(check->findings, RPT_FINDING_UNALIGNED, rec, 6,
			    "%s record of %u bytes, no multiple of 8",
			    pd_record_type_name(rec->type), rec->len);
}

/* The text that ends a record of some types, and must end in a NUL. */
static const struct {
	uint32_t type;
	size_t off; /* in struct pd_body */
} texts[] = {
	{ PD_RECORD_MMAP, offsetof(struct pd_body, u.mmap.filename) },
	{ PD_RECORD_MMAP2, offsetof(struct pd_body, u.mmap.filename) },
	{ PD_RECORD_COMM, offsetof(struct pd_body, u.comm.comm) },
	{ PD_RECORD_KSYMBOL, offsetof(struct pd_body, u.ksymbol.name) },
	{ PD_RECORD_CGROUP, offsetof(struct pd_body, u.cgroup.path) },
	{ PD_RECORD_HEADER_EVENT_TYPE,
	  offsetof(struct pd_body, u.header_event_type.name) },
	{ PD_RECORD_HEADER_BUILD_ID,
	  offsetof(struct pd_body, u.header_build_id.filename) },
};

/* Return NULL for records of types that end in no text. */
static const struct pd_str *text_of(const struct pd_body *body)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].type == body->type)
			return (const void *)((const uint8_t *)body +
					      texts[i].off);
	return NULL;
}

bool rpt_is_open_text(const struct pd_body *body, const uint8_t *end)
{
	const struct pd_str *text = text_of(body);

	/* perf 3.8 left the NUL out if a name filled its words */
	return text && body->type != PD_RECORD_HEADER_EVENT_TYPE &&
	       (const uint8_t *)text->ptr + text->len == end;
}

/* Check the bytes between the fields and the sample_id. */
static void check_padding(struct rpt_check *check, const struct pd_record *rec,
			  const struct pd_body *body, size_t id_len)
{
	size_t left = rec->len - id_len - body->fields_len;

	/* our recorder leaves an old table entry: FORMAT.md "Checkpoints" */
	if (rec->type == PD_RECORD_FINISHED_INIT)
		return;
	/* texts are padded to any length */
	if (left > 7 && !text_of(body) && rec->type != PD_RECORD_EVENT_UPDATE)
		rpt_find_in(check->findings, RPT_FINDING_BODY_LONG, rec,
			    body->fields_len,
			    "%s record with %zu bytes behind its fields",
			    pd_record_type_name(rec->type), left);
	for (size_t i = 0; i < left; i++) {
		if (!rec->data[body->fields_len + i])
			continue;
		rpt_find_in(check->findings, RPT_FINDING_PADDING, rec,
			    body->fields_len + i,
			    "%s record whose padding is not zero",
			    pd_record_type_name(rec->type));
		return;
	}
}

bool rpt_has_false_build_id(const struct pd_event_set *events,
			    const struct pd_record *rec,
			    const struct pd_body *body)
{
	return rec->type == PD_RECORD_MMAP2 &&
	       (rec->misc & PD_MISC_MMAP_BUILD_ID) &&
	       (!body->u.mmap.build_id_len ||
		pd_event_set_misc(events, rec) != rec->misc);
}

static void count_lost(struct rpt_check *check, const struct pd_body *body)
{
	if (body->type == PD_RECORD_LOST)
		check->totals->lost_nr += body->u.lost.lost_nr;
	else if (body->type == PD_RECORD_LOST_SAMPLES)
		check->totals->lost_samples_nr += body->u.lost_samples.lost_nr;
}

/* Note where trace data lies. */
static void note_payload(struct rpt_check *check, const struct pd_record *rec,
			 const struct pd_auxtrace *auxtrace)
{
	struct rpt_check_totals *t = check->totals;

	if (rec->plain_off != PD_RECORD_NOT_COMPRESSED)
		return; /* nothing follows a compressed record */
	t->payload_len += auxtrace->trace_len;
	t->payloads = rpt_grow(t->payloads, &t->payload_cap, t->payload_nr,
			       sizeof(*t->payloads));
	t->payloads[t->payload_nr++] = (struct rpt_check_payload){
		.off = rec->file_off + rec->len,
		.len = auxtrace->trace_len,
		.cpu = auxtrace->cpu,
		.tid = auxtrace->tid,
	};
}

/* Check a count of perf stat. */
static void check_count(struct rpt_check *check, const struct pd_record *rec)
{
	uint64_t before = check->counts.strange_nr;

	rpt_stat_table_take(&check->counts, rec, NULL);
	if (check->counts.strange_nr > before)
		rpt_find_in(check->findings, RPT_FINDING_EVENT, rec, 0,
			    "count of an event, a CPU or a thread that is not "
			    "described");
}

static void check_body(struct rpt_check *check, const struct pd_record *rec,
		       size_t id_len)
{
	struct pd_err err = PD_ERR_INIT;
	struct pd_body body;
	int rc = pd_body_read(rec, id_len, &body, &err);

	if (rc) {
		rpt_find_err(check->findings,
			     rc == -ENOTSUP ? RPT_FINDING_TYPE
					    : RPT_FINDING_BODY,
			     rec, &err);
		return;
	}
	if (rpt_is_open_text(&body, rec->data + body.fields_len))
		rpt_find_in(check->findings, RPT_FINDING_TEXT, rec,
			    body.fields_len,
			    "the text of a %s record does not end",
			    pd_record_type_name(rec->type));
	check_padding(check, rec, &body, id_len);
	if (rpt_has_false_build_id(check->events, rec, &body))
		rpt_find_in(check->findings, RPT_FINDING_BUILD_ID, rec, 4,
			    "MMAP2 record that says it has a build-id, and has "
			    "none");
	count_lost(check, &body);
	if (rec->type == PD_RECORD_AUXTRACE)
		note_payload(check, rec, &body.u.auxtrace);
	if (rec->type >= PD_RECORD_USER_START)
		check_count(check, rec);
}

static void check_kernel(struct rpt_check *check, const struct pd_record *rec)
{
	const struct pd_event *event =
		pd_event_set_of_record(check->events, rec);

	if (!event) {
		rpt_find_in(check->findings, RPT_FINDING_EVENT, rec, 0,
			    "%s record of an event that is not described",
			    pd_record_type_name(rec->type));
		if (!check->events->nr)
			return;
		event = &check->events->events[0];
	}
	check_body(check, rec, event->layout.id_len);
}

uint64_t rpt_known_counts(const struct pd_event_set *events,
			  const struct pd_sample *s)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < s->counts.nr; i++)
		nr += pd_event_set_by_id(
			      events, pd_sample_count_at(&s->counts, i).id) !=
		      NULL;
	return nr;
}

/* Check whose counter values are.  Values without ids are a fault of the
 * attr. */
static void check_values(struct rpt_check *check, const struct pd_record *rec,
			 const struct pd_sample *s)
{
	uint64_t known_nr;

	if (!(s->counts.read_format & PD_READ_ID))
		return;
	known_nr = rpt_known_counts(check->events, s);
	if (known_nr != s->counts.nr)
		rpt_find_in(check->findings, RPT_FINDING_EVENT, rec, 0,
			    "sample with %" PRIu64 " of %" PRIu64
			    " values of counters that are not described",
			    s->counts.nr - known_nr, s->counts.nr);
}

static void check_sample(struct rpt_check *check, const struct pd_record *rec)
{
	const struct pd_event *event =
		pd_event_set_of_record(check->events, rec);
	struct pd_sample s;

	if (!event) {
		rpt_find_in(check->findings, RPT_FINDING_EVENT, rec, 0,
			    "sample of an event that is not described");
		return;
	}
	if (pd_sample_read(&event->layout, rec, &s, NULL)) {
		struct pd_err err = PD_ERR_INIT;

		pd_sample_read(&event->layout, rec, &s, &err);
		rpt_find_err(check->findings, RPT_FINDING_SAMPLE, rec, &err);
		return;
	}
	pd_sample_time_add(&check->totals->times, s.time_ns);
	check_values(check, rec, &s);
	if (rec->len - s.fields_len > 7 && !pd_leaf_words(rec, &s).nr)
		rpt_find_in(check->findings, RPT_FINDING_SAMPLE_LONG, rec,
			    s.fields_len,
			    "sample with %zu bytes more than its event asks "
			    "for",
			    rec->len - s.fields_len);
	if (rpt_is_strange_cpu(&s, check->cpu_nr))
		rpt_find_in(check->findings, RPT_FINDING_CPU, rec, 0,
			    "sample of CPU %" PRIu32 "; NRCPUS says there are "
			    "%" PRIu32,
			    s.cpu, check->cpu_nr);
}

static void check_order(struct rpt_check *check, const struct pd_record *rec)
{
	uint64_t time_ns = pd_event_set_time_of(check->events, rec);

	if (rec->file_off >= check->end_off && rec->file_off < check->len) {
		check->uncovered_nr++;
		pd_sample_time_add(&check->uncovered, time_ns);
	}
	if (rec->type == PD_RECORD_FINISHED_ROUND) {
		if (!pd_reader_has_parts(check->reader))
			rpt_rounds_mark(&check->rounds);
	} else if (rpt_rounds_time(&check->rounds, time_ns)) {
		rpt_find_in(check->findings, RPT_FINDING_ORDER, rec, 0,
			    "%s record is %" PRIu64
			    " ns older than what the round before let go",
			    pd_record_type_name(rec->type),
			    check->rounds.let_go_ns - time_ns);
	}
}

void rpt_check_record(struct rpt_check *check, const struct pd_record *rec)
{
	if (rec->type < PD_RECORD_USER_NR)
		check->totals->record_nr[rec->type]++;
	else
		check->totals->unknown_nr++;
	if (!pd_record_type_name(rec->type)) {
		rpt_find_in(check->findings, RPT_FINDING_TYPE, rec, 0,
			    "record of type %" PRIu32 " is not known",
			    rec->type);
		return;
	}
	check_alignment(check, rec);
	if (rec->type == PD_RECORD_SAMPLE)
		check_sample(check, rec);
	else if (rec->type < PD_RECORD_USER_START)
		check_kernel(check, rec);
	else
		check_body(check, rec, 0);
	check_order(check, rec);
}

/* Checks the attrs: their sizes and bits are known, each id belongs to one
 * event, and samples of all events have their id in the same place. */

#define FLAGS_KNOWN (PD_BIT(40) - 1)
#define READ_KNOWN  (PD_BIT(5) - 1)

/* Return the offset of an entry of the attr section, RPT_NO_OFF in a pipe. */
static uint64_t off_of(const struct rpt_check *check, size_t idx)
{
	const struct pd_file_header *h = pd_reader_header(check->reader);

	return h->is_pipe ? RPT_NO_OFF : h->attrs.off + idx * h->attr_entry_len;
}

static void check_bits(struct rpt_check *check, size_t idx)
{
	const struct pd_attr *a = &check->events->events[idx].attr;
	const struct {
		const char *name;
		uint64_t bits;
	} fields[] = {
		{ "sample_type", a->sample_type & ~PD_SAMPLE_KNOWN },
		{ "read_format", a->read_format & ~READ_KNOWN },
		{ "flags", a->flags & ~FLAGS_KNOWN },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].bits)
			rpt_find(check->findings, RPT_FINDING_ATTR_NEWER,
				 off_of(check, idx),
				 "event %zu: %s has bits 0x%" PRIx64
				 " that are not known",
				 idx, fields[i].name, fields[i].bits);
	if (a->attr_len > PD_ATTR_LEN_MAX_KNOWN)
		rpt_find(check->findings, RPT_FINDING_ATTR_NEWER,
			 off_of(check, idx),
			 "event %zu: an attr of %" PRIu32
			 " bytes; %u are known",
			 idx, a->attr_len, PD_ATTR_LEN_MAX_KNOWN);
}

/* Check that the event has its id where the others have it: FORMAT.md "Whose
 * record is it". */
static void check_id_place(struct rpt_check *check, size_t idx)
{
	const struct pd_sample_layout *first = &check->events->events[0].layout;
	const struct pd_sample_layout *this =
		&check->events->events[idx].layout;
	struct pd_cursor c;

	/* perf stat records no samples */
	if (pd_reader_feature(check->reader, PD_FEATURE_STAT, &c))
		return;
	if (this->id_off < 0)
		rpt_find(check->findings, RPT_FINDING_ATTR, off_of(check, idx),
			 "event %zu of several has no id in its samples", idx);
	else if (this->id_off != first->id_off ||
		 this->id_off_back != first->id_off_back)
		rpt_find(check->findings, RPT_FINDING_ATTR, off_of(check, idx),
			 "event %zu has its id at another place than the first",
			 idx);
}

/* An id and an event that has it. */
struct claim {
	uint64_t id;
	uint32_t event_idx;
};

static int by_id(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;
	int rc = rpt_compare_u64(x->id, y->id);

	return rc ? rc : rpt_compare_u64(x->event_idx, y->event_idx);
}

static void find_twice(struct rpt_check *check, const struct claim *claims,
		       size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		const struct claim *a = &claims[i - 1], *b = &claims[i];

		if (a->id != b->id)
			continue;
		if (a->event_idx == b->event_idx)
			rpt_find(check->findings, RPT_FINDING_ID,
				 off_of(check, b->event_idx),
				 "event %" PRIu32 " has id %" PRIu64 " twice",
				 b->event_idx, b->id);
		else
			rpt_find(check->findings, RPT_FINDING_ID,
				 off_of(check, b->event_idx),
				 "event %" PRIu32 " has id %" PRIu64
				 " of event %" PRIu32,
				 b->event_idx, b->id, a->event_idx);
	}
}

static void check_ids(struct rpt_check *check)
{
	const struct pd_event_set *set = check->events;
	struct claim *claims;
	size_t nr = 0, at = 0;

	for (size_t i = 0; i < set->nr; i++)
		nr += set->events[i].id_nr;
	claims = rpt_alloc_zeroed(nr + 1, sizeof(*claims));
	for (size_t i = 0; i < set->nr; i++)
		for (size_t j = 0; j < set->events[i].id_nr; j++)
			claims[at++] = (struct claim){ set->events[i].ids[j],
						       (uint32_t)i };
	qsort(claims, nr, sizeof(*claims), by_id);
	find_twice(check, claims, nr);
	free(claims);
}

/* Check that counter values in samples have ids; else perf refuses the file. */
static void check_read_format(const struct rpt_check *check, size_t idx)
{
	const struct pd_attr *attr = &check->events->events[idx].attr;

	if ((attr->sample_type & PD_SAMPLE_READ) &&
	    !(attr->read_format & PD_READ_ID))
		rpt_find(check->findings, RPT_FINDING_ATTR, off_of(check, idx),
			 "the counter values in samples of event %zu have no "
			 "id",
			 idx);
}

void rpt_check_events(struct rpt_check *check)
{
	if (!check->events->nr)
		rpt_find(check->findings, RPT_FINDING_ATTR, RPT_NO_OFF,
			 "the file describes no event");
	for (size_t i = 0; i < check->events->nr; i++) {
		check_bits(check, i);
		check_read_format(check, i);
		if (check->events->nr > 1)
			check_id_place(check, i);
	}
	check_ids(check);
}
