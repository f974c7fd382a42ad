/* Records printed by the formats of tests/fuzz/corpus/tracepoint; how such a
 * file is laid out says fuzz_tracepoint.c. */
#include "report/tracepoint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FORMAT_NR 7 /* the ID in all of them */

/* What the seed's record prints as, with raw[at] set to byte first. */
static void assert_prints(const char *seed, size_t at, uint8_t byte,
			  const char *want)
{
	char path[512];
	uint8_t data[4096];
	struct rpt_text *text = malloc(sizeof(*text));
	struct rpt_tracepoints *tps;
	struct rpt_tracepoint_record rec = { .config = FORMAT_NR };
	struct pd_err err = PD_ERR_INIT;
	struct pd_cursor c;
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/tracepoint/%s",
		 PERFPAIR_SOURCE_DIR, seed);
	f = fopen(path, "rb");
	assert_non_null(f);
	len = fread(data, 1, sizeof(data), f);
	fclose(f);
	rec.raw = data + 1;
	rec.raw_len = data[0];
	pd_cursor_init(&c, data + 1 + rec.raw_len, len - 1 - rec.raw_len, 0,
		       "tracing data");
	assert_int_equal(rpt_tracepoints_new(&tps, &c, &err), 0);
	rpt_text_init(text, stdout);
	rpt_tracepoint_print(tps, &rec, text);
	text->len = 0;
	data[1 + at] = byte; /* not what was kept */
	rpt_tracepoint_print(tps, &rec, text);
	assert_int_equal(text->len, strlen(want));
	assert_memory_equal(text->data, want, strlen(want));
	rpt_tracepoint_print(tps, &rec, text); /* now it is */
	assert_int_equal(text->len, 2 * strlen(want));
	rpt_tracepoints_free(tps);
	free(text);
}

static void test_tracepoint__prints_by_the_format(void **state)
{
	(void)state;
	assert_prints("number", 8, 1, "nr=1 one");
	assert_prints("text", 12, 'X', "name=Xbcd");
	assert_prints("array", 12, 0x30, "30 78 79 7a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tracepoint__prints_by_the_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
