#include "report/repair/unwind_copies.h"

#include "format/file/feature.h"
#include "format/records/callchain.h"

#define COPY_BITS (PD_SAMPLE_REGS_USER | PD_SAMPLE_STACK_USER)

void rpt_unwind_copies_init(struct rpt_unwind_copies *copies,
			    const struct pd_reader *reader,
			    const struct rpt_timeline *timeline)
{
	struct pd_str arch = pd_reader_string(reader, PD_FEATURE_ARCH);
	const struct rpt_sample_reader_conf conf = {
		.events = pd_reader_events(reader),
		.timeline = timeline,
	};

	*copies = (struct rpt_unwind_copies){ .timeline = timeline };
	rpt_sample_reader_init(&copies->samples, &conf);
	copies->unwind = rpt_unwind_new(rpt_arch_of(arch.ptr, arch.len));
}

void rpt_unwind_copies_release(struct rpt_unwind_copies *copies)
{
	rpt_sample_reader_release(&copies->samples);
	rpt_unwind_free(copies->unwind);
	copies->unwind = NULL;
}

static void change_event(void *ctx, const struct pd_event *in,
			 struct pd_event *out)
{
	struct pd_attr *attr = &out->attr;

	(void)ctx;
	(void)in;
	if (!(attr->sample_type & PD_SAMPLE_STACK_USER))
		return;
	attr->sample_type &= ~COPY_BITS;
	attr->sample_type |= PD_SAMPLE_CALLCHAIN;
	attr->flags &= ~PD_ATTR_EXCLUDE_CALLCHAIN_USER;
	attr->sample_regs_user = 0;
	attr->sample_stack_user = 0;
	out->is_unwound = true;
}

/* Unwind the copy of a sample.  Return how many words of copies->chain are to
 * stand behind the recorded chain, the mark among them. */
static size_t find_frames(struct rpt_unwind_copies *copies,
			  const struct rpt_sample *sample)
{
	struct rpt_unwind_copies_counts *counts = &copies->counts;
	size_t nr = rpt_user_stack_frames(copies->unwind, copies->timeline,
					  sample, copies->chain);
	size_t known_nr = 1;

	while (known_nr < nr && copies->chain[known_nr] < PD_CONTEXT_MAX)
		known_nr++;
	counts->sample_nr++;
	counts->marks_nr += known_nr < nr;
	counts->frame_nr += known_nr - 1;
	if (!sample->fields.stack_dyn_len)
		counts->empty_nr++;
	else if (known_nr < 3)
		counts->alone_nr++;
	copies->chain[0] = PD_CONTEXT_USER;
	if (known_nr > 1)
		return known_nr;
	/* what was recorded is not what was unwound */
	return pd_callchain_has_user(&sample->fields.callchain, SIZE_MAX);
}

/* The places in the record of the fields that change. */
struct places {
	size_t chain;  /* where the call chain is, or belongs */
	size_t behind; /* the field behind it */
	size_t copies; /* the user's registers, then the stack */
	size_t behind_them;
};

static struct places find_places(const struct rpt_sample *sample)
{
	const struct pd_sample *s = &sample->fields;
	const uint8_t *data = sample->rec->data;
	struct places at = {
		.chain = PD_RECORD_HEADER_LEN + sample->event->layout.fixed_len,
		.copies = (size_t)(s->stack - data) - sizeof(uint64_t),
		.behind_them = (size_t)(s->stack - data) + s->stack_len,
	};

	if (s->present & PD_SAMPLE_READ)
		at.chain = (size_t)(s->counts.words.raw - data) +
			   sizeof(uint64_t) * s->counts.words.nr;
	at.behind = at.chain;
	if (s->present & PD_SAMPLE_CALLCHAIN)
		at.behind += sizeof(uint64_t) * (1 + s->callchain.nr);
	if (s->present & PD_SAMPLE_REGS_USER)
		at.copies -= sizeof(uint64_t) * (1 + s->regs_user.regs.nr);
	if (s->stack_len)
		at.behind_them += sizeof(uint64_t); /* how much is stack */
	return at;
}

static void put(struct pd_buf *b, const struct pd_record *rec, size_t from,
		size_t to)
{
	pd_buf_bytes(b, rec->data + from, to - from);
}

static bool change_sample(void *ctx, const struct pd_event_set *events,
			  const struct pd_record *rec, struct pd_buf *b)
{
	struct rpt_unwind_copies *copies = ctx;
	struct rpt_sample sample;
	const struct pd_u64s *recorded = &sample.fields.callchain;
	struct places at;
	size_t nr, left, start;

	(void)events; /* samples have the layout of the input's */
	if (rpt_sample_reader_read(&copies->samples, rec, &sample, NULL))
		return false;
	if (!(sample.fields.present & PD_SAMPLE_STACK_USER))
		return true;
	at = find_places(&sample);
	nr = find_frames(copies, &sample);
	left = PD_RECORD_LEN_MAX - 7 - (at.copies - at.behind) - at.chain -
	       (sample.fields.fields_len - at.behind_them);
	if (1 + recorded->nr + nr > left / sizeof(uint64_t))
		nr = 0; /* with all that the sample has besides */
	start = pd_record_begin(b, rec->type, rec->misc);
	put(b, rec, PD_RECORD_HEADER_LEN, at.chain);
	pd_buf_u64(b, recorded->nr + nr);
	pd_buf_bytes(b, recorded->raw, sizeof(uint64_t) * recorded->nr);
	for (size_t i = 0; i < nr; i++)
		pd_buf_u64(b, copies->chain[i]);
	put(b, rec, at.behind, at.copies);
	put(b, rec, at.behind_them, sample.fields.fields_len);
	pd_record_end(b, start);
	return true;
}

struct rpt_repair_edit rpt_unwind_copies_edit(struct rpt_unwind_copies *copies)
{
	return (struct rpt_repair_edit){
		.ctx = copies,
		.event = change_event,
		.sample = change_sample,
	};
}
