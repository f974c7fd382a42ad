#include "format/support/options.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct conf {
	bool all;
	bool inherit;
	unsigned verbose;
	const char *input;
	uint32_t freq;
	uint64_t period;
	uint64_t max_len;
	uint64_t delay_ns;
	int level; /* -1: given without a value */
};

static int set_level(void *conf, const char *arg, bool unset,
		     struct pd_err *err)
{
	struct conf *c = conf;

	(void)unset;
	if (arg && strcmp(arg, "bad") == 0)
		return pd_err_set(err, -EINVAL, "level 'bad' is none");
	c->level = arg ? arg[0] - '0' : -1;
	return 0;
}

static const struct sup_opt opts[] = {
	{ 'a', "all-cpus", SUP_FLAG, offsetof(struct conf, all), 0, NULL,
	  "all CPUs", NULL },
	{ 'i', "no-inherit", SUP_FLAG, offsetof(struct conf, inherit),
	  SUP_OPT_NEGATABLE, NULL, "do not follow children", NULL },
	{ 'v', "verbose", SUP_COUNT, offsetof(struct conf, verbose), 0, NULL,
	  "say more", NULL },
	{ 'o', "output", SUP_STRING, offsetof(struct conf, input), 0, "FILE",
	  "where to", NULL },
	{ 'F', "freq", SUP_U32, offsetof(struct conf, freq), 0, "HZ", "rate",
	  NULL },
	{ 'c', "count", SUP_U64, offsetof(struct conf, period), 0, "N",
	  "period", NULL },
	{ 0, "max-size", SUP_SIZE, offsetof(struct conf, max_len), 0, "SIZE",
	  "end at", NULL },
	{ 'D', "delay", SUP_DURATION, offsetof(struct conf, delay_ns), 0,
	  "TIME", "wait", NULL },
	{ 'z', "compression-level", SUP_CALL, 0, SUP_OPT_ARG_OPTIONAL, "N",
	  "compress", set_level },
	{ 0 },
};

static const struct sup_absent absent[] = {
	{ "aio", "threads write" },
	{ "Y", "threads write" },
	{ 0 },
};
static const struct sup_command cmd = {
	.name = "prog",
	.usage = "[OPTION]...",
	.summary = "Does it.",
	.opts = opts,
	.absent = absent,
};
static const struct sup_command cmd_workload = {
	.name = "prog",
	.usage = "[OPTION]... COMMAND",
	.summary = "Does it.",
	.opts = opts,
	.stop_at_operand = true,
};

/* words: NULL terminated, at most 15 */
static int parse(const struct sup_command *c, struct conf *conf,
		 const char *const *words, int *ret_first, struct pd_err *err)
{
	static char copy[16][40];
	char *argv[17] = { copy[0] };
	int argc = 1;

	strcpy(copy[0], "prog");
	for (; *words; words++, argc++) {
		strcpy(copy[argc], *words);
		argv[argc] = copy[argc];
	}
	memset(conf, 0, sizeof(*conf));
	return sup_options_parse(c, conf, argc, argv, ret_first, err);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void test_options__every_kind_fills_its_field(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct conf conf;
	int first;

	(void)state;
	assert_int_equal(
		parse(&cmd, &conf,
		      WORDS("-a", "-vv", "-o", "x", "-F99", "--count=0x10",
			    "--max-size", "64K", "--delay", "10ms", "-z5"),
		      &first, &err),
		0);
	assert_true(conf.all);
	assert_int_equal(conf.verbose, 2);
	assert_string_equal(conf.input, "x");
	assert_int_equal(conf.freq, 99);
	assert_int_equal(conf.period, 16);
	assert_int_equal(conf.max_len, 65536);
	assert_int_equal(conf.delay_ns, 10000000);
	assert_int_equal(conf.level, 5);
	assert_int_equal(first, 12);
}

static void test_options__an_optional_value_may_be_left_out(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct conf conf;
	int first;

	(void)state;
	assert_int_equal(parse(&cmd, &conf, WORDS("-z", "-a"), &first, &err),
			 0);
	assert_int_equal(conf.level, -1);
	assert_true(conf.all);
	assert_int_equal(parse(&cmd, &conf, WORDS("--compression-level=7"),
			       &first, &err),
			 0);
	assert_int_equal(conf.level, 7);
}

static void test_options__a_no_prefix_unsets(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct conf conf;
	int first;

	(void)state;
	assert_int_equal(
		parse(&cmd, &conf, WORDS("-a", "--no-all-cpus"), &first, &err),
		0);
	assert_false(conf.all);
	assert_int_equal(
		parse(&cmd, &conf, WORDS("-i", "--inherit"), &first, &err), 0);
	assert_false(conf.inherit);
}

static void test_options__operands_are_moved_or_end_the_options(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct conf conf;
	int first;

	(void)state;
	assert_int_equal(parse(&cmd, &conf, WORDS("file", "-a"), &first, &err),
			 0);
	assert_true(conf.all);
	assert_int_equal(first, 2);
	assert_int_equal(
		parse(&cmd_workload, &conf, WORDS("ls", "-a"), &first, &err),
		0);
	assert_false(conf.all);
	assert_int_equal(first, 1);
}

static void expect_error(const char *const *words, const char *text)
{
	struct pd_err err = PD_ERR_INIT;
	struct conf conf;
	int first;

	assert_int_equal(parse(&cmd, &conf, words, &first, &err), -EINVAL);
	assert_string_equal(err.text, text);
}

static void test_options__an_error_names_the_option(void **state)
{
	(void)state;
	expect_error(WORDS("-Q"), "unknown option '-Q'");
	expect_error(WORDS("--quux"), "unknown option '--quux'");
	expect_error(WORDS("--aio=2"), "perf's option '--aio=2' is not here");
	expect_error(WORDS("-Y"), "perf's option '-Y' is not here");
	expect_error(WORDS("--aio2"), "unknown option '--aio2'");
	expect_error(WORDS("-a", "-o"), "option '-o' needs a value");
	expect_error(WORDS("--output"), "option '--output' needs a value");
	expect_error(WORDS("--all-cpus=3"),
		     "option '--all-cpus=3' takes no value");
	expect_error(WORDS("-c", "many"), "--count: 'many' is not a number");
	expect_error(WORDS("--max-size=1Q"), "--max-size: '1Q' is not a size");
	expect_error(WORDS("-D", "1y"), "--delay: '1y' is not a duration");
	expect_error(WORDS("-zbad"), "level 'bad' is none");
}

static void expect_hint(const char *const *words, const char *text,
			const char *hint)
{
	struct pd_err err = PD_ERR_INIT;
	struct conf conf;
	int first;

	assert_int_equal(parse(&cmd, &conf, words, &first, &err), -EINVAL);
	assert_string_equal(err.text, text);
	assert_string_equal(err.hint, hint);
}

static void test_options__a_misspelt_name_gets_the_nearest(void **state)
{
	(void)state;
	expect_hint(WORDS("--ouptut=x"), "unknown option '--ouptut=x'",
		    "nearest: --output; 'prog --help' lists the options");
	expect_hint(WORDS("--quux"), "unknown option '--quux'",
		    "'prog --help' lists the options");
	expect_hint(WORDS("--no-verbos"), "unknown option '--no-verbos'",
		    "'prog --help' lists the options");
	expect_hint(WORDS("--no-all-cpu=1"),
		    "option '--no-all-cpu=1' takes no value",
		    "'prog --help' lists the options");
	expect_hint(WORDS("--no"), "option '--no' is short for several",
		    "--no-all-cpus, --no-inherit");
	expect_hint(WORDS("--max-size=1Q"), "--max-size: '1Q' is not a size",
		    "give a number with K, M or G behind it: 64K");
	expect_hint(WORDS("--delay=soon"), "--delay: 'soon' is not a duration",
		    "give a number with ns, us, ms, s, m or h behind it: "
		    "500ms");
}

/* The option before it has a long name, and more letters follow. */
static void test_options__perf_s_letter_is_found_in_a_cluster(void **state)
{
	(void)state;
	expect_hint(WORDS("--all-cpus", "-vYa"),
		    "perf's option '-Y' is not here", "threads write");
	expect_hint(WORDS("--no-aio"), "perf's option '--no-aio' is not here",
		    "threads write");
}

static void test_options__values_may_have_fractions(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(sup_parse_duration("0.3s", &v), 0);
	assert_int_equal(v, 300000000);
	assert_int_equal(sup_parse_duration("1.25", &v), 0);
	assert_int_equal(v, 1250000000);
	assert_int_equal(sup_parse_duration("1.5m", &v), 0);
	assert_true(v == UINT64_C(90000000000));
	assert_int_equal(sup_parse_size("1.5K", &v), 0);
	assert_int_equal(v, 1536);
	assert_int_equal(sup_parse_size("1.5", &v), -EINVAL);
	assert_int_equal(sup_parse_duration("0.5ns", &v), -EINVAL);
	assert_int_equal(sup_parse_duration("1.", &v), -EINVAL);
	assert_int_equal(sup_parse_duration(".5", &v), -EINVAL);
	assert_int_equal(sup_parse_duration("0.12345678s", &v), -EINVAL);
	assert_int_equal(sup_parse_duration("18446744073.8s", &v), -ERANGE);
}

/* No line is longer than 80 columns unless a single word is. */
static void test_options__help_is_wrapped(void **state)
{
	static const struct sup_opt long_opts[] = {
		{ 'g', "call-graph", SUP_STRING, 0, 0,
		  "graph|fractal|flat|folded|none,PERCENT,NR,caller|callee,"
		  "function|address|srcline,percent|period|count,and_so_on",
		  "one two three four five six seven eight nine ten eleven",
		  NULL },
		{ 0 },
	};
	const struct sup_command long_cmd = { .name = "prog",
					      .usage = "",
					      .summary = "Does it.",
					      .opts = long_opts };
	char text[2048] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	(void)state;
	sup_help(&long_cmd, out);
	fclose(out);
	assert_non_null(strstr(text, ",percent|period|count,and_so_on\n"));
	assert_non_null(strstr(text, "one two three four five six seven eight "
				     "nine\n                                  "
				     "ten eleven\n"));
}

static const struct sup_opt *more_opts(size_t idx)
{
	static const struct sup_opt none[] = { { 0 } };
	static const struct sup_opt last[] = {
		{ 'L', "last", SUP_U32, offsetof(struct conf, freq), 0, "NR",
		  "the last one", NULL },
		{ 0 },
	};

	return idx == 0 ? none : idx == 1 ? last : NULL;
}

static void test_options__a_command_may_have_several_tables(void **state)
{
	const struct sup_command several = { .name = "prog",
					     .usage = "",
					     .summary = "Does it.",
					     .opts = opts,
					     .more_opts = more_opts };
	struct pd_err err = PD_ERR_INIT;
	char text[4096] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct conf conf;
	int first;

	(void)state;
	sup_help(&several, out);
	fclose(out);
	assert_non_null(strstr(text, "--freq HZ"));
	assert_non_null(strstr(text, "-L, --last NR"));
	assert_int_equal(
		parse(&several, &conf, WORDS("--freq", "5"), &first, &err), 0);
	assert_int_equal(conf.freq, 5);
	assert_int_equal(
		parse(&several, &conf, WORDS("--las", "7"), &first, &err), 0);
	assert_int_equal(conf.freq, 7);
	assert_int_equal(parse(&several, &conf, WORDS("-L8"), &first, &err), 0);
	assert_int_equal(conf.freq, 8);
}

static void test_options__a_number_may_be_out_of_range(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct conf conf;
	uint64_t v;
	int first;

	(void)state;
	assert_int_equal(
		parse(&cmd, &conf, WORDS("-F", "4294967296"), &first, &err),
		-EINVAL);
	assert_string_equal(err.text, "--freq: '4294967296' is out of range");
	assert_int_equal(sup_parse_u64("18446744073709551615", &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(sup_parse_u64("18446744073709551616", &v), -ERANGE);
	assert_int_equal(sup_parse_size("17179869184G", &v), -ERANGE);
	assert_int_equal(sup_parse_u64("-1", &v), -EINVAL);
}

static void test_options__a_duration_counts_seconds_by_default(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(sup_parse_duration("2", &v), 0);
	assert_int_equal(v, 2000000000);
	assert_int_equal(sup_parse_duration("3us", &v), 0);
	assert_int_equal(v, 3000);
	assert_int_equal(sup_parse_duration("7d", &v), 0);
	assert_int_equal(v, UINT64_C(604800000000000));
	assert_int_equal(sup_parse_size("2GB", &v), 0);
	assert_int_equal(v, UINT64_C(2) << 30);
	assert_int_equal(sup_parse_size("1.5T", &v), 0);
	assert_int_equal(v, UINT64_C(3) << 39);
	assert_int_equal(sup_parse_duration("1h", &v), 0);
	assert_true(v == UINT64_C(3600000000000));
}

static void test_options__help_returns_1(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct conf conf;
	char text[2048] = "";
	FILE *out;
	int first;

	(void)state;
	assert_int_equal(parse(&cmd, &conf, WORDS("--help"), &first, &err), 1);
	assert_int_equal(parse(&cmd, &conf, WORDS("-h"), &first, &err), 1);
	out = fmemopen(text, sizeof(text), "w");
	sup_help(&cmd, out);
	fclose(out);
	assert_non_null(strstr(text, "usage: prog [OPTION]...\n\nDoes it.\n"));
	assert_non_null(strstr(text, "  -o, --output FILE               where"
				     " to\n"));
	assert_non_null(strstr(text, "      --max-size SIZE             end "
				     "at\n"));
	assert_non_null(strstr(text, "  -z, --compression-level[=N]     "
				     "compress\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options__every_kind_fills_its_field),
		cmocka_unit_test(
			test_options__an_optional_value_may_be_left_out),
		cmocka_unit_test(test_options__a_no_prefix_unsets),
		cmocka_unit_test(
			test_options__operands_are_moved_or_end_the_options),
		cmocka_unit_test(test_options__an_error_names_the_option),
		cmocka_unit_test(
			test_options__a_misspelt_name_gets_the_nearest),
		cmocka_unit_test(
			test_options__perf_s_letter_is_found_in_a_cluster),
		cmocka_unit_test(test_options__values_may_have_fractions),
		cmocka_unit_test(test_options__help_is_wrapped),
		cmocka_unit_test(
			test_options__a_command_may_have_several_tables),
		cmocka_unit_test(test_options__a_number_may_be_out_of_range),
		cmocka_unit_test(
			test_options__a_duration_counts_seconds_by_default),
		cmocka_unit_test(test_options__help_returns_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
