/* list_json.c: rows as JSON, by the keys of perf list -j of Linux 6.12. */
#include "record/listing/list_rows.h"

#include "format/support/json_string.h"

static void put(FILE *out, const char *key, const char *text, bool *is_first)
{
	if (!text)
		return;
	fprintf(out, "%s\n\t\"%s\": ", *is_first ? "" : ",", key);
	sup_json_print(out, text);
	*is_first = false;
}

static void put_metric(FILE *out, const struct rec_metric *m, bool *is_first)
{
	put(out, "MetricGroup", m->group, is_first);
	put(out, "MetricName", m->name, is_first);
	put(out, "MetricExpr", m->formula, is_first);
	put(out, "MetricEvents", m->events, is_first);
	put(out, "ScaleUnit", m->unit, is_first);
	put(out, "Source", m->source, is_first);
}

void rec_list_print_json(const struct rec_list_row *row,
			 enum rec_list_kind kind, size_t nr, FILE *out)
{
	bool is_first = true;

	fputs(nr ? ",\n{" : "{", out);
	put(out, "Unit", row->unit, &is_first);
	if (row->metric) {
		put_metric(out, row->metric, &is_first);
	} else if (kind == REC_LIST_METRIC_GROUP) {
		put(out, "MetricGroup", row->name, &is_first);
	} else {
		put(out, "EventName", row->name, &is_first);
		put(out, "EventAlias", row->alias, &is_first);
		put(out, "EventType", rec_list_kinds[kind].title, &is_first);
		put(out, "Encoding", row->encoding, &is_first);
	}
	put(out, "BriefDescription", row->text, &is_first);
	if (row->is_missing)
		put(out, "Missing", "this machine does not count it",
		    &is_first);
	fputs("\n}", out);
}
