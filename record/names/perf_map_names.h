/* perf_map_names.h: the functions of a JIT compiler around addresses that were
 * hit, out of the map that the program itself writes: /tmp/perf-PID.map.
 *
 * perf_map_place.h says which files count.  64 MiB of them are read: the last
 * ones, since most programs append what they compile.
 *
 * A map has no times, but whoever looks at it while it grows can note how long
 * it was when.  By these notes the lines come at times: one that was there at
 * the first look counts from the beginning on, a later one from the look before
 * it came, and the last one of each growth from when the map was written to.
 */
#ifndef REC_PERF_MAP_NAMES_H
#define REC_PERF_MAP_NAMES_H

#include "record/names/jitdump_codes.h"
#include "record/names/name_list.h"
#include "record/names/unnamed_hits.h"

/* Return a descriptor of the map of a process that runs, or of what one left in
 * /tmp, -ENOENT if there is none, -EPERM if it is another user's, or a negative
 * errno. */
int rec_perf_map_find(int proc_fd, uint32_t pid);

enum { REC_MAP_NOTES_MAX = 128 };

/* A map that had grown, at one look. */
struct rec_map_note {
	uint64_t len;
	uint64_t changed_ns; /* when it was written to; 0: before all samples */
	uint64_t looked_ns;  /* by the last look at which it was as long */
};

/* The notes of one map, ascending. */
struct rec_map_notes {
	struct rec_map_note items[REC_MAP_NOTES_MAX];
	uint64_t nr;
};

/* Add the functions of the map fd that cover hits, in the order of the map, and
 * name these.  By notes in the recording's clock (NULL: there are none), add to
 * codes those that cover hits of which lines of several times tell, with their
 * times (carried_jit.h), and those that cover hits which these cover, and so
 * on: no hit has lines with times and without.  If there is no room for all,
 * codes, which were empty, stay so.  NULL: they are not wanted.
 * Return 0; -EFBIG if the map is too long, -ETIME if until_ns (rec_now_ns()) is
 * over, with what was found; or another negative errno. */
int rec_perf_map_names(int fd, const struct rec_map_notes *notes,
		       struct rec_unnamed_hits *hits, uint64_t until_ns,
		       struct rec_name_list *list, struct rec_jit_codes *codes);

#endif
