#include "format/carried/carried_lines.h"

#include "format/base/search.h"

#include <limits.h>
#include <stdlib.h>

/* A text and a file take two bytes, a place and a function four, at least. */
enum {
	TEXT_LEN_MIN = 2,
	FILE_LEN_MIN = 2,
	PLACE_LEN_MIN = 4,
	FUNCTION_LEN_MIN = 4,
};

/* Return a number of items of item_len bytes or more; 0 if they cannot be
 * there. */
static uint32_t read_nr(struct pd_cursor *c, size_t item_len)
{
	uint64_t nr = pd_cursor_varint(c);

	if (nr <= pd_cursor_left(c) / item_len && nr < UINT32_MAX)
		return (uint32_t)nr;
	pd_cursor_short(c);
	return 0;
}

static uint32_t read_below(struct pd_cursor *c, uint64_t max)
{
	uint64_t v = pd_cursor_varint(c);

	if (v <= max)
		return (uint32_t)v;
	pd_cursor_fail(c, -EBADMSG, "%llu, which is over %llu",
		       (unsigned long long)v, (unsigned long long)max);
	return 0;
}

static void *make(struct pd_cursor *c, size_t nr, size_t item_len)
{
	void *items = pd_cursor_status(c) ? NULL : calloc(nr + 1, item_len);

	if (!items)
		pd_cursor_fail(c, -ENOMEM, "out of memory");
	return items;
}

static void read_texts(struct pd_cursor *c, struct pd_carried_lines *lines)
{
	uint32_t nr = read_nr(c, TEXT_LEN_MIN) + 1;

	lines->texts = make(c, nr, sizeof(*lines->texts));
	if (!lines->texts)
		return;
	lines->texts[0] = (struct pd_str){ "", 0 };
	lines->text_nr = nr;
	for (uint32_t i = 1; i < nr; i++) {
		lines->texts[i] = pd_cursor_cstr(c);
		if (!lines->texts[i].len)
			pd_cursor_fail(c, -EBADMSG, "an empty text");
	}
}

static void read_files(struct pd_cursor *c, struct pd_carried_lines *lines,
		       uint32_t max)
{
	uint32_t nr = read_nr(c, FILE_LEN_MIN);
	uint64_t idx = 0, place_nr = 0;

	lines->files = make(c, nr, sizeof(*lines->files));
	for (uint32_t i = 0; i < nr && !pd_cursor_status(c); i++) {
		struct pd_carried_lines_file *f = &lines->files[i];
		uint32_t add = read_below(c, UINT32_MAX);

		idx += add;
		if (idx >= max || (i && !add))
			pd_cursor_fail(c, -EBADMSG, "lines of file %llu of %u",
				       (unsigned long long)idx, max);
		f->file_idx = (uint32_t)idx;
		f->place_start = (uint32_t)place_nr;
		f->place_nr = read_below(c, c->len);
		place_nr += f->place_nr;
		if (place_nr > pd_cursor_left(c) / PLACE_LEN_MIN)
			pd_cursor_short(c);
		lines->file_nr++;
	}
	lines->place_nr = (uint32_t)place_nr;
}

static void read_addresses(struct pd_cursor *c,
			   const struct pd_carried_lines *lines,
			   const struct pd_carried_lines_file *f)
{
	uint64_t addr = 0;

	for (uint32_t i = 0; i < f->place_nr; i++) {
		uint64_t add = pd_cursor_varint(c);

		if (add > UINT64_MAX - addr || (i && !add))
			pd_cursor_fail(c, -EBADMSG,
				       "addresses that do not ascend");
		addr += add;
		lines->places[f->place_start + i].addr = addr;
	}
}

static void read_places(struct pd_cursor *c, struct pd_carried_lines *lines)
{
	uint64_t function_nr = 0;
	uint32_t nr = lines->place_nr;
	struct pd_carried_place *places;

	places = lines->places = make(c, nr, sizeof(*places));
	if (!places)
		return;
	for (uint32_t i = 0; i < lines->file_nr; i++)
		read_addresses(c, lines, &lines->files[i]);
	for (uint32_t i = 0; i < nr; i++)
		places[i].file = read_below(c, lines->text_nr - 1);
	for (uint32_t i = 0; i < nr; i++)
		places[i].line = read_below(c, INT_MAX);
	for (uint32_t i = 0; i < nr; i++) {
		places[i].function_start = (uint32_t)function_nr;
		places[i].function_nr = read_below(c, PD_CARRIED_FUNCTIONS_MAX);
		function_nr += places[i].function_nr;
		if (function_nr > c->len / FUNCTION_LEN_MIN) {
			pd_cursor_short(c);
			return;
		}
	}
	lines->function_nr = (uint32_t)function_nr;
}

static void read_functions(struct pd_cursor *c, struct pd_carried_lines *lines)
{
	uint32_t nr = lines->function_nr;
	struct pd_carried_function *functions;

	functions = lines->functions = make(c, nr, sizeof(*functions));
	if (!functions)
		return;
	for (uint32_t i = 0; i < nr; i++)
		functions[i].name = read_below(c, lines->text_nr - 1);
	for (uint32_t i = 0; i < nr; i++)
		functions[i].flags = read_below(c, UINT32_MAX);
	for (uint32_t i = 0; i < nr; i++)
		functions[i].call_file = read_below(c, lines->text_nr - 1);
	for (uint32_t i = 0; i < nr; i++)
		functions[i].call_line = read_below(c, INT_MAX);
}

int pd_carried_lines_read(struct pd_carried_text *text, uint32_t file_nr,
			  struct pd_carried_lines *ret, struct pd_err *err)
{
	struct pd_cursor c;

	*ret = (struct pd_carried_lines){ .data = text->data };
	text->data = NULL;
	if (!ret->data)
		return 0;
	pd_cursor_init(&c, ret->data, text->len, text->off, "carried lines");
	c.err = err;
	read_texts(&c, ret);
	read_files(&c, ret, file_nr);
	read_places(&c, ret);
	read_functions(&c, ret);
	if (pd_cursor_status(&c))
		pd_carried_lines_release(ret);
	return pd_cursor_status(&c);
}

void pd_carried_lines_release(struct pd_carried_lines *lines)
{
	free(lines->texts);
	free(lines->files);
	free(lines->places);
	free(lines->functions);
	free(lines->data);
	memset(lines, 0, sizeof(*lines));
}

const struct pd_carried_lines_file *
pd_carried_lines_of(const struct pd_carried_lines *lines, uint32_t file_idx)
{
	uint32_t at;

	PD_FIND_FIRST(at, lines->file_nr,
		      lines->files[at].file_idx >= file_idx);
	return at < lines->file_nr && lines->files[at].file_idx == file_idx
		       ? &lines->files[at]
		       : NULL;
}

const struct pd_carried_place *
pd_carried_lines_at(const struct pd_carried_lines *lines, uint32_t file_idx,
		    uint64_t addr)
{
	const struct pd_carried_lines_file *f =
		pd_carried_lines_of(lines, file_idx);
	const struct pd_carried_place *places;
	uint32_t at;

	if (!f || !f->place_nr)
		return NULL;
	places = lines->places + f->place_start;
	PD_FIND_FIRST(at, f->place_nr, places[at].addr >= addr);
	return at < f->place_nr && places[at].addr == addr ? &places[at] : NULL;
}

static void write_places(struct pd_buf *b, const struct pd_carried_lines *lines)
{
	const struct pd_carried_place *places = lines->places;

	for (uint32_t i = 0; i < lines->file_nr; i++) {
		const struct pd_carried_lines_file *f = &lines->files[i];
		uint64_t last = 0;

		for (uint32_t j = 0; j < f->place_nr; j++) {
			uint64_t addr = places[f->place_start + j].addr;

			pd_buf_varint(b, addr - last);
			last = addr;
		}
	}
	for (uint32_t i = 0; i < lines->place_nr; i++)
		pd_buf_varint(b, places[i].file);
	for (uint32_t i = 0; i < lines->place_nr; i++)
		pd_buf_varint(b, places[i].line);
	for (uint32_t i = 0; i < lines->place_nr; i++)
		pd_buf_varint(b, places[i].function_nr);
}

/* The functions of each place in turn, as readers count them. */
static void write_functions(struct pd_buf *b,
			    const struct pd_carried_lines *lines)
{
	const struct pd_carried_function *functions = lines->functions;

	for (uint32_t i = 0; i < lines->function_nr; i++)
		pd_buf_varint(b, functions[i].name);
	for (uint32_t i = 0; i < lines->function_nr; i++)
		pd_buf_varint(b, functions[i].flags);
	for (uint32_t i = 0; i < lines->function_nr; i++)
		pd_buf_varint(b, functions[i].call_file);
	for (uint32_t i = 0; i < lines->function_nr; i++)
		pd_buf_varint(b, functions[i].call_line);
}

void pd_carried_lines_write(struct pd_buf *b,
			    const struct pd_carried_lines *lines)
{
	uint32_t last = 0;

	pd_buf_varint(b, lines->text_nr ? lines->text_nr - 1 : 0);
	for (uint32_t i = 1; i < lines->text_nr; i++) {
		pd_buf_bytes(b, lines->texts[i].ptr, lines->texts[i].len);
		pd_buf_u8(b, 0);
	}
	pd_buf_varint(b, lines->file_nr);
	for (uint32_t i = 0; i < lines->file_nr; i++) {
		pd_buf_varint(b, lines->files[i].file_idx - last);
		pd_buf_varint(b, lines->files[i].place_nr);
		last = lines->files[i].file_idx;
	}
	write_places(b, lines);
	write_functions(b, lines);
}
