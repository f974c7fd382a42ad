/* file_chunks.h: the chunks of a file, which several threads read, and the
 * listeners to the first reading.
 *
 *	struct rpt_file_chunks chunks = { .jobs = 0 };
 *	rpt_file_chunks_listen(&chunks, &listener);	any number of times
 *	rpt_timeline_load(tl, reader, &chunks, &err);	cuts and reads them
 *	rpt_file_chunks_run(&chunks, workers, &err);	reads them once more
 */
#ifndef RPT_FILE_CHUNKS_H
#define RPT_FILE_CHUNKS_H

#include "format/file/feature.h"
#include "format/reader/reader.h"
#include "report/base/threads.h"

#define RPT_CHUNK_LEN ((uint64_t)4 << 20)

#define RPT_LISTENERS_NR 2u

struct rpt_file_chunks;

/* Called for samples, LOST and LOST_SAMPLES records while the timeline is
 * loaded. thread is the number of the calling thread, below RPT_THREADS_MAX;
 * threads call at the same time.  The timeline itself reads all other records.
 */
struct rpt_scan_listener {
	/* Start, or start again: chunks were guessed wrongly. */
	void (*begin)(struct rpt_scan_listener *listener,
		      const struct rpt_file_chunks *chunks,
		      const struct pd_reader *reader);
	/* Return true if the listener wants the records of chunk idx.  NULL: of
	 * all chunks. */
	bool (*begin_chunk)(struct rpt_scan_listener *listener, uint32_t thread,
			    size_t idx);
	/* Return true if the listener wants more of the chunk. */
	bool (*add)(struct rpt_scan_listener *listener, uint32_t thread,
		    struct pd_record_span span);
	/* Called at the end of a chunk for which begin_chunk returned true;
	 * damage is NULL if it was not read to its end.  May be NULL. */
	void (*end_chunk)(struct rpt_scan_listener *listener, uint32_t thread,
			  const struct pd_damage *damage);
	/* Read chunks without tasks and maps, too. */
	bool needs_all;
};

struct rpt_file_chunks {
	uint32_t jobs;		      /* threads; 0: one for each CPU */
	const struct pd_chunk *items; /* in file order; the reader's */
	size_t nr;
	struct rpt_scan_listener *listeners[RPT_LISTENERS_NR]; /* borrowed */
	uint32_t listener_nr;
};

/* Add a listener, RPT_LISTENERS_NR at most. */
static inline void rpt_file_chunks_listen(struct rpt_file_chunks *chunks,
					  struct rpt_scan_listener *listener)
{
	chunks->listeners[chunks->listener_nr++] = listener;
}

/* Read chunk idx.  Return 0, or a negative errno, which ends this worker. */
typedef int rpt_chunk_fn(void *worker, struct rpt_file_chunks *chunks,
			 size_t idx, struct pd_err *err);

/* One worker for each thread: nr of them, len bytes each. */
struct rpt_chunk_workers {
	void *items;
	size_t len;
	uint32_t nr;
	rpt_chunk_fn *fn;
};

/* Return how many threads are useful: at least 1, and at most one for each
 * chunk. */
uint32_t rpt_file_chunks_jobs(const struct rpt_file_chunks *chunks);

/* Let the workers, at most rpt_file_chunks_jobs() of them, read all chunks;
 * each gets its chunks in file order.  Return 0, or the error of the first
 * worker that failed. */
int rpt_file_chunks_run(struct rpt_file_chunks *chunks,
			const struct rpt_chunk_workers *workers,
			struct pd_err *err);

#endif
