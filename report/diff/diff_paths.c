#include "report/diff/diff_run.h"

#include "report/base/memory.h"
#include "report/callchain/chain.h"
#include "report/elf/function_stem.h"
#include "report/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN 4096
#define ROOT	 0 /* parent of the outermost functions */

struct walk {
	struct rpt_run_event *event;
	struct rpt_labels *labels;
	struct rpt_report *report;
	struct rpt_chain chain;
	struct rpt_intern edges; /* (parent, frame) */
	uint32_t *edge_labels;	 /* the labels that edges lead to */
	uint32_t edges_cap;
};

static bool is_jit(const struct rpt_frame *frame)
{
	return frame->sym && frame->dso &&
	       rpt_diff_is_jit(rpt_dso_name(frame->dso));
}

/* Return the label of a frame's function below a caller's label (parent), by
 * name. */
static uint32_t label_below(struct walk *w, uint32_t parent, uint32_t frame)
{
	char full[NAME_LEN], stem[NAME_LEN], key[NAME_LEN + 32];
	const char *name = rpt_frame_name(&w->report->frames.items[frame], full,
					  sizeof(full));
	struct rpt_label *label;
	uint32_t idx;
	int len;

	if (!w->report->frames.items[frame].sym)
		name = "[unknown]";
	rpt_diff_symbol(name, RPT_NAME_STEM, stem, sizeof(stem));
	if (is_jit(&w->report->frames.items[frame]))
		rpt_diff_jit_symbol(name, stem, sizeof(stem));
	len = snprintf(key, sizeof(key), "%" PRIu32 ";%" PRIu32 ";%s",
		       w->event->number, parent, stem);
	idx = rpt_label_new(w->labels, key, (size_t)len);
	if (w->labels->items[idx].texts[0])
		return idx;
	label = &w->labels->items[idx];
	label->parent = parent;
	rpt_label_fill(w->labels, label, stem, strlen(stem) + 1);
	return idx;
}

/* The same; known edges are found by their numbers. */
static uint32_t step(struct walk *w, uint32_t parent, uint32_t frame)
{
	uint32_t edge[2] = { parent, frame };
	uint32_t known_nr = w->edges.nr;
	int64_t idx = rpt_intern(&w->edges, edge, sizeof(edge));

	if (idx < known_nr)
		return w->edge_labels[idx];
	w->edge_labels = rpt_grow(w->edge_labels, &w->edges_cap, known_nr,
				  sizeof(*w->edge_labels));
	w->edge_labels[idx] = label_below(w, parent, frame);
	return w->edge_labels[idx];
}

/* Set w->chain to the frames of a stack, the outermost first.  Without a chain,
 * return 1 + the frame of the sample; else 0, or a negative errno. */
static int frames_of(struct walk *w, const struct rpt_stack_key *key,
		     const struct rpt_stack *stack)
{
	struct rpt_chain_conf conf = {
		.is_caller_first = true,
		.max_stack = w->report->rows_conf.max_stack,
	};
	struct rpt_frames *frames = &w->report->frames;
	struct rpt_frame_scope scope;
	struct rpt_frame_span span;
	int rc = 0;

	rpt_chain_scope(frames, key, stack, &scope);
	w->chain.nr = 0;
	if (key->chain_nr)
		rc = rpt_chain_resolve(&w->chain, frames, key, &scope, &conf);
	if (rc || w->chain.nr)
		return rc;
	rc = rpt_frames_resolve(frames, &scope, key->cpumode, key->ip, &span);
	return rc ? rc : (int)span.self + 1;
}

static int add_stack(struct walk *w, uint32_t idx)
{
	const struct rpt_stack_key *key =
		rpt_profile_key(&w->report->profile, idx);
	const struct rpt_stack *stack = &w->report->profile.stacks[idx];
	struct rpt_sum sum = { (double)stack->period, (double)stack->nr };
	int self = frames_of(w, key, stack);
	uint32_t nr = self ? 1 : w->chain.nr;
	uint32_t parent = ROOT;

	if (self < 0)
		return self;
	rpt_sum_add(&w->event->blocks[key->base->block], &sum);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t label =
			step(w, parent,
			     self ? (uint32_t)self - 1 : w->chain.frames[i]);

		rpt_run_event_add(w->event, label, key->base->block, &sum);
		parent = label + 1;
	}
	return 0;
}

void rpt_diff_paths_load(struct rpt_run_event *event, struct rpt_labels *labels,
			 struct rpt_report *report, uint32_t event_idx)
{
	struct walk w = { .event = event, .labels = labels, .report = report };
	const struct rpt_profile *profile = &report->profile;
	int rc = 0;

	/* out of budget: compare what there is */
	for (uint32_t i = 0; i < profile->keys.nr && !rc; i++) {
		uint32_t idx = report->order[i];
		const struct rpt_stack_key *key = rpt_profile_key(profile, idx);

		if (key->event_idx == event_idx &&
		    rpt_event_modes_have(event->modes, key->cpumode))
			rc = add_stack(&w, idx);
	}
	rpt_chain_release(&w.chain);
	rpt_intern_release(&w.edges);
	free(w.edge_labels);
}
