/* script_pool.h: `script` by several threads: records in order in, text in
 * order out.
 *
 *	rpt_script_pool_new(&pool, &conf, jobs, stdout, &err);
 *	rpt_script_pool_add(pool, &rec, is_lasting);	in the order of the text
 *	rpt_script_pool_finish(pool);
 *
 * The caller's thread collects records in batches (script_batch.h); each thread
 * turns a batch after the other into text, with a rpt_script of its own
 * (script_queue.h: who waits for whom); the caller's thread writes them in
 * order.  Where a line depends on those before it (time since the last, counter
 * values, columns as wide as the widest so far, inlined functions, whose names
 * hang on what was asked before: inline_frames.c) there is one rpt_script and
 * no thread.
 */
#ifndef RPT_SCRIPT_POOL_H
#define RPT_SCRIPT_POOL_H

#include "report/script/script.h"

struct rpt_script_pool;

/* Start the threads that args.jobs asks for.  setup must outlive the pool.
 * Return 0 or what rpt_script_init() returns. */
int rpt_script_pool_new(struct rpt_script_pool **ret,
			const struct rpt_script_setup *setup, FILE *out,
			struct pd_err *err);
void rpt_script_pool_free(struct rpt_script_pool *pool);

/* One record to be printed.  is_lasting: its bytes stay until the end.  0,
 * -ENOMEM, or what writing failed with. */
int rpt_script_pool_add(struct rpt_script_pool *pool,
			const struct pd_record *rec, bool is_lasting);

/* Prints what was added so far.  Result as above. */
int rpt_script_pool_flush(struct rpt_script_pool *pool);

/* Prints what is left.  Result as above; counts are complete after it. */
int rpt_script_pool_finish(struct rpt_script_pool *pool);

struct rpt_script_counts
rpt_script_pool_counts(const struct rpt_script_pool *pool);

#endif
