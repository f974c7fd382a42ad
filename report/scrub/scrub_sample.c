/* Takes fields out of samples.  Every field has a row in the order of the
 * record: FORMAT.md "Samples". */
#include "report/scrub/scrub_impl.h"

#include "format/records/callchain.h"

/* What a field consists of. */
enum shape { WORD, COUNT, CHAIN, RAW, BRANCHES, USER, STACK, INTR, BLOB };

static const struct field {
	uint64_t bits; /* of sample_type: any of them */
	enum shape shape;
	bool is_taken;
	uint8_t kind; /* enum rpt_scrub_kind, if it is taken */
} fields[] = {
	{ PD_SAMPLE_IDENTIFIER, WORD, false, 0 },
	{ PD_SAMPLE_IP, WORD, false, 0 },
	{ PD_SAMPLE_TID, WORD, false, 0 },
	{ PD_SAMPLE_TIME, WORD, false, 0 },
	{ PD_SAMPLE_ADDR, WORD, true, RPT_SCRUB_ADDRESSES },
	{ PD_SAMPLE_ID, WORD, false, 0 },
	{ PD_SAMPLE_STREAM_ID, WORD, false, 0 },
	{ PD_SAMPLE_CPU, WORD, false, 0 },
	{ PD_SAMPLE_PERIOD, WORD, false, 0 },
	{ PD_SAMPLE_READ, COUNT, false, 0 },
	{ PD_SAMPLE_CALLCHAIN, CHAIN, false, 0 },
	{ PD_SAMPLE_RAW, RAW, true, RPT_SCRUB_RAW },
	{ PD_SAMPLE_BRANCH_STACK, BRANCHES, false, 0 },
	{ PD_SAMPLE_REGS_USER, USER, true, RPT_SCRUB_REGISTERS },
	{ PD_SAMPLE_STACK_USER, STACK, true, RPT_SCRUB_STACKS },
	{ PD_SAMPLE_WEIGHT | PD_SAMPLE_WEIGHT_STRUCT, WORD, false, 0 },
	{ PD_SAMPLE_DATA_SRC, WORD, false, 0 },
	{ PD_SAMPLE_TRANSACTION, WORD, false, 0 },
	{ PD_SAMPLE_REGS_INTR, INTR, true, RPT_SCRUB_REGISTERS },
	{ PD_SAMPLE_PHYS_ADDR, WORD, true, RPT_SCRUB_ADDRESSES },
	{ PD_SAMPLE_CGROUP, WORD, false, 0 },
	{ PD_SAMPLE_DATA_PAGE_SIZE, WORD, false, 0 },
	{ PD_SAMPLE_CODE_PAGE_SIZE, WORD, false, 0 },
	{ PD_SAMPLE_AUX, BLOB, true, RPT_SCRUB_TRACES },
};

static bool is_taken(const struct rpt_scrub *scrub, const struct field *f)
{
	return f->is_taken &&
	       !rpt_scrub_keeps(scrub, (enum rpt_scrub_kind)f->kind);
}

uint64_t rpt_scrub_sample_type(const struct rpt_scrub *scrub,
			       uint64_t sample_type)
{
	uint64_t kept = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!is_taken(scrub, &fields[i]))
			kept |= fields[i].bits;
	return sample_type & kept;
}

static uint64_t bit_nr(uint64_t bits)
{
	return (uint64_t)__builtin_popcountll(bits);
}

static void skip_words(struct pd_cursor *c, uint64_t nr)
{
	(void)pd_cursor_u64s(c, nr);
}

static void skip_counts(struct pd_cursor *c, uint64_t format)
{
	const uint64_t times_bits =
		PD_READ_TOTAL_TIME_ENABLED | PD_READ_TOTAL_TIME_RUNNING;
	uint64_t times = bit_nr(format & times_bits);
	uint64_t member = 1 + bit_nr(format & (PD_READ_ID | PD_READ_LOST));
	uint64_t nr = 1;

	if (format & PD_READ_GROUP)
		nr = pd_cursor_u64(c);
	skip_words(c, times);
	if (nr > PD_RECORD_LEN_MAX) /* as in sample.c: too short */
		nr = PD_RECORD_LEN_MAX;
	skip_words(c, nr * member);
}

static void skip_branches(struct pd_cursor *c, uint64_t format)
{
	uint64_t nr = pd_cursor_u64(c);

	if (format & PD_BRANCH_HW_INDEX)
		skip_words(c, 1);
	if (nr > PD_RECORD_LEN_MAX)
		nr = PD_RECORD_LEN_MAX;
	skip_words(c, 3 * nr);
	if (format & PD_BRANCH_COUNTERS)
		skip_words(c, nr);
}

static void skip_regs(struct pd_cursor *c, uint64_t mask)
{
	if (pd_cursor_u64(c) != PD_REGS_ABI_NONE)
		skip_words(c, bit_nr(mask));
}

static void skip_bytes(struct pd_cursor *c, uint64_t len)
{
	(void)pd_cursor_bytes(c, len);
}

static void skip(struct pd_cursor *c, enum shape shape,
		 const struct pd_event *event)
{
	const struct pd_sample_layout *l = &event->layout;
	uint64_t len;

	switch (shape) {
	case WORD:
		skip_words(c, 1);
		return;
	case COUNT:
		skip_counts(c, l->read_format);
		return;
	case CHAIN:
		skip_words(c, pd_cursor_u64(c));
		return;
	case RAW:
		len = pd_cursor_u32(c);
		skip_bytes(c, len + (-(4 + len) & 7));
		return;
	case BRANCHES:
		/* repair has taken out what the attr does not have */
		skip_branches(c, event->attr.branch_sample_type);
		return;
	case USER:
		skip_regs(c, l->regs_user_mask);
		return;
	case INTR:
		skip_regs(c, l->regs_intr_mask);
		return;
	case STACK:
		len = pd_cursor_u64(c);
		skip_bytes(c, len ? len + 8 : 0);
		return;
	case BLOB:
		skip_bytes(c, pd_cursor_u64(c));
		return;
	}
}

/* Return whether a word of a chain may be anything that lay on the stack. */
static bool is_strange(struct rpt_scrub *scrub, uint64_t word, uint64_t mark)
{
	bool is_user = mark != PD_CONTEXT_KERNEL && mark != PD_CONTEXT_HV &&
		       mark != PD_CONTEXT_GUEST_KERNEL &&
		       mark != PD_CONTEXT_GUEST;

	return is_user && word && !rpt_scrub_is_code(scrub, word);
}

/* Copy a chain; words that are no code become 0. */
static void put_chain(struct rpt_scrub *scrub, const struct pd_record *rec,
		      const struct pd_sample *s, struct pd_buf *b)
{
	uint64_t mark = (rec->misc & PD_MISC_CPUMODE_MASK) == PD_CPUMODE_KERNEL
				? PD_CONTEXT_KERNEL
				: PD_CONTEXT_USER;

	pd_buf_u64(b, s->callchain.nr);
	for (size_t i = 0; i < s->callchain.nr; i++) {
		uint64_t word = pd_u64s_at(&s->callchain, i);

		if (word >= PD_CONTEXT_MAX) {
			mark = word;
		} else if (word != s->ip && is_strange(scrub, word, mark)) {
			rpt_scrub_count(scrub, RPT_SCRUB_WORDS, true);
			word = 0;
		}
		pd_buf_u64(b, word);
	}
}

/* Write a sample without what is taken out of it.  Return false if it cannot be
 * read. */
static bool put_sample(struct rpt_scrub *scrub, const struct pd_event *event,
		       const struct pd_record *rec, struct pd_buf *b)
{
	const uint64_t type = event->layout.sample_type;
	struct pd_cursor c = pd_record_body(rec, "sample", NULL);
	size_t at = pd_record_begin(b, PD_RECORD_SAMPLE, rec->misc);
	struct pd_sample s = { .ip = 0 };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct field *f = &fields[i];
		size_t start = c.pos;

		if (!(type & f->bits))
			continue;
		skip(&c, f->shape, event);
		if (pd_cursor_status(&c))
			return false;
		if (f->bits == PD_SAMPLE_IP)
			s.ip = pd_record_word(
				rec, (int)(start + PD_RECORD_HEADER_LEN));
		if (is_taken(scrub, f)) {
			rpt_scrub_count(scrub, (enum rpt_scrub_kind)f->kind,
					true);
		} else if (f->shape == CHAIN &&
			   !rpt_scrub_keeps(scrub, RPT_SCRUB_WORDS)) {
			s.callchain = (struct pd_u64s){
				.raw = c.data + start + 8,
				.nr = (c.pos - start) / 8 - 1,
				.swap = c.swap,
			};
			put_chain(scrub, rec, &s, b);
		} else {
			pd_buf_bytes(b, c.data + start, c.pos - start);
		}
	}
	pd_record_end(b, at);
	return !pd_buf_status(b);
}

bool rpt_scrub_sample(void *ctx, const struct pd_event_set *events,
		      const struct pd_record *rec, struct pd_buf *b)
{
	struct rpt_scrub *scrub = ctx;
	const struct pd_event *event = pd_event_set_of_record(events, rec);

	scrub->is_counted = true;
	return event && put_sample(scrub, event, rec, b);
}
