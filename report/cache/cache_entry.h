/* cache_entry.h: one file's entry in a build-id cache (cache_tree.h), made of
 * the names and the code that a recording carries.
 *
 * The entry is a sparse ELF file (sparse_elf.h), or for the kernel the lines of
 * kallsyms.  An entry that we wrote before keeps what it has and gets
 * what is new; one with anything else stays as it is.  Readers see the old
 * content, or the new one, never a part. Call frame
 * information is that of the recording that was written last.
 */
#ifndef RPT_CACHE_ENTRY_H
#define RPT_CACHE_ENTRY_H

#include "format/carried/carried.h"
#include "report/elf/sparse_elf.h"

enum rpt_cache_outcome {
	RPT_CACHE_MADE,
	RPT_CACHE_ADDED,    /* to an entry that we wrote before */
	RPT_CACHE_REPLACED, /* an entry that we wrote before */
	RPT_CACHE_FOREIGN,  /* there is an entry that we did not write */
	RPT_CACHE_NO_NAMES, /* the recording has none */
	RPT_CACHE_NO_ID,    /* it has no build-id */
	RPT_CACHE_BAD_PATH, /* it cannot stand below a folder */
	RPT_CACHE_NO_ENTRY, /* a perf map: see cache_entry.h */
	RPT_CACHE_FAILED,   /* err says why */
	RPT_CACHE_OUTCOME_NR,
};

struct rpt_cache_entry_conf {
	int dir_fd;   /* of rpt_cache_open(); borrowed */
	bool replace; /* replace what we wrote instead of adding to it */
};

/* Write the entry of file: file->names, file->frames, and its code.  *ret_nr
 * is how many names it has then. */
enum rpt_cache_outcome
rpt_cache_entry_write(const struct rpt_cache_entry_conf *conf,
		      const struct pd_carried_file *file,
		      const struct rpt_sparse_code *code, uint32_t *ret_nr,
		      struct pd_err *err);

/* The names of JIT compilers' code as perf maps, which perf looks for as
 * /tmp/perf-PID.map: a build-id cache has no place for them. */

/* Write perf-PID.map into the folder, with file->names.  *ret_nr is how many
 * it has.  Return 0, -EEXIST if there is one, which stays as it is, or what
 * write() says. */
int rpt_cache_map_write(int dir_fd, const struct pd_carried_file *file,
			uint32_t *ret_nr);

#endif
