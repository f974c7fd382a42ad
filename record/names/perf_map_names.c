#include "record/names/perf_map_names.h"

#include "format/symtab/perf_map_line.h"
#include "record/base/runtime.h"
#include "record/names/each_line.h"
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
	struct pd_symbol_search unsized;
	struct rec_unnamed_hits *hits;
	struct rec_name_list *list;
	uint64_t until_ns;
	uint64_t line_nr;
	bool is_cut; /* the first line is the rest of one */
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
	rec_unnamed_hits_name(s->hits, start, len);
	return rec_name_list_add(s->list, &carried) ? 0 : -ENOMEM;
}

static int see_line(void *ctx, struct rec_text_scan text)
{
	const struct pd_str whole = { text.at, rec_text_scan_left(&text) };
	struct pd_perf_map_line line;
	struct pd_symbol_start symbol;
	struct search *s = ctx;
	int rc = 0;

	if (s->line_nr++ % LINES_A_LOOK == 0 && rec_now_ns() >= s->until_ns)
		return -ETIME;
	if ((s->line_nr == 1 && s->is_cut) ||
	    !pd_perf_map_line_read(whole, &line))
		return 0;
	symbol = pd_perf_map_symbol(&line);
	rc = pd_symbol_search_see(&s->unsized, &symbol);
	return rc ? rc : add(s, line.start, line.len, line.name);
}

static int add_unsized(void *ctx, const struct pd_symbol_start *symbol,
		       uint64_t len)
{
	return symbol->rank ? 0 : add(ctx, symbol->start, len, symbol->name);
}

/* Read on from the position of fd.  What is found until an error counts. */
static int read_lines(int fd, struct search *s)
{
	uint64_t named_nr;
	int rc = rec_each_line(fd, MAP_LEN_MAX, see_line, s);
	int later =
		pd_symbol_search_each(&s->unsized, add_unsized, s, &named_nr);

	return rc ? rc : later;
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
	rc = pd_symbol_search_init(&s.unsized, hits->hits, hits->nr);
	if (!rc)
		rc = read_lines(fd, &s);
	pd_symbol_search_release(&s.unsized);
	return !rc && s.is_cut ? -EFBIG : rc;
}
