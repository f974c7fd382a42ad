/* unwind_state.h: the frame that a chain has got to, and what can be read from
 * there.  Inside of unwinding: for unwind.c and the files of unwind_steps.h.
 *
 * At the first frame all registers are the sample's.  A step to the caller says
 * of each where its value is now, mostly where on the stack it was saved; it is
 * read if something asks for it.
 */
#ifndef RPT_UNWIND_STATE_H
#define RPT_UNWIND_STATE_H

#include "report/elf/cfi.h"
#include "report/unwind/unwind.h"
#include "report/unwind/unwind_arch.h"
#include "report/symbols/unwind_file.h"

#define RPT_UNWIND_MAPS_NR 8u

/* Where the value of a register of the current frame is. */
enum rpt_unwind_where {
	RPT_IN_NOWHERE,
	RPT_IN_SAMPLE, /* in the sample's registers, column at */
	RPT_IN_MEMORY, /* at address at */
	RPT_IS_VALUE,  /* at itself */
};

struct rpt_unwind_location {
	enum rpt_unwind_where where;
	uint64_t at;
};

struct rpt_unwind {
	enum rpt_arch machine;		    /* the recording's */
	const struct rpt_unwind_arch *arch; /* the sample's */
	const struct rpt_unwind_input *input;
	struct rpt_unwind_map map; /* the last one found; dso NULL: none */
	/* Those found before in the same state of a space: chains go to and
	 * fro between few files, and so do samples that follow each other. */
	struct rpt_unwind_map maps[RPT_UNWIND_MAPS_NR];
	size_t maps_nr; /* that there were */
	const void *space;
	uint32_t map_version;
	uint64_t regs[64];   /* by perf's numbers */
	uint64_t regs_known; /* bit mask */
	uint64_t stack_start;
	struct rpt_unwind_location columns[RPT_CFI_COLUMNS];
	uint64_t ip;
	uint64_t cfa;
	bool is_call;  /* ip is behind the call instruction */
	bool is_short; /* words behind the end of the copy were asked for */
	struct rpt_unwind_counts counts;
};

/* An address that was computed: on machines of 32 bits it wraps. */
static inline uint64_t rpt_unwind_addr(const struct rpt_unwind *u, uint64_t sum)
{
	return u->arch->word_len == sizeof(uint64_t) ? sum : sum & UINT32_MAX;
}

/* The address of the instruction that the frame is at. */
static inline uint64_t rpt_unwind_code_addr(const struct rpt_unwind *u)
{
	return u->ip - (u->is_call ? 1 : 0);
}

/* Go on to the caller's frame. */
static inline void rpt_unwind_to_caller(struct rpt_unwind *u, uint64_t ip,
					uint64_t cfa)
{
	u->ip = ip;
	u->cfa = cfa;
	u->is_call = true;
}

/* Forget maps of other samples, before the first frame of u->input. */
void rpt_unwind_start_maps(struct rpt_unwind *u);
/* Set u->map to the map at addr.  Return false if there is none. */
bool rpt_unwind_find_map(struct rpt_unwind *u, uint64_t addr);

/* Return the file of u->map, or NULL if it cannot be read or is another
 * processor's. */
struct rpt_unwind_file *rpt_unwind_map_file(struct rpt_unwind *u);

/* Return len bytes of the mapped file at addr, whose map becomes u->map, or
 * NULL if they cannot be read. */
const uint8_t *rpt_unwind_bytes(struct rpt_unwind *u, uint64_t addr,
				size_t len);

/* Read a word of the stack or of a mapped file; ctx is the struct rpt_unwind.
 */
bool rpt_unwind_memory(void *ctx, uint64_t addr, uint64_t *ret);

/* Read a register.  Return false if its value is not known. */
bool rpt_unwind_sample_reg(const struct rpt_unwind *u, unsigned reg,
			   uint64_t *ret);
bool rpt_unwind_read(struct rpt_unwind *u,
		     const struct rpt_unwind_location *location, uint64_t *ret);

/* A return address as it was before the processor signed it. */
static inline uint64_t rpt_unwind_bare(struct rpt_unwind *u, uint64_t addr)
{
	return u->arch->bare ? u->arch->bare(u, addr) : addr;
}

#endif
