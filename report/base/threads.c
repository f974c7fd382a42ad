#include "report/base/threads.h"

#include <assert.h>

static void *run_thread(void *arg)
{
	struct rpt_threads *threads = arg;

	threads->fn(threads->ctx, atomic_fetch_add(&threads->next_idx, 1));
	return NULL;
}

uint32_t rpt_threads_start(struct rpt_threads *threads, uint32_t nr,
			   rpt_thread_fn *fn, void *ctx)
{
	assert(!threads->nr && nr <= RPT_THREADS_MAX);
	threads->fn = fn;
	threads->ctx = ctx;
	atomic_store(&threads->next_idx, 0);
	while (threads->nr < nr && !pthread_create(&threads->ids[threads->nr],
						   NULL, run_thread, threads))
		threads->nr++;
	return threads->nr;
}

void rpt_threads_join(struct rpt_threads *threads)
{
	while (threads->nr)
		pthread_join(threads->ids[--threads->nr], NULL);
}
