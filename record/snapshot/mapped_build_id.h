/* mapped_build_id.h: the build-id of a file that a process has mapped.
 *
 * These are tried in order, until one has the file that the record names:
 *
 *	/proc/PID/maps		PROCMAP_QUERY, the kernel's own reading (6.11)
 *	/proc/PID/map_files	the file itself, be it deleted; a capability
 *	/proc/PID/root/PATH	the path as that process sees it
 *	/proc/PID/exe		its program, be it deleted
 *	PATH			if the process has ended
 *
 * It is the same file if device and inode are those of the record, and also the
 * generation if the file system tells it (ext4, btrfs, xfs): ext4 gives the
 * inode of a removed file to the next one.  On overlay and btrfs stat(2) says
 * another device than the kernel's records have: there the inode must do.
 */
#ifndef REC_MAPPED_BUILD_ID_H
#define REC_MAPPED_BUILD_ID_H

#include "record/base/elf_note.h"

#include <sys/stat.h>
#include <sys/types.h>

struct rec_mapped {
	pid_t pid;
	uint64_t start;
	uint64_t end;
	uint64_t ino; /* 0: not known, of MMAP records of old kernels */
	uint64_t ino_generation; /* 0: not known, of what ran before */
	uint32_t maj;
	uint32_t min;
	const char *path;
};

/* Read the build-id.  Return false if the file is no longer available, true
 * with ret->len 0 if it has no build-id. proc_fd: a descriptor of /proc. */
bool rec_mapped_build_id(int proc_fd, const struct rec_mapped *mapped,
			 struct rec_build_id *ret);

/* Return whether the file is root's. */
bool rec_is_roots(int fd);

/* Open the file; it must have this build-id, unless id->len is 0.  If only the
 * build-id is known of it, which anybody can write into a file of his own,
 * root's file is opened rather than another's.  Return a descriptor, -ENOENT if
 * the file cannot be found any more, -ESTALE if its path names another file
 * now, or what keeps this program from it, such as -EACCES. */
int rec_mapped_open(int proc_fd, const struct rec_mapped *mapped,
		    const struct rec_build_id *id);

/* Return whether the file, or any if its inode is not known, stands at its path
 * here; ret is what stat(2) says of it. */
bool rec_mapped_stands(const struct rec_mapped *mapped, struct stat *ret);
/* Return whether a file is root's and has not changed for an hour: as packages
 * install them, and it will stand for the next minutes, too. */
bool rec_is_settled(const struct stat *st);

#endif
