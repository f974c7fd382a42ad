#include "format/carried/carried_sources.h"

#include "format/base/search.h"
#include "format/carried/carried_section.h"

#include <limits.h>
#include <stdlib.h>

/* A run takes five bytes, at least: those below, and a newline. */
enum { RUN_LEN_MIN = 5 };

static int compare_texts(struct pd_str a, struct pd_str b)
{
	int rc = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);

	return rc ? rc : (a.len > b.len) - (a.len < b.len);
}

/* Return true if the text is so many lines. */
static bool has_lines(struct pd_str text, uint32_t nr)
{
	uint32_t found_nr = 0;

	for (size_t i = 0; i < text.len; i++)
		found_nr += text.ptr[i] == '\n';
	return nr && found_nr == nr && text.ptr[text.len - 1] == '\n';
}

/* Read a run; last is the one before, or NULL.  An empty path is that of the
 * last one, which the lines then follow. */
static void read_run(struct pd_cursor *c,
		     const struct pd_carried_lines_run *last,
		     struct pd_carried_lines_run *ret)
{
	uint64_t line, line_nr;
	uint64_t start = 0;

	ret->path = pd_cursor_text(c);
	line = pd_cursor_varint(c);
	line_nr = pd_cursor_varint(c);
	ret->text = pd_cursor_text(c);
	if (pd_cursor_status(c))
		return;
	if (!ret->path.len && last) {
		ret->path = last->path;
		start = (uint64_t)last->line + last->line_nr;
	} else if (!ret->path.len ||
		   (last && compare_texts(last->path, ret->path) >= 0)) {
		pd_cursor_fail(c, -EBADMSG, "paths that do not ascend");
	}
	if (line > INT_MAX || line_nr > INT_MAX ||
	    start + line + line_nr > INT_MAX || !(start + line) ||
	    !has_lines(ret->text, (uint32_t)line_nr)) {
		pd_cursor_fail(c, -EBADMSG, "%llu lines of %zu bytes",
			       (unsigned long long)line_nr, ret->text.len);
		return;
	}
	ret->line = (uint32_t)(start + line);
	ret->line_nr = (uint32_t)line_nr;
}

int pd_carried_sources_read(struct pd_carried_text *text,
			    struct pd_carried_sources *ret, struct pd_err *err)
{
	struct pd_cursor c;
	uint64_t nr;

	*ret = (struct pd_carried_sources){ .data = text->data };
	text->data = NULL;
	if (!ret->data)
		return 0;
	pd_cursor_init(&c, ret->data, text->len, text->off, "carried source");
	c.err = err;
	ret->runs = pd_carried_list(&c, RUN_LEN_MIN, sizeof(*ret->runs), &nr);
	for (uint64_t i = 0; i < nr && !pd_cursor_status(&c); i++) {
		read_run(&c, i ? &ret->runs[i - 1] : NULL, &ret->runs[i]);
		ret->run_nr++;
	}
	if (pd_cursor_status(&c))
		pd_carried_sources_release(ret);
	return pd_cursor_status(&c);
}

void pd_carried_sources_release(struct pd_carried_sources *source)
{
	free(source->runs);
	free(source->data);
	memset(source, 0, sizeof(*source));
}

/* Return the run that has the line, or NULL. */
static bool is_behind(const struct pd_carried_lines_run *run,
		      struct pd_str path, uint32_t line)
{
	int rc = compare_texts(run->path, path);

	return rc > 0 || (!rc && run->line > line);
}

static const struct pd_carried_lines_run *
find_run(const struct pd_carried_sources *source, struct pd_str path,
	 uint32_t line)
{
	const struct pd_carried_lines_run *run;
	uint32_t at;

	PD_FIND_FIRST(at, source->run_nr,
		      is_behind(&source->runs[at], path, line));
	if (!at)
		return NULL;
	run = &source->runs[at - 1];
	return !compare_texts(run->path, path) &&
			       line - run->line < run->line_nr
		       ? run
		       : NULL;
}

bool pd_carried_sources_line(const struct pd_carried_sources *source,
			     struct pd_str path, uint32_t line,
			     struct pd_str *ret)
{
	const struct pd_carried_lines_run *run = find_run(source, path, line);
	const char *at, *end;

	if (!run)
		return false;
	at = run->text.ptr;
	for (uint32_t i = run->line;; i++) {
		end = memchr(at, '\n',
			     run->text.len - (size_t)(at - run->text.ptr));
		if (!end)
			return false;
		if (i == line)
			break;
		at = end + 1;
	}
	*ret = (struct pd_str){ at, (size_t)(end - at) };
	return true;
}

static void write_text(struct pd_buf *b, struct pd_str text)
{
	pd_buf_varint(b, text.len);
	pd_buf_bytes(b, text.ptr, text.len);
}

void pd_carried_sources_write(struct pd_buf *b,
			      const struct pd_carried_sources *source)
{
	pd_buf_varint(b, source->run_nr);
	for (uint32_t i = 0; i < source->run_nr; i++) {
		const struct pd_carried_lines_run *run = &source->runs[i];
		const struct pd_carried_lines_run *last = i ? run - 1 : NULL;
		bool follows = last && !compare_texts(last->path, run->path);

		write_text(b, follows ? (struct pd_str){ "", 0 } : run->path);
		pd_buf_varint(b,
			      follows ? run->line - last->line - last->line_nr
				      : run->line);
		pd_buf_varint(b, run->line_nr);
		write_text(b, run->text);
	}
}
