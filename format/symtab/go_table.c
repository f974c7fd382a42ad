#include "format/symtab/go_table.h"

#include <elf.h>
#include <limits.h>
#include <stdlib.h>

#include "format/base/search.h"
#include "format/symtab/go_table_impl.h"

enum {
	HEAD_LEN = 8,
	STEP_NR_MAX = 1 << 28, /* of a file: seconds */
};

/* A function in the table: its start, then numbers of four bytes, then as many
 * offsets of steps and of other data as two of these say. */
enum {
	NAME_IDX,
	STACK_IDX = 3,
	FILE_IDX,
	LINE_IDX,
	STEPS_NR_IDX,
	UNIT_IDX,
	/* what addresses are a part of: an inlined call, or none (-1) */
	CALL_STEPS_IDX = 2,
	CALLS_IDX = 3, /* among the other data: the tree of these calls */
};

/* Reading. */

/* Have what stands at off of the file in the block.  Return how many bytes of
 * it are there. */
static size_t read_block(struct pd_go_table *t, uint64_t off)
{
	uint64_t end = t->off + t->len, left;

	if (off >= t->block_off && off - t->block_off < t->block_len)
		return t->block_len - (size_t)(off - t->block_off);
	t->block_off = off - off % PD_GO_BLOCK_LEN;
	left = end > t->block_off ? end - t->block_off : 0;
	t->block_len = left < PD_GO_BLOCK_LEN ? (size_t)left : PD_GO_BLOCK_LEN;
	if (off - t->block_off >= t->block_len ||
	    pd_elf_image_bytes(t->elf, t->block_off, t->block, t->block_len)) {
		t->block_len = 0;
		return 0;
	}
	return t->block_len - (size_t)(off - t->block_off);
}

/* Read len bytes of the table at an offset in it. */
static bool read_bytes(struct pd_go_table *t, uint64_t at, uint8_t *ret,
		       size_t len)
{
	uint64_t off = t->off + at;

	if (at > t->len || len > t->len - at)
		return false;
	if (t->elf->from.bytes)
		return !pd_elf_image_bytes(t->elf, off, ret, len);
	while (len) {
		size_t nr = read_block(t, off);

		if (!nr) /* the file ends in the block */
			return !pd_elf_image_bytes(t->elf, off, ret, len);
		nr = nr < len ? nr : len;
		memcpy(ret, t->block + (off - t->block_off), nr);
		ret += nr;
		off += nr;
		len -= nr;
	}
	return true;
}

/* Read a number of four or eight bytes. */
static bool read_number(struct pd_go_table *t, uint64_t at, size_t len,
			uint64_t *ret)
{
	uint8_t raw[sizeof(uint64_t)];

	if (!read_bytes(t, at, raw, len))
		return false;
	*ret = pd_go_number(t, raw, len);
	return true;
}

static bool read_u32(struct pd_go_table *t, uint64_t at, uint32_t *ret)
{
	uint64_t number;

	if (!read_number(t, at, sizeof(uint32_t), &number))
		return false;
	*ret = (uint32_t)number;
	return true;
}

/* Read a word of the table. */
static bool read_word(struct pd_go_table *t, uint64_t at, uint64_t *ret)
{
	return pd_go_relocated(t, t->addr + at, ret) ||
	       read_number(t, at, t->at.word_len, ret);
}

/* The head. */

/* Return the version of a table that begins so, or -1. */
static int version_of(const struct pd_elf_image *elf,
		      const uint8_t head[HEAD_LEN])
{
	static const uint32_t numbers[] = {
		[PD_GO_1_2] = 0xfffffffb,
		[PD_GO_1_16] = 0xfffffffa,
		[PD_GO_1_18] = 0xfffffff0,
		[PD_GO_1_20] = 0xfffffff1,
	};
	bool has_steps = head[6] == 1 || head[6] == 2 || head[6] == 4;
	struct pd_cursor c;
	uint32_t number;

	pd_cursor_init(&c, head, HEAD_LEN, 0, "head of a Go table");
	c.swap = elf->swap;
	number = pd_cursor_u32(&c);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (number == numbers[i] && !head[4] && !head[5] && has_steps &&
		    head[7] == (elf->is_64 ? 8 : 4))
			return (int)i;
	return -1;
}

static bool has_texts_start(const struct pd_go_layout *at)
{
	return at->version >= PD_GO_1_18;
}

/* Return the length of a number in the list of functions. */
static size_t number_len(const struct pd_go_layout *at)
{
	return has_texts_start(at) ? sizeof(uint32_t) : at->word_len;
}

/* Read the words of the head. */
static bool read_offsets(struct pd_go_table *t)
{
	struct pd_go_layout *at = &t->at;
	uint64_t *const offs[] = { &at->names, &at->units, &at->files,
				   &at->steps, &at->functions };
	/* Behind the numbers of functions and files. */
	uint64_t first = HEAD_LEN + (has_texts_start(at) ? 3u : 2u) *
					    (uint64_t)at->word_len;
	uint32_t files;

	if (!read_number(t, HEAD_LEN, at->word_len, &at->nr))
		return false;
	if (at->version == PD_GO_1_2) {
		at->functions = HEAD_LEN + at->word_len;
		if (at->nr > t->len / at->word_len / 2 ||
		    !read_u32(t,
			      at->functions + (2 * at->nr + 1) * at->word_len,
			      &files))
			return false;
		at->files = files;
		return files <= t->len;
	}
	for (size_t i = 0; i < sizeof(offs) / sizeof(offs[0]); i++)
		if (!read_number(t, first + i * at->word_len, at->word_len,
				 offs[i]) ||
		    *offs[i] > t->len)
			return false;
	return at->nr <=
	       (t->len - at->functions) / (2 * (uint64_t)number_len(at));
}

/* Set where the table ends, and its texts. */
static void set_texts(const struct pd_go_table *t, uint64_t at,
		      struct pd_go_texts *ret)
{
	ret->section = (struct pd_elf_section){ .off = t->off + at,
						.len = t->len - at };
	pd_elf_strings_init(&ret->strings, t->elf, &ret->section);
}

/* Read the number that the list of functions has of one: where it starts, and
 * as what_idx 1 where more is said of it. */
static bool list_at(struct pd_go_table *t, uint64_t idx, unsigned what_idx,
		    uint64_t *ret)
{
	size_t len = number_len(&t->at);
	uint64_t at = t->at.functions + (2 * idx + what_idx) * len;

	if (has_texts_start(&t->at) || what_idx)
		return read_number(t, at, len, ret);
	return read_word(t, at, ret);
}

/* Return the start of a function, or of what is behind the last one. */
static uint64_t start_of(struct pd_go_table *t, uint64_t idx)
{
	uint64_t start;

	return list_at(t, idx, 0, &start) ? t->at.text + start : UINT64_MAX;
}

/* Find the text's start.  Go writes no words that relocations set in the place
 * of these, if it leaves the linking to another linker. */
static int find_text(struct pd_go_table *t)
{
	uint64_t at = HEAD_LEN + 2 * (uint64_t)t->at.word_len, module, first;
	int rc;

	if (!has_texts_start(&t->at)) {
		if (start_of(t, 0))
			return 0;
		return pd_go_take_words(t, t->addr, t->len);
	}
	if (!read_number(t, at, t->at.word_len, &t->at.text))
		return -EBADMSG;
	if (t->at.text)
		return 0;
	rc = pd_go_take_words(t, t->addr, at + t->at.word_len);
	if (rc || pd_go_relocated(t, t->addr + at, &t->at.text))
		return rc;
	rc = pd_go_find_module(t, &module);
	if (rc || !module ||
	    !pd_go_module_word(t, module, PD_GO_MODULE_FIRST, &first) ||
	    !pd_go_module_word(t, module, PD_GO_MODULE_TEXT, &t->at.text))
		return rc;
	/* where a later Go has something else, nothing is known */
	if (start_of(t, 0) != first)
		t->at.text = 0;
	return 0;
}

/* Read the table at an offset in a section.  Return 1, 0 if there is none, or
 * as pd_go_table_open(). */
static int read_table(struct pd_go_table *t, const struct pd_elf_section *s,
		      uint64_t at)
{
	uint8_t head[HEAD_LEN];
	int version, rc;

	t->off = s->off + at;
	t->addr = s->addr + at;
	t->len = s->len - at;
	t->block_len = 0;
	t->looked_len += PD_GO_BLOCK_LEN;
	if (!read_bytes(t, 0, head, HEAD_LEN))
		return 0;
	version = version_of(t->elf, head);
	t->at = (struct pd_go_layout){ .version = (enum pd_go_version)version,
				       .step_len = head[6],
				       .word_len = head[7] };
	if (version < 0 || !read_offsets(t) || !t->at.nr)
		return 0;
	rc = find_text(t);
	return rc ? rc : start_of(t, 0) != 0;
}

/* Finding it. */

static const struct pd_elf_section *find_section(const struct pd_elf_image *elf,
						 const char *name)
{
	const struct pd_elf_section *s = pd_elf_image_find(elf, name);

	return s && s->type != SHT_NOBITS && !(s->flags & SHF_COMPRESSED) &&
			       s->off + s->len >= s->off &&
			       s->addr + s->len >= s->addr
		       ? s
		       : NULL;
}

/* Look for the table in a section that has more: its head is aligned. */
static int search_table(struct pd_go_table *t, const struct pd_elf_section *s)
{
	const unsigned align = t->elf->is_64 ? 8 : 4;
	uint8_t *buf = malloc(PD_GO_READ_LEN);
	int rc = buf ? 0 : -ENOMEM;

	for (uint64_t off = 0; off < s->len && !rc; off += PD_GO_READ_LEN) {
		size_t len = s->len - off < PD_GO_READ_LEN
				     ? (size_t)(s->len - off)
				     : PD_GO_READ_LEN;

		rc = pd_go_look_at(t, s->off + off, buf, len);
		for (size_t at = 0; at + HEAD_LEN <= len && !rc; at += align)
			if (version_of(t->elf, buf + at) >= 0)
				rc = read_table(t, s, off + at);
	}
	free(buf);
	return rc;
}

/* Only a Go program is searched through. */
static bool is_go(const struct pd_elf_image *elf)
{
	return pd_elf_image_find(elf, ".go.buildinfo") ||
	       pd_elf_image_find(elf, ".note.go.buildid");
}

static int find_table(struct pd_go_table *t)
{
	static const char *const names[] = { ".gopclntab",
					     ".data.rel.ro.gopclntab" };
	const struct pd_elf_section *s;
	int rc = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !rc; i++) {
		s = find_section(t->elf, names[i]);
		if (s)
			rc = read_table(t, s, 0);
	}
	s = rc || !is_go(t->elf) ? NULL : find_section(t->elf, ".data.rel.ro");
	if (!s)
		return rc;
	return search_table(t, s);
}

int pd_go_table_open(const struct pd_elf_image *elf, struct pd_go_table **ret)
{
	struct pd_go_table *t;
	int rc;

	*ret = NULL;
	if (!pd_elf_image_find(elf, ".gopclntab") && !is_go(elf))
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->elf = elf;
	t->step_left_nr = STEP_NR_MAX;
	rc = find_table(t);
	if (rc <= 0) {
		pd_go_table_close(t);
		return rc;
	}
	set_texts(t, t->at.names, &t->names);
	set_texts(t, t->at.version == PD_GO_1_2 ? 0 : t->at.files, &t->files);
	*ret = t;
	return 0;
}

void pd_go_table_close(struct pd_go_table *table)
{
	if (!table)
		return;
	pd_elf_strings_release(&table->names.strings);
	pd_elf_strings_release(&table->files.strings);
	free(table->words);
	free(table->room);
	free(table);
}

/* Functions. */

/* Return where the numbers of a function begin. */
static uint64_t numbers_of(const struct pd_go_table *t, uint64_t at)
{
	return at + number_len(&t->at);
}

static bool number_at(struct pd_go_table *t, uint64_t at, unsigned idx,
		      uint32_t *ret)
{
	return read_u32(t, numbers_of(t, at) + idx * sizeof(uint32_t), ret);
}

bool pd_go_table_find(struct pd_go_table *table, uint64_t off,
		      struct pd_go_function *ret)
{
	uint64_t addr, back, at;
	uint32_t name;
	uint64_t idx;

	if (!table || !pd_elf_off_to_addr(table->elf, off, &addr))
		return false;
	PD_FIND_FIRST(idx, table->at.nr, start_of(table, idx) > addr);
	if (!idx)
		return false;
	ret->start = start_of(table, idx - 1);
	ret->end = start_of(table, idx);
	if (ret->start > addr || ret->end <= addr || addr - ret->start > off ||
	    !list_at(table, idx - 1, 1, &at) ||
	    at > table->len - table->at.functions)
		return false;
	ret->off = off - (addr - ret->start);
	ret->at =
		at + (table->at.version == PD_GO_1_2 ? 0 : table->at.functions);
	/* it may start in another segment */
	if (ret->off + (ret->end - ret->start) < ret->off ||
	    !pd_elf_off_to_addr(table->elf, ret->off, &back) ||
	    back != ret->start || !number_at(table, ret->at, NAME_IDX, &name))
		return false;
	ret->name = name;
	return true;
}

/* Return the text without what stands between its first bracket and the last:
 * types, which differ in what is one function to a person. */
static struct pd_str shorten(struct pd_go_table *t, struct pd_str text)
{
	static const char types[] = "[...]";
	const size_t types_len = sizeof(types) - 1;
	const char *first = memchr(text.ptr, '[', text.len);
	const char *last = memrchr(text.ptr, ']', text.len);
	size_t head_len, tail_len;

	if (!first || !last || last < first)
		return text;
	head_len = (size_t)(first - text.ptr);
	tail_len = text.len - (size_t)(last + 1 - text.ptr);
	if (t->room_len < head_len + types_len + tail_len + 1) {
		free(t->room);
		t->room_len = head_len + types_len + tail_len + 1;
		t->room = malloc(t->room_len);
	}
	if (!t->room) {
		t->room_len = 0;
		return text;
	}
	memcpy(t->room, text.ptr, head_len);
	memcpy(t->room + head_len, types, types_len);
	memcpy(t->room + head_len + types_len, last + 1, tail_len);
	text.len = head_len + types_len + tail_len;
	t->room[text.len] = '\0';
	return (struct pd_str){ t->room, text.len };
}

struct pd_str pd_go_table_name(struct pd_go_table *table, uint32_t name)
{
	return shorten(table, pd_elf_strings_at(&table->names.strings, name));
}

/* Lines. */

/* Find the value that steps have at an address of a function.  Each says how
 * much the value changes, and how far it holds. */
static bool value_at(struct pd_go_table *t, const struct pd_go_function *f,
		     uint32_t steps, uint64_t addr, int32_t *ret)
{
	uint64_t at = t->at.steps + steps, pc = f->start;
	uint32_t value = UINT32_MAX; /* -1 */
	const uint8_t *bytes;
	struct pd_cursor c;

	if (!steps || at >= t->len)
		return false;
	bytes = pd_elf_image_span(t->elf, t->off + at, t->len - at);
	if (!bytes)
		return false;
	pd_cursor_init(&c, bytes, (size_t)(t->len - at), t->off + at,
		       "steps of a Go table");
	for (bool is_first = true; t->step_left_nr; is_first = false) {
		uint32_t step = (uint32_t)pd_cursor_varint(&c);
		uint64_t len = pd_cursor_varint(&c) * t->at.step_len;

		if (pd_cursor_status(&c) || (!step && !is_first))
			return false;
		t->step_left_nr--;
		value += step & 1 ? ~(step >> 1) : step >> 1;
		pc += len;
		if (addr < pc) {
			*ret = (int32_t)value;
			return true;
		}
	}
	return false;
}

/* The same by the number of a function that says where the steps are. */
static bool number_value(struct pd_go_table *t, const struct pd_go_function *f,
			 unsigned idx, uint64_t addr, int32_t *ret)
{
	uint32_t steps;

	return number_at(t, f->at, idx, &steps) &&
	       value_at(t, f, steps, addr, ret);
}

/* Find where the name of a file stands. */
static bool find_file(struct pd_go_table *t, const struct pd_go_function *f,
		      uint32_t file, uint32_t *ret)
{
	uint32_t unit;

	if (t->at.version == PD_GO_1_2)
		return read_u32(t,
				t->at.files + file * (uint64_t)sizeof(uint32_t),
				ret);
	return number_at(t, f->at, UNIT_IDX, &unit) &&
	       read_u32(t,
			t->at.units +
				((uint64_t)unit + file) * sizeof(uint32_t),
			ret) &&
	       *ret != UINT32_MAX;
}

bool pd_go_table_line(struct pd_go_table *table, const struct pd_go_function *f,
		      uint64_t addr, struct pd_str *ret_file,
		      uint32_t *ret_line)
{
	int32_t file, line;
	uint32_t text;

	if (!number_value(table, f, FILE_IDX, addr, &file) || file < 0 ||
	    !number_value(table, f, LINE_IDX, addr, &line) || line <= 0 ||
	    !find_file(table, f, (uint32_t)file, &text))
		return false;
	*ret_file = pd_elf_strings_at(&table->files.strings, text);
	*ret_line = (uint32_t)line;
	return ret_file->len && ret_file->len < PATH_MAX;
}

bool pd_go_table_stack(struct pd_go_table *table,
		       const struct pd_go_function *f, uint64_t addr,
		       uint32_t *ret)
{
	int32_t len;

	if (!number_value(table, f, STACK_IDX, addr, &len) || len < 0)
		return false;
	*ret = (uint32_t)len;
	return true;
}

/* Inlined calls. */

/* The places of a function's calls. */
struct calls {
	uint32_t steps; /* say which one an address lies in */
	uint64_t tree;	/* address of them all */
};

/* An inlined call as it stands in the tree. */
static const struct call_layout {
	size_t len;
	size_t name;
	size_t caller; /* how far behind the function's start it is called */
} call_layouts[] = {
	[PD_GO_1_16] = { 20, 12, 16 },
	[PD_GO_1_18] = { 20, 12, 16 },
	[PD_GO_1_20] = { 16, 4, 8 },
};

/* Return whether two addresses lie in one segment, in this order. */
static bool are_together(const struct pd_elf_image *elf, uint64_t low,
			 uint64_t high)
{
	for (uint32_t i = 0; i < elf->segment_nr; i++) {
		uint64_t addr = elf->segments[i].addr;

		if (low >= addr && high >= low &&
		    high - addr < elf->memory_lens[i])
			return true;
	}
	return false;
}

/* Find the address from which on functions have their data: the word behind
 * that of the start of what is only read, which it is a part of. */
static void find_trees(struct pd_go_table *t)
{
	unsigned idx =
		PD_GO_MODULE_RODATA + (t->at.version == PD_GO_1_20 ? 2 : 0);
	uint64_t module, start, trees;

	t->are_trees_sought = true;
	if (!pd_go_find_module(t, &module) && module &&
	    pd_go_module_word(t, module, idx, &start) && start &&
	    pd_go_module_word(t, module, idx + 1, &trees) &&
	    are_together(t->elf, start, trees))
		t->trees = trees;
}

/* Read the address of the tree, which is among a function's data at an offset
 * in the table. */
static bool find_tree(struct pd_go_table *t, uint64_t at, uint64_t *ret)
{
	uint32_t tree;

	if (!has_texts_start(&t->at)) {
		at += -(t->addr + at) % t->at.word_len;
		return read_word(t, at + CALLS_IDX * (uint64_t)t->at.word_len,
				 ret) &&
		       *ret;
	}
	if (!read_u32(t, at + CALLS_IDX * sizeof(uint32_t), &tree) ||
	    tree == UINT32_MAX)
		return false;
	if (!t->are_trees_sought)
		find_trees(t);
	*ret = t->trees + tree;
	return t->trees;
}

/* Return where the four bytes of a function are that stand behind its numbers:
 * what it is for the runtime, flags, none, how much other data there is. */
static uint64_t bytes_of(const struct pd_go_table *t,
			 const struct pd_go_function *f)
{
	unsigned number_nr = UNIT_IDX + (t->at.version == PD_GO_1_20 ? 2 : 1);

	return numbers_of(t, f->at) + number_nr * sizeof(uint32_t);
}

bool pd_go_table_is_last(struct pd_go_table *table,
			 const struct pd_go_function *f)
{
	/* funcFlag_TOPFRAME, funcFlag_SPWRITE */
	const uint8_t last_flags = 1 | 2;
	uint8_t flags;

	return table->at.version != PD_GO_1_2 &&
	       read_bytes(table, bytes_of(table, f) + 1, &flags, 1) &&
	       flags & last_flags;
}

/* Return false if nothing was inlined into a function. */
static bool find_calls(struct pd_go_table *t, const struct pd_go_function *f,
		       struct calls *ret)
{
	uint64_t at = bytes_of(t, f) + 4; /* of the offsets */
	uint32_t steps_nr;
	uint8_t data_nr;

	return t->at.version != PD_GO_1_2 &&
	       number_at(t, f->at, STEPS_NR_IDX, &steps_nr) &&
	       steps_nr > CALL_STEPS_IDX &&
	       read_bytes(t, at - 1, &data_nr, 1) && data_nr > CALLS_IDX &&
	       read_u32(t, at + CALL_STEPS_IDX * sizeof(uint32_t),
			&ret->steps) &&
	       find_tree(t, at + steps_nr * (uint64_t)sizeof(uint32_t),
			 &ret->tree);
}

/* Read a call of the tree. */
static bool read_call(const struct pd_go_table *t, uint64_t tree, uint32_t idx,
		      const struct pd_go_function *f, struct pd_go_call *ret)
{
	const struct call_layout *layout = &call_layouts[t->at.version];
	const uint8_t *bytes;
	uint64_t off;

	if (!pd_elf_addr_to_off(t->elf, tree + idx * (uint64_t)layout->len,
				&off))
		return false;
	bytes = pd_elf_image_span(t->elf, off, layout->len);
	if (!bytes)
		return false;
	ret->name = (uint32_t)pd_go_number(t, bytes + layout->name,
					   sizeof(uint32_t));
	ret->addr = f->start +
		    pd_go_number(t, bytes + layout->caller, sizeof(uint32_t));
	return ret->addr < f->end;
}

size_t pd_go_table_calls(struct pd_go_table *table,
			 const struct pd_go_function *f, uint64_t addr,
			 struct pd_go_call *ret, size_t max)
{
	struct calls calls;
	size_t nr = 0;
	int32_t idx;

	if (!find_calls(table, f, &calls))
		return 0;
	while (nr < max && value_at(table, f, calls.steps, addr, &idx) &&
	       idx >= 0 &&
	       read_call(table, calls.tree, (uint32_t)idx, f, &ret[nr]))
		addr = ret[nr++].addr;
	return nr;
}
