#include "report/input/file_chunks.h"

#include "report/base/threads.h"

uint32_t rpt_file_chunks_jobs(const struct rpt_file_chunks *pieces)
{
	return rpt_jobs_threads(pieces->jobs, pieces->nr);
}

struct reading {
	struct rpt_file_chunks *pieces;
	rpt_chunk_fn *fn;
};

static int read_piece(void *worker, const void *ctx, size_t idx,
		      struct pd_err *err)
{
	const struct reading *reading = ctx;

	return reading->fn(worker, reading->pieces, idx, err);
}

int rpt_file_chunks_run(struct rpt_file_chunks *pieces,
			const struct rpt_chunk_workers *workers,
			struct pd_err *err)
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
