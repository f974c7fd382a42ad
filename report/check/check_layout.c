/* Checks that the parts of the file lie inside it, do not overlap, and have
 * nothing between them. */
#include "format/base/hash.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/check/check_impl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LEN = 48, FOOTER_LEN = 32, ENTRY_LEN = 16 };

static const char table_name[] = "the feature table";

struct span {
	uint64_t off;
	uint64_t len;
	char name[NAME_LEN];
};

struct spans {
	struct span *items; /* owned */
	size_t nr;
	size_t cap;
	uint64_t file_len;
};

/* Add a span unless it is empty, or not in the file. */
__attribute__((format(printf, 4, 5))) static void
add(struct spans *spans, uint64_t off, uint64_t len, const char *name, ...)
{
	struct span *span = &spans->items[spans->nr];
	va_list ap;

	if (!len || spans->nr == spans->cap || off > spans->file_len ||
	    len > spans->file_len - off)
		return;
	spans->nr++;
	*span = (struct span){ .off = off, .len = len };
	va_start(ap, name);
	vsnprintf(span->name, sizeof(span->name), name, ap);
	va_end(ap);
}

/* Return a cursor over len bytes of the file. */
static struct pd_cursor cursor_at(const struct rpt_check *check, uint64_t off,
				  size_t len)
{
	struct pd_cursor c;

	pd_cursor_init(&c, check->base + off, len, off, "section");
	c.swap = pd_reader_header(check->reader)->swap;
	return c;
}

/* Return how many entries the attr section has, 0 if it is not in the file. */
static uint64_t entry_count(const struct rpt_check *check)
{
	const struct pd_file_header *h = pd_reader_header(check->reader);

	if (h->attr_entry_len < PD_ATTR_LEN_VER0 + ENTRY_LEN ||
	    h->attrs.off > check->len ||
	    h->attrs.len > check->len - h->attrs.off)
		return 0;
	return h->attrs.len / h->attr_entry_len;
}

static void add_ids(const struct rpt_check *check, struct spans *spans)
{
	const struct pd_file_header *h = pd_reader_header(check->reader);
	uint64_t nr = entry_count(check);

	for (size_t i = 0; i < nr && i < check->events->nr; i++) {
		uint64_t at = h->attrs.off + i * h->attr_entry_len;
		struct pd_cursor c = cursor_at(
			check, at + h->attr_entry_len - ENTRY_LEN, ENTRY_LEN);
		uint64_t off = pd_cursor_u64(&c), len = pd_cursor_u64(&c);

		add(spans, off, len, "the ids of event %zu", i);
		if (len % 8)
			rpt_find(check->findings, RPT_FINDING_SECTION,
				 at + h->attr_entry_len - 8,
				 "the ids of event %zu take %" PRIu64
				 " bytes, no multiple of 8",
				 i, len);
	}
}

/* True if the table of a recording that was not closed, which lies amid the
 * data, names a payload there on purpose: FORMAT.md "Checkpoints". */
static bool may_lie_in_data(const struct rpt_check *check, unsigned bit)
{
	return (bit == PD_FEATURE_COMPRESSED || bit == PD_FEATURE_HOSTNAME) &&
	       pd_reader_is_unfinished(check->reader);
}

static void add_features(const struct rpt_check *check, struct spans *spans)
{
	const struct pd_file_header *h = pd_reader_header(check->reader);
	struct pd_cursor c;
	unsigned nr = 0;

	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++) {
		const char *name = pd_feature_name(bit);

		if (!pd_file_header_has(h, bit))
			continue;
		nr++;
		if (!pd_reader_feature(check->reader, bit, &c) ||
		    may_lie_in_data(check, bit))
			continue;
		if (name)
			add(spans, c.file_off, c.len, "feature %s", name);
		else
			add(spans, c.file_off, c.len, "feature %u", bit);
	}
	if (nr && check->end_off <= check->len &&
	    pd_reader_data_section(check->reader).len == h->data.len)
		add(spans, check->end_off, nr * ENTRY_LEN, "%s", table_name);
}

/* The names that the file carries, and the trailer that it had without them. */
static void add_carried(const struct pd_trailer *t, struct spans *spans)
{
	for (size_t i = 0; i < t->section_nr; i++)
		add(spans, t->sections[i].off, t->sections[i].len,
		    "section %u of carried names", t->sections[i].kind);
	for (size_t i = 0; i < t->sum_nr; i++)
		if (t->sums[i].part == PD_PART_OLD_TRAILER)
			add(spans, t->sums[i].off, t->sums[i].len,
			    "the first trailer");
}

static void add_trailer(const struct rpt_check *check, struct spans *spans)
{
	const struct pd_trailer *t = pd_reader_trailer(check->reader);
	struct pd_cursor c;
	uint64_t len;

	if (!t)
		return;
	add_carried(t, spans);
	c = cursor_at(check, check->len - FOOTER_LEN, FOOTER_LEN);
	len = pd_cursor_u64(&c) + FOOTER_LEN;
	add(spans, check->len - len, len, "the trailer");
	if (pd_trailer_is_adopted(t))
		rpt_find(check->findings, RPT_FINDING_KILLED, RPT_NO_OFF,
			 "its recorder was killed: what was not written by "
			 "%.6f s is missing",
			 (double)pd_trailer_last_ns(t) / 1e9);
}

static int by_off(const void *a, const void *b)
{
	return rpt_compare_u64(((const struct span *)a)->off,
			       ((const struct span *)b)->off);
}

static bool is_zero(const uint8_t *p, uint64_t len)
{
	for (uint64_t i = 0; i < len; i++)
		if (p[i])
			return false;
	return true;
}

/* Report the bytes between last, which ends at off, and end. */
static void find_gap(const struct rpt_check *check, const struct span *last,
		     uint64_t off, uint64_t end)
{
	uint64_t len = end - off;
	bool is_empty = is_zero(check->base + off, len);

	if (len < 8 && is_empty)
		return; /* aligns what follows */
	/* perf leaves empty entries for features that it could not write */
	if (is_empty && len % ENTRY_LEN == 0 && !strcmp(last->name, table_name))
		return;
	rpt_find(check->findings, RPT_FINDING_GAP, off,
		 "%" PRIu64 " byte%s that belong%s to no section%s", len,
		 len == 1 ? "" : "s", len == 1 ? "s" : "",
		 is_empty ? ", all zero" : "");
}

/* Return true if perfpair recorded the file, which then ends in a trailer. */
static bool is_ours(const struct rpt_check *check)
{
	static const char name[] = "perfpair ";
	const size_t len = sizeof(name) - 1;
	struct pd_str version =
		pd_reader_string(check->reader, PD_FEATURE_VERSION);

	return version.len > len && !memcmp(version.ptr, name, len);
}

/* Report what follows the last section. */
static void find_rest(const struct rpt_check *check, const struct span *last,
		      uint64_t off)
{
	if (is_ours(check) && !pd_reader_trailer(check->reader) &&
	    !check->findings->nr[RPT_FINDING_TRAILER])
		rpt_find(check->findings, RPT_FINDING_TRAILER, off,
			 "the file ends inside its trailer: the index, the "
			 "losses and the cost of the recorder are not there");
	else
		find_gap(check, last, off, check->len);
}

static void compare(const struct rpt_check *check, struct spans *spans)
{
	const struct span *last = &spans->items[0];
	uint64_t end;

	qsort(spans->items, spans->nr, sizeof(*spans->items), by_off);
	end = last->off + last->len;
	for (size_t i = 1; i < spans->nr; i++) {
		const struct span *span = &spans->items[i];

		if (span->off > end)
			find_gap(check, last, end, span->off);
		else if (span->off < end)
			rpt_find(check->findings, RPT_FINDING_SECTION,
				 span->off, "%s lies in %s", span->name,
				 last->name);
		if (span->off + span->len <= end)
			continue;
		end = span->off + span->len;
		last = span;
	}
	if (end < check->len)
		find_rest(check, last, end);
}

static void check_header(const struct rpt_check *check)
{
	const struct pd_file_header *h = pd_reader_header(check->reader);
	struct rpt_findings *f = check->findings;

	if (!entry_count(check))
		rpt_find(f, RPT_FINDING_SECTION, 24,
			 "there is no attr section, or not in the file");
	else if (h->attrs.len % h->attr_entry_len)
		rpt_find(f, RPT_FINDING_SECTION, 32,
			 "the attr section has %" PRIu64
			 " bytes, no multiple of its entries of %" PRIu64,
			 h->attrs.len, h->attr_entry_len);
	if (f->nr[RPT_FINDING_UNFINISHED])
		return;
	if (!h->data.len)
		rpt_find(f, RPT_FINDING_UNFINISHED, 48,
			 "the data section is empty");
}

void rpt_check_layout(struct rpt_check *check)
{
	const struct pd_file_header *h = pd_reader_header(check->reader);
	struct pd_section data = pd_reader_data_section(check->reader);
	struct spans spans = { .file_len = check->len };

	if (h->is_pipe)
		return;
	check_header(check);
	spans.cap = check->events->nr + PD_FEATURE_BITS + 8;
	spans.items = rpt_alloc_zeroed(spans.cap, sizeof(*spans.items));
	add(&spans, 0, h->header_len, "the file header");
	if (entry_count(check))
		add(&spans, h->attrs.off, h->attrs.len, "the attr section");
	add(&spans, data.off, data.len, "the data section");
	if (h->event_types.off <= check->len &&
	    h->event_types.len <= check->len - h->event_types.off)
		add(&spans, h->event_types.off, h->event_types.len,
		    "the event types");
	else
		rpt_find(check->findings, RPT_FINDING_SECTION, 56,
			 "the event types lie beyond the file");
	add_ids(check, &spans);
	add_features(check, &spans);
	add_trailer(check, &spans);
	compare(check, &spans);
	free(spans.items);
}

/* Walks over all records.  If the trailer indexes frames, compares the records
 * of each frame with its entry. */

/* The sums of the records of one zstd frame. */
struct sums {
	struct pd_trailer_frame seen;
	struct pd_hash *hash; /* owned */
	uint64_t damage_nr;   /* findings before it */
};

static void compare_frames(struct rpt_check *check,
			   const struct pd_trailer_frame *f,
			   const struct sums *sums)
{
	struct rpt_findings *all = check->findings;
	const struct pd_trailer_frame *seen = &sums->seen;

	if (seen->record_nr != f->record_nr)
		rpt_find(all, RPT_FINDING_INDEX, f->file_off,
			 "the index says that the frame has %" PRIu64
			 " records; it has %" PRIu64,
			 f->record_nr, seen->record_nr);
	else if (f->has_sample_nr && seen->sample_nr != f->sample_nr)
		rpt_find(all, RPT_FINDING_INDEX, f->file_off,
			 "the index says that the frame has %" PRIu32
			 " samples; it has %" PRIu32,
			 f->sample_nr, seen->sample_nr);
	if (seen->plain_len != f->plain_len)
		rpt_find(all, RPT_FINDING_INDEX, f->file_off,
			 "the index says that the frame has %" PRIu64
			 " plain bytes; it has %" PRIu64,
			 f->plain_len, seen->plain_len);
	else if (f->plain_hash && pd_hash_get(sums->hash) != f->plain_hash)
		rpt_find(all, RPT_FINDING_CHECKSUM, f->file_off,
			 "the frame's plain text does not have its checksum");
	if (seen->time_lo_ns <= seen->time_hi_ns &&
	    (seen->time_lo_ns < f->time_lo_ns ||
	     seen->time_hi_ns > f->time_hi_ns))
		rpt_find(all, RPT_FINDING_INDEX, f->file_off,
			 "the frame has records of other times than the index "
			 "says");
	if (seen->has_sideband && !f->has_sideband)
		rpt_find(all, RPT_FINDING_INDEX, f->file_off,
			 "the frame has other records than samples, which the "
			 "index does not say");
}

/* The index beside the walk: which frame comes next. */
struct index {
	const struct pd_trailer_frame *frames;
	size_t nr;
	size_t idx; /* of the frame that is open, or comes next */
	uint64_t end_off;
	struct sums sums;
};

static void open_frame(struct rpt_check *check, struct index *index)
{
	pd_hash_reset(index->sums.hash);
	index->sums.seen = PD_TRAILER_FRAME_INIT;
	index->sums.damage_nr = rpt_findings_count(check->findings, true);
}

/* Close the frames that end before off. */
static void advance(struct rpt_check *check, struct index *index, uint64_t off)
{
	while (index->idx < index->nr) {
		const struct pd_trailer_frame *f = &index->frames[index->idx];

		if (off < f->file_off || off - f->file_off < f->file_len)
			return;
		/* a damaged frame has been reported already */
		if (index->sums.damage_nr ==
		    rpt_findings_count(check->findings, true))
			compare_frames(check, f, &index->sums);
		index->idx++;
		open_frame(check, index);
	}
}

/* Check that frames lie one behind the other inside the data section.  From the
 * first that does not on, frames are ignored. */
static void check_places(struct rpt_check *check, struct index *index)
{
	struct pd_section data = pd_reader_data_section(check->reader);
	uint64_t at = data.off, end = at + data.len;

	for (size_t i = 0; i < index->nr; i++) {
		const struct pd_trailer_frame *f = &index->frames[i];

		if (f->file_off >= at && f->file_off <= end &&
		    f->file_len <= end - f->file_off) {
			at = f->file_off + f->file_len;
			continue;
		}
		rpt_find(check->findings, RPT_FINDING_INDEX, f->file_off,
			 "the index has a frame here, outside the data or in "
			 "another one");
		index->nr = i;
	}
}

/* Return false for a record that only stands between the COMPRESSED records of
 * the frame. */
static bool is_of_frame(const struct pd_trailer_frame *f,
			const struct pd_record *rec)
{
	return f->is_plain || !f->plain_hash ||
	       rec->plain_off != PD_RECORD_NOT_COMPRESSED;
}

static void add_frame(struct rpt_check *check, struct index *index,
		      const struct pd_record *rec)
{
	const struct pd_trailer_frame *f;

	advance(check, index, rec->file_off);
	if (index->idx == index->nr)
		return;
	f = &index->frames[index->idx];
	if (rec->file_off < f->file_off || !is_of_frame(f, rec))
		return;
	pd_hash_add(index->sums.hash, rec->data, rec->len);
	pd_trailer_frame_add(&index->sums.seen, rec->type, rec->len,
			     pd_event_set_time_of(check->events, rec));
}

static void walk(struct rpt_check *check, const struct pd_watch *watch,
		 struct index *index)
{
	struct pd_records it;
	struct pd_record rec;

	pd_records_init(&it, check->reader, pd_reader_data(check->reader));
	it.damage.watch = watch;
	while (pd_records_next(&it, &rec, NULL) > 0) {
		add_frame(check, index, &rec);
		rpt_check_record(check, &rec);
	}
	check->totals->record_nr[PD_RECORD_COMPRESSED] = it.compressed_nr;
	check->totals->record_nr[PD_RECORD_COMPRESSED2] = it.compressed2_nr;
	pd_records_release(&it);
	advance(check, index, UINT64_MAX);
}

/* Check the records outside the frames.  The reader has checked the header and
 * the features. */
static void check_rest(struct rpt_check *check, const struct pd_trailer *t)
{
	if (pd_reader_check_rest(check->reader) == -EBADMSG)
		rpt_find(check->findings, RPT_FINDING_CHECKSUM,
			 pd_reader_data_section(check->reader).off,
			 "the records outside the frames do not have their "
			 "checksum");
	else if (!t->has_sums)
		rpt_find(check->findings, RPT_FINDING_UNCHECKED, RPT_NO_OFF,
			 "written by an older perfpair, which made no checksum "
			 "of the header, the features and what is not "
			 "compressed: not checked");
}

void rpt_check_walk(struct rpt_check *check, const struct pd_watch *watch)
{
	const struct pd_trailer *t = pd_reader_trailer(check->reader);
	struct index index = { .sums.hash = pd_hash_new() };

	if (t) {
		index.frames = t->frames;
		index.nr = t->frame_nr;
	}
	check_places(check, &index);
	open_frame(check, &index);
	walk(check, watch, &index);
	pd_hash_free(index.sums.hash);
	if (t)
		check_rest(check, t);
}
