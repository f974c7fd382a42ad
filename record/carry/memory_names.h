/* memory_names.h: names of code that a process has in memory without a file:
 * what its JIT compiler told of in a jitdump, a perf map, or both.
 */
#ifndef REC_MEMORY_NAMES_H
#define REC_MEMORY_NAMES_H

#include "record/carry/hit_source.h"
#include "record/names/jitdump_codes.h"
#include "record/names/name_list.h"

/* The addresses that were hit, ascending; the caller's. */
struct rec_memory_hits {
	uint64_t *hits; /* in memory */
	size_t nr;
	uint64_t *dump_hits; /* in all of its process, if that has a dump */
	size_t dump_nr;
};

/* Add the names around the hits in f: of each file as it was while the process
 * lived, or as it is; of a recording that another recorder left only if the
 * process still runs.  Return 0 or a negative errno, -ETIME after until_ns
 * (rec_now_ns()), with what was found until then. */
int rec_memory_names(const struct rec_hit_source *from,
		     const struct rec_hit_file *f,
		     const struct rec_memory_hits *hits, uint64_t until_ns,
		     struct rec_name_list *list, struct rec_jit_codes *codes);

#endif
