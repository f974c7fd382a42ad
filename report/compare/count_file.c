#include "report/compare/count_file.h"

#include "report/base/memory.h"
#include "report/base/whole_file.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FILE_LEN_MAX (64u << 20)

void rpt_count_table_release(struct rpt_count_table *table)
{
	for (uint32_t i = 0; i < table->names.nr; i++) {
		for (int side = 0; side < RPT_COUNT_SIDES; side++)
			free(table->rows[i].sides[side].values);
		free(table->rows[i].unit);
	}
	free(table->rows);
	rpt_intern_release(&table->names);
	*table = (struct rpt_count_table){ .cap = 0 };
}

static const char *text_of(const json_t *line, const char *key)
{
	const char *text = json_string_value(json_object_get(line, key));

	return text ? text : "";
}

/* Return the row of that name, made the first time. */
static struct rpt_count_row *row_of(struct rpt_count_table *table,
				    const char *name, const char *unit)
{
	uint32_t known_nr = table->names.nr;
	uint32_t idx = (uint32_t)rpt_intern(&table->names, name, strlen(name));

	table->rows = rpt_grow(table->rows, &table->cap, known_nr,
			       sizeof(*table->rows));
	if (idx == known_nr)
		table->rows[idx] = (struct rpt_count_row){
			.name = rpt_intern_key(&table->names, idx),
			.unit = rpt_alloc_text(unit, strlen(unit)),
		};
	return &table->rows[idx];
}

static void add_value(struct rpt_count_runs *runs, double value)
{
	if (!isfinite(value))
		return;
	runs->values = rpt_grow(runs->values, &runs->cap, runs->nr,
				sizeof(*runs->values));
	runs->values[runs->nr++] = value;
}

/* Add the values of a line: those of its runs, or its only one, a number in
 * quotes, as perf writes it. */
static void add_runs(struct rpt_count_runs *runs, const json_t *line)
{
	const json_t *list = json_object_get(line, "runs");
	const json_t *drift = json_object_get(line, "drift");
	const json_t *elapsed = json_object_get(line, "elapsed");
	const char *text = text_of(line, "counter-value");
	const json_t *value;
	char *end;
	size_t i;

	json_array_foreach(list, i, value) if (json_is_number(value))
		add_value(runs, json_number_value(value));
	if (!json_is_array(list) && json_is_number(elapsed)) {
		add_value(runs, json_number_value(elapsed));
	} else if (!json_is_array(list)) {
		double number = strtod(text, &end);

		if (end != text && !*end)
			add_value(runs, number);
	}
	runs->is_refused |= *text == '<';
	if (json_is_number(drift)) {
		runs->has_drift = true;
		runs->drift_pct = json_number_value(drift);
	}
}

/* Return "CPU1 page-faults", "S0-D0-C1 page-faults", "page-faults web" (of a
 * control group), or only the event; the caller frees it. */
static char *name_of(const json_t *line)
{
	static const char *const groups[] = { "cpu",	"core", "die",
					      "socket", "node", "thread" };
	const char *group = "", *cgroup = text_of(line, "cgroup");
	char *name;

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]) && !*group;
	     i++)
		group = text_of(line, groups[i]);
	if (asprintf(&name, "%s%s%s%s%s%s",
		     json_object_get(line, "cpu") ? "CPU" : "", group,
		     *group ? " " : "", text_of(line, "event"),
		     *cgroup ? " " : "", cgroup) < 0)
		abort();
	return name;
}

static int add_line(struct rpt_count_table *table, const json_t *line,
		    enum rpt_count_side side, struct pd_err *err)
{
	char *name;

	if (json_object_get(line, "interval"))
		return pd_err_set(err, -EINVAL,
				  "it was written with -I: intervals are no "
				  "runs (stat -r 10 -j -o FILE)");
	if (json_is_number(json_object_get(line, "elapsed"))) {
		add_runs(&row_of(table, "elapsed", "s")->sides[side], line);
		return 0;
	}
	if (!*text_of(line, "event") || !json_object_get(line, "counter-value"))
		return 0;
	name = name_of(line);
	add_runs(&row_of(table, name, text_of(line, "unit"))->sides[side],
		 line);
	free(name);
	return 0;
}

/* Take note of a line "# started on Fri Nov 27 19:18:36 2026". */
static void add_start(struct rpt_count_span *span, const char *line, size_t len)
{
	struct tm tm = { .tm_isdst = -1 };
	char text[64];
	int64_t start_s;

	snprintf(text, sizeof(text), "%.*s",
		 (int)(len < sizeof(text) ? len : sizeof(text)), line);
	if (!strptime(text, "# started on %a %b %d %H:%M:%S %Y", &tm))
		return;
	tm.tm_isdst = -1;
	start_s = mktime(&tm);
	if (!span->first_s || start_s < span->first_s)
		span->first_s = start_s;
	if (start_s > span->last_s)
		span->last_s = start_s;
}

static int add_lines(struct rpt_count_table *table, const char *text,
		     size_t len, enum rpt_count_side side, struct pd_err *err)
{
	const char *end = text + len;
	unsigned line_nr = 0;
	int rc = 0;

	while (!rc && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t line_len = (size_t)((stop ? stop : end) - text);
		json_t *line = NULL;

		line_nr++;
		if (line_len && *text == '#')
			add_start(&table->spans[side], text, line_len);
		else if (line_len) {
			line = json_loadb(text, line_len, 0, NULL);
			rc = json_is_object(line)
				     ? add_line(table, line, side, err)
				     : pd_err_set(err, -EBADMSG,
						  "line %u is no JSON object: "
						  "stat -j writes such lines",
						  line_nr);
			json_decref(line);
		}
		text += line_len + 1;
	}
	return rc;
}

int rpt_count_table_read(struct rpt_count_table *table, const char *path,
			 enum rpt_count_side side, struct pd_err *err)
{
	size_t len;
	char *text = rpt_whole_file(path, FILE_LEN_MAX, &len, err);
	uint32_t had_nr = table->names.nr;
	int rc;

	if (!text)
		return -EINVAL;
	rc = add_lines(table, text, len, side, err);
	free(text);
	if (!rc && side == RPT_COUNT_OLD && table->names.nr == had_nr)
		rc = pd_err_set(err, -ENODATA, "it has no counts");
	return rc;
}
