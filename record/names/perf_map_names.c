#include "record/names/perf_map_names.h"

#include "record/names/each_line.h"
#include "record/names/hit_set.h"
#include "record/names/perf_map_place.h"

#include <errno.h>
#include <stdlib.h>

enum { MAP_LEN_MAX = 16 << 20 };

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

int rec_perf_map_names(int fd, const uint64_t *hits, size_t nr,
		       struct rec_name_list *list)
{
	struct search s = { .hits = hits, .nr = nr, .list = list };
	int rc = -ENOMEM;

	s.unnamed = calloc(nr + 1, sizeof(*s.unnamed));
	for (size_t i = 0; s.unnamed && i <= nr; i++)
		s.unnamed[i] = i;
	if (s.unnamed)
		rc = rec_each_line(fd, MAP_LEN_MAX, see_line, &s);
	free(s.unnamed);
	return rc;
}
