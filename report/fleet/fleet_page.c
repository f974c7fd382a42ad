/* perfpair fleet top|diff --format html: a page of the stacks of all hosts. */
#include "format/support/message.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/fleet/fleet_client.h"
#include "report/fleet/fleet_impl.h"
#include "report/fleet/fleet_load.h"
#include "report/fleet/fleet.h"
#include "report/fleet/fleet_sql.h"
#include "report/page/page_stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Facts that a page of a fleet says of itself. */

struct fleet_facts {
	struct rpt_page_fact *items; /* owned, with their texts */
	uint32_t nr, cap;
	uint64_t lost_nr; /* samples, on all hosts */
	uint64_t host_nr;
	char *title; /* owned */
};

static void add_fact(struct fleet_facts *facts, const char *label, char *text)
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

static void add_terms(struct fleet_facts *facts, const char *label,
		      const struct rpt_fleet_terms *terms)
{
	if (terms->nr)
		add_fact(facts, label, terms_text(terms));
}

static void add_time(struct fleet_facts *facts, const char *label, int64_t s)
{
	time_t t = s;
	struct tm tm;
	char text[64];

	if (s < 0 || !gmtime_r(&t, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		return;
	add_fact(facts, label, rpt_alloc_text(text, strlen(text)));
}

static void add_number(struct fleet_facts *facts, const char *label,
		       uint64_t nr)
{
	char *text;

	if (asprintf(&text, "%" PRIu64, nr) < 0)
		abort();
	add_fact(facts, label, text);
}

/* Add the hosts of a diff, and their samples.  A sample may be on both sides.
 */
static void add_sides(struct fleet_facts *facts,
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

static void add_hosts(struct fleet_facts *facts,
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

/* Say what was asked, and of how many hosts and slices.  load: the sides of a
 * diff; NULL: it is a top.  The caller releases facts. */
static void fleet_facts_make(struct fleet_facts *facts,
			     const struct rpt_fleet_scope *scope,
			     const struct rpt_fleet_load *load)
{
	const struct rpt_fleet_args *args = scope->args;

	*facts = (struct fleet_facts){ .title = title_of(args) };
	add_terms(facts, "old side", &args->old);
	add_terms(facts, "new side", &args->new);
	add_terms(facts, "only samples of", &args->where);
	add_time(facts, "from", args->from_s);
	add_time(facts, "to", args->to_s);
	add_hosts(facts, scope->slices, load);
}

static void fleet_facts_release(struct fleet_facts *facts)
{
	for (uint32_t i = 0; i < facts->nr; i++)
		free((char *)(uintptr_t)facts->items[i].text);
	free(facts->items);
	free(facts->title);
	*facts = (struct fleet_facts){ .nr = 0 };
}

/* The lanes of a comparison's page.
 *
 * The page computes how sure each node's change is from how much the lanes of a
 * side differ.  A lane is a host; if a side has more than RPT_FLEET_LANES, it
 * is one of so many groups of hosts a side, in the order of a hash of the
 * hosts' names, of which none has more than one host more than another.  Groups
 * made by chance estimate the variance as the hosts themselves do, with fewer
 * degrees of freedom (Wolter, Introduction to Variance Estimation, 2007,
 * chapter 2).  A host that is on both sides of pairs is in the same lane of
 * both. */

enum { RPT_FLEET_LANES = 50 };

struct fleet_lanes {
	struct rpt_fleet_ranges ranges; /* each is in one lane of a side */
	/* By side and range: the side's lane; owned. */
	uint32_t *numbers[RPT_FLEET_SIDES];
	/* By side and lane; owned, with their names. */
	struct rpt_page_group *groups[RPT_FLEET_SIDES];
	size_t nr[RPT_FLEET_SIDES]; /* lanes */
	bool are_groups;	    /* not hosts */
};

struct hashed {
	double hash;
	uint32_t host; /* in rpt_fleet_load.hosts of its side */
};

static int compare_hashes(const void *a, const void *b)
{
	const struct hashed *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->host < y->host ? -1 : x->host > y->host;
}

/* Return the hosts of a side in the order of their hashes. */
static struct hashed *sorted_hosts(const struct rpt_fleet_load *load, int s,
				   const struct rpt_fleet_answer *answer)
{
	uint32_t nr = load->hosts[s].nr;
	struct hashed *hosts = rpt_alloc_zeroed((size_t)nr + 1, sizeof(*hosts));

	for (uint32_t h = 0; h < nr; h++)
		hosts[h].host = h;
	for (size_t r = 0; r < answer->row_nr; r++) {
		const char *name =
			rpt_fleet_field(answer, r, RPT_FLEET_HASH_HOST);
		double hash =
			rpt_fleet_number(answer, r, RPT_FLEET_HASH_NUMBER);
		int64_t h =
			rpt_intern_find(&load->hosts[s], name, strlen(name));

		/* below 0: it is on the other side, or came while we asked */
		if (h >= 0 && hash > 0.0)
			hosts[h].hash = hash;
	}
	qsort(hosts, nr, sizeof(*hosts), compare_hashes);
	return hosts;
}

/* Name a lane that has nr hosts. */
static char *name_of(const struct rpt_fleet_load *load, int s,
		     const struct hashed *hosts, size_t nr, size_t idx)
{
	const char *host = load->runs[s][hosts->host].path;
	char *name = NULL;

	if (nr == 1)
		return rpt_alloc_text(host, strlen(host));
	if (asprintf(&name, "%s group %zu, %zu hosts",
		     s == RPT_FLEET_NEW ? "new" : "old", idx + 1, nr) < 0)
		abort();
	return name;
}

/* The beginning of a lane. */
struct start {
	double hash;
	uint32_t number; /* of the lane on its side */
};

/* Make the lanes of a side.  Return where they begin, as many in ascending
 * order. */
static struct start *make_side(struct fleet_lanes *lanes,
			       const struct rpt_fleet_load *load, int s,
			       const struct rpt_fleet_answer *answer)
{
	size_t host_nr = load->hosts[s].nr;
	size_t nr = host_nr < RPT_FLEET_LANES ? host_nr : RPT_FLEET_LANES;
	struct hashed *hosts = sorted_hosts(load, s, answer);
	struct start *starts = rpt_alloc_zeroed(nr + 1, sizeof(*starts));

	lanes->nr[s] = nr;
	lanes->groups[s] = rpt_alloc_zeroed(nr + 1, sizeof(*lanes->groups[s]));
	for (size_t i = 0; i < nr; i++) {
		size_t first = i * host_nr / nr, end = (i + 1) * host_nr / nr;
		uint32_t number =
			lanes->are_groups ? (uint32_t)i : hosts[first].host;
		struct rpt_page_group *group = &lanes->groups[s][number];

		starts[i] = (struct start){ hosts[first].hash, number };
		group->name = name_of(load, s, &hosts[first], end - first, i);
		for (size_t h = first; h < end; h++)
			group->lost_share +=
				load->runs[s][hosts[h].host].lost_share /
				(double)(end - first);
	}
	free(hosts);
	return starts;
}

/* Make ranges that begin where a lane of either side does. */
static void make_ranges(struct fleet_lanes *lanes,
			struct start *const starts[RPT_FLEET_SIDES])
{
	struct rpt_fleet_ranges *ranges = &lanes->ranges;

	ranges->least = rpt_alloc_zeroed(lanes->nr[0] + lanes->nr[1],
					 sizeof(*ranges->least));
	for (int s = 0; s < RPT_FLEET_SIDES; s++)
		for (size_t i = 0; i < lanes->nr[s]; i++)
			ranges->least[ranges->nr++] = starts[s][i].hash;
	qsort(ranges->least, ranges->nr, sizeof(*ranges->least),
	      rpt_compare_doubles);
	for (int s = 0; s < RPT_FLEET_SIDES; s++) {
		size_t at = 0;

		lanes->numbers[s] = rpt_alloc_zeroed(
			ranges->nr, sizeof(*lanes->numbers[s]));
		for (size_t r = 0; r < ranges->nr; r++) {
			while (at + 1 < lanes->nr[s] &&
			       starts[s][at + 1].hash <= ranges->least[r])
				at++;
			lanes->numbers[s][r] = starts[s][at].number;
		}
	}
}

/* Ask for the hashes of the hosts that were loaded.  The caller releases lanes
 * in any case.  Return 0 or a negative errno, with err set. */
static int fleet_lanes_make(struct fleet_lanes *lanes,
			    const struct rpt_fleet_load *load,
			    struct pd_err *err)
{
	struct start *starts[RPT_FLEET_SIDES] = { NULL, NULL };
	struct rpt_fleet_answer answer;
	int rc = rpt_fleet_ask(&answer, load->scope->args,
			       rpt_fleet_sql_hashes(load->scope),
			       RPT_FLEET_HASH_COLUMNS, err);

	*lanes = (struct fleet_lanes){ .are_groups = false };
	for (int s = 0; s < RPT_FLEET_SIDES; s++)
		lanes->are_groups |= load->hosts[s].nr > RPT_FLEET_LANES;
	for (int s = 0; s < RPT_FLEET_SIDES && !rc; s++)
		starts[s] = make_side(lanes, load, s, &answer);
	if (!rc)
		make_ranges(lanes, starts);
	for (int s = 0; s < RPT_FLEET_SIDES; s++)
		free(starts[s]);
	rpt_fleet_answer_release(&answer);
	return rc;
}

static void fleet_lanes_release(struct fleet_lanes *lanes)
{
	for (int s = 0; s < RPT_FLEET_SIDES; s++) {
		for (size_t i = 0; i < lanes->nr[s]; i++)
			free(lanes->groups[s][i].name);
		free(lanes->groups[s]);
		free(lanes->numbers[s]);
	}
	free(lanes->ranges.least);
	*lanes = (struct fleet_lanes){ .are_groups = false };
}

#define NS_PER_S UINT64_C(1000000000)
#define BINS_MAX 100u

/* Frames of a stack in the answer that has their names. */
struct range {
	uint32_t first;
	uint32_t nr;
};

struct page {
	const struct rpt_fleet_scope *scope;
	struct rpt_page_stacks *stacks;
	struct rpt_page_stacks_head head;
	const struct fleet_lanes *lanes;     /* of a diff; NULL: of a top */
	uint32_t lane_base[RPT_FLEET_SIDES]; /* the first of each side */
	struct rpt_intern releases;	     /* by lane, of a top */
	/* The names of all stacks: */
	struct rpt_fleet_answer names;
	struct rpt_page_frame *frames; /* owned; by row of names */
	struct rpt_intern numbers;     /* of stacks, as text */
	struct range *ranges;	       /* owned; by number */
	uint32_t range_cap;
	uint64_t unknown_nr; /* samples of other stacks */
};

static uint64_t whole(double v)
{
	return v > 0.0 && v < 18e18 ? (uint64_t)v : 0;
}

static uint64_t count_at(const struct rpt_fleet_answer *answer, size_t row,
			 size_t column)
{
	return whole(rpt_fleet_number(answer, row, column));
}

/* Return the kind of a frame, as report's page has it of its recording. */
static enum rpt_page_kind kind_of(const char *kind, const char *level)
{
	static const struct {
		const char *name;
		enum rpt_page_kind kind;
	} kinds[] = {
		{ "kernel", RPT_PAGE_KERNEL },
		{ "jit", RPT_PAGE_JIT },
		{ "inlined", RPT_PAGE_INLINED },
		{ "nameless", RPT_PAGE_NAMELESS },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, kind))
			return kinds[i].kind;
	return !strcmp(level, ".") ? RPT_PAGE_USER : RPT_PAGE_GUEST;
}

static void take_name(struct page *page, uint32_t row)
{
	const struct rpt_fleet_answer *names = &page->names;
	const char *number = rpt_fleet_field(names, row, RPT_FLEET_NAME_STACK);
	uint32_t nr = page->numbers.nr;
	uint32_t idx =
		(uint32_t)rpt_intern(&page->numbers, number, strlen(number));

	page->frames[row] = (struct rpt_page_frame){
		.name = rpt_fleet_field(names, row, RPT_FLEET_NAME_FUNCTION),
		.dso = rpt_fleet_field(names, row, RPT_FLEET_NAME_DSO),
		.kind = kind_of(
			rpt_fleet_field(names, row, RPT_FLEET_NAME_KIND),
			rpt_fleet_field(names, row, RPT_FLEET_NAME_LEVEL)),
	};
	if (idx == nr) {
		page->ranges = rpt_grow(page->ranges, &page->range_cap, nr,
					sizeof(*page->ranges));
		page->ranges[idx] = (struct range){ row, 0 };
	}
	/* another number is between them if a client does not sort */
	if (page->ranges[idx].first + page->ranges[idx].nr == row)
		page->ranges[idx].nr++;
}

static int load_names(struct page *page, struct pd_err *err)
{
	int rc = rpt_fleet_ask(&page->names, page->scope->args,
			       rpt_fleet_sql_names(page->scope),
			       RPT_FLEET_NAME_COLUMNS, err);

	if (!rc && page->names.row_nr >= UINT32_MAX)
		rc = pd_err_set(err, -EFBIG,
				"more frames than a page can have: choose "
				"fewer by --filter, --from, --to");
	if (rc)
		return rc;
	page->frames =
		rpt_alloc_zeroed(page->names.row_nr + 1, sizeof(*page->frames));
	for (uint32_t r = 0; r < page->names.row_nr; r++)
		take_name(page, r);
	return 0;
}

static bool is_same(const struct rpt_fleet_answer *answer, size_t a, size_t b,
		    enum rpt_fleet_cell_column column)
{
	return !strcmp(rpt_fleet_field(answer, a, column),
		       rpt_fleet_field(answer, b, column));
}

/* Return the node of a row's stack; *ret_is_unknown: its names are not there.
 */
static uint32_t node_of(struct page *page, uint32_t event,
			const struct rpt_fleet_answer *cells, size_t r,
			bool *ret_is_unknown)
{
	static const struct rpt_page_frame unknown = {
		.dso = "[stack not loaded]",
		.kind = RPT_PAGE_NAMELESS,
	};
	const char *number = rpt_fleet_field(cells, r, RPT_FLEET_CELL_STACK);
	int64_t idx = rpt_intern_find(&page->numbers, number, strlen(number));
	struct rpt_page_stack stack = {
		.comm = rpt_fleet_field(cells, r, RPT_FLEET_CELL_COMM),
	};

	/* stack 0 has no frames */
	*ret_is_unknown = idx < 0 && strcmp(number, "0") != 0;
	if (idx >= 0) {
		stack.frames = &page->frames[page->ranges[idx].first];
		stack.frame_nr = page->ranges[idx].nr;
	} else if (*ret_is_unknown) {
		stack.frames = &unknown;
		stack.frame_nr = 1;
	}
	return rpt_page_stacks_node(page->stacks, event, &stack);
}

/* Return the number of a release's lane, a new one at its first time. */
static uint32_t lane_of_release(struct page *page, const char *text)
{
	uint32_t nr = page->releases.nr;
	uint32_t lane =
		(uint32_t)rpt_intern(&page->releases, text, strlen(text));

	if (lane == nr) {
		text = rpt_intern_key(&page->releases, lane);
		rpt_page_stacks_lane(page->stacks, *text ? text : "no release");
	}
	return lane;
}

/* Get the lanes of a row's samples by side.  Return false if there are none. */
static bool get_lanes(struct page *page, const struct rpt_fleet_answer *cells,
		      size_t r, uint32_t ret[RPT_FLEET_SIDES])
{
	uint64_t range;

	if (!page->lanes) {
		ret[RPT_FLEET_NEW] = lane_of_release(
			page, rpt_fleet_field(cells, r, RPT_FLEET_CELL_LANE));
		ret[RPT_FLEET_OLD] = ret[RPT_FLEET_NEW];
		return true;
	}
	range = count_at(cells, r, RPT_FLEET_CELL_LANE);
	if (range >= page->lanes->ranges.nr)
		return false;
	for (int s = 0; s < RPT_FLEET_SIDES; s++)
		ret[s] = page->lane_base[s] + page->lanes->numbers[s][range];
	return true;
}

/* Return the bin of a row.  One that came while we asked is in the last. */
static uint32_t bin_of(const struct page *page,
		       const struct rpt_fleet_answer *cells, size_t r)
{
	uint64_t at_s = count_at(cells, r, RPT_FLEET_CELL_STEP);
	uint64_t first_s = page->head.first_ns / NS_PER_S, bin;

	if (page->head.bin_nr < 2 || at_s < first_s)
		return 0;
	bin = (at_s - first_s) / (page->head.bin_ns / NS_PER_S);
	return (uint32_t)(bin < page->head.bin_nr ? bin
						  : page->head.bin_nr - 1);
}

/* Add a row's samples of both sides.  entry: the node that they are of, and the
 * bin.  Return how many there are. */
static uint64_t add_samples(struct page *page, uint32_t event,
			    const struct rpt_fleet_answer *cells, size_t r,
			    struct rpt_page_entry *entry,
			    const uint32_t lanes[RPT_FLEET_SIDES])
{
	static const size_t first[] = {
		[RPT_FLEET_OLD] = RPT_FLEET_CELL_OLD,
		[RPT_FLEET_NEW] = RPT_FLEET_CELL_NEW,
	};
	uint64_t nr = 0;

	for (int s = 0; s < RPT_FLEET_SIDES; s++) {
		entry->lane = lanes[s];
		entry->period = count_at(cells, r, first[s]);
		entry->nr = count_at(cells, r, first[s] + 1);
		if (entry->nr)
			rpt_page_stacks_add(page->stacks, event, entry);
		nr += entry->nr;
	}
	return nr;
}

static int take_cells(struct page *page, const struct rpt_fleet_answer *cells,
		      struct pd_err *err)
{
	struct rpt_page_entry entry = { .node = 0 };
	uint32_t event = 0, lanes[RPT_FLEET_SIDES];
	bool is_unknown = false;
	uint64_t nr;

	for (size_t r = 0; r < cells->row_nr; r++) {
		if (!r || !is_same(cells, r - 1, r, RPT_FLEET_CELL_EVENT) ||
		    !is_same(cells, r - 1, r, RPT_FLEET_CELL_COMM) ||
		    !is_same(cells, r - 1, r, RPT_FLEET_CELL_STACK)) {
			event = rpt_page_stacks_event(
				page->stacks,
				rpt_fleet_field(cells, r, RPT_FLEET_CELL_EVENT),
				count_at(cells, r, RPT_FLEET_CELL_CLOCK) > 0);
			entry.node =
				node_of(page, event, cells, r, &is_unknown);
		}
		if (!get_lanes(page, cells, r, lanes))
			return pd_err_set(err, -EBADMSG,
					  "%s: its answer has a lane that was "
					  "not asked for",
					  page->scope->args->client[0]);
		entry.bin = bin_of(page, cells, r);
		nr = add_samples(page, event, cells, r, &entry, lanes);
		page->unknown_nr += is_unknown ? nr : 0;
	}
	return 0;
}

/* Ask for all stacks and their samples. */
static int load_stacks(struct page *page, struct pd_err *err)
{
	const struct rpt_fleet_ranges *ranges =
		page->lanes ? &page->lanes->ranges : NULL;
	uint64_t step_s = page->head.bin_ns / NS_PER_S;
	struct rpt_fleet_answer cells = { .text = NULL };
	int rc = load_names(page, err);

	if (!rc)
		rc = rpt_fleet_ask(&cells, page->scope->args,
				   rpt_fleet_sql_cells(page->scope, ranges,
						       step_s ? step_s : 1),
				   RPT_FLEET_CELL_COLUMNS, err);
	if (!rc)
		rc = take_cells(page, &cells, err);
	rpt_fleet_answer_release(&cells);
	if (!rc && page->unknown_nr)
		sup_message("%" PRIu64 " samples are of stacks that were not "
			    "loaded: load what export --stacks has written",
			    page->unknown_nr);
	return rc;
}

/* Choose bins of 1, 2, 5, 10 ... times what the rows have, so that there are
 * not many. */
static int set_time(struct page *page, struct pd_err *err)
{
	static const uint64_t factors[] = { 1, 2, 5 };
	struct rpt_fleet_answer answer;
	uint64_t first_s = 0, end_s = 0, bin_s = 0, step_s = 1;
	uint64_t scale = 1;
	int rc = rpt_fleet_ask(&answer, page->scope->args,
			       rpt_fleet_sql_span(page->scope),
			       RPT_FLEET_SPAN_COLUMNS, err);

	if (!rc && answer.row_nr) {
		first_s = count_at(&answer, 0, RPT_FLEET_SPAN_FIRST);
		end_s = count_at(&answer, 0, RPT_FLEET_SPAN_END);
		bin_s = count_at(&answer, 0, RPT_FLEET_SPAN_BIN);
	}
	rpt_fleet_answer_release(&answer);
	/* rows have 32 bits of each */
	if (rc || !bin_s || bin_s > UINT32_MAX || end_s > 2ULL * UINT32_MAX ||
	    first_s >= end_s)
		return rc;
	for (size_t i = 0;; i++) {
		step_s = bin_s * factors[i % 3] * scale;
		if (step_s * BINS_MAX >= end_s - first_s)
			break;
		scale *= i % 3 == 2 ? 10 : 1;
	}
	first_s -= first_s % step_s;
	page->head.first_ns = first_s * NS_PER_S;
	page->head.bin_ns = step_s * NS_PER_S;
	page->head.bin_nr = (uint32_t)((end_s - first_s + step_s - 1) / step_s);
	return 0;
}

static int print(struct page *page, const struct fleet_facts *facts, FILE *out,
		 struct pd_err *err)
{
	const struct rpt_fleet_notes *notes = page->scope->notes;
	const struct rpt_page_conf conf = {
		.len_max = page->scope->args->page_len,
		.title = facts->title,
		.warnings = (const char *const *)notes->texts,
		.warning_nr = notes->nr,
	};

	page->head.facts = facts->items;
	page->head.fact_nr = facts->nr;
	return rpt_page_stacks_print(page->stacks, &page->head, &conf, out,
				     err);
}

static void release(struct page *page)
{
	rpt_page_stacks_free(page->stacks);
	rpt_intern_release(&page->releases);
	rpt_fleet_answer_release(&page->names);
	free(page->frames);
	rpt_intern_release(&page->numbers);
	free(page->ranges);
}

int rpt_fleet_page_top(const struct rpt_fleet_scope *scope, FILE *out,
		       struct pd_err *err)
{
	struct page page = {
		.scope = scope,
		.stacks = rpt_page_stacks_new(false),
		.head.lane = "release",
	};
	struct fleet_facts facts;
	int rc = 0;

	fleet_facts_make(&facts, scope, NULL);
	if (!facts.host_nr)
		rc = pd_err_set(err, -ENODATA, "no samples of that");
	page.head.lost_nr = facts.lost_nr;
	if (!rc)
		rc = set_time(&page, err);
	if (!rc)
		rc = load_stacks(&page, err);
	if (!rc)
		rc = print(&page, &facts, out, err);
	fleet_facts_release(&facts);
	release(&page);
	return rc;
}

/* Add the lanes of both sides, and say what they are. */
static void set_lanes(struct page *page, const struct rpt_fleet_load *load,
		      const struct fleet_lanes *lanes)
{
	char *text;

	page->lanes = lanes;
	page->head.lane = lanes->are_groups ? "group" : "host";
	for (int s = 0; s < RPT_FLEET_SIDES; s++) {
		page->lane_base[s] = s ? (uint32_t)lanes->nr[RPT_FLEET_OLD] : 0;
		for (size_t i = 0; i < lanes->nr[s]; i++)
			rpt_page_stacks_lane(page->stacks,
					     lanes->groups[s][i].name);
		page->head.groups[s] =
			lanes->are_groups ? lanes->groups[s] : NULL;
		page->head.group_nrs[s] = lanes->nr[s];
	}
	if (!lanes->are_groups)
		return;
	if (asprintf(&text,
		     "%" PRIu32 " old and %" PRIu32 " new hosts are in %zu and "
		     "%zu random groups: the flame graph's intervals "
		     "come from how much groups differ, and a group's share is "
		     "that of all samples of its hosts; in the table of "
		     "changes each host counts for itself",
		     load->hosts[RPT_FLEET_OLD].nr,
		     load->hosts[RPT_FLEET_NEW].nr, lanes->nr[RPT_FLEET_OLD],
		     lanes->nr[RPT_FLEET_NEW]) < 0)
		abort();
	rpt_fleet_note(page->scope->notes, text);
	free(text);
}

/* Return whether each host is compared with itself. */
static bool are_pairs(const struct rpt_fleet_load *load)
{
	const struct rpt_side *sides = load->sides;

	return sides[0].pair_nr &&
	       sides[0].run_nr + sides[1].run_nr == 2 * sides[0].pair_nr;
}

/* Lanes are pairs if all hosts are. */
static void note_pairs(const struct rpt_fleet_load *load)
{
	char *text = NULL;

	if (!load->sides[0].pair_nr || are_pairs(load))
		return;
	if (asprintf(&text,
		     "%zu hosts ran both: the table of changes compares them "
		     "with themselves, the graph's intervals do not",
		     load->sides[0].pair_nr) < 0)
		abort();
	rpt_fleet_note(load->scope->notes, text);
	free(text);
}

int rpt_fleet_page_diff(const struct rpt_fleet_load *load,
			const struct rpt_page_diff_result *diff, FILE *out,
			struct pd_err *err)
{
	struct page page = {
		.scope = load->scope,
		.stacks = rpt_page_stacks_new(true),
		.head = { .diff = diff, .are_pairs = are_pairs(load) },
	};
	struct fleet_facts facts;
	struct fleet_lanes lanes = { .are_groups = false };
	int rc;

	/* the sides' own members say what was lost */
	fleet_facts_make(&facts, load->scope, load);
	rc = fleet_lanes_make(&lanes, load, err);
	if (!rc) {
		set_lanes(&page, load, &lanes);
		note_pairs(load);
		rc = load_stacks(&page, err);
	}
	if (!rc)
		rc = print(&page, &facts, out, err);
	fleet_lanes_release(&lanes);
	fleet_facts_release(&facts);
	release(&page);
	return rc;
}
