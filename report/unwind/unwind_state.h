/* unwind_state.h: the frame that an unwinder has reached, what can be read from
 * there, and the ways to go one frame up.  Private to this room.
 *
 * At the first frame all registers are the sample's.  A step to the caller
 * notes for each where its value is now, mostly where on the stack it was
 * saved; it is read only if something asks for it.
 */
#ifndef RPT_UNWIND_STATE_H
#define RPT_UNWIND_STATE_H

#include "report/base/address_hash.h"
#include "report/elf/cfi.h"
#include "report/symbols/unwind_file.h"
#include "report/unwind/unwind.h"
#include "report/unwind/unwind_arch.h"

/* The place of a register's value, of the current frame. */
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
	struct rpt_unwind_map map;	  /* found last; dso NULL: none */
	struct rpt_address_hash row_idxs; /* by offset in a DSO's file */
	const struct rpt_cfi_row **rows;  /* the files'; row_idxs.nr of them */
	uint32_t rows_cap;
	uint64_t regs[64];   /* by perf's numbers */
	uint64_t regs_known; /* bit mask */
	uint64_t stack_start;
	struct rpt_unwind_location columns[RPT_CFI_COLUMNS];
	uint64_t ip;
	uint64_t cfa;
	bool is_call;	     /* ip is behind the call instruction */
	bool is_believed;    /* ip is one by rpt_unwind_is_return(), without a
			      * look at its code */
	bool is_cfa_guessed; /* the callee's frame may end above cfa */
	bool is_short; /* words behind the end of the copy were asked for */
	struct rpt_unwind_counts counts;
};

/* Wrap a computed address to the processor's word length. */
static inline uint64_t rpt_unwind_addr(const struct rpt_unwind *u, uint64_t sum)
{
	return u->arch->word_len == sizeof(uint64_t) ? sum : sum & UINT32_MAX;
}

/* Return the address of the instruction that the frame is at. */
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
	u->is_cfa_guessed = false;
}

/* Set u->map to the map at addr.  Return false if there is none. */
bool rpt_unwind_find_map(struct rpt_unwind *u, uint64_t addr);

/* Return the file of u->map, or NULL if it cannot be read or is another
 * processor's. */
struct rpt_unwind_file *rpt_unwind_map_file(struct rpt_unwind *u);

/* Return len bytes of the mapped file at addr, whose map becomes u->map, or
 * NULL if they cannot be read. */
const uint8_t *rpt_unwind_bytes(struct rpt_unwind *u, uint64_t addr,
				size_t len);

/* Return what call frame information says of the code at addr, whose map
 * becomes u->map, or NULL if its file has none; row->is_known is false if it
 * has none for this address. */
const struct rpt_cfi_row *rpt_unwind_row(struct rpt_unwind *u, uint64_t addr);

/* Return the symbol at addr, whose map becomes u->map, or NULL. */
const struct rpt_symbol *rpt_unwind_symbol(struct rpt_unwind *u, uint64_t addr);

/* Read a word of the stack's copy. */
bool rpt_unwind_stack_word(struct rpt_unwind *u, uint64_t addr, uint64_t *ret);
/* Read a word of the stack or of a mapped file; ctx is the struct rpt_unwind.
 */
bool rpt_unwind_memory(void *ctx, uint64_t addr, uint64_t *ret);

/* Read a register.  Return false if its value is not known. */
bool rpt_unwind_sample_reg(const struct rpt_unwind *u, unsigned reg,
			   uint64_t *ret);
bool rpt_unwind_read(struct rpt_unwind *u,
		     const struct rpt_unwind_location *location, uint64_t *ret);

/* Return a return address as it was before the processor signed it. */
static inline uint64_t rpt_unwind_strip(struct rpt_unwind *u, uint64_t addr)
{
	return u->arch->strip ? u->arch->strip(u, addr) : addr;
}

/* Return whether a function that has a name starts at addr. */
bool rpt_unwind_is_start(struct rpt_unwind *u, uint64_t addr);

/* Return whether addr is in code, behind a call or where a signal handler
 * returns to, as far as that can be known. */
bool rpt_unwind_is_return(struct rpt_unwind *u, uint64_t addr);

/* By the frame pointer: it points to the caller's, which the return address
 * follows.  It has to lie above the frame, in the copy, and the return address
 * behind a call, as far as that can be known. */
bool rpt_unwind_by_chain(struct rpt_unwind *u);
/* For x86_64 code without information: as a PLT slot, as a function that has
 * just been entered if it was generated, or by the frame pointer. */
bool rpt_unwind_guess_x86_64(struct rpt_unwind *u);
/* For aarch64 code without information: as a leaf (a PLT slot is one, too), or
 * by the frame record. */
bool rpt_unwind_guess_aarch64(struct rpt_unwind *u);
/* From the code that a signal handler returns to, to what was interrupted. */
bool rpt_unwind_signal_aarch64(struct rpt_unwind *u);

/* Return whether the last instruction of code[0..len) is a call. */
bool rpt_is_call_x86(const uint8_t *code, size_t len);
bool rpt_is_call_aarch64(const uint8_t *code, size_t len);

uint64_t rpt_unwind_strip_aarch64(struct rpt_unwind *u, uint64_t addr);

#define RPT_AARCH64_LINK	  30u /* return address of a call */
#define RPT_AARCH64_SIGRETURN_LEN 8
#define RPT_AARCH64_PROLOGUE_LEN  12

/* Return whether code is "mov x8, #139; svc #0", to which a signal handler
 * returns, in the vdso or in a C library. */
bool rpt_aarch64_is_sigreturn(const uint8_t code[RPT_AARCH64_SIGRETURN_LEN]);

/* Return the length of the frame that a function makes with its frame record at
 * the bottom, by "stp x29, x30, [sp, #-len]!" among its first instructions; if
 * there is none, 16, that of the record alone. */
uint64_t rpt_aarch64_frame_len(const uint8_t code[RPT_AARCH64_PROLOGUE_LEN]);

#endif
