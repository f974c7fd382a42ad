#include "report/input/file_chunks.h"

#include "report/base/threads.h"

uint32_t rpt_file_chunks_jobs(const struct rpt_file_chunks *chunks)
{
	return rpt_jobs_threads(chunks->jobs, chunks->nr);
}

struct reading {
	struct rpt_file_chunks *chunks;
	rpt_chunk_fn *fn;
};

static int read_chunk(void *worker, const void *ctx, size_t idx,
		      struct pd_err *err)
{
	const struct reading *reading = ctx;

	return reading->fn(worker, reading->chunks, idx, err);
}

int rpt_file_chunks_run(struct rpt_file_chunks *chunks,
			const struct rpt_chunk_workers *workers,
			struct pd_err *err)
{
	struct reading reading = { chunks, workers->fn };
	struct rpt_jobs jobs = {
		.workers = workers->items,
		.worker_len = workers->len,
		.worker_nr = workers->nr,
		.nr = chunks->nr,
		.fn = read_chunk,
		.ctx = &reading,
	};

	return rpt_jobs_run(&jobs, err);
}
