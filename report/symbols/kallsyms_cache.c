#include "report/symbols/kallsyms_cache.h"

#include "format/base/search.h"
#include "format/symtab/kallsyms_line.h"
#include "report/base/file_map.h"
#include "report/base/memory.h"
#include "report/symbols/kallsyms.h"
#include "report/base/shortage.h"
#include "report/base/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_MAX_LEN ((off_t)256 * 1024 * 1024)
/* How much of the live file is read: on older x86 some hundred symbols of
 * per-CPU memory come before those of the image. */
#define HEAD_LEN ((size_t)64 * 1024)
/* The kernel's half of all addresses, on most machines. */
#define UPPER_HALF ((uint64_t)1 << 63)
/* "ffffffff81000000 T x\n" */
#define LINE_LEN_MIN 21u
#define ADDR_LEN     16u

struct made {
	struct rpt_symbol_table table; /* of one symbol */
	char *name;		       /* owned */
	struct made *next;
};

struct rpt_kallsyms_cache {
	struct rpt_file_map *map;
	const char *base;      /* its bytes */
	size_t len;	       /* of the image's lines */
	uint64_t shift;	       /* running address - address in the copy */
	uint64_t start;	       /* of the image, in the copy */
	uint64_t *addrs;       /* in the copy, of symbols that count; sorted */
	uint32_t *offs;	       /* of their lines */
	struct made **symbols; /* NULL: not looked up yet */
	struct made *made;     /* list of those that were */
	size_t nr;
	bool raw_names;
};

/* Lines that are still to be read. */
struct text {
	const char *at;
	const char *end;
};

/* Return false at the end, or if the line is none. */
static bool next_line(struct text *text, struct pd_kallsyms_line *ret)
{
	struct pd_str line = { text->at, 0 };
	const char *newline =
		memchr(text->at, '\n', (size_t)(text->end - text->at));

	line.len = newline ? (size_t)(newline - text->at) : 0;
	if (!pd_kallsyms_line_read(line, ret) ||
	    ret->text.ptr - line.ptr != ADDR_LEN + 3)
		return false;
	text->at = newline + 1;
	return true;
}

/* Return the length of the image's lines: those of modules have a tab. */
static size_t image_len(const char *text, size_t len)
{
	const char *tab = memchr(text, '\t', len);
	const char *newline;

	if (tab)
		len = (size_t)(tab - text);
	newline = memrchr(text, '\n', len);
	return newline ? (size_t)(newline + 1 - text) : 0;
}

static bool map_copy(struct rpt_kallsyms_cache *copy, const char *path)
{
	struct rpt_file_map_conf conf = {
		.fd = rpt_whole_file_open(path),
		.name = path,
		.is_needed_now = true,
	};
	struct stat st;

	if (conf.fd < 0)
		return false;
	if (!fstat(conf.fd, &st) && st.st_size > 0 &&
	    st.st_size <= COPY_MAX_LEN) {
		conf.len = (uint64_t)st.st_size;
		(void)!rpt_file_map_open(&copy->map, &conf);
	}
	close(conf.fd);
	if (!copy->map)
		return false;
	copy->base = (const char *)rpt_file_map_base(copy->map);
	copy->len = image_len(copy->base, rpt_file_map_len(copy->map));
	/* a name with a bracket would count as a module's */
	return !memchr(copy->base, ']', copy->len);
}

static bool has_ref(const char *text, size_t len)
{
	return memmem(text, len, " _text\n", 7) ||
	       memmem(text, len, " _stext\n", 8);
}

/* Read the live file up to a reference symbol.  Return the length. */
static size_t read_head(const char *path, char head[HEAD_LEN])
{
	int fd = rpt_whole_file_open(path);
	size_t len = 0;
	ssize_t got = 1;

	if (fd < 0)
		return 0;
	while (got > 0 && len < HEAD_LEN && !has_ref(head, len)) {
		got = read(fd, head + len, HEAD_LEN - len);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got < 0)
			rpt_shortage_note(errno);
		else
			len += (size_t)got;
	}
	close(fd);
	return image_len(head, len);
}

/* Find the first reference symbol, and by how much it moved. */
static bool find_image(struct rpt_kallsyms_cache *copy, struct text live,
		       struct text own)
{
	struct pd_kallsyms_line a, b;

	while (next_line(&live, &a) && next_line(&own, &b)) {
		if (pd_kernel_bound_of(&b) > PD_KERNEL_STEXT)
			continue;
		copy->start = b.addr;
		copy->shift = a.addr - b.addr;
		return a.addr && b.addr;
	}
	return false;
}

/* Return whether both lines are of one symbol.  Absolute symbols, below the
 * image, do not move. */
static bool is_same(const struct rpt_kallsyms_cache *copy,
		    const struct pd_kallsyms_line *live,
		    const struct pd_kallsyms_line *own)
{
	uint64_t moved_by = live->addr - own->addr;

	return live->type == own->type && live->text.len == own->text.len &&
	       !memcmp(live->text.ptr, own->text.ptr, own->text.len) &&
	       (moved_by == copy->shift ||
		(!moved_by && own->addr < copy->start));
}

/* Return whether the copy begins as the live file does. */
static bool begins_with(struct rpt_kallsyms_cache *copy, struct text live)
{
	struct text own = { copy->base, copy->base + copy->len };
	struct pd_kallsyms_line a, b;

	if (!find_image(copy, live, own))
		return false;
	while (live.at < live.end) {
		if (!next_line(&live, &a) || !next_line(&own, &b) ||
		    !is_same(copy, &a, &b))
			return false;
	}
	return true;
}

/* Broken call chains have addresses there. */
static bool is_lower_half_empty(const struct rpt_kallsyms_cache *copy)
{
	return copy->start >= UPPER_HALF && copy->addrs[0] >= UPPER_HALF;
}

/* Return false if a line is none, or out of order. */
static bool index_lines(struct rpt_kallsyms_cache *copy)
{
	struct text text = { copy->base, copy->base + copy->len };
	size_t cap = copy->len / LINE_LEN_MIN + 1;
	struct pd_kallsyms_line line;
	const char *at;

	copy->addrs = rpt_alloc_zeroed(cap, sizeof(*copy->addrs));
	copy->offs = rpt_alloc_zeroed(cap, sizeof(*copy->offs));
	copy->symbols = rpt_alloc_zeroed(cap, sizeof(struct made *));
	while (text.at < text.end) {
		at = text.at;
		if (!next_line(&text, &line))
			return false;
		if (!pd_kallsyms_line_counts(&line))
			continue;
		if (copy->nr && line.addr < copy->addrs[copy->nr - 1])
			return false;
		copy->addrs[copy->nr] = line.addr;
		copy->offs[copy->nr++] = (uint32_t)(at - copy->base);
	}
	return true;
}

struct rpt_kallsyms_cache *
rpt_kallsyms_cache_open(const char *path, const char *live_path, bool raw_names)
{
	struct rpt_kallsyms_cache *copy = rpt_alloc_zeroed(1, sizeof(*copy));
	char *head = rpt_alloc(HEAD_LEN);
	bool is_usable = map_copy(copy, path);
	size_t head_len = is_usable ? read_head(live_path, head) : 0;

	is_usable = is_usable &&
		    begins_with(copy, (struct text){ head, head + head_len }) &&
		    index_lines(copy);
	free(head);
	if (!is_usable) {
		rpt_kallsyms_cache_free(copy);
		return NULL;
	}
	copy->raw_names = raw_names;
	return copy;
}

void rpt_kallsyms_cache_free(struct rpt_kallsyms_cache *copy)
{
	if (!copy)
		return;
	while (copy->made) {
		struct made *made = copy->made;

		copy->made = made->next;
		rpt_symbol_table_release(&made->table);
		free(made->name);
		free(made);
	}
	free(copy->symbols);
	free(copy->offs);
	free(copy->addrs);
	rpt_file_map_close(copy->map);
	free(copy);
}

/* Return the last symbol at or before addr; there is one.  Of several at one
 * address it is the name, and the only one with a length. */
static size_t find(const struct rpt_kallsyms_cache *copy, uint64_t addr)
{
	size_t at;

	PD_FIND_FIRST(at, copy->nr, copy->addrs[at] > addr);
	return at ? at - 1 : 0;
}

/* Make a symbol of its line.  Return NULL if the file was cut there. */
static struct made *make_symbol(struct rpt_kallsyms_cache *copy, size_t idx)
{
	struct text text = { copy->base + copy->offs[idx],
			     copy->base + copy->len };
	struct pd_kallsyms_line line;
	struct rpt_symbol sym;
	struct made *made;

	if (!next_line(&text, &line))
		return NULL;
	made = rpt_alloc_zeroed(1, sizeof(*made));
	rpt_symbol_table_init(&made->table, copy->raw_names);
	sym = rpt_kallsyms_symbol(&line);
	sym.start = copy->addrs[idx] + copy->shift;
	sym.end = copy->addrs[idx + 1] + copy->shift;
	sym.name = made->name = rpt_alloc_text(line.text.ptr, line.text.len);
	rpt_symbol_table_add(&made->table, &sym);
	made->next = copy->made;
	copy->made = made;
	return made;
}

bool rpt_kallsyms_cache_find(struct rpt_kallsyms_cache *copy, uint64_t addr,
			     struct rpt_addr_range *range,
			     const struct rpt_symbol **ret)
{
	uint64_t there = addr - copy->shift;
	size_t last;

	*ret = NULL;
	if (!copy->nr)
		return false;
	if (addr < UPPER_HALF && is_lower_half_empty(copy)) {
		rpt_range_until(range, UPPER_HALF);
		return true;
	}
	/* behind the image, the last symbol may end where another starts */
	if (there < copy->start || there >= copy->addrs[copy->nr - 1])
		return false;
	last = find(copy, there);
	if (!copy->symbols[last])
		copy->symbols[last] = make_symbol(copy, last);
	if (!copy->symbols[last])
		return false;
	*ret = rpt_symbol_table_find_range(&copy->symbols[last]->table, addr,
					   range);
	return true;
}
