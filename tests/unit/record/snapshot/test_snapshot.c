#include "record/snapshot/snapshot.h"

#include "format/records/record_body.h"
#include "record/base/elf_note.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */

#define FIXTURES PERFPAIR_SOURCE_DIR "/fixtures"

enum { ID_LEN = 32 };

static const struct rec_snapshot_conf conf_of_tree = {
	.roots = {
		.proc = FIXTURES "/procfs",
		.sys = FIXTURES "/sysfs",
		.modules = FIXTURES "/modules",
	},
	.synth = REC_SYNTH_ALL,
	.id_len = ID_LEN,
};

/* What came out, as text. */
struct told {
	char text[8192];
	size_t len;
	struct pd_mmap exe; /* the MMAP2 whose name is wanted_exe */
	char wanted_exe[4096];
};

static struct told told;

static void tell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void tell(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	told.len += (size_t)vsnprintf(told.text + told.len,
				      sizeof(told.text) - told.len, fmt, ap);
	va_end(ap);
	assert_true(told.len < sizeof(told.text));
}

static void tell_mmap(const char *type, unsigned misc, const struct pd_mmap *m)
{
	tell("%s %x %d %" PRIx64 "+%" PRIx64 " @%" PRIx64, type, misc,
	     (int32_t)m->pid, m->addr, m->map_len, m->pgoff);
	if (m->build_id_len)
		tell(" id%u", m->build_id_len);
	else if (m->ino)
		tell(" %x:%x %" PRIu64, m->maj, m->min, m->ino);
	tell(" %u/%x %.*s\n", m->prot, m->flags, (int)m->filename.len,
	     m->filename.ptr);
	if (told.wanted_exe[0] && pd_str_eq(m->filename, told.wanted_exe) &&
	    told.exe.map_len == 0)
		told.exe = *m;
}

static void tell_body(unsigned misc, const struct pd_body *body)
{
	switch (body->type) {
	case PD_RECORD_FORK:
		tell("FORK %x %u/%u of %u/%u\n", misc, body->u.task.pid,
		     body->u.task.tid, body->u.task.ppid, body->u.task.ptid);
		break;
	case PD_RECORD_COMM:
		tell("COMM %x %u/%u %.*s\n", misc, body->u.comm.pid,
		     body->u.comm.tid, (int)body->u.comm.comm.len,
		     body->u.comm.comm.ptr);
		break;
	case PD_RECORD_NAMESPACES:
		tell("NAMESPACES %u/%u %" PRIu64 "\n", body->u.namespaces.pid,
		     body->u.namespaces.tid, body->u.namespaces.nr);
		break;
	case PD_RECORD_CGROUP:
		tell("CGROUP %.*s\n", (int)body->u.cgroup.path.len,
		     body->u.cgroup.path.ptr);
		break;
	case PD_RECORD_MMAP:
		tell_mmap("MMAP", misc, &body->u.mmap);
		break;
	case PD_RECORD_MMAP2:
		tell_mmap("MMAP2", misc, &body->u.mmap);
		break;
	case PD_RECORD_HEADER_BUILD_ID:
		tell("BUILD_ID %x %d id%u %.*s\n", misc,
		     body->u.header_build_id.pid,
		     body->u.header_build_id.build_id_len,
		     (int)body->u.header_build_id.filename.len,
		     body->u.header_build_id.filename.ptr);
		break;
	default:
		fail_msg("record of type %u", body->type);
	}
}

static int take(void *ctx, const void *records, size_t len)
{
	const uint8_t *at = records;
	const uint8_t *end = at + len;

	(void)ctx;
	while (at < end) {
		static const uint8_t zeros[ID_LEN];
		struct pd_record rec;
		struct pd_body body;
		size_t id_len;

		assert_int_equal(pd_record_read(at, (size_t)(end - at), 0,
						false, &rec, NULL),
				 0);
		assert_int_equal(rec.len % 8, 0);
		id_len = rec.type < PD_RECORD_USER_START ? ID_LEN : 0;
		assert_int_equal(pd_body_read(&rec, id_len, &body, NULL), 0);
		assert_memory_equal(at + rec.len - id_len, zeros, id_len);
		tell_body(rec.misc, &body);
		at += rec.len;
	}
	return 0;
}

static int reset(void **state)
{
	(void)state;
	memset(&told, 0, sizeof(told));
	return 0;
}

static const char tasks_of_tree[] =
	"FORK 2000 2/2 of 0/0\n"
	"COMM 0 2/2 kworker/R-rcu_g\n"
	"FORK 2000 100/100 of 7/7\n"
	"COMM 0 100/100 a) (b c\n"
	"MMAP2 2 100 401000+1000 @1000 fe:0 10953500 5/2 /usr/bin/prog\n"
	"MMAP2 2 100 500000+200000 @0 0:f 77 5/40001 //anon\n"
	"MMAP2 2 100 7f0000000000+2000 @0 7/2 //anon\n"
	"MMAP2 2 100 7f0000010000+d3000 @a000 0:1 3 5/2 "
	"/memfd:sealed (deleted)\n"
	"MMAP2 2 100 7f00000f0000+2000 @0 5/2 [vdso]\n"
	"MMAP2 2 100 ffffffffff600000+1000 @0 4/2 [vsyscall]\n"
	"FORK 2000 100/101 of 100/100\n"
	"COMM 0 100/101 worker\n";

static void assert_tasks_of_tree(const struct rec_snapshot_conf *conf)
{
	struct rec_snapshot_stats stats;

	assert_int_equal(rec_snapshot(conf, take, NULL, &stats, NULL), 0);
	assert_string_equal(told.text, tasks_of_tree);
	assert_int_equal(stats.task_nr, 3);
	assert_int_equal(stats.map_nr, 6);
	/* 7's stat is cut, 101 and 300 have none, thread 102 no name */
	assert_int_equal(stats.gone_nr, 4);
}

static void test_snapshot__tasks_in_order_with_hostile_lines(void **state)
{
	(void)state;
	assert_tasks_of_tree(&conf_of_tree);
}

static void test_snapshot__several_workers_tell_the_same(void **state)
{
	struct rec_snapshot_conf conf = conf_of_tree;

	(void)state;
	conf.worker_nr = 4;
	assert_tasks_of_tree(&conf);
}

static void test_snapshot__data_maps_are_all_readable_ones(void **state)
{
	struct rec_snapshot_conf conf = conf_of_tree;
	static const pid_t tid = 100;

	(void)state;
	conf.want_data_maps = true;
	conf.tids = &tid;
	conf.tid_nr = 1;
	assert_int_equal(rec_snapshot(&conf, take, NULL, NULL, NULL), 0);
	assert_non_null(strstr(told.text,
			       "MMAP2 2002 100 400000+1000 @0 fe:0 10953500 "
			       "1/2 /usr/bin/prog\n"));
	assert_non_null(strstr(told.text, "MMAP2 2002 100 403000+1000"));
	assert_null(strstr(told.text, "7f0000003000")); /* ---p */
}

static void test_snapshot__a_thread_brings_its_process_once(void **state)
{
	struct rec_snapshot_conf conf = conf_of_tree;
	static const pid_t tids[] = { 101, 101, 999 };

	(void)state;
	conf.tids = tids;
	conf.tid_nr = 3;
	conf.synth = REC_SYNTH_TASK;
	conf.want_namespaces = true;
	assert_int_equal(rec_snapshot(&conf, take, NULL, NULL, NULL), 0);
	assert_string_equal(told.text, "COMM 0 100/101 worker\n"
				       "NAMESPACES 100/101 7\n"
				       "COMM 0 100/100 a) (b c\n"
				       "NAMESPACES 100/100 7\n"
				       "COMM 0 100/101 worker\n"
				       "NAMESPACES 100/101 7\n");
}

static void test_snapshot__synth_no_leaves_the_kernel(void **state)
{
	struct rec_snapshot_conf conf = conf_of_tree;
	struct rec_snapshot_stats stats;

	(void)state;
	conf.synth = REC_SYNTH_NO;
	conf.want_kernel = true;
	assert_int_equal(rec_snapshot(&conf, take, NULL, &stats, NULL), 0);
	assert_memory_equal(told.text,
			    "MMAP 1 -1 ffffffff9b800000+1aabcc0 "
			    "@ffffffff9b800000 0/0 [kernel.kallsyms]_text\n"
			    "MMAP 1 -1 ffffffffc0300000+d000 @0 0/0 ",
			    108);
	assert_false(stats.kernel_hidden);
	reset(NULL);
	conf.build_id = true;
	assert_int_equal(rec_snapshot(&conf, take, NULL, NULL, NULL), 0);
	assert_non_null(strstr(told.text,
			       "MMAP 1 -1 ffffffff9b800000+1aabcc0 "
			       "@ffffffff9b800000 0/0 [kernel.kallsyms]_text\n"
			       "BUILD_ID 8001 -1 id8 [kernel.kallsyms]\n"));
	assert_non_null(strstr(told.text, "BUILD_ID 8001 -1 id20 /"));
	assert_non_null(strstr(told.text, " 0/0 [own]\n"));
}

static int refuse(void *ctx, const void *records, size_t len)
{
	(void)records;
	(void)len;
	++*(unsigned *)ctx;
	return -ENOSPC;
}

static void test_snapshot__stops_if_emit_fails(void **state)
{
	unsigned call_nr = 0;

	(void)state;
	assert_int_equal(
		rec_snapshot(&conf_of_tree, refuse, &call_nr, NULL, NULL),
		-ENOSPC);
	assert_int_equal(call_nr, 1);
}

static void test_snapshot__no_proc_is_an_error(void **state)
{
	struct rec_snapshot_conf conf = conf_of_tree;
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	conf.roots.proc = FIXTURES "/no-such";
	assert_int_equal(rec_snapshot(&conf, take, NULL, NULL, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/no-such"));
}

/* A tree of control groups, named by a mounts file of its own. */
static void test_snapshot__control_groups_from_the_root_down(void **state)
{
	struct rec_snapshot_conf conf = conf_of_tree;
	char dir[] = "/tmp/test_snapshot.XXXXXX";
	char path[128];
	FILE *mounts;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "mkdir -p %s/a/b && touch %s/a/file", dir,
		 dir);
	assert_int_equal(system(path), 0);
	snprintf(path, sizeof(path), "%s/mounts", dir);
	mounts = fopen(path, "w");
	assert_non_null(mounts);
	fprintf(mounts,
		"cgroup /none cgroup rw,cpu 0 0\n"
		"none %s cgroup2 rw 0 0\n",
		dir);
	fclose(mounts);
	conf.roots.proc = dir;
	conf.synth = REC_SYNTH_CGROUP;
	conf.want_cgroups = true;
	assert_int_equal(rec_snapshot(&conf, take, NULL, NULL, NULL), 0);
	assert_string_equal(told.text, "CGROUP /\nCGROUP /a\nCGROUP /a/b\n");
	snprintf(path, sizeof(path), "rm -r %s", dir);
	assert_int_equal(system(path), 0);
}

static void test_snapshot__ourselves_with_build_id(void **state)
{
	const pid_t tid = getpid();
	struct rec_snapshot_conf conf = {
		.roots = REC_SYSROOTS_REAL,
		.synth = REC_SYNTH_ALL,
		.id_len = ID_LEN,
		.build_id = true,
		.tids = &tid,
		.tid_nr = 1,
	};
	const int fd = open("/proc/self/exe", O_RDONLY);
	struct rec_build_id id = { .len = 0 };
	ssize_t n = readlink("/proc/self/exe", told.wanted_exe,
			     sizeof(told.wanted_exe) - 1);

	(void)state;
	assert_true(n > 0);
	rec_elf_build_id(fd, &id);
	close(fd);
	assert_int_equal(rec_snapshot(&conf, take, NULL, NULL, NULL), 0);
	assert_int_equal(told.exe.pid, tid);
	assert_int_equal(told.exe.build_id_len, id.len);
	assert_memory_equal(told.exe.build_id, id.bytes, id.len);
}

/* Put a process into the tree dir that has our own file mapped, by the name. */
static void put_process(const char *dir, unsigned pid, const char *name)
{
	char text[PATH_MAX + 200];
	struct stat st;
	FILE *maps;

	assert_int_equal(stat("/proc/self/exe", &st), 0);
	snprintf(
		text, sizeof(text),
		"mkdir -p %s/%u/task/%u && cd %s/%u && echo prog > task/%u/comm && "
		"echo '%u (prog) S 7 100 100 0 -1 4194560 600 0 0 0 1 2 0 0 20 "
		"0 3 0 500 1000 300 18446744073709551615' > stat",
		dir, pid, pid, dir, pid, pid, pid);
	assert_int_equal(system(text), 0);
	snprintf(text, sizeof(text), "%s/%u/maps", dir, pid);
	maps = fopen(text, "w");
	assert_non_null(maps);
	fprintf(maps, "00401000-00402000 r-xp 00001000 %02x:%02x %llu %s\n",
		major(st.st_dev), minor(st.st_dev),
		(unsigned long long)st.st_ino, name);
	fclose(maps);
}

/* The first process that has a file mapped has ended when the file is read. */
static void test_snapshot__a_process_that_ends_takes_no_build_id(void **state)
{
	struct rec_snapshot_conf conf = conf_of_tree;
	char dir[] = "/tmp/test_snapshot.XXXXXX";
	char text[64];
	ssize_t n = readlink("/proc/self/exe", told.wanted_exe,
			     sizeof(told.wanted_exe) - 1);

	(void)state;
	assert_true(n > 0);
	assert_non_null(mkdtemp(dir));
	put_process(dir, 100, "/no/such/file");
	put_process(dir, 200, told.wanted_exe);
	conf.roots.proc = dir;
	conf.build_id = true;
	assert_int_equal(rec_snapshot(&conf, take, NULL, NULL, NULL), 0);
	assert_non_null(strstr(told.text, " /no/such/file\n"));
	assert_int_equal(told.exe.pid, 200);
	assert_int_equal(told.exe.build_id_len, 20);
	snprintf(text, sizeof(text), "rm -r %s", dir);
	assert_int_equal(system(text), 0);
}

static void test_snapshot__workload_is_named_before_its_exec(void **state)
{
	struct rec_snapshot_conf conf = conf_of_tree;

	(void)state;
	conf.want_namespaces = true;
	assert_int_equal(
		rec_snapshot_workload(&conf, 100, "perf-exec", take, NULL), 0);
	assert_string_equal(told.text, "COMM 0 100/100 perf-exec\n"
				       "NAMESPACES 100/100 7\n");
}

static void test_synth__words_and_what_is_none(void **state)
{
	unsigned mask = 99;
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	assert_int_equal(rec_synth_parse("no", &mask, NULL), 0);
	assert_int_equal(mask, REC_SYNTH_NO);
	assert_int_equal(rec_synth_parse("all", &mask, NULL), 0);
	assert_int_equal(mask, REC_SYNTH_ALL);
	assert_int_equal(rec_synth_parse("task,cgroup", &mask, NULL), 0);
	assert_int_equal(mask, REC_SYNTH_TASK | REC_SYNTH_CGROUP);
	assert_int_equal(rec_synth_parse("mmap", &mask, NULL), 0);
	assert_int_equal(mask, REC_SYNTH_TASK | REC_SYNTH_MMAP);
	assert_int_equal(rec_synth_parse("task,", &mask, NULL), -EINVAL);
	assert_int_equal(rec_synth_parse("tasks", &mask, &err), -EINVAL);
	assert_string_equal(err.text, "--synth: 'tasks' is not known");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
	const struct CMUnitTest tests[] = {
		TEST(test_snapshot__tasks_in_order_with_hostile_lines),
		TEST(test_snapshot__several_workers_tell_the_same),
		TEST(test_snapshot__data_maps_are_all_readable_ones),
		TEST(test_snapshot__a_thread_brings_its_process_once),
		TEST(test_snapshot__synth_no_leaves_the_kernel),
		TEST(test_snapshot__stops_if_emit_fails),
		TEST(test_snapshot__no_proc_is_an_error),
		TEST(test_snapshot__control_groups_from_the_root_down),
		TEST(test_snapshot__ourselves_with_build_id),
		TEST(test_snapshot__a_process_that_ends_takes_no_build_id),
		TEST(test_snapshot__workload_is_named_before_its_exec),
		TEST(test_synth__words_and_what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
