/* sample.h: reads samples, with a layout that is computed once for each attr.
 *
 *	struct pd_sample_layout layout;
 *	pd_sample_layout_init(&layout, &attr);
 *	pd_sample_read(&layout, &rec, &sample, &err);
 *
 * Order of the fields: Linux v6.19 kernel/events/core.c,
 * perf_output_sample(); FORMAT.md "Samples".  Arrays (struct pd_u64s) stay in
 * the bytes of the file and are valid as long as the record.
 */
#ifndef PD_SAMPLE_H
#define PD_SAMPLE_H

#include "format/file/attr.h"
#include "format/records/record.h"

struct pd_sample_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t regs_user_mask;
	uint64_t regs_intr_mask;
	uint16_t fixed_len;  /* body bytes of IDENTIFIER .. PERIOD */
	uint16_t id_len;     /* bytes of the sample_id trailer; 0 without it */
	int16_t time_off;    /* of the time in a sample; -1: it has none */
	int16_t id_off;	     /* of IDENTIFIER, or ID; -1: it has neither */
	int16_t id_off_back; /* of the id in other records, from the end */
	int16_t time_off_back; /* of the time in others, from the end; or -1 */
	uint64_t default_period;
};

/* One counter of PERF_SAMPLE_READ. */
struct pd_read_value {
	uint64_t value;
	uint64_t id;
	uint64_t lost;
};

struct pd_sample_counts {
	uint64_t nr; /* 1, or the members of the group */
	uint64_t time_enabled;
	uint64_t time_running;
	uint64_t read_format;
	struct pd_u64s words; /* pd_sample_count_at() reads them */
};

struct pd_sample_regs {
	uint64_t abi; /* PD_REGS_ABI_*; 0: there are none */
	uint64_t mask;
	struct pd_u64s regs; /* one for each bit of mask, the lowest first */
};

/* Large: one member for each field that a sample can have. */
struct pd_sample {
	uint64_t present; /* PD_SAMPLE_* bits; fields without theirs are 0 */
	uint16_t misc;
	uint64_t id; /* IDENTIFIER or ID */
	uint64_t ip;
	uint32_t pid;
	uint32_t tid;
	uint64_t time_ns;
	uint64_t addr;
	uint64_t stream_id;
	uint32_t cpu;
	uint64_t period; /* default_period without PD_SAMPLE_PERIOD */
	struct pd_sample_counts counts;
	struct pd_u64s callchain;
	const uint8_t *raw; /* in the byte order of the file */
	uint32_t raw_len;
	uint64_t branch_hw_idx;
	bool is_chain_of_branches; /* pd_sample_chain_of_branches() made it */
	struct pd_u64s branches;   /* 3 words each: from, to, flags */
	struct pd_u64s branch_counters;
	struct pd_sample_regs regs_user;
	const uint8_t *stack; /* not NULL if a copy was asked for */
	size_t stack_len;     /* of the copy in the record */
	size_t stack_dyn_len; /* how much of the copy is stack */
	uint64_t weight;      /* or var1_dw */
	uint16_t ins_lat;     /* var2_w */
	uint16_t p_stage_cyc; /* var3_w */
	uint64_t data_src;
	uint64_t transaction;
	struct pd_sample_regs regs_intr;
	uint64_t phys_addr;
	uint64_t cgroup_id;
	uint64_t data_page_size;
	uint64_t code_page_size;
	const uint8_t *aux;
	size_t aux_len;
	size_t fields_len; /* of header and fields; the rest is padding */
};

void pd_sample_layout_init(struct pd_sample_layout *ret,
			   const struct pd_attr *attr);

/* Decode all fields.  Return -ENODATA if the record is too short for them.
 * Every length and count is checked; nothing is allocated. */
int pd_sample_read(const struct pd_sample_layout *layout,
		   const struct pd_record *rec, struct pd_sample *ret,
		   struct pd_err *err);

/* Return only the time; 0 if the sample has none. */
static inline uint64_t pd_sample_time_of(const struct pd_sample_layout *layout,
					 const struct pd_record *rec)
{
	return layout->time_off < 0 ? 0 : pd_record_word(rec, layout->time_off);
}

/* Return what is aarch64's link register if the sample was taken on such a
 * machine; 0 if it has no such register or no call chain. */
uint64_t pd_sample_link(const struct pd_sample *sample);

/* The most words of a call chain: those that a record can hold. */
#define PD_SAMPLE_CHAIN_NR (PD_RECORD_LEN_MAX / 8)

/* If the branch stack is one of calls (PD_BRANCH_CALL_STACK), make it the user
 * part of the call chain, as perf does: the kernel part, then the target of the
 * last branch, then the places that branched, the latest first.  The new chain
 * is in room[PD_SAMPLE_CHAIN_NR].  Change nothing if there is no such stack, or
 * no mark of the user part. */
void pd_sample_chain_of_branches(const struct pd_sample_layout *layout,
				 struct pd_sample *sample, uint64_t *room);

/* One entry of the branch stack.  flags has the bits of a little-endian
 * machine, whatever the byte order of the file: mispred 0, predicted 1, in_tx
 * 2, abort 3, cycles 4..19, type 20..23, spec 24..25, new_type 26..29,
 * priv 30..32. */
struct pd_branch {
	uint64_t from;
	uint64_t to;
	uint64_t flags;
};

/* Return how many entries the branch stack has. */
static inline size_t pd_sample_branch_nr(const struct pd_sample *sample)
{
	return sample->branches.nr / 3;
}

/* Return entry idx < pd_sample_branch_nr(). */
struct pd_branch pd_sample_branch_at(const struct pd_sample *sample,
				     size_t idx);

/* Return counter idx < counts->nr of PERF_SAMPLE_READ. */
struct pd_read_value pd_sample_count_at(const struct pd_sample_counts *counts,
					size_t idx);

#endif
