#include "report/fleet/fleet_sides.h"

#include "report/base/memory.h"
#include "report/fleet/fleet_client.h"

#include "format/support/message.h"

#include <errno.h>
#include <string.h>

uint32_t rpt_fleet_find_event(const struct rpt_event_match *events,
			      const char *name)
{
	int64_t text = rpt_intern_find(&events->texts, name, strlen(name));

	for (uint32_t i = 0; i < events->nr; i++)
		if (events->items[i].name == text)
			return i;
	return UINT32_MAX;
}

/* Return the number of an event, a new one at its first time. */
static uint32_t event_number(struct rpt_event_match *events, const char *name)
{
	uint32_t found = rpt_fleet_find_event(events, name);
	uint32_t text;

	if (found != UINT32_MAX)
		return found;
	text = (uint32_t)rpt_intern(&events->texts, name, strlen(name));
	events->items = rpt_grow(events->items, &events->cap, events->nr,
				 sizeof(*events->items));
	events->items[events->nr] = (struct rpt_event_ident){ .name = text };
	return events->nr++;
}

/* The first column of a side: its rows. */
static const size_t first_total[] = {
	[RPT_FLEET_OLD] = RPT_FLEET_TOTAL_OLD,
	[RPT_FLEET_NEW] = RPT_FLEET_TOTAL_NEW,
};

static void take_host(struct rpt_fleet_load *load, int s, const char *name)
{
	int64_t at = rpt_intern(&load->hosts[s], name, strlen(name));
	struct rpt_run *run = &load->runs[s][at];

	run->path = rpt_intern_key(&load->hosts[s], (uint32_t)at);
	run->block_nr = 1;
	load->lists[s][at] = run;
}

/* Get the hosts and events of an answer with totals. */
static void take_hosts(struct rpt_fleet_load *load,
		       const struct rpt_fleet_answer *answer)
{
	for (int s = 0; s < RPT_FLEET_SIDES; s++) {
		load->runs[s] = rpt_alloc_zeroed(answer->row_nr + 1,
						 sizeof(*load->runs[s]));
		load->lists[s] =
			rpt_alloc_zeroed(answer->row_nr + 1, sizeof(void *));
	}
	for (size_t r = 0; r < answer->row_nr; r++) {
		event_number(&load->labels.events,
			     rpt_fleet_field(answer, r, RPT_FLEET_TOTAL_EVENT));
		if (rpt_fleet_amount(answer, r, RPT_FLEET_TOTAL_SERVERS) > 1.0)
			load->is_spread = true;
		for (int s = 0; s < RPT_FLEET_SIDES; s++)
			if (rpt_fleet_amount(answer, r, first_total[s]) > 0.0)
				take_host(
					load, s,
					rpt_fleet_field(answer, r,
							RPT_FLEET_TOTAL_HOST));
	}
}

/* Give each run all events, without samples. */
static void add_events(struct rpt_fleet_load *load)
{
	const struct rpt_event_match *events = &load->labels.events;

	for (int s = 0; s < RPT_FLEET_SIDES; s++) {
		for (uint32_t h = 0; h < load->hosts[s].nr; h++) {
			struct rpt_run *run = &load->runs[s][h];

			run->event_nr = events->nr;
			run->events = rpt_alloc_zeroed((size_t)events->nr + 1,
						       sizeof(*run->events));
			for (uint32_t e = 0; e < events->nr; e++) {
				run->events[e].number = e;
				run->events[e].name =
					rpt_event_match_name(events, e);
				run->events[e].modes = RPT_MODE_BOTH;
				run->events[e].is_weighed = true;
				run->events[e].blocks = rpt_alloc_zeroed(
					1, sizeof(struct rpt_sum));
			}
		}
	}
}

/* Take a row's totals of a side, on which its host is. */
static void take_total(struct rpt_fleet_load *load, int s,
		       const struct rpt_fleet_answer *answer, size_t r)
{
	enum { WEIGHT = 1, NUMBER };
	const char *host = rpt_fleet_field(answer, r, RPT_FLEET_TOTAL_HOST);
	const char *name = rpt_fleet_field(answer, r, RPT_FLEET_TOTAL_EVENT);
	int64_t h = rpt_intern_find(&load->hosts[s], host, strlen(host));
	struct rpt_run *run = &load->runs[s][h];
	struct rpt_run_event *event =
		&run->events[event_number(&load->labels.events, name)];
	size_t first = first_total[s];

	event->is_clock =
		rpt_fleet_amount(answer, r, RPT_FLEET_TOTAL_CLOCK) > 0.0;
	event->total = (struct rpt_sum){
		rpt_fleet_amount(answer, r, first + WEIGHT),
		rpt_fleet_amount(answer, r, first + NUMBER),
	};
	event->blocks[0] = event->total;
}

/* Take what the slices of a side's hosts lost: samples of all kinds may be
 * among it. */
static void take_losses(struct rpt_fleet_load *load, int s)
{
	enum { LOST, ALL, DAMAGED };
	static const size_t first_column[] = {
		[RPT_FLEET_OLD] = RPT_FLEET_SLICES_OLD,
		[RPT_FLEET_NEW] = RPT_FLEET_SLICES_NEW,
	};
	const struct rpt_fleet_answer *slices = load->scope->slices;
	size_t first = first_column[s];

	for (size_t r = 0; r < slices->row_nr; r++) {
		const char *host =
			rpt_fleet_field(slices, r, RPT_FLEET_SLICES_HOST);
		int64_t h =
			rpt_intern_find(&load->hosts[s], host, strlen(host));
		double lost = rpt_fleet_amount(slices, r, first + LOST);
		double all = lost + rpt_fleet_amount(slices, r, first + ALL);

		/* below 0: it is not on this side */
		if (h < 0 || all <= 0.0)
			continue;
		load->runs[s][h].lost_share = lost / all;
		load->runs[s][h].is_damaged =
			rpt_fleet_amount(slices, r, first + DAMAGED) > 0.0;
	}
}

static int load_totals(struct rpt_fleet_load *load, struct pd_err *err)
{
	struct rpt_fleet_answer answer;
	int rc = rpt_fleet_ask(&answer, load->scope->args,
			       rpt_fleet_sql_totals(load->scope),
			       RPT_FLEET_TOTAL_COLUMNS, err);

	if (!rc) {
		take_hosts(load, &answer);
		add_events(load);
	}
	for (int s = 0; s < RPT_FLEET_SIDES && !rc; s++) {
		for (size_t r = 0; r < answer.row_nr; r++)
			if (rpt_fleet_amount(&answer, r, first_total[s]) > 0.0)
				take_total(load, s, &answer, r);
		take_losses(load, s);
	}
	rpt_fleet_answer_release(&answer);
	return rc;
}

/* Add a pair to the events that it has samples of on both sides. */
static void add_pair(struct rpt_fleet_load *load, const struct rpt_run *old,
		     const struct rpt_run *new)
{
	load->pair_nr++;
	for (uint32_t e = 0; e < load->labels.events.nr; e++)
		if (rpt_fleet_has_event(old, e) && rpt_fleet_has_event(new, e))
			rpt_pairs_add(&load->events[e].pairs,
				      old->events[e].total.period,
				      new->events[e].total.period);
}

/* Find the hosts that are on both sides. */
static void find_pairs(struct rpt_fleet_load *load)
{
	const struct rpt_intern *old = &load->hosts[RPT_FLEET_OLD];

	for (int s = 0; s < RPT_FLEET_SIDES; s++) {
		size_t nr = load->hosts[s].nr;

		load->partners[s] =
			rpt_alloc_zeroed(nr + 1, sizeof(*load->partners[s]));
		for (size_t h = 0; h < nr; h++)
			load->partners[s][h] = UINT32_MAX;
	}
	for (uint32_t h = 0; h < load->hosts[RPT_FLEET_NEW].nr; h++) {
		const char *name = load->runs[RPT_FLEET_NEW][h].path;
		int64_t at = rpt_intern_find(old, name, strlen(name));

		if (at < 0)
			continue;
		load->partners[RPT_FLEET_OLD][at] = h;
		load->partners[RPT_FLEET_NEW][h] = (uint32_t)at;
		add_pair(load, &load->runs[RPT_FLEET_OLD][at],
			 &load->runs[RPT_FLEET_NEW][h]);
	}
}

/* Choose the hosts that count in each event. */
static void choose_hosts(struct rpt_fleet_load *load)
{
	for (uint32_t e = 0; e < load->labels.events.nr; e++) {
		struct rpt_fleet_event *event = &load->events[e];

		for (int s = 0; s < RPT_FLEET_SIDES; s++) {
			uint32_t host_nr = load->hosts[s].nr;
			size_t *nr = &event->sides[s].run_nr;

			event->runs[s] = rpt_alloc_zeroed((size_t)host_nr + 1,
							  sizeof(void *));
			for (uint32_t h = 0; h < host_nr; h++)
				if (rpt_fleet_has_event(&load->runs[s][h], e))
					event->runs[s][(*nr)++] =
						&load->runs[s][h];
		}
	}
}

/* Say which hosts do not count. */
static void note_events(const struct rpt_fleet_load *load)
{
	for (uint32_t e = 0; e < load->labels.events.nr; e++) {
		const struct rpt_side *sides = load->events[e].sides;
		size_t all_nr = 0, nr = 0;

		for (int s = 0; s < RPT_FLEET_SIDES; s++) {
			all_nr += load->hosts[s].nr;
			nr += sides[s].run_nr;
		}
		if (nr < all_nr)
			sup_message(
				"%zu of %zu hosts %s no samples of '%.200s' "
				"and %s not count in it",
				all_nr - nr, all_nr,
				all_nr - nr == 1 ? "has" : "have",
				rpt_event_match_name(&load->labels.events, e),
				all_nr - nr == 1 ? "does" : "do");
	}
}

int rpt_fleet_sides_load(struct rpt_fleet_load *load, struct pd_err *err)
{
	bool is_diff = load->scope->args->question == RPT_FLEET_DIFF;
	int rc = load_totals(load, err);

	if (rc)
		return rc;
	if (!load->hosts[RPT_FLEET_NEW].nr)
		return pd_err_set(err, -ENODATA, "no samples of %s",
				  is_diff ? "the new side" : "that");
	if (is_diff && !load->hosts[RPT_FLEET_OLD].nr)
		return pd_err_set(err, -ENODATA, "no samples of the old side");
	load->events = rpt_alloc_zeroed((size_t)load->labels.events.nr + 1,
					sizeof(*load->events));
	choose_hosts(load);
	find_pairs(load);
	note_events(load);
	return 0;
}
