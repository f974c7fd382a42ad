#include "report/callchain/callgraph.h"

#include "format/file/layout.h"
#include "report/base/memory.h"

#include <math.h>
#include <stdlib.h>

#define VALUE_MARGIN 11 /* of flat chains; names stand further in */
#define NAME_MARGIN  16

/* Compare by names, so that equal chains lie side by side, and a longer chain
 * lies behind those that it starts with. */
static int compare_labels(const void *a, const void *b)
{
	const struct rpt_call_chain *x = a;
	const struct rpt_call_chain *y = b;

	for (uint32_t i = 0; i < x->nr && i < y->nr; i++) {
		if (x->labels[i] != y->labels[i])
			return x->labels[i] < y->labels[i] ? -1 : 1;
	}
	return (x->nr > y->nr) - (x->nr < y->nr);
}

/* A chain, with the sums of those equal to it and of those that start with it.
 */
struct entry {
	struct rpt_call_chain chain; /* its sums: of the equal ones */
	uint64_t period;	     /* of these and the longer ones */
	uint64_t sample_nr;
};

static bool starts_with(const struct rpt_call_chain *chain,
			const struct rpt_call_chain *start)
{
	struct rpt_call_chain cut = *chain;

	if (chain->nr < start->nr)
		return false;
	cut.nr = start->nr;
	return compare_labels(&cut, start) == 0;
}

static uint32_t merge_equals(const struct rpt_call_chain *chains, uint32_t nr,
			     struct entry *entries)
{
	uint32_t entry_nr = 0;

	for (uint32_t i = 0; i < nr; i++) {
		struct entry *last = entries + entry_nr - 1;

		if (entry_nr && !compare_labels(&chains[i], &last->chain)) {
			last->chain.period += chains[i].period;
			last->chain.sample_nr += chains[i].sample_nr;
		} else if (chains[i].nr) {
			entries[entry_nr++].chain = chains[i];
		}
	}
	return entry_nr;
}

/* Add the longer chains, which stand right behind those that they start
 * with. */
static void add_longer(struct entry *entries, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		struct entry *entry = &entries[i];

		for (uint32_t k = i;
		     k < nr && starts_with(&entries[k].chain, &entry->chain);
		     k++) {
			entry->period += entries[k].chain.period;
			entry->sample_nr += entries[k].chain.sample_nr;
		}
	}
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	if (x->chain.period != y->chain.period)
		return x->chain.period > y->chain.period ? -1 : 1;
	return compare_labels(&x->chain, &y->chain);
}

static void print_name(const struct rpt_frames *frames, uint32_t label,
		       size_t room, struct rpt_text *out)
{
	char buf[1024];

	rpt_text_short(out,
		       rpt_frame_graph_name(frames, label, buf, sizeof(buf)),
		       room);
}

/* Return whether the address is that of a context mark, as at the end of a
 * broken chain out of a stack copy; perf 6.1 leaves it out here. */
static bool is_context_mark(const struct rpt_frames *frames, uint32_t label)
{
	return frames->items[label].ip >= PD_CONTEXT_MAX;
}

static void print_folded(const struct rpt_frames *frames,
			 const struct entry *entry,
			 const struct rpt_callgraph_style *style,
			 struct rpt_text *out)
{
	const struct rpt_call_chain *chain = &entry->chain;
	char separator = style->separator ? style->separator : ';';
	bool is_first = true;

	rpt_callgraph_print_value(style, chain->period, chain->sample_nr,
				  style->total, out);
	for (uint32_t i = 0; i < chain->nr; i++) {
		if (is_context_mark(frames, chain->labels[i]))
			continue;
		rpt_text_char(out, is_first ? ' ' : separator);
		print_name(frames, rpt_call_chain_frame(chain, i), SIZE_MAX,
			   out);
		is_first = false;
	}
	rpt_text_char(out, '\n');
}

static void print_flat(const struct rpt_frames *frames,
		       const struct entry *entry,
		       const struct rpt_callgraph_style *style,
		       struct rpt_text *out)
{
	rpt_text_pad(out, VALUE_MARGIN);
	rpt_callgraph_print_value(style, entry->period, entry->sample_nr,
				  style->total, out);
	for (uint32_t i = 0; i < entry->chain.nr; i++) {
		if (is_context_mark(frames, entry->chain.labels[i]))
			continue;
		rpt_text_char(out, '\n');
		rpt_text_pad(out, NAME_MARGIN);
		print_name(frames, rpt_call_chain_frame(&entry->chain, i),
			   rpt_look_room(&style->look, NAME_MARGIN), out);
	}
	rpt_text_str(out, "\n\n");
}

void rpt_callgraph_print_chains(const struct rpt_frames *frames,
				struct rpt_call_chain *chains, uint32_t nr,
				const struct rpt_callgraph_style *style,
				struct rpt_text *out)
{
	double least =
		floor((double)style->least_of * (style->min_pct / 100.0));
	struct entry *entries = rpt_alloc_zeroed(nr, sizeof(*entries));
	uint32_t entry_nr;

	qsort(chains, nr, sizeof(*chains), compare_labels);
	entry_nr = merge_equals(chains, nr, entries);
	add_longer(entries, entry_nr);
	qsort(entries, entry_nr, sizeof(*entries), compare_entries);
	for (uint32_t i = 0; i < entry_nr; i++) {
		if ((double)entries[i].chain.period < least ||
		    (style->show_nr && i == style->show_nr))
			break;
		if (style->mode == RPT_GRAPH_FOLDED)
			print_folded(frames, &entries[i], style, out);
		else
			print_flat(frames, &entries[i], style, out);
	}
	free(entries);
}
