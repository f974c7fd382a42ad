#include "report/cli/no_samples.h"

#include "format/support/safe_text.h"
#include "report/events/event_name.h"

#include "format/reader/records.h"
#include "format/records/record_body.h"
#include "format/support/message.h"

#include <inttypes.h>
#include <stdlib.h>

/* PERF_COUNT_SW_DUMMY, and the two clocks in front of it, of
 * perf_event_open(2) */
enum { SW_CPU_CLOCK = 0, SW_TASK_CLOCK = 1, SW_DUMMY = 9 };

/* Below that, a clock has hardly ticked. */
#define SHORT_NS UINT64_C(100000000)

/* The events and samples of a file. */
struct content {
	uint64_t record_nr;
	uint64_t sample_nr;
	uint64_t lost_nr; /* samples, by LOST_SAMPLES records */
	struct pd_sample_time samples;
	struct pd_sample_time records;
};

static void look_at(struct content *c, const struct pd_event_set *events,
		    const struct pd_record *rec)
{
	uint64_t time_ns = pd_event_set_time_of(events, rec);
	struct pd_body body;

	c->record_nr++;
	if (rec->type == PD_RECORD_LOST_SAMPLES &&
	    !pd_body_read(rec, 0, &body, NULL))
		c->lost_nr += body.u.lost_samples.lost_nr;
	if (time_ns)
		pd_sample_time_add(&c->records, time_ns);
	if (rec->type != PD_RECORD_SAMPLE)
		return;
	c->sample_nr++;
	if (time_ns)
		pd_sample_time_add(&c->samples, time_ns);
}

static void read_content(struct pd_reader *reader, struct content *ret)
{
	struct pd_records it;
	struct pd_record rec;

	*ret = (struct content){ .samples.first_ns = UINT64_MAX,
				 .records.first_ns = UINT64_MAX };
	pd_records_init(&it, reader, pd_reader_data(reader));
	while (pd_records_next(&it, &rec, NULL) > 0)
		look_at(ret, pd_reader_events(reader), &rec);
	pd_records_release(&it);
}

static void put_option(FILE *out, const char *option, const char *value)
{
	if (value)
		fprintf(out, " %s %s", option, value);
}

static void put_filter(FILE *out, const struct rpt_filter_args *f)
{
	put_option(out, "--cpu", f->cpus);
	put_option(out, "--time", f->times);
	put_option(out, "--pid", f->pids);
	put_option(out, "--tid", f->tids);
	put_option(out, "--comms", f->comms);
	put_option(out, "--process", f->processes);
	put_option(out, "--dsos", f->dsos);
	put_option(out, "--symbols", f->symbols);
	put_option(out, "--parallelism", f->parallelisms);
}

static void print_times(const struct content *c)
{
	const struct pd_sample_time *t = &c->samples;

	if (t->first_ns <= t->last_ns)
		sup_message(
			"its %" PRIu64 " samples are from second "
			"%" PRIu64 ".%06" PRIu64 " to %" PRIu64 ".%06" PRIu64,
			c->sample_nr, t->first_ns / 1000000000,
			t->first_ns / 1000 % 1000000, t->last_ns / 1000000000,
			t->last_ns / 1000 % 1000000);
}

/* Print which options leave nothing of the samples that there are. */
static void print_choice(const char *path, const struct content *c,
			 const struct rpt_sample_choice *choice)
{
	char *options = NULL;
	size_t len;
	FILE *out = open_memstream(&options, &len);

	if (choice->filter)
		put_filter(out, choice->filter);
	if (choice->event_switch) {
		put_option(out, "--switch-on", choice->event_switch->on);
		put_option(out, "--switch-off", choice->event_switch->off);
	}
	fclose(out);
	if (len)
		sup_message("%s: no sample passes%s", path, options);
	else
		sup_message("%s: no sample could be counted", path);
	if (len && choice->filter && choice->filter->times)
		print_times(c);
	free(options);
}

static bool is_side_band(const struct pd_event *event)
{
	return event->attr.type == PD_TYPE_SOFTWARE &&
	       event->attr.config == SW_DUMMY;
}

/* The fields that all sampling events have in common. */
struct sampling {
	size_t nr;
	const struct pd_event *first;
	bool are_counted;   /* without samples: record -n */
	bool are_user_only; /* none counts in the kernel */
	bool are_periodic;  /* clocks, and what occurs all the time */
};

static bool is_frequent(const struct pd_attr *attr)
{
	return attr->type == PD_TYPE_HARDWARE ||
	       (attr->type == PD_TYPE_SOFTWARE &&
		(attr->config == SW_CPU_CLOCK ||
		 attr->config == SW_TASK_CLOCK));
}

static struct sampling sampling_of(const struct pd_event_set *events)
{
	struct sampling s = { .are_counted = true,
			      .are_user_only = true,
			      .are_periodic = true };

	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_event *event = &events->events[i];

		if (is_side_band(event))
			continue;
		if (!s.nr++)
			s.first = event;
		s.are_counted &= !event->attr.sample_period;
		s.are_user_only &=
			!!(event->attr.flags & PD_ATTR_EXCLUDE_KERNEL);
		s.are_periodic &= is_frequent(&event->attr);
	}
	return s;
}

/* Print that the events did not occur, and for how long they were watched. */
static void print_never(const char *path, const struct content *c,
			const struct sampling *s)
{
	bool has_times = c->records.first_ns <= c->records.last_ns;
	uint64_t span_ns = c->records.last_ns - c->records.first_ns;
	char *name = NULL, buf[RPT_EVENT_NAME_LEN];
	size_t len;
	FILE *out = open_memstream(&name, &len);

	if (s->nr == 1)
		sup_put_safe_text(out, rpt_event_name(s->first, buf));
	else
		fprintf(out, "none of its %zu events", s->nr);
	fclose(out);
	if (!has_times)
		sup_message("%s has no samples: %s %s", path, name,
			    s->nr == 1 ? "did not occur" : "occurred");
	else
		sup_message("%s has no samples: %s %s in the %.6f s that it "
			    "covers",
			    path, name,
			    s->nr == 1 ? "did not occur" : "occurred",
			    (double)span_ns / 1e9);
	free(name);
	if (has_times && s->are_periodic && span_ns < SHORT_NS)
		sup_message("the command ended at once: record a longer run, "
			    "or with a higher -F");
	else if (s->are_user_only)
		sup_message("only user space was recorded (:u): as root, or "
			    "with perf_event_paranoid at 1, the kernel is, "
			    "too");
}

static void print_empty(const char *path, const struct pd_event_set *events,
			const struct content *c, bool is_damaged)
{
	struct sampling s = sampling_of(events);

	if (!c->record_nr)
		sup_message("%s has no samples, and no other records", path);
	else if (is_damaged)
		sup_message("%s has no samples in what can be read of it",
			    path);
	else if (c->lost_nr)
		sup_message("%s has no samples: all %" PRIu64 " were lost "
			    "while recording",
			    path, c->lost_nr);
	else if (!s.nr)
		sup_message("%s has no samples: its events take none", path);
	else if (s.are_counted)
		sup_message("%s has no samples: its events were only counted "
			    "(record -n)",
			    path);
	else
		print_never(path, c, &s);
}

void rpt_warn_no_samples(const char *path, struct pd_reader *reader,
			 const struct rpt_sample_choice *choice)
{
	struct content c;

	read_content(reader, &c);
	if (c.sample_nr)
		print_choice(path, &c, choice);
	else
		print_empty(path, pd_reader_events(reader), &c,
			    pd_reader_damage(reader)->skipped_nr);
}

void rpt_warn_nothing_passes(const char *path,
			     const struct rpt_filter_args *filter)
{
	char *options = NULL;
	size_t len;
	FILE *out = open_memstream(&options, &len);

	put_filter(out, filter);
	fclose(out);
	if (len)
		sup_message("%s: no sample passes%s", path, options);
	free(options);
}
