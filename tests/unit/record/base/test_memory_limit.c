#include "record/base/memory_limit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const uint64_t mib = 1 << 20;

/* A copied tree: procfs is the folder itself, and its mounts are m1, m2. */
struct fixture {
	char root[64];
	struct rec_memory_limit got;
};

/* Write a file below the root, with its folders. */
static void put(const struct fixture *f, const char *name, const char *text)
{
	char path[256], *at;
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", f->root, name);
	for (at = path + strlen(f->root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

/* Mount m1 as v1's memory hierarchy and m2 as v2's, which show that group as
 * their root. */
static void mount_at(const struct fixture *f, const char *group)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
		 "32 31 0:29 / /nowhere rw,relatime - cgroup cgroup rw,cpu\n"
		 "35 31 0:32 %s %s/m1 rw shared:4 master:1 - cgroup cgroup "
		 "rw,cpuset,memory\n"
		 "41 31 0:38 %s %s/m2 rw,relatime - cgroup2 cgroup2 rw\n",
		 group, f->root, group, f->root);
	put(f, "self/mountinfo", text);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->root, "/tmp/perfpair-limit-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", f->root);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

static void test_memory_limit__of_nothing_is_none(void **state)
{
	struct fixture *f = *state;

	rec_memory_limit_read(&f->got, f->root);
	assert_true(f->got.len == UINT64_MAX && f->got.room_len == UINT64_MAX);

	mount_at(f, "/");
	put(f, "self/cgroup", "4:cpuset,memory:/a\n0::/b\n");
	put(f, "m1/a/memory.limit_in_bytes", "9223372036854771712\n");
	put(f, "m2/b/memory.max", "max\n");
	put(f, "m2/b/memory.high", "max\n");
	rec_memory_limit_read(&f->got, f->root);
	assert_true(f->got.len == UINT64_MAX && f->got.room_len == UINT64_MAX);
}

/* Pages of files are no use that counts. */
static void test_memory_limit__the_lowest_of_all_parents_counts(void **state)
{
	struct fixture *f = *state;

	mount_at(f, "/");
	put(f, "self/cgroup", "5:cpu:/no\n0::/pod/rec\n");
	put(f, "m2/pod/rec/memory.max", "67108864\n");
	put(f, "m2/pod/rec/memory.high", "33554432\n");
	put(f, "m2/pod/rec/memory.current", "2097152\n");
	put(f, "m2/pod/memory.max", "50331648\n");
	put(f, "m2/pod/memory.current", "41943040\n");
	put(f, "m2/pod/memory.stat",
	    "anon 3\nfile 9\nactive_file 4194304\ninactive_file 1048576\n"
	    "total_active_file 77\n");
	rec_memory_limit_read(&f->got, f->root);
	assert_int_equal(f->got.len, 32 * mib);
	assert_int_equal(f->got.room_len, 13 * mib);
}

static void test_memory_limit__v1_counts_the_children_too(void **state)
{
	struct fixture *f = *state;

	mount_at(f, "/");
	put(f, "self/cgroup", "5:cpu:/no\n4:cpuset,memory:/pod/rec\n0::/\n");
	put(f, "m1/pod/memory.limit_in_bytes", "33554432\n");
	put(f, "m1/pod/memory.usage_in_bytes", "34603008\n");
	put(f, "m1/pod/memory.stat",
	    "active_file 0\ninactive_file 0\ntotal_active_file 2097152\n"
	    "total_inactive_file 3145728\n");
	rec_memory_limit_read(&f->got, f->root);
	assert_int_equal(f->got.len, 32 * mib);
	assert_int_equal(f->got.room_len, 4 * mib);
}

/* With the names of its host, or with its own ones. */
static void test_memory_limit__of_a_container_is_at_the_mount(void **state)
{
	static const char *const roots[] = { "/docker/1f", "/", "/other" };
	static const char *const groups[] = { "0::/docker/1f\n", "0::/\n",
					      "0::/../1f\n" };
	struct fixture *f = *state;

	put(f, "m2/memory.max", "16777216\n");
	put(f, "m2/memory.current", "17777216\n");
	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		mount_at(f, roots[i]);
		put(f, "self/cgroup", groups[i]);
		rec_memory_limit_read(&f->got, f->root);
		assert_int_equal(f->got.len, 16 * mib);
		assert_int_equal(f->got.room_len, 0);
	}
}

/* Pages of files are no use here, either. */
static void test_memory_limit__of_its_own(void **state)
{
	struct fixture *f = *state;
	const long pages = (long)mib / sysconf(_SC_PAGESIZE);
	char text[64];

	snprintf(text, sizeof(text), "%ld %ld %ld 1 0 9 0\n", 900 * pages,
		 9 * pages, 2 * pages);
	put(f, "self/statm", text);
	rec_memory_limit_set_own(24 * mib);
	rec_memory_limit_read(&f->got, f->root);
	assert_int_equal(f->got.len, 24 * mib);
	assert_int_equal(f->got.room_len, 17 * mib);
	assert_true(f->got.is_own);
	mount_at(f, "/");
	put(f, "self/cgroup", "0::/a\n");
	put(f, "m2/a/memory.max", "16777216\n");
	put(f, "m2/a/memory.current", "1048576\n");
	rec_memory_limit_read(&f->got, f->root);
	assert_int_equal(f->got.room_len, 15 * mib);
	assert_false(f->got.is_own);
	rec_memory_limit_set_own(5 * mib);
	rec_memory_limit_read(&f->got, f->root);
	assert_int_equal(f->got.room_len, 0);
	rec_memory_limit_set_own(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_memory_limit__of_nothing_is_none, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_memory_limit__the_lowest_of_all_parents_counts,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_memory_limit__v1_counts_the_children_too, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			test_memory_limit__of_a_container_is_at_the_mount,
			setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_limit__of_its_own,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
