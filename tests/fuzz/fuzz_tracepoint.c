/* fuzz_tracepoint.c: any formats, and any bytes printed by them.
 *
 * Input: one byte, the length of a record's raw bytes; these, whose first two
 * are the format's number; the payload of a TRACING_DATA section. */
#include "report/events/tracepoint.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* libtraceevent loses parts of a format that it gives up on. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent\n";
}

static void print(struct rpt_tracepoints *tps, const uint8_t *raw,
		  uint32_t raw_len, FILE *null)
{
	struct rpt_tracepoint_record rec = { .raw = raw, .raw_len = raw_len };
	struct rpt_text *text = malloc(sizeof(*text));
	char name[64];

	if (!text)
		return;
	rpt_text_init(text, null);
	if (raw_len >= 2)
		rec.config = raw[0] | (uint64_t)raw[1] << 8;
	rpt_tracepoint_name(tps, rec.config, name, sizeof(name));
	/* the second time out of what was kept: the same text */
	rpt_tracepoint_print(tps, &rec, text);
	if (text->len < RPT_TEXT_LEN / 2) {
		size_t first_len = text->len;

		rpt_tracepoint_print(tps, &rec, text);
		if (text->len != 2 * first_len ||
		    memcmp(text->data, text->data + first_len, first_len) != 0)
			abort();
	}
	rpt_text_flush(text);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static FILE *null;
	struct rpt_tracepoints *tps = NULL;
	struct pd_err err = PD_ERR_INIT;
	uint32_t raw_len = len ? data[0] : 0;
	uint8_t *raw;
	struct pd_cursor c;

	if (!null)
		null = fopen("/dev/null", "w");
	if (!null || len < 1 + (size_t)raw_len)
		return 0;
	raw = malloc(raw_len ? raw_len : 1);
	if (!raw)
		return 0;
	memcpy(raw, data + 1, raw_len);
	pd_cursor_init(&c, data + 1 + raw_len, len - 1 - raw_len, 0,
		       "tracing data");
	rpt_tracepoints_new(&tps, &c, &err);
	if (tps)
		print(tps, raw, raw_len, null);
	rpt_tracepoints_free(tps);
	free(raw);
	return 0;
}
