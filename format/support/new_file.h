/* new_file.h: a file that takes its name when it is whole.
 *
 *	sup_new_file_open(&file, path, mode, force, &err)
 *	... write to file.fd
 *	sup_new_file_name(&file, &err)
 *	sup_new_file_release(&file)	without a name nothing stays
 *
 * It is made beside the name, and takes the place of a regular
 * file only, and only with force.  A device or FIFO is written as it is; so is
 * stdout, where the path is a link to it.
 */
#ifndef SUP_NEW_FILE_H
#define SUP_NEW_FILE_H

#include "format/support/out_place.h"

struct sup_new_file {
	int fd; /* -1: the caller has taken it */
	bool is_stream;
	bool force;
	struct sup_place place;
	char *temp; /* owned; its path until it has its own, else NULL */
};

/* -EEXIST where something is there already that is not overwritten. */
int sup_new_file_open(struct sup_new_file *ret, const char *path, mode_t mode,
		      bool force, struct pd_err *err);
int sup_new_file_name(struct sup_new_file *file, struct pd_err *err);
void sup_new_file_release(struct sup_new_file *file);

#endif
