#include "record/targets/cgroup.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A mount with the groups web, web/a, web/b, db and system.slice. */
struct fixture {
	char root[64];
	struct pd_err err;
};

static void make_group(const char *root, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static int setup(void **state)
{
	static const char *const groups[] = { "web", "web/b", "web/a", "db",
					      "system.slice" };
	struct fixture *f = calloc(1, sizeof(*f));
	char path[128];
	FILE *mounts;

	strcpy(f->root, "/tmp/perfpair-cgroup-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		make_group(f->root, groups[i]);
	snprintf(path, sizeof(path), "%s/mounts", f->root);
	mounts = fopen(path, "w");
	assert_non_null(mounts);
	fprintf(mounts, "none %s cgroup2 rw 0 0\n", f->root);
	fclose(mounts);
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

/* The groups that text means, each with a blank behind. */
static void check(struct fixture *f, const char *text, const char *want)
{
	struct rec_cgroup_names names;
	char found[256] = "";
	size_t len = 0;

	assert_int_equal(rec_cgroup_names_init(&names, text, f->root, &f->err),
			 0);
	for (size_t i = 0; i < names.nr; i++)
		len += (size_t)snprintf(found + len, sizeof(found) - len, "%s ",
					names.names[i]);
	assert_string_equal(found, want);
	rec_cgroup_names_release(&names);
}

static void test_cgroup_names__names_are_taken_as_they_are(void **state)
{
	struct fixture *f = *state;

	check(f, "web,nope", "web nope ");
	check(f, "web/b,web,web/b", "web/b web ");
	check(f, "system.slice", "system.slice ");
	check(f, ",db", "/ db ");
}

static void test_cgroup_names__patterns_are_searched_for(void **state)
{
	struct fixture *f = *state;

	check(f, "^web", "web web/a web/b ");
	check(f, "b$", "db web web/b ");
	check(f, "^web$", "web ");
	check(f, "/[ab]", "web/a web/b ");
	check(f, "^db,^web/", "db web/a web/b ");
	check(f, "^db,", "/ db ");
	check(f, "system\\.sl.*", "system.slice ");
	check(f, "^$", "/ ");
	check(f, ".*", "/ db system.slice web web/a web/b ");
}

/* Perf's: one pattern makes all of the list patterns. */
static void test_cgroup_names__a_name_beside_a_pattern_is_one_too(void **state)
{
	struct fixture *f = *state;

	check(f, "eb,^d", "db web web/a web/b ");
}

static void refuse(struct fixture *f, const char *text, int code,
		   const char *what)
{
	struct rec_cgroup_names names;

	f->err = (struct pd_err)PD_ERR_INIT;
	assert_int_equal(rec_cgroup_names_init(&names, text, f->root, &f->err),
			 code);
	assert_string_equal(f->err.text, what);
}

static void test_cgroup_names__reports_invalid_patterns(void **state)
{
	struct fixture *f = *state;

	refuse(f, "^nope", -ENOENT, "no control group matches '^nope'");
	/* basic regular expressions: | is a letter */
	refuse(f, "web|db", -ENOENT, "no control group matches 'web|db'");
	refuse(f, "[w", -EINVAL,
	       "--for-each-cgroup '[w': Unmatched [, [^, [:, [., or [=");
}

static void test_cgroup_names__nothing_mounted(void **state)
{
	struct fixture *f = *state;

	char path[128];

	snprintf(path, sizeof(path), "%s/mounts", f->root);
	assert_int_equal(unlink(path), 0);
	refuse(f, "^web", -ENOENT, "no control groups are mounted");
}

#define NAMES_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		NAMES_TEST(test_cgroup_names__names_are_taken_as_they_are),
		NAMES_TEST(test_cgroup_names__patterns_are_searched_for),
		NAMES_TEST(
			test_cgroup_names__a_name_beside_a_pattern_is_one_too),
		NAMES_TEST(test_cgroup_names__reports_invalid_patterns),
		NAMES_TEST(test_cgroup_names__nothing_mounted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
