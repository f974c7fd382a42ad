#include "record/names/perf_map_names.h"

#include "format/symtab/perf_map_line.h"
#include "record/base/runtime.h"
#include "record/names/each_line.h"
#include "record/names/hit_set.h"
#include "record/names/name_share.h"
#include "record/names/perf_map_place.h"

#include <errno.h>
#include <stdlib.h>
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

/* From when on lines count: those of the list, by its notes. */
struct times {
	const struct rec_map_notes *notes; /* NULL: all from the beginning */
	uint32_t note_idx; /* of the line before; notes->nr: it came later */
	uint64_t line_end; /* of this line, in the map */
	uint64_t *items;   /* owned; by name of the list */
	uint32_t nr, cap;
	bool has_last; /* the last one is that of the line before */
};

struct search {
	struct rec_unnamed_hits *hits;
	struct rec_name_list *list;
	uint64_t until_ns;
	uint64_t line_nr;
	struct times times;
	size_t share_left; /* bytes of texts: name_share.h */
	bool is_over;	   /* there were more */
	bool is_cut;	   /* the first line is the rest of one */
	bool has_unsized;
	struct pd_symbol_search unsized;
};

/* The line before was the last one of its growth. */
static void times_end_note(struct times *t)
{
	uint64_t changed_ns;

	if (!t->has_last || t->note_idx >= t->notes->nr)
		return;
	changed_ns = t->notes->items[t->note_idx].changed_ns;
	if (changed_ns > t->items[t->nr - 1])
		t->items[t->nr - 1] = changed_ns;
}

/* Go on to the next line, which is so long with its newline. */
static void times_step(struct times *t, uint64_t len)
{
	uint32_t idx = t->note_idx;

	t->line_end += len;
	if (!t->notes)
		return;
	while (idx < t->notes->nr && t->line_end > t->notes->items[idx].len)
		idx++;
	if (idx != t->note_idx)
		times_end_note(t);
	t->note_idx = idx;
	t->has_last = false;
}

/* Note that of the line that was added to the list. */
static int times_add(struct times *t)
{
	uint32_t idx = t->note_idx;

	if (!t->notes)
		return 0;
	if (t->nr == t->cap) {
		uint32_t cap = t->cap ? 2 * t->cap : 256;
		uint64_t *items = reallocarray(t->items, cap, sizeof(*items));

		if (!items)
			return -ENOMEM;
		t->items = items;
		t->cap = cap;
	}
	t->items[t->nr++] = idx ? t->notes->items[idx - 1].looked_ns : 0;
	t->has_last = true;
	return 0;
}

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

	times_step(&s->times, whole.len + 1);
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
	uint32_t nr;

	if (rc <= 0)
		return rc;
	s->has_unsized |= !line.len;
	nr = s->list->nr;
	rc = add(s, line.start, line.len, line.name);
	return !rc && s->list->nr > nr ? times_add(&s->times) : rc;
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
	s->times.line_end = (uint64_t)off;
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

/* The lines that cover a hit. */
struct reuse_hit {
	int32_t linked_nr;  /* those that cover it and the next hit, too: of
			     * these fewer or more than of the one before */
	int32_t untimed_nr; /* the same of those without a time */
	bool is_timed;
};

struct reuse {
	uint64_t *first_ns, *last_ns; /* owned; by hit: of the lines that name
				       * it */
	struct reuse_hit *hits;	      /* owned */
};

/* Note the times of the first lines, or of the last ones, that name hits. */
static int mark_hits(const struct search *s, bool is_backward, uint64_t *marks)
{
	struct rec_unnamed_hits unnamed;
	int rc = rec_unnamed_hits_init(&unnamed, s->hits->hits, s->hits->nr);

	for (uint32_t i = 0; i < s->times.nr && !rc; i++) {
		uint32_t at = is_backward ? s->times.nr - 1 - i : i;
		const struct pd_carried_name *name = &s->list->items[at];

		rec_unnamed_hits_mark(&unnamed, name->start, name->len, marks,
				      s->times.items[at]);
	}
	rec_unnamed_hits_release(&unnamed);
	return rc;
}

static bool is_sound(const struct pd_carried_name *name)
{
	const struct pd_jit_code code = { .addr = name->start,
					  .len = name->len };

	return pd_jit_code_is_sound(&code);
}

/* Count the lines over the hits that they cover, each of them one at least. */
static void link_hits(const struct search *s, struct reuse_hit *ret)
{
	const uint64_t *hits = s->hits->hits;
	size_t nr = s->hits->nr;

	for (uint32_t i = 0; i < s->list->nr; i++) {
		const struct pd_carried_name *name = &s->list->items[i];
		uint64_t to = name->start + name->len;
		size_t first = rec_hits_below(hits, nr, name->start);
		size_t end =
			to > name->start ? rec_hits_below(hits, nr, to) : nr;

		ret[first].linked_nr++;
		ret[end - 1].linked_nr--;
		if (i < s->times.nr && is_sound(name))
			continue;
		ret[first].untimed_nr++;
		ret[end].untimed_nr--;
	}
}

/* A reader prefers lines with times to others: of the hits that lines link with
 * each other, all have them, if one lies where several lines were, or none. */
static void find_timed(const struct search *s, struct reuse *reuse)
{
	int32_t linked_nr = 0, untimed_nr = 0;
	bool is_reused = false, has_untimed = false;
	size_t begin = 0;

	for (size_t i = 0; i < s->hits->nr; i++) {
		untimed_nr += reuse->hits[i].untimed_nr;
		linked_nr += reuse->hits[i].linked_nr;
		has_untimed |= untimed_nr > 0;
		is_reused |= reuse->first_ns[i] != reuse->last_ns[i];
		if (linked_nr)
			continue;
		while (begin <= i)
			reuse->hits[begin++].is_timed =
				is_reused && !has_untimed;
		is_reused = has_untimed = false;
	}
}

static int find_reuse(const struct search *s, struct reuse *ret)
{
	size_t nr = s->hits->nr;
	int rc = -ENOMEM;

	ret->first_ns = calloc(nr + 1, sizeof(*ret->first_ns));
	ret->last_ns = calloc(nr + 1, sizeof(*ret->last_ns));
	ret->hits = calloc(nr + 1, sizeof(*ret->hits));
	if (ret->first_ns && ret->last_ns && ret->hits)
		rc = mark_hits(s, false, ret->first_ns);
	if (!rc)
		rc = mark_hits(s, true, ret->last_ns);
	if (rc)
		return rc;
	link_hits(s, ret->hits);
	find_timed(s, ret);
	return 0;
}

/* Add the lines of which the times tell more than their order: most maps have
 * none.  All of them, or none if there is no room. */
static int add_times(const struct search *s, struct rec_jit_codes *codes)
{
	struct reuse reuse = { .hits = NULL };
	int rc = find_reuse(s, &reuse);

	for (uint32_t i = 0; i < s->times.nr && !rc; i++) {
		const struct pd_carried_name *name = &s->list->items[i];
		const struct pd_jit_code code = {
			.time_ns = s->times.items[i],
			.addr = name->start,
			.len = name->len,
			.idx = i,
			.name = name->text,
			.eh_frame = { "", 0 },
		};
		size_t first =
			rec_hits_below(s->hits->hits, s->hits->nr, name->start);

		if (reuse.hits[first].is_timed)
			rc = rec_jit_codes_add(codes, &code);
	}
	free(reuse.first_ns);
	free(reuse.last_ns);
	free(reuse.hits);
	if (rc)
		rec_jit_codes_release(codes);
	return rc == -EFBIG ? 0 : rc;
}

int rec_perf_map_names(int fd, const struct rec_map_notes *notes,
		       struct rec_unnamed_hits *hits, uint64_t until_ns,
		       struct rec_name_list *list, struct rec_jit_codes *codes)
{
	struct search s = { .hits = hits,
			    .list = list,
			    .until_ns = until_ns,
			    .times.notes = codes ? notes : NULL,
			    .share_left = rec_name_share(hits->nr) };
	struct stat st;
	off_t off;
	int rc;

	if (fstat(fd, &st))
		return -errno;
	s.is_cut = st.st_size > MAP_LEN_MAX;
	off = s.is_cut ? st.st_size - MAP_LEN_MAX : 0;
	rc = each_line(fd, off, &s, see_line);
	times_end_note(&s.times);
	s.times.notes = NULL;
	if (!rc && s.has_unsized)
		rc = find_unsized(fd, off, &s);
	/* times of lines ascend */
	if (!rc && s.times.nr && s.times.items[s.times.nr - 1])
		rc = add_times(&s, codes);
	free(s.times.items);
	return !rc && (s.is_cut || s.is_over) ? -EFBIG : rc;
}
