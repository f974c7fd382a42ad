/* leaf_words.h: return addresses from the top of the stack, which our recorder
 * puts behind the fields of samples with -g on x86_64 (FORMAT.md
 * "Words of the leaf's stack").
 *
 * A chain of frame pointers lacks the callers of functions without a frame.
 * Which word is such a caller is for the reader to find, by call frame
 * information.  perf passes over what is behind the fields.
 */
#ifndef PD_LEAF_WORDS_H
#define PD_LEAF_WORDS_H

#include "format/records/sample.h"

enum {
	PD_LEAF_STACK_LEN = 64, /* from the stack pointer up */
	PD_LEAF_WORDS_NR = 8,	/* of a sample, at most */
	PD_LEAF_ADDR_BITS = 48,
};

/* Return the word that says: addr, below 2^48, is off bytes above the stack
 * pointer; off is a multiple of 8 below PD_LEAF_STACK_LEN. */
uint64_t pd_leaf_word(unsigned off, uint64_t addr);

/* Return the words of a sample that pd_sample_read() decoded out of rec, by
 * ascending offset; none if what stands there is not all such words. */
struct pd_u64s pd_leaf_words(const struct pd_record *rec,
			     const struct pd_sample *sample);

/* Return the address of one of them. */
static inline uint64_t pd_leaf_word_addr(uint64_t word)
{
	return word & ((UINT64_C(1) << PD_LEAF_ADDR_BITS) - 1);
}

/* Return the address that is off bytes above the stack pointer; 0 if it is not
 * known. */
uint64_t pd_leaf_words_find(const struct pd_u64s *words, uint64_t off);

#endif
