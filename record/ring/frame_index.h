/* frame_index.h: the trailer's list of frames.
 *
 * A recording of months has millions of frames.  So only the newest entries are
 * held in memory; the older ones are in an unnamed file beside the output, some
 * 64 bytes for a MiB of records.  If no such file can be created or written,
 * all stay in memory.
 *
 * Consecutive runs of plain records are one entry, up to the length of a frame.
 * Their checksum is computed here, as they are added.
 */
#ifndef REC_FRAME_INDEX_H
#define REC_FRAME_INDEX_H

#include "format/base/hash.h"
#include "format/file/trailer.h"

#include <sys/uio.h>

enum { REC_FRAMES_HELD = 4096 };

struct rec_frame_index {
	struct pd_trailer_frame *held; /* owned; the newest */
	size_t held_nr;
	size_t held_cap;
	size_t stored_nr;    /* older ones, in the file */
	struct pd_hash *run; /* owned: of the newest, if it is plain */
	int fd;		     /* -1: there is no file */
	bool is_broken;	     /* an entry was lost */
	void *map;	     /* all entries, by rec_frame_index_all() */
	size_t map_len;
};

/* path: of the output, for the folder of the unnamed file; NULL: all stays in
 * memory.  Return 0, or -ENOMEM. */
int rec_frame_index_init(struct rec_frame_index *index, const char *path);
void rec_frame_index_release(struct rec_frame_index *index);

void rec_frame_index_add(struct rec_frame_index *index,
			 const struct pd_trailer_frame *frame);

/* Add a run of plain records; parts are their bytes.  It is merged into the run
 * before if that stays within plain_len_max bytes. */
void rec_frame_index_add_plain(struct rec_frame_index *index,
			       const struct pd_trailer_frame *frame,
			       const struct iovec *parts, int part_nr,
			       uint64_t plain_len_max);

/* Return all entries in file order, valid until the index changes.  There are
 * none if an entry was lost, as that hides frames: readers walk the records
 * then. */
const struct pd_trailer_frame *
rec_frame_index_all(struct rec_frame_index *index, size_t *ret_nr);

#endif
