/* The times at which a perf map was looked at. */
#include "record/carry/keeper.h"

#include "format/base/buf.h"
#include "record/base/runtime.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define DAY_NS UINT64_C(86400000000000)

static void see_memory(struct rec_keeper *keeper)
{
	struct pd_buf b = PD_BUF_INIT;
	struct pd_record rec = { .type = PD_RECORD_MMAP2,
				 .misc = PD_CPUMODE_USER };

	pd_buf_zero(&b, 8); /* the header was read */
	pd_buf_u32(&b, (uint32_t)getpid());
	pd_buf_u32(&b, (uint32_t)getpid());
	pd_buf_u64(&b, 0x1000);
	pd_buf_u64(&b, 0x1000);
	pd_buf_zero(&b, 32);
	pd_buf_u32(&b, PROT_EXEC);
	pd_buf_u32(&b, MAP_PRIVATE);
	pd_buf_bytes(&b, "//anon\0", 8);
	rec.data = b.data;
	rec.len = (uint16_t)b.len;
	rec_keeper_see(keeper, &rec, true);
	pd_buf_release(&b);
}

static void append(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "1000 20 one\n", 12), 12);
	close(fd);
}

/* Wait until so many growths are noted. */
static void look(struct rec_keeper *keeper, uint64_t nr,
		 struct rec_map_notes *ret)
{
	int fd;

	do {
		rec_keeper_settle(keeper, 0);
		fd = rec_keeper_perf_map(keeper, (uint32_t)getpid(), ret);
		if (fd >= 0)
			close(fd);
	} while (ret->nr < nr);
}

/* As after a sleep of the machine, with -k boottime. */
static void test_keeper__a_clock_that_gains_a_day(void **state)
{
	uint64_t begin_ns = rec_now_ns(), end_ns;
	struct rec_map_notes notes;
	struct rec_keeper *keeper;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	append(path);
	assert_int_equal(rec_keeper_start(&keeper, 0), 0);
	rec_keeper_turn(keeper, rec_now_ns());
	see_memory(keeper);
	look(keeper, 1, &notes);
	append(path);
	rec_keeper_turn(keeper, rec_now_ns() + DAY_NS);
	look(keeper, 2, &notes);
	end_ns = rec_now_ns();
	assert_in_range(notes.items[0].looked_ns, begin_ns, end_ns);
	assert_in_range(notes.items[1].looked_ns, begin_ns + DAY_NS,
			end_ns + DAY_NS);
	rec_keeper_free(keeper);
	unlink(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeper__a_clock_that_gains_a_day),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
