/* new_file.h: a file that gets its name when it is complete.
 *
 *	sup_new_file_open(&file, path, mode, force, &err)
 *	... write to file.fd
 *	sup_new_file_name(&file, &err)
 *	sup_new_file_release(&file)	removes a file without its name
 *
 * The file is written under another name in the same folder.  It replaces only
 * a regular file, and only with force.  A device or FIFO is written directly,
 * and so is stdout, if the path is a link to it.
 */
#ifndef SUP_NEW_FILE_H
#define SUP_NEW_FILE_H

#include "format/support/out_place.h"

struct sup_new_file {
	int fd; /* -1 if the caller has taken it */
	bool is_stream;
	bool force;
	struct sup_place place;
	char *temp; /* owned; its path until it has its name, else NULL */
};

/* Open a new file.  Return -EEXIST if there is one that is not overwritten. */
int sup_new_file_open(struct sup_new_file *ret, const char *path, mode_t mode,
		      bool force, struct pd_err *err);
/* Give the file its name. */
int sup_new_file_name(struct sup_new_file *file, struct pd_err *err);
void sup_new_file_release(struct sup_new_file *file);

/* renameat2() that fails if the new name is taken.  musl lacks it. */
int sup_rename_noreplace(int from_fd, const char *from, int to_fd,
			 const char *to);

#endif
