/* out_place.h: the place that a program writes to, made safe against links.
 *
 *	sup_place_init(&place, path, &err)	open the folder
 *	sup_place_look(&place, &err)		find what is there now
 *	sup_place_open_stream() or _create()
 *	sup_place_release()
 *
 * All calls use the descriptor of the folder and a name in it, and what is
 * opened is what was looked at: a link that somebody puts there meanwhile is
 * not followed, and a file that is created did not exist before.  A link counts
 * as the device, FIFO or standard output that it leads to only if root or we
 * own it; any other counts as a link.
 */
#ifndef SUP_OUT_PLACE_H
#define SUP_OUT_PLACE_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

enum sup_there {
	SUP_THERE_NOTHING,
	SUP_THERE_FILE,	  /* a regular file */
	SUP_THERE_LINK,	  /* a link that is not followed */
	SUP_THERE_STREAM, /* a character device or FIFO: written directly */
	SUP_THERE_STDOUT, /* a link to the stdout of this program */
};

struct sup_place {
	int dir_fd;
	char *path;	  /* owned */
	const char *name; /* the last part of path */
	int seen_fd;	  /* O_PATH descriptor of a STREAM */
	struct stat seen; /* of what was looked at last; of a link itself */
};

int sup_place_init(struct sup_place *ret, const char *path, struct pd_err *err);

/* Return what is there (enum sup_there); -EISDIR for a folder, -ENOTSUP for
 * what cannot be written to (a socket) or would lose its content (a block
 * device). */
int sup_place_look(struct sup_place *place, struct pd_err *err);

/* Open the stream that was looked at and return its descriptor; -ENXIO if
 * nobody reads a FIFO. */
int sup_place_open_stream(struct sup_place *place, struct pd_err *err);

/* Create a file and return its descriptor; -EEXIST if there is one. */
int sup_place_create(const struct sup_place *place, mode_t mode);

/* Return true if path is a link to stdout that root or we own. */
bool sup_place_is_stdout(const char *path);

void sup_place_release(struct sup_place *place);

/* Open a file to write to, or to append to, as fopen() does.  Return NULL with
 * err set, which names the path: it is a link that neither root nor we own, or
 * what stands above. */
FILE *sup_place_fopen(const char *path, bool append, struct pd_err *err);

#endif
