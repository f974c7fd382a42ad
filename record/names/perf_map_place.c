#include "record/names/perf_map_place.h"

#include "record/base/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { STATUS_LEN_MAX = 64 * 1024, PATH_LEN = 64 };

/* Effective user, and the pid in the process's own namespace, which is the last
 * one of its line. */
static int read_status(int proc_fd, uint32_t pid,
		       struct rec_perf_map_place *place)
{
	struct pd_buf text = PD_BUF_INIT;
	struct rec_text_scan all, line;
	uint32_t number = 0;
	char path[PATH_LEN];
	int rc;

	snprintf(path, sizeof(path), "%u/status", pid);
	rc = rec_read_file(proc_fd, path, STATUS_LEN_MAX, &text);
	all = rec_text_scan_buf(&text);
	while (!rc && rec_text_scan_line(&all, &line)) {
		bool is_user = rec_text_scan_text(&line, "Uid:");

		if (!is_user && !rec_text_scan_text(&line, "NSpid:"))
			continue;
		for (int i = 0; rec_text_scan_blanks(&line) &&
				rec_text_scan_dec32(&line, &number);
		     i++) {
			if (!is_user)
				place->pid = number;
			else if (i == 1)
				place->user = number;
		}
	}
	pd_buf_release(&text);
	return rc;
}

int rec_process_user(int proc_fd, uint32_t pid, uid_t *ret)
{
	struct rec_perf_map_place place = { .user = (uid_t)-1 };
	int rc = read_status(proc_fd, pid, &place);

	if (!rc)
		*ret = place.user;
	return rc;
}

int rec_perf_map_place_enter(int proc_fd, uint32_t pid,
			     struct rec_perf_map_place *place)
{
	char path[PATH_LEN];

	snprintf(path, sizeof(path), "%u/root/tmp", pid);
	place->tmp_fd = openat(proc_fd, path,
			       O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return place->tmp_fd < 0 ? -errno : 0;
}

int rec_perf_map_place_open(int proc_fd, uint32_t pid,
			    struct rec_perf_map_place *ret)
{
	struct rec_perf_map_place place = { .pid = pid, .user = (uid_t)-1 };
	int rc = read_status(proc_fd, pid, &place);

	if (!rc)
		rc = rec_perf_map_place_enter(proc_fd, pid, &place);
	if (!rc)
		*ret = place;
	return rc;
}

int rec_perf_map_place_left(uint32_t pid, struct rec_perf_map_place *ret)
{
	*ret = (struct rec_perf_map_place){
		.tmp_fd = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC),
		.pid = pid,
		.user = geteuid(),
	};
	return ret->tmp_fd < 0 ? -errno : 0;
}

void rec_perf_map_place_close(struct rec_perf_map_place *place)
{
	if (place->tmp_fd >= 0)
		close(place->tmp_fd);
	place->tmp_fd = -1;
}

int rec_jit_file_judge(const struct stat *st, uid_t user)
{
	const bool is_of_all =
		!st->st_uid && (st->st_mode & S_IROTH) && st->st_size;

	return S_ISREG(st->st_mode) && st->st_nlink <= 1 &&
			       (st->st_uid == user || is_of_all)
		       ? 0
		       : -EPERM;
}

static void name_of(const struct rec_perf_map_place *place, char ret[PATH_LEN])
{
	snprintf(ret, PATH_LEN, "perf-%u.map", place->pid);
}

int rec_perf_map_look(const struct rec_perf_map_place *place, struct stat *ret)
{
	char name[PATH_LEN];

	name_of(place, name);
	if (fstatat(place->tmp_fd, name, ret, AT_SYMLINK_NOFOLLOW))
		return -errno;
	return rec_jit_file_judge(ret, place->user);
}

int rec_perf_map_open(const struct rec_perf_map_place *place)
{
	char name[PATH_LEN];
	struct stat st;
	int rc = rec_perf_map_look(place, &st), fd;

	if (rc)
		return rc;
	name_of(place, name);
	/* The file may be another one by now. */
	fd = openat(place->tmp_fd, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = fstat(fd, &st) ? -errno : rec_jit_file_judge(&st, place->user);
	if (!rc)
		return fd;
	close(fd);
	return rc;
}
