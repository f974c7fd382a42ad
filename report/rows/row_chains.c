#include "report/rows/row_chains.h"

#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct rpt_stack_chain {
	size_t start; /* its first label */
	uint64_t period;
	uint64_t sample_nr;
	uint32_t nr;
	uint32_t row;
};

/* A chain from a label on. */
struct rpt_chain_part {
	uint32_t chain;
	uint32_t from;
};

void rpt_row_chains_release(struct rpt_row_chains *chains)
{
	free(chains->chains);
	free(chains->labels);
	free(chains->frames);
	free(chains->ends);
	free(chains->rows);
	free(chains->starts);
	free(chains->parts);
	free(chains->of_row);
	*chains = (struct rpt_row_chains){ 0 };
}

static void grow_labels(struct rpt_row_chains *chains, uint32_t more_nr,
			bool has_ends)
{
	size_t cap = chains->labels_cap ? chains->labels_cap : 1024;

	if (more_nr <= chains->labels_cap - chains->labels_nr)
		return;
	while (cap - chains->labels_nr < more_nr)
		cap *= 2;
	chains->labels =
		rpt_realloc_array(chains->labels, cap, sizeof(*chains->labels));
	chains->rows =
		rpt_realloc_array(chains->rows, cap, sizeof(*chains->rows));
	if (has_ends)
		chains->ends = rpt_realloc_array(chains->ends, cap,
						 sizeof(*chains->ends));
	chains->labels_cap = cap;
}

void rpt_row_chains_add(struct rpt_row_chains *chains,
			const struct rpt_call_chain *chain, uint32_t row)
{
	size_t start = chains->labels_nr;

	chains->chains = rpt_grow(chains->chains, &chains->cap, chains->nr,
				  sizeof(*chains->chains));
	grow_labels(chains, chain->nr, chain->ends);
	memcpy(chains->labels + start, chain->frames,
	       chain->nr * sizeof(*chain->frames));
	if (chain->ends)
		memcpy(chains->ends + start, chain->ends,
		       chain->nr * sizeof(*chain->ends));
	for (uint32_t i = 0; i < chain->nr; i++)
		chains->rows[start + i] = RPT_NO_ROW;
	chains->labels_nr += chain->nr;
	chains->chains[chains->nr++] = (struct rpt_stack_chain){
		.start = start,
		.period = chain->period,
		.sample_nr = chain->sample_nr,
		.nr = chain->nr,
		.row = row,
	};
}

void rpt_row_chains_count(struct rpt_row_chains *chains, uint32_t row,
			  uint32_t from)
{
	const struct rpt_stack_chain *chain = &chains->chains[chains->nr - 1];

	chains->rows[chain->start + from] = row;
}

typedef void part_fn(struct rpt_row_chains *chains, uint32_t row,
		     struct rpt_chain_part part);

static void count_part(struct rpt_row_chains *chains, uint32_t row,
		       struct rpt_chain_part part)
{
	(void)part;
	chains->starts[row + 1]++;
}

static void put_part(struct rpt_row_chains *chains, uint32_t row,
		     struct rpt_chain_part part)
{
	chains->parts[chains->starts[row]++] = part;
}

static void each_part(struct rpt_row_chains *chains, const bool *is_wanted,
		      part_fn *fn)
{
	for (uint32_t i = 0; i < chains->nr; i++) {
		const struct rpt_stack_chain *chain = &chains->chains[i];
		const uint32_t *rows = chains->rows + chain->start;

		if (is_wanted[chain->row])
			fn(chains, chain->row, (struct rpt_chain_part){ i, 0 });
		for (uint32_t k = 0; k < chain->nr; k++) {
			if (rows[k] != RPT_NO_ROW && is_wanted[rows[k]])
				fn(chains, rows[k],
				   (struct rpt_chain_part){ i, k });
		}
	}
}

/* Return from which frame on a chain is wanted; chain->nr if it is not. */
static uint32_t first_wanted(const struct rpt_row_chains *chains,
			     const struct rpt_stack_chain *chain,
			     const bool *is_wanted)
{
	const uint32_t *rows = chains->rows + chain->start;
	uint32_t i = 0;

	if (is_wanted[chain->row])
		return 0;
	while (i < chain->nr && (rows[i] == RPT_NO_ROW || !is_wanted[rows[i]]))
		i++;
	return i;
}

/* Copy the frames: functions on one source line are one node, which each row
 * names after the first of them that it has. */
static void copy_frames(struct rpt_row_chains *chains)
{
	size_t len = chains->labels_nr * sizeof(*chains->frames);

	chains->frames = rpt_alloc(len);
	if (len)
		memcpy(chains->frames, chains->labels, len);
}

/* Make labels only for chains that are shown: most frames of many tables are in
 * none. */
static void make_labels(struct rpt_row_chains *chains,
			struct rpt_frames *frames, const bool *is_wanted)
{
	for (uint32_t i = 0; i < chains->nr; i++) {
		const struct rpt_stack_chain *chain = &chains->chains[i];
		uint32_t *labels = chains->labels + chain->start;
		uint32_t k = first_wanted(chains, chain, is_wanted);

		for (; k < chain->nr; k++)
			labels[k] = rpt_frame_label(frames, labels[k]);
	}
}

/* Sort parts by row, counting them first. */
void rpt_row_chains_index(struct rpt_row_chains *chains,
			  struct rpt_frames *frames, const bool *is_wanted,
			  uint32_t row_nr)
{
	size_t most = 0;

	if (frames->key == RPT_FRAME_SRCLINE)
		copy_frames(chains);
	make_labels(chains, frames, is_wanted);
	chains->starts =
		rpt_alloc_zeroed((size_t)row_nr + 2, sizeof(*chains->starts));
	each_part(chains, is_wanted, count_part);
	for (uint32_t i = 1; i <= row_nr; i++) {
		if (chains->starts[i] > most)
			most = chains->starts[i];
		chains->starts[i] += chains->starts[i - 1];
	}
	chains->parts = rpt_alloc_zeroed(chains->starts[row_nr],
					 sizeof(*chains->parts));
	chains->of_row = rpt_alloc_zeroed(most, sizeof(*chains->of_row));
	each_part(chains, is_wanted, put_part);
	memmove(chains->starts + 1, chains->starts,
		row_nr * sizeof(*chains->starts));
	chains->starts[0] = 0;
}

struct rpt_call_chain *rpt_row_chains_of(struct rpt_row_chains *chains,
					 uint32_t row, uint32_t *ret_nr)
{
	size_t start = chains->starts[row];
	uint32_t nr = (uint32_t)(chains->starts[row + 1] - start);

	for (uint32_t i = 0; i < nr; i++) {
		struct rpt_chain_part part = chains->parts[start + i];
		const struct rpt_stack_chain *chain =
			&chains->chains[part.chain];

		chains->of_row[i] = (struct rpt_call_chain){
			.labels = chains->labels + chain->start + part.from,
			.frames = chains->frames
					  ? chains->frames + chain->start +
						    part.from
					  : NULL,
			.ends = chains->ends ? chains->ends + chain->start +
						       part.from
					     : NULL,
			.nr = chain->nr - part.from,
			.period = chain->period,
			.sample_nr = chain->sample_nr,
		};
	}
	*ret_nr = nr;
	return chains->of_row;
}
