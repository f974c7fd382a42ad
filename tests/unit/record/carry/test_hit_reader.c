/* The reader of a recording that is still being written. */
#include "record/carry/hit_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/file/file_header.h"
#include "format/records/event_set.h"
#include "format/records/zstd_compress.h"

enum { MEMORY_LEN = 8 << 20, TEXT_LEN = 1024 };

struct made {
	struct pd_buf b;
	uint64_t data_off;
	struct pd_zstd_compress *z;
	int fd;
};

static void add_sample(struct pd_buf *b, uint32_t pid, uint64_t ip)
{
	size_t start = pd_record_begin(b, PD_RECORD_SAMPLE, PD_CPUMODE_USER);

	pd_buf_u64(b, ip);
	pd_buf_u32(b, pid);
	pd_buf_u32(b, pid);
	pd_record_end(b, start);
}

static void add_map(struct pd_buf *b, uint32_t pid, uint64_t addr,
		    const char *path)
{
	size_t start = pd_record_begin(b, PD_RECORD_MMAP, PD_CPUMODE_USER);

	pd_buf_u32(b, pid);
	pd_buf_u32(b, pid);
	pd_buf_u64(b, addr);
	pd_buf_u64(b, 0x1000);
	pd_buf_u64(b, 0);
	pd_buf_cstr_pad(b, (struct pd_str){ path, strlen(path) }, 8);
	pd_record_end(b, start);
}

static void add_fork(struct pd_buf *b, uint32_t pid, uint32_t ppid)
{
	size_t start = pd_record_begin(b, PD_RECORD_FORK, 0);

	pd_buf_u32(b, pid);
	pd_buf_u32(b, ppid);
	pd_buf_u32(b, pid);
	pd_buf_u32(b, ppid);
	pd_buf_u64(b, 0);
	pd_record_end(b, start);
}

static void add_marker(struct made *m)
{
	pd_record_end(&m->b,
		      pd_record_begin(&m->b, PD_RECORD_FINISHED_ROUND, 0));
}

/* Append records as a part of a frame, or its last part. */
static void pack(struct made *m, struct pd_buf *plain, bool ends)
{
	const struct pd_buf *records;
	uint64_t hash;

	assert_int_equal(pd_zstd_compress_add(m->z, plain->data, plain->len),
			 0);
	assert_int_equal(ends ? pd_zstd_compress_end(m->z, &records, &hash)
			      : pd_zstd_compress_flush(m->z, &records),
			 0);
	pd_buf_bytes(&m->b, records->data, records->len);
	pd_buf_release(plain);
}

/* A frame over three rounds, plain records between its parts; a map that comes
 * a round after its sample; another program at the same address; a child. */
static void make_records(struct made *m)
{
	struct pd_buf plain = PD_BUF_INIT;

	add_map(&plain, 7, 0x1000, "/bin/a");
	add_sample(&plain, 7, 0x1010);
	add_sample(&plain, 7, 0x5020); /* its map comes later */
	pack(m, &plain, false);
	add_marker(m);
	add_map(&m->b, 7, 0x5000, "/bin/b");
	add_sample(&plain, 7, 0x1030);
	pack(m, &plain, false);
	add_marker(m);
	add_marker(m);
	add_map(&plain, 7, 0x1000, "/bin/c");
	add_sample(&plain, 7, 0x1010); /* as before, now in c */
	add_fork(&plain, 8, 7);
	pack(m, &plain, true);
	add_marker(m);
	add_sample(&m->b, 8, 0x5040);
	add_sample(&m->b, 9, 0x5050); /* nobody knows it */
}

static void write_file(struct made *m)
{
	m->fd = memfd_create("recording", MFD_CLOEXEC);
	assert_true(m->fd >= 0);
	assert_int_equal(write(m->fd, m->b.data, m->b.len), m->b.len);
}

static void make(struct made *m, void (*records)(struct made *m))
{
	const struct pd_attr attr = {
		.type = PD_TYPE_SOFTWARE,
		.attr_len = PD_ATTR_LEN_VER7,
		.sample_period = 1,
		.sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID,
	};
	struct pd_file_header h = {
		.version = 2,
		.attr_entry_len = attr.attr_len + 16,
		.attrs = { PD_FILE_HEADER_LEN, attr.attr_len + 16 },
	};

	*m = (struct made){ .b = PD_BUF_INIT };
	m->z = pd_zstd_compress_new(1, 1 << 16);
	m->data_off = PD_FILE_HEADER_LEN + attr.attr_len + 16;
	h.data.off = m->data_off;
	pd_file_header_write(&m->b, &h);
	pd_attr_write(&m->b, &attr);
	pd_buf_u64(&m->b, 0);
	pd_buf_u64(&m->b, 0);
	records(m);
	write_file(m);
}

static void release(struct made *m)
{
	pd_zstd_compress_free(m->z);
	pd_buf_release(&m->b);
	close(m->fd);
}

/* Print what was hit: "/bin/a 10 30;..." */
static void print(struct rec_hit_reader *r, char *ret)
{
	struct rec_hits *hits = rec_hit_reader_hits(r);
	char *at = ret;

	for (uint32_t i = 0; i < hits->spaces.file_nr; i++) {
		struct rec_hit_file *f = &hits->spaces.files[i];
		const uint64_t *addrs = rec_hit_set_sort(&f->hits);

		at += snprintf(at, TEXT_LEN - (size_t)(at - ret), "%s",
			       f->path);
		for (size_t k = 0; k < f->hits.nr; k++)
			at += snprintf(at, TEXT_LEN - (size_t)(at - ret),
				       " %jx", (uintmax_t)addrs[k]);
		at += snprintf(at, TEXT_LEN - (size_t)(at - ret), ";");
	}
	snprintf(at, TEXT_LEN - (size_t)(at - ret),
		 " %ju samples, %ju unmapped", (uintmax_t)hits->sample_nr,
		 (uintmax_t)hits->unmapped_nr);
}

static int read_to(struct rec_hit_reader *r, uint64_t len)
{
	int rc;

	do
		rc = rec_hit_reader_read(r, len);
	while (rc > 0);
	return rc;
}

static struct rec_hit_reader *open_reader(const struct made *m, uint64_t len)
{
	struct rec_hit_reader *r = NULL;

	assert_int_equal(rec_hit_reader_new(&r, m->fd, len, MEMORY_LEN, NULL),
			 0);
	return r;
}

static const char expected[] =
	"/bin/a 10 30;/bin/b 20 40;/bin/c 10; 6 samples, 1 unmapped";

static void test_hit_reader__samples_wait_for_their_maps(void **state)
{
	struct rec_hit_reader *r;
	char text[TEXT_LEN];
	struct made m;

	(void)state;
	make(&m, make_records);
	r = open_reader(&m, m.b.len);
	assert_int_equal(read_to(r, m.b.len), 0);
	rec_hit_reader_end(r);
	print(r, text);
	assert_string_equal(text, expected);
	rec_hit_reader_free(r);
	release(&m);
}

/* Also inside of records, though whole ones are fed. */
static void test_hit_reader__goes_on_at_each_byte(void **state)
{
	char text[TEXT_LEN];
	struct made m;

	(void)state;
	make(&m, make_records);
	for (uint64_t cut = m.data_off; cut <= m.b.len; cut++) {
		struct rec_hit_reader *r = open_reader(&m, cut);

		assert_int_equal(read_to(r, cut), 0);
		assert_int_equal(read_to(r, m.b.len), 0);
		rec_hit_reader_end(r);
		print(r, text);
		assert_string_equal(text, expected);
		rec_hit_reader_free(r);
	}
	release(&m);
}

static void test_hit_reader__reads_byte_by_byte(void **state)
{
	struct rec_hit_reader *r;
	char text[TEXT_LEN];
	struct made m;

	(void)state;
	make(&m, make_records);
	r = open_reader(&m, m.data_off);
	for (uint64_t len = m.data_off; len <= m.b.len; len++)
		assert_int_equal(read_to(r, len), 0);
	rec_hit_reader_end(r);
	print(r, text);
	assert_string_equal(text, expected);
	rec_hit_reader_free(r);
	release(&m);
}

static void make_maps_last(struct made *m)
{
	for (unsigned i = 0; i < 200000; i++)
		add_sample(&m->b, 7, 0x1000 + i % 16);
	add_map(&m->b, 7, 0x1000, "/bin/a");
}

/* More samples than may wait. */
static void test_hit_reader__reads_maps_that_come_last_first(void **state)
{
	struct rec_hit_reader *r;
	char text[TEXT_LEN];
	struct made m;

	(void)state;
	make(&m, make_maps_last);
	r = open_reader(&m, m.b.len);
	rec_hit_reader_take_maps(r);
	assert_int_equal(read_to(r, m.b.len), 0);
	rec_hit_reader_take_samples(r);
	assert_int_equal(read_to(r, m.b.len), 0);
	rec_hit_reader_end(r);
	print(r, text);
	assert_string_equal(text, "/bin/a 0 1 2 3 4 5 6 7 8 9 a b c d e f; "
				  "200000 samples, 0 unmapped");
	rec_hit_reader_free(r);
	release(&m);
}

static void test_hit_reader__what_waits_is_bounded(void **state)
{
	struct rec_hit_reader *r;
	char text[TEXT_LEN];
	struct made m;

	(void)state;
	make(&m, make_maps_last);
	r = open_reader(&m, m.b.len);
	assert_int_equal(read_to(r, m.b.len), 0);
	/* of 4.8 MB at most 4 MiB waited */
	assert_true(rec_hit_reader_hits(r)->sample_nr > 20000);
	rec_hit_reader_end(r);
	print(r, text);
	assert_non_null(strstr(text, "; 200000 samples"));
	rec_hit_reader_free(r);
	release(&m);
}

static void test_hit_reader__a_file_that_is_cut_costs_names(void **state)
{
	struct rec_hit_reader *r;
	struct made m;

	(void)state;
	make(&m, make_records);
	r = open_reader(&m, m.data_off);
	assert_int_equal(ftruncate(m.fd, (off_t)m.data_off + 20), 0);
	assert_int_equal(rec_hit_reader_read(r, m.b.len), -ENODATA);
	assert_int_equal(ftruncate(m.fd, 50), 0);
	assert_int_equal(rec_hit_reader_read(r, m.b.len), -ENODATA);
	rec_hit_reader_free(r);
	r = NULL;
	assert_int_equal(
		rec_hit_reader_new(&r, m.fd, m.b.len, MEMORY_LEN, NULL),
		-ENODATA);
	assert_null(r);
	release(&m);
}

/* What others wrote into the file ends the reading, or is no names. */
static void test_hit_reader__damage_ends(void **state)
{
	struct made m;

	(void)state;
	make(&m, make_records);
	for (uint64_t off = m.data_off; off < m.b.len; off++) {
		struct rec_hit_reader *r = open_reader(&m, m.data_off);
		uint8_t bad = (uint8_t)~m.b.data[off];

		assert_int_equal(pwrite(m.fd, &bad, 1, (off_t)off), 1);
		read_to(r, m.b.len);
		rec_hit_reader_end(r);
		rec_hit_reader_free(r);
		assert_int_equal(pwrite(m.fd, &m.b.data[off], 1, (off_t)off),
				 1);
	}
	release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hit_reader__samples_wait_for_their_maps),
		cmocka_unit_test(test_hit_reader__goes_on_at_each_byte),
		cmocka_unit_test(test_hit_reader__reads_byte_by_byte),
		cmocka_unit_test(
			test_hit_reader__reads_maps_that_come_last_first),
		cmocka_unit_test(test_hit_reader__what_waits_is_bounded),
		cmocka_unit_test(
			test_hit_reader__a_file_that_is_cut_costs_names),
		cmocka_unit_test(test_hit_reader__damage_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
