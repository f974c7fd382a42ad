/* Walks over all records.  If the trailer indexes frames, compares the records
 * of each frame with its entry. */
#include "format/base/hash.h"
#include "report/check/check_impl.h"

#include <inttypes.h>

/* What the records of one frame sum up to. */
struct sums {
	struct pd_trailer_frame seen;
	struct pd_hash *hash; /* owned */
	uint64_t damage_nr;   /* findings before it */
};

static void compare(struct rpt_check *check, const struct pd_trailer_frame *f,
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
			compare(check, f, &index->sums);
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

static void add(struct rpt_check *check, struct index *index,
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
		add(check, index, &rec);
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
