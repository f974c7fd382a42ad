#include "report/page/page_diff.h"

#include "report/base/memory.h"
#include "report/diff/out_diff.h"
#include "report/page/page_gaps.h"
#include "report/page/page_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rpt_page_diff {
	struct rpt_run_visitor visitor;
	struct rpt_page_fill fill;
	const struct rpt_run *first; /* NULL: none was added */
	uint32_t run_nr;
	int rc;			       /* of the run that could not be added */
	struct rpt_text_string *facts; /* of all runs: JSON, with commas */
	struct rpt_text_heap facts_text;
	uint64_t *throttle_nrs; /* by run; owned */
	uint32_t throttle_cap;
};

static void start(struct rpt_page_diff *page)
{
	rpt_page_fill_release(&page->fill);
	rpt_page_fill_init(&page->fill);
	page->fill.names.are_stems = true;
	page->run_nr = 0;
	page->rc = 0;
	page->facts_text.len = 0;
}

/* Keep what the recording says of itself, as it will be closed. */
static void keep_facts(struct rpt_page_diff *page, struct pd_reader *reader)
{
	struct rpt_json json = RPT_JSON_INIT(&page->facts->text, "");
	const char *text;
	size_t len;

	rpt_page_head_facts(&json, reader, NULL);
	text = rpt_text_string_take(page->facts, &len);
	if (page->facts_text.len)
		rpt_text_heap_add(&page->facts_text, ",", 1);
	rpt_text_heap_add(&page->facts_text, text, len);
}

static void visit(void *ctx, const struct rpt_run *run,
		  struct rpt_report *report)
{
	struct rpt_page_diff *page = ctx;
	size_t nr = run->event_nr;
	uint32_t *events = rpt_alloc_zeroed(nr + 1, sizeof(*events));
	unsigned *modes = rpt_alloc_zeroed(nr + 1, sizeof(*modes));
	struct rpt_page_input input = {
		.report = report,
		.frames = &report->frames,
		.events = events,
		.modes = modes,
		.name = run->path,
	};

	if (!page->first || run == page->first)
		start(page);
	page->first = page->first ? page->first : run;
	input.idx = page->run_nr++;
	for (size_t e = 0; e < nr; e++) {
		events[e] = run->events[e].number;
		modes[e] = run->events[e].modes;
		rpt_page_fill_reserve(&page->fill, events[e] + 1);
	}
	keep_facts(page, report->reader);
	/* a run without samples has a lane, too */
	rpt_page_names_thread(&page->fill.names,
			      &(struct rpt_page_thread){ .input = input.idx },
			      run->path, 0);
	page->throttle_nrs = rpt_grow(page->throttle_nrs, &page->throttle_cap,
				      input.idx, sizeof(*page->throttle_nrs));
	page->throttle_nrs[input.idx] = rpt_page_throttle_nr(report);
	if (!page->rc)
		page->rc = rpt_page_fill_add(&page->fill, &input);
	free(events);
	free(modes);
}

struct rpt_page_diff *rpt_page_diff_new(void)
{
	struct rpt_page_diff *page = rpt_alloc_zeroed(1, sizeof(*page));

	page->visitor = (struct rpt_run_visitor){ visit, page };
	page->facts = rpt_text_string_new();
	return page;
}

void rpt_page_diff_free(struct rpt_page_diff *page)
{
	if (!page)
		return;
	rpt_page_fill_release(&page->fill);
	rpt_text_string_free(page->facts);
	free(page->facts_text.data);
	free(page->throttle_nrs);
	free(page);
}

const struct rpt_run_visitor *
rpt_page_diff_visitor(const struct rpt_page_diff *page)
{
	return &page->visitor;
}

/* For the head. */
struct head {
	const struct rpt_page_diff *page;
	const struct rpt_page_diff_result *diff;
};

/* Return the event of that number in the first run that has it; NULL: none. */
static const struct rpt_run_event *
find_event(const struct rpt_page_diff_result *diff, uint32_t number)
{
	for (size_t r = 0; r < diff->args->path_nr; r++)
		for (size_t e = 0; e < diff->runs[r].event_nr; e++)
			if (diff->runs[r].events[e].number == number)
				return &diff->runs[r].events[e];
	return NULL;
}

static void put_events(struct rpt_json *json, const struct head *head,
		       const struct rpt_page_fill *fill)
{
	rpt_json_key(json, "events");
	rpt_json_open(json, '[');
	for (uint32_t i = 0; i < fill->tree_nr; i++) {
		const struct rpt_run_event *event = find_event(head->diff, i);

		rpt_page_head_event(json, fill, i, event ? event->name : "",
				    event && event->is_clock);
	}
	rpt_json_close(json, ']');
}

/* Put the blocks of time: parts of each run. */
static void put_blocks(struct rpt_json *json, const struct head *head)
{
	bool has_times = true;

	for (size_t r = 0; r < head->diff->args->path_nr; r++)
		has_times &= head->diff->runs[r].block_nr > 1;
	rpt_json_key(json, "time");
	if (!has_times) {
		rpt_json_str(json, NULL);
		return;
	}
	rpt_json_open(json, '{');
	rpt_json_member_u64(json, "first_ns", 0);
	rpt_json_member_u64(json, "span_ns", 0);
	rpt_json_member_u64(json, "bins", RPT_BLOCKS_MAX);
	rpt_json_member_u64(json, "bin_ns", 0);
	rpt_json_close(json, '}');
}

void rpt_page_diff_table(struct rpt_json *json,
			 const struct rpt_page_diff_result *diff)
{
	struct rpt_text_string *string = rpt_text_string_new();
	const char *text;
	size_t len;

	rpt_diff_print_json(diff->args, diff->sides, diff->tables,
			    diff->table_nr, &string->text);
	text = rpt_text_string_take(string, &len);
	rpt_json_key(json, "diff");
	rpt_json_raw(json, text, len);
	rpt_text_string_free(string);
}

/* Put what a reader of the numbers has to know of each run. */
static void put_warnings(struct rpt_json *json, const struct head *head)
{
	char *text;

	rpt_json_key(json, "warnings");
	rpt_json_open(json, '[');
	for (uint32_t r = 0; r < head->page->run_nr; r++) {
		const struct rpt_run *run = &head->diff->runs[r];
		uint64_t nr = head->page->throttle_nrs[r];

		if (run->is_damaged &&
		    asprintf(&text,
			     "%s: not all of it could be read; perfpair check "
			     "says what",
			     run->path) >= 0) {
			rpt_json_str(json, text);
			free(text);
		}
		if (run->lock_reach > 0.0 &&
		    asprintf(&text,
			     "%s: the clock keeps step with a task, and shares "
			     "can be off by %.0f points; the intervals allow "
			     "for it",
			     run->path, ceil(100.0 * run->lock_reach)) >= 0) {
			rpt_json_str(json, text);
			free(text);
		}
		if (nr && asprintf(&text,
				   "%s: the kernel throttled its events "
				   "%" PRIu64 " time%s; there are no samples "
				   "of these times",
				   run->path, nr, nr == 1 ? "" : "s") >= 0) {
			rpt_json_str(json, text);
			free(text);
		}
	}
	rpt_json_close(json, ']');
}

static void put_head(struct rpt_json *json, const void *ctx,
		     const struct rpt_page_fill *fill,
		     const struct rpt_page_conf *conf)
{
	const struct head *head = ctx;
	const struct rpt_text_heap *facts = &head->page->facts_text;

	rpt_json_open(json, '{');
	rpt_page_head_start(json, conf);
	put_warnings(json, head);
	rpt_json_key(json, "recordings");
	rpt_json_open(json, '[');
	rpt_json_raw(json, facts->data, facts->len);
	rpt_json_close(json, ']');
	put_blocks(json, head);
	put_events(json, head, fill);
	rpt_json_key(json, "losses");
	rpt_json_open(json, '[');
	rpt_json_close(json, ']');
	rpt_page_head_fill(json, fill);
	rpt_page_diff_table(json, head->diff);
	rpt_json_close(json, '}');
}

int rpt_page_diff_print(struct rpt_page_diff *page,
			const struct rpt_page_diff_result *diff,
			const struct rpt_page_conf *conf, FILE *out,
			struct pd_err *err)
{
	const struct head head = { page, diff };

	if (page->rc)
		return pd_err_set(err, page->rc,
				  "more different addresses than the limit on "
				  "memory allows (--max-ratio)");
	rpt_page_fill_end(&page->fill);
	return rpt_page_write(&page->fill, conf, put_head, &head, out, err);
}
