#include "report/fleet/fleet_facts.h"

#include "report/base/memory.h"
#include "report/fleet/fleet_slices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void add_fact(struct rpt_fleet_facts *facts, const char *label,
		     char *text)
{
	facts->items = rpt_grow(facts->items, &facts->cap, facts->nr,
				sizeof(*facts->items));
	facts->items[facts->nr++] = (struct rpt_page_fact){ label, text };
}

/* Return the terms, with commas between them; the caller frees them. */
static char *terms_text(const struct rpt_fleet_terms *terms)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	for (size_t i = 0; i < terms->nr; i++)
		fprintf(out, "%s%s", i ? ", " : "", terms->items[i]);
	fclose(out);
	return text;
}

static void add_terms(struct rpt_fleet_facts *facts, const char *label,
		      const struct rpt_fleet_terms *terms)
{
	if (terms->nr)
		add_fact(facts, label, terms_text(terms));
}

static void add_time(struct rpt_fleet_facts *facts, const char *label,
		     int64_t s)
{
	time_t t = s;
	struct tm tm;
	char text[64];

	if (s < 0 || !gmtime_r(&t, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		return;
	add_fact(facts, label, rpt_alloc_text(text, strlen(text)));
}

static void add_number(struct rpt_fleet_facts *facts, const char *label,
		       uint64_t nr)
{
	char *text;

	if (asprintf(&text, "%" PRIu64, nr) < 0)
		abort();
	add_fact(facts, label, text);
}

/* Add the hosts of a diff, and their samples.  A sample may be on both sides.
 */
static void add_sides(struct rpt_fleet_facts *facts,
		      const struct rpt_fleet_load *load)
{
	double nr[RPT_FLEET_SIDES] = { 0.0, 0.0 };
	char *text;

	if (asprintf(&text, "%" PRIu32 " old, %" PRIu32 " new",
		     load->hosts[RPT_FLEET_OLD].nr,
		     load->hosts[RPT_FLEET_NEW].nr) < 0)
		abort();
	add_fact(facts, "hosts", text);
	for (int s = 0; s < RPT_FLEET_SIDES; s++)
		for (uint32_t h = 0; h < load->hosts[s].nr; h++)
			for (size_t e = 0; e < load->runs[s][h].event_nr; e++)
				nr[s] += load->runs[s][h].events[e].total.nr;
	if (asprintf(&text, "%.0f old, %.0f new", nr[RPT_FLEET_OLD],
		     nr[RPT_FLEET_NEW]) < 0)
		abort();
	add_fact(facts, "samples", text);
}

/* Return the sum of a column. */
static uint64_t sum_of(const struct rpt_fleet_answer *slices, size_t column)
{
	double sum = rpt_fleet_sum(slices, column);

	return sum < 18e18 ? (uint64_t)sum : 0;
}

static void add_hosts(struct rpt_fleet_facts *facts,
		      const struct rpt_fleet_answer *slices,
		      const struct rpt_fleet_load *load)
{
	for (size_t r = 0; r < slices->row_nr; r++)
		facts->host_nr += rpt_fleet_slices_are_asked(slices, r);
	facts->lost_nr = sum_of(slices, RPT_FLEET_SLICES_ASKED_LOST);
	if (load) {
		add_sides(facts, load);
	} else {
		add_number(facts, "hosts", facts->host_nr);
		add_number(facts, "samples",
			   sum_of(slices, RPT_FLEET_SLICES_NUMBER));
	}
	add_number(facts, "samples lost", facts->lost_nr);
	add_number(facts, "slices", sum_of(slices, RPT_FLEET_SLICES_ASKED));
	add_number(facts, "damaged slices",
		   sum_of(slices, RPT_FLEET_SLICES_ASKED_DAMAGED));
}

static char *title_of(const struct rpt_fleet_args *args)
{
	char *where = terms_text(&args->where), *old = terms_text(&args->old);
	char *new = terms_text(&args->new), *title;
	const char *comma = *where ? ", " : "", *colon = *where ? ": " : "";
	int len;

	if (args->question == RPT_FLEET_DIFF)
		len = asprintf(&title, "%s \xe2\x86\x92 %s%s%s", old, new,
			       comma, where);
	else
		len = asprintf(&title, "fleet top%s%s", colon, where);
	if (len < 0)
		abort();
	free(where);
	free(old);
	free(new);
	return title;
}

void rpt_fleet_facts_make(struct rpt_fleet_facts *facts,
			  const struct rpt_fleet_scope *scope,
			  const struct rpt_fleet_load *load)
{
	const struct rpt_fleet_args *args = scope->args;

	*facts = (struct rpt_fleet_facts){ .title = title_of(args) };
	add_terms(facts, "old side", &args->old);
	add_terms(facts, "new side", &args->new);
	add_terms(facts, "only samples of", &args->where);
	add_time(facts, "from", args->from_s);
	add_time(facts, "to", args->to_s);
	add_hosts(facts, scope->slices, load);
}

void rpt_fleet_facts_release(struct rpt_fleet_facts *facts)
{
	for (uint32_t i = 0; i < facts->nr; i++)
		free((char *)(uintptr_t)facts->items[i].text);
	free(facts->items);
	free(facts->title);
	*facts = (struct rpt_fleet_facts){ .nr = 0 };
}
