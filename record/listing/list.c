/* list.c: print the rows that fit. */
#include "record/listing/list.h"

#include "format/support/json_string.h"
#include "record/listing/list_rows.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

/* Rows as JSON, by the keys of perf list -j of Linux 6.12. */

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

/* Print a row as perf list -j does, with "Missing" if this machine lacks it;
 * nr rows were printed before. */
static void list_print_json(const struct rec_list_row *row,
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

struct listing {
	const struct rec_list_conf *conf;
	FILE *out;
	bool missing; /* the second try: also what this machine lacks */
	size_t nr;    /* printed */
	size_t missing_nr;
	struct rec_list_pmus pmus; /* those of vendors' names, when needed */
	struct pd_err *note;
};

static bool is_word_of(const char *word, enum rec_list_kind kind)
{
	const struct rec_list_kind_text *text = &rec_list_kinds[kind];

	return (text->word && !strcmp(word, text->word)) ||
	       (text->other && !strcmp(word, text->other));
}

static bool is_kind_word(const char *word)
{
	for (int kind = 0; kind < REC_LIST_KIND_NR; kind++)
		if (is_word_of(word, (enum rec_list_kind)kind))
			return true;
	return false;
}

static bool name_fits(const char *name, const char *word)
{
	if (!name)
		return false;
	if (strpbrk(word, "*?["))
		return fnmatch(word, name, FNM_CASEFOLD) == 0;
	return strcasestr(name, word) != NULL;
}

/* Return true if the word of a filter can fit rows of that kind. */
static bool kind_fits(const char *word, enum rec_list_kind kind)
{
	return !is_kind_word(word) || is_word_of(word, kind);
}

static bool row_fits(const struct listing *l, enum rec_list_kind kind,
		     const struct rec_list_row *row)
{
	if (l->conf->word_nr == 0)
		return true;
	for (size_t i = 0; i < l->conf->word_nr; i++) {
		const char *word = l->conf->words[i];

		if (is_kind_word(word) ? is_word_of(word, kind)
				       : name_fits(row->name, word) ||
						 name_fits(row->alias, word))
			return true;
	}
	return false;
}

/* Vendors' names and metrics have their text in lines below, as perf's. */
static bool is_titled(enum rec_list_kind kind)
{
	return kind == REC_LIST_VENDOR || kind == REC_LIST_METRIC ||
	       kind == REC_LIST_METRIC_GROUP;
}

static void print_name(const struct listing *l, enum rec_list_kind kind,
		       const struct rec_list_row *row)
{
	char line[512];

	if (is_titled(kind)) {
		fprintf(l->out, "  %s%s\n", row->name,
			row->is_missing ? " [not on this machine]" : "");
		return;
	}
	snprintf(line, sizeof(line), "%s%s%s", row->name,
		 row->alias ? " OR " : "", row->alias ? row->alias : "");
	fprintf(l->out, "  %-50s [%s%s]\n", line, rec_list_kinds[kind].title,
		row->is_missing ? ", not on this machine" : "");
}

static void print_details(const struct listing *l,
			  const struct rec_list_row *row)
{
	const struct rec_metric *m = row->metric;

	if (row->encoding)
		fprintf(l->out, "        %s\n", row->encoding);
	if (!m)
		return;
	fprintf(l->out, "       [%s%s%s]\n", m->formula, m->unit[0] ? ", " : "",
		m->unit);
	fprintf(l->out, "        -e '%s'\n", m->events);
	fprintf(l->out, "       [source: %s]\n", m->source);
}

static void print_row(struct listing *l, enum rec_list_kind kind,
		      struct rec_list_row *row)
{
	/* Only now: a CPU has thousands of names. */
	if (kind == REC_LIST_VENDOR && l->pmus.nr)
		row->encoding = rec_list_vendor_encoding(&l->pmus, row->name);
	if (l->conf->json) {
		list_print_json(row, kind, l->nr, l->out);
		return;
	}
	if (l->conf->raw) {
		fprintf(l->out, "%s ", row->name);
		return;
	}
	print_name(l, kind, row);
	if (row->text && row->text[0] && !l->conf->no_text)
		fprintf(l->out, "       [%s]\n", row->text);
	if (l->conf->details)
		print_details(l, row);
}

static void print_heading(const struct listing *l, enum rec_list_kind kind,
			  const struct rec_list_row *row)
{
	const char *blank = l->nr ? "\n" : "";

	if (l->conf->json || l->conf->raw)
		return;
	if (kind == REC_LIST_METRIC)
		fprintf(l->out, "%sMetrics:\n\n", blank);
	else if (kind == REC_LIST_METRIC_GROUP)
		fprintf(l->out, "%sMetric Groups:\n\n", blank);
	else if (kind == REC_LIST_VENDOR)
		fprintf(l->out, "%s%s:\n", blank, row->unit);
}

static int print_kind(struct listing *l, enum rec_list_kind kind)
{
	struct rec_list_rows rows = { .nr = 0 };
	bool any = l->conf->word_nr == 0;
	bool is_pattern = kind == REC_LIST_RAW || kind == REC_LIST_BREAKPOINT;
	const char *unit = NULL;
	size_t nr = 0;
	int rc;

	for (size_t i = 0; i < l->conf->word_nr; i++)
		any |= kind_fits(l->conf->words[i], kind);
	if (!any || (is_pattern && l->conf->raw))
		return 0;
	rc = rec_list_collect(&rows, kind, l->conf, l->note);
	if (!rc && kind == REC_LIST_VENDOR && rows.nr &&
	    (l->conf->details || l->conf->json))
		rc = rec_list_pmus_init(&l->pmus, l->conf->sysfs);
	for (size_t i = 0; i < rows.nr && !rc; i++) {
		if (!row_fits(l, kind, &rows.at[i]))
			continue;
		if (rows.at[i].is_missing && !l->missing) {
			l->missing_nr++;
			continue;
		}
		if (nr++ == 0 || (kind == REC_LIST_VENDOR &&
				  strcmp(unit, rows.at[i].unit) != 0))
			print_heading(l, kind, &rows.at[i]);
		unit = rows.at[i].unit;
		print_row(l, kind, &rows.at[i]);
		l->nr++;
	}
	rec_list_pmus_release(&l->pmus);
	rec_list_rows_release(&rows);
	return rc;
}

static int print_kinds(struct listing *l)
{
	int rc = 0;

	for (int kind = 0; kind < REC_LIST_KIND_NR && !rc; kind++)
		rc = print_kind(l, (enum rec_list_kind)kind);
	return rc;
}

int rec_list_print(const struct rec_list_conf *conf, FILE *out,
		   struct pd_err *note)
{
	struct listing l = { .conf = conf,
			     .out = out,
			     .missing = conf->all || conf->json,
			     .note = note };
	int rc;

	if (conf->json)
		fputs("[\n", out);
	rc = print_kinds(&l);
	/* An event that was asked for by name is shown even if it is
	 * missing. */
	if (!rc && l.nr == 0 && l.missing_nr) {
		l.missing = true;
		l.missing_nr = 0;
		rc = print_kinds(&l);
	}
	if (conf->json)
		fputs(l.nr ? "\n]\n" : "]\n", out);
	else if (!rc && l.missing_nr && !conf->quiet && !conf->raw)
		fprintf(out,
			"\n%zu more need counters that this machine lacks "
			"(--all)\n",
			l.missing_nr);
	return rc ? rc : l.nr ? 0 : -ENOENT;
}
