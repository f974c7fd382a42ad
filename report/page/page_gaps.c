#include "report/page/page_gaps.h"

#include "report/base/memory.h"
#include "report/timeline/gap_marks.h"

#include <stdlib.h>

/* Items of each list, at most; more are one of unknown time. */
#define GAPS_MAX 5000u

/* A time on a CPU. */
struct gap {
	uint64_t lo_ns;
	uint64_t hi_ns;
	uint32_t cpu; /* RPT_GAP_ANY: not known */
};

/* Bins of the page; nr 0: the time is not known. */
struct bins {
	uint32_t first;
	uint32_t nr;
};

static bool has_times(const struct rpt_report *part)
{
	return part->blocks.nr > 1;
}

/* Return whether samples of then and there would be shown. */
static bool is_shown(const struct rpt_report *part, const struct gap *gap)
{
	const struct rpt_filter *filter = &part->filters.samples;
	uint64_t last_ns = part->blocks.first_ns + part->blocks.span_ns;

	if (filter->asked & RPT_FILTER_TIME && has_times(part) &&
	    (gap->hi_ns < part->blocks.first_ns || gap->lo_ns > last_ns))
		return false;
	return !(filter->asked & RPT_FILTER_CPU) || gap->cpu == RPT_GAP_ANY ||
	       rpt_filter_time(filter, 0, gap->cpu);
}

static struct bins bins_of(const struct rpt_report *part, const struct gap *gap)
{
	uint32_t lo, hi;

	if (!has_times(part) || !gap->hi_ns)
		return (struct bins){ 0, 0 };
	lo = rpt_time_block_at(&part->blocks, gap->lo_ns);
	hi = rpt_time_block_at(&part->blocks, gap->hi_ns);
	return (struct bins){ lo, hi < lo ? 1 : hi - lo + 1 };
}

static void put_place(struct rpt_json *json, struct bins bins, uint32_t cpu)
{
	rpt_json_open(json, '{');
	rpt_json_member_u64(json, "bin", bins.first);
	rpt_json_member_u64(json, "bins", bins.nr);
	rpt_json_key(json, "cpu");
	rpt_json_int(json, cpu == RPT_GAP_ANY ? -1 : (int64_t)cpu);
}

struct losses {
	struct rpt_json *json;
	uint32_t shown;
	uint64_t without_time; /* samples */
};

static void put_loss(struct losses *l, const struct rpt_report *part,
		     const struct gap *gap, uint64_t nr)
{
	struct bins bins = bins_of(part, gap);

	if (!nr || !is_shown(part, gap))
		return;
	if (!bins.nr || l->shown == GAPS_MAX) {
		l->without_time += nr;
		return;
	}
	put_place(l->json, bins, gap->cpu);
	rpt_json_member_u64(l->json, "samples", nr);
	rpt_json_close(l->json, '}');
	l->shown++;
}

/* Samples by CPU that LOST records count. */
struct marked {
	struct rpt_intern cpus; /* uint32_t */
	uint64_t *nrs;		/* by number of the CPU; owned */
	uint32_t cap;
};

static void count_marked(struct marked *marked, const struct rpt_gap_mark *mark)
{
	uint32_t known_nr = marked->cpus.nr;
	uint32_t idx = (uint32_t)rpt_intern(&marked->cpus, &mark->cpu,
					    sizeof(mark->cpu));

	marked->nrs =
		rpt_grow(marked->nrs, &marked->cap, idx, sizeof(*marked->nrs));
	if (idx == known_nr)
		marked->nrs[idx] = 0;
	marked->nrs[idx] += mark->lost_nr;
}

/* Return how many of nr samples lost on that CPU no LOST record has. */
static uint64_t take_marked(struct marked *marked, uint32_t cpu, uint64_t nr)
{
	int64_t idx = rpt_intern_find(&marked->cpus, &cpu, sizeof(cpu));
	uint64_t taken;

	if (idx < 0 || !marked->nrs)
		return nr;
	taken = marked->nrs[idx] < nr ? marked->nrs[idx] : nr;
	marked->nrs[idx] -= taken;
	return nr - taken;
}

/* LOST records say when; our trailer has what was lost besides, often within a
 * long time; LOST_SAMPLES of perf say how many, not when. */
static void put_part_losses(struct losses *l, const struct rpt_report *part)
{
	const struct pd_trailer *trailer = pd_reader_trailer(part->reader);
	const struct rpt_gap_marks *marks = rpt_timeline_gaps(part->timeline);
	struct marked marked = { 0 };
	uint64_t nr = 0;

	for (uint32_t i = 0; i < marks->nr; i++) {
		const struct rpt_gap_mark *mark = &marks->items[i];

		if (mark->type != PD_RECORD_LOST)
			continue;
		put_loss(l, part,
			 &(struct gap){ mark->when.time_ns, mark->when.time_ns,
					mark->cpu },
			 mark->lost_nr);
		count_marked(&marked, mark);
		nr += mark->lost_nr;
	}
	for (size_t i = 0; trailer && i < trailer->loss_nr; i++) {
		const struct pd_trailer_loss *loss = &trailer->losses[i];

		put_loss(l, part,
			 &(struct gap){ loss->time_lo_ns, loss->time_hi_ns,
					loss->cpu },
			 take_marked(&marked, loss->cpu, loss->lost_nr));
	}
	if (!trailer && part->profile.lost_sample_nr > nr)
		l->without_time += part->profile.lost_sample_nr - nr;
	rpt_intern_release(&marked.cpus);
	free(marked.nrs);
}

static void put_losses(struct rpt_json *json, const struct rpt_report *report)
{
	struct losses l = { .json = json };

	rpt_json_key(json, "losses");
	rpt_json_open(json, '[');
	for (uint32_t p = 0; p < report->whole.part_nr; p++)
		put_part_losses(&l, &report->whole.parts[p]);
	if (l.without_time) {
		put_place(json, (struct bins){ 0, 0 }, RPT_GAP_ANY);
		rpt_json_member_u64(json, "samples", l.without_time);
		rpt_json_close(json, '}');
	}
	rpt_json_close(json, ']');
}

/* Without padding: they are hashed. */
struct stream {
	uint64_t stream;
	uint64_t cpu;
};

struct row {
	uint32_t event;
	uint32_t cpu;
};

/* How long an event was throttled within some bins. */
struct throttle {
	struct bins bins;
	uint64_t nr;
	uint64_t ns;
};

struct throttles {
	struct rpt_json *json;
	const struct rpt_report *part;
	const uint32_t *events;	   /* by event of the part: that of the page */
	struct rpt_intern streams; /* struct stream */
	uint64_t *since; /* by stream; 0: it is not throttled; owned */
	uint32_t since_cap;
	struct rpt_intern rows;	 /* struct row */
	struct throttle *latest; /* by row; owned */
	uint32_t latest_cap;
	struct throttle *without_time; /* of the page */
	uint32_t *shown;	       /* likewise */
};

static void put_throttle(struct throttles *t, const struct row *row,
			 const struct throttle *throttle)
{
	put_place(t->json, throttle->bins, row->cpu);
	rpt_json_key(t->json, "event");
	rpt_json_int(t->json,
		     row->event == RPT_GAP_ANY ? -1 : (int64_t)row->event);
	rpt_json_member_u64(t->json, "times", throttle->nr);
	rpt_json_member_u64(t->json, "ns", throttle->ns);
	rpt_json_close(t->json, '}');
}

/* Put what was added up of a row, and begin anew. */
static void flush_row(struct throttles *t, const struct row *row,
		      struct throttle *latest)
{
	if (!latest->nr)
		return;
	if (*t->shown < GAPS_MAX) {
		put_throttle(t, row, latest);
		++*t->shown;
	} else {
		t->without_time->nr += latest->nr;
		t->without_time->ns += latest->ns;
	}
	*latest = (struct throttle){ 0 };
}

static struct throttle *latest_of(struct throttles *t, const struct row *row)
{
	uint32_t known_nr = t->rows.nr;
	uint32_t idx = (uint32_t)rpt_intern(&t->rows, row, sizeof(*row));

	t->latest =
		rpt_grow(t->latest, &t->latest_cap, idx, sizeof(*t->latest));
	if (idx == known_nr)
		t->latest[idx] = (struct throttle){ 0 };
	return &t->latest[idx];
}

static void add_gap(struct throttles *t, const struct rpt_gap_mark *mark,
		    uint64_t since_ns, uint64_t until_ns)
{
	const struct gap gap = { since_ns, until_ns, mark->cpu };
	struct row row = { mark->event_idx, mark->cpu };
	struct bins bins = bins_of(t->part, &gap);
	struct throttle *latest;
	uint32_t end = bins.first + bins.nr;

	if (!is_shown(t->part, &gap))
		return;
	if (row.event != RPT_GAP_ANY)
		row.event = t->events[row.event];
	latest = latest_of(t, &row);
	if (latest->bins.first + latest->bins.nr <= bins.first ||
	    !latest->bins.nr != !bins.nr)
		flush_row(t, &row, latest);
	if (!latest->nr)
		latest->bins = bins;
	else if (end > latest->bins.first + latest->bins.nr)
		latest->bins.nr = end - latest->bins.first;
	latest->nr++;
	latest->ns += until_ns - since_ns;
}

static void see_mark(struct throttles *t, const struct rpt_gap_mark *mark)
{
	const struct stream key = { mark->stream, mark->cpu };
	uint32_t known_nr = t->streams.nr;
	uint32_t idx = (uint32_t)rpt_intern(&t->streams, &key, sizeof(key));

	t->since = rpt_grow(t->since, &t->since_cap, idx, sizeof(*t->since));
	if (idx == known_nr)
		t->since[idx] = 0;
	if (mark->type == PD_RECORD_THROTTLE) {
		if (!t->since[idx])
			t->since[idx] = mark->when.time_ns;
	} else if (t->since[idx]) {
		add_gap(t, mark, t->since[idx], mark->when.time_ns);
		t->since[idx] = 0;
	}
}

/* Put those whose UNTHROTTLE was not recorded: until the last sample. */
static void end_open(struct throttles *t, const struct rpt_gap_marks *marks)
{
	uint64_t end_ns = t->part->blocks.first_ns + t->part->blocks.span_ns;

	for (uint32_t i = marks->nr; i > 0; i--) {
		const struct rpt_gap_mark *mark = &marks->items[i - 1];
		const struct stream key = { mark->stream, mark->cpu };
		int64_t idx = rpt_intern_find(&t->streams, &key, sizeof(key));

		if (mark->type != PD_RECORD_THROTTLE || idx < 0 ||
		    !t->since[idx])
			continue;
		add_gap(t, mark, t->since[idx],
			end_ns > t->since[idx] ? end_ns : t->since[idx]);
		t->since[idx] = 0;
	}
}

static void put_part_throttles(struct throttles *t)
{
	const struct rpt_gap_marks *marks =
		rpt_timeline_gaps(t->part->timeline);

	for (uint32_t i = 0; i < marks->nr; i++)
		if (marks->items[i].type != PD_RECORD_LOST)
			see_mark(t, &marks->items[i]);
	end_open(t, marks);
	for (uint32_t i = 0; i < t->rows.nr; i++)
		flush_row(t, rpt_intern_key(&t->rows, i), &t->latest[i]);
	free(t->since);
	free(t->latest);
	rpt_intern_release(&t->streams);
	rpt_intern_release(&t->rows);
}

static void put_throttles(struct rpt_json *json,
			  const struct rpt_report *report)
{
	const struct row any = { RPT_GAP_ANY, RPT_GAP_ANY };
	struct throttle without_time = { 0 };
	struct throttles t = { .json = json };
	uint32_t shown = 0;

	rpt_json_key(json, "throttles");
	rpt_json_open(json, '[');
	for (uint32_t p = 0; p < report->whole.part_nr; p++) {
		t = (struct throttles){
			.json = json,
			.part = &report->whole.parts[p],
			.events = report->whole.events.numbers[p],
			.without_time = &without_time,
			.shown = &shown,
		};
		put_part_throttles(&t);
	}
	if (without_time.nr)
		put_throttle(&t, &any, &without_time);
	rpt_json_close(json, ']');
}

void rpt_page_gaps_put(struct rpt_json *json, const struct rpt_report *report)
{
	put_losses(json, report);
	put_throttles(json, report);
}

uint64_t rpt_page_throttle_nr(const struct rpt_report *report)
{
	const struct rpt_gap_marks *marks = rpt_timeline_gaps(report->timeline);
	uint64_t nr = 0;

	for (uint32_t i = 0; i < marks->nr; i++)
		nr += marks->items[i].type == PD_RECORD_THROTTLE;
	return nr;
}
