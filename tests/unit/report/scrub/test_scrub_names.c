#include "report/scrub/scrub_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct rpt_scrub_result result;
static struct rpt_scrub_conf conf = { .key = { { 1, 2 } } };
static struct rpt_scrub scrub = { .conf = &conf, .result = &result };

static int set_up(void **state)
{
	(void)state;
	rpt_scrub_conf_init(&conf);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	pd_buf_release(&scrub.text);
	return 0;
}

static struct pd_str str(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
}

/* Compare what was put in scrub.text with a text in which X stands for a hidden
 * name. */
static void expect(const char *in, const char *expected)
{
	struct pd_buf *b = &scrub.text;
	char shown[256];
	size_t len = 0;

	for (size_t i = 0; i < b->len; i++) {
		const char *at = (const char *)b->data + i;

		shown[len++] = *at;
		if (*at == 'x' && b->len - i >= RPT_HIDDEN_LEN &&
		    strspn(at + 1, "0123456789abcdef") >= RPT_HIDDEN_LEN - 1) {
			shown[len - 1] = 'X';
			i += RPT_HIDDEN_LEN - 1;
		}
	}
	shown[len] = '\0';
	if (strcmp(shown, expected) != 0)
		print_error("%s\n", in);
	assert_string_equal(shown, expected);
	pd_buf_reset(b);
}

struct row {
	const char *in;
	const char *expected;
};

static const struct row paths[] = {
	{ "", "" },
	{ "/usr/bin/ls", "/usr/bin/ls" },
	{ "/lib/modules/6.1/kernel/fs/ext4.ko",
	  "/lib/modules/6.1/kernel/fs/ext4.ko" },
	{ "/usr/local/bin/tool", "/usr/local/bin/X" },
	{ "/usr/../home/a/b", "/usr/X/home/X/X" },
	{ "/usr/lib/debug/home/a", "/usr/lib/X/home/X" },
	{ "/home/anna/work/prog", "/home/X/X/X" },
	{ "/home/anna/libwork.so.1.2", "/home/X/X.so.1.2" },
	{ "/tmp/a.so (deleted)", "/tmp/X.so (deleted)" },
	{ "/opt/vendor/bin/x", "/opt/X/bin/X" },
	{ "/tmp/perf-123.map", "/tmp/perf-123.map" },
	{ "/tmp/perf-name.map", "/tmp/X" },
	{ "/home/a/.debug/jit/x/jitted-12-3.so",
	  "/home/X/.debug/jit/X/jitted-12-3.so" },
	{ "/memfd:name (deleted)", "/memfd:X (deleted)" },
	{ "[vdso]", "[vdso]" },
	{ "[anon:name]", "[anon:X]" },
	{ "[name]", "[X]" },
	{ "[name", "[X" },
	{ "[", "[X" },
	{ "//anon", "//anon" },
	{ "anon_inode:[perf_event]", "anon_inode:[perf_event]" },
	{ "[kernel.kallsyms]_text", "[kernel.kallsyms]_text" },
	{ "name", "X" },
	{ "/", "/" },
	{ "/name/", "/X/" },
};

static void test_scrub__paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		rpt_scrub_path(&scrub, str(paths[i].in), false, &scrub.text);
		expect(paths[i].in, paths[i].expected);
	}
	rpt_scrub_path(&scrub, str("[ext4]"), true, &scrub.text);
	expect("[ext4]", "[ext4]");
	rpt_scrub_path(&scrub, str("[a b]"), true, &scrub.text);
	expect("[a b]", "[X]");
}

static void test_scrub__kept_parts_of_paths(void **state)
{
	(void)state;
	conf.actions[RPT_SCRUB_FILES] = RPT_SCRUB_KEEP;
	rpt_scrub_path(&scrub, str("/home/anna/prog"), false, &scrub.text);
	expect("files", "/home/X/prog");
	conf.actions[RPT_SCRUB_PATHS] = RPT_SCRUB_KEEP;
	rpt_scrub_path(&scrub, str("/home/anna/prog"), false, &scrub.text);
	expect("paths", "/home/anna/prog");
}

static const struct row comms[] = {
	{ "", "" },
	{ "bash", "bash" },
	{ "bash2", "X" },
	{ "swapper/3", "swapper/3" },
	{ "kworker/0:1-secret", "kworker/0:1" },
	{ "kworker/u8:2+flush", "kworker/u8:2" },
	{ "kworker/secret", "X" },
	{ "ksoftirqd/1", "ksoftirqd/1" },
	{ "ksoftirqd/1x", "X" },
	{ "irq/9-acpi", "irq/9" },
	{ ":1234", ":1234" },
	{ ":name", "X" },
	{ "name", "X" },
};

static void test_scrub__comms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(comms) / sizeof(comms[0]); i++) {
		rpt_scrub_comm(&scrub, str(comms[i].in), &scrub.text);
		expect(comms[i].in, comms[i].expected);
	}
}

static const struct row cgroups[] = {
	{ "/", "/" },
	{ "/system.slice/name.service", "/system.slice/X.service" },
	{ "/user.slice/user-1000.slice/name", "/user.slice/X.slice/X" },
	{ "/a.slice/b", "/X.slice/X" },
};

static const struct row ksymbols[] = {
	{ "bpf_prog_0123456789abcdef_name", "bpf_prog_0123456789abcdef_X" },
	{ "bpf_prog_0123456789abcdef", "X" },
	{ "bpf_prog_name", "X" },
	{ "bpf_trampoline_123", "bpf_trampoline_123" },
	{ "bpf_trampoline_name", "X" },
	{ "ftrace_trampoline", "ftrace_trampoline" },
	{ "name", "X" },
};

static void test_scrub__cgroups_and_code_of_the_kernel(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cgroups) / sizeof(cgroups[0]); i++) {
		rpt_scrub_cgroup(&scrub, str(cgroups[i].in), &scrub.text);
		expect(cgroups[i].in, cgroups[i].expected);
	}
	for (size_t i = 0; i < sizeof(ksymbols) / sizeof(ksymbols[0]); i++) {
		rpt_scrub_ksymbol(&scrub, str(ksymbols[i].in), &scrub.text);
		expect(ksymbols[i].in, ksymbols[i].expected);
	}
}

static void test_scrub__what_is_code(void **state)
{
	static const uint64_t starts[] = { 0x3000, 0x1000, 0x2000, 0x9000 };
	struct pd_body body = { .type = PD_RECORD_MMAP };

	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		body.u.mmap.addr = starts[i];
		body.u.mmap.map_len = 0x1000;
		rpt_scrub_note_code(&scrub, &body);
	}
	body.misc = 0x2000; /* of data */
	body.u.mmap.addr = 0x20000;
	rpt_scrub_note_code(&scrub, &body);
	assert_false(rpt_scrub_is_code(&scrub, 0xfff));
	assert_true(rpt_scrub_is_code(&scrub, 0x1000));
	assert_true(rpt_scrub_is_code(&scrub, 0x4000)); /* behind a call */
	assert_false(rpt_scrub_is_code(&scrub, 0x4001));
	assert_true(rpt_scrub_is_code(&scrub, 0x9fff));
	assert_false(rpt_scrub_is_code(&scrub, 0x20000));
	assert_int_equal(scrub.range_nr, 2);
	free(scrub.ranges);
	scrub.ranges = NULL;
	scrub.range_nr = scrub.range_cap = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scrub__paths),
		cmocka_unit_test_setup(test_scrub__kept_parts_of_paths, set_up),
		cmocka_unit_test_setup(test_scrub__comms, set_up),
		cmocka_unit_test_setup(
			test_scrub__cgroups_and_code_of_the_kernel, set_up),
		cmocka_unit_test(test_scrub__what_is_code),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
