/* sample.h: PERF_RECORD_SAMPLE, by a decoder compiled once per attr.
 *
 *	struct pd_sample_layout layout;
 *	pd_sample_layout_init(&layout, &attr);
 *	pd_sample_read(&layout, &rec, &sample, &err);
 *
 * Order of the fields: Linux v6.19 kernel/events/core.c,
 * perf_output_sample(); FORMAT.md "Samples".  Arrays stay where they are in
 * the file's bytes (struct pd_u64s) and live as long as the record.
 */
#ifndef PD_SAMPLE_H
#define PD_SAMPLE_H

#include "format/attr.h"
#include "format/record.h"

struct pd_sample_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t regs_user_mask;
	uint64_t regs_intr_mask;
	uint16_t fixed_len;  /* body bytes of IDENTIFIER .. PERIOD */
	uint16_t id_len;     /* bytes of the sample_id trailer; 0 without it */
	int16_t time_off;    /* in the record, from its header; -1: no such */
	int16_t id_off;	     /* IDENTIFIER or ID; -1 without either */
	int16_t id_off_back; /* of the id from the end of other records */
	int16_t time_off_back; /* of the time, likewise; -1: no such */
	uint64_t default_period;
};

/* One counter of PERF_SAMPLE_READ. */
struct pd_read_value {
	uint64_t value;
	uint64_t id;
	uint64_t lost;
};

struct pd_sample_counts {
	uint64_t nr; /* 1, or the group's members */
	uint64_t time_enabled;
	uint64_t time_running;
	uint64_t read_format;
	struct pd_u64s words; /* the values, see pd_sample_count_at() */
};

struct pd_sample_regs {
	uint64_t abi; /* PD_REGS_ABI_*; 0: none were taken */
	uint64_t mask;
	struct pd_u64s regs; /* one per bit of mask, lowest first */
};

/* Large: one member for each field that a sample can have. */
struct pd_sample {
	uint64_t present; /* PD_SAMPLE_* bits; sub-fields below are 0 without */
	uint16_t misc;
	uint64_t id; /* IDENTIFIER or ID */
	uint64_t ip;
	uint32_t pid;
	uint32_t tid;
	uint64_t time_ns;
	uint64_t addr;
	uint64_t stream_id;
	uint32_t cpu;
	uint64_t period; /* default_period where the bit is absent */
	struct pd_sample_counts counts;
	struct pd_u64s callchain;
	const uint8_t *raw; /* bytes of the producer's byte order */
	uint32_t raw_len;
	uint64_t branch_hw_idx;
	bool is_chain_of_branches; /* pd_sample_chain_of_branches() */
	struct pd_u64s branches;   /* 3 words each: from, to, flags */
	struct pd_u64s branch_counters;
	struct pd_sample_regs regs_user;
	const uint8_t *stack;	/* non-NULL where a copy was asked for */
	uint64_t stack_len;	/* bytes that the record holds */
	uint64_t stack_dyn_len; /* bytes of them that are stack */
	uint64_t weight;	/* or var1_dw */
	uint16_t ins_lat;	/* var2_w */
	uint16_t p_stage_cyc;	/* var3_w */
	uint64_t data_src;
	uint64_t transaction;
	struct pd_sample_regs regs_intr;
	uint64_t phys_addr;
	uint64_t cgroup_id;
	uint64_t data_page_size;
	uint64_t code_page_size;
	const uint8_t *aux;
	uint64_t aux_len;
	size_t fields_len; /* bytes of the record that all that takes */
};

void pd_sample_layout_init(struct pd_sample_layout *ret,
			   const struct pd_attr *attr);

/* Decodes all fields.  -ENODATA where the record is too short for what the
 * attr says.  Every length and count is checked; no allocation. */
int pd_sample_read(const struct pd_sample_layout *layout,
		   const struct pd_record *rec, struct pd_sample *ret,
		   struct pd_err *err);

/* The time alone; 0 where the record has none. */
static inline uint64_t pd_sample_time_of(const struct pd_sample_layout *layout,
					 const struct pd_record *rec)
{
	return layout->time_off < 0 ? 0 : pd_record_word(rec, layout->time_off);
}

/* Room for any call chain, in words: what a record holds. */
#define PD_SAMPLE_CHAIN_NR (PD_RECORD_LEN_MAX / 8)

/* Where the branch stack is one of calls (PD_BRANCH_CALL_STACK), makes it the
 * user part of the call chain, as perf does: kernel entries, then the last
 * branch's target and the places that branched, latest first.  The new chain
 * goes to room[PD_SAMPLE_CHAIN_NR]; without such a stack or without a mark of
 * the user part nothing changes. */
void pd_sample_chain_of_branches(const struct pd_sample_layout *layout,
				 struct pd_sample *sample, uint64_t *room);

/* One entry of the branch stack; flags have the bits of a little-endian
 * machine whatever the file's order: mispred 0, predicted 1, in_tx 2, abort 3,
 * cycles 4..19, type 20..23, spec 24..25, new_type 26..29, priv 30..32. */
struct pd_branch {
	uint64_t from;
	uint64_t to;
	uint64_t flags;
};

/* How many entries the branch stack has: three words each. */
static inline size_t pd_sample_branch_nr(const struct pd_sample *sample)
{
	return sample->branches.nr / 3;
}

/* Entry idx < pd_sample_branch_nr(). */
struct pd_branch pd_sample_branch_at(const struct pd_sample *sample,
				     size_t idx);

/* Counter idx < counts.nr of PERF_SAMPLE_READ. */
struct pd_read_value pd_sample_count_at(const struct pd_sample_counts *counts,
					size_t idx);

#endif
