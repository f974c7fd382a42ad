#include "report/repair/repair.h"
#include "report/repair/repair_edit.h"

#include "format/base/limits.h"
#include "tests/unit/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { UNKNOWN_ID = 4711 };

/* Records that are kept, padded, rid of a bit and given another event. */
static void record_some(struct recorded *r)
{
	struct taken taken = { .pid = 5, .ip = 0x10, .period = 2 };
	struct pd_body map = { .type = PD_RECORD_MMAP2 };

	recorded_start(r);
	recorded_comm(r, 5, "shell");
	recorded_map(r, 5, 0x1000, "/bin/shell");
	map.u.mmap = (struct pd_mmap){
		.pid = 5,
		.tid = 5,
		.addr = 0x3000,
		.map_len = 0x1000,
		.filename = recorded_str("/lib/some"),
	};
	recorded_body(r, PD_CPUMODE_USER | PD_MISC_MMAP_BUILD_ID, &map);
	map.u.mmap.build_id_len = 20;
	recorded_body(r, PD_CPUMODE_USER | PD_MISC_MMAP_BUILD_ID, &map);
	recorded_comm(r, 6, "other");
	pd_buf_patch_u64(&r->data, r->data.len - sizeof(uint64_t), UNKNOWN_ID);
	for (uint64_t i = 0; i < 10; i++) {
		taken.time_ns = 100 + i;
		recorded_sample(r, EVENT_A, &taken);
	}
	recorded_write_file(r);
}

static char path[64];

static int repair(const struct recorded *r, int level,
		  struct rpt_repair_result *result)
{
	const struct rpt_file_source source = {
		.base = r->file.data,
		.len = r->file.len,
	};
	const struct rpt_repair_conf conf = {
		.path = path,
		.level = level,
		.max_ratio = PD_LIMIT_ZSTD_RATIO,
	};

	return rpt_repair(&source, &conf, result, NULL);
}

static void test_repair__mends_records(void **state)
{
	struct rpt_repair_result *result = malloc(sizeof(*result));
	struct recorded r;

	(void)state;
	record_some(&r);
	for (int level = 0; level < 2; level++) {
		assert_int_equal(repair(&r, level, result), 0);
		assert_int_equal(result->outcome_nr[RPT_RECORD_NO_ID], 1);
		assert_int_equal(result->outcome_nr[RPT_RECORD_MENDED], 1);
		assert_int_equal(unlink(path), 0);
	}
	free(result);
	pd_buf_release(&r.data);
	pd_buf_release(&r.file);
}

enum { SAMPLED = PD_SAMPLE_IP | PD_SAMPLE_ID | PD_SAMPLE_TIME };

/* Write a file of three events, of which zeros have overwritten the second,
 * with what a recorder says of itself. */
static void write_facts(const char *to)
{
	struct pd_trailer_loss losses[] = {
		{ .cpu = 3, .event_idx = 0, .lost_nr = 5, .time_hi_ns = 7 },
		{ .cpu = 3, .event_idx = 1, .lost_nr = 6 },
		{ .cpu = 4, .event_idx = 2, .lost_nr = 7, .time_lo_ns = 8 },
		{ .cpu = 5, .event_idx = 9, .lost_nr = 8 },
	};
	struct pd_trailer_rate rates[] = {
		{ .event_idx = 1, .value = 1 },
		{ .event_idx = 2, .flags = PD_RATE_IS_FREQ, .value = 99 },
	};
	const struct pd_trailer from = {
		.losses = losses,
		.loss_nr = 4,
		.rates = rates,
		.rate_nr = 2,
		.cost = { .user_ns = 11, .dropped_nr = 12, .thread_nr = 2 },
		.whole_command = 1,
	};
	const struct pd_attr whole = { .sample_type = SAMPLED, .config = 2 };
	const struct pd_attr *attrs[] = { &whole, &(struct pd_attr){ 0 },
					  &whole };
	struct rpt_perf_data_writer file;
	struct pd_event_set events = { .nr = 0 };
	struct pd_buf *b;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(
			pd_event_set_add(&events, attrs[i], NULL, NULL), 0);
		assert_int_equal(pd_event_set_add_id(&events, i, 70 + i), 0);
	}
	assert_int_equal(rpt_perf_data_writer_open(&file, to, true, NULL), 0);
	rpt_perf_data_writer_begin(&file, &events, 128, false, 0);
	b = rpt_perf_data_writer_feature(&file, PD_FEATURE_CMDLINE);
	pd_buf_u32(b, 1);
	pd_buf_string(b, recorded_str("true"));
	rpt_perf_data_writer_facts(&file, &from);
	assert_int_equal(rpt_perf_data_writer_finish(&file, NULL), 0);
	rpt_perf_data_writer_release(&file);
	pd_event_set_release(&events);
}

/* Repair the file and read the trailer of the new one. */
static void repair_facts(const struct rpt_repair_edit *edit,
			 struct pd_trailer *ret)
{
	struct rpt_repair_result *result = malloc(sizeof(*result));
	const struct rpt_repair_conf conf = {
		.path = path,
		.force = true,
		.max_ratio = PD_LIMIT_ZSTD_RATIO,
		.edit = edit,
	};
	struct rpt_file_source source;

	write_facts(path);
	assert_int_equal(rpt_file_source_open(&source, path, NULL), 0);
	assert_int_equal(rpt_repair(&source, &conf, result, NULL), 0);
	assert_int_equal(result->event_lost_nr, 1);
	rpt_file_source_close(&source);
	assert_int_equal(rpt_file_source_open(&source, path, NULL), 0);
	assert_int_equal(pd_trailer_read(source.base, source.len, ret, NULL),
			 0);
	rpt_file_source_close(&source);
	unlink(path);
	free(result);
}

static void test_repair__keeps_what_the_recorder_said(void **state)
{
	struct pd_trailer t;

	(void)state;
	repair_facts(NULL, &t);
	assert_int_equal(t.cost.user_ns, 11);
	assert_int_equal(t.cost.dropped_nr, 12);
	assert_int_equal(t.cost.thread_nr, 2);
	assert_int_equal(t.whole_command, 1);
	/* of the events that are there, by their new numbers */
	assert_int_equal(t.loss_nr, 2);
	assert_int_equal(t.losses[0].event_idx, 0);
	assert_int_equal(t.losses[0].lost_nr, 5);
	assert_int_equal(t.losses[0].time_hi_ns, 7);
	assert_int_equal(t.losses[1].event_idx, 1);
	assert_int_equal(t.losses[1].lost_nr, 7);
	assert_int_equal(t.losses[1].cpu, 4);
	assert_int_equal(t.losses[1].time_lo_ns, 8);
	assert_int_equal(t.rate_nr, 1);
	assert_int_equal(t.rates[0].event_idx, 1);
	assert_int_equal(t.rates[0].value, 99);
	pd_trailer_release(&t);
}

static bool leave_out(void *ctx, unsigned bit, struct pd_buf *payload)
{
	(void)ctx;
	(void)payload;
	return bit != PD_FEATURE_CMDLINE;
}

/* The number of the whole command is a place in CMDLINE. */
static void test_repair__no_whole_command_without_its_words(void **state)
{
	const struct rpt_repair_edit edit = { .feature = leave_out };
	struct pd_trailer t;

	(void)state;
	repair_facts(&edit, &t);
	assert_int_equal(t.whole_command, 0);
	assert_int_equal(t.loss_nr, 2);
	pd_trailer_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repair__mends_records),
		cmocka_unit_test(test_repair__keeps_what_the_recorder_said),
		cmocka_unit_test(
			test_repair__no_whole_command_without_its_words),
	};

	snprintf(path, sizeof(path), "/tmp/test_repair.%d", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
