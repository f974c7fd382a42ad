#include "record/targets/event_open.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */

static void test_event_open__an_old_kernel_is_named(void **state)
{
	static const struct {
		uint64_t sample_type, config3;
		const char *release;
		const char *text; /* NULL: it has that */
	} cases[] = {
		{ PERF_SAMPLE_DATA_PAGE_SIZE, 0, "5.10.0-28-amd64",
		  "cycles: --data-page-size needs Linux 5.11, this is "
		  "5.10.0-28-amd64" },
		{ PERF_SAMPLE_DATA_PAGE_SIZE, 0, "5.11.0", NULL },
		{ PERF_SAMPLE_CGROUP, 0, "4.19.0",
		  "cycles: --all-cgroups needs Linux 5.7, this is 4.19.0" },
		{ 0, 1, "6.1.0-50-amd64",
		  "cycles: config3= needs Linux 6.3, this is 6.1.0-50-amd64" },
		{ 0, 1, "6.12.0", NULL },
		{ 0, 1, "unknown", NULL },
		{ PERF_SAMPLE_PHYS_ADDR, 0, "4.9.0",
		  "cycles: --phys-data needs Linux 4.14, this is 4.9.0" },
		{ PERF_SAMPLE_TIME, 0, "5.10.0", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rec_event event = {
			.name = (char *)(uintptr_t) "cycles"
		};
		struct pd_err err = PD_ERR_INIT;

		rec_attr_set_config3(&event.attr, cases[i].config3);
		event.attr.sys.sample_type = cases[i].sample_type;
		assert_int_equal(rec_open_explain_old(&event, cases[i].release,
						      -EINVAL, &err),
				 cases[i].text != NULL);
		assert_string_equal(err.text,
				    cases[i].text ? cases[i].text : "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_open__an_old_kernel_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
