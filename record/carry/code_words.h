/* code_words.h: which words of a stack copy point into code of the process.
 *
 * Nothing is unwound: each word that points into an executable map may be a
 * return address.  Most words of a stack are none, so they are passed over by a
 * bit map of the process's code, which has false positives.  The bit maps of
 * some processes are kept, in fixed memory.
 */
#ifndef REC_CODE_WORDS_H
#define REC_CODE_WORDS_H

#include "record/carry/address_spaces.h"

struct rec_code_words;

struct rec_code_words_input {
	const struct rec_address_spaces *spaces; /* with the process's maps */
	uint32_t pid;
	bool is_32; /* words of 4 bytes */
	/* Called with the address before a word that may point into code: the
	 * last byte of the call, if it is a return address. */
	void (*see)(void *ctx, uint32_t pid, uint64_t addr);
	void *ctx;
};

/* Return NULL if there is no memory; free() frees it. */
struct rec_code_words *rec_code_words_new(void);

/* The process has one more map. */
void rec_code_words_forget(struct rec_code_words *words, uint32_t pid);

void rec_code_words_see(struct rec_code_words *words,
			const struct rec_code_words_input *in,
			const uint64_t *list, size_t nr);
/* The same for the words of a copy, this machine's. */
void rec_code_words_see_stack(struct rec_code_words *words,
			      const struct rec_code_words_input *in,
			      const uint8_t *stack, uint64_t len);

#endif
