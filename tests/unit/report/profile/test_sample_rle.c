#include "report/input/sample_encoder.h"

#include "format/records/zstd_compress.h"
#include "report/profile/profile_threads.h"
#include "tests/unit/made_sample.h"
#include "tests/unit/recorded.h"

#include <errno.h>

#define SEQ_START (UINT64_C(1000) << 20)

/* One event, and records as they come out of a COMPRESSED one. */
struct made {
	struct pd_event_set events;
	struct pd_sample_layout layout;
	struct rpt_budget budget;
	struct rpt_sample_rle rle;
	uint64_t seq;
	uint64_t present;
	uint32_t raw;
	uint64_t data_src; /* stands behind the raw data */
};

static const uint64_t sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID |
				    PD_SAMPLE_TIME | PD_SAMPLE_CPU |
				    PD_SAMPLE_RAW | PD_SAMPLE_DATA_SRC;

static void start_by(struct made *m, uint64_t budget_len, bool by_raw)
{
	struct pd_attr attr = {
		.type = PD_TYPE_SOFTWARE,
		.attr_len = ATTR_LEN,
		.sample_period = 1,
		.sample_type = sample_type,
	};
	struct pd_u64s no_ids = { 0 };

	*m = (struct made){ .seq = SEQ_START, .present = sample_type };
	pd_sample_layout_init(&m->layout, &attr);
	assert_int_equal(pd_event_set_add(&m->events, &attr, &no_ids, NULL), 0);
	rpt_budget_set(&m->budget, budget_len);
	rpt_sample_rle_begin(&m->rle, &m->events, false, by_raw, &m->budget);
}

static void start(struct made *m, uint64_t budget_len)
{
	start_by(m, budget_len, true);
}

static void end(struct made *m)
{
	rpt_sample_rle_release(&m->rle);
	pd_event_set_release(&m->events);
}

static void put(struct pd_buf *b, const struct made *m, uint64_t ip,
		uint64_t time_ns)
{
	struct pd_sample sample = {
		.present = m->present,
		.misc = PD_CPUMODE_USER,
		.ip = ip,
		.pid = 5,
		.tid = 5,
		.time_ns = time_ns,
		.raw = (const uint8_t *)&m->raw,
		.raw_len = sizeof(m->raw),
		.data_src = m->data_src,
	};

	made_sample_write(b, &m->layout, &sample);
}

static struct pd_record record_at(const struct pd_buf *b, size_t off,
				  uint64_t seq)
{
	struct pd_record rec = { .file_off = 1000, .seq = seq };

	assert_int_equal(
		pd_record_read_header(b->data + off, b->len - off, false, &rec),
		0);
	return rec;
}

static void add(struct made *m, uint64_t ip, uint64_t time_ns)
{
	struct pd_buf b = PD_BUF_INIT;
	struct pd_record rec;

	put(&b, m, ip, time_ns);
	rec = record_at(&b, 0, m->seq++);
	rpt_sample_rle_add(&m->rle, (struct pd_record_span){ rec, 1 });
	pd_buf_release(&b);
}

/* Run idx of a rle that is closed. */
static struct rpt_sample_run run_at(const struct rpt_sample_rle *d,
				    uint32_t idx)
{
	struct rpt_sample_rle_iter it = { .rle = d };
	struct rpt_sample_run run;

	for (uint32_t i = 0; i <= idx; i++)
		assert_true(rpt_sample_rle_next(&it, &run));
	return run;
}

static uint32_t run_nr(const struct rpt_sample_rle *d)
{
	struct rpt_sample_rle_iter it = { .rle = d };
	struct rpt_sample_run run;
	uint32_t nr = 0;

	while (rpt_sample_rle_next(&it, &run))
		nr++;
	return nr;
}

static void check_run(const struct made *m, uint32_t idx, uint32_t record_idx,
		      const uint64_t *times, uint32_t nr)
{
	struct rpt_sample_run run = run_at(&m->rle, idx);
	uint64_t time_ns = run.first_ns;

	assert_int_equal(run.record_idx, record_idx);
	assert_int_equal(run.nr, nr);
	for (uint32_t i = 0; i < nr; i++) {
		time_ns += i ? rpt_sample_run_delta(&run) : 0;
		assert_int_equal(time_ns, times[i]);
	}
	assert_int_equal(run.last_ns, times[nr - 1]);
}

static void close_rle(struct made *m)
{
	assert_true(rpt_sample_rle_is_open(&m->rle));
	rpt_sample_rle_close(&m->rle, &(struct pd_damage){ 0 });
}

static void test_sample_rle__equal_samples_are_a_run(void **state)
{
	static const uint64_t times[] = { 7, 7, 134, 1000000, UINT64_MAX - 1 };
	struct made m;

	(void)state;
	start(&m, UINT64_MAX / 2);
	for (size_t i = 0; i < 5; i++)
		add(&m, 0x10, times[i]);
	add(&m, 0x20, 9);
	add(&m, 0x10, 10);
	close_rle(&m);
	assert_int_equal(run_nr(&m.rle), 3);
	assert_int_equal(m.rle.records.nr, 2);
	check_run(&m, 0, 0, times, 5);
	check_run(&m, 1, 1, (uint64_t[]){ 9 }, 1);
	check_run(&m, 2, 0, (uint64_t[]){ 10 }, 1);
	assert_int_equal(run_at(&m.rle, 2).seq, SEQ_START + 6);
	end(&m);
}

static void test_sample_rle__without_samples_has_no_runs(void **state)
{
	struct rpt_sample_rle_iter it;
	struct rpt_sample_run run;
	struct made m;

	(void)state;
	start(&m, UINT64_MAX / 2);
	close_rle(&m);
	it = (struct rpt_sample_rle_iter){ .rle = &m.rle };
	assert_false(rpt_sample_rle_next(&it, &run));
	end(&m);
}

/* As the system calls of a loop do. */
static void test_sample_rle__alternating_records_stay_short(void **state)
{
	enum { NR = 2000 };
	struct rpt_sample_rle_iter it;
	struct rpt_sample_run run;
	struct made m;

	(void)state;
	start(&m, UINT64_MAX / 2);
	for (uint64_t i = 0; i < NR; i++)
		add(&m, 0x10 + i % RPT_RECENT_SAMPLES_NR, i * 100);
	close_rle(&m);
	assert_int_equal(run_nr(&m.rle), NR);
	assert_int_equal(m.rle.records.nr, RPT_RECENT_SAMPLES_NR);
	assert_in_range(m.rle.runs.len + m.rle.deltas.len, NR, 5 * NR);
	assert_in_range(m.rle.taken_len, 0, 6 * NR);
	it = (struct rpt_sample_rle_iter){ .rle = &m.rle };
	for (uint64_t i = 0; i < NR; i++) {
		assert_true(rpt_sample_rle_next(&it, &run));
		assert_int_equal(run.record_idx, i % RPT_RECENT_SAMPLES_NR);
		assert_int_equal(run.first_ns, i * 100);
		assert_int_equal(run.seq, SEQ_START + i);
	}
	assert_false(rpt_sample_rle_next(&it, &run));
	end(&m);
	assert_int_equal(m.budget.left, UINT64_MAX / 2);
}

static void test_sample_rle__raw_data_count_if_rows_differ_by_it(void **state)
{
	struct made m;

	(void)state;
	for (unsigned by_raw = 0; by_raw < 2; by_raw++) {
		start_by(&m, UINT64_MAX / 2, by_raw);
		for (m.raw = 0; m.raw < 10; m.raw++)
			add(&m, 0x10, m.raw);
		m.data_src = 1;
		add(&m, 0x10, m.raw);
		close_rle(&m);
		assert_int_equal(m.rle.records.nr, by_raw ? 11 : 2);
		assert_int_equal(run_nr(&m.rle), by_raw ? 11 : 2);
		end(&m);
	}
}

/* A time that goes back, or is none, and a place that is not the next one. */
static void test_sample_rle__times_in_a_run_do_not_go_back(void **state)
{
	struct made m;

	(void)state;
	start(&m, UINT64_MAX / 2);
	add(&m, 0x10, 8);
	add(&m, 0x10, 7);
	add(&m, 0x10, UINT64_MAX);
	add(&m, 0x10, UINT64_MAX);
	add(&m, 0x10, 9);
	m.seq++;
	add(&m, 0x10, 10);
	close_rle(&m);
	assert_int_equal(run_nr(&m.rle), 6);
	assert_int_equal(m.rle.records.nr, 1);
	check_run(&m, 1, 0, (uint64_t[]){ 7 }, 1);
	check_run(&m, 3, 0, (uint64_t[]){ UINT64_MAX }, 1);
	assert_int_equal(run_at(&m.rle, 5).seq, SEQ_START + 6);
	end(&m);
}

static void test_sample_rle__counting_a_run_equals_counting_each(void **state)
{
	enum { NR = 10000, ODD = 7000 };
	struct pd_buf b = PD_BUF_INIT;
	struct pd_record_span span = { .nr = NR };
	struct made one, many;

	(void)state;
	start(&one, UINT64_MAX / 2);
	start(&many, UINT64_MAX / 2);
	for (uint64_t i = 0; i < NR; i++) {
		uint64_t time_ns = i % 1000 ? i * i * 50 : 5;

		put(&b, &one, i == ODD ? 0x20 : 0x10, time_ns);
		add(&one, i == ODD ? 0x20 : 0x10, time_ns);
	}
	span.next = record_at(&b, 0, SEQ_START);
	rpt_sample_rle_add(&many.rle, span);
	close_rle(&one);
	close_rle(&many);
	assert_true(run_nr(&one.rle) > 10);
	assert_int_equal(run_nr(&one.rle), run_nr(&many.rle));
	assert_int_equal(one.rle.runs.len, many.rle.runs.len);
	assert_memory_equal(one.rle.runs.data, many.rle.runs.data,
			    one.rle.runs.len);
	assert_int_equal(one.rle.deltas.len, many.rle.deltas.len);
	assert_memory_equal(one.rle.deltas.data, many.rle.deltas.data,
			    one.rle.deltas.len);
	end(&one);
	end(&many);
	pd_buf_release(&b);
}

/* Also if only the budget ends. */
static void test_sample_rle__is_given_up_if_no_samples_are_equal(void **state)
{
	static const uint64_t lens[] = { 1 << 20, RPT_SAMPLE_RLE_FREE_LEN / 2 };
	uint64_t nrs[2];

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		struct made m;

		start(&m, lens[c]);
		for (nrs[c] = 0; rpt_sample_rle_is_open(&m.rle); nrs[c]++)
			add(&m, 0x10 + nrs[c], nrs[c]);
		assert_int_equal(m.budget.left, lens[c]);
		assert_int_equal(run_nr(&m.rle), 0);
		end(&m);
	}
	assert_in_range(nrs[1], 100, nrs[0] - 1);
	assert_in_range(nrs[0], 101, 1000);
}

/* What does not fit is kept as it is, as long as there is budget. */
static void test_sample_rle__keeps_the_rest_of_a_frame(void **state)
{
	struct rpt_sample_rle_iter it;
	struct rpt_sample_run run;
	struct pd_record rec;
	uint64_t nr = 0;
	struct made m;

	(void)state;
	start(&m, 1 << 20);
	m.rle.keeps_rest = true;
	for (uint64_t i = 0; i < 3000; i++)
		add(&m, 0x10 + i, i);
	rpt_sample_rle_close(&m.rle, &(struct pd_damage){ 0 });
	it = (struct rpt_sample_rle_iter){ .rle = &m.rle };
	while (rpt_sample_rle_next(&it, &run))
		nr += run.nr;
	assert_in_range(nr, 100, 1000);
	assert_non_null(m.rle.rest->next);
	for (size_t b = 0, at = 0; b < 2; b++, at = 0) {
		const struct rpt_sample_block *block =
			b ? m.rle.rest : m.rle.rest->next;

		while (rpt_sample_block_next(block, &at, false, &rec))
			assert_int_equal(rec.seq, SEQ_START + nr++);
	}
	assert_int_equal(nr, 3000);
	m.rle.is_closed = false;
	while (rpt_sample_rle_is_open(&m.rle))
		add(&m, 0x10, 0);
	assert_int_equal(m.budget.left, 1 << 20);
	end(&m);
}

/* Of the samples below: of both events one to where time goes back, one from
 * there, one of losses; of what has no event, and so no time, one of losses and
 * one of each time but the one that is there twice. */
#define RUN_NR 16u

/* Counts what was recorded as it is, and out of a rle; as if it had come
 * out of a COMPRESSED record, or is_plain. */
static void count_both(struct recorded *r, const struct rpt_profile_conf *conf,
		       bool is_plain, struct rpt_profile *ret)
{
	struct rpt_budget budget = { .left = 1 << 20 };
	struct rpt_sample_rle rle = { 0 };
	struct pd_damage damage = { .skipped_nr = 1 };
	struct pd_records it;
	struct pd_record rec;
	uint64_t seq = SEQ_START;

	recorded_count(r, conf);
	rpt_sample_rle_begin(&rle, pd_reader_events(r->reader), false,
			     conf->by_raw, &budget);
	pd_records_init(&it, r->reader, pd_reader_data(r->reader));
	while (pd_records_next(&it, &rec, NULL) > 0) {
		if (!is_plain) {
			rec.seq = seq++;
			rec.plain_off = 0;
		}
		if (rpt_sample_rle_takes(rec.type))
			rpt_sample_rle_add(&rle,
					   (struct pd_record_span){ rec, 1 });
	}
	pd_records_release(&it);
	rpt_sample_rle_close(&rle, &damage);
	assert_int_equal(run_nr(&rle), RUN_NR);
	rpt_profile_init(ret, &r->profile.conf);
	assert_int_equal(rpt_profile_add_rle(ret, &rle, NULL), 0);
	assert_int_equal(ret->damage.skipped_nr, 1);
	rpt_sample_rle_release(&rle);
}

/* Of one recording; b may be of another timeline. */
static void check_same(const struct rpt_profile *a, const struct rpt_profile *b,
		       bool is_plain)
{
	assert_int_equal(a->keys.nr, b->keys.nr);
	for (uint32_t i = 0; i < a->keys.nr; i++) {
		const struct rpt_stack_key *x = rpt_profile_key(a, i);
		const struct rpt_stack_key *y = rpt_profile_key(b, i);
		size_t len = a->keys.entries[i].len;

		assert_int_equal(b->keys.entries[i].len, len);
		assert_string_equal((const char *)(uintptr_t)x->base->comm,
				    (const char *)(uintptr_t)y->base->comm);
		/* it comes first in both */
		assert_memory_equal(&x->base->comm + 1, &y->base->comm + 1,
				    sizeof(*x->base) - sizeof(x->base->comm));
		assert_memory_equal(&x->base + 1, &y->base + 1,
				    len - sizeof(x->base));
		assert_int_equal(a->stacks[i].nr, b->stacks[i].nr);
		assert_int_equal(a->stacks[i].period, b->stacks[i].period);
		assert_int_equal(a->stacks[i].first.time_ns,
				 b->stacks[i].first.time_ns);
		assert_int_equal(a->stacks[i].first_tid,
				 b->stacks[i].first_tid);
		if (is_plain)
			assert_int_equal(a->stacks[i].first.seq,
					 b->stacks[i].first.seq);
	}
	for (size_t i = 0; i < EVENT_NR * 2; i++) {
		assert_int_equal(a->totals[i].sample_nr,
				 b->totals[i].sample_nr);
		assert_int_equal(a->totals[i].period, b->totals[i].period);
	}
	assert_int_equal(a->lost_nr, b->lost_nr);
	assert_int_equal(a->lost_chunk_nr, b->lost_chunk_nr);
	assert_int_equal(a->samples.unknown_id_nr, b->samples.unknown_id_nr);
}

/* Of each event, and of one that is not described. */
static void record_some(struct recorded *r, bool swap)
{
	static const uint64_t times[] = { 300, 310, 310, 490, 499,
					  500, 501, 900, 100, 950 };
	struct pd_body lost = { .type = PD_RECORD_LOST };
	struct taken taken = { .pid = 5, .ip = 0x10, .period = 2 };

	recorded_start(r);
	r->data.swap = r->file.swap = swap;
	recorded_comm(r, 5, "shell");
	lost.u.lost = (struct pd_lost){ recorded_id(EVENT_A), 12 };
	for (unsigned e = 0; e <= EVENT_NR; e++) {
		for (size_t i = 0; i < 10; i++) {
			taken.time_ns = times[i];
			recorded_sample(r, e, &taken);
		}
		recorded_body(r, 0, &lost);
		recorded_body(r, 0, &lost);
	}
}

static void test_sample_rle__counts_as_the_records_do(void **state)
{
	static const enum rpt_value value = RPT_VALUE_TIME;
	static const struct rpt_profile_conf confs[] = {
		{ .blocks = { 2, 500, 0, 1000 }, .with_chains = true },
		/* where equal records may not be alike */
		{ .blocks = { 2, 500, 0, 1000 },
		  .values = &value,
		  .value_nr = 1 },
	};

	(void)state;
	for (size_t c = 0; c < 8; c++) {
		bool is_plain = c & 1;
		struct rpt_profile other;
		struct recorded r;

		record_some(&r, c / 4);
		count_both(&r, &confs[c / 2 % 2], is_plain, &other);
		assert_int_equal(r.profile.totals[0].sample_nr, 6);
		check_same(&r.profile, &other, is_plain);
		rpt_profile_release(&other);
		recorded_end(&r);
	}
}

/* What was recorded becomes COMPRESSED records, as perf's -z writes them. */
static void compress(struct recorded *r)
{
	struct pd_zstd_compress *z = pd_zstd_compress_new(1, r->data.len);
	const struct pd_buf *records;
	uint64_t hash;

	assert_non_null(z);
	pd_zstd_compress_set_swap(z, r->data.swap);
	assert_int_equal(pd_zstd_compress_add(z, r->data.data, r->data.len), 0);
	assert_int_equal(pd_zstd_compress_end(z, &records, &hash), 0);
	pd_buf_reset(&r->data);
	pd_buf_bytes(&r->data, records->data, records->len);
	pd_zstd_compress_free(z);
}

/* Between the pass that wants tasks and the one that counts, the file loses its
 * samples: nobody asks for them again. */
static void test_sample_rle__saves_reading_a_chunk_again(void **state)
{
	const struct rpt_profile_conf conf = { .blocks = { 2, 500, 0, 1000 } };

	(void)state;
	for (unsigned c = 0; c < 4; c++) {
		unsigned swap = c % 2;
		struct rpt_file_chunks pieces = { .jobs = 1 };
		struct rpt_sample_encoder encoder;
		struct rpt_profile_conf full = conf;
		struct recorded plain, packed;
		uint64_t left;

		record_some(&plain, swap);
		recorded_count(&plain, &conf);
		record_some(&packed, swap);
		if (c < 2)
			compress(&packed);
		rpt_sample_encoder_init(&encoder, false);
		rpt_file_chunks_listen(&pieces, &encoder.listener);
		recorded_load(&packed, &pieces);
		assert_int_equal(pieces.nr, 1);
		assert_true(encoder.rles.items[0].is_closed);
		assert_int_equal(encoder.rles.items[0].swap, swap);
		memset(packed.file.data + packed.file.len - packed.data.len,
		       0xff, packed.data.len);
		full.reader = packed.reader;
		full.timeline = packed.timeline;
		left = rpt_budget_left(&encoder.rles.budget);
		rpt_profile_init(&packed.profile, &full);
		assert_int_equal(rpt_profile_threads_count(&packed.profile,
							   &pieces, &encoder,
							   NULL, NULL),
				 0);
		assert_int_equal(packed.profile.damage.skipped_nr, 0);
		assert_int_equal(packed.profile.totals[0].sample_nr, 6);
		check_same(&plain.profile, &packed.profile, c >= 2);
		/* and it is given back */
		assert_false(encoder.rles.items[0].is_closed);
		assert_true(rpt_budget_left(&encoder.rles.budget) > left);
		rpt_sample_encoder_release(&encoder);
		recorded_end(&plain);
		recorded_end(&packed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample_rle__equal_samples_are_a_run),
		cmocka_unit_test(test_sample_rle__without_samples_has_no_runs),
		cmocka_unit_test(
			test_sample_rle__alternating_records_stay_short),
		cmocka_unit_test(
			test_sample_rle__raw_data_count_if_rows_differ_by_it),
		cmocka_unit_test(
			test_sample_rle__times_in_a_run_do_not_go_back),
		cmocka_unit_test(
			test_sample_rle__counting_a_run_equals_counting_each),
		cmocka_unit_test(
			test_sample_rle__is_given_up_if_no_samples_are_equal),
		cmocka_unit_test(test_sample_rle__keeps_the_rest_of_a_frame),
		cmocka_unit_test(test_sample_rle__counts_as_the_records_do),
		cmocka_unit_test(test_sample_rle__saves_reading_a_chunk_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
