/* Listings of copied machines, and encodings that mean what the names mean. */
#include "record/listing/list_rows.h"

#include "record/vendor/vendor_names.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))
#define MACHINES    PERFPAIR_SOURCE_DIR "/fixtures/machines/"

static int with_library(void **state)
{
	(void)state;
	return setenv("LIBPFM_FORCE_PMU", "icx", 1);
}

/* The text of a listing; the caller frees it. */
static char *listed(struct rec_list_conf conf, const char *word, int want)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	conf.is_copy = true;
	if (!conf.sysfs)
		conf.sysfs = MACHINES "icelake";
	conf.words = &word;
	conf.word_nr = word ? 1 : 0;
	assert_int_equal(rec_list_print(&conf, out, NULL), want);
	fclose(out);
	return text;
}

/* As perf 6.1 lists this tree. */
static void test_list__rows_of_sysfs_have_perfs_text(void **state)
{
	char *text = listed((struct rec_list_conf){ .no_text = true },
			    "topdown-*", 0);

	(void)state;
	assert_string_equal(
		text, "  topdown-bad-spec OR cpu/topdown-bad-spec/          "
		      "[Kernel PMU event]\n"
		      "  topdown-be-bound OR cpu/topdown-be-bound/          "
		      "[Kernel PMU event]\n"
		      "  topdown-fe-bound OR cpu/topdown-fe-bound/          "
		      "[Kernel PMU event]\n"
		      "  topdown-retiring OR cpu/topdown-retiring/          "
		      "[Kernel PMU event]\n");
	free(text);
}

static void test_list__vendors_names_have_text_and_code(void **state)
{
	char *text;

	(void)state;
	if (!rec_vendor_is_there())
		skip();
	text = listed((struct rec_list_conf){ .details = true },
		      "L1D.Replacement", 0);
	assert_string_equal(text, "icx:\n"
				  "  l1d.replacement\n"
				  "       [Counts the number of cache lines "
				  "replaced in L1 data cache.]\n"
				  "        cpu/event=0x51,umask=0x1/\n");
	free(text);
}

static void test_list__metrics_have_formula_and_source(void **state)
{
	struct rec_list_conf conf = { .sysfs = MACHINES "neoverse_v1",
				      .details = true };
	char *text = listed(conf, "retiring", 0);

	(void)state;
	assert_non_null(strstr(text, "Metrics:\n\n  retiring\n"
				     "       [slots of operations that"));
	assert_non_null(strstr(text, "       [100 * op_retired / op_spec * "
				     "( 1 - stall_slot / ( cpu_cycles * 8 ) ), "
				     "%]\n"));
	assert_non_null(strstr(text, "        -e '{cpu_cycles,stall_slot,"));
	assert_non_null(strstr(text, "       [source: Arm Neoverse V1"));
	free(text);
	text = listed(conf, "metricgroup", 0);
	assert_string_equal(text, "Metric Groups:\n\n  basic\n  branch\n"
				  "  cache\n  tlb\n  topdown\n");
	free(text);
}

static void test_list__filters_choose_kinds_and_names(void **state)
{
	char *text = listed((struct rec_list_conf){ 0 }, "sw", 0);

	(void)state;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strstr(line, "[Software event]") ||
			    strstr(line, "[Tool event]") ||
			    !strncmp(line, "       [", 8));
	free(text);
	text = listed((struct rec_list_conf){ .no_text = true }, "hw", 0);
	assert_non_null(strstr(text, "  cpu-cycles OR cycles    "));
	free(text);
	text = listed((struct rec_list_conf){ 0 }, "no such thing", -ENOENT);
	assert_string_equal(text, "");
	free(text);
}

static void test_list__json_escapes_and_encodes(void **state)
{
	char *text =
		listed((struct rec_list_conf){ .json = true }, "cpu/slots", 0);

	(void)state;
	assert_string_equal(text, "[\n{\n\t\"Unit\": \"cpu\",\n"
				  "\t\"EventName\": \"slots\",\n"
				  "\t\"EventAlias\": \"cpu/slots/\",\n"
				  "\t\"EventType\": \"Kernel PMU event\",\n"
				  "\t\"Encoding\": "
				  "\"cpu/event=0x00,umask=0x4/\"\n}\n]\n");
	free(text);
	text = listed((struct rec_list_conf){ .json = true }, "nosuch",
		      -ENOENT);
	assert_string_equal(text, "[\n]\n");
	free(text);
}

static void parse(const char *text, const struct rec_event_env *env,
		  struct rec_event_list *list)
{
	struct pd_err err = PD_ERR_INIT;

	rec_event_list_init(list);
	if (rec_event_parse(list, text, env, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(list->nr, 1);
}

/* What -v prints for a name is the name's event. */
static void test_list__encodings_are_the_same_event(void **state)
{
	static const struct rec_event_env env = { .sysfs = MACHINES "icelake",
						  .vendor_names = true };
	static const char *const names[] = {
		"l1d.replacement",
		"cycle_activity.stalls_l3_miss",
		"l1d_pend_miss.fb_full_periods",
		"ocr.hwpf_l1d_and_swpf_l3_hit",
		"inst_retired.any",
		"uops_issued.stall_cycles",
		"br_misp_retired.all_branches",
		"frontend_retired.dsb_miss",
		"mem_trans_retired.load_latency",
	};
	struct rec_list_pmus pmus;

	(void)state;
	if (!rec_vendor_is_there())
		skip();
	assert_int_equal(rec_list_pmus_init(&pmus, env.sysfs), 0);
	for (size_t i = 0; i < ARRAY_NR(names); i++) {
		char *encoding = rec_list_vendor_encoding(&pmus, names[i]);
		struct rec_event_list a, b;

		assert_non_null(encoding);
		parse(names[i], &env, &a);
		parse(encoding, &env, &b);
		assert_int_equal(a.events[0].attr.sys.type,
				 b.events[0].attr.sys.type);
		assert_int_equal(a.events[0].attr.sys.config,
				 b.events[0].attr.sys.config);
		assert_int_equal(a.events[0].attr.sys.config1,
				 b.events[0].attr.sys.config1);
		rec_event_list_release(&a);
		rec_event_list_release(&b);
		free(encoding);
	}
	rec_list_pmus_release(&pmus);
}

/* Formats split over a word, bits without a format, no PMU of the type. */
static void test_list__encodings_of_made_attrs(void **state)
{
	static const struct {
		const char *machine;
		uint32_t type;
		uint64_t config, config1;
		const char *text;
	} cases[] = {
		{ "zen4", 4, 0x1000001a0, 0, "cpu/event=0x1a0,umask=0x1/" },
		{ "zen4", 4, 0x800000000076, 0, "cpu/config=0x800000000076/" },
		{ "haswell", 4, 0x20003c, 0, "cpu/event=0x3c,any=0x1/" },
		{ "icelake", 4, 0x1b7, 0x10001,
		  "cpu/event=0xb7,umask=0x1,config1=0x10001/" },
		{ "icelake", 4, 0x400, 0, "cpu/event=0x0,umask=0x4/" },
		{ "neoverse_v1", 4, 0x3f, 0, "armv8_pmuv3_0/event=0x3f/" },
		{ "icelake", 77, 1, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		union rec_attr attr = { .sys = { .type = cases[i].type,
						 .config = cases[i].config } };
		struct rec_list_pmus pmus;
		char sysfs[256];
		char *text;

		attr.sys.config1 = cases[i].config1;
		snprintf(sysfs, sizeof(sysfs), MACHINES "%s", cases[i].machine);
		assert_int_equal(rec_list_pmus_init(&pmus, sysfs), 0);
		text = rec_list_encoding(&pmus, &attr);
		if (cases[i].text)
			assert_string_equal(text, cases[i].text);
		else
			assert_null(text);
		free(text);
		rec_list_pmus_release(&pmus);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list__rows_of_sysfs_have_perfs_text),
		cmocka_unit_test(test_list__vendors_names_have_text_and_code),
		cmocka_unit_test(test_list__metrics_have_formula_and_source),
		cmocka_unit_test(test_list__filters_choose_kinds_and_names),
		cmocka_unit_test(test_list__json_escapes_and_encodes),
		cmocka_unit_test(test_list__encodings_are_the_same_event),
		cmocka_unit_test(test_list__encodings_of_made_attrs),
	};

	return cmocka_run_group_tests(tests, with_library, NULL);
}
