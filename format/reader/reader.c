#include "format/reader/reader.h"

#include <stdlib.h>
#include <string.h>

#include "format/base/damage.h"
#include "format/base/hash.h"
#include "format/base/limits.h"
#include "format/carried/carried_stream.h"
#include "format/file/feature.h"
#include "format/file/file_sums.h"
#include "format/reader/reader_impl.h"

/* A recording that was not closed: FORMAT.md "Checkpoints". */

#define FEATURE_ENTRY_LEN 16u

/* True if these are the features of a recording of ours that was not closed,
 * whose payloads stand before their table (FORMAT.md "Checkpoints"). */
static bool is_checkpoint(const struct pd_reader *r)
{
	const uint64_t *bits = r->header.features;
	const uint64_t table = r->header.data.off + r->header.data.len;
	const uint64_t either =
		PD_BIT(PD_FEATURE_TRACING_DATA) | PD_BIT(PD_FEATURE_COMPRESSED);
	const uint64_t ours = either | PD_BIT(PD_FEATURE_HOSTNAME);
	struct pd_cursor c;

	if (!(bits[0] & either) || bits[0] & ~ours || bits[1] || bits[2] ||
	    bits[3])
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

/* If the recorder was killed, add that to the damage, make all up to the end of
 * the file the data section, and set table_off and table_len, or remove feature
 * bits for which there is no table. */
static void reader_find_unfinished(struct pd_reader *r)
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

const struct pd_file_header *pd_reader_header(const struct pd_reader *r)
{
	return &r->header;
}

const struct pd_event_set *pd_reader_events(const struct pd_reader *r)
{
	return &r->events;
}

const struct pd_damage *pd_reader_damage(const struct pd_reader *r)
{
	return &r->damage;
}

const struct pd_trailer *pd_reader_trailer(const struct pd_reader *r)
{
	return r->has_trailer ? &r->trailer : NULL;
}

/* perf leaves a length of 0. */
bool pd_reader_is_unfinished(const struct pd_reader *r)
{
	return r->is_unfinished && r->header.data.len;
}

int pd_reader_carried(struct pd_reader *r, struct pd_carried *ret,
		      struct pd_err *err)
{
	if (r->has_carried) {
		*ret = r->carried;
		r->has_carried = false;
		return 0;
	}
	return pd_carried_read(r->base, r->len, &r->trailer, ret, err);
}

bool pd_reader_feature(const struct pd_reader *r, enum pd_feature bit,
		       struct pd_cursor *ret)
{
	const struct pd_payload *p = &r->features[bit];
	const char *what = pd_feature_name(bit);

	if (!p->data)
		return false;
	pd_cursor_init(ret, p->data, p->len, p->off, what ? what : "feature");
	ret->swap = r->header.swap;
	return true;
}

struct pd_str pd_reader_string(const struct pd_reader *r, enum pd_feature bit)
{
	struct pd_cursor c;
	struct pd_str s;

	if (!pd_reader_feature(r, bit, &c) || pd_feature_string_read(&c, &s))
		return (struct pd_str){ "", 0 };
	return s;
}

struct pd_chunk pd_reader_data(const struct pd_reader *r)
{
	struct pd_section last = pd_reader_part(r, r->part_nr);

	return (struct pd_chunk){
		.file_off = r->data.off,
		.len = last.off + last.len - r->data.off,
		.has_sideband = true,
		.time_hi_ns = UINT64_MAX,
	};
}

struct pd_section pd_reader_data_section(const struct pd_reader *r)
{
	return r->data;
}

bool pd_reader_has_parts(const struct pd_reader *r)
{
	return r->part_nr;
}

int pd_reader_add_part(struct pd_reader *r, const struct pd_section *part)
{
	struct pd_section *parts =
		reallocarray(r->parts, r->part_nr + 1, sizeof(*parts));
	struct pd_record rec;
	uint64_t next;

	if (!parts)
		return -ENOMEM;
	r->parts = parts;
	r->parts[r->part_nr++] = *part;
	if (part->len &&
	    !pd_reader_raw_record(r, part->off, part->off + part->len, &rec,
				  &next, NULL) &&
	    rec.type == PD_RECORD_COMPRESSED2)
		r->has_compressed2 = true;
	pd_reader_find_needed_perf(r);
	return 0;
}

/* Set r->data to as much of the data section as is there.  If the recorder was
 * killed, everything up to the end of the file may be data. */
static void find_data(struct pd_reader *r)
{
	const struct pd_section *said = &r->header.data;
	struct pd_err err = PD_ERR_INIT;

	r->data = (struct pd_section){ said->off, said->len };
	if (r->header.is_pipe) {
		r->data.off = PD_PIPE_HEADER_LEN;
		r->data.len = r->len - PD_PIPE_HEADER_LEN;
		return;
	}
	if (said->off > r->len) {
		pd_err_at(&err, -ENODATA, r->len,
			  "the file ends before its data section");
		pd_damage_add(&r->damage, PD_DAMAGE_CUT, 0, &err);
		r->data = (struct pd_section){ r->len, 0 };
	} else if (said->len > r->len - said->off) {
		pd_err_at(&err, -ENODATA, r->len,
			  "the file ends inside its data section");
		pd_damage_add(&r->damage, PD_DAMAGE_CUT,
			      said->len - (r->len - said->off), &err);
		r->data.len = r->len - said->off;
	} else {
		reader_find_unfinished(r);
	}
}

/* Read one entry of the feature table. */
static void read_feature(struct pd_reader *r, struct pd_cursor *table,
			 unsigned bit)
{
	struct pd_err err = PD_ERR_INIT;
	uint64_t entry_off = table->file_off + table->pos;
	uint64_t off = pd_cursor_u64(table);
	uint64_t len = pd_cursor_u64(table);

	if (pd_cursor_status(table))
		return;
	if (off > r->len || len > r->len - off) {
		pd_err_at(&err, -ENODATA, entry_off,
			  "the file ends before its feature %u", bit);
		pd_damage_add(&r->damage, PD_DAMAGE_FEATURE, 0, &err);
		/* the formats in front of the end are useful */
		if (bit != PD_FEATURE_TRACING_DATA || off >= r->len)
			return;
		len = r->len - off;
	}
	r->features[bit] = (struct pd_payload){
		.data = r->base + off,
		.len = (size_t)len,
		.off = off,
	};
}

static void read_feature_table(struct pd_reader *r)
{
	uint64_t off = r->header.data.off + r->header.data.len;
	struct pd_err err = PD_ERR_INIT;
	struct pd_cursor table;

	if (r->header.is_pipe || !pd_file_header_has_any(&r->header))
		return;
	if (off < r->header.data.off || off > r->len)
		off = r->len;
	pd_cursor_init(&table, r->base + off, (size_t)(r->len - off), off,
		       "feature table");
	table.swap = r->header.swap;
	table.err = &err;
	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++)
		if (pd_file_header_has(&r->header, bit))
			read_feature(r, &table, bit);
	if (pd_cursor_status(&table))
		pd_damage_add(&r->damage, PD_DAMAGE_FEATURE, 0, &err);
}

/* Compare the file with the checksums of the trailer.  No byte is in two of
 * them, so that all together are no longer than the file. */
static void check_sums(struct pd_reader *r)
{
	uint64_t left = r->len;

	for (size_t i = 0; i < r->trailer.sum_nr; i++) {
		const struct pd_trailer_sum *sum = &r->trailer.sums[i];
		struct pd_err err = PD_ERR_INIT;
		bool fits = sum->len <= left;
		char name[48];

		left -= fits ? sum->len : 0;
		if (fits && pd_file_sum_holds(sum, r->base, r->len))
			continue;
		pd_file_sum_name(sum, name, sizeof(name));
		pd_err_at(&err, -EBADMSG, sum->off,
			  "%s does not have its checksum", name);
		pd_damage_add(&r->damage, PD_DAMAGE_SUM, 0, &err);
	}
}

/* Read the names that the file carries: whoever asks for damage is told of
 * theirs, also if nobody needs the names. */
static void read_sections(struct pd_reader *r)
{
	struct pd_err err = PD_ERR_INIT;

	r->has_carried = !pd_carried_read(r->base, r->len, &r->trailer,
					  &r->carried, &err);
	if (r->has_carried)
		return;
	pd_damage_add(&r->damage, PD_DAMAGE_SUM, 0, &err);
	pd_carried_release(&r->carried);
}

static void read_trailer(struct pd_reader *r)
{
	struct pd_err err = PD_ERR_INIT;
	int rc;

	if (r->header.is_pipe)
		return;
	rc = pd_trailer_read(r->base, r->len, &r->trailer, &err);
	r->has_trailer = rc == 0;
	if (rc && rc != -ENOENT && rc != -ENOTSUP)
		pd_damage_add(&r->damage, PD_DAMAGE_TRAILER, 0, &err);
	check_sums(r);
	read_sections(r);
}

/* Read the events from the attr section; or from EVENT_DESC, which has the
 * attrs and ids once more, if the section is lost (perf inject writes it last),
 * or an attr or ids in it. */
static int read_events(struct pd_reader *r, struct pd_err *err)
{
	struct pd_err why = PD_ERR_INIT, wrong = PD_ERR_INIT;
	int rc = pd_reader_read_attrs(r, &wrong, &why);
	int other = rc;

	if (!rc && !wrong.code && !r->has_lost_ids)
		return 0;
	if (rc != -ENOMEM)
		other = pd_reader_read_descs(r);
	if (other && (rc || other != -ENOENT)) {
		if (err)
			*err = rc ? why : wrong;
		return rc ? rc : other;
	}
	if (rc)
		pd_damage_add(&r->damage, PD_DAMAGE_HEAD, 0, &why);
	else if (wrong.code)
		pd_damage_add(&r->damage, PD_DAMAGE_ATTRS, 0, &wrong);
	return 0;
}

/* True if our recorder was killed right after a checkpoint: the file has no
 * features, ends where the header says, and its first record is one with which
 * our recorder starts, of samples or of counts. */
static bool ends_at_checkpoint(struct pd_reader *r)
{
	struct pd_records it;
	struct pd_record rec;
	bool is_head;

	if (r->header.is_pipe || r->header.header_len != PD_FILE_HEADER_LEN ||
	    !r->header.data.len || r->has_trailer ||
	    pd_file_header_has_any(&r->header))
		return false;
	pd_records_init(&it, r, pd_reader_data(r));
	is_head = pd_records_next(&it, &rec, NULL) > 0 &&
		  (rec.type == PD_RECORD_HEADER_FEATURE ||
		   rec.type == PD_RECORD_ID_INDEX ||
		   rec.type == PD_RECORD_EVENT_UPDATE);
	pd_records_release(&it);
	return is_head;
}

static void find_last_checkpoint(struct pd_reader *r)
{
	struct pd_err err = PD_ERR_INIT;

	if (r->header.data.len != r->data.len || !ends_at_checkpoint(r))
		return;
	pd_err_at(&err, -ENODATA, r->data.off + r->data.len,
		  "the recording was not closed: the file ends with its last "
		  "checkpoint, without features and index");
	pd_damage_add(&r->damage, PD_DAMAGE_UNFINISHED, 0, &err);
	r->is_unfinished = true;
}

static void mark_unwound_events(struct pd_reader *r)
{
	for (size_t i = 0; r->has_trailer && i < r->trailer.unwound_nr; i++) {
		uint32_t idx = r->trailer.unwound[i].event_idx;

		if (idx < r->events.nr)
			r->events.events[idx].is_unwound = true;
	}
}

static int open_parts(struct pd_reader *r, struct pd_err *err)
{
	struct pd_err why = PD_ERR_INIT;
	struct pd_cursor c;
	int rc;

	pd_cursor_init(&c, r->base, (size_t)r->len, 0, "file header");
	c.err = err;
	rc = pd_file_header_read(&c, &r->header);
	if (rc)
		return rc;
	read_trailer(r);
	find_data(r);
	read_feature_table(r);
	if (!r->header.is_pipe) {
		rc = read_events(r, err);
		if (rc)
			return rc;
	}
	rc = pd_reader_read_head(r, err);
	if (rc)
		return rc;
	find_last_checkpoint(r);
	pd_reader_name_events(r);
	mark_unwound_events(r);
	pd_reader_find_needed_perf(r);
	r->events.is_file_ordered =
		!r->header.is_pipe && r->events.nr &&
		!(r->events.events[0].attr.flags & PD_ATTR_SAMPLE_ID_ALL);
	if (!r->events.nr) {
		pd_err_set(&why, -EBADMSG, "the file describes no event");
		pd_damage_add(&r->damage, PD_DAMAGE_HEAD, 0, &why);
	}
	return 0;
}

void pd_reader_set_progress(struct pd_reader *r,
			    const struct pd_read_progress *progress)
{
	r->progress = progress;
}

void pd_reader_set_ratio(struct pd_reader *r, uint64_t ratio)
{
	uint64_t window_len;

	if (__builtin_mul_overflow(r->len / PD_LIMIT_WINDOW_SHARE, ratio,
				   &window_len))
		window_len = UINT64_MAX;
	if (window_len < PD_LIMIT_WINDOW_LEN)
		window_len = PD_LIMIT_WINDOW_LEN;
	r->limits = (struct pd_zstd_decompress_limits){ ratio, window_len };
}

uint64_t pd_reader_len(const struct pd_reader *r)
{
	uint64_t len = r->len;

	for (size_t i = 0; i < r->part_nr; i++)
		len += r->parts[i].len;
	return len;
}

uint64_t pd_reader_memory_limit(const struct pd_reader *r, bool is_plain)
{
	uint64_t len = pd_reader_len(r),
		 more = len >> 20 ? len - (1u << 20) : 0;

	more *= PD_LIMIT_MEMORY_RATIO;
	more += is_plain ? PD_LIMIT_MEMORY_PLAIN_LEN : PD_LIMIT_MEMORY_LEN;
	if (r->limits.ratio > PD_LIMIT_ZSTD_RATIO &&
	    __builtin_mul_overflow(
		    more, r->limits.ratio / PD_LIMIT_ZSTD_RATIO + 1, &more))
		return UINT64_MAX;
	return more;
}

uint64_t pd_reader_spill_limit(const struct pd_reader *r)
{
	uint64_t len = pd_reader_len(r);

	if (__builtin_mul_overflow(len, r->limits.ratio, &len))
		len = UINT64_MAX;
	len /= PD_LIMIT_SPILL_SHARE;
	return len > PD_LIMIT_SPILL_LEN ? len : PD_LIMIT_SPILL_LEN;
}

int pd_reader_open(struct pd_reader **ret, const uint8_t *base, uint64_t len,
		   const struct pd_watch *watch, struct pd_err *err)
{
	struct pd_reader *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return pd_err_set(err, -ENOMEM, "out of memory");
	r->base = base;
	r->len = len;
	r->table_off = UINT64_MAX;
	r->damage.watch = watch;
	pd_reader_set_ratio(r, PD_LIMIT_ZSTD_RATIO);
	rc = open_parts(r, err);
	if (rc)
		pd_reader_close(r);
	else
		*ret = r;
	return rc;
}

void pd_reader_close(struct pd_reader *r)
{
	if (!r)
		return;
	pd_event_set_release(&r->events);
	if (r->has_trailer)
		pd_trailer_release(&r->trailer);
	if (r->has_carried)
		pd_carried_release(&r->carried);
	free(r->parts);
	free(r->chunks);
	free(r);
}

/* The data section as the trailer describes it: the number of samples, and the
 * checksum of the records that are in no frame. */

/* True if the checksum of a frame covers the record at pos.  *idx is the first
 * frame that may end behind pos; it moves on with pos. */
static bool is_of_frame(const struct pd_trailer *t, size_t *idx, uint64_t pos,
			uint32_t type)
{
	const struct pd_trailer_frame *f;

	while (*idx < t->frame_nr &&
	       t->frames[*idx].file_off + t->frames[*idx].file_len <= pos)
		++*idx;
	if (*idx == t->frame_nr || pos < t->frames[*idx].file_off)
		return false;
	f = &t->frames[*idx];
	return f->is_plain || type == PD_RECORD_COMPRESSED ||
	       type == PD_RECORD_COMPRESSED2;
}

static int add_rest(struct pd_reader *r, struct pd_hash *hash)
{
	uint64_t pos = r->data.off, end = pos + r->data.len, next;
	struct pd_record rec;
	size_t idx = 0;

	while (pos < end) {
		if (pd_reader_raw_record(r, pos, end, &rec, &next, NULL))
			return -EBADMSG;
		if (!is_of_frame(&r->trailer, &idx, pos, rec.type))
			pd_hash_add(hash, r->base + pos, (size_t)(next - pos));
		pos = next;
	}
	return 0;
}

uint64_t pd_reader_sample_nr(const struct pd_reader *r)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < r->trailer.frame_nr; i++) {
		if (!r->trailer.frames[i].has_sample_nr)
			return 0;
		nr += r->trailer.frames[i].sample_nr;
	}
	return nr;
}

int pd_reader_check_rest(struct pd_reader *r)
{
	struct pd_hash *hash;
	int rc;

	if (!r->has_trailer || !r->trailer.rest_hash)
		return -ENOENT;
	hash = pd_hash_new();
	if (!hash)
		return -ENOMEM;
	rc = add_rest(r, hash);
	if (!rc && pd_hash_get(hash) != r->trailer.rest_hash)
		rc = -EBADMSG;
	pd_hash_free(hash);
	return rc;
}

int pd_reader_names_are_of(const struct pd_reader *names,
			   const struct pd_reader *recording, bool *ret,
			   struct pd_err *err)
{
	struct pd_carried_stream stream;
	int rc = pd_carried_stream_read(names->base, names->len,
					&names->trailer, &stream, err);

	*ret = !rc && recording->header.is_pipe &&
	       pd_carried_stream_is_of(&stream, recording->base,
				       recording->len);
	return rc;
}

int pd_reader_carried_text(const struct pd_reader *r, uint32_t kind,
			   struct pd_carried_text *ret, struct pd_err *err)
{
	return pd_carried_text_read(r->base, r->len, &r->trailer, kind, ret,
				    err);
}
