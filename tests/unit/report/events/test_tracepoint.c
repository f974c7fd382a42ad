/* Records printed by the formats of tests/fuzz/corpus/tracepoint; how such a
 * file is laid out says fuzz_tracepoint.c. */
#include "report/events/tracepoint.h"

#include "format/records/record_body.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FORMAT_NR 7 /* the ID in all of them */

struct seed {
	uint8_t data[4096];
	struct rpt_tracepoints *tps; /* by the formats that follow the record */
	struct rpt_tracepoint_record rec;
	struct rpt_text *text;
};

static void seed_open(struct seed *seed, const char *name)
{
	char path[512];
	struct pd_err err = PD_ERR_INIT;
	struct pd_cursor c;
	uint8_t raw_len;
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/tracepoint/%s",
		 PERFPAIR_SOURCE_DIR, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	len = fread(seed->data, 1, sizeof(seed->data), f);
	fclose(f);
	raw_len = seed->data[0];
	seed->rec = (struct rpt_tracepoint_record){ .raw = seed->data + 1,
						    .raw_len = raw_len,
						    .config = FORMAT_NR };
	pd_cursor_init(&c, seed->data + 1 + raw_len, len - 1 - raw_len, 0,
		       "tracing data");
	assert_int_equal(rpt_tracepoints_new(&seed->tps, &c, &err), 0);
	seed->text = malloc(sizeof(*seed->text));
	assert_non_null(seed->text);
	rpt_text_init(seed->text, stdout);
}

static void seed_close(struct seed *seed)
{
	rpt_tracepoints_free(seed->tps);
	free(seed->text);
}

/* What the seed's record prints as, with raw[at] set to byte first. */
static void assert_prints(const char *name, size_t at, uint8_t byte,
			  const char *want)
{
	struct seed seed;

	seed_open(&seed, name);
	rpt_tracepoint_print(seed.tps, &seed.rec, seed.text);
	seed.text->len = 0;
	seed.data[1 + at] = byte; /* not what was kept */
	rpt_tracepoint_print(seed.tps, &seed.rec, seed.text);
	assert_int_equal(seed.text->len, strlen(want));
	assert_memory_equal(seed.text->data, want, strlen(want));
	/* now it is */
	rpt_tracepoint_print(seed.tps, &seed.rec, seed.text);
	assert_int_equal(seed.text->len, 2 * strlen(want));
	seed_close(&seed);
}

static void test_tracepoint__prints_by_the_format(void **state)
{
	(void)state;
	assert_prints("number", 8, 1, "nr=1 one");
	assert_prints("text", 12, 'X', "name=Xbcd");
	assert_prints("array", 12, 0x30, "30 78 79 7a");
	assert_prints("tab", 8, 6, "nr\t6,\t6");
}

/* Nothing, in no time, where the format asks for gigabytes. */
static void test_tracepoint__makes_no_end_of_blanks(void **state)
{
	(void)state;
	assert_prints("width_that_is_sound", 8, 1, "    1|001|1   |  1|");
	assert_prints("width_of_argument", 8, 1, "");
	assert_prints("width_in_format", 8, 1, "");
}

/* The length of a dynamic array in bytes, taken for a number of elements.
 * libtraceevent 1.8 writes them as the kernel does, "{0x0,0x0}". */
static void test_tracepoint__has_room_for_a_long_array(void **state)
{
	static uint8_t raw[60000] = { FORMAT_NR };
	static const uint8_t loc[] = { 12, 0, 20000 & 0xff, 20000 >> 8 };
	const char *const element = "0x0,";
	struct seed seed;

	(void)state;
	seed_open(&seed, "ints_of_length");
	memcpy(raw + 8, loc, sizeof(loc));
	seed.rec.raw = raw;
	seed.rec.raw_len = sizeof(raw);
	rpt_tracepoint_print(seed.tps, &seed.rec, seed.text);
	if (seed.text->data[0] == '{') {
		assert_int_equal(seed.text->len, 4 * 20000 + 1);
		for (size_t i = 1; i + 1 < seed.text->len; i++)
			assert_int_equal(seed.text->data[i],
					 element[(i - 1) % 4]);
	} else {
		assert_int_equal(seed.text->len, 2 * 20000 - 1);
		for (size_t i = 0; i < seed.text->len; i++)
			assert_int_equal(seed.text->data[i], i % 2 ? ' ' : '0');
	}
	seed_close(&seed);
}

/* A timeline on which the kernel has the function "prog" at
 * 0xffffffffc0001000. */
static struct rpt_timeline *kernel_with_function(struct rpt_symbols *symbols)
{
	const struct pd_event_set no_events = { .sample_id_off = -1 };
	struct rpt_timeline *tl = rpt_timeline_new(symbols);
	struct pd_body body = { .type = PD_RECORD_KSYMBOL };
	struct pd_buf b = { 0 };
	struct pd_record rec;
	size_t start;

	assert_non_null(tl);
	body.u.ksymbol = (struct pd_ksymbol){ .addr = 0xffffffffc0001000,
					      .sym_len = 0x100,
					      .name = { "prog", 4 } };
	start = pd_record_begin(&b, body.type, PD_CPUMODE_KERNEL);
	pd_body_write_fields(&b, &body);
	pd_record_end(&b, start);
	assert_int_equal(pd_record_read(b.data, b.len, 0, false, &rec, NULL),
			 0);
	rpt_timeline_add(tl, &no_events, &rec);
	rpt_timeline_finish(tl);
	pd_buf_release(&b);
	return tl;
}

/* The same bytes print as what the kernel has there at the time. */
static void test_tracepoint__names_functions(void **state)
{
	static const struct rpt_symbols_conf conf = {
		.symfs = "/nowhere",
		.kallsyms = "/nowhere/kallsyms",
	};
	static const char want[] = "at=0xffffffffc0001010"
				   "at=prog+0x10"
				   "at=0xffffffffc0001010";
	struct rpt_symbols *symbols = rpt_symbols_new(&conf);
	struct rpt_timeline *tl = kernel_with_function(symbols);
	struct rpt_kernel_symbols kernel = { .timeline = tl,
					     .when = { 1, 1 },
					     .kernel_version = 1 };
	struct seed seed;

	(void)state;
	seed_open(&seed, "function");
	rpt_tracepoint_print(seed.tps, &seed.rec, seed.text);
	seed.rec.kernel = &kernel;
	rpt_tracepoint_print(seed.tps, &seed.rec, seed.text);
	seed.rec.kernel = NULL;
	rpt_tracepoint_print(seed.tps, &seed.rec, seed.text);
	assert_int_equal(seed.text->len, strlen(want));
	assert_memory_equal(seed.text->data, want, strlen(want));
	seed_close(&seed);
	rpt_timeline_free(tl);
	rpt_symbols_free(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tracepoint__prints_by_the_format),
		cmocka_unit_test(test_tracepoint__makes_no_end_of_blanks),
		cmocka_unit_test(test_tracepoint__has_room_for_a_long_array),
		cmocka_unit_test(test_tracepoint__names_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
