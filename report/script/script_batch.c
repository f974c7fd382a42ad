#include "report/script/script_batch.h"

#include "report/symbols/kallsyms_prefetch.h"

#include <errno.h>
#include <stdlib.h>

/* Of the text of most batches; memory that is not written to costs nothing. */
#define TEXT_LEN ((size_t)256 << 10)

struct rpt_script_batch *rpt_script_batch_new(void)
{
	struct rpt_script_batch *batch = calloc(1, sizeof(*batch));

	if (batch)
		batch->recs = calloc(RPT_SCRIPT_BATCH_NR, sizeof(*batch->recs));
	if (batch && batch->recs)
		return batch;
	free(batch);
	return NULL;
}

void rpt_script_batch_free(struct rpt_script_batch *batch)
{
	if (!batch)
		return;
	free(batch->recs);
	free(batch->bytes);
	free(batch->holes);
	free(batch->text.data);
	free(batch);
}

int rpt_script_batch_add(struct rpt_script_batch *batch,
			 const struct pd_record *rec, size_t more_len,
			 bool is_lasting)
{
	size_t len = ((rec->len + 7u) & ~(size_t)7) + more_len;

	if (batch->nr == RPT_SCRIPT_BATCH_NR ||
	    len > RPT_SCRIPT_BATCH_LEN - batch->len)
		return -ENOSPC;
	if (!is_lasting && !batch->bytes)
		batch->bytes = malloc(RPT_SCRIPT_BATCH_LEN);
	if (!is_lasting && !batch->bytes)
		return -ENOMEM;
	batch->recs[batch->nr] = *rec;
	if (!is_lasting)
		batch->recs[batch->nr].data =
			memcpy(batch->bytes + batch->len, rec->data, rec->len);
	batch->len += len;
	batch->nr++;
	return 0;
}

size_t rpt_script_batch_len(const struct rpt_script_batch *batch)
{
	return batch->nr * sizeof(*batch->recs) + batch->len + batch->text.len;
}

static int add_hole(struct rpt_script_batch *batch, uint32_t rec_idx)
{
	if (!batch->holes)
		batch->holes =
			calloc(RPT_SCRIPT_BATCH_NR, sizeof(*batch->holes));
	if (!batch->holes)
		return -ENOMEM;
	batch->holes[batch->hole_nr++] =
		(struct rpt_script_hole){ rec_idx, batch->text.len };
	return 0;
}

/* Leaves out what has to wait for the kernel's names. */
static int format_or_leave(struct rpt_script_batch *batch,
			   struct rpt_script *script, uint32_t rec_idx)
{
	struct rpt_unwind *unwind = script->conf.unwind;
	struct rpt_unwind_counts counts = { 0 };
	size_t len;
	int rc = rpt_text_flush(&script->text);

	if (rc)
		return rc;
	if (unwind)
		counts = rpt_unwind_counts(unwind);
	len = batch->text.len;
	rc = rpt_script_record(script, &batch->recs[rec_idx]);
	if (rc || !script->is_postponed)
		return rc;
	script->is_postponed = false;
	if (unwind)
		rpt_unwind_set_counts(unwind, counts);
	script->text.len = 0;
	script->text.is_cut_char = false;
	batch->text.len = len;
	return add_hole(batch, rec_idx);
}

static void format(struct rpt_script_batch *batch, struct rpt_script *script)
{
	const struct rpt_timeline *tl = script->conf.timeline;
	int rc = 0, last;

	script->text.heap = &batch->text;
	rpt_script_repeats_begin(script);
	script->may_postpone =
		!rpt_symbols_has_kernel(rpt_timeline_symbols(tl));
	rc = rpt_text_heap_reserve(&batch->text, TEXT_LEN);
	for (uint32_t i = 0; i < batch->nr && !rc; i++)
		rc = script->may_postpone
			     ? format_or_leave(batch, script, i)
			     : rpt_script_record(script, &batch->recs[i]);
	last = rpt_text_flush(&script->text);
	batch->status = rc ? rc : last;
}

static void fill(struct rpt_script_batch *batch, struct rpt_script *script)
{
	struct rpt_text_heap parts = batch->text;
	size_t at = 0;
	int rc = 0;

	batch->text = script->spare;
	batch->text.len = 0;
	script->text.heap = &batch->text;
	rpt_script_repeats_begin(script);
	script->may_postpone = false;
	rc = rpt_text_heap_reserve(&batch->text, parts.len + parts.len / 2);
	for (uint32_t i = 0; i < batch->hole_nr && !rc; i++) {
		const struct rpt_script_hole *hole = &batch->holes[i];

		rc = rpt_text_heap_add(&batch->text, parts.data + at,
				       hole->off - at);
		at = hole->off;
		if (!rc)
			rc = rpt_script_record(script,
					       &batch->recs[hole->rec_idx]);
		if (!rc)
			rc = rpt_text_flush(&script->text);
	}
	if (!rc)
		rc = rpt_text_heap_add(&batch->text, parts.data + at,
				       parts.len - at);
	script->spare = parts;
	batch->hole_nr = 0;
	batch->status = rc;
}

bool rpt_script_batch_print(struct rpt_script_batch *batch,
			    struct rpt_script *script)
{
	if (batch->hole_nr)
		fill(batch, script);
	else
		format(batch, script);
	return batch->status || !batch->hole_nr;
}

int rpt_script_batch_write(struct rpt_script_batch *batch, FILE *out)
{
	size_t len = batch->text.len;
	int rc = batch->status;

	if (!rc && len && fwrite(batch->text.data, 1, len, out) != len)
		rc = errno ? -errno : -EIO;
	batch->nr = 0;
	batch->len = 0;
	batch->hole_nr = 0;
	batch->text.len = 0;
	return rc;
}
