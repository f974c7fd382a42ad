/* The source lines that rows will show, found by several threads. */
#include "report/rows/rows.h"

#include "report/base/memory.h"
#include "report/callchain/chain.h"
#include "report/symbols/source_line.h"

#include <stdlib.h>

/* Return whether lines of callers are shown, not only of samples. */
static bool shows_chain_lines(const struct rpt_rows *rows)
{
	const struct rpt_rows_conf *conf = &rows->conf;

	return (conf->chains && rows->frames->key != RPT_FRAME_FUNCTION) ||
	       conf->children;
}

/* Resolve a stack as rpt_rows_add() will. */
static int resolve(struct rpt_rows *rows, uint32_t stack_idx)
{
	const struct rpt_stack_key *key =
		rpt_profile_key(rows->profile, stack_idx);
	struct rpt_chain_conf conf = {
		.is_caller_first = rows->conf.is_caller_first,
		.max_stack = rows->conf.max_stack,
	};
	struct rpt_frame_scope scope;
	struct rpt_frame_span span;
	int rc = 0;

	rpt_chain_scope(rows->frames, key, &rows->profile->stacks[stack_idx],
			&scope);
	if (key->chain_nr && shows_chain_lines(rows))
		rc = rpt_chain_resolve(&rows->adding.own.chain, rows->frames,
				       key, &scope, &conf);
	return rc ? rc
		  : rpt_frames_resolve(rows->frames, &scope, key->cpumode,
				       key->ip, &span);
}

static void find(const struct rpt_frames *frames, uint32_t threads)
{
	struct rpt_source_query *queries =
		rpt_alloc_zeroed(frames->nr, sizeof(*queries));

	for (uint32_t i = 0; i < frames->nr; i++)
		queries[i] = (struct rpt_source_query){ frames->items[i].dso,
							frames->items[i].addr };
	rpt_source_lines_find(queries, frames->nr, threads);
	free(queries);
}

void rpt_rows_find_lines(struct rpt_rows *rows, const uint32_t *order,
			 uint32_t threads)
{
	bool is_wanted = rows->conf.keys.by & RPT_BY_LINE ||
			 rows->frames->key != RPT_FRAME_FUNCTION;
	int rc = 0;

	if (!is_wanted || rows->conf.is_branch)
		return;
	/* without budget rpt_rows_add() comes to the same end */
	for (uint32_t i = 0; i < rows->profile->keys.nr && !rc; i++)
		rc = resolve(rows, order[i]);
	find(rows->frames, threads);
}
