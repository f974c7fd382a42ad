/* sparse_code.h: the code that a sparse ELF file has (sparse_elf.h). */
#ifndef RPT_SPARSE_CODE_H
#define RPT_SPARSE_CODE_H

#include "format/carried/carried_code.h"

/* Runs of one file, which ascend and do not overlap. */
struct rpt_sparse_code {
	const struct pd_carried_run *runs;
	uint32_t nr;
};

/* Return the index of the file's segment that off lies in, or -1. */
int rpt_sparse_segment_of(const struct pd_carried_file *file, uint64_t off);

/* Fill ret with those runs of from, at most max, that lie in one segment of the
 * file, not in its first head_len bytes.  Bytes stay from's. */
void rpt_sparse_code_take(struct rpt_sparse_code *ret,
			  const struct pd_carried_file *file,
			  const struct rpt_sparse_code *from, uint64_t head_len,
			  uint32_t max);
/* Free what that made. */
void rpt_sparse_code_release(struct rpt_sparse_code *code);

/* Return the index of the run that off lies in, or -1. */
int64_t rpt_sparse_code_find(const struct rpt_sparse_code *code, uint64_t off);

#endif
