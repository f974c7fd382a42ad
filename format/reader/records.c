#include "format/reader/records.h"

#include "format/reader/reader_impl.h"
#include "format/records/sample_id.h"
#include "format/records/zstd_decompress.h"

#define AHEAD_LEN 1024u /* how far ahead to prefetch */

/* Return how many bytes follow a record without being one. */
static uint64_t payload_after(const struct pd_reader *r,
			      const struct pd_record *rec)
{
	struct pd_cursor c = pd_record_body(rec, "record", NULL);
	uint64_t len;

	if (rec->type == PD_RECORD_AUXTRACE)
		return pd_cursor_u64(&c);
	if (rec->type != PD_RECORD_HEADER_TRACING_DATA || !r->header.is_pipe)
		return 0;
	len = pd_cursor_u32(&c);
	return (len + 7) / 8 * 8;
}

/* Return the real length of a COMPRESSED2 record whose header says len and
 * whose body says that it holds data_len bytes; 0 if len is right.  FORMAT.md
 * "Compressed frames". */
static uint16_t flush_len(uint16_t len, uint64_t data_len)
{
	const uint64_t header_len = PD_RECORD_HEADER_LEN + sizeof(data_len);

	if (data_len > PD_RECORD_LEN_MAX)
		return PD_RECORD_LEN_MAX;
	if (!len && data_len > PD_RECORD_LEN_MAX - 7 - header_len &&
	    data_len <= PD_RECORD_LEN_MAX - header_len)
		return (uint16_t)(header_len + data_len);
	return 0;
}

/* Read a COMPRESSED2 record with a wrong length, which perf 6.16 to 7.1 writes
 * if a flush is a record of 65529 bytes or more, or several records.  Return
 * true if another record stands behind the length that is tried, of the same
 * type if the flush is several. */
static bool read_wrong_flush(const struct pd_reader *r, uint64_t file_off,
			     uint64_t end, struct pd_record *ret)
{
	const uint64_t left = end - file_off;
	struct pd_record rec = { 0 };
	struct pd_cursor c;
	uint64_t data_len;
	uint32_t next_type;

	if (left < PD_RECORD_LEN_MAX - PD_RECORD_HEADER_LEN)
		return false;
	pd_record_read_header(r->base + file_off, left, r->header.swap, &rec);
	if (rec.type != PD_RECORD_COMPRESSED2)
		return false;
	pd_cursor_init(&c, rec.data, (size_t)left, file_off, "record");
	c.swap = rec.swap;
	c.pos = PD_RECORD_HEADER_LEN;
	data_len = pd_cursor_u64(&c);
	rec.len = flush_len(rec.len, data_len);
	if (!rec.len || left < rec.len)
		return false;
	c.pos = rec.len;
	next_type = pd_cursor_left(&c) ? pd_cursor_u32(&c) : 0;
	if (data_len > PD_RECORD_LEN_MAX
		    ? next_type != PD_RECORD_COMPRESSED2
		    : !pd_record_type_name(next_type) && left != rec.len)
		return false;
	rec.file_off = file_off;
	*ret = rec;
	return true;
}

int pd_reader_raw_record(const struct pd_reader *r, uint64_t file_off,
			 uint64_t end, struct pd_record *ret,
			 uint64_t *ret_next, struct pd_err *err)
{
	uint64_t after;
	int rc = pd_record_read(r->base + file_off, (size_t)(end - file_off),
				file_off, r->header.swap, ret, err);

	if ((rc || ret->type == PD_RECORD_COMPRESSED2) &&
	    read_wrong_flush(r, file_off, end, ret))
		rc = 0;
	if (rc)
		return rc;
	ret->seq = pd_record_seq(file_off, 0);
	ret->plain_off = PD_RECORD_NOT_COMPRESSED;
	*ret_next = file_off + ret->len;
	if (*ret_next == r->table_off)
		*ret_next += end - *ret_next < r->table_len ? end - *ret_next
							    : r->table_len;
	if (ret->type != PD_RECORD_AUXTRACE &&
	    ret->type != PD_RECORD_HEADER_TRACING_DATA)
		return 0;
	after = payload_after(r, ret);
	if (after > end - *ret_next)
		return pd_err_at(err, -ENODATA, file_off,
				 "what follows the record of type %u ends too "
				 "early",
				 ret->type);
	*ret_next += after;
	return 0;
}

static bool is_compressed(uint32_t type)
{
	return type == PD_RECORD_COMPRESSED || type == PD_RECORD_COMPRESSED2;
}

bool pd_record_compressed(const struct pd_record *rec,
			  struct pd_compressed *ret)
{
	struct pd_body body;

	if (!is_compressed(rec->type))
		return false;
	if (pd_body_read(rec, 0, &body, NULL))
		body.u.compressed = (struct pd_compressed){ .payload_len = 0 };
	*ret = body.u.compressed;
	return true;
}

/* Go to the part that pos is in, or to the next one if it is in none. */
static void enter_part(struct pd_records *it)
{
	it->end = it->stop;
	for (size_t i = 0; i <= it->reader->part_nr; i++) {
		struct pd_section part = pd_reader_part(it->reader, i);

		if (it->pos >= part.off + part.len)
			continue;
		if (it->pos < part.off)
			it->pos = part.off < it->stop ? part.off : it->stop;
		if (part.off + part.len < it->end)
			it->end = part.off + part.len;
		return;
	}
	it->pos = it->stop;
}

/* Report what lies a step behind; what is nearer may still be read. */
static void report_passed(struct pd_records *it)
{
	const struct pd_read_progress *progress = it->reader->progress;
	uint64_t to = it->pos - progress->step;

	progress->passed(progress->ctx, it->passed_end, to - it->passed_end);
	it->passed_end = to;
	it->report_at = it->pos + progress->step;
}

static void watch_from(struct pd_records *it, uint64_t pos)
{
	const struct pd_read_progress *progress = it->reader->progress;

	it->passed_end = pos;
	it->report_at = progress ? pos + 2 * progress->step : UINT64_MAX;
}

void pd_records_init(struct pd_records *it, struct pd_reader *r,
		     struct pd_chunk chunk)
{
	*it = (struct pd_records){
		.reader = r,
		.pos = chunk.file_off,
		.end = chunk.file_off + chunk.len,
		.stop = chunk.file_off + chunk.len,
	};
	if (r->part_nr)
		enter_part(it);
	watch_from(it, it->pos);
}

static void end_stream(struct pd_records *it)
{
	pd_zstd_decompress_free(it->zstd);
	it->zstd = NULL;
}

void pd_records_release(struct pd_records *it)
{
	const struct pd_read_progress *progress = it->reader->progress;

	end_stream(it);
	if (progress && it->pos > it->passed_end)
		progress->passed(progress->ctx, it->passed_end,
				 it->pos - it->passed_end);
	it->passed_end = it->pos;
}

/* Return where the record after the one at pos starts; 0 if no record can stand
 * at pos. */
static uint64_t plausible_next(const struct pd_reader *r, uint64_t pos,
			       uint64_t end)
{
	struct pd_record rec = { 0 };
	uint64_t next = 0;

	if (pd_reader_raw_record(r, pos, end, &rec, &next, NULL))
		return 0;
	if (!pd_record_type_name(rec.type))
		return 0;
	return rec.len % 8 == 0 || rec.type == PD_RECORD_COMPRESSED ||
			       rec.type == PD_RECORD_HEADER_FEATURE
		       ? next
		       : 0;
}

bool pd_reader_is_row(const struct pd_reader *r, uint64_t pos, uint64_t end,
		      bool to_end)
{
	enum { ENOUGH_NR = 4 };

	for (unsigned i = 0; i < ENOUGH_NR; i++) {
		if (pos == end)
			return to_end;
		pos = plausible_next(r, pos, end);
		if (!pos)
			return false;
	}
	return true;
}

uint64_t pd_reader_find_row(const struct pd_reader *r, uint64_t start,
			    uint64_t limit, uint64_t end, struct pd_err *why)
{
	struct pd_record rec;
	uint64_t next, pos = start + 1, passed_end = start;
	int rc = pd_reader_raw_record(r, start, end, &rec, &next, why);

	while (pos < limit && !pd_reader_is_row(r, pos, end, rc != -ENODATA)) {
		pos++;
		pd_reader_report_step(r, &passed_end, pos);
	}
	return pos;
}

static void resync(struct pd_records *it)
{
	struct pd_err why = PD_ERR_INIT;
	uint64_t start = it->pos;

	it->pos = pd_reader_find_row(it->reader, start, it->end, it->end, &why);
	pd_damage_add(&it->damage, PD_DAMAGE_RECORD, it->pos - start, &why);
}

static int feed(struct pd_records *it, const struct pd_record *rec,
		const struct pd_compressed *z, struct pd_err *err)
{
	if (!it->zstd)
		it->zstd = pd_zstd_decompress_new(&it->reader->limits);
	if (!it->zstd)
		return pd_err_set(err, -ENOMEM, "out of memory");
	pd_zstd_decompress_feed(it->zstd, z->payload, z->payload_len,
				rec->file_off);
	it->fed_off = rec->file_off;
	it->is_fed = true;
	return 0;
}

/* Skip a COMPRESSED record inside compressed data: no writer puts one there,
 * and it would continue the stream that it came from. */
static void skip_nested(struct pd_records *it, const struct pd_record *rec)
{
	struct pd_err why = PD_ERR_INIT;

	pd_err_at(&why, -EBADMSG, rec->file_off,
		  "a COMPRESSED record inside compressed data");
	pd_damage_add(&it->damage, PD_DAMAGE_PLAIN, rec->len, &why);
}

/* Return 1 and a record of the compressed data that was fed, or 0. */
static int next_decompressed(struct pd_records *it, struct pd_record *ret)
{
	struct pd_zstd_decompress_skip skip;
	struct pd_err why;
	int rc;

	if (!it->zstd)
		return 0;
	for (;;) {
		why.code = 0; /* no more: this runs at each record */
		rc = pd_zstd_decompress_next(it->zstd, it->reader->header.swap,
					     ret, &skip, &why);
		if (rc > 0 && is_compressed(ret->type)) {
			skip_nested(it, ret);
			continue;
		}
		if (rc >= 0)
			return rc;
		why.hint[0] = '\0';
		if (rc == -EFBIG)
			pd_err_hint(&why, "--max-ratio raises the limit");
		pd_damage_add(&it->damage,
			      skip.is_plain ? PD_DAMAGE_PLAIN : PD_DAMAGE_ZSTD,
			      skip.len, &why);
	}
}

static void report_decompressed(struct pd_records *it)
{
	const struct pd_watch *watch = it->damage.watch;

	it->is_fed = false;
	if (watch && watch->decompressed)
		watch->decompressed(watch->ctx, it->fed_off,
				    pd_zstd_decompress_payload_len(it->zstd));
}

/* Go on with the next part and return true; false if there is none. */
static bool next_part(struct pd_records *it)
{
	struct pd_err why = PD_ERR_INIT;
	size_t left = it->zstd ? pd_zstd_decompress_left(it->zstd) : 0;

	if (left) {
		pd_err_at(&why, -ENODATA, it->end,
			  "compressed data ends inside a record");
		pd_damage_add(&it->damage, PD_DAMAGE_PLAIN, left, &why);
		end_stream(it);
	}
	if (it->pos >= it->stop)
		return false;
	end_stream(it); /* each part has a stream of its own */
	enter_part(it);
	return true;
}

/* Read a plain record of the kernel or the end of a round; nearly all records
 * are such.  Return false for all others, which pd_reader_raw_record() reads.
 */
static bool next_plain(struct pd_records *it, struct pd_record *ret)
{
	const struct pd_reader *r = it->reader;
	const uint8_t *data = r->base + it->pos;
	uint64_t next;

	if (it->zstd || it->pos >= it->end ||
	    pd_record_read_header(data, it->end - it->pos, r->header.swap,
				  ret) ||
	    (ret->type >= PD_RECORD_USER_START &&
	     ret->type != PD_RECORD_FINISHED_ROUND))
		return false;
	next = it->pos + ret->len;
	if (next == r->table_off)
		return false;
	ret->file_off = it->pos;
	ret->seq = pd_record_seq(it->pos, 0);
	ret->plain_off = PD_RECORD_NOT_COMPRESSED;
	it->pos = next;
	if (it->end - next > AHEAD_LEN)
		__builtin_prefetch(r->base + next + AHEAD_LEN);
	return true;
}

static int next_record(struct pd_records *it, struct pd_record *ret,
		       struct pd_err *err)
{
	if (it->pos >= it->report_at)
		report_passed(it);
	for (;;) {
		struct pd_compressed z;
		uint64_t next;
		int rc;

		if (next_plain(it, ret))
			return 1;
		if (next_decompressed(it, ret))
			return 1;
		if (it->is_fed)
			report_decompressed(it);
		if (it->pos >= it->end) {
			if (!next_part(it))
				return 0;
			continue;
		}
		/* There is no error text here: to clear room for one at each
		 * record costs more than all the rest. */
		if (pd_reader_raw_record(it->reader, it->pos, it->end, ret,
					 &next, NULL)) {
			resync(it);
			continue;
		}
		it->pos = next;
		if (it->end - next > AHEAD_LEN)
			__builtin_prefetch(it->reader->base + next + AHEAD_LEN);
		if (!pd_record_compressed(ret, &z))
			return 1;
		if (ret->type == PD_RECORD_COMPRESSED)
			it->compressed_nr++;
		else
			it->compressed2_nr++;
		rc = feed(it, ret, &z, err);
		if (rc)
			return rc;
	}
}

/* Skip the records right behind rec that have its header and that next_plain()
 * would read; return how many. */
static size_t pass_plain(struct pd_records *it, const struct pd_record *rec)
{
	const struct pd_reader *r = it->reader;
	uint64_t end = it->end, start = it->pos;

	if (it->zstd || rec->type >= PD_RECORD_USER_START ||
	    rec->file_off + rec->len != start)
		return 0;
	if (end - start > PD_RECORD_SPAN_LEN)
		end = start + PD_RECORD_SPAN_LEN;
	if (r->table_off > start && r->table_off <= end)
		end = r->table_off - 1;
	while (end - it->pos >= rec->len &&
	       !memcmp(r->base + it->pos, rec->data, PD_RECORD_HEADER_LEN)) {
		it->pos += rec->len;
		if (it->end - it->pos > AHEAD_LEN)
			__builtin_prefetch(r->base + it->pos + AHEAD_LEN);
	}
	return (size_t)(it->pos - start) / rec->len;
}

int pd_records_next(struct pd_records *it, struct pd_record *ret,
		    struct pd_err *err)
{
	int rc = next_record(it, ret, err);

	if (rc <= 0)
		return rc;
	it->damage.sample_nr += ret->type == PD_RECORD_SAMPLE;
	if (pd_record_may_be_long(ret->type))
		pd_event_set_end_record(pd_reader_events(it->reader), ret);
	return rc;
}

int pd_records_next_span(struct pd_records *it, struct pd_record_span *ret,
			 struct pd_err *err)
{
	int rc = pd_records_next(it, &ret->next, err);

	if (rc <= 0)
		return rc;
	ret->nr = 1;
	if (pd_record_may_be_long(ret->next.type))
		return rc; /* each has a length of its own */
	if (ret->next.plain_off != PD_RECORD_NOT_COMPRESSED)
		ret->nr += pd_zstd_decompress_pass(it->zstd, &ret->next);
	else
		ret->nr += pass_plain(it, &ret->next);
	if (ret->next.type == PD_RECORD_SAMPLE)
		it->damage.sample_nr += ret->nr - 1;
	return rc;
}

bool pd_records_was_plain(const struct pd_records *it)
{
	return it->pos == it->stop && !it->zstd && !it->damage.skipped_nr;
}
