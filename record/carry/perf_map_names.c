#include "record/carry/perf_map_names.h"

#include "record/base/read_file.h"
#include "record/carry/each_line.h"
#include "record/carry/hit_set.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAP_LEN_MAX = 16 << 20,
	STATUS_LEN_MAX = 64 * 1024,
	PATH_LEN = 96,
};

/* Return the pid that the process has in its own namespace: the last of NSpid
 * in /proc/PID/status; or 0. */
static uint32_t own_pid(int proc_fd, uint32_t pid)
{
	struct pd_buf text = PD_BUF_INIT;
	struct rec_text_scan all, line;
	char path[PATH_LEN];
	uint32_t ret = 0;

	snprintf(path, sizeof(path), "%u/status", pid);
	if (rec_read_file(proc_fd, path, STATUS_LEN_MAX, &text)) {
		pd_buf_release(&text);
		return 0;
	}
	all = rec_text_scan_buf(&text);
	while (rec_text_scan_line(&all, &line)) {
		if (!rec_text_scan_text(&line, "NSpid:"))
			continue;
		while (rec_text_scan_blanks(&line) &&
		       rec_text_scan_dec32(&line, &ret))
			continue;
	}
	pd_buf_release(&text);
	return ret;
}

static bool is_of_user(int fd, uid_t user)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       (st.st_uid == user || st.st_uid == 0);
}

/* The process's own if it still runs, else the one that it left here, which
 * must be ours or root's. */
static int open_map(int proc_fd, uint32_t pid)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	uint32_t inner = own_pid(proc_fd, pid);
	uid_t user = geteuid();
	char path[PATH_LEN];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%u", pid);
	if (inner && !fstatat(proc_fd, path, &st, 0)) {
		user = st.st_uid;
		snprintf(path, sizeof(path), "%u/root/tmp/perf-%u.map", pid,
			 inner);
		fd = openat(proc_fd, path, flags);
	} else {
		snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
		fd = open(path, flags);
	}
	if (fd < 0)
		return -errno;
	if (is_of_user(fd, user))
		return fd;
	close(fd);
	return -EPERM;
}

struct search {
	const uint64_t *hits;
	size_t nr;
	size_t *unnamed; /* owned; by hit: itself, or one behind it if it has
			  * a name */
	struct rec_name_list *list;
};

/* Return the first hit from idx on without a name, or nr.  Whoever writes the
 * map may cover all hits by each line: none is looked at twice. */
static size_t next_unnamed(struct search *s, size_t idx)
{
	while (s->unnamed[idx] != idx) {
		s->unnamed[idx] = s->unnamed[s->unnamed[idx]];
		idx = s->unnamed[idx];
	}
	return idx;
}

/* Read hexadecimal digits and a blank; java writes 0x in front of them. */
static bool read_number(struct rec_text_scan *line, uint64_t *ret)
{
	rec_text_scan_text(line, "0x");
	return rec_text_scan_hex(line, ret) && rec_text_scan_char(line, ' ');
}

/* START SIZE name. */
static int see_line(void *ctx, struct rec_text_scan line)
{
	struct search *s = ctx;
	struct pd_carried_name name = { .source = PD_CARRIED_LINE };
	size_t first;

	if (!read_number(&line, &name.start) || !read_number(&line, &name.len))
		return 0;
	name.text = (struct pd_str){ line.at, rec_text_scan_left(&line) };
	first = rec_hits_below(s->hits, s->nr, name.start);
	if (first == s->nr || s->hits[first] - name.start >= name.len ||
	    memchr(name.text.ptr, 0, name.text.len))
		return 0;
	for (size_t i = next_unnamed(s, first);
	     i < s->nr && s->hits[i] - name.start < name.len;
	     i = next_unnamed(s, i)) {
		s->unnamed[i] = i + 1;
		s->list->named_nr++;
	}
	return rec_name_list_add(s->list, &name) ? 0 : -ENOMEM;
}

int rec_perf_map_names(int proc_fd, uint32_t pid, const uint64_t *hits,
		       size_t nr, struct rec_name_list *list)
{
	struct search s = { .hits = hits, .nr = nr, .list = list };
	int fd = open_map(proc_fd, pid), rc;

	if (fd < 0)
		return fd;
	s.unnamed = calloc(nr + 1, sizeof(*s.unnamed));
	for (size_t i = 0; s.unnamed && i <= nr; i++)
		s.unnamed[i] = i;
	rc = s.unnamed ? rec_each_line(fd, MAP_LEN_MAX, see_line, &s) : -ENOMEM;
	close(fd);
	free(s.unnamed);
	return rc;
}
