/* Keys of rows: the words of all sort keys, one after the other. */
#include "report/base/memory.h"
#include "report/rows/rows_impl.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void rpt_row_keys_init(struct rpt_rows *rows)
{
	const struct rpt_sort_keys *keys = &rows->conf.keys;
	uint32_t at = 0;

	for (uint32_t i = 0; i < keys->nr; i++) {
		rows->adding.word_at[i] = at;
		at += keys->items[i].dim->word_nr;
	}
	rows->adding.word_at[keys->nr] = at;
}

/* Set the words of the keys that are taken from the frame, or of those that
 * are not. */
static void set_words(struct rpt_rows *rows, struct rpt_key_source *source,
		      bool is_of_frame)
{
	const struct rpt_sort_keys *keys = &rows->conf.keys;

	source->rows = rows;
	for (uint32_t i = 0; i < keys->nr; i++) {
		source->key = &keys->items[i];
		if ((source->key->dim->side == RPT_OF_FRAME) == is_of_frame)
			source->key->dim->key(source,
					      rows->adding.words +
						      rows->adding.word_at[i]);
	}
}

static size_t words_len(const struct rpt_rows *rows, uint32_t key_nr)
{
	return rows->adding.word_at[key_nr] * sizeof(*rows->adding.words);
}

/* As many bases are known, so that alternating stacks find their numbers. */
#define BASES_NR 64u

uint32_t rpt_row_key_base(struct rpt_rows *rows, struct rpt_key_source *source)
{
	size_t len = words_len(rows, rows->conf.keys.nr);
	size_t base_len = sizeof(uint32_t) + len;
	uint32_t *base;

	if (!rows->adding.bases)
		rows->adding.bases = rpt_alloc_zeroed(BASES_NR, base_len);
	memset(rows->adding.words, 0, len);
	set_words(rows, source, false);
	base = rows->adding.bases + XXH3_64bits(rows->adding.words, len) %
					    BASES_NR *
					    (base_len / sizeof(*base));
	if (!*base || memcmp(base + 1, rows->adding.words, len) != 0) {
		*base = ++rows->adding.bases_nr;
		memcpy(base + 1, rows->adding.words, len);
	}
	return *base;
}

int64_t rpt_row_key_number(struct rpt_rows *rows, struct rpt_key_source *source)
{
	set_words(rows, source, true);
	return rpt_intern(&rows->keys, rows->adding.words,
			  words_len(rows, rows->conf.keys.nr));
}

void rpt_row_key_prefetch(struct rpt_rows *rows, struct rpt_key_source *source)
{
	set_words(rows, source, true);
	rpt_intern_prefetch(&rows->keys, rows->adding.words,
			    words_len(rows, rows->conf.keys.nr));
}

/* The key is longer than any row's own, and differs in length by level. */
size_t rpt_row_key_of_level(struct rpt_rows *rows, uint32_t row, uint32_t level)
{
	uint32_t key_nr = rows->conf.keys.levels[level];
	size_t level_len = words_len(rows, key_nr);
	size_t len = words_len(rows, rows->conf.keys.nr) +
		     (level + 1) * sizeof(*rows->adding.words);

	memcpy(rows->adding.words, rpt_intern_key(&rows->keys, row), level_len);
	memset((char *)rows->adding.words + level_len, 0, len - level_len);
	return len;
}

/* Bytes of a field in texts.fields, with its entry there. */
#define FIELD_LEN 40

size_t rpt_row_key_len_max(const struct rpt_rows *rows)
{
	const struct rpt_sort_keys *keys = &rows->conf.keys;
	size_t len = words_len(rows, keys->nr);

	if (keys->level_nr)
		len += keys->level_nr * sizeof(*rows->adding.words);
	return (len + 7) / 8 * 8 + keys->trace_field_nr * FIELD_LEN;
}
