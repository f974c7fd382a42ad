/* fuzz_fleet_answer.c: parses the input as the answer of a database's client;
 * the first byte says how many columns were asked for. */
#include "report/fleet/fleet_client.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_fleet_answer answer;
	char *text;
	int rc;

	if (!len)
		return 0;
	text = malloc(len);
	assert(text);
	memcpy(text, data + 1, len - 1);
	text[len - 1] = '\0';
	rc = rpt_fleet_answer_parse(&answer, text, 1 + data[0] % 12, "client",
				    &err);
	assert(!rc == !err.text[0]);
	for (size_t r = 0; r < answer.row_nr && !rc; r++)
		for (size_t c = 0; c < answer.column_nr; c++) {
			const char *field = rpt_fleet_field(&answer, r, c);

			assert(field >= text &&
			       field + strlen(field) < text + len);
			(void)rpt_fleet_number(&answer, r, c);
		}
	rpt_fleet_answer_release(&answer);
	return 0;
}
