/* The walk over all records; where the trailer indexes frames, the records of
 * each against its entry. */
#include "format/hash.h"
#include "report/check/check_impl.h"

#include <inttypes.h>

/* Sums over the records of one frame. */
struct sums {
	struct pd_hash *hash; /* owned */
	uint64_t damage_nr;   /* findings before it */
	uint64_t plain_len;
	uint64_t record_nr;
	uint64_t sample_nr;
	uint64_t time_lo_ns;
	uint64_t time_hi_ns;
	bool has_sideband;
};

static void sum(struct rpt_check *check, const struct pd_record *rec,
		struct sums *sums)
{
	uint64_t time_ns = pd_event_set_time_of(check->events, rec);

	pd_hash_add(sums->hash, rec->data, rec->len);
	sums->plain_len += rec->len;
	sums->record_nr++;
	sums->sample_nr += rec->type == PD_RECORD_SAMPLE;
	sums->has_sideband |= rec->type != PD_RECORD_SAMPLE;
	if (!time_ns)
		return;
	if (time_ns < sums->time_lo_ns)
		sums->time_lo_ns = time_ns;
	if (time_ns > sums->time_hi_ns)
		sums->time_hi_ns = time_ns;
}

static void compare(struct rpt_check *check, const struct pd_trailer_frame *f,
		    const struct sums *sums)
{
	struct rpt_findings *all = check->findings;
	bool is_timed = sums->time_lo_ns <= sums->time_hi_ns;

	if (sums->record_nr != f->record_nr)
		rpt_find(all, RPT_FINDING_INDEX, f->file_off,
			 "the index says that the frame has %" PRIu64
			 " records; it has %" PRIu64,
			 f->record_nr, sums->record_nr);
	else if (f->has_sample_nr && sums->sample_nr != f->sample_nr)
		rpt_find(all, RPT_FINDING_INDEX, f->file_off,
			 "the index says that the frame has %" PRIu32
			 " samples; it has %" PRIu64,
			 f->sample_nr, sums->sample_nr);
	if (sums->plain_len != f->plain_len)
		rpt_find(all, RPT_FINDING_INDEX, f->file_off,
			 "the index says that the frame has %" PRIu64
			 " plain bytes; it has %" PRIu64,
			 f->plain_len, sums->plain_len);
	else if (f->plain_hash && pd_hash_get(sums->hash) != f->plain_hash)
		rpt_find(all, RPT_FINDING_CHECKSUM, f->file_off,
			 "the frame's plain text does not have its checksum");
	if (is_timed && (sums->time_lo_ns < f->time_lo_ns ||
			 sums->time_hi_ns > f->time_hi_ns))
		rpt_find(all, RPT_FINDING_INDEX, f->file_off,
			 "the frame has records of other times than the index "
			 "says");
	if (sums->has_sideband && !f->has_sideband)
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
	struct pd_hash *hash = index->sums.hash;

	pd_hash_reset(hash);
	index->sums = (struct sums){
		.hash = hash,
		.damage_nr = rpt_findings_count(check->findings, true),
		.time_lo_ns = UINT64_MAX,
	};
}

/* Closes the frames that end before off. */
static void advance(struct rpt_check *check, struct index *index, uint64_t off)
{
	while (index->idx < index->nr) {
		const struct pd_trailer_frame *f = &index->frames[index->idx];

		if (off < f->file_off || off - f->file_off < f->file_len)
			return;
		/* of a frame that is damaged all is wrong: said once is
		 * enough */
		if (index->sums.damage_nr ==
		    rpt_findings_count(check->findings, true))
			compare(check, f, &index->sums);
		index->idx++;
		open_frame(check, index);
	}
}

/* Frames lie one behind the other inside the data section; those behind one
 * that does not are left out. */
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

/* Between the COMPRESSED records of a frame others may stand. */
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
	if (rec->file_off >= f->file_off && is_of_frame(f, rec))
		sum(check, rec, &index->sums);
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

/* What the frames do not have; the header and the like the reader has checked
 * already. */
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
	struct index index = { .nr = 0 };

	if (!t) {
		walk(check, watch, &index);
		return;
	}
	index.frames = t->frames;
	index.nr = t->frame_nr;
	index.sums.hash = pd_hash_new();
	check_places(check, &index);
	open_frame(check, &index);
	walk(check, watch, &index);
	pd_hash_free(index.sums.hash);
	check_rest(check, t);
}
