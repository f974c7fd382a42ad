#include "report/repair/repair.h"

#include "format/limits.h"
#include "tests/unit/recorded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The linker gives us what the code under test asks of these. */
void *__real_malloc(size_t len);
void *__real_calloc(size_t nr, size_t len);
void *__real_realloc(void *old, size_t len);
void *__real_reallocarray(void *old, size_t nr, size_t len);
void *__wrap_malloc(size_t len);
void *__wrap_calloc(size_t nr, size_t len);
void *__wrap_realloc(void *old, size_t len);
void *__wrap_reallocarray(void *old, size_t nr, size_t len);

/* Requests until the one that is refused; 0: none is. */
static size_t refused_at;

static bool is_granted(void)
{
	return !refused_at || --refused_at;
}

void *__wrap_malloc(size_t len)
{
	return is_granted() ? __real_malloc(len) : NULL;
}

void *__wrap_calloc(size_t nr, size_t len)
{
	return is_granted() ? __real_calloc(nr, len) : NULL;
}

void *__wrap_realloc(void *old, size_t len)
{
	return is_granted() ? __real_realloc(old, len) : NULL;
}

void *__wrap_reallocarray(void *old, size_t nr, size_t len)
{
	return is_granted() ? __real_reallocarray(old, nr, len) : NULL;
}

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
		.max_ratio = PD_LIMIT_INFLATE_RATIO,
	};

	return rpt_repair(&source, &conf, result, NULL);
}

/* Whether the repair fails if request number nr is refused, in a process of
 * its own, since the program may end. */
static bool fails_without(struct recorded *r, int level,
			  struct rpt_repair_result *result, size_t nr)
{
	pid_t pid = fork();
	int status, rc;

	assert_true(pid >= 0);
	if (!pid) {
		(void)!freopen("/dev/null", "w", stderr);
		refused_at = nr;
		rc = repair(r, level, result);
		_exit(!rc ? 0 : rc == -ENOMEM ? EXIT_FAILURE : 99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_true(WEXITSTATUS(status) == 0 ||
		    WEXITSTATUS(status) == EXIT_FAILURE);
	return WEXITSTATUS(status);
}

/* Each request for memory refused in turn: no file, and nothing else wrong. */
static void test_repair__without_memory(void **state)
{
	struct rpt_repair_result *result = malloc(sizeof(*result));
	struct recorded r;

	(void)state;
	record_some(&r);
	for (int level = 0; level < 2; level++) {
		size_t nr = 1;

		while (fails_without(&r, level, result, nr)) {
			assert_int_not_equal(access(path, F_OK), 0);
			nr++;
		}
		assert_true(nr > 20);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(repair(&r, level, result), 0);
		assert_int_equal(result->fate_nr[RPT_RECORD_NO_ID], 1);
		assert_int_equal(result->fate_nr[RPT_RECORD_MENDED], 1);
		assert_int_equal(unlink(path), 0);
	}
	free(result);
	pd_buf_release(&r.data);
	pd_buf_release(&r.file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repair__without_memory),
	};

	snprintf(path, sizeof(path), "/tmp/test_repair.%d", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
