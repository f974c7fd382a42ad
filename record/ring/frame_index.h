/* frame_index.h: the trailer's list of frames, as it grows.
 *
 * A recording that goes on for months has millions of frames.  So only the
 * newest entries are held in memory; the older ones are in a file without a
 * name beside the output, some 64 bytes for a MiB of records.  Where no such
 * file can be made or written, all stay in memory.
 *
 * Runs of plain records that follow each other are one entry, up to the length
 * of a frame.  Their checksum is made here, as they are added.
 */
#ifndef REC_FRAME_INDEX_H
#define REC_FRAME_INDEX_H

#include "format/hash.h"
#include "format/trailer.h"

#include <sys/uio.h>

enum { REC_FRAMES_HELD = 4096 };

struct rec_frame_index {
	struct pd_trailer_frame *held; /* owned; the newest */
	size_t held_nr;
	size_t held_cap;
	size_t stored_nr;    /* older ones, in the file */
	struct pd_hash *run; /* owned: of the newest, where it is plain */
	int fd;		     /* -1: there is no file */
	bool is_broken;	     /* something could not be kept */
	void *map;	     /* of all, by rec_frame_index_all() */
	size_t map_len;
};

/* path: of the output, whose folder the file without a name is in; NULL: all
 * stays in memory.  -ENOMEM. */
int rec_frame_index_init(struct rec_frame_index *index, const char *path);
void rec_frame_index_release(struct rec_frame_index *index);

void rec_frame_index_add(struct rec_frame_index *index,
			 const struct pd_trailer_frame *frame);

/* A run of plain records: parts are their bytes.  It is put to the run before
 * it where that leaves at most plain_len_max bytes. */
void rec_frame_index_add_plain(struct rec_frame_index *index,
			       const struct pd_trailer_frame *frame,
			       const struct iovec *parts, int part_nr,
			       uint64_t plain_len_max);

/* All entries in file order; good until the index changes.  An index that is
 * not whole would hide frames: then there are none, and readers walk the
 * records. */
const struct pd_trailer_frame *
rec_frame_index_all(struct rec_frame_index *index, size_t *ret_nr);

#endif
