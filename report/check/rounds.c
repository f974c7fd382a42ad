#include "report/check/rounds.h"

#include "report/base/memory.h"

#include <stdlib.h>

/* The most markers in memory.  Beyond it every second one is left out, which is
 * always allowed. */
enum { GOOD_NR_MAX = 1 << 16 };

bool rpt_rounds_time(struct rpt_rounds *rounds, uint64_t time_ns)
{
	if (!time_ns || time_ns == UINT64_MAX)
		return false;
	if (time_ns > rounds->max_ns)
		rounds->max_ns = time_ns;
	while (rounds->good_nr &&
	       rounds->good[rounds->good_nr - 1].let_go_ns > time_ns)
		rounds->good_nr--;
	return time_ns < rounds->let_go_ns;
}

void rpt_rounds_mark(struct rpt_rounds *rounds)
{
	rounds->let_go_ns = rounds->seen_ns;
	rounds->seen_ns = rounds->max_ns;
	if (rounds->good_nr == GOOD_NR_MAX) {
		rounds->good_nr /= 2;
		for (uint32_t i = 0; i < rounds->good_nr; i++)
			rounds->good[i] = rounds->good[2 * i];
	}
	rounds->good = rpt_grow(rounds->good, &rounds->good_cap,
				rounds->good_nr, sizeof(*rounds->good));
	rounds->good[rounds->good_nr++] = (struct rpt_round){
		.idx = rounds->mark_nr++,
		.let_go_ns = rounds->let_go_ns,
	};
}

bool rpt_rounds_is_good(struct rpt_rounds *rounds)
{
	uint64_t idx = rounds->again_nr++;

	if (rounds->again_idx == rounds->good_nr ||
	    rounds->good[rounds->again_idx].idx != idx)
		return false;
	rounds->again_idx++;
	return true;
}

void rpt_rounds_release(struct rpt_rounds *rounds)
{
	free(rounds->good);
	*rounds = (struct rpt_rounds){ .good = NULL };
}
