#include "format/reader/reader.h"

#include "format/reader/reader_impl.h"
#include "format/records/zstd_decompress.h"

#include <stdlib.h>

static int add_chunk(struct pd_reader *r, struct pd_chunk chunk)
{
	struct pd_chunk *chunks = r->chunks;

	if (!chunk.len)
		return 0;
	if (r->chunk_nr == r->chunk_cap) {
		size_t cap = r->chunk_cap ? r->chunk_cap * 2 : 64;

		chunks = reallocarray(chunks, cap, sizeof(*chunks));
		if (!chunks)
			return -ENOMEM;
		r->chunks = chunks;
		r->chunk_cap = cap;
	}
	r->chunks[r->chunk_nr++] = chunk;
	return 0;
}

static int add_run(struct pd_reader *r, uint64_t off, uint64_t end,
		   bool is_frame)
{
	return add_chunk(r, (struct pd_chunk){
				    .file_off = off,
				    .len = end - off,
				    .is_frame = is_frame,
				    .has_sideband = true,
				    .time_hi_ns = UINT64_MAX,
			    });
}

/* True if the frames of the index lie inside the data section, in order. */
static bool is_index_sound(const struct pd_reader *r)
{
	uint64_t at = r->data.off, end = r->data.off + r->data.len;

	for (size_t i = 0; i < r->trailer.frame_nr; i++) {
		const struct pd_trailer_frame *f = &r->trailer.frames[i];

		if (f->file_off < at || f->file_off > end ||
		    f->file_len > end - f->file_off)
			return false;
		at = f->file_off + f->file_len;
	}
	return true;
}

static int cut_by_index(struct pd_reader *r)
{
	uint64_t at = r->data.off, end = r->data.off + r->data.len;
	int rc = 0;

	for (size_t i = 0; i < r->trailer.frame_nr && !rc; i++) {
		const struct pd_trailer_frame *f = &r->trailer.frames[i];

		rc = add_run(r, at, f->file_off, false);
		if (rc)
			break;
		rc = add_chunk(r, (struct pd_chunk){
					  .file_off = f->file_off,
					  .len = f->file_len,
					  .is_frame = true,
					  .has_sideband = f->has_sideband,
					  .time_lo_ns = f->time_lo_ns,
					  .time_hi_ns = f->time_hi_ns,
				  });
		at = f->file_off + f->file_len;
	}
	return rc ? rc : add_run(r, at, end, false);
}

/* Cuts by record headers: plain runs about every goal_len bytes, compressed
 * data where a record starts a zstd frame.  All that follows a frame that never
 * ends is one chunk with it, plain records too, since its records may be split.
 */
struct cutter {
	struct pd_reader *r;
	uint64_t goal_len;
	uint64_t start; /* of the chunk that is open */
	bool is_frame;	/* it holds compressed data */
};

static int cut_at(struct cutter *k, uint64_t at, bool is_frame)
{
	int rc = add_run(k->r, k->start, at, k->is_frame);

	k->start = at;
	k->is_frame = is_frame;
	return rc;
}

static int cut_before(struct cutter *k, const struct pd_record *rec)
{
	struct pd_compressed z;

	if (pd_record_compressed(rec, &z)) {
		if (pd_zstd_decompress_starts_frame(z.payload, z.payload_len))
			return cut_at(k, rec->file_off, true);
		k->is_frame = true;
		return 0;
	}
	if (!k->is_frame && rec->file_off - k->start >= k->goal_len)
		return cut_at(k, rec->file_off, false);
	return 0;
}

static int cut_by_headers(struct pd_reader *r, struct pd_section part,
			  uint64_t goal_len)
{
	uint64_t pos = part.off, end = pos + part.len, next, passed_end = pos;
	struct cutter k = { .r = r, .goal_len = goal_len, .start = pos };
	struct pd_record rec;
	int rc = 0;

	while (pos < end && !rc) {
		if (pd_reader_raw_record(r, pos, end, &rec, &next, NULL))
			break;
		rc = cut_before(&k, &rec);
		pos = next;
		pd_reader_report_step(r, &passed_end, pos);
	}
	pd_reader_report_passed(r, passed_end, pos);
	return rc ? rc : add_run(r, k.start, end, k.is_frame);
}

/* True if rec can be read as a sample of the file.  Raw data and copies of
 * stacks can look like records, but seldom like samples. */
static bool is_sample(const struct pd_reader *r, const struct pd_record *rec)
{
	const struct pd_event *event = pd_event_set_of_record(&r->events, rec);
	struct pd_sample sample;

	return event && !pd_sample_read(&event->layout, rec, &sample, NULL);
}

/* Return the first offset from pos on where a sample and more records seem to
 * be.  It looks for samples only, since the lengths in the kernel's raw data,
 * 8 n + 4, look like other types.  One lookalike is not enough: stacks of one
 * place have the same bytes at the same distances, again and again.  Records of
 * plain files are aligned to 8. */
static uint64_t find_sample(const struct pd_reader *r, uint64_t pos,
			    uint64_t end)
{
	struct pd_record rec;
	uint64_t next, passed_end = pos;

	for (; end - pos > PD_RECORD_HEADER_LEN; pos += 8) {
		pd_reader_report_step(r, &passed_end, pos);
		if (!pd_reader_raw_record(r, pos, end, &rec, &next, NULL) &&
		    rec.type == PD_RECORD_SAMPLE &&
		    pd_reader_is_row(r, pos, end, false) && is_sample(r, &rec))
			return pos;
	}
	return end;
}

static int cut_by_guess(struct pd_reader *r, struct pd_section part,
			uint64_t goal_len)
{
	uint64_t step = goal_len / 8 * 8 + 8;
	uint64_t pos = part.off, end = pos + part.len;
	int rc = 0;

	while (pos < end && !rc) {
		uint64_t next = end;

		if (end - pos > step)
			next = find_sample(r, pos + step, end);
		if (r->progress)
			r->progress->looked(r->progress->ctx, next);
		rc = add_run(r, pos, next, false);
		pos = next;
	}
	return rc;
}

int pd_reader_guess_chunks(struct pd_reader *r, uint64_t goal_len,
			   const struct pd_chunk **ret, size_t *ret_nr,
			   struct pd_err *err)
{
	if (r->features[PD_FEATURE_COMPRESSED].data ||
	    (r->has_trailer && r->trailer.frame_nr))
		return -ENOTSUP;
	r->chunk_nr = 0;
	for (size_t i = 0; i <= r->part_nr; i++)
		if (cut_by_guess(r, pd_reader_part(r, i), goal_len))
			return pd_err_set(err, -ENOMEM, "out of memory");
	*ret = r->chunks;
	*ret_nr = r->chunk_nr;
	return 0;
}

int pd_reader_chunks(struct pd_reader *r, uint64_t goal_len,
		     const struct pd_chunk **ret, size_t *ret_nr,
		     struct pd_err *err)
{
	int rc = 0;

	r->chunk_nr = 0;
	if (r->has_trailer && r->trailer.frame_nr && !r->part_nr &&
	    is_index_sound(r))
		rc = cut_by_index(r);
	else
		for (size_t i = 0; i <= r->part_nr && !rc; i++)
			rc = cut_by_headers(r, pd_reader_part(r, i), goal_len);
	if (rc)
		return pd_err_set(err, rc, "out of memory");
	*ret = r->chunks;
	*ret_nr = r->chunk_nr;
	return 0;
}
