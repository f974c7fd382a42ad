#include "record/carry/code_words.h"

#include <stdlib.h>
#include <string.h>

enum {
	KEPT_NR = 64,	 /* bit maps of processes */
	GRAIN_BITS = 16, /* a bit is for 64 KiB, and for all 256 MiB */
	BIT_NR = 4096,
};

/* The ranges of a process that hold code. */
struct code_map {
	uint32_t pid;
	bool is_made;
	uint64_t lo; /* of all maps */
	uint64_t hi;
	uint64_t bits[BIT_NR / 64];
};

struct rec_code_words {
	struct code_map kept[KEPT_NR];
};

struct rec_code_words *rec_code_words_new(void)
{
	return calloc(1, sizeof(struct rec_code_words));
}

/* A word behind the last byte may be a return address, too. */
static void add_map(void *ctx, uint64_t start, uint64_t end)
{
	struct code_map *code = ctx;
	uint64_t first = start >> GRAIN_BITS, last = end >> GRAIN_BITS;

	if (end < start)
		return;
	if (start < code->lo)
		code->lo = start;
	if (end > code->hi)
		code->hi = end;
	if (last - first >= BIT_NR) {
		memset(code->bits, 0xff, sizeof(code->bits));
		return;
	}
	for (uint64_t i = first; i <= last; i++)
		code->bits[i % BIT_NR / 64] |= UINT64_C(1) << i % 64;
}

void rec_code_words_forget(struct rec_code_words *words, uint32_t pid)
{
	struct code_map *code = &words->kept[pid % KEPT_NR];

	if (code->pid == pid)
		code->is_made = false;
}

static const struct code_map *map_of(struct rec_code_words *words,
				     const struct rec_code_words_input *in)
{
	struct code_map *code = &words->kept[in->pid % KEPT_NR];

	if (code->is_made && code->pid == in->pid)
		return code;
	*code = (struct code_map){
		.pid = in->pid,
		.is_made = true,
		.lo = UINT64_MAX,
	};
	rec_address_spaces_walk(in->spaces, in->pid, add_map, code);
	return code;
}

static inline bool is_code(const struct code_map *code, uint64_t word)
{
	return word - code->lo <= code->hi - code->lo &&
	       code->bits[(word >> GRAIN_BITS) % BIT_NR / 64] >>
			       (word >> GRAIN_BITS) % 64 &
		       1;
}

/* A word whose upper bits are not 0 may be an address that the processor signed
 * (FEAT_PAuth); the reader tries the same numbers of bits. */
static void see_signed(const struct code_map *code,
		       const struct rec_code_words_input *in, uint64_t word)
{
	static const uint8_t addr_bits[] = { 52, 48, 47, 42, 39, 36 };

	for (size_t i = 0; i < sizeof(addr_bits); i++) {
		uint64_t bare = word & ((UINT64_C(1) << addr_bits[i]) - 1);

		if (bare != word && is_code(code, bare))
			in->see(in->ctx, in->pid, bare - 1);
	}
}

#ifdef __aarch64__
enum { ARE_SIGNED = 1 };
#else
enum { ARE_SIGNED = 0 };
#endif

static inline void see(const struct code_map *code,
		       const struct rec_code_words_input *in, uint64_t word)
{
	if (is_code(code, word))
		in->see(in->ctx, in->pid, word - 1);
	if (ARE_SIGNED && word >> 36 && word != UINT64_MAX)
		see_signed(code, in, word);
}

void rec_code_words_see(struct rec_code_words *words,
			const struct rec_code_words_input *in,
			const uint64_t *list, size_t nr)
{
	const struct code_map *code = map_of(words, in);

	for (size_t i = 0; i < nr && code->hi; i++)
		see(code, in, list[i]);
}

void rec_code_words_see_stack(struct rec_code_words *words,
			      const struct rec_code_words_input *in,
			      const uint8_t *stack, uint64_t len)
{
	const struct code_map *code = map_of(words, in);
	uint64_t at, word;
	uint32_t half;

	if (!code->hi)
		return;
	if (!in->is_32) {
		for (at = 0; at + sizeof(word) <= len; at += sizeof(word)) {
			memcpy(&word, stack + at, sizeof(word));
			see(code, in, word);
		}
		return;
	}
	for (at = 0; at + sizeof(half) <= len; at += sizeof(half)) {
		memcpy(&half, stack + at, sizeof(half));
		see(code, in, half);
	}
}
