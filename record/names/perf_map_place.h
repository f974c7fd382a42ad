/* perf_map_place.h: where a process writes the map of its JIT compiler:
 * tmp/perf-NSPID.map below its own root, by the pid of its own namespace.
 *
 * The folder stays in reach through its descriptor when the process has ended,
 * be it in a mount namespace that ends with it.  Whoever may write to it can
 * put anything there, and who has a mount namespace of his own can put any file
 * there, also one that he may not read.  So a map counts if it is a regular
 * file, no link, be it a hard one, and
 *	of the process's user, or
 *	of root, if anybody may read it: that of a process which was root when
 *	it began.  A file of /proc, of length 0, has other text for everyone
 *	who opens it, and does not count.
 */
#ifndef REC_PERF_MAP_PLACE_H
#define REC_PERF_MAP_PLACE_H

#include <stdint.h>
#include <sys/stat.h>

/* Return whether such a file counts: 0 or -EPERM. */
int rec_jit_file_judge(const struct stat *st, uid_t user);

struct rec_perf_map_place {
	int tmp_fd;   /* O_PATH, owned; -1: none */
	uint32_t pid; /* in its own namespace */
	uid_t user;
};

/* Read the effective user of a process.  Return 0 or a negative errno. */
int rec_process_user(int proc_fd, uint32_t pid, uid_t *ret);

/* Find the place of a process that runs.  Return 0 or a negative errno: -ENOENT
 * if it has ended, -ENOTDIR if its tmp is a link. */
int rec_perf_map_place_open(int proc_fd, uint32_t pid,
			    struct rec_perf_map_place *ret);
/* Find it again, closed meanwhile. */
int rec_perf_map_place_enter(int proc_fd, uint32_t pid,
			     struct rec_perf_map_place *place);
/* The place that a process had which has ended: /tmp, and our own user. */
int rec_perf_map_place_left(uint32_t pid, struct rec_perf_map_place *ret);
void rec_perf_map_place_close(struct rec_perf_map_place *place);

/* Look at the map without opening it.  Return 0, -ENOENT, or -EPERM if it does
 * not count. */
int rec_perf_map_look(const struct rec_perf_map_place *place, struct stat *ret);
/* Return a descriptor of the map, or an error as above. */
int rec_perf_map_open(const struct rec_perf_map_place *place);

#endif
