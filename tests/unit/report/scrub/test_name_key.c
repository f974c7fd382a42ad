#include "report/scrub/name_key.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64];

static void write_key(size_t len)
{
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/test_name_key.%d", (int)getpid());
	file = fopen(path, "w");
	assert_non_null(file);
	for (size_t i = 0; i < len; i++)
		fputc('k', file);
	assert_int_equal(fclose(file), 0);
}

/* The example of the paper: key 00 01 ... 0f, text 00 01 ... 0e. */
static void test_name_key__is_siphash(void **state)
{
	struct rpt_name_key key;
	uint8_t bytes[16];

	(void)state;
	for (uint8_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	rpt_name_key_set(&key, bytes);
	assert_true(rpt_name_key_hash(&key, bytes, 15) ==
		    UINT64_C(0xa129ca6149be45e5));
}

static void test_name_key__hides_by_its_key(void **state)
{
	struct rpt_name_key a, b;
	struct pd_buf first = PD_BUF_INIT, second = PD_BUF_INIT;
	const struct pd_str name = { "secret", 6 };

	(void)state;
	assert_int_equal(rpt_name_key_draw(&a, NULL), 0);
	assert_int_equal(rpt_name_key_draw(&b, NULL), 0);
	rpt_name_key_hide(&a, name, &first);
	assert_int_equal(first.len, RPT_HIDDEN_LEN);
	assert_int_equal(first.data[0], 'x');
	rpt_name_key_hide(&a, name, &second);
	assert_memory_equal(first.data, second.data, RPT_HIDDEN_LEN);
	pd_buf_reset(&second);
	rpt_name_key_hide(&b, name, &second);
	assert_memory_not_equal(first.data, second.data, RPT_HIDDEN_LEN);
	pd_buf_release(&first);
	pd_buf_release(&second);
}

static void test_name_key__is_made_of_a_file(void **state)
{
	struct rpt_name_key a, b;
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	write_key(16);
	assert_int_equal(rpt_name_key_read(&a, path, &err), 0);
	assert_int_equal(rpt_name_key_read(&b, path, &err), 0);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_true(a.words[0] != a.words[1]);
	write_key(15);
	assert_int_equal(rpt_name_key_read(&a, path, &err), -EINVAL);
	unlink(path);
	err = (struct pd_err)PD_ERR_INIT;
	assert_int_equal(rpt_name_key_read(&a, path, &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name_key__is_siphash),
		cmocka_unit_test(test_name_key__hides_by_its_key),
		cmocka_unit_test(test_name_key__is_made_of_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
