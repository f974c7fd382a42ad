#include "record/ring/own_stack.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "format/file/layout.h"

/* The stack pointer's bit in sample_regs_user: Linux v6.12
 * arch/ARCH/include/uapi/asm/perf_regs.h. */
#if defined(__x86_64__) || defined(__i386__)
enum { SP_BIT = 7 };
#elif defined(__aarch64__)
enum { SP_BIT = 31 };
#elif defined(__arm__)
enum { SP_BIT = 13 };
#elif defined(__riscv)
enum { SP_BIT = 2 };
#else
enum { SP_BIT = -1 }; /* stack copies cannot be asked for */
#endif

enum {
	VECTOR_LEN_MAX = 1024, /* of the auxiliary vector */
	GAP_LEN_MAX = 16,      /* between it and the random bytes: alignment */
	/* The types of a vector's entries are less, and so is the number of
	 * pointers to arguments in a copy; addresses are not. */
	NUMBER_MAX = 65535,
	/* Pairs of words that look like AT_RANDOM; three of 394 copies of a
	 * node had one. */
	TRIES = 64,
};

/* A copy, in words of one width. */
struct words {
	const uint8_t *bytes;
	uint64_t addr; /* of the first */
	size_t nr;
	size_t width; /* 4 or 8 */
};

static inline uint64_t word_of(const uint8_t *bytes, size_t width)
{
	uint64_t word;
	uint32_t half;

	if (width == sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		return word;
	}
	memcpy(&half, bytes, sizeof(half));
	return half;
}

static uint64_t word_at(const struct words *words, size_t idx)
{
	return word_of(words->bytes + idx * words->width, words->width);
}

/* Return the index of the next pair of words from idx on that may be AT_RANDOM,
 * since the second points to a place not far above; nr if there is none.  width
 * is words->width, as a constant: this reads each word of each copy. */
static inline size_t find_random(const struct words *words, size_t idx,
				 size_t width)
{
	const uint8_t *at = words->bytes + idx * width;

	for (; idx + 1 < words->nr; idx++, at += width) {
		if (word_of(at, width) == AT_RANDOM &&
		    word_of(at + width, width) - words->addr - idx * width <=
			    VECTOR_LEN_MAX)
			return idx;
	}
	return words->nr;
}

/* An entry of the vector has a type; the end, a NULL or an address has none. */
static bool is_entry(const struct words *words, size_t idx)
{
	uint64_t type = word_at(words, idx);

	return type && type <= NUMBER_MAX;
}

/* If the pair at idx is the AT_RANDOM of a whole vector, which has AT_PAGESZ,
 * too, and lies right below what it points to, return true and the index of the
 * vector's first entry. */
static bool find_vector(const struct words *words, size_t idx, size_t *ret)
{
	const size_t max = VECTOR_LEN_MAX / words->width;
	size_t first = idx, end = idx;
	bool has_page_len = false;

	while (first >= 2 && idx - first < max && is_entry(words, first - 2)) {
		first -= 2;
		has_page_len |= word_at(words, first) == AT_PAGESZ;
	}
	while (end + 3 < words->nr && end - idx < max && is_entry(words, end))
		end += 2;
	*ret = first;
	end += 2; /* AT_NULL */
	return has_page_len && !word_at(words, end - 2) &&
	       word_at(words, idx + 1) - words->addr - end * words->width <
		       GAP_LEN_MAX;
}

/* Return the index of argc.  A program may have taken pointers out of the
 * lists, so that these end earlier, but argv[argc] stays NULL.  If it did more,
 * return vector: the strings are above it anyway. */
static size_t block_start(const struct words *words, size_t vector)
{
	size_t idx = vector, argc;

	while (idx && (!word_at(words, idx - 1) ||
		       word_at(words, idx - 1) > NUMBER_MAX))
		idx--;
	if (!idx)
		return vector;
	argc = (size_t)word_at(words, --idx); /* at most NUMBER_MAX */
	return idx + 1 + argc < vector && !word_at(words, idx + 1 + argc)
		       ? idx
		       : vector;
}

/* Return how many of len bytes are below the block, if its words are that
 * wide; len if it is not found. */
static uint64_t len_below_block(const struct pd_sample *sample, uint64_t sp,
				uint64_t len, size_t width)
{
	uint64_t odd_len = -sp % width;
	struct words words = { .width = width };
	size_t idx = 0, vector;

	if (len <= odd_len)
		return len;
	words.bytes = sample->stack + odd_len;
	words.addr = sp + odd_len;
	words.nr = (size_t)((len - odd_len) / width);
	for (int i = 0; i < TRIES && idx < words.nr; i++, idx++) {
		idx = width == 8 ? find_random(&words, idx, 8)
				 : find_random(&words, idx, 4);
		if (idx < words.nr && find_vector(&words, idx, &vector))
			return odd_len + block_start(&words, vector) * width +
			       REC_OWN_STACK_MORE_LEN;
	}
	return len;
}

static bool read_sp(const struct pd_sample_regs *regs, uint64_t *ret)
{
	uint64_t bit = SP_BIT < 0 ? 0 : PD_BIT(SP_BIT & 63);
	size_t idx = (size_t)__builtin_popcountll(regs->mask & (bit - 1));

	if (!(regs->mask & bit) || idx >= regs->regs.nr)
		return false;
	*ret = pd_u64s_at(&regs->regs, idx);
	return true;
}

uint64_t rec_own_stack_len(const struct pd_sample *sample)
{
	uint64_t len = sample->stack_dyn_len < sample->stack_len
			       ? sample->stack_dyn_len
			       : sample->stack_len;
	bool is_32 = sample->regs_user.abi == PD_REGS_ABI_32;
	uint64_t sp, own_len = len;

	if (!read_sp(&sample->regs_user, &sp))
		return len;
	if (!is_32)
		own_len = len_below_block(sample, sp, len, 8);
	/* Programs of the x32 ABI have short pointers in 64-bit registers. */
	if (own_len == len && (is_32 || sp <= UINT32_MAX))
		own_len = len_below_block(sample, sp, len, 4);
	return own_len;
}
