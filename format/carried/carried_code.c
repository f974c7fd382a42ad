#include "format/carried/carried_code.h"

#include "format/base/search.h"
#include "format/carried/carried_section.h"

#include <stdlib.h>

/* A run takes four bytes, at least: those below, and one of code. */
enum { RUN_LEN_MIN = 4 };

/* Read where a run lies; last is the one before, or NULL. */
static void read_run(struct pd_cursor *c, uint32_t file_nr,
		     const struct pd_carried_run *last,
		     struct pd_carried_run *ret)
{
	uint64_t add = pd_cursor_varint(c), skip = pd_cursor_varint(c);
	uint64_t start = last && !add ? last->off + last->len : 0;
	uint64_t idx = last ? last->file_idx : 0;

	ret->len = pd_cursor_varint(c);
	if (add >= file_nr || idx + add >= file_nr)
		pd_cursor_fail(c, -EBADMSG, "code of a file beyond %u",
			       file_nr);
	if (!ret->len || ret->len > c->len || skip > UINT64_MAX - start ||
	    ret->len > UINT64_MAX - (start + skip))
		pd_cursor_fail(c, -EBADMSG, "code of %llu bytes",
			       (unsigned long long)ret->len);
	ret->file_idx = (uint32_t)(idx + add);
	ret->off = start + skip;
}

static void read_runs(struct pd_cursor *c, uint32_t file_nr,
		      struct pd_carried_code *ret)
{
	uint64_t nr;

	ret->runs = pd_carried_list(c, RUN_LEN_MIN, sizeof(*ret->runs), &nr);
	for (uint64_t i = 0; i < nr && !pd_cursor_status(c); i++)
		read_run(c, file_nr, i ? &ret->runs[i - 1] : NULL,
			 &ret->runs[i]);
	for (uint64_t i = 0; i < nr && !pd_cursor_status(c); i++)
		ret->runs[i].data = pd_cursor_bytes(c, ret->runs[i].len);
	ret->run_nr = (uint32_t)nr;
}

int pd_carried_code_read(struct pd_carried_text *text, uint32_t file_nr,
			 struct pd_carried_code *ret, struct pd_err *err)
{
	struct pd_cursor c;

	*ret = (struct pd_carried_code){ .data = text->data };
	text->data = NULL;
	if (!ret->data)
		return 0;
	pd_cursor_init(&c, ret->data, text->len, text->off, "carried code");
	c.err = err;
	read_runs(&c, file_nr, ret);
	if (pd_cursor_status(&c))
		pd_carried_code_release(ret);
	return pd_cursor_status(&c);
}

void pd_carried_code_release(struct pd_carried_code *code)
{
	free(code->runs);
	free(code->data);
	memset(code, 0, sizeof(*code));
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_runs(const void *a, const void *b)
{
	const struct pd_carried_run *x = a, *y = b;
	int rc = compare_numbers(x->file_idx, y->file_idx);

	if (!rc)
		rc = compare_numbers(x->off, y->off);
	/* of two that start there the longer one first */
	return rc ? rc : compare_numbers(y->len, x->len);
}

void pd_carried_runs_sort(struct pd_carried_run *runs, uint32_t *nr)
{
	uint32_t left_nr = 0;

	if (*nr)
		qsort(runs, *nr, sizeof(*runs), compare_runs);
	for (uint32_t i = 0; i < *nr; i++) {
		struct pd_carried_run run = runs[i];
		const struct pd_carried_run *last =
			left_nr ? &runs[left_nr - 1] : NULL;
		uint64_t end = last && last->file_idx == run.file_idx
				       ? last->off + last->len
				       : 0;

		if (run.off + run.len <= end)
			continue;
		if (run.off < end) {
			run.data += end - run.off;
			run.len -= end - run.off;
			run.off = end;
		}
		runs[left_nr++] = run;
	}
	*nr = left_nr;
}

/* Return the number of the first run of that file or a later one. */
static uint32_t first_run(const struct pd_carried_code *code, uint64_t file_idx)
{
	uint32_t at;

	PD_FIND_FIRST(at, code->run_nr, code->runs[at].file_idx >= file_idx);
	return at;
}

const struct pd_carried_run *
pd_carried_code_of(const struct pd_carried_code *code, uint32_t file_idx,
		   uint32_t *ret_nr)
{
	uint32_t start = first_run(code, file_idx);

	*ret_nr = first_run(code, (uint64_t)file_idx + 1) - start;
	return *ret_nr ? code->runs + start : NULL;
}

void pd_carried_code_write(struct pd_buf *b, const struct pd_carried_code *code)
{
	uint32_t idx = 0;
	uint64_t end = 0;

	pd_buf_varint(b, code->run_nr);
	for (uint32_t i = 0; i < code->run_nr; i++) {
		const struct pd_carried_run *run = &code->runs[i];

		if (run->file_idx != idx)
			end = 0;
		pd_buf_varint(b, run->file_idx - idx);
		pd_buf_varint(b, run->off - end);
		pd_buf_varint(b, run->len);
		idx = run->file_idx;
		end = run->off + run->len;
	}
	for (uint32_t i = 0; i < code->run_nr; i++)
		pd_buf_bytes(b, code->runs[i].data, (size_t)code->runs[i].len);
}
