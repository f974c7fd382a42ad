#include "report/symbols/kallsyms_cache.h"

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
/* Of the live file: on older x86 some hundred symbols of CPUs' own memory stand
 * before those of the image. */
#define HEAD_LEN ((size_t)64 * 1024)
/* Where the kernel's half of all addresses begins, on most machines. */
#define UPPER_HALF ((uint64_t)1 << 63)
/* "ffffffff81000000 T x\n" */
#define LINE_LEN_MIN 21u
#define ADDR_LEN     16u

/* What a file begins with. */
static const char *const ref_names[] = { "_text", "_stext" };
#define REFS_NR (sizeof(ref_names) / sizeof(ref_names[0]))

/* The symbols that begin at one address, with the next one's. */
struct group {
	struct group *next; /* any other */
	struct rpt_kallsyms names;
};

struct rpt_kallsyms_cache {
	struct rpt_file_map *map;
	const char *base;	/* its bytes */
	size_t len;		/* of the image's lines */
	uint64_t shift;		/* address of now less that in the copy */
	uint64_t refs[REFS_NR]; /* of now; 0: not told */
	uint64_t start;		/* of the image, in the copy */
	uint64_t *addrs; /* in the copy, of symbols that count: they rise */
	uint32_t *offs;	 /* of their lines */
	/* of one symbol, where the upper half begins: nothing is below */
	struct rpt_symbol_table lower_half;
	struct group **groups; /* by the last of their symbols; NULL: unasked */
	struct group *made;
	size_t nr;
	bool raw_names;
};

/* Lines that are looked at one by one. */
struct text {
	const char *at;
	const char *end;
};

/* False: there is no more, or what there is cannot be read. */
static bool next_line(struct text *text, struct rpt_kallsyms_line *ret,
		      size_t *ret_name_len)
{
	const char *at = text->at;
	const char *newline = memchr(at, '\n', (size_t)(text->end - at));

	if (!newline || !rpt_kallsyms_line_parse(at, newline, ret) ||
	    ret->name - at != ADDR_LEN + 3)
		return false;
	*ret_name_len = (size_t)(newline - ret->name);
	text->at = newline + 1;
	return true;
}

/* How long the image's lines are: those of modules have a tab. */
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
		conf.len = (size_t)st.st_size;
		(void)!rpt_file_map_open(&copy->map, &conf);
	}
	close(conf.fd);
	if (!copy->map)
		return false;
	copy->base = (const char *)rpt_file_map_base(copy->map);
	copy->len = image_len(copy->base, conf.len);
	/* Names with one count as those of modules, and end otherwise. */
	return !memchr(copy->base, '[', copy->len);
}

static bool has_ref(const char *text, size_t len)
{
	return memmem(text, len, " _text\n", 7) ||
	       memmem(text, len, " _stext\n", 8);
}

/* The first lines of the live file, as few as tell where the image is. */
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

/* Which one a line is of; REFS_NR: none. */
static size_t ref_of(const struct rpt_kallsyms_line *line, size_t name_len)
{
	size_t k = 0;

	while (k < REFS_NR && (strlen(ref_names[k]) != name_len ||
			       memcmp(line->name, ref_names[k], name_len) != 0))
		k++;
	return k;
}

/* The first reference symbol, and by how much it moved. */
static bool find_image(struct rpt_kallsyms_cache *copy, struct text live,
		       struct text own)
{
	struct rpt_kallsyms_line a, b;
	size_t a_len, b_len;

	while (next_line(&live, &a, &a_len) && next_line(&own, &b, &b_len)) {
		if (ref_of(&b, b_len) == REFS_NR)
			continue;
		copy->start = b.addr;
		copy->shift = a.addr - b.addr;
		return a.addr && b.addr;
	}
	return false;
}

/* Absolute symbols, below the image, stay where they are. */
static bool is_same(const struct rpt_kallsyms_cache *copy,
		    const struct rpt_kallsyms_line *live,
		    const struct rpt_kallsyms_line *own)
{
	uint64_t moved_by = live->addr - own->addr;

	return live->type == own->type &&
	       (moved_by == copy->shift ||
		(!moved_by && own->addr < copy->start));
}

/* Whether the copy begins as the live file does; notes where that is. */
static bool begins_with(struct rpt_kallsyms_cache *copy, struct text live)
{
	struct text own = { copy->base, copy->base + copy->len };
	struct rpt_kallsyms_line a, b;
	size_t a_len, b_len, k;

	if (!find_image(copy, live, own))
		return false;
	while (live.at < live.end) {
		if (!next_line(&live, &a, &a_len) ||
		    !next_line(&own, &b, &b_len) || a_len != b_len ||
		    memcmp(a.name, b.name, a_len) != 0 ||
		    !is_same(copy, &a, &b))
			return false;
		k = ref_of(&a, a_len);
		if (k < REFS_NR && !copy->refs[k])
			copy->refs[k] = a.addr;
	}
	return true;
}

/* Broken call chains have addresses in the lower half. */
static void mark_lower_half(struct rpt_kallsyms_cache *copy)
{
	const struct rpt_symbol sym = { .start = UPPER_HALF,
					.end = UPPER_HALF };

	rpt_symbol_table_init(&copy->lower_half, true);
	rpt_symbol_table_add(&copy->lower_half, &sym);
	rpt_symbol_table_index(&copy->lower_half);
}

/* What is outside of such an image lies in the upper half, too. */
static bool is_lower_half_empty(const struct rpt_kallsyms_cache *copy)
{
	return copy->start >= UPPER_HALF && copy->addrs[0] >= UPPER_HALF;
}

/* False: a line is none, or out of order. */
static bool index_lines(struct rpt_kallsyms_cache *copy)
{
	struct text text = { copy->base, copy->base + copy->len };
	size_t cap = copy->len / LINE_LEN_MIN + 1;
	struct rpt_kallsyms_line line;
	const char *at;
	size_t name_len;

	copy->addrs = rpt_alloc_zeroed(cap, sizeof(*copy->addrs));
	copy->offs = rpt_alloc_zeroed(cap, sizeof(*copy->offs));
	copy->groups = rpt_alloc_zeroed(cap, sizeof(struct group *));
	while (text.at < text.end) {
		at = text.at;
		if (!next_line(&text, &line, &name_len))
			return false;
		if (!rpt_kallsyms_line_counts(&line))
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
	mark_lower_half(copy);
	copy->raw_names = raw_names;
	return copy;
}

void rpt_kallsyms_cache_free(struct rpt_kallsyms_cache *copy)
{
	struct group *next;

	if (!copy)
		return;
	for (; copy->made; copy->made = next) {
		next = copy->made->next;
		rpt_kallsyms_release(&copy->made->names);
		free(copy->made);
	}
	rpt_symbol_table_release(&copy->lower_half);
	free(copy->groups);
	free(copy->offs);
	free(copy->addrs);
	rpt_file_map_close(copy->map);
	free(copy);
}

bool rpt_kallsyms_cache_ref(const struct rpt_kallsyms_cache *copy,
			    const char *name, uint64_t *ret_addr)
{
	for (size_t k = 0; k < REFS_NR; k++) {
		if (strcmp(ref_names[k], name) != 0 || !copy->refs[k])
			continue;
		*ret_addr = copy->refs[k];
		return true;
	}
	return false;
}

/* The last symbol at addr, or before it: there is one. */
static size_t find(const struct rpt_kallsyms_cache *copy, uint64_t addr)
{
	size_t lo = 0, hi = copy->nr;

	while (lo + 1 < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (copy->addrs[mid] <= addr)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* The lines from the first symbol at that address to the next one's; false:
 * they are gone, the file was cut. */
static bool lines_of(const struct rpt_kallsyms_cache *copy, size_t last,
		     struct text *ret)
{
	const char *next = copy->base + copy->offs[last + 1];
	const char *end = copy->base + copy->len;
	size_t first = last;

	while (first && copy->addrs[first - 1] == copy->addrs[last])
		first--;
	end = memchr(next, '\n', (size_t)(end - next));
	if (end)
		*ret = (struct text){ copy->base + copy->offs[first], end + 1 };
	return end;
}

static struct group *make_group(struct rpt_kallsyms_cache *copy, size_t last)
{
	struct text from;
	struct group *group;
	struct rpt_symbol_table *table;
	size_t len;
	char *text;

	if (!lines_of(copy, last, &from))
		return NULL;
	len = (size_t)(from.end - from.at);
	group = rpt_alloc(sizeof(*group));
	text = rpt_alloc_text(from.at, len);
	rpt_kallsyms_parse(&group->names, text, len, copy->raw_names);
	free(text);
	table = &group->names.kernel;
	for (size_t i = 0; i < table->nr; i++) {
		table->syms[i].start += copy->shift;
		table->syms[i].end += copy->shift;
	}
	rpt_symbol_table_index(table);
	group->next = copy->made;
	copy->made = group;
	return group;
}

struct rpt_symbol_table *rpt_kallsyms_cache_at(struct rpt_kallsyms_cache *copy,
					       uint64_t addr)
{
	uint64_t there = addr - copy->shift;
	size_t last;

	if (!copy->nr)
		return NULL;
	if (addr < UPPER_HALF && is_lower_half_empty(copy))
		return &copy->lower_half;
	/* The end of the last one may be another's start, behind the image. */
	if (there < copy->start || there >= copy->addrs[copy->nr - 1])
		return NULL;
	last = find(copy, there);
	if (!copy->groups[last])
		copy->groups[last] = make_group(copy, last);
	return copy->groups[last] ? &copy->groups[last]->names.kernel : NULL;
}
