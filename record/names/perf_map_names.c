#include "record/names/perf_map_names.h"

#include "record/base/runtime.h"
#include "record/names/each_line.h"
#include "record/names/perf_map_place.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAP_LEN_MAX = 64 << 20, LINES_A_LOOK = 4096 };

/* Return the map at its place, which is closed. */
static int open_at(struct rec_perf_map_place *place)
{
	int fd = rec_perf_map_open(place);

	rec_perf_map_place_close(place);
	return fd;
}

int rec_perf_map_find(int proc_fd, uint32_t pid)
{
	struct rec_perf_map_place place;
	int rc = rec_perf_map_place_open(proc_fd, pid, &place);

	if (rc == -ENOENT || rc == -ESRCH)
		rc = rec_perf_map_place_left(pid, &place);
	return rc ? rc : open_at(&place);
}

struct search {
	struct rec_unnamed_hits *hits;
	struct rec_name_list *list;
	uint64_t until_ns;
	uint64_t line_nr;
	bool is_cut; /* the first line is the rest of one */
};

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

	if (s->line_nr++ % LINES_A_LOOK == 0 && rec_now_ns() >= s->until_ns)
		return -ETIME;
	if (s->line_nr == 1 && s->is_cut)
		return 0;
	if (!read_number(&line, &name.start) || !read_number(&line, &name.len))
		return 0;
	name.text = (struct pd_str){ line.at, rec_text_scan_left(&line) };
	if (!rec_unnamed_hits_cover(s->hits, name.start, name.len) ||
	    memchr(name.text.ptr, 0, name.text.len))
		return 0;
	rec_unnamed_hits_name(s->hits, name.start, name.len);
	return rec_name_list_add(s->list, &name) ? 0 : -ENOMEM;
}

int rec_perf_map_names(int fd, struct rec_unnamed_hits *hits, uint64_t until_ns,
		       struct rec_name_list *list)
{
	struct search s = { .hits = hits, .list = list, .until_ns = until_ns };
	struct stat st;
	int rc;

	if (fstat(fd, &st))
		return -errno;
	s.is_cut = st.st_size > MAP_LEN_MAX;
	if (lseek(fd, s.is_cut ? st.st_size - MAP_LEN_MAX : 0, SEEK_SET) < 0)
		return -errno;
	rc = rec_each_line(fd, MAP_LEN_MAX, see_line, &s);
	return !rc && s.is_cut ? -EFBIG : rc;
}
