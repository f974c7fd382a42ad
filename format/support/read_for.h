/* read_for.h: opens a file for reading whose name somebody else chose.
 *
 * A program with more rights than a user would read for that user what he may
 * not read: a line table names /etc/shadow, a link beside a program leads to
 * it, somebody mounts it where a perf map is looked for.  The rule:
 *
 *	A file is opened only if whoever chose its name may read it himself.
 *
 * Whoever chose is the owner of what has the name: of a program, for its source
 * files and its debug file; of a recording, for source files that it names
 * itself; the user who typed it, for --config.  His rights are:
 *
 * - root: those of this program
 * - the real user: those of this program without what raised them, the
 *   set-user-ID bit or capabilities of its file
 * - another user: his user, group and groups, without capabilities, if this
 *   program may take them (CAP_SETUID, CAP_SETGID); else those of this program,
 *   for his own files and such as anybody may read
 * - SUP_ANYBODY: those of this program, for files that anybody may read
 *
 * They are taken by a thread that opens the file and ends: setfsuid(2),
 * setfsgid(2), setgroups(2) and capset(2) of the kernel are of one thread.
 *
 * Only regular files are opened: opening a FIFO or a device can wait, or have
 * an effect.  They are looked at first (O_PATH), and opened through
 * /proc/self/fd, so that nobody can put another one there in between.
 */
#ifndef SUP_READ_FOR_H
#define SUP_READ_FOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SUP_ANYBODY ((uid_t)-1)

struct sup_name {
	const char *path;
	/* The bytes of path that name a folder, which is reached with the
	 * rights of this program and which the rest does not leave: links and
	 * ".." lead to where they would if it were the root.  A file there of
	 * length 0, as those of /proc are, is no regular file.  0: none. */
	size_t root_len;
	uid_t user; /* whoever chose the name */
	/* Anybody may put something there (/tmp): a link, or one of several
	 * hard links to a file, is no regular file. */
	bool is_open_to_all;
};

/* Open the file.  Return a descriptor or a negative errno: -EINVAL if it is no
 * regular file.  A kernel older than 5.6 cannot bind names to a folder: -EXDEV
 * then if it leads out, -ENOSYS if the folder is the root of a process. */
int sup_read_for(const struct sup_name *name);

/* Find a file of any kind with the rights of this program; user is not used.
 * Return a descriptor that can only be examined (O_PATH), or as above. */
int sup_find(const struct sup_name *name);

/* Return whether user is root or the real user, with no rights to be taken off:
 * files are opened for him as for this program. */
bool sup_reads_as_we_do(uid_t user);

#endif
