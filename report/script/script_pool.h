/* script_pool.h: `script` by several threads: records go in in order, text
 * comes out in order.
 *
 *	rpt_script_pool_new(&pool, &setup, stdout, &err);
 *	rpt_script_pool_add(pool, &rec, is_lasting);	in the order of the text
 *	rpt_script_pool_finish(pool);
 *	rpt_script_pool_free(pool);
 *
 * The caller's thread collects records in batches.  Each other thread prints
 * batches into memory with a struct rpt_script of its own (work_queue.h), and
 * the caller's thread writes the texts in order.  If a line depends on those
 * before it (time since the last, counter values, columns as wide as the widest
 * so far), the caller's thread prints record by record.
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

/* Print a record.  is_lasting: rec->data stays valid until the pool is freed;
 * else it is copied.  Return 0, or what writing failed with. */
int rpt_script_pool_add(struct rpt_script_pool *pool,
			const struct pd_record *rec, bool is_lasting);

/* Write the text of what was added so far.  Return as rpt_script_pool_add(). */
int rpt_script_pool_flush(struct rpt_script_pool *pool);

/* Write what is left and stop the threads.  Return as above. */
int rpt_script_pool_finish(struct rpt_script_pool *pool);

/* Return the sum over all threads, after rpt_script_pool_finish(). */
struct rpt_script_counts
rpt_script_pool_counts(const struct rpt_script_pool *pool);

#endif
