#include "record/carry/kernel_names.h"

#include "record/names/each_line.h"
#include "record/names/hit_set.h"
#include "record/snapshot/kernel_map.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_LEN_MAX = 64 << 20, ALIASES_MAX = 64 };

/* What is known of a hit so far.  The symbols start behind the hit before. */
struct around {
	uint64_t start;		    /* the highest that is not above the hit */
	struct rec_name_list names; /* those that start there */
	uint64_t next;		    /* the lowest above the hit; 0: none */
	bool is_next_of_module;
};

struct search {
	const uint64_t *hits;
	size_t nr;
	struct around *arounds; /* owned; of each hit */
	struct rec_name_list *list;
	bool has_addresses;
	int rc; /* of the line that is looked at */
};

static void add(struct search *s, struct rec_name_list *list,
		const struct rec_kallsyms_line *line)
{
	const char *end = line->module.end > line->module.at
				  ? line->module.end + 1
				  : line->name.end;
	const struct pd_carried_name name = {
		.start = line->addr,
		.source = PD_CARRIED_LINE,
		.info = (uint8_t)line->type,
		.text = { line->name.at, (size_t)(end - line->name.at) },
	};

	if (list->nr < ALIASES_MAX && !rec_name_list_add(list, &name))
		s->rc = -ENOMEM;
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
	struct around *at;
	size_t idx;

	if (!rec_kallsyms_parse(text, &line) || !counts(&line))
		return 0;
	s->has_addresses |= line.addr != 0;
	if (rec_text_scan_is(&line.name, "_text") ||
	    rec_text_scan_is(&line.name, "_stext"))
		add(s, s->list, &line);
	idx = rec_hits_below(s->hits, s->nr, line.addr);
	if (idx < s->nr) {
		at = &s->arounds[idx];
		if (line.addr > at->start)
			rec_name_list_release(&at->names);
		if (line.addr >= at->start)
			add(s, &at->names, &line);
		if (line.addr > at->start)
			at->start = line.addr;
	}
	/* A symbol that starts at a hit is above the hit before it. */
	at = idx ? &s->arounds[idx - 1] : NULL;
	if (at && (!at->next || line.addr < at->next)) {
		at->next = line.addr;
		at->is_next_of_module = line.module.end > line.module.at;
	}
	return s->rc;
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

int rec_kernel_names(int kallsyms_fd, const uint64_t *hits, size_t nr,
		     struct rec_name_list *list)
{
	struct search s = { .hits = hits, .nr = nr, .list = list };
	int rc;

	if (kallsyms_fd < 0 || lseek(kallsyms_fd, 0, SEEK_SET))
		return -EACCES;
	s.arounds = calloc(nr + 1, sizeof(*s.arounds));
	rc = s.arounds ? rec_each_line(kallsyms_fd, FILE_LEN_MAX, see_line, &s)
		       : -ENOMEM;
	if (!rc && !s.has_addresses) {
		rec_name_list_release(list);
		rc = -EACCES;
	}
	if (!rc)
		rc = collect(&s);
	for (size_t i = 0; s.arounds && i < nr; i++)
		rec_name_list_release(&s.arounds[i].names);
	free(s.arounds);
	return rc;
}
