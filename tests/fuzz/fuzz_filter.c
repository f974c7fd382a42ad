/* fuzz_filter.c: any text behind --time, --pid and -S, one a line.
 *
 * Beyond memory errors: an error has a text, slices end where they start or
 * later, whatever the times of the recording, and questions are answered.
 */
#include "report/events/filter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void try_times(const char *text)
{
	static const uint64_t bounds[][2] = {
		{ 1, 1 }, { 1000, 2000 }, { 1, UINT64_MAX }, { 0, UINT64_MAX }
	};

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		struct pd_err err = PD_ERR_INIT;
		struct rpt_time_ranges ranges = { 0 };

		if (rpt_time_ranges_parse(&ranges, text, &err)) {
			assert(err.code < 0 && err.text[0] && !ranges.nr);
			return;
		}
		assert(ranges.nr);
		rpt_time_ranges_resolve_at(&ranges, i % 2, bounds[i][0],
					   bounds[i][1]);
		for (size_t k = 0; k < ranges.nr; k++)
			assert(ranges.items[k].start_ns <=
			       ranges.items[k].end_ns);
		rpt_time_ranges_hold(&ranges, 1500);
		rpt_time_ranges_release(&ranges);
	}
}

static void try_filter(const struct rpt_filter_args *args)
{
	const struct rpt_filtered_task task = { 1, 2, NULL, NULL };
	struct pd_err err = PD_ERR_INIT;
	struct rpt_filter filter;

	if (rpt_filter_parse(&filter, args, &err)) {
		assert(err.code < 0 && err.text[0]);
	} else {
		rpt_filter_time(&filter, 1, 1);
		rpt_filter_task(&filter, &task);
		rpt_filter_place(&filter, NULL, "main", 3);
	}
	rpt_filter_release(&filter);
}

static bool names_a_file(const char *text)
{
	return strstr(text, "file://") != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = malloc(len + 1), *rest = text, *lines[3];

	if (!text)
		return 0;
	if (len)
		memcpy(text, data, len);
	text[len] = '\0';
	for (size_t i = 0; i < 3; i++) {
		char *line = strsep(&rest, "\n");

		lines[i] = line ? line : text + len;
	}
	try_times(lines[0]);
	if (!names_a_file(lines[2])) {
		struct rpt_filter_args args = { .times = lines[0],
						.pids = lines[1],
						.symbols = lines[2] };

		try_filter(&args);
	}
	free(text);
	return 0;
}
