/* perf_map_line.h: what a just-in-time compiler says of its functions in
 * /tmp/perf-PID.map, line by line:
 *
 *	START SIZE name with any characters
 *
 * Numbers are hexadecimal addresses and bytes; java puts 0x before them.
 * Source: Linux v6.12 tools/perf/Documentation/jit-interface.txt
 *
 * Programs append a line for each function that they make, and use memory
 * again.  Of functions that overlap, an address belongs to the one that starts
 * last, and of several that start there, to the last line.  One of size 0 ends
 * where the next one starts; it gives way to others of its start.
 */
#ifndef PD_PERF_MAP_LINE_H
#define PD_PERF_MAP_LINE_H

#include "format/symtab/symbol_search.h"

struct pd_perf_map_line {
	uint64_t start;
	uint64_t len;	    /* 0: not known; start + len does not wrap */
	struct pd_str name; /* in the line; not empty, without a NUL */
};

/* Return whether a path is that of a perf map, and its pid if ret is not NULL.
 */
bool pd_is_perf_map(struct pd_str path, uint32_t *ret_pid);

/* Return whether a file that is mapped to be run may hold code that its process
 * made and names in a perf map: memory with a name (.NET's doublemapper), a
 * file without a name any more, or an image of .NET, which is not ELF.
 * Libraries are loaded from the first two as well: the file's own bytes say
 * what it is. */
bool pd_may_be_jit_file(struct pd_str path);

/* Return whether the kernel shows such a path for a mapped file that stands
 * nowhere: memory with a name, or a file that was removed. */
bool pd_is_unlinked(struct pd_str path);

/* Read a line without its newline.  One that has none is still being written,
 * and its name may be cut.  The CR of a CR LF is no part of the name.  Return
 * false if it is not a function's. */
bool pd_perf_map_line_read(struct pd_str line, struct pd_perf_map_line *ret);

/* Return the line for pd_symbol_search_see(), which finds those of size 0: they
 * have rank 0, all others 1. */
struct pd_symbol_start pd_perf_map_symbol(const struct pd_perf_map_line *line);

#endif
