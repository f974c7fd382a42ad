#include "report/profile/thread_counts.h"

#include "format/records/record_body.h"
#include "format/support/safe_text.h"
#include "report/events/event_name.h"
#include "report/timeline/address_space.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of memory for a thread or a count: entries of two tables, and a key. */
#define CELL_COST_LEN 160u

struct counting {
	struct rpt_thread_counts *counts;
	const struct pd_event_set *events;
	struct rpt_budget *budget;
	struct rpt_counted *by_event; /* number UINT32_MAX: no counts */
};

static void note_first(struct rpt_counted *counted, struct rpt_timestamp when)
{
	if (rpt_timestamp_before(when, counted->first))
		counted->first = when;
}

/* Return the number of the thread, or -EFBIG without budget. */
static int64_t find_thread(struct counting *c, const struct pd_read *read,
			   struct rpt_timestamp when)
{
	struct rpt_thread_counts *counts = c->counts;
	const uint32_t key[2] = { read->pid, read->tid };
	uint32_t known_nr = counts->threads.nr;
	struct rpt_counted *rows = rpt_grow(counts->rows, &counts->rows_cap,
					    known_nr, sizeof(*rows));
	int64_t idx;

	counts->rows = rows;
	idx = rpt_intern_find(&counts->threads, key, sizeof(key));
	if (idx >= 0) {
		note_first(&rows[idx], when);
		return idx;
	}
	if (!rpt_budget_take(c->budget, CELL_COST_LEN))
		return -EFBIG;
	idx = rpt_intern(&counts->threads, key, sizeof(key));
	if (idx >= 0)
		rows[idx] = (struct rpt_counted){ when, (uint32_t)idx };
	return idx;
}

static int add_value(struct counting *c, uint32_t thread, uint32_t event,
		     uint64_t value)
{
	struct rpt_thread_counts *counts = c->counts;
	const uint32_t key[2] = { thread, event };
	uint32_t known_nr = counts->cells.nr;
	uint64_t *values = rpt_grow(counts->values, &counts->values_cap,
				    known_nr, sizeof(*values));
	int64_t idx;

	counts->values = values;
	idx = rpt_intern(&counts->cells, key, sizeof(key));
	if (idx < 0)
		return (int)idx;
	if (idx == known_nr)
		values[idx] = 0;
	values[idx] += value;
	return idx == known_nr && !rpt_budget_take(c->budget, CELL_COST_LEN)
		       ? -EFBIG
		       : 0;
}

static int add_read(struct counting *c, const struct pd_record *rec,
		    const struct pd_event *event, const struct pd_read *read)
{
	uint32_t idx = (uint32_t)(event - c->events->events);
	struct rpt_timestamp when = {
		pd_event_set_order(c->events,
				   pd_event_set_time_of(c->events, rec)),
		rec->seq,
	};
	int64_t thread = find_thread(c, read, when);

	if (thread < 0)
		return (int)thread;
	if (c->by_event[idx].number == UINT32_MAX)
		c->by_event[idx] = (struct rpt_counted){ when, idx };
	note_first(&c->by_event[idx], when);
	return add_value(c, (uint32_t)thread, idx, pd_u64s_at(&read->words, 0));
}

static void add_damage(struct rpt_thread_counts *counts,
		       const struct pd_record *rec, int code, const char *text)
{
	struct pd_err err = PD_ERR_INIT;

	pd_err_at(&err, code, rec->file_off, "%s", text);
	pd_damage_add(&counts->damage, PD_DAMAGE_RECORD, 0, &err);
}

/* Count rec if it is a READ record.  Return 0, or -EFBIG without budget. */
static int add_record(struct counting *c, const struct pd_record *rec)
{
	const struct pd_event *event;
	struct pd_body body = { .type = rec->type };

	if (rec->type != PD_RECORD_READ)
		return 0;
	event = pd_event_set_of_record(c->events, rec);
	if (event && !pd_body_read(rec, event->layout.id_len, &body, NULL) &&
	    body.u.read.words.nr)
		return add_read(c, rec, event, &body.u.read);
	add_damage(c->counts, rec, -EBADMSG,
		   event ? "a record of counts ends too early"
			 : "counts of an event that the file does not "
			   "describe");
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct rpt_counted *x = a, *y = b;

	return rpt_timestamp_before(y->first, x->first) -
	       rpt_timestamp_before(x->first, y->first);
}

/* Order rows and columns; events without counts get no column. */
static void set_columns(struct counting *c)
{
	struct rpt_thread_counts *counts = c->counts;

	for (size_t i = 0; i < c->events->nr; i++)
		if (c->by_event[i].number != UINT32_MAX)
			c->by_event[counts->column_nr++] = c->by_event[i];
	if (counts->column_nr)
		qsort(c->by_event, counts->column_nr, sizeof(*c->by_event),
		      compare);
	if (counts->threads.nr)
		qsort(counts->rows, counts->threads.nr, sizeof(*counts->rows),
		      compare);
}

int rpt_thread_counts_load(struct rpt_thread_counts *ret,
			   struct pd_reader *reader, struct rpt_budget *budget,
			   struct pd_err *err)
{
	struct counting c = { ret, pd_reader_events(reader), budget, NULL };
	struct pd_records it;
	struct pd_record rec;
	int rc;

	*ret = (struct rpt_thread_counts){ .budget = budget,
					   .damage.first = PD_ERR_INIT };
	ret->columns =
		rpt_alloc_zeroed(c.events->nr + 1, sizeof(*ret->columns));
	c.by_event = ret->columns;
	for (size_t i = 0; i < c.events->nr; i++)
		c.by_event[i].number = UINT32_MAX;
	pd_records_init(&it, reader, pd_reader_data(reader));
	while ((rc = pd_records_next(&it, &rec, err)) > 0) {
		if (!add_record(&c, &rec))
			continue;
		add_damage(ret, &rec, -EFBIG,
			   "more counts of threads than the limit on memory "
			   "allows (--max-ratio); others are left out");
		rc = 0;
		break;
	}
	pd_records_release(&it);
	if (!rc)
		set_columns(&c);
	return rc;
}

void rpt_thread_counts_release(struct rpt_thread_counts *counts)
{
	rpt_intern_release(&counts->threads);
	rpt_intern_release(&counts->cells);
	free(counts->values);
	free(counts->rows);
	free(counts->columns);
	*counts = (struct rpt_thread_counts){ .column_nr = 0 };
}

/* Return the count of a cell; 0 if there is none. */
static uint64_t value_at(const struct rpt_thread_counts *counts, uint32_t row,
			 uint32_t column)
{
	const uint32_t key[2] = { counts->rows[row].number,
				  counts->columns[column].number };
	int64_t idx = rpt_intern_find(&counts->cells, key, sizeof(key));

	return idx < 0 ? 0 : counts->values[idx];
}

static int digits_nr(uint64_t number)
{
	int nr = 1;

	for (; number > 9; number /= 10)
		nr++;
	return nr;
}

static void widen(int *width, int len)
{
	if (*width < len)
		*width = len;
}

struct widths {
	int pid, tid;
	int name, raw, count; /* if each count has a line */
	int *counts;	      /* by number of the event, if it has a column */
};

static const uint32_t *task_at(const struct rpt_thread_counts *counts,
			       uint32_t row)
{
	return rpt_intern_key(&counts->threads, counts->rows[row].number);
}

static int name_len(const struct pd_event_set *events, uint32_t event)
{
	char buf[RPT_EVENT_NAME_LEN];

	return (int)strlen(rpt_event_name(&events->events[event], buf));
}

static void print_name(const struct pd_event_set *events, uint32_t event,
		       int width, FILE *out)
{
	char buf[RPT_EVENT_NAME_LEN];

	fprintf(out, "  %*s", width - name_len(events, event), "");
	sup_put_safe_text(out, rpt_event_name(&events->events[event], buf));
}

static void measure(const struct rpt_thread_counts *counts,
		    const struct pd_event_set *events, struct widths *w)
{
	w->pid = w->tid = w->raw = 3;
	w->name = 4;
	w->count = 5;
	for (uint32_t c = 0; c < counts->column_nr; c++) {
		uint32_t event = counts->columns[c].number;

		w->counts[event] = name_len(events, event);
		widen(&w->name, w->counts[event]);
		widen(&w->raw, digits_nr(event));
	}
	for (uint32_t r = 0; r < counts->threads.nr; r++) {
		widen(&w->pid, digits_nr(task_at(counts, r)[0]));
		widen(&w->tid, digits_nr(task_at(counts, r)[1]));
	}
	for (uint32_t i = 0; i < counts->cells.nr; i++) {
		const uint32_t *cell = rpt_intern_key(&counts->cells, i);

		widen(&w->counts[cell[1]], digits_nr(counts->values[i]));
		widen(&w->count, digits_nr(counts->values[i]));
	}
}

/* Return true if the budget allows one more line.  Every thread has a cell for
 * every event, with a count or not: a file of a MiB could ask for 50 million.
 */
static bool may_print(struct rpt_thread_counts *counts, uint64_t line_len)
{
	struct pd_err err = PD_ERR_INIT;

	if (rpt_budget_take(counts->budget, line_len))
		return true;
	pd_err_set(&err, -EFBIG,
		   "the table of threads is longer than the limit on memory "
		   "allows (--max-ratio); later threads are left out");
	pd_damage_add(&counts->damage, PD_DAMAGE_RECORD, 0, &err);
	return false;
}

static void print_table(struct rpt_thread_counts *counts,
			const struct pd_event_set *events,
			const struct widths *w, FILE *out)
{
	uint64_t line_len = (uint64_t)w->pid + (uint64_t)w->tid + 5;

	fprintf(out, "# %*s  %*s", w->pid, "PID", w->tid, "TID");
	for (uint32_t c = 0; c < counts->column_nr; c++) {
		uint32_t event = counts->columns[c].number;

		print_name(events, event, w->counts[event], out);
		line_len += (uint64_t)w->counts[event] + 2;
	}
	fputc('\n', out);
	for (uint32_t r = 0; r < counts->threads.nr; r++) {
		const uint32_t *task = task_at(counts, r);

		if (!may_print(counts, line_len))
			break;
		fprintf(out, "  %*" PRIu32 "  %*" PRIu32, w->pid, task[0],
			w->tid, task[1]);
		for (uint32_t c = 0; c < counts->column_nr; c++)
			fprintf(out, "  %*" PRIu64,
				w->counts[counts->columns[c].number],
				value_at(counts, r, c));
		fputc('\n', out);
	}
}

/* Print a line for each count; its column Raw is the event's number. */
static void print_lines(struct rpt_thread_counts *counts,
			const struct pd_event_set *events,
			const struct widths *w, FILE *out)
{
	uint64_t line_len = (uint64_t)w->pid + (uint64_t)w->tid +
			    (uint64_t)w->name + (uint64_t)w->raw +
			    (uint64_t)w->count + 11;

	fprintf(out, "# %*s  %*s  %*s  %*s  %*s\n", w->pid, "PID", w->tid,
		"TID", w->name, "Name", w->raw, "Raw", w->count, "Count");
	for (uint32_t r = 0; r < counts->threads.nr; r++) {
		const uint32_t *task = task_at(counts, r);

		if (!may_print(counts, line_len * counts->column_nr))
			break;
		for (uint32_t c = 0; c < counts->column_nr; c++) {
			uint32_t event = counts->columns[c].number;

			fprintf(out, "  %*" PRIu32 "  %*" PRIu32, w->pid,
				task[0], w->tid, task[1]);
			print_name(events, event, w->name, out);
			fprintf(out, "  %*" PRIu32 "  %*" PRIu64 "\n", w->raw,
				event, w->count, value_at(counts, r, c));
		}
	}
}

void rpt_thread_counts_print(struct rpt_thread_counts *counts,
			     const struct pd_event_set *events, bool is_raw,
			     FILE *out)
{
	struct widths w = {
		.counts = rpt_alloc_zeroed(events->nr + 1, sizeof(*w.counts)),
	};

	measure(counts, events, &w);
	if (is_raw)
		print_lines(counts, events, &w, out);
	else
		print_table(counts, events, &w, out);
	free(w.counts);
}
