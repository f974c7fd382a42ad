/* out_place.h: where a program is to write, so that nothing else is written to.
 *
 *	sup_place_init(&place, path, &err)	the folder is opened
 *	sup_place_look(&place, &err)		what stands there now
 *	sup_place_open_stream() or _create()
 *	sup_place_release()
 *
 * All goes by the folder's descriptor and a name in it, and whatever is opened
 * is what was looked at: a link that somebody else puts there meanwhile is not
 * followed, and what is created was not there before.  A link counts as the
 * device, FIFO or standard output that it leads to only where it is root's or
 * our own; every other one stands for itself.
 */
#ifndef SUP_OUT_PLACE_H
#define SUP_OUT_PLACE_H

#include "format/err.h"

#include <sys/stat.h>

enum sup_there {
	SUP_THERE_NOTHING,
	SUP_THERE_FILE,	  /* a regular file */
	SUP_THERE_LINK,	  /* that is not followed */
	SUP_THERE_STREAM, /* character device, FIFO: written as it is */
	SUP_THERE_STDOUT, /* a link to what this program's stdout is */
};

struct sup_place {
	int dir_fd;
	char *path;	  /* owned */
	const char *name; /* in the folder; in path */
	int seen_fd;	  /* O_PATH, of a STREAM */
	struct stat seen; /* of what was looked at last, a link itself */
};

int sup_place_init(struct sup_place *ret, const char *path, struct pd_err *err);

/* One of enum sup_there.  -EISDIR, and -ENOTSUP for what cannot be written to
 * (a socket) or would lose what it holds (a block device). */
int sup_place_look(struct sup_place *place, struct pd_err *err);

/* The descriptor of the stream that was looked at; -ENXIO if nobody reads
 * a FIFO. */
int sup_place_open_stream(struct sup_place *place, struct pd_err *err);

/* The descriptor of a new file of that mode; -EEXIST where one is there. */
int sup_place_create(const struct sup_place *place, mode_t mode);

/* Return whether path is a link, root's or ours, to what stdout is. */
bool sup_place_is_stdout(const char *path);

void sup_place_release(struct sup_place *place);

#endif
