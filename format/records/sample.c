#include "format/records/sample.h"

#include "format/file/layout.h"

/* The first fields, of one word each. */
#define FIXED_BITS                                             \
	(PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP | PD_SAMPLE_TID | \
	 PD_SAMPLE_TIME | PD_SAMPLE_ADDR | PD_SAMPLE_ID |      \
	 PD_SAMPLE_STREAM_ID | PD_SAMPLE_CPU | PD_SAMPLE_PERIOD)

/* The fields of the sample_id trailer, one word each, in their order. */
static const uint64_t trailer_order[] = {
	PD_SAMPLE_TID,	     PD_SAMPLE_TIME, PD_SAMPLE_ID,
	PD_SAMPLE_STREAM_ID, PD_SAMPLE_CPU,  PD_SAMPLE_IDENTIFIER,
};
#define TRAILER_NR (sizeof(trailer_order) / sizeof(trailer_order[0]))

static uint16_t words_len(uint64_t bits)
{
	return (uint16_t)(8 * __builtin_popcountll(bits));
}

/* Return the offset of one fixed field in a sample record, or -1. */
static int16_t fixed_off(uint64_t sample_type, uint64_t bit)
{
	static const uint64_t order[] = {
		PD_SAMPLE_IDENTIFIER, PD_SAMPLE_IP,   PD_SAMPLE_TID,
		PD_SAMPLE_TIME,	      PD_SAMPLE_ADDR, PD_SAMPLE_ID,
	};
	int16_t off = PD_RECORD_HEADER_LEN;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!(sample_type & order[i]))
			continue;
		if (order[i] == bit)
			return off;
		off = (int16_t)(off + 8);
	}
	return -1;
}

/* Return the distance of one trailer field from the end of a record, or -1. */
static int16_t trailer_off_back(uint64_t sample_type, uint64_t bit)
{
	int16_t off = 0;

	for (size_t i = TRAILER_NR; i-- > 0;) {
		if (!(sample_type & trailer_order[i]))
			continue;
		off = (int16_t)(off + 8);
		if (trailer_order[i] == bit)
			return off;
	}
	return -1;
}

static void init_trailer(struct pd_sample_layout *l)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < TRAILER_NR; i++)
		bits |= l->sample_type & trailer_order[i];
	l->id_len = words_len(bits);
	l->time_off_back = trailer_off_back(bits, PD_SAMPLE_TIME);
	l->id_off_back = trailer_off_back(bits, PD_SAMPLE_IDENTIFIER);
	if (l->id_off_back < 0)
		l->id_off_back = trailer_off_back(bits, PD_SAMPLE_ID);
}

void pd_sample_layout_init(struct pd_sample_layout *ret,
			   const struct pd_attr *attr)
{
	*ret = (struct pd_sample_layout){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.branch_sample_type = attr->branch_sample_type,
		.regs_user_mask = attr->sample_regs_user,
		.regs_intr_mask = attr->sample_regs_intr,
		.fixed_len = words_len(attr->sample_type & FIXED_BITS),
		.time_off = fixed_off(attr->sample_type, PD_SAMPLE_TIME),
		.id_off = fixed_off(attr->sample_type, PD_SAMPLE_IDENTIFIER),
		.id_off_back = -1,
		.time_off_back = -1,
		.default_period = attr->sample_period,
	};
	if (ret->id_off < 0)
		ret->id_off = fixed_off(attr->sample_type, PD_SAMPLE_ID);
	if (attr->flags & PD_ATTR_SAMPLE_ID_ALL)
		init_trailer(ret);
}

/* Reads the fixed fields, which are all there, one after the other. */
struct words {
	const uint8_t *at;
	bool swap;
};

static uint64_t next_word(struct words *w)
{
	uint64_t v;

	memcpy(&v, w->at, sizeof(v));
	w->at += sizeof(v);
	return w->swap ? __builtin_bswap64(v) : v;
}

/* Read a word that is two numbers of 32 bits. */
static uint32_t next_pair(struct words *w, uint32_t *ret_second)
{
	uint32_t v[2];

	memcpy(v, w->at, sizeof(v));
	w->at += sizeof(v);
	*ret_second = w->swap ? __builtin_bswap32(v[1]) : v[1];
	return w->swap ? __builtin_bswap32(v[0]) : v[0];
}

static void read_fixed(struct pd_cursor *c, const struct pd_sample_layout *l,
		       struct pd_sample *s)
{
	struct words w = { pd_cursor_bytes(c, l->fixed_len), c->swap };
	uint64_t bits = l->sample_type;
	uint32_t reserved;

	if (!w.at)
		return;
	if (bits & PD_SAMPLE_IDENTIFIER)
		s->id = next_word(&w);
	if (bits & PD_SAMPLE_IP)
		s->ip = next_word(&w);
	if (bits & PD_SAMPLE_TID)
		s->pid = next_pair(&w, &s->tid);
	if (bits & PD_SAMPLE_TIME)
		s->time_ns = next_word(&w);
	if (bits & PD_SAMPLE_ADDR)
		s->addr = next_word(&w);
	if (bits & PD_SAMPLE_ID)
		s->id = next_word(&w);
	if (bits & PD_SAMPLE_STREAM_ID)
		s->stream_id = next_word(&w);
	if (bits & PD_SAMPLE_CPU)
		s->cpu = next_pair(&w, &reserved);
	if (bits & PD_SAMPLE_PERIOD)
		s->period = next_word(&w);
}

static unsigned words_of(uint64_t read_format, uint64_t bits)
{
	return (unsigned)__builtin_popcountll(read_format & bits);
}

#define READ_TIMES (PD_READ_TOTAL_TIME_ENABLED | PD_READ_TOTAL_TIME_RUNNING)
#define READ_EXTRA (PD_READ_ID | PD_READ_LOST) /* behind each value */

/* value, [enabled], [running], [id], [lost] */
static void read_count_alone(struct pd_cursor *c, uint64_t format,
			     struct pd_sample_counts *ret)
{
	size_t at = 1;

	ret->nr = 1;
	ret->words = pd_cursor_u64s(c, 1 + words_of(format, READ_TIMES) +
					       words_of(format, READ_EXTRA));
	if (!ret->words.raw)
		return;
	if (format & PD_READ_TOTAL_TIME_ENABLED)
		ret->time_enabled = pd_u64s_at(&ret->words, at++);
	if (format & PD_READ_TOTAL_TIME_RUNNING)
		ret->time_running = pd_u64s_at(&ret->words, at);
}

/* nr, [enabled], [running], { value, [id], [lost] }[nr] */
static void read_count_group(struct pd_cursor *c, uint64_t format,
			     struct pd_sample_counts *ret)
{
	uint64_t nr = pd_cursor_u64(c);

	if (format & PD_READ_TOTAL_TIME_ENABLED)
		ret->time_enabled = pd_cursor_u64(c);
	if (format & PD_READ_TOTAL_TIME_RUNNING)
		ret->time_running = pd_cursor_u64(c);
	if (nr > pd_cursor_left(c) / 8) {
		pd_cursor_short(c);
		return;
	}
	ret->words = pd_cursor_u64s(c, nr * (1 + words_of(format, READ_EXTRA)));
	if (!pd_cursor_status(c))
		ret->nr = nr;
}

static void read_counts(struct pd_cursor *c, uint64_t format,
			struct pd_sample_counts *ret)
{
	ret->read_format = format;
	if (format & PD_READ_GROUP)
		read_count_group(c, format, ret);
	else
		read_count_alone(c, format, ret);
}

struct pd_read_value pd_sample_count_at(const struct pd_sample_counts *counts,
					size_t idx)
{
	uint64_t format = counts->read_format;
	size_t at = idx * (1 + words_of(format, READ_EXTRA));
	struct pd_read_value v = { 0 };

	v.value = pd_u64s_at(&counts->words, at++);
	if (!(format & PD_READ_GROUP))
		at += words_of(format, READ_TIMES);
	if (format & PD_READ_ID)
		v.id = pd_u64s_at(&counts->words, at++);
	if (format & PD_READ_LOST)
		v.lost = pd_u64s_at(&counts->words, at);
	return v;
}

static void read_raw(struct pd_cursor *c, struct pd_sample *s)
{
	s->raw_len = pd_cursor_u32(c);
	s->raw = pd_cursor_bytes(c, s->raw_len);
	/* The kernel pads size and data together to a multiple of 8. */
	pd_cursor_skip(c, (size_t) - (4 + s->raw_len) % 8);
	if (!s->raw)
		s->raw_len = 0;
}

static void read_branches(struct pd_cursor *c, const struct pd_sample_layout *l,
			  struct pd_sample *s)
{
	uint64_t nr = pd_cursor_u64(c);

	if (l->branch_sample_type & PD_BRANCH_HW_INDEX)
		s->branch_hw_idx = pd_cursor_u64(c);
	if (nr > pd_cursor_left(c) / 24) {
		pd_cursor_short(c);
		return;
	}
	s->branches = pd_cursor_u64s(c, nr * 3);
	if (l->branch_sample_type & PD_BRANCH_COUNTERS)
		s->branch_counters = pd_cursor_u64s(c, nr);
}

/* Return flags of a big-endian producer, whose compiler lays bit fields from
 * the top, as those of a little-endian one: each field moves to the place that
 * is as far from the other end. */
static uint64_t turn_branch_flags(uint64_t v)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 };
	uint64_t turned = 0;
	unsigned low = 0;

	for (size_t i = 0; i < sizeof(widths); i++) {
		unsigned high = 64 - low - widths[i];

		turned |= (v >> high & (PD_BIT(widths[i]) - 1)) << low;
		low += widths[i];
	}
	return turned;
}

uint64_t pd_sample_link(const struct pd_sample *sample)
{
	const struct pd_sample_regs *regs = &sample->regs_user;
	size_t idx = (size_t)__builtin_popcountll(regs->mask &
						  (PD_REGS_AARCH64_LR - 1));

	return sample->callchain.nr && regs->abi == PD_REGS_ABI_64 &&
			       regs->mask & PD_REGS_AARCH64_LR &&
			       idx < regs->regs.nr
		       ? pd_u64s_at(&regs->regs, idx)
		       : 0;
}

struct pd_branch pd_sample_branch_at(const struct pd_sample *sample, size_t idx)
{
	struct pd_branch branch = {
		.from = pd_u64s_at(&sample->branches, idx * 3),
		.to = pd_u64s_at(&sample->branches, idx * 3 + 1),
		.flags = pd_u64s_at(&sample->branches, idx * 3 + 2),
	};

	if (sample->branches.swap != PD_HOST_IS_BIG_ENDIAN)
		branch.flags = turn_branch_flags(branch.flags);
	return branch;
}

void pd_sample_chain_of_branches(const struct pd_sample_layout *layout,
				 struct pd_sample *sample, uint64_t *room)
{
	size_t branch_nr = pd_sample_branch_nr(sample), nr = 0;
	bool is_user = false;

	if (!(layout->branch_sample_type & PD_BRANCH_CALL_STACK) || !branch_nr)
		return;
	while (nr < sample->callchain.nr && !is_user) {
		room[nr] = pd_u64s_at(&sample->callchain, nr);
		is_user = room[nr++] == PD_CONTEXT_USER;
	}
	if (!is_user)
		return;
	room[nr++] = pd_sample_branch_at(sample, 0).to;
	for (size_t i = 0; i < branch_nr; i++)
		room[nr++] = pd_sample_branch_at(sample, i).from;
	sample->callchain = (struct pd_u64s){
		.raw = (const uint8_t *)room,
		.nr = nr,
	};
	sample->is_chain_of_branches = true;
}

static void read_regs(struct pd_cursor *c, uint64_t mask,
		      struct pd_sample_regs *ret)
{
	ret->abi = pd_cursor_u64(c);
	if (ret->abi == PD_REGS_ABI_NONE)
		return;
	ret->mask = mask;
	ret->regs = pd_cursor_u64s(c, (uint64_t)__builtin_popcountll(mask));
}

static void read_stack(struct pd_cursor *c, struct pd_sample *s)
{
	uint64_t len = pd_cursor_u64(c), dyn_len;

	s->stack = pd_cursor_bytes(c, len);
	if (!len)
		return;
	dyn_len = pd_cursor_u64(c);
	if (dyn_len > len)
		pd_cursor_fail(c, -EBADMSG,
			       "user stack of %llu bytes in a copy of %llu",
			       (unsigned long long)dyn_len,
			       (unsigned long long)len);
	if (pd_cursor_status(c))
		return;
	s->stack_len = (size_t)len;
	s->stack_dyn_len = (size_t)dyn_len;
}

static void read_weight(struct pd_cursor *c, uint64_t bits, struct pd_sample *s)
{
	uint64_t v = pd_cursor_u64(c);

	s->weight = v;
	if (!(bits & PD_SAMPLE_WEIGHT_STRUCT))
		return;
	s->weight = (uint32_t)v;
	s->ins_lat = (uint16_t)(v >> 32);
	s->p_stage_cyc = (uint16_t)(v >> 48);
}

#define TAIL_BITS                                                            \
	(PD_SAMPLE_WEIGHT | PD_SAMPLE_WEIGHT_STRUCT | PD_SAMPLE_DATA_SRC |   \
	 PD_SAMPLE_TRANSACTION | PD_SAMPLE_REGS_INTR | PD_SAMPLE_PHYS_ADDR | \
	 PD_SAMPLE_CGROUP | PD_SAMPLE_DATA_PAGE_SIZE |                       \
	 PD_SAMPLE_CODE_PAGE_SIZE | PD_SAMPLE_AUX)

static void read_tail(struct pd_cursor *c, const struct pd_sample_layout *l,
		      struct pd_sample *s)
{
	uint64_t bits = l->sample_type;

	if (bits & (PD_SAMPLE_WEIGHT | PD_SAMPLE_WEIGHT_STRUCT))
		read_weight(c, bits, s);
	if (bits & PD_SAMPLE_DATA_SRC)
		s->data_src = pd_cursor_u64(c);
	if (bits & PD_SAMPLE_TRANSACTION)
		s->transaction = pd_cursor_u64(c);
	if (bits & PD_SAMPLE_REGS_INTR)
		read_regs(c, l->regs_intr_mask, &s->regs_intr);
	if (bits & PD_SAMPLE_PHYS_ADDR)
		s->phys_addr = pd_cursor_u64(c);
	if (bits & PD_SAMPLE_CGROUP)
		s->cgroup_id = pd_cursor_u64(c);
	if (bits & PD_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = pd_cursor_u64(c);
	if (bits & PD_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = pd_cursor_u64(c);
	if (bits & PD_SAMPLE_AUX) {
		uint64_t len = pd_cursor_u64(c);

		s->aux = pd_cursor_bytes(c, len);
		s->aux_len = s->aux ? (size_t)len : 0;
	}
}

/* Clear a sample piece by piece.  For a struct of this length compilers use one
 * instruction, which takes as long as all the decoding. */
static void clear(struct pd_sample *s)
{
	static const struct {
		uint64_t words[8];
	} zero;
	uint8_t *at = (uint8_t *)s;
	size_t left = sizeof(*s);

	for (; left >= sizeof(zero); left -= sizeof(zero)) {
		memcpy(at, &zero, sizeof(zero));
		at += sizeof(zero);
	}
	memset(at, 0, sizeof(*s) % sizeof(zero));
}

int pd_sample_read(const struct pd_sample_layout *layout,
		   const struct pd_record *rec, struct pd_sample *ret,
		   struct pd_err *err)
{
	struct pd_cursor c = pd_record_body(rec, "sample", err);
	uint64_t bits = layout->sample_type;

	clear(ret);
	ret->present = bits;
	ret->misc = rec->misc;
	ret->period = layout->default_period;
	read_fixed(&c, layout, ret);
	if (bits & PD_SAMPLE_READ)
		read_counts(&c, layout->read_format, &ret->counts);
	if (bits & PD_SAMPLE_CALLCHAIN)
		ret->callchain = pd_cursor_u64s(&c, pd_cursor_u64(&c));
	if (bits & PD_SAMPLE_RAW)
		read_raw(&c, ret);
	if (bits & PD_SAMPLE_BRANCH_STACK)
		read_branches(&c, layout, ret);
	if (bits & PD_SAMPLE_REGS_USER)
		read_regs(&c, layout->regs_user_mask, &ret->regs_user);
	if (bits & PD_SAMPLE_STACK_USER)
		read_stack(&c, ret);
	if (bits & TAIL_BITS)
		read_tail(&c, layout, ret);
	ret->fields_len = PD_RECORD_HEADER_LEN + c.pos;
	return pd_cursor_status(&c);
}
