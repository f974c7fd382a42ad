/* unwind.h: call chains from copies of the user stack.
 *
 * A sample with PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER holds the
 * registers and the top of the stack; the call frame information (.eh_frame,
 * .debug_frame) of the files that were mapped tells how to go from one frame
 * to its caller.  Rows of the table for one address are computed once per
 * (dso, address) and kept (unwind_file.h).
 *
 * On x86_64 frames are those of perf 6.1 with libunwind, but for one case: in a
 * process that called exec twice, perf takes a library's base from the old
 * image where that lay lower, finds no information there and loses the chain;
 * ours goes on.  On the others they are those of gdb (fixtures/stacks).
 *
 *	u = rpt_unwind_new(RPT_ARCH_X86_64);
 *	nr = rpt_unwind_frames(u, &input, ips, max);
 *
 * Each thread has one of its own; what files tell they share.
 */
#ifndef RPT_UNWIND_H
#define RPT_UNWIND_H

#include "report/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rpt_arch {
	RPT_ARCH_OTHER, /* no frames beyond the first */
	RPT_ARCH_X86,	/* of 32 bits, alone or beside ... */
	RPT_ARCH_X86_64,
	RPT_ARCH_AARCH64,
	RPT_ARCH_UNKNOWN, /* what the registers of a sample look like */
};

/* Return the machine of the recording's arch feature ("x86_64", "i686",
 * "aarch64"); it is "" if the recorder was killed. */
enum rpt_arch rpt_arch_of(const char *name, size_t name_len);

/* What is mapped at an address, and all around it: dso address = addr - start +
 * pgoff. */
struct rpt_unwind_map {
	struct rpt_dso *dso;
	uint64_t start;
	uint64_t end;
	uint64_t pgoff;
};

struct rpt_unwind_input {
	uint64_t regs_abi;    /* 1: 32 bits, 2: 64 bits */
	uint64_t regs_mask;   /* attr.sample_regs_user */
	const uint64_t *regs; /* one per bit of regs_mask, lowest first */
	size_t regs_nr;
	const uint8_t *stack; /* bytes from the stack pointer up */
	size_t stack_len;     /* what was really copied (dyn_size) */
	bool swap;	      /* the stack's words are of the other order */
	/* The user map at addr at the sample's time; false: none. */
	bool (*find_map)(void *ctx, uint64_t addr, struct rpt_unwind_map *ret);
	/* find_map() has the same answers for samples with equal space and
	 * map_version.  NULL: for no others. */
	const void *space;
	uint32_t map_version;
	void *ctx;
};

struct rpt_unwind;

/* Copies that frames were looked for in, and those of them that end before the
 * stack does: the next frame lies behind their end. */
struct rpt_unwind_counts {
	uint64_t copies_nr;
	uint64_t short_nr;
};

struct rpt_unwind *rpt_unwind_new(enum rpt_arch arch);
void rpt_unwind_free(struct rpt_unwind *unwind);
struct rpt_unwind_counts rpt_unwind_counts(const struct rpt_unwind *unwind);
/* Set the counts back, because what was counted since is unwound again. */
void rpt_unwind_set_counts(struct rpt_unwind *unwind,
			   struct rpt_unwind_counts counts);

/* Return an unwinder for another thread of the same recording. */
struct rpt_unwind *rpt_unwind_beside(const struct rpt_unwind *unwind);
/* Add other's counts, and free it.  Safe on NULL. */
void rpt_unwind_merge(struct rpt_unwind *unwind, struct rpt_unwind *other);

/* Fills ips, innermost first, and returns how many (at most max; 0 where the
 * registers or the stack are missing).  ips[0] is the sample's own ip; all
 * others are return addresses minus one, as perf 6.1 prints them: the look-up
 * of a symbol wants the call.  What a signal interrupted stands at its own ip;
 * the trampoline between, which nobody called, one byte before its symbol, in
 * perf's output too. */
size_t rpt_unwind_frames(struct rpt_unwind *unwind,
			 const struct rpt_unwind_input *input, uint64_t *ips,
			 size_t max);

#endif
