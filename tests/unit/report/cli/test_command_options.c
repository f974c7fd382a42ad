#include "report/cli/command_options.h"
#include "report/cli/filter_options.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct conf {
	const char *input;
	bool force;
	uint32_t max_ratio;
	struct rpt_filter_args filter;
};

#define OFF(member) offsetof(struct conf, member)

static const struct sup_opt opts[] = {
	RPT_OPT_INPUT(OFF(input)),
	RPT_OPT_FORCE(OFF(force)),
	RPT_OPT_MAX_RATIO(OFF(max_ratio)),
	RPT_OPTS_FILTER(OFF(filter), 'c', 'd', 0, 'C', " and more"),
	RPT_OPT_ITRACE,
	{ 0 },
};

static const struct sup_command command = { .name = "x", .opts = opts };

static int parse(struct conf *conf, struct pd_err *err,
		 const char *const *words)
{
	char *argv[20] = { 0 };
	int argc = 0, first;

	*conf = (struct conf){ 0 };
	*err = (struct pd_err)PD_ERR_INIT;
	for (; words[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc];
	return sup_options_parse(&command, conf, argc, argv, &first, err);
}

static void test_command_options__rows_fill_their_fields(void **state)
{
	static const char *const words[] = {
		"x",	     "-i", "a.data", "-f",  "--max-ratio",
		"7",	     "-c", "comm",   "-d",  "libc",
		"--symbols", "f",  "--pid",  "1-2", "--tid",
		"3",	     "-C", "0",	     NULL,
	};
	struct conf conf;
	struct pd_err err;

	(void)state;
	assert_int_equal(parse(&conf, &err, words), 0);
	assert_string_equal(conf.input, "a.data");
	assert_true(conf.force);
	assert_int_equal(conf.max_ratio, 7);
	assert_string_equal(conf.filter.comms, "comm");
	assert_string_equal(conf.filter.dsos, "libc");
	assert_string_equal(conf.filter.symbols, "f");
	assert_string_equal(conf.filter.pids, "1-2");
	assert_string_equal(conf.filter.tids, "3");
	assert_string_equal(conf.filter.cpus, "0");
	assert_null(conf.filter.times);
}

static void test_command_options__a_letter_of_0_is_none(void **state)
{
	static const char *const words[] = { "x", "-S", "f", NULL };
	struct conf conf;
	struct pd_err err;

	(void)state;
	assert_int_equal(parse(&conf, &err, words), -EINVAL);
}

static void test_command_options__traces_are_refused(void **state)
{
	static const char *const aux[] = { "x", "--itrace=i1us", NULL };
	static const char *const no_aux[] = { "x", "--no-itrace", NULL };
	struct conf conf;
	struct pd_err err;

	(void)state;
	assert_int_equal(parse(&conf, &err, aux), -EINVAL);
	assert_non_null(strstr(err.text, "not decoded"));
	assert_int_equal(parse(&conf, &err, no_aux), 0);
}

static void test_command_options__words_stand_for_values(void **state)
{
	static const struct rpt_option_word words[] = {
		{ "text", 4 },
		{ "json", 9 },
		{ NULL, 0 },
	};
	struct pd_err err = PD_ERR_INIT;
	unsigned value = 1;

	(void)state;
	assert_int_equal(
		rpt_option_word("--format", words, "json", &value, &err), 0);
	assert_int_equal(value, 9);
	assert_int_equal(
		rpt_option_word("--format", words, "jso", &value, &err),
		-EINVAL);
	assert_int_equal(value, 9);
	assert_string_equal(err.text,
			    "option --format: 'jso' is none of text, json");
}

static void test_command_options__percentages(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	double pct = 1.0;

	(void)state;
	assert_int_equal(rpt_option_percent("--x", "2.5", &pct, NULL), 0);
	assert_true(pct == 2.5);
	assert_int_equal(rpt_option_percent("--x", "40%", &pct, NULL), 0);
	assert_true(pct == 40.0);
	assert_int_equal(rpt_option_percent("--x", "", &pct, NULL), -EINVAL);
	assert_int_equal(rpt_option_percent("--x", "1 %", &pct, NULL), -EINVAL);
	assert_int_equal(rpt_option_percent("--x", "5%%", &pct, &err), -EINVAL);
	assert_string_equal(err.text, "option --x: '5%%' is no percentage");
	assert_true(pct == 40.0);
}

static void test_command_options__percentages_are_numbers(void **state)
{
	static const char *const wrong[] = { "nan",  "inf", "-inf",
					     "1e10", "-1",  "1e999" };
	double pct = 1.0;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(
			rpt_option_percent("--x", wrong[i], &pct, NULL),
			-EINVAL);
	assert_true(pct == 1.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_options__rows_fill_their_fields),
		cmocka_unit_test(test_command_options__a_letter_of_0_is_none),
		cmocka_unit_test(test_command_options__traces_are_refused),
		cmocka_unit_test(test_command_options__words_stand_for_values),
		cmocka_unit_test(test_command_options__percentages),
		cmocka_unit_test(test_command_options__percentages_are_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
