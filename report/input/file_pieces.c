#include "report/input/file_pieces.h"

#include "report/base/jobs.h"

uint32_t rpt_pieces_jobs(const struct rpt_pieces *pieces)
{
	return rpt_jobs_threads(pieces->jobs, pieces->nr);
}

struct reading {
	struct rpt_pieces *pieces;
	rpt_piece_fn *fn;
};

static int read_piece(void *worker, const void *ctx, size_t idx,
		      struct pd_err *err)
{
	const struct reading *reading = ctx;

	return reading->fn(worker, reading->pieces, idx, err);
}

int rpt_pieces_run(struct rpt_pieces *pieces,
		   const struct rpt_piece_workers *workers, struct pd_err *err)
{
	struct reading reading = { pieces, workers->fn };
	struct rpt_jobs jobs = {
		.workers = workers->items,
		.worker_len = workers->len,
		.worker_nr = workers->nr,
		.nr = pieces->nr,
		.fn = read_piece,
		.ctx = &reading,
	};

	return rpt_jobs_run(&jobs, err);
}

void rpt_pieces_release(struct rpt_pieces *pieces)
{
	rpt_digests_release(&pieces->digests);
}
