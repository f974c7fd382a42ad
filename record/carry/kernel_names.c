#include "record/carry/kernel_names.h"

#include "format/base/buf.h"
#include "record/base/runtime.h"
#include "record/names/each_line.h"
#include "record/names/hit_set.h"
#include "record/snapshot/kernel_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILE_LEN_MAX = 64 << 20, ALIASES_MAX = 64, PIECE_LEN = 64 << 10 };

#define COPY_AGE_NS UINT64_C(300000000000)

/* What is known of a hit so far.  The symbols start behind the hit before. */
struct around {
	uint64_t start;		    /* the highest that is not above the hit */
	struct rec_name_list names; /* those that start there */
	uint64_t next;		    /* the lowest above the hit; 0: none */
	bool is_next_of_module;
};

/* The lines that start last before one hit, of those that came in a row for it:
 * most are followed by one that is nearer. */
struct nearest {
	size_t idx;	/* of the hit; the number of hits: none */
	uint64_t start; /* of all of them */
	uint32_t nr;
	uint8_t types[ALIASES_MAX];
	uint32_t ends[ALIASES_MAX]; /* of each text, in texts */
	struct pd_buf texts;
};

struct search {
	const uint64_t *hits;
	size_t nr;
	struct around *arounds; /* owned; of each hit */
	struct nearest nearest;
	struct rec_name_list *list;
	bool has_addresses;
};

/* Return the line from the symbol's name on, with its module. */
static struct pd_str text_of(const struct rec_kallsyms_line *line)
{
	const char *end = line->module.end > line->module.at
				  ? line->module.end + 1
				  : line->name.end;

	return (struct pd_str){ line->name.at, (size_t)(end - line->name.at) };
}

static int add(struct rec_name_list *list, uint64_t start, uint8_t type,
	       struct pd_str text)
{
	const struct pd_carried_name name = {
		.start = start,
		.source = PD_CARRIED_LINE,
		.info = type,
		.text = text,
	};

	return list->nr >= ALIASES_MAX || rec_name_list_add(list, &name)
		       ? 0
		       : -ENOMEM;
}

/* Give the lines to their hit, if none is nearer to it. */
static int put_nearest(struct search *s)
{
	struct nearest *near = &s->nearest;
	struct around *at = &s->arounds[near->idx];
	uint32_t off = 0;
	int rc = pd_buf_status(&near->texts);

	if (near->start > at->start)
		rec_name_list_release(&at->names);
	for (uint32_t i = 0; near->start >= at->start && i < near->nr && !rc;
	     off = near->ends[i++])
		rc = add(&at->names, near->start, near->types[i],
			 (struct pd_str){ (const char *)near->texts.data + off,
					  near->ends[i] - off });
	if (near->start > at->start)
		at->start = near->start;
	near->idx = s->nr;
	near->nr = 0;
	pd_buf_reset(&near->texts);
	return rc;
}

static int see_before_hit(struct search *s, size_t idx,
			  const struct rec_kallsyms_line *line)
{
	struct nearest *near = &s->nearest;
	struct pd_str text = text_of(line);
	int rc = 0;

	if (near->idx != idx && near->idx < s->nr)
		rc = put_nearest(s);
	if (near->idx == s->nr || line->addr > near->start) {
		near->idx = idx;
		near->start = line->addr;
		near->nr = 0;
		pd_buf_reset(&near->texts);
	}
	if (line->addr < near->start || near->nr == ALIASES_MAX)
		return rc;
	pd_buf_bytes(&near->texts, text.ptr, text.len);
	near->types[near->nr] = (uint8_t)line->type;
	near->ends[near->nr++] = (uint32_t)near->texts.len;
	return rc;
}

/* Return the first hit that is not below addr; lines mostly ascend. */
static size_t first_hit(const struct search *s, uint64_t addr)
{
	size_t idx = s->nearest.idx;

	if (idx < s->nr && addr >= s->nearest.start && addr <= s->hits[idx])
		return idx;
	return rec_hits_below(s->hits, s->nr, addr);
}

/* Those that the reader counts: code and data, no marks. */
static bool counts(const struct rec_kallsyms_line *line)
{
	return line->type && strchr("TtWwDdBb", line->type) &&
	       *line->name.at != '$';
}

static bool is_of_module(const struct pd_carried_name *name)
{
	return memchr(name->text.ptr, '[', name->text.len);
}

static int see_line(void *ctx, struct rec_text_scan text)
{
	struct search *s = ctx;
	struct rec_kallsyms_line line;
	struct around *before;
	size_t idx;
	int rc = 0;

	if (!rec_kallsyms_parse(text, &line) || !counts(&line))
		return 0;
	s->has_addresses |= line.addr != 0;
	if (rec_text_scan_is(&line.name, "_text") ||
	    rec_text_scan_is(&line.name, "_stext"))
		rc = add(s->list, line.addr, (uint8_t)line.type,
			 text_of(&line));
	idx = first_hit(s, line.addr);
	if (idx < s->nr && !rc)
		rc = see_before_hit(s, idx, &line);
	/* A symbol that starts at a hit is above the hit before it. */
	before = idx ? &s->arounds[idx - 1] : NULL;
	if (before && (!before->next || line.addr < before->next)) {
		before->next = line.addr;
		before->is_next_of_module = line.module.end > line.module.at;
	}
	return rc;
}

/* Return where a symbol ends, as the reader has it: at the next one, but the
 * last of the kernel and the last of a module behind the page after its own. */
static uint64_t end_of(const struct search *s, size_t idx,
		       const struct pd_carried_name *name)
{
	const uint64_t page_len = 4096;

	while (idx + 1 < s->nr && !s->arounds[idx].next)
		idx++;
	if (s->arounds[idx].next &&
	    s->arounds[idx].is_next_of_module == is_of_module(name))
		return s->arounds[idx].next;
	return ((name->start + page_len - 1) & ~(page_len - 1)) + page_len;
}

/* Append what stands around the hits.  Of aliases the last one has a length, as
 * if the symbol behind it were carried, too. */
static int collect(struct search *s)
{
	bool is_named = false;

	for (size_t i = 0; i < s->nr; i++) {
		struct rec_name_list *names = &s->arounds[i].names;

		is_named |= names->nr;
		s->list->named_nr += is_named;
		for (uint32_t k = 0; k < names->nr; k++) {
			struct pd_carried_name *name = &names->items[k];

			if (k + 1 == names->nr)
				name->len = end_of(s, i, name) - name->start;
			if (!rec_name_list_add(s->list, name))
				return -ENOMEM;
		}
	}
	return 0;
}

void rec_kallsyms_open(struct rec_kallsyms *kallsyms, bool keeps)
{
	*kallsyms = (struct rec_kallsyms){
		.fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC),
		.keeps = keeps,
		.copy_fd = -1,
	};
}

static void drop_copy(struct rec_kallsyms *kallsyms)
{
	if (kallsyms->copy_fd >= 0)
		close(kallsyms->copy_fd);
	kallsyms->copy_fd = -1;
}

void rec_kallsyms_close(struct rec_kallsyms *kallsyms)
{
	drop_copy(kallsyms);
	if (kallsyms->fd >= 0)
		close(kallsyms->fd);
	kallsyms->fd = -1;
}

static int copy_all(int from, int to)
{
	size_t all = 0;
	char *piece = malloc(PIECE_LEN);
	int rc = piece ? 1 : -ENOMEM;

	while (rc > 0) {
		ssize_t got = read(from, piece, PIECE_LEN);

		if (got < 0 && errno == EINTR)
			continue;
		rc = got < 0 ? -errno : got > 0;
		all += rc > 0 ? (size_t)got : 0;
		if (rc > 0 && (all > FILE_LEN_MAX ||
			       write(to, piece, (size_t)got) != got))
			rc = -EFBIG;
	}
	free(piece);
	return rc;
}

/* Without a copy the kernel makes the file again. */
static void make_copy(struct rec_kallsyms *kallsyms)
{
	drop_copy(kallsyms);
	kallsyms->copy_fd = memfd_create("kallsyms", MFD_CLOEXEC);
	kallsyms->taken_ns = rec_now_ns();
	if (kallsyms->copy_fd >= 0 && copy_all(kallsyms->fd, kallsyms->copy_fd))
		drop_copy(kallsyms);
}

/* Return what to read from, at its start; or -1. */
static int source_of(struct rec_kallsyms *kallsyms)
{
	int fd;

	if (kallsyms->fd < 0 || lseek(kallsyms->fd, 0, SEEK_SET))
		return -1;
	if (kallsyms->keeps &&
	    (kallsyms->copy_fd < 0 ||
	     rec_now_ns() - kallsyms->taken_ns > COPY_AGE_NS))
		make_copy(kallsyms);
	fd = kallsyms->copy_fd < 0 ? kallsyms->fd : kallsyms->copy_fd;
	return lseek(fd, 0, SEEK_SET) ? -1 : fd;
}

int rec_kernel_names(struct rec_kallsyms *kallsyms, const uint64_t *hits,
		     size_t nr, struct rec_name_list *list)
{
	struct search s = {
		.hits = hits,
		.nr = nr,
		.nearest.idx = nr,
		.list = list,
	};
	int fd = source_of(kallsyms), rc;

	if (fd < 0)
		return -EACCES;
	s.arounds = calloc(nr + 1, sizeof(*s.arounds));
	rc = s.arounds ? rec_each_line(fd, FILE_LEN_MAX, see_line, &s)
		       : -ENOMEM;
	if (!rc && s.nearest.idx < nr)
		rc = put_nearest(&s);
	if (!rc && !s.has_addresses) {
		rec_name_list_release(list);
		rc = -EACCES;
	}
	if (!rc)
		rc = collect(&s);
	for (size_t i = 0; s.arounds && i < nr; i++)
		rec_name_list_release(&s.arounds[i].names);
	free(s.arounds);
	pd_buf_release(&s.nearest.texts);
	return rc;
}
