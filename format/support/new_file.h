/* new_file.h: a file that gets its name when it is complete.
 *
 *	sup_new_file_open(&file, path, mode, force, &err)
 *	... write to file.fd
 *	sup_new_file_name(&file, &err)
 *	sup_new_file_release(&file)	removes a file without its name
 *
 * Until then it has no name at all, so that nothing is left of it if this
 * process ends, by a signal, too (O_TMPFILE, open(2)).  It replaces only a
 * regular file, and only with force: then it has another name in the same
 * folder for the moment between link(2) and rename(2), and all the time on file
 * systems without O_TMPFILE (NFS, FAT).  A device or FIFO is written directly,
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
	int nameless_fd; /* another of the file while it has no name; or 0 */
	char *temp;	 /* owned; the path of its other name, or NULL */
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
