/* made_sample.h: writes sample records, as the mirror of pd_sample_read().  No
 * program writes samples: they copy those of the kernel. */
#ifndef MADE_SAMPLE_H
#define MADE_SAMPLE_H

#include "format/file/layout.h"
#include "format/records/sample.h"

static inline void made_fixed(struct pd_buf *b, uint64_t bits,
			      const struct pd_sample *s)
{
	if (bits & PD_SAMPLE_IDENTIFIER)
		pd_buf_u64(b, s->id);
	if (bits & PD_SAMPLE_IP)
		pd_buf_u64(b, s->ip);
	if (bits & PD_SAMPLE_TID) {
		pd_buf_u32(b, s->pid);
		pd_buf_u32(b, s->tid);
	}
	if (bits & PD_SAMPLE_TIME)
		pd_buf_u64(b, s->time_ns);
	if (bits & PD_SAMPLE_ADDR)
		pd_buf_u64(b, s->addr);
	if (bits & PD_SAMPLE_ID)
		pd_buf_u64(b, s->id);
	if (bits & PD_SAMPLE_STREAM_ID)
		pd_buf_u64(b, s->stream_id);
	if (bits & PD_SAMPLE_CPU) {
		pd_buf_u32(b, s->cpu);
		pd_buf_u32(b, 0);
	}
	if (bits & PD_SAMPLE_PERIOD)
		pd_buf_u64(b, s->period);
}

static inline void made_counts(struct pd_buf *b,
			       const struct pd_sample_counts *n)
{
	bool group = n->read_format & PD_READ_GROUP;

	if (group)
		pd_buf_u64(b, n->nr);
	else
		pd_buf_u64(b, pd_sample_count_at(n, 0).value);
	if (n->read_format & PD_READ_TOTAL_TIME_ENABLED)
		pd_buf_u64(b, n->time_enabled);
	if (n->read_format & PD_READ_TOTAL_TIME_RUNNING)
		pd_buf_u64(b, n->time_running);
	for (size_t i = 0; i < n->nr; i++) {
		struct pd_read_value v = pd_sample_count_at(n, i);

		if (group)
			pd_buf_u64(b, v.value);
		if (n->read_format & PD_READ_ID)
			pd_buf_u64(b, v.id);
		if (n->read_format & PD_READ_LOST)
			pd_buf_u64(b, v.lost);
	}
}

/* Return flags, which have the bits of a little-endian machine, as this
 * machine's compiler lays them. */
static inline uint64_t made_branch_flags(uint64_t flags)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 };
	uint64_t turned = 0;
	unsigned low = 0;

	if (!PD_HOST_IS_BIG_ENDIAN)
		return flags;
	for (size_t i = 0; i < sizeof(widths); i++) {
		turned |= (flags >> low & (PD_BIT(widths[i]) - 1))
			  << (64 - low - widths[i]);
		low += widths[i];
	}
	return turned;
}

static inline void made_branches(struct pd_buf *b, uint64_t branch_sample_type,
				 const struct pd_sample *s)
{
	pd_buf_u64(b, pd_sample_branch_nr(s));
	if (branch_sample_type & PD_BRANCH_HW_INDEX)
		pd_buf_u64(b, s->branch_hw_idx);
	for (size_t i = 0; i < pd_sample_branch_nr(s); i++) {
		struct pd_branch branch = pd_sample_branch_at(s, i);

		pd_buf_u64(b, branch.from);
		pd_buf_u64(b, branch.to);
		pd_buf_u64(b, made_branch_flags(branch.flags));
	}
	if (branch_sample_type & PD_BRANCH_COUNTERS)
		pd_buf_u64s(b, &s->branch_counters);
}

static inline void made_regs(struct pd_buf *b, const struct pd_sample_regs *r)
{
	pd_buf_u64(b, r->abi);
	if (r->abi != PD_REGS_ABI_NONE)
		pd_buf_u64s(b, &r->regs);
}

static inline void made_weight(struct pd_buf *b, uint64_t bits,
			       const struct pd_sample *s)
{
	if (bits & PD_SAMPLE_WEIGHT_STRUCT)
		pd_buf_u64(b, (uint32_t)s->weight | (uint64_t)s->ins_lat << 32 |
				      (uint64_t)s->p_stage_cyc << 48);
	else
		pd_buf_u64(b, s->weight);
}

static inline void made_raw_and_stack(struct pd_buf *b,
				      const struct pd_sample_layout *l,
				      const struct pd_sample *s)
{
	uint64_t bits = l->sample_type;

	if (bits & PD_SAMPLE_RAW) {
		pd_buf_u32(b, s->raw_len);
		pd_buf_bytes(b, s->raw, s->raw_len);
		pd_buf_zero(b, (size_t) - (4 + s->raw_len) % 8);
	}
	if (bits & PD_SAMPLE_BRANCH_STACK)
		made_branches(b, l->branch_sample_type, s);
	if (bits & PD_SAMPLE_REGS_USER)
		made_regs(b, &s->regs_user);
	if (bits & PD_SAMPLE_STACK_USER) {
		pd_buf_u64(b, s->stack_len);
		pd_buf_bytes(b, s->stack, s->stack_len);
		if (s->stack_len)
			pd_buf_u64(b, s->stack_dyn_len);
	}
}

static inline void made_tail(struct pd_buf *b, uint64_t bits,
			     const struct pd_sample *s)
{
	if (bits & (PD_SAMPLE_WEIGHT | PD_SAMPLE_WEIGHT_STRUCT))
		made_weight(b, bits, s);
	if (bits & PD_SAMPLE_DATA_SRC)
		pd_buf_u64(b, s->data_src);
	if (bits & PD_SAMPLE_TRANSACTION)
		pd_buf_u64(b, s->transaction);
	if (bits & PD_SAMPLE_REGS_INTR)
		made_regs(b, &s->regs_intr);
	if (bits & PD_SAMPLE_PHYS_ADDR)
		pd_buf_u64(b, s->phys_addr);
	if (bits & PD_SAMPLE_CGROUP)
		pd_buf_u64(b, s->cgroup_id);
	if (bits & PD_SAMPLE_DATA_PAGE_SIZE)
		pd_buf_u64(b, s->data_page_size);
	if (bits & PD_SAMPLE_CODE_PAGE_SIZE)
		pd_buf_u64(b, s->code_page_size);
	if (bits & PD_SAMPLE_AUX) {
		pd_buf_u64(b, s->aux_len);
		pd_buf_bytes(b, s->aux, s->aux_len);
	}
}

/* Append a sample record; arrays that the sample points to are copied. */
static inline void made_sample_write(struct pd_buf *b,
				     const struct pd_sample_layout *layout,
				     const struct pd_sample *sample)
{
	uint64_t bits = layout->sample_type;
	size_t start = pd_record_begin(b, PD_RECORD_SAMPLE, sample->misc);

	made_fixed(b, bits, sample);
	if (bits & PD_SAMPLE_READ)
		made_counts(b, &sample->counts);
	if (bits & PD_SAMPLE_CALLCHAIN) {
		pd_buf_u64(b, sample->callchain.nr);
		pd_buf_u64s(b, &sample->callchain);
	}
	made_raw_and_stack(b, layout, sample);
	made_tail(b, bits, sample);
	pd_record_end(b, start);
}

#endif
