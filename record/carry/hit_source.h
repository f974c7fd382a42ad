/* hit_source.h: opens a file that was hit, and tells which one it is.
 *
 * The file is looked for by its record (mapped_build_id.h) and among those that
 * the keeper holds (pins.h).  Inode numbers are given again, so the first time
 * its identity is noted, and another file is refused from then on.
 */
#ifndef REC_HIT_SOURCE_H
#define REC_HIT_SOURCE_H

#include "record/carry/address_spaces.h"

struct rec_carry_left;
struct rec_keeper;

struct rec_hit_source {
	int proc_fd;
	struct rec_keeper *keeper; /* NULL: none */
	/* NULL: the recording is this recorder's own. */
	const struct rec_carry_left *left;
};

/* Return a descriptor, the caller's, and note f->identity, or return a negative
 * errno of open(2); -ESTALE if another file stands there, or one that was
 * changed after a recording that another recorder left. */
int rec_hit_file_open(const struct rec_hit_source *from,
		      struct rec_hit_file *f);
/* Return whether the keeper holds the file, and lets it go after a look that
 * begins now_ns (rec_now_ns()). */
bool rec_hit_file_ends(const struct rec_hit_source *from,
		       const struct rec_hit_file *f, uint64_t now_ns);

/* Return whether the record of a file would be the same for another one that
 * stands there later: overlayfs has no generations of inodes. */
bool rec_hit_file_lacks_generation(const struct rec_hit_file *f);

#endif
