/* script_batch.h: some records in a row on their way to text, for
 * script_queue.h.
 *
 *	rpt_script_batch_add(batch, &rec, more_len, is_lasting);
 *							until it is full
 *	if (!rpt_script_batch_print(batch, script))	by any thread
 *		rpt_script_batch_print(batch, script);	by any, later
 *	rpt_script_batch_write(batch, out);
 *
 * While the kernel's names are read (kallsyms_prefetch.h), records that need
 * them are left out, holes in the text that are filled later: the other cores
 * have work until then.
 */
#ifndef RPT_SCRIPT_BATCH_H
#define RPT_SCRIPT_BATCH_H

#include "report/script/script.h"

#define RPT_SCRIPT_BATCH_NR  1024u
#define RPT_SCRIPT_BATCH_LEN ((size_t)512 << 10) /* of records */

/* A record that is not in the text, and where in that its own belongs. */
struct rpt_script_hole {
	uint32_t rec_idx;
	size_t off;
};

struct rpt_script_batch {
	struct pd_record *recs; /* RPT_SCRIPT_BATCH_NR; owned */
	uint32_t nr;
	uint8_t *bytes; /* of records that do not last; owned; NULL: none yet */
	size_t len;	/* of all records, with what is joined to them */
	struct rpt_script_hole *holes; /* RPT_SCRIPT_BATCH_NR; owned; or NULL */
	uint32_t hole_nr;
	struct rpt_text_heap text;
	int status;    /* -errno of what went wrong */
	bool is_whole; /* the queue's */
};

/* NULL: out of memory. */
struct rpt_script_batch *rpt_script_batch_new(void);
void rpt_script_batch_free(struct rpt_script_batch *batch);

/* more_len: of what is shown with the record and stands elsewhere.  0; -ENOSPC:
 * it is full; -ENOMEM.  A batch that is empty takes any record. */
int rpt_script_batch_add(struct rpt_script_batch *batch,
			 const struct pd_record *rec, size_t more_len,
			 bool is_lasting);

/* Makes its text.  False: there are holes in it; then a second call fills them,
 * and waits for the kernel's names, if need be.  What goes wrong is told by
 * _write(). */
bool rpt_script_batch_print(struct rpt_script_batch *batch,
			    struct rpt_script *script);

/* Its text; the batch is empty then.  0, or what went wrong. */
int rpt_script_batch_write(struct rpt_script_batch *batch, FILE *out);

/* Memory that it takes, about. */
size_t rpt_script_batch_len(const struct rpt_script_batch *batch);

#endif
