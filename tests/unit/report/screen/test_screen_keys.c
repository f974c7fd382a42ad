#include "report/screen/screen_keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT(text) (const uint8_t *)(text), strlen(text)

static void sequences_are_keys(void **state)
{
	static const struct {
		const char *bytes;
		int key;
	} cases[] = {
		{ "a", 'a' },
		{ "\r", RPT_KEY_ENTER },
		{ "\n", RPT_KEY_ENTER },
		{ "\b", RPT_KEY_DELETE },
		{ "\x7f", RPT_KEY_DELETE },
		{ "\t", RPT_KEY_TAB },
		{ "\33[A", RPT_KEY_UP },
		{ "\33OB", RPT_KEY_DOWN },
		{ "\33[C", RPT_KEY_RIGHT },
		{ "\33[1;5D", RPT_KEY_LEFT },
		{ "\33[5~", RPT_KEY_PAGE_UP },
		{ "\33[6;2~", RPT_KEY_PAGE_DOWN },
		{ "\33[H", RPT_KEY_HOME },
		{ "\33[1~", RPT_KEY_HOME },
		{ "\33[1;2~", RPT_KEY_HOME },
		{ "\33[4~", RPT_KEY_END },
		{ "\33OF", RPT_KEY_END },
		{ "\33[Z", RPT_KEY_BACK_TAB },
		{ "\33OP", RPT_KEY_F1 },
		{ "\33[[A", RPT_KEY_F1 },
		{ "\33[11~", RPT_KEY_F1 },
		{ "\33[200~", RPT_KEY_OTHER },
		{ "\33[<0;12;3M", RPT_KEY_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rpt_key_reader reader = { .len = 0 };

		rpt_key_reader_add(&reader, TEXT(cases[i].bytes));
		assert_int_equal(rpt_key_reader_next(&reader, false),
				 cases[i].key);
		assert_int_equal(rpt_key_reader_next(&reader, true),
				 RPT_KEY_NONE);
	}
}

static void bytes_may_come_one_by_one(void **state)
{
	static const char bytes[] = "\33[1;5Ax\33";
	struct rpt_key_reader reader = { .len = 0 };
	int keys[4], nr = 0;

	(void)state;
	for (size_t i = 0; i < strlen(bytes); i++) {
		int key;

		rpt_key_reader_add(&reader, (const uint8_t *)bytes + i, 1);
		key = rpt_key_reader_next(&reader, false);
		if (key != RPT_KEY_NONE)
			keys[nr++] = key;
	}
	assert_int_equal(nr, 2);
	assert_int_equal(keys[0], RPT_KEY_UP);
	assert_int_equal(keys[1], 'x');
	assert_int_equal(rpt_key_reader_next(&reader, true), RPT_KEY_ESC);
}

/* Whatever comes, each byte is used up at some time. */
static void any_bytes_end(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct rpt_key_reader reader = { .len = 0 };
		uint8_t bytes[RPT_KEY_READER_LEN + 8];
		uint32_t nr = 0;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] =
				seed >> 30
					? (uint8_t)(seed >> 16)
					: (uint8_t) "\33[O;1~"[seed >> 8 & 3];
		}
		rpt_key_reader_add(&reader, bytes, sizeof(bytes));
		rpt_key_reader_add(&reader, bytes, sizeof(bytes)); /* no room */
		assert_int_equal(reader.len, RPT_KEY_READER_LEN);
		while (rpt_key_reader_next(&reader, true) != RPT_KEY_NONE)
			assert_true(++nr <= RPT_KEY_READER_LEN);
		assert_int_equal(reader.len, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequences_are_keys),
		cmocka_unit_test(bytes_may_come_one_by_one),
		cmocka_unit_test(any_bytes_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
