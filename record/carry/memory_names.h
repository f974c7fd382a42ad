/* memory_names.h: names of code that a process has in memory without a file:
 * what its JIT compiler told of in a jitdump, a perf map, or both.
 */
#ifndef REC_MEMORY_NAMES_H
#define REC_MEMORY_NAMES_H

#include "record/carry/address_spaces.h"
#include "record/names/jitdump_codes.h"
#include "record/names/name_list.h"

struct rec_keeper;

struct rec_memory_source {
	int proc_fd;
	struct rec_keeper *keeper; /* NULL: none */
	uint64_t until_ns;
};

/* Add the names around hits, those of f: of each file as it was while the
 * process lived, or as it is.  Return 0 or a negative errno, with what was
 * found until then. */
int rec_memory_names(const struct rec_memory_source *from,
		     const struct rec_hit_file *f, const uint64_t *hits,
		     struct rec_name_list *list, struct rec_jit_codes *codes);

#endif
