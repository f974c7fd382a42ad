#include "report/events/event_switch.h"

#include "report/base/memory.h"
#include "report/events/event_name.h"
#include "report/timeline/address_space.h"

#include "format/support/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int find_event(const struct pd_event_set *events, const char *option,
		      const char *name, const struct pd_event **ret,
		      struct pd_err *err)
{
	char buf[RPT_EVENT_NAME_LEN];
	struct sup_nearest near;

	*ret = NULL;
	if (!name)
		return 0;
	sup_nearest_init(&near, name, strlen(name));
	for (size_t i = 0; i < events->nr && !*ret; i++) {
		const char *other = rpt_event_name(&events->events[i], buf);

		sup_nearest_offer(&near, other);
		if (!strcmp(other, name))
			*ret = &events->events[i];
	}
	if (*ret)
		return 0;
	pd_err_set(err, -ENODATA, "%s: there is no event '%s' in the file",
		   option, name);
	sup_nearest_hint(&near, err, "'perfpair evlist' lists its events");
	return -ENODATA;
}

int rpt_event_switch_init(struct rpt_event_switch *sw,
			  const struct rpt_event_switch_args *args,
			  const struct pd_event_set *events, struct pd_err *err)
{
	int rc = find_event(events, "--switch-on", args->on, &sw->on, err);

	if (!rc)
		rc = find_event(events, "--switch-off", args->off, &sw->off,
				err);
	sw->show = args->show;
	sw->is_on = !sw->on;
	return rc;
}

/* Switch if the event does so now.  Return true if it did. */
static bool switches(struct rpt_event_switch *sw, const struct pd_event *event)
{
	if (event != (sw->is_on ? sw->off : sw->on))
		return false;
	sw->is_on = !sw->is_on;
	return true;
}

bool rpt_event_switch_next(struct rpt_event_switch *sw,
			   const struct pd_event *event)
{
	return switches(sw, event) ? sw->show : sw->is_on;
}

void rpt_event_switch_add(struct rpt_event_switch *sw,
			  struct rpt_timestamp when,
			  const struct pd_event *event)
{
	sw->flips = rpt_grow(sw->flips, &sw->cap, sw->nr, sizeof(*sw->flips));
	sw->flips[sw->nr++] =
		(struct rpt_event_flip){ .when = when, .event = event };
}

static int compare(const void *a, const void *b)
{
	const struct rpt_event_flip *x = a;
	const struct rpt_event_flip *y = b;

	if (rpt_timestamp_before(x->when, y->when))
		return -1;
	return rpt_timestamp_before(y->when, x->when);
}

void rpt_event_switch_sort(struct rpt_event_switch *sw)
{
	uint32_t nr = 0;

	if (sw->nr)
		qsort(sw->flips, sw->nr, sizeof(*sw->flips), compare);
	sw->is_on = !sw->on;
	for (size_t i = 0; i < sw->nr; i++) {
		if (!switches(sw, sw->flips[i].event))
			continue;
		sw->flips[nr] = sw->flips[i];
		sw->flips[nr++].is_on = sw->is_on;
	}
	sw->nr = nr;
}

static void add_record(struct rpt_event_switch *sw,
		       const struct pd_event_set *events,
		       const struct rpt_time_ranges *times,
		       const struct pd_record *rec)
{
	const struct pd_event *event = pd_event_set_of_record(events, rec);
	struct rpt_timestamp when = { 0, rec->seq };
	uint64_t time_ns;

	if (!event || (event != sw->on && event != sw->off))
		return;
	time_ns = pd_event_set_time_of(events, rec);
	if (!rpt_time_ranges_hold(times, time_ns))
		return;
	when.time_ns = pd_event_set_order(events, time_ns);
	rpt_event_switch_add(sw, when, event);
}

static int read_all(struct rpt_event_switch *sw, struct pd_reader *reader,
		    const struct rpt_time_ranges *times, struct pd_err *err)
{
	const struct pd_event_set *events = pd_reader_events(reader);
	struct pd_records it;
	struct pd_record rec;
	int rc;

	/* half of the memory, because the array doubles */
	uint64_t most = pd_reader_memory_limit(reader, false) /
			(2 * sizeof(*sw->flips));

	pd_records_init(&it, reader, pd_reader_data(reader));
	while ((rc = pd_records_next(&it, &rec, err)) > 0) {
		if (rec.type != PD_RECORD_SAMPLE)
			continue;
		add_record(sw, events, times, &rec);
		if (sw->nr <= most)
			continue;
		rc = pd_err_set(err, -EFBIG,
				"more switching samples than the limit on "
				"memory allows");
		pd_err_hint(err, "--max-ratio raises the limit");
		break;
	}
	pd_records_release(&it);
	return rc;
}

int rpt_event_switch_find(struct rpt_event_switch *sw,
			  const struct rpt_event_switch_args *args,
			  const struct rpt_time_ranges *times,
			  struct pd_reader *reader, struct pd_err *err)
{
	int rc = rpt_event_switch_init(sw, args, pd_reader_events(reader), err);

	if (rc || !rpt_event_switch_is_asked(sw))
		return rc;
	rc = read_all(sw, reader, times, err);
	if (!rc)
		rpt_event_switch_sort(sw);
	return rc;
}

void rpt_event_switch_release(struct rpt_event_switch *sw)
{
	free(sw->flips);
	*sw = (struct rpt_event_switch){ 0 };
}

bool rpt_event_switch_passes(const struct rpt_event_switch *sw,
			     struct rpt_timestamp when)
{
	size_t first = 0, nr = sw->nr;

	/* how many are not behind it */
	while (nr) {
		size_t half = nr / 2;

		if (rpt_timestamp_before(when, sw->flips[first + half].when)) {
			nr = half;
		} else {
			first += half + 1;
			nr -= half + 1;
		}
	}
	if (!first)
		return !sw->on;
	if (!rpt_timestamp_before(sw->flips[first - 1].when, when))
		return sw->show;
	return sw->flips[first - 1].is_on;
}
