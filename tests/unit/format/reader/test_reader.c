#include "format/reader/reader.h"

#include "format/base/hash.h"
#include "tests/unit/made_file.h"
#include "tests/unit/seen_records.h"

#include <zstd.h>

static void test_reader__reads_what_the_writers_wrote(void **state)
{
	struct pd_reader *r = NULL;
	struct seen seen = { .sample_nr = 0 };
	struct pd_cursor c;
	struct pd_str host;
	struct made m;

	(void)state;
	made_whole(&m);
	assert_int_equal(
		pd_reader_open(&r, m.file.data, m.file.len, NULL, NULL), 0);
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
	seen_walk(r, pd_reader_data(r), &seen);
	assert_int_equal(seen.sample_nr, 2 * FRAME_SAMPLE_NR);
	assert_int_equal(seen.other_nr, 1);
	assert_int_equal(seen.last_time_ns, 200 + FRAME_SAMPLE_NR - 1);
	assert_int_equal(seen.damage.skipped_nr, 0);
	assert_int_equal(pd_reader_damage(r)->skipped_nr, 0);
	pd_reader_close(r);
	pd_buf_release(&m.file);
}

static void
test_reader__a_killed_recorder_s_file_is_read_to_its_end(void **state)
{
	struct pd_file_header h;
	struct seen seen;
	struct made m = { .file = PD_BUF_INIT };

	(void)state;
	made_head(&m, &h);
	made_frame(&m, 0, 100);
	made_end(&m, &h, false); /* the checkpoint */
	made_frame(&m, 1, 200);
	seen = seen_all(m.file.data, m.file.len);
	assert_int_equal(seen.sample_nr, 2 * FRAME_SAMPLE_NR);
	assert_int_equal(seen.damage.skipped_nr, 1);
	seen = seen_all(m.file.data, m.file.len - 1);
	assert_int_equal(seen.sample_nr, FRAME_SAMPLE_NR);
	assert_int_equal(seen.damage.skipped_nr, 2);
	pd_buf_release(&m.file);
}

static void test_reader__after_a_bad_frame_the_next_is_read(void **state)
{
	struct seen seen;
	struct made m;

	(void)state;
	made_whole(&m);
	/* the content checksum, in the first frame's last bytes */
	m.file.data[m.frames[0].file_off + m.frames[0].file_len - 1] ^= 1;
	seen = seen_all(m.file.data, m.file.len);
	assert_int_equal(seen.last_time_ns, 200 + FRAME_SAMPLE_NR - 1);
	assert_int_equal(seen.sample_nr, FRAME_SAMPLE_NR);
	assert_int_equal(seen.damage.skipped_nr, 1);
	pd_buf_release(&m.file);
}

/* Many sums of the whole file each would keep who opens it busy for hours. */
static void test_reader__no_byte_is_summed_twice(void **state)
{
	enum { SUM_NR = 64 };
	struct pd_trailer_sum sums[SUM_NR];
	struct pd_trailer t = { .has_sums = true,
				.sums = sums,
				.sum_nr = SUM_NR };
	struct pd_reader *r;
	struct made m;
	size_t len;

	(void)state;
	made_whole(&m);
	len = m.file.len;
	for (size_t i = 0; i < SUM_NR; i++)
		sums[i] = (struct pd_trailer_sum){
			.len = len,
			.hash = pd_hash_of(m.file.data, len),
			.part = PD_PART_HEADER,
		};
	pd_trailer_write(&m.file, &t);
	assert_int_equal(
		pd_reader_open(&r, m.file.data, m.file.len, NULL, NULL), 0);
	assert_int_equal(pd_reader_damage(r)->skipped_nr,
			 SUM_NR - m.file.len / len);
	pd_reader_close(r);
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

static void test_reader__a_watch_is_called_for_each_damage(void **state)
{
	struct told told = { .nr = 0 };
	const struct pd_watch watch = { .damage = tell, .ctx = &told };
	struct pd_record rec;
	struct pd_records it;
	struct pd_reader *r;
	struct made m;
	size_t len;

	(void)state;
	made_whole(&m);
	len = m.file.len;
	m.file.data[len - 40] ^= 1; /* the trailer's body */
	m.file.data[m.frames[0].file_off + m.frames[0].file_len - 1] ^= 1;
	assert_int_equal(pd_reader_open(&r, m.file.data, len, &watch, NULL), 0);
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

static void test_reader__events_are_described_twice(void **state)
{
	struct pd_reader *r = NULL;
	struct seen seen = { .sample_nr = 0 };
	struct made m;

	(void)state;
	made_whole(&m);
	pd_buf_patch_u64(&m.file, 24, UINT64_C(1) << 40); /* the attrs' place */
	assert_int_equal(
		pd_reader_open(&r, m.file.data, m.file.len, NULL, NULL), 0);
	assert_int_equal(pd_reader_damage(r)->skipped_nr, 1);
	assert_int_equal(pd_reader_events(r)->nr, 1);
	assert_string_equal(pd_reader_events(r)->events[0].name, "cpu-clock");
	assert_int_equal(pd_reader_events(r)->events[0].ids[0], EVENT_ID);
	seen_walk(r, pd_reader_data(r), &seen);
	assert_int_equal(seen.sample_nr, 2 * FRAME_SAMPLE_NR);
	pd_reader_close(r);
	pd_buf_release(&m.file);
}

static void test_reader__goes_on_behind_a_bad_record(void **state)
{
	struct made m = { .file = PD_BUF_INIT };
	struct pd_file_header h;
	struct seen seen;

	(void)state;
	made_head(&m, &h);
	for (unsigned i = 0; i < 10; i++)
		made_sample(&m.file, 0x1000, 100 + i);
	made_end(&m, &h, true);
	m.file.data[m.data_off + 4 * SAMPLE_LEN + 6] = 0; /* its length */
	seen = seen_all(m.file.data, m.file.len);
	assert_int_equal(seen.sample_nr, 9);
	assert_int_equal(seen.damage.skipped_nr, 1);
	assert_int_equal(seen.damage.skipped_len, SAMPLE_LEN);
	pd_buf_release(&m.file);
}

static void test_reader__goes_on_behind_a_bad_compressed_record(void **state)
{
	struct made m;
	struct seen seen;

	(void)state;
	made_whole(&m);
	memset(m.file.data + m.frames[0].file_off + 6, 0, 2); /* its length */
	seen = seen_all(m.file.data, m.file.len);
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

		made_head(&m, &h);
		made_plain(&plain, 100);
		len = stream_of(&plain, out, sizeof(out));
		for (size_t i = 0; i < len; i++) {
			put_payload(&m.file, types[t], out + i, 1);
			made_marker(&m.file);
		}
		made_end(&m, &h, true);
		seen = seen_all(m.file.data, m.file.len);
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
		made_sample(&plain, x, x * 31);
	}
	made_head(&m, &h);
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
	made_end(&m, &h, true);
	seen = seen_all(m.file.data, m.file.len);
	assert_int_equal(seen.sample_nr, plain.len / SAMPLE_LEN);
	assert_int_equal(seen.damage.skipped_nr, 0);
	pd_buf_release(&m.file);
	pd_buf_release(&plain);
	free(out);
}

static void test_reader__the_events_of_a_pipe_are_in_records(void **state)
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
	pd_buf_string(&b, made_str("x86_64"));
	pd_record_end(&b, start);
	start = pd_record_begin(&b, PD_RECORD_HEADER_TRACING_DATA, 0);
	pd_buf_u32(&b, 16);
	pd_buf_u32(&b, 0);
	pd_record_end(&b, start);
	pd_buf_bytes(&b, "sixteen bytes...", 16);
	start = pd_record_begin(&b, PD_RECORD_EVENT_UPDATE, 0);
	pd_buf_u64(&b, 2);
	pd_buf_u64(&b, EVENT_ID);
	pd_buf_cstr_pad(&b, made_str("my-event"), 8);
	pd_record_end(&b, start);
	made_plain(&b, 100);
	assert_int_equal(pd_reader_open(&r, b.data, b.len, NULL, NULL), 0);
	assert_true(pd_reader_header(r)->is_pipe);
	assert_string_equal(pd_reader_events(r)->events[0].name, "my-event");
	assert_true(pd_reader_feature(r, PD_FEATURE_ARCH, &c));
	assert_true(pd_reader_feature(r, PD_FEATURE_TRACING_DATA, &c));
	assert_memory_equal(c.data, "sixteen bytes...", 16);
	seen_walk(r, pd_reader_data(r), &seen);
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
	const struct pd_chunk *pieces;
	uint8_t *copy = malloc(len ? len : 1);
	struct pd_reader *r = NULL;
	struct pd_err err = PD_ERR_INIT;
	struct pd_records it;
	struct pd_record rec;
	size_t nr;

	memcpy(copy, data, len);
	if (!pd_reader_open(&r, copy, len, NULL, &err)) {
		pd_records_init(&it, r, pd_reader_data(r));
		while (pd_records_next(&it, &rec, &err) > 0)
			(void)pd_event_set_time_of(pd_reader_events(r), &rec);
		pd_records_release(&it);
		seen_spans(r, pd_reader_data(r));
		assert_int_equal(pd_reader_chunks(r, 1, &pieces, &nr, &err), 0);
		(void)pd_reader_guess_chunks(r, 1, &pieces, &nr, &err);
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
	made_whole(&m);
	for (size_t len = 0; len < m.file.len; len++)
		poke(m.file.data, len);
	for (size_t len = m.data_off; len < m.data_end; len++) {
		unsigned nr = seen_all(m.file.data, len).sample_nr;
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
	made_whole(&m);
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
		cmocka_unit_test(
			test_reader__a_killed_recorder_s_file_is_read_to_its_end),
		cmocka_unit_test(
			test_reader__after_a_bad_frame_the_next_is_read),
		cmocka_unit_test(test_reader__events_are_described_twice),
		cmocka_unit_test(test_reader__no_byte_is_summed_twice),
		cmocka_unit_test(
			test_reader__a_watch_is_called_for_each_damage),
		cmocka_unit_test(test_reader__goes_on_behind_a_bad_record),
		cmocka_unit_test(
			test_reader__goes_on_behind_a_bad_compressed_record),
		cmocka_unit_test(
			test_reader__perf_s_endless_frame_in_any_parts),
		cmocka_unit_test(test_reader__a_flush_over_65535_bytes),
		cmocka_unit_test(
			test_reader__the_events_of_a_pipe_are_in_records),
		cmocka_unit_test(test_reader__cut_at_every_length),
		cmocka_unit_test(test_reader__every_byte_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
