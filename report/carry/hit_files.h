/* hit_files.h: the addresses that samples hit, by file: those of samples, of
 * recorded call chains and of unwound stack copies.
 *
 *	rpt_hit_files_find(&hits, reader, timeline, chunks, &err)
 *	... hits.files[i].hits[j]
 *	rpt_hit_files_release(&hits)
 */
#ifndef RPT_HIT_FILES_H
#define RPT_HIT_FILES_H

#include "report/timeline/timeline.h"

struct rpt_hit {
	uint64_t addr;	  /* in the DSO */
	uint64_t self_nr; /* of samples that were taken there */
	bool is_code;	  /* no sample has it: found_code.h added it */
};

struct rpt_hit_file {
	struct rpt_dso *dso;
	struct rpt_hit *hits; /* owned; by addr, each once */
	uint32_t hit_nr;
	uint32_t hit_cap;
	uint32_t code_nr;     /* of hits that are is_code */
	uint32_t carried_idx; /* in the carried files; UINT32_MAX: in none */
};

struct rpt_hit_files {
	struct rpt_hit_file *files; /* owned; by DSO */
	uint32_t nr;
	uint64_t sample_nr;
	uint64_t address_nr;
	uint64_t unmapped_nr; /* of these, in no DSO */
	bool is_cut;	      /* there was no budget for all */
	bool has_leaf;	      /* samples have what finds callers of leaves */
};

/* Count all samples.  Return 0, or what reading says. */
int rpt_hit_files_find(struct rpt_hit_files *hits, struct pd_reader *reader,
		       const struct rpt_timeline *timeline,
		       struct rpt_file_chunks *chunks, struct pd_err *err);
/* Add an address that no sample has, and sort after the last one. */
void rpt_hit_file_add_code(struct rpt_hit_file *f, uint64_t addr);
void rpt_hit_file_sort(struct rpt_hit_file *f);
/* Safe on a zeroed struct. */
void rpt_hit_files_release(struct rpt_hit_files *hits);

#endif
