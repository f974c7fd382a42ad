#include "record/names/perf_map_names.h"

#include "format/symtab/perf_map_line.h"
#include "record/base/runtime.h"
#include "record/names/each_line.h"
#include "record/names/name_share.h"
#include "record/names/perf_map_place.h"

#include <errno.h>
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
	size_t share_left; /* bytes of texts: name_share.h */
	bool is_over;	   /* there were more */
	bool is_cut;	   /* the first line is the rest of one */
	bool has_unsized;
	struct pd_symbol_search unsized;
};

static int add(struct search *s, uint64_t start, uint64_t len,
	       struct pd_str name)
{
	const struct pd_carried_name carried = {
		.start = start,
		.len = len,
		.source = PD_CARRIED_LINE,
		.text = name,
	};

	if (!rec_unnamed_hits_cover(s->hits, start, len))
		return 0;
	if (name.len > s->share_left) {
		s->is_over = true;
		return 0;
	}
	s->share_left -= name.len;
	rec_unnamed_hits_name(s->hits, start, len);
	return rec_name_list_add(s->list, &carried) ? 0 : -ENOMEM;
}

/* Return 1; 0 if the line is to be passed over; or -ETIME. */
static int read_line(struct search *s, struct rec_text_scan text,
		     struct pd_perf_map_line *ret)
{
	const struct pd_str whole = { text.at, rec_text_scan_left(&text) };

	if (s->line_nr++ % LINES_A_LOOK == 0 && rec_now_ns() >= s->until_ns)
		return -ETIME;
	return !(s->line_nr == 1 && s->is_cut) &&
	       pd_perf_map_line_read(whole, ret);
}

static int see_line(void *ctx, struct rec_text_scan text)
{
	struct pd_perf_map_line line;
	struct search *s = ctx;
	int rc = read_line(s, text, &line);

	if (rc <= 0)
		return rc;
	s->has_unsized |= !line.len;
	return add(s, line.start, line.len, line.name);
}

static int see_start(void *ctx, struct rec_text_scan text)
{
	struct pd_symbol_start symbol;
	struct pd_perf_map_line line;
	struct search *s = ctx;
	int rc = read_line(s, text, &line);

	if (rc <= 0)
		return rc;
	symbol = pd_perf_map_symbol(&line);
	return pd_symbol_search_see(&s->unsized, &symbol);
}

static int add_unsized(void *ctx, const struct pd_symbol_start *symbol,
		       uint64_t len)
{
	return symbol->rank ? 0 : add(ctx, symbol->start, len, symbol->name);
}

/* Read the lines from off on. */
static int each_line(int fd, off_t off, struct search *s,
		     int (*see)(void *ctx, struct rec_text_scan text))
{
	s->line_nr = 0;
	return lseek(fd, off, SEEK_SET) < 0
		       ? -errno
		       : rec_each_line(fd, MAP_LEN_MAX, see, s);
}

/* Find the functions of size 0, which are rare: they end where others start. */
static int find_unsized(int fd, off_t off, struct search *s)
{
	uint64_t named_nr;
	int rc = pd_symbol_search_init(&s->unsized, s->hits->hits, s->hits->nr);

	if (!rc)
		rc = each_line(fd, off, s, see_start);
	if (!rc)
		rc = pd_symbol_search_each(&s->unsized, add_unsized, s,
					   &named_nr);
	pd_symbol_search_release(&s->unsized);
	return rc;
}

int rec_perf_map_names(int fd, struct rec_unnamed_hits *hits, uint64_t until_ns,
		       struct rec_name_list *list)
{
	struct search s = { .hits = hits,
			    .list = list,
			    .until_ns = until_ns,
			    .share_left = rec_name_share(hits->nr) };
	struct stat st;
	off_t off;
	int rc;

	if (fstat(fd, &st))
		return -errno;
	s.is_cut = st.st_size > MAP_LEN_MAX;
	off = s.is_cut ? st.st_size - MAP_LEN_MAX : 0;
	rc = each_line(fd, off, &s, see_line);
	if (!rc && s.has_unsized)
		rc = find_unsized(fd, off, &s);
	return !rc && (s.is_cut || s.is_over) ? -EFBIG : rc;
}
