#include "format/reader.h"

#include "format/deflate.h"
#include "format/feature.h"
#include "format/record_body.h"
#include "format/record_span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <zstd.h>

#include <cmocka.h>

/* A file of ours, small: one event with id 7, a frame, a marker, a frame, the
 * features HOSTNAME, EVENT_DESC and COMPRESSED, a trailer. */
enum { SAMPLE_LEN = 24, FRAME_SAMPLE_NR = 5, EVENT_ID = 7 };

struct made {
	struct pd_buf file;
	uint64_t data_off;
	uint64_t data_end;
	struct pd_trailer_frame frames[2];
};

static const struct pd_attr the_attr = {
	.type = PD_TYPE_SOFTWARE,
	.attr_len = PD_ATTR_LEN_VER7,
	.sample_period = 1,
	.sample_type = PD_SAMPLE_IP | PD_SAMPLE_TIME,
};

static struct pd_str str(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
}

static void put_sample(struct pd_buf *b, uint64_t ip, uint64_t time_ns)
{
	size_t start = pd_record_begin(b, PD_RECORD_SAMPLE, 2);

	pd_buf_u64(b, ip);
	pd_buf_u64(b, time_ns);
	pd_record_end(b, start);
}

static void put_plain(struct pd_buf *b, uint64_t time_ns)
{
	for (unsigned i = 0; i < FRAME_SAMPLE_NR; i++)
		put_sample(b, 0x1000 + i, time_ns + i);
}

static void put_frame(struct made *m, size_t idx, uint64_t time_ns)
{
	struct pd_trailer_frame *f = &m->frames[idx];
	struct pd_deflate *z = pd_deflate_new(1, 1 << 16);
	struct pd_buf plain = PD_BUF_INIT;
	const struct pd_buf *records;

	put_plain(&plain, time_ns);
	*f = (struct pd_trailer_frame){
		.file_off = m->file.len,
		.plain_len = plain.len,
		.record_nr = FRAME_SAMPLE_NR,
		.time_lo_ns = time_ns,
		.time_hi_ns = time_ns + FRAME_SAMPLE_NR - 1,
	};
	assert_int_equal(pd_deflate_add(z, plain.data, plain.len), 0);
	assert_int_equal(pd_deflate_end(z, &records, &f->plain_hash), 0);
	pd_buf_bytes(&m->file, records->data, records->len);
	f->file_len = m->file.len - f->file_off;
	pd_deflate_free(z);
	pd_buf_release(&plain);
}

static void put_marker(struct pd_buf *b)
{
	pd_record_end(b, pd_record_begin(b, PD_RECORD_FINISHED_ROUND, 0));
}

static void put_section(struct pd_buf *b, uint64_t off, uint64_t len)
{
	pd_buf_u64(b, off);
	pd_buf_u64(b, len);
}

static void put_tail(struct made *m)
{
	struct pd_buf payload[3] = { PD_BUF_INIT, PD_BUF_INIT, PD_BUF_INIT };
	uint64_t id = EVENT_ID,
		 off = m->file.len + sizeof(payload) / sizeof(payload[0]) * 16;
	struct pd_event_desc desc = {
		.attr = the_attr,
		.name = str("cpu-clock"),
		.ids = { .raw = (const uint8_t *)&id, .nr = 1 },
	};
	struct pd_event_descs descs = { .items = &desc, .nr = 1 };
	struct pd_compression z = { .type = 1,
				    .level = 1,
				    .ratio = 1,
				    .mmap_len = PD_DEFLATE_MMAP_LEN };
	struct pd_trailer trailer = { .frames = m->frames, .frame_nr = 2 };

	pd_feature_string_write(&payload[0], str("here"));
	pd_feature_event_desc_write(&payload[1], &descs);
	pd_feature_compressed_write(&payload[2], &z);
	for (size_t i = 0; i < 3; i++) {
		put_section(&m->file, off, payload[i].len);
		off += payload[i].len;
	}
	for (size_t i = 0; i < 3; i++) {
		pd_buf_bytes(&m->file, payload[i].data, payload[i].len);
		pd_buf_release(&payload[i]);
	}
	pd_trailer_write(&m->file, &trailer);
}

/* [header][attr, ids section][id]; the header is written again at the end. */
static void put_head(struct made *m, struct pd_file_header *ret)
{
	uint64_t ids_off = PD_FILE_HEADER_LEN + the_attr.attr_len + 16;

	*ret = (struct pd_file_header){
		.version = 2,
		.attr_entry_len = the_attr.attr_len + 16,
		.attrs = { PD_FILE_HEADER_LEN, the_attr.attr_len + 16 },
	};
	pd_file_header_write(&m->file, ret);
	pd_attr_write(&m->file, &the_attr);
	put_section(&m->file, ids_off, 8);
	pd_buf_u64(&m->file, EVENT_ID);
	m->data_off = m->file.len;
}

static void put_header_again(struct made *m, const struct pd_file_header *h)
{
	struct pd_buf head = PD_BUF_INIT;

	pd_file_header_write(&head, h);
	memcpy(m->file.data, head.data, head.len);
	pd_buf_release(&head);
}

static void finish(struct made *m, struct pd_file_header *h, bool has_features)
{
	m->data_end = m->file.len;
	h->data = (struct pd_section){ m->data_off, m->data_end - m->data_off };
	if (has_features) {
		pd_file_header_add(h, PD_FEATURE_HOSTNAME);
		pd_file_header_add(h, PD_FEATURE_EVENT_DESC);
		pd_file_header_add(h, PD_FEATURE_COMPRESSED);
		put_tail(m);
	}
	put_header_again(m, h);
	assert_int_equal(pd_buf_status(&m->file), 0);
}

static void make(struct made *m)
{
	struct pd_file_header h;

	*m = (struct made){ .file = PD_BUF_INIT };
	put_head(m, &h);
	put_frame(m, 0, 100);
	put_marker(&m->file);
	put_frame(m, 1, 200);
	finish(m, &h, true);
}

struct seen {
	unsigned sample_nr;
	unsigned other_nr;
	uint64_t last_time_ns;
	uint64_t last_seq;
	struct pd_damage damage;
};

static void check_equal(const struct pd_record *a, const struct pd_record *b)
{
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->misc, b->misc);
	assert_int_equal(a->len, b->len);
	assert_int_equal(a->file_off, b->file_off);
	assert_int_equal(a->plain_off, b->plain_off);
	assert_int_equal(a->seq, b->seq);
	assert_memory_equal(a->data, b->data, a->len);
}

/* Whatever is in the piece, in spans there are the same records. */
static void check_spans(struct pd_reader *r, struct pd_piece piece)
{
	struct pd_records one, many;
	struct pd_record_span span;
	struct pd_record rec, same;

	pd_records_init(&one, r, piece);
	pd_records_init(&many, r, piece);
	while (pd_records_next_span(&many, &span, NULL) > 0) {
		assert_true(span.nr > 0);
		while (pd_record_span_next(&span, &same)) {
			assert_int_equal(pd_records_next(&one, &rec, NULL), 1);
			check_equal(&rec, &same);
		}
	}
	assert_int_equal(pd_records_next(&one, &rec, NULL), 0);
	assert_int_equal(one.damage.skipped_nr, many.damage.skipped_nr);
	assert_int_equal(one.damage.skipped_len, many.damage.skipped_len);
	pd_records_release(&one);
	pd_records_release(&many);
}

static void walk(struct pd_reader *r, struct pd_piece piece, struct seen *seen)
{
	struct pd_records it;
	struct pd_record rec;
	int rc;

	check_spans(r, piece);
	pd_records_init(&it, r, piece);
	while ((rc = pd_records_next(&it, &rec, NULL)) > 0) {
		assert_true(rec.seq >= seen->last_seq);
		seen->last_seq = rec.seq;
		if (rec.type != PD_RECORD_SAMPLE) {
			seen->other_nr++;
			continue;
		}
		seen->sample_nr++;
		seen->last_time_ns =
			pd_event_set_time_of(pd_reader_events(r), &rec);
	}
	assert_int_equal(rc, 0);
	seen->damage.skipped_nr += it.damage.skipped_nr;
	seen->damage.skipped_len += it.damage.skipped_len;
	pd_records_release(&it);
}

static struct seen read_all(const uint8_t *base, size_t len)
{
	struct pd_reader *r = NULL;
	struct seen seen = { .sample_nr = 0 };

	assert_int_equal(pd_reader_open(&r, base, len, NULL), 0);
	walk(r, pd_reader_data(r), &seen);
	seen.damage.skipped_nr += pd_reader_damage(r)->skipped_nr;
	pd_reader_close(r);
	return seen;
}

static void test_reader__reads_what_the_writers_wrote(void **state)
{
	struct pd_reader *r = NULL;
	struct seen seen = { .sample_nr = 0 };
	struct pd_cursor c;
	struct pd_str host;
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(pd_reader_open(&r, m.file.data, m.file.len, NULL), 0);
	assert_int_equal(pd_reader_events(r)->nr, 1);
	assert_string_equal(pd_reader_events(r)->events[0].name, "cpu-clock");
	assert_int_equal(pd_reader_events(r)->events[0].ids[0], EVENT_ID);
	assert_true(pd_reader_feature(r, PD_FEATURE_HOSTNAME, &c));
	assert_int_equal(pd_feature_string_read(&c, &host), 0);
	assert_true(pd_str_eq(host, "here"));
	assert_true(
		pd_str_eq(pd_reader_string(r, PD_FEATURE_HOSTNAME), "here"));
	assert_false(pd_reader_feature(r, PD_FEATURE_CPUID, &c));
	assert_true(pd_str_eq(pd_reader_string(r, PD_FEATURE_CPUID), ""));
	assert_int_equal(pd_reader_trailer(r)->frame_nr, 2);
	walk(r, pd_reader_data(r), &seen);
	assert_int_equal(seen.sample_nr, 2 * FRAME_SAMPLE_NR);
	assert_int_equal(seen.other_nr, 1);
	assert_int_equal(seen.last_time_ns, 200 + FRAME_SAMPLE_NR - 1);
	assert_int_equal(seen.damage.skipped_nr, 0);
	assert_int_equal(pd_reader_damage(r)->skipped_nr, 0);
	pd_reader_close(r);
	pd_buf_release(&m.file);
}

static void check_pieces(const struct made *m, size_t len)
{
	const struct pd_piece *pieces;
	struct pd_reader *r = NULL;
	struct seen seen = { .sample_nr = 0 };
	size_t nr;

	assert_int_equal(pd_reader_open(&r, m->file.data, len, NULL), 0);
	assert_int_equal(pd_reader_pieces(r, &(struct pd_cut){ .goal_len = 16 },
					  &pieces, &nr, NULL),
			 0);
	assert_true(nr >= 2);
	assert_int_equal(pieces[0].file_off, m->frames[0].file_off);
	assert_true(pieces[0].is_frame);
	assert_true(pieces[nr - 1].is_frame);
	assert_int_equal(pieces[nr - 1].file_off, m->frames[1].file_off);
	for (size_t i = nr; i-- > 0;) {
		seen.last_seq = 0;
		walk(r, pieces[i], &seen);
	}
	assert_int_equal(seen.sample_nr, 2 * FRAME_SAMPLE_NR);
	assert_int_equal(seen.other_nr, 1);
	assert_int_equal(seen.damage.skipped_nr, 0);
	pd_reader_close(r);
}

static void test_reader__pieces_read_alone_in_any_order(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	check_pieces(&m, m.file.len);
	/* without its footer the index is rebuilt from record headers */
	check_pieces(&m, m.file.len - 1);
	pd_buf_release(&m.file);
}

static void
test_reader__a_killed_recorder_s_file_is_read_to_its_end(void **state)
{
	struct pd_file_header h;
	struct seen seen;
	struct made m = { .file = PD_BUF_INIT };

	(void)state;
	put_head(&m, &h);
	put_frame(&m, 0, 100);
	finish(&m, &h, false); /* the checkpoint */
	put_frame(&m, 1, 200);
	seen = read_all(m.file.data, m.file.len);
	assert_int_equal(seen.sample_nr, 2 * FRAME_SAMPLE_NR);
	assert_int_equal(seen.damage.skipped_nr, 1);
	seen = read_all(m.file.data, m.file.len - 1);
	assert_int_equal(seen.sample_nr, FRAME_SAMPLE_NR);
	assert_int_equal(seen.damage.skipped_nr, 2);
	pd_buf_release(&m.file);
}

static void test_reader__after_a_bad_frame_the_next_is_read(void **state)
{
	struct seen seen;
	struct made m;

	(void)state;
	make(&m);
	/* the content checksum, in the first frame's last bytes */
	m.file.data[m.frames[0].file_off + m.frames[0].file_len - 1] ^= 1;
	seen = read_all(m.file.data, m.file.len);
	assert_int_equal(seen.last_time_ns, 200 + FRAME_SAMPLE_NR - 1);
	assert_int_equal(seen.sample_nr, FRAME_SAMPLE_NR);
	assert_int_equal(seen.damage.skipped_nr, 1);
	pd_buf_release(&m.file);
}

struct told {
	unsigned nr;
	enum pd_damage_kind kinds[4];
	uint64_t lens[4];
	uint64_t offs[4];
};

static void tell(void *ctx, enum pd_damage_kind kind, uint64_t len,
		 const struct pd_err *err)
{
	struct told *told = ctx;

	assert_in_range(told->nr, 0, 3);
	told->kinds[told->nr] = kind;
	told->lens[told->nr] = len;
	told->offs[told->nr++] = err->off;
}

static void test_reader__a_watch_is_told_of_each_place(void **state)
{
	struct told told = { .nr = 0 };
	const struct pd_watch watch = { .tell = tell, .ctx = &told };
	struct pd_record rec;
	struct pd_records it;
	struct pd_reader *r;
	struct made m;
	size_t len;

	(void)state;
	make(&m);
	len = m.file.len;
	m.file.data[len - 40] ^= 1; /* the trailer's body */
	m.file.data[m.frames[0].file_off + m.frames[0].file_len - 1] ^= 1;
	assert_int_equal(
		pd_reader_open_watched(&r, m.file.data, len, &watch, NULL), 0);
	assert_int_equal(told.nr, 1);
	assert_int_equal(told.kinds[0], PD_DAMAGE_TRAILER);
	pd_records_init(&it, r, pd_reader_data(r));
	it.damage.watch = &watch;
	for (uint64_t off = 0; pd_records_next(&it, &rec, NULL) > 0;) {
		if (rec.type != PD_RECORD_SAMPLE) {
			assert_true(rec.plain_off == PD_RECORD_NOT_COMPRESSED);
			continue;
		}
		assert_int_equal(rec.plain_off, off);
		off += rec.len;
	}
	assert_int_equal(told.nr, 2);
	assert_int_equal(told.kinds[1], PD_DAMAGE_ZSTD);
	assert_int_equal(told.lens[1], m.frames[0].file_len);
	assert_int_equal(told.offs[1], m.frames[0].file_off);
	pd_records_release(&it);
	pd_reader_close(r);
	pd_buf_release(&m.file);
}

struct guessed {
	size_t piece_nr;
	size_t plain_nr; /* of them */
	unsigned record_nr;
};

static void count_looks(void *ctx, uint64_t file_off)
{
	assert_int_not_equal(file_off, 0);
	++*(size_t *)ctx;
}

static struct guessed guess(const struct pd_buf *file)
{
	struct guessed ret = { .record_nr = 0 };
	const struct pd_piece *pieces;
	struct pd_reader *r = NULL;
	struct pd_record rec;
	size_t looks_nr = 0;
	struct pd_cut conf = { 64, count_looks, &looks_nr };

	assert_int_equal(pd_reader_open(&r, file->data, file->len, NULL), 0);
	assert_int_equal(
		pd_reader_guess_pieces(r, &conf, &pieces, &ret.piece_nr, NULL),
		0);
	assert_int_equal(looks_nr, ret.piece_nr);
	for (size_t i = 0; i < ret.piece_nr; i++) {
		struct pd_records it;

		pd_records_init(&it, r, pieces[i]);
		while (pd_records_next(&it, &rec, NULL) > 0)
			ret.record_nr++;
		ret.plain_nr += pd_records_was_plain(&it);
		pd_records_release(&it);
	}
	pd_reader_close(r);
	return ret;
}

static void test_reader__guessed_pieces_of_a_plain_file_are_plain(void **state)
{
	struct made m = { .file = PD_BUF_INIT };
	struct pd_file_header h;
	struct guessed got;

	(void)state;
	put_head(&m, &h);
	put_plain(&m.file, 100);
	put_marker(&m.file);
	put_plain(&m.file, 200);
	finish(&m, &h, false);
	got = guess(&m.file);
	assert_true(got.piece_nr > 2);
	assert_int_equal(got.plain_nr, got.piece_nr);
	assert_int_equal(got.record_nr, 2 * FRAME_SAMPLE_NR + 1);
	pd_buf_release(&m.file);
}

static void test_reader__a_guess_inside_a_record_is_not_plain(void **state)
{
	struct made m = { .file = PD_BUF_INIT };
	struct pd_file_header h;
	struct guessed got;
	size_t start;

	(void)state;
	put_head(&m, &h);
	start = pd_record_begin(&m.file, PD_RECORD_SAMPLE, 2);
	put_plain(&m.file, 100); /* what seems to be records */
	pd_record_end(&m.file, start);
	put_plain(&m.file, 200);
	finish(&m, &h, false);
	got = guess(&m.file);
	assert_true(got.piece_nr > 2);
	assert_int_equal(got.plain_nr, got.piece_nr - 1);
	pd_buf_release(&m.file);
}

/* Records of no more than a header, as stack copies can have them. */
static void test_reader__what_is_no_sample_is_not_guessed(void **state)
{
	struct made m = { .file = PD_BUF_INIT };
	struct pd_file_header h;
	struct guessed got;
	size_t start;

	(void)state;
	put_head(&m, &h);
	start = pd_record_begin(&m.file, PD_RECORD_SAMPLE, 2);
	for (unsigned i = 0; i < 100; i++)
		pd_record_end(&m.file,
			      pd_record_begin(&m.file, PD_RECORD_SAMPLE, 2));
	pd_record_end(&m.file, start);
	put_plain(&m.file, 200);
	finish(&m, &h, false);
	got = guess(&m.file);
	assert_true(got.piece_nr > 1);
	assert_int_equal(got.plain_nr, got.piece_nr);
	assert_int_equal(got.record_nr, 1 + FRAME_SAMPLE_NR);
	pd_buf_release(&m.file);
}

static void test_reader__nothing_is_guessed_of_compressed_files(void **state)
{
	const struct pd_piece *pieces;
	struct pd_reader *r = NULL;
	struct made m;
	size_t nr;

	(void)state;
	make(&m);
	assert_int_equal(pd_reader_open(&r, m.file.data, m.file.len, NULL), 0);
	assert_int_equal(
		pd_reader_guess_pieces(r, &(struct pd_cut){ .goal_len = 64 },
				       &pieces, &nr, NULL),
		-ENOTSUP);
	pd_reader_close(r);
	pd_buf_release(&m.file);
}

/* As the files of a directory: data, then parts with a stream each; what lies
 * between is not looked at. */
static void test_reader__parts_are_read_with_streams_of_their_own(void **state)
{
	struct made m = { .file = PD_BUF_INIT };
	const struct pd_piece *pieces;
	struct seen seen = { .sample_nr = 0 };
	struct pd_reader *r = NULL;
	struct pd_file_header h;
	uint64_t main_len;
	size_t nr;

	(void)state;
	put_head(&m, &h);
	put_plain(&m.file, 100);
	finish(&m, &h, true);
	main_len = m.file.len;
	pd_buf_zero(&m.file, 4096 - m.file.len % 4096);
	put_frame(&m, 0, 200);
	pd_buf_zero(&m.file, 4096 - m.file.len % 4096);
	put_frame(&m, 1, 300);
	assert_int_equal(pd_reader_open(&r, m.file.data, main_len, NULL), 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(
			pd_reader_add_part(
				r,
				&(struct pd_section){ m.frames[i].file_off,
						      m.frames[i].file_len }),
			0);
	assert_true(pd_reader_has_parts(r));
	walk(r, pd_reader_data(r), &seen);
	assert_int_equal(seen.sample_nr, 3 * FRAME_SAMPLE_NR);
	assert_int_equal(seen.last_time_ns, 300 + FRAME_SAMPLE_NR - 1);
	assert_int_equal(seen.damage.skipped_nr, 0);
	assert_int_equal(pd_reader_pieces(r, &(struct pd_cut){ .goal_len = 16 },
					  &pieces, &nr, NULL),
			 0);
	seen = (struct seen){ .sample_nr = 0 };
	for (size_t i = 0; i < nr; i++)
		walk(r, pieces[i], &seen);
	assert_int_equal(seen.sample_nr, 3 * FRAME_SAMPLE_NR);
	assert_int_equal(seen.damage.skipped_nr, 0);
	pd_reader_close(r);
	pd_buf_release(&m.file);
}

static void test_reader__events_are_described_twice(void **state)
{
	struct pd_reader *r = NULL;
	struct seen seen = { .sample_nr = 0 };
	struct made m;

	(void)state;
	make(&m);
	pd_buf_patch_u64(&m.file, 24, UINT64_C(1) << 40); /* the attrs' place */
	assert_int_equal(pd_reader_open(&r, m.file.data, m.file.len, NULL), 0);
	assert_int_equal(pd_reader_damage(r)->skipped_nr, 1);
	assert_int_equal(pd_reader_events(r)->nr, 1);
	assert_string_equal(pd_reader_events(r)->events[0].name, "cpu-clock");
	assert_int_equal(pd_reader_events(r)->events[0].ids[0], EVENT_ID);
	walk(r, pd_reader_data(r), &seen);
	assert_int_equal(seen.sample_nr, 2 * FRAME_SAMPLE_NR);
	pd_reader_close(r);
	pd_buf_release(&m.file);
}

static void test_reader__behind_a_bad_record_it_goes_on(void **state)
{
	struct made m = { .file = PD_BUF_INIT };
	struct pd_file_header h;
	struct seen seen;

	(void)state;
	put_head(&m, &h);
	for (unsigned i = 0; i < 10; i++)
		put_sample(&m.file, 0x1000, 100 + i);
	finish(&m, &h, true);
	m.file.data[m.data_off + 4 * SAMPLE_LEN + 6] = 0; /* its length */
	seen = read_all(m.file.data, m.file.len);
	assert_int_equal(seen.sample_nr, 9);
	assert_int_equal(seen.damage.skipped_nr, 1);
	assert_int_equal(seen.damage.skipped_len, SAMPLE_LEN);
	pd_buf_release(&m.file);
}

static void test_reader__behind_a_bad_compressed_record_too(void **state)
{
	struct made m;
	struct seen seen;

	(void)state;
	make(&m);
	memset(m.file.data + m.frames[0].file_off + 6, 0, 2); /* its length */
	seen = read_all(m.file.data, m.file.len);
	assert_int_equal(seen.sample_nr, FRAME_SAMPLE_NR);
	assert_int_equal(seen.other_nr, 1);
	assert_int_equal(seen.damage.skipped_nr, 1);
	assert_int_equal(seen.damage.skipped_len, m.frames[0].file_len);
	pd_buf_release(&m.file);
}

static void put_payload(struct pd_buf *b, uint32_t type, const uint8_t *payload,
			size_t len)
{
	size_t start = pd_record_begin(b, type, 0);

	if (type == PD_RECORD_COMPRESSED2)
		pd_buf_u64(b, len);
	pd_buf_bytes(b, payload, len);
	if (type == PD_RECORD_COMPRESSED2)
		pd_record_end(b, start);
	else
		pd_buf_patch_u16(b, start + 6, (uint16_t)(b->len - start));
}

/* zstd's stream of plain, flushed and never ended, as perf writes it. */
static size_t stream_of(const struct pd_buf *plain, uint8_t *out, size_t cap)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	ZSTD_inBuffer in = { plain->data, plain->len, 0 };
	ZSTD_outBuffer to = { out, cap, 0 };

	assert_int_equal(ZSTD_compressStream2(z, &to, &in, ZSTD_e_flush), 0);
	assert_int_equal(in.pos, in.size);
	ZSTD_freeCCtx(z);
	return to.pos;
}

/* A record for each byte of the stream: most of them yield nothing. */
static void test_reader__perf_s_endless_frame_in_any_parts(void **state)
{
	static const uint32_t types[] = { PD_RECORD_COMPRESSED,
					  PD_RECORD_COMPRESSED2 };
	(void)state;
	for (size_t t = 0; t < 2; t++) {
		struct made m = { .file = PD_BUF_INIT };
		struct pd_buf plain = PD_BUF_INIT;
		struct pd_file_header h;
		uint8_t out[1024];
		struct seen seen;
		size_t len;

		put_head(&m, &h);
		put_plain(&plain, 100);
		len = stream_of(&plain, out, sizeof(out));
		for (size_t i = 0; i < len; i++) {
			put_payload(&m.file, types[t], out + i, 1);
			put_marker(&m.file);
		}
		finish(&m, &h, true);
		seen = read_all(m.file.data, m.file.len);
		assert_int_equal(seen.sample_nr, FRAME_SAMPLE_NR);
		assert_int_equal(seen.other_nr, len);
		assert_int_equal(seen.damage.skipped_nr, 0);
		pd_buf_release(&m.file);
		pd_buf_release(&plain);
	}
}

/* 200 KiB that do not compress, as one flush of perf 6.16. */
static void test_reader__a_flush_over_65535_bytes(void **state)
{
	enum { FULL_LEN = 65535 - 16 };
	struct made m = { .file = PD_BUF_INIT };
	struct pd_buf plain = PD_BUF_INIT;
	uint8_t *out = malloc(400 << 10);
	struct pd_file_header h;
	uint64_t x = 88172645463325252u;
	size_t len, first;
	struct seen seen;

	(void)state;
	while (plain.len < 200 << 10) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		put_sample(&plain, x, x * 31);
	}
	put_head(&m, &h);
	len = stream_of(&plain, out, 400 << 10);
	first = m.file.len;
	for (size_t at = 0, n; at < len; at += n) {
		size_t start =
			pd_record_begin(&m.file, PD_RECORD_COMPRESSED2, 0);

		n = len - at < FULL_LEN ? len - at : FULL_LEN;
		pd_buf_u64(&m.file, 0x5a5a5a5a5a5a5a5a);
		pd_buf_bytes(&m.file, out + at, n);
		pd_buf_patch_u16(&m.file, start + 6, (uint16_t)(n + 16));
	}
	pd_buf_patch_u64(&m.file, first + 8, m.file.len - first - 16);
	pd_buf_patch_u16(&m.file, first + 6,
			 (uint16_t)((m.file.len - first + 7) / 8 * 8));
	finish(&m, &h, true);
	seen = read_all(m.file.data, m.file.len);
	assert_int_equal(seen.sample_nr, plain.len / SAMPLE_LEN);
	assert_int_equal(seen.damage.skipped_nr, 0);
	pd_buf_release(&m.file);
	pd_buf_release(&plain);
	free(out);
}

static void test_reader__a_pipe_tells_its_events_in_records(void **state)
{
	const struct pd_file_header h = { .is_pipe = true };
	struct pd_buf b = PD_BUF_INIT, name = PD_BUF_INIT;
	struct pd_reader *r = NULL;
	struct seen seen = { .sample_nr = 0 };
	struct pd_cursor c;
	size_t start;

	(void)state;
	pd_file_header_write(&b, &h);
	start = pd_record_begin(&b, PD_RECORD_HEADER_ATTR, 0);
	pd_attr_write(&b, &the_attr);
	pd_buf_u64(&b, EVENT_ID);
	pd_record_end(&b, start);
	start = pd_record_begin(&b, PD_RECORD_HEADER_FEATURE, 0);
	pd_buf_u64(&b, PD_FEATURE_ARCH);
	pd_feature_string_write(&b, str("x86_64"));
	pd_record_end(&b, start);
	start = pd_record_begin(&b, PD_RECORD_HEADER_TRACING_DATA, 0);
	pd_buf_u32(&b, 16);
	pd_buf_u32(&b, 0);
	pd_record_end(&b, start);
	pd_buf_bytes(&b, "sixteen bytes...", 16);
	start = pd_record_begin(&b, PD_RECORD_EVENT_UPDATE, 0);
	pd_buf_u64(&b, 2);
	pd_buf_u64(&b, EVENT_ID);
	pd_buf_cstr_pad(&b, str("my-event"), 8);
	pd_record_end(&b, start);
	put_plain(&b, 100);
	assert_int_equal(pd_reader_open(&r, b.data, b.len, NULL), 0);
	assert_true(pd_reader_header(r)->is_pipe);
	assert_string_equal(pd_reader_events(r)->events[0].name, "my-event");
	assert_true(pd_reader_feature(r, PD_FEATURE_ARCH, &c));
	assert_true(pd_reader_feature(r, PD_FEATURE_TRACING_DATA, &c));
	assert_memory_equal(c.data, "sixteen bytes...", 16);
	walk(r, pd_reader_data(r), &seen);
	assert_int_equal(seen.sample_nr, FRAME_SAMPLE_NR);
	assert_int_equal(seen.other_nr, 4);
	pd_reader_close(r);
	pd_buf_release(&b);
	pd_buf_release(&name);
}

/* Any answer will do, none may crash; sizes as they are, so that ASan sees each
 * byte too far. */
static void poke(const uint8_t *data, size_t len)
{
	const struct pd_piece *pieces;
	uint8_t *copy = malloc(len ? len : 1);
	struct pd_reader *r = NULL;
	struct pd_err err = PD_ERR_INIT;
	struct pd_records it;
	struct pd_record rec;
	size_t nr;

	memcpy(copy, data, len);
	if (!pd_reader_open(&r, copy, len, &err)) {
		pd_records_init(&it, r, pd_reader_data(r));
		while (pd_records_next(&it, &rec, &err) > 0)
			(void)pd_event_set_time_of(pd_reader_events(r), &rec);
		pd_records_release(&it);
		check_spans(r, pd_reader_data(r));
		assert_int_equal(
			pd_reader_pieces(r, &(struct pd_cut){ .goal_len = 1 },
					 &pieces, &nr, &err),
			0);
		(void)pd_reader_guess_pieces(r,
					     &(struct pd_cut){ .goal_len = 1 },
					     &pieces, &nr, &err);
		pd_reader_close(r);
	} else {
		assert_int_not_equal(err.text[0], 0);
	}
	free(copy);
}

static void test_reader__cut_at_every_length(void **state)
{
	unsigned most = 0;
	struct made m;

	(void)state;
	make(&m);
	for (size_t len = 0; len < m.file.len; len++)
		poke(m.file.data, len);
	for (size_t len = m.data_off; len < m.data_end; len++) {
		unsigned nr = read_all(m.file.data, len).sample_nr;
		bool has_first =
			len >= m.frames[0].file_off + m.frames[0].file_len;

		assert_int_equal(nr, has_first ? FRAME_SAMPLE_NR : 0);
		most = nr > most ? nr : most;
	}
	assert_int_equal(most, FRAME_SAMPLE_NR);
	pd_buf_release(&m.file);
}

static void test_reader__every_byte_changed(void **state)
{
	static const uint8_t masks[] = { 0x01, 0x80, 0xff };
	struct made m;

	(void)state;
	make(&m);
	for (size_t at = 0; at < m.file.len; at++)
		for (size_t i = 0; i < sizeof(masks); i++) {
			m.file.data[at] ^= masks[i];
			poke(m.file.data, m.file.len);
			m.file.data[at] ^= masks[i];
		}
	pd_buf_release(&m.file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reader__reads_what_the_writers_wrote),
		cmocka_unit_test(test_reader__pieces_read_alone_in_any_order),
		cmocka_unit_test(
			test_reader__a_killed_recorder_s_file_is_read_to_its_end),
		cmocka_unit_test(
			test_reader__after_a_bad_frame_the_next_is_read),
		cmocka_unit_test(test_reader__events_are_described_twice),
		cmocka_unit_test(
			test_reader__parts_are_read_with_streams_of_their_own),
		cmocka_unit_test(
			test_reader__guessed_pieces_of_a_plain_file_are_plain),
		cmocka_unit_test(
			test_reader__a_guess_inside_a_record_is_not_plain),
		cmocka_unit_test(test_reader__what_is_no_sample_is_not_guessed),
		cmocka_unit_test(
			test_reader__nothing_is_guessed_of_compressed_files),
		cmocka_unit_test(test_reader__a_watch_is_told_of_each_place),
		cmocka_unit_test(test_reader__behind_a_bad_record_it_goes_on),
		cmocka_unit_test(
			test_reader__behind_a_bad_compressed_record_too),
		cmocka_unit_test(
			test_reader__perf_s_endless_frame_in_any_parts),
		cmocka_unit_test(test_reader__a_flush_over_65535_bytes),
		cmocka_unit_test(
			test_reader__a_pipe_tells_its_events_in_records),
		cmocka_unit_test(test_reader__cut_at_every_length),
		cmocka_unit_test(test_reader__every_byte_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
