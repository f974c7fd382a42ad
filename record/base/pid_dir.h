/* pid_dir.h: the numbers that /proc and /proc/PID/task have as entries. */
#ifndef REC_PID_DIR_H
#define REC_PID_DIR_H

#include <stddef.h>
#include <sys/types.h>

struct rec_pid_list {
	pid_t *pids; /* owned */
	size_t nr;
	size_t cap;
};

#define REC_PID_LIST_INIT    \
	{                    \
		.pids = NULL \
	}

void rec_pid_list_release(struct rec_pid_list *list);

/* Replace the list by the entries of that directory whose names are numbers, in
 * the directory's order (ascending in /proc).  Return 0 or -errno. */
int rec_pid_dir_read(int dirfd, const char *path, struct rec_pid_list *list);

#endif
