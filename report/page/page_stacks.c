#include "report/page/page_stacks.h"

#include "report/base/memory.h"
#include "report/events/sample_value.h"
#include "report/page/page_write.h"

#include <stdlib.h>
#include <string.h>

struct event {
	char *name; /* owned */
	bool is_clock;
};

struct rpt_page_stacks {
	struct rpt_page_fill fill;
	struct event *events; /* owned; by tree */
	uint32_t event_nr, event_cap;
	uint32_t lane_nr;
};

struct rpt_page_stacks *rpt_page_stacks_new(bool are_stems)
{
	struct rpt_page_stacks *page = rpt_alloc_zeroed(1, sizeof(*page));

	rpt_page_fill_init(&page->fill);
	page->fill.names.are_stems = are_stems;
	return page;
}

void rpt_page_stacks_free(struct rpt_page_stacks *page)
{
	if (!page)
		return;
	for (uint32_t i = 0; i < page->event_nr; i++)
		free(page->events[i].name);
	free(page->events);
	rpt_page_fill_release(&page->fill);
	free(page);
}

uint32_t rpt_page_stacks_lane(struct rpt_page_stacks *page, const char *name)
{
	uint32_t idx = page->lane_nr++;

	/* each is a process of one thread: a row of its own */
	return rpt_page_names_thread(
		&page->fill.names,
		&(struct rpt_page_thread){ .pid = idx, .tid = idx }, name, 0);
}

uint32_t rpt_page_stacks_event(struct rpt_page_stacks *page, const char *name,
			       bool is_clock)
{
	for (uint32_t i = 0; i < page->event_nr; i++) {
		if (strcmp(page->events[i].name, name) != 0)
			continue;
		page->events[i].is_clock |= is_clock;
		return i;
	}
	page->events = rpt_grow(page->events, &page->event_cap, page->event_nr,
				sizeof(*page->events));
	page->events[page->event_nr] = (struct event){
		rpt_alloc_text(name, strlen(name)),
		is_clock,
	};
	rpt_page_fill_reserve(&page->fill, page->event_nr + 1);
	return page->event_nr++;
}

static uint32_t function_of(struct rpt_page_stacks *page,
			    const struct rpt_page_frame *frame)
{
	const char *dso = *frame->dso ? frame->dso : NULL;
	const char *name = frame->name;

	if (frame->kind == RPT_PAGE_NAMELESS)
		name = dso ? dso : "[unknown]";
	return rpt_page_names_of(&page->fill.names, name, dso, frame->kind);
}

uint32_t rpt_page_stacks_node(struct rpt_page_stacks *page, uint32_t event,
			      const struct rpt_page_stack *stack)
{
	struct rpt_page_tree *tree = &page->fill.trees[event];
	uint32_t task = rpt_page_names_of_task(&page->fill.names, stack->comm);
	uint32_t node = rpt_page_tree_child(tree, 0, task);

	for (size_t i = 0; i < stack->frame_nr; i++) {
		const struct rpt_page_frame *frame = &stack->frames[i];
		uint32_t function = function_of(page, frame);

		if (frame->kind != RPT_PAGE_NAMELESS ||
		    tree->nodes[node].function != function)
			node = rpt_page_tree_child(tree, node, function);
	}
	return node;
}

void rpt_page_stacks_add(struct rpt_page_stacks *page, uint32_t event,
			 const struct rpt_page_entry *entry)
{
	struct rpt_page_names *names = &page->fill.names;
	const struct rpt_page_thread *thread =
		rpt_intern_key(&names->threads, entry->lane);
	struct rpt_page_entry with_cpu = *entry;

	with_cpu.cpu = rpt_page_names_cpu(names, RPT_NO_KEY);
	rpt_page_names_thread(names, thread, NULL, entry->nr);
	rpt_page_tree_add(&page->fill.trees[event], &with_cpu);
}

/* For the head. */
struct head {
	const struct rpt_page_stacks *page;
	const struct rpt_page_stacks_head *from;
};

static void put_facts(struct rpt_json *json,
		      const struct rpt_page_stacks_head *head)
{
	rpt_json_key(json, "recordings");
	rpt_json_open(json, '[');
	rpt_json_open(json, '[');
	for (size_t i = 0; i < head->fact_nr; i++) {
		rpt_json_open(json, '[');
		rpt_json_str(json, head->facts[i].label);
		rpt_json_str(json, head->facts[i].text);
		rpt_json_close(json, ']');
	}
	rpt_json_close(json, ']');
	rpt_json_close(json, ']');
}

static void put_time(struct rpt_json *json,
		     const struct rpt_page_stacks_head *head)
{
	rpt_json_key(json, "time");
	if (head->bin_nr < 2) {
		rpt_json_str(json, NULL);
		return;
	}
	rpt_json_open(json, '{');
	rpt_json_member_u64(json, "first_ns", head->first_ns);
	rpt_json_member_u64(json, "span_ns", head->bin_nr * head->bin_ns);
	rpt_json_member_u64(json, "bins", head->bin_nr);
	rpt_json_member_u64(json, "bin_ns", head->bin_ns);
	rpt_json_member_bool(json, "utc", true);
	rpt_json_close(json, '}');
}

static void put_losses(struct rpt_json *json, uint64_t lost_nr)
{
	rpt_json_key(json, "losses");
	rpt_json_open(json, '[');
	if (lost_nr) {
		rpt_json_open(json, '{');
		rpt_json_member_u64(json, "bin", 0);
		rpt_json_member_u64(json, "bins", 0);
		rpt_json_key(json, "cpu");
		rpt_json_int(json, -1);
		rpt_json_member_u64(json, "samples", lost_nr);
		rpt_json_close(json, '}');
	}
	rpt_json_close(json, ']');
}

static void put_groups(struct rpt_json *json,
		       const struct rpt_page_stacks_head *head)
{
	if (!head->groups[0])
		return;
	rpt_json_key(json, "groups");
	rpt_json_open(json, '[');
	for (size_t s = 0; s < 2; s++) {
		rpt_json_open(json, '[');
		for (size_t i = 0; i < head->group_nrs[s]; i++) {
			const struct rpt_page_group *g = &head->groups[s][i];

			rpt_json_open(json, '{');
			rpt_json_member_str(json, "file", g->name);
			rpt_json_member_number(json, "lost_pct",
					       100.0 * g->lost_share);
			rpt_json_close(json, '}');
		}
		rpt_json_close(json, ']');
	}
	rpt_json_close(json, ']');
}

static void put_warnings(struct rpt_json *json,
			 const struct rpt_page_conf *conf)
{
	rpt_json_key(json, "warnings");
	rpt_json_open(json, '[');
	for (size_t i = 0; i < conf->warning_nr; i++)
		rpt_json_str(json, conf->warnings[i]);
	rpt_json_close(json, ']');
}

static void put_head(struct rpt_json *json, const void *ctx,
		     const struct rpt_page_fill *fill,
		     const struct rpt_page_conf *conf)
{
	const struct head *head = ctx;
	const struct event *events = head->page->events;

	rpt_json_open(json, '{');
	rpt_page_head_start(json, conf);
	put_warnings(json, conf);
	put_facts(json, head->from);
	put_time(json, head->from);
	rpt_json_key(json, "events");
	rpt_json_open(json, '[');
	for (uint32_t i = 0; i < fill->tree_nr; i++)
		rpt_page_head_event(json, fill, i, events[i].name,
				    events[i].is_clock);
	rpt_json_close(json, ']');
	put_losses(json, head->from->lost_nr);
	rpt_json_member_str(json, "lane", head->from->lane);
	rpt_page_head_fill(json, fill);
	if (head->from->diff) {
		put_groups(json, head->from);
		rpt_json_member_bool(json, "pairs", head->from->are_pairs);
		rpt_page_diff_table(json, head->from->diff);
	}
	rpt_json_close(json, '}');
}

int rpt_page_stacks_print(struct rpt_page_stacks *page,
			  const struct rpt_page_stacks_head *head,
			  const struct rpt_page_conf *conf, FILE *out,
			  struct pd_err *err)
{
	const struct head ctx = { page, head };

	rpt_page_fill_end(&page->fill);
	return rpt_page_write(&page->fill, conf, put_head, &ctx, out, err);
}
