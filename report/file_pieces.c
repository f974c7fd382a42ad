#include "report/file_pieces.h"

#include "report/jobs.h"

#include <sys/mman.h>
#include <unistd.h>

uint32_t rpt_pieces_jobs(const struct rpt_pieces *pieces)
{
	return rpt_jobs_threads(pieces->jobs, pieces->nr);
}

struct reading {
	struct rpt_pieces *pieces;
	rpt_piece_fn *fn;
};

/* The whole pages of it; they are in the page cache still. */
static void give_back(const uint8_t *mapped, struct pd_piece piece)
{
	uint64_t page_len = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t start = (piece.file_off + page_len - 1) / page_len * page_len;
	uint64_t end = (piece.file_off + piece.len) / page_len * page_len;

	if (start < end)
		madvise((void *)(uintptr_t)(mapped + start),
			(size_t)(end - start), MADV_DONTNEED);
}

static int read_piece(void *worker, const void *ctx, size_t idx,
		      struct pd_err *err)
{
	const struct reading *reading = ctx;
	struct rpt_pieces *pieces = reading->pieces;
	int rc = reading->fn(worker, pieces, idx, err);

	if (pieces->mapped)
		give_back(pieces->mapped, pieces->items[idx]);
	return rc;
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
