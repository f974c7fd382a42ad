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

/* The whole pages of a part of the file; they are in the page cache still. */
static void give_back(const uint8_t *mapped, struct pd_piece piece)
{
	uint64_t page_len = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t start = (piece.file_off + page_len - 1) / page_len * page_len;
	uint64_t end = (piece.file_off + piece.len) / page_len * page_len;

	if (start < end)
		madvise((void *)(uintptr_t)(mapped + start),
			(size_t)(end - start), MADV_DONTNEED);
}

/* Linux since 6.18 maps all of a large page of the page cache where one byte of
 * it is looked at. */
#define LARGE_PAGE ((uint64_t)2 << 20)

struct looking {
	const uint8_t *mapped;
	struct pd_piece data;
};

static void give_back_place(void *ctx, uint64_t file_off)
{
	const struct looking *looking = ctx;
	uint64_t first = looking->data.file_off;
	uint64_t end = first + looking->data.len;
	uint64_t from = file_off / LARGE_PAGE * LARGE_PAGE;

	if (from >= LARGE_PAGE)
		from -= LARGE_PAGE;
	if (from < first)
		from = first;
	if (end - from > 3 * LARGE_PAGE)
		end = from + 3 * LARGE_PAGE;
	give_back(looking->mapped,
		  (struct pd_piece){ .file_off = from, .len = end - from });
}

int rpt_pieces_cut(struct rpt_pieces *pieces, struct pd_reader *reader,
		   uint64_t len, bool is_guess, struct pd_err *err)
{
	struct looking looking = { pieces->mapped, pd_reader_data(reader) };
	struct pd_cut cut = {
		.goal_len = len,
		.looked = pieces->mapped ? give_back_place : NULL,
		.ctx = &looking,
	};

	return is_guess ? pd_reader_guess_pieces(reader, &cut, &pieces->items,
						 &pieces->nr, err)
			: pd_reader_pieces(reader, &cut, &pieces->items,
					   &pieces->nr, err);
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
