/* What a recording that was not closed looks like: FORMAT.md "Checkpoints". */
#include "format/base/damage.h"
#include "format/reader/reader_impl.h"

#include <string.h>

#define FEATURE_ENTRY_LEN 16u

/* True if these are the features of a recording of ours that was not closed,
 * whose payloads stand before their table (FORMAT.md "Checkpoints"). */
static bool is_checkpoint(const struct pd_reader *r)
{
	const uint64_t *bits = r->header.features;
	const uint64_t table = r->header.data.off + r->header.data.len;
	const uint64_t ours =
		PD_BIT(PD_FEATURE_TRACING_DATA) | PD_BIT(PD_FEATURE_COMPRESSED);
	struct pd_cursor c;

	if (!bits[0] || bits[0] & ~ours || bits[1] || bits[2] || bits[3])
		return false;
	if (bits[0] == PD_BIT(PD_FEATURE_TRACING_DATA))
		return true;
	if (table < r->header.data.off || table > r->len)
		return false;
	pd_cursor_init(&c, r->base + table, (size_t)(r->len - table), table,
		       "feature table");
	c.swap = r->header.swap;
	return pd_cursor_u64(&c) < table && !pd_cursor_status(&c);
}

/* True if the feature table is in its place, and each payload in the file. */
static bool has_sound_table(const struct pd_reader *r, uint64_t off)
{
	struct pd_cursor c;

	if (off > r->len)
		return false;
	pd_cursor_init(&c, r->base + off, (size_t)(r->len - off), off,
		       "feature table");
	c.swap = r->header.swap;
	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++) {
		uint64_t at, len;

		if (!pd_file_header_has(&r->header, bit))
			continue;
		at = pd_cursor_u64(&c);
		len = pd_cursor_u64(&c);
		if (at > r->len || len > r->len - at)
			return false;
	}
	return !pd_cursor_status(&c);
}

/* True if the recorder was killed.  perf leaves a length of 0, and bits for
 * features that it did not write; ours leaves the length of its last checkpoint
 * and no bits but those of its table. */
static bool is_unfinished(const struct pd_reader *r)
{
	const struct pd_section *said = &r->header.data;

	if (r->has_trailer || said->off > r->len ||
	    said->len >= r->len - said->off)
		return false;
	if (!pd_file_header_has_any(&r->header) || is_checkpoint(r))
		return true;
	return !said->len && !has_sound_table(r, said->off);
}

/* Find the feature table behind the last checkpoint, which is amid the data if
 * more was written. */
static void find_checkpoint_table(struct pd_reader *r)
{
	r->table_off = r->header.data.off + r->header.data.len;
	r->table_len = 0;
	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++)
		if (pd_file_header_has(&r->header, bit))
			r->table_len += FEATURE_ENTRY_LEN;
}

void pd_reader_find_unfinished(struct pd_reader *r)
{
	const struct pd_section *said = &r->header.data;
	struct pd_err err = PD_ERR_INIT;

	if (!is_unfinished(r))
		return;
	pd_err_at(&err, -ENODATA, said->off + said->len,
		  "the recording was not closed");
	pd_damage_add(&r->damage, PD_DAMAGE_UNFINISHED, 0, &err);
	r->is_unfinished = true;
	r->data.len = r->len - said->off;
	if (said->len && is_checkpoint(r))
		find_checkpoint_table(r);
	else
		memset(r->header.features, 0, sizeof(r->header.features));
}
