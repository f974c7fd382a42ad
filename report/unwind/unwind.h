/* unwind.h: call chains from copies of the user stack.
 *
 * A sample with PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER holds the
 * registers and the top of the stack; the call frame information (.eh_frame,
 * .debug_frame) of the mapped files, or of a jitdump, says how to go from one
 * frame to its caller.  Code that was generated without such information is
 * left by the frame pointer (unwind_chain.c).
 *
 * On x86_64 frames are those of perf 6.1 with libunwind, except in a process
 * that called exec twice: if a library lay lower in the old image, perf takes
 * its base from there, finds no information and loses the chain; except in
 * generated code, at which it ends; this code goes on; and except where only
 * the frame pointer leads on: what is no return address ends the chain.  On the
 * other processors frames are those of gdb (fixtures/stacks), with the same
 * exception.
 *
 *	u = rpt_unwind_new(RPT_ARCH_X86_64);
 *	nr = rpt_unwind_frames(u, &input, ips, max);
 *
 * Each thread has its own unwinder; the files (unwind_file.h) are shared.
 */
#ifndef RPT_UNWIND_H
#define RPT_UNWIND_H

#include "report/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rpt_arch {
	RPT_ARCH_OTHER, /* no frames beyond the first */
	RPT_ARCH_X86,	/* 32 bits, of a whole machine or of one process */
	RPT_ARCH_X86_64,
	RPT_ARCH_AARCH64,
	RPT_ARCH_UNKNOWN, /* a sample's registers show which */
};

/* Return the machine by the recording's arch feature: "x86_64", "i686",
 * "aarch64"; "" if the recorder was killed. */
enum rpt_arch rpt_arch_of(const char *name, size_t name_len);

/* A mapping: dso address = addr - start + pgoff. */
struct rpt_unwind_map {
	struct rpt_dso *dso;
	uint64_t start;
	uint64_t end;
	uint64_t pgoff;
	bool is_code; /* it may be executed */
};

struct rpt_unwind_input {
	uint64_t regs_abi;    /* 1: 32 bits, 2: 64 bits */
	uint64_t regs_mask;   /* attr.sample_regs_user */
	const uint64_t *regs; /* one per bit of regs_mask, lowest first */
	size_t regs_nr;
	const uint8_t *stack; /* bytes from the stack pointer up */
	size_t stack_len;     /* copied bytes (dyn_size) */
	bool swap;	      /* the stack's words are of the other order */
	/* Find the user map at addr at the sample's time.  Return false if
	 * there is none. */
	bool (*find_map)(void *ctx, uint64_t addr, struct rpt_unwind_map *ret);
	void *ctx;
};

struct rpt_unwind;

struct rpt_unwind_counts {
	uint64_t copies_nr; /* stack copies that were unwound */
	uint64_t short_nr;  /* of these, copies that end inside a frame */
};

struct rpt_unwind *rpt_unwind_new(enum rpt_arch arch);
void rpt_unwind_free(struct rpt_unwind *unwind);
struct rpt_unwind_counts rpt_unwind_counts(const struct rpt_unwind *unwind);

/* Return an unwinder for another thread of the same recording. */
struct rpt_unwind *rpt_unwind_beside(const struct rpt_unwind *unwind);
/* Add other's counts, and free it.  Safe on NULL. */
void rpt_unwind_merge(struct rpt_unwind *unwind, struct rpt_unwind *other);

/* Fill ips, innermost first, and return how many there are: at most max; 0 if
 * the registers or the stack are missing.  ips[0] is the sample's own ip; the
 * others are return addresses minus one, as perf 6.1 prints them, so that the
 * symbol is that of the call.  A function that a signal interrupted is shown at
 * its own ip, and the trampoline above it, which nobody called, one byte before
 * its symbol, as in perf. */
size_t rpt_unwind_frames(struct rpt_unwind *unwind,
			 const struct rpt_unwind_input *input, uint64_t *ips,
			 size_t max);

/* Return where the aarch64 function at ip returns to, if its chain of frame
 * pointers lacks that: link, the link register as it was sampled, without a
 * signature.  Return 0 if the chain has it or if this is not known.
 *
 * Call frame information tells that link is not saved, or that it is but that
 * the frame pointer is still the caller's, by the code that follows.  Without
 * information only PLT slots are known.  Of the input, registers and stack are
 * not read. */
uint64_t rpt_unwind_leaf_caller(struct rpt_unwind *unwind,
				const struct rpt_unwind_input *input,
				uint64_t ip, uint64_t link);

/* Find where the x86_64 function at ip returns to, and so on, as far as call
 * frame information finds return addresses by the stack pointer: functions that
 * have no frame pointer, not yet, or no more.  words are what was kept of the
 * stack (leaf_words.h).  Fill callers[max] with return addresses, each of which
 * is behind a call as far as that can be known, and return how many.  Of the
 * input, registers and stack are not read. */
size_t rpt_unwind_leaf_words(struct rpt_unwind *unwind,
			     const struct rpt_unwind_input *input, uint64_t ip,
			     const struct pd_u64s *words, uint64_t *callers,
			     size_t max);

#endif
