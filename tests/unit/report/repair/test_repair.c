#include "report/repair/repair.h"

#include "format/limits.h"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repair__mends_records),
	};

	snprintf(path, sizeof(path), "/tmp/test_repair.%d", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
