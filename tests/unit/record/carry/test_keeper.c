/* keeper.h: the times at which a perf map was looked at, and who holds a file.
 */
#include "record/carry/keeper.h"

#include "format/records/record_body.h"
#include "record/base/runtime.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
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

static void see(struct rec_keeper *keeper, const struct pd_body *body)
{
	struct pd_buf b = PD_BUF_INIT;
	struct pd_record rec;

	pd_body_write(&b, PD_CPUMODE_USER, body);
	assert_int_equal(pd_record_read(b.data, b.len, 0, false, &rec, NULL),
			 0);
	rec_keeper_see(keeper, &rec, true);
	pd_buf_release(&b);
}

/* Map a file that is gone by then. */
static void map_file(struct pd_body *ret)
{
	static char path[] = "/tmp/perfpair-test-XXXXXX";
	int fd = mkstemp(path);
	struct stat st;
	void *at;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(fstat(fd, &st), 0);
	at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(at != MAP_FAILED);
	unlink(path);
	close(fd);
	*ret = (struct pd_body){ .type = PD_RECORD_MMAP2 };
	ret->u.mmap.pid = ret->u.mmap.tid = (uint32_t)getpid();
	ret->u.mmap.addr = (uintptr_t)at;
	ret->u.mmap.map_len = 4096;
	ret->u.mmap.ino = st.st_ino;
	ret->u.mmap.maj = major(st.st_dev);
	ret->u.mmap.min = minor(st.st_dev);
	ret->u.mmap.prot = PROT_READ | PROT_EXEC;
	ret->u.mmap.filename = (struct pd_str){ path, strlen(path) };
}

/* A process that has ended maps a pinned file: nobody has waited for it, so
 * /proc has it still. */
static void test_keeper__a_zombie_holds_no_file(void **state)
{
	struct pd_body map, end = { .type = PD_RECORD_EXIT };
	const struct rec_build_id none = { .len = 0 };
	struct rec_keeper *keeper;
	struct rec_mapped mapped;
	siginfo_t info;
	pid_t pid;
	int fd;

	(void)state;
	assert_int_equal(rec_keeper_start(&keeper, 0), 0);
	map_file(&map);
	mapped = (struct rec_mapped){ .ino = map.u.mmap.ino,
				      .maj = map.u.mmap.maj,
				      .min = map.u.mmap.min };
	see(keeper, &map);
	rec_keeper_settle(keeper, 0);
	fd = rec_keeper_file(keeper, &mapped, &none);
	if (fd < 0)
		skip(); /* a deleted file is root's to open */
	close(fd);
	pid = fork();
	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	map.u.mmap.pid = end.u.task.pid = end.u.task.tid = (uint32_t)pid;
	see(keeper, &map);
	see(keeper, &end);
	rec_keeper_settle(keeper, 0);
	assert_true(rec_keeper_file_ends(keeper, &mapped, &none, UINT64_MAX));
	waitpid(pid, NULL, 0);
	rec_keeper_free(keeper);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeper__a_clock_that_gains_a_day),
		cmocka_unit_test(test_keeper__a_zombie_holds_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
