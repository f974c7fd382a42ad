/* fuzz_user_text.c: what a user types, into the parser of it: the first byte
 * says which; filters and events have targets of their own.  An error has a
 * text. */
#include "format/support/options.h"
#include "report/columns/columns.h"
#include "report/script/script_fields.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static int parse_columns(const char *text, struct pd_err *err)
{
	struct rpt_columns columns = { .nr = 0 };
	struct rpt_sort_keys keys = { 0 };
	int rc = rpt_columns_parse(&columns, text, "--sort key", err);

	must(columns.nr <= RPT_KEYS_MAX);
	rpt_columns_keys(&columns, &keys);
	return rc;
}

static int parse_script_fields(const char *text, struct pd_err *err)
{
	struct rpt_script_fields fields;

	rpt_script_fields_init(&fields);
	return rpt_script_fields_parse(&fields, text, err);
}

static int parse_units(const char *text, struct pd_err *err)
{
	uint64_t value;
	int rc = sup_parse_size(text, &value);

	must(rc == 0 || rc == -EINVAL || rc == -ERANGE);
	rc = sup_parse_duration(text, &value);
	must(rc == 0 || rc == -EINVAL || rc == -ERANGE);
	(void)err;
	return 0;
}

static int (*const parsers[])(const char *text, struct pd_err *err) = {
	parse_columns,
	parse_script_fields,
	parse_units,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pd_err err = PD_ERR_INIT;
	char *text;
	int rc;

	if (!len)
		return 0;
	text = malloc(len);
	if (!text)
		return 0;
	memcpy(text, data + 1, len - 1);
	text[len - 1] = '\0';
	rc = parsers[data[0] % (sizeof(parsers) / sizeof(parsers[0]))](text,
								       &err);
	must(rc == 0 || (rc < 0 && err.text[0]));
	free(text);
	return 0;
}
