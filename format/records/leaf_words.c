#include "format/records/leaf_words.h"

/* A word: u8 mark, u8 offset in words, 48 bits of the address; from the top. */
#define MARK	   UINT64_C(0x4c)
#define MARK_SHIFT 56
#define OFF_SHIFT  PD_LEAF_ADDR_BITS

uint64_t pd_leaf_word(unsigned off, uint64_t addr)
{
	return MARK << MARK_SHIFT | (uint64_t)(off / 8) << OFF_SHIFT | addr;
}

static unsigned off_of(uint64_t word)
{
	return (unsigned)(word >> OFF_SHIFT & 0xff) * 8;
}

static bool are_words(const struct pd_u64s *words)
{
	uint64_t before = 0;

	for (size_t i = 0; i < words->nr; i++) {
		uint64_t word = pd_u64s_at(words, i);

		if (word >> MARK_SHIFT != MARK ||
		    off_of(word) >= PD_LEAF_STACK_LEN ||
		    (i && off_of(word) <= off_of(before)))
			return false;
		before = word;
	}
	return true;
}

struct pd_u64s pd_leaf_words(const struct pd_record *rec,
			     const struct pd_sample *sample)
{
	struct pd_u64s words = {
		.raw = rec->data + sample->fields_len,
		.nr = (rec->len - sample->fields_len) / 8,
		.swap = rec->swap,
	};

	if (!words.nr || words.nr > PD_LEAF_WORDS_NR ||
	    (rec->len - sample->fields_len) % 8 || !are_words(&words))
		words.nr = 0;
	return words;
}

uint64_t pd_leaf_words_find(const struct pd_u64s *words, uint64_t off)
{
	for (size_t i = 0; i < words->nr; i++)
		if (off_of(pd_u64s_at(words, i)) == off)
			return pd_leaf_word_addr(pd_u64s_at(words, i));
	return 0;
}
