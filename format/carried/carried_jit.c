#include "format/carried/carried_jit.h"

#include "format/base/limits.h"
#include "format/base/search.h"
#include "format/carried/carried_section.h"

#include <stdlib.h>

/* The shortest entry of the list, and the shortest code. */
enum { HEAD_LEN_MIN = 5, CODE_LEN_MIN = 5 };

enum { HAS_CPU_TIMES = 1, IS_CUT = 2, HAS_FRAMES = 4, IS_PERF_MAP = 8 };

static bool has_frames(const struct pd_carried_jit *jit)
{
	for (uint32_t i = 0; i < jit->code_nr; i++)
		if (jit->codes[i].eh_frame.len)
			return true;
	return false;
}

static void write_frames(struct pd_buf *b, const struct pd_carried_jit *jit)
{
	pd_buf_varint(b, jit->codes[0].machine);
	for (uint32_t i = 0; i < jit->code_nr; i++) {
		struct pd_str eh_frame = jit->codes[i].eh_frame;

		pd_buf_varint(b, eh_frame.len);
		pd_buf_bytes(b, eh_frame.ptr, eh_frame.len);
	}
}

/* Columns compress better than rows.  Times mostly ascend, numbers and
 * addresses do in part. */
static void write_codes(struct pd_buf *b, const struct pd_carried_jit *jit)
{
	struct pd_jit_code last = { .len = 0 };

	for (uint32_t i = 0; i < jit->code_nr; i++) {
		pd_buf_signed(b, jit->codes[i].time_ns - last.time_ns);
		last.time_ns = jit->codes[i].time_ns;
	}
	for (uint32_t i = 0; i < jit->code_nr; i++) {
		pd_buf_signed(b, jit->codes[i].addr - last.addr);
		last.addr = jit->codes[i].addr;
	}
	for (uint32_t i = 0; i < jit->code_nr; i++)
		pd_buf_varint(b, jit->codes[i].len);
	for (uint32_t i = 0; i < jit->code_nr; i++) {
		pd_buf_signed(b, jit->codes[i].idx - last.idx);
		last.idx = jit->codes[i].idx;
	}
	for (uint32_t i = 0; i < jit->code_nr; i++) {
		pd_buf_bytes(b, jit->codes[i].name.ptr, jit->codes[i].name.len);
		pd_buf_u8(b, 0);
	}
	if (has_frames(jit))
		write_frames(b, jit);
}

void pd_carried_jit_write(struct pd_buf *b, const struct pd_carried_file *files,
			  uint32_t file_nr)
{
	struct pd_buf codes = PD_BUF_INIT;
	uint32_t nr = 0, last = 0;

	for (uint32_t i = 0; i < file_nr; i++)
		nr += files[i].jit != NULL;
	if (!nr)
		return;
	pd_buf_varint(b, nr);
	for (uint32_t i = 0; i < file_nr; i++) {
		const struct pd_carried_jit *jit = files[i].jit;
		size_t start = codes.len;

		if (!jit)
			continue;
		write_codes(&codes, jit);
		pd_buf_varint(b, i - last);
		pd_buf_varint(b, jit->path.len);
		pd_buf_bytes(b, jit->path.ptr, jit->path.len);
		pd_buf_varint(b, (jit->has_cpu_times ? HAS_CPU_TIMES : 0) |
					 (jit->is_cut ? IS_CUT : 0) |
					 (has_frames(jit) ? HAS_FRAMES : 0) |
					 (jit->is_perf_map ? IS_PERF_MAP : 0));
		pd_buf_varint(b, jit->code_nr);
		pd_buf_varint(b, codes.len - start);
		last = i;
	}
	if (pd_buf_status(&codes))
		b->status = pd_buf_status(&codes);
	pd_buf_bytes(b, codes.data, codes.len);
	pd_buf_release(&codes);
}

static int read_head(struct pd_cursor *c, struct pd_carried_jit *ret)
{
	uint64_t flags, nr;

	ret->path = pd_cursor_text(c);
	flags = pd_cursor_varint(c);
	ret->has_cpu_times = flags & HAS_CPU_TIMES;
	ret->is_cut = flags & IS_CUT;
	ret->has_frames = flags & HAS_FRAMES;
	ret->is_perf_map = flags & IS_PERF_MAP;
	nr = pd_cursor_varint(c);
	ret->text_len = pd_cursor_varint(c);
	if (nr > PD_LIMIT_CARRIED_CODES)
		pd_cursor_fail(c, -EFBIG, "%llu functions",
			       (unsigned long long)nr);
	else if (nr > ret->text_len / CODE_LEN_MIN)
		pd_cursor_fail(c, -EBADMSG, "%llu functions in %llu bytes",
			       (unsigned long long)nr,
			       (unsigned long long)ret->text_len);
	ret->code_nr = (uint32_t)nr;
	return pd_cursor_status(c);
}

/* Each has a process of its own, in the order of files. */
static int read_heads(struct pd_carried *carried, uint64_t nr,
		      struct pd_cursor *c)
{
	uint64_t off = 0, idx = 0;

	for (uint64_t i = 0; i < nr; i++) {
		struct pd_carried_jit *jit = &carried->jits[i];
		uint64_t more = pd_cursor_varint(c);

		if ((i && !more) || more >= carried->file_nr - idx)
			return pd_cursor_fail(c, -EBADMSG,
					      "JIT code of no process");
		idx += more;
		if (carried->files[idx].kind != PD_CARRIED_PERF_MAP)
			return pd_cursor_fail(c, -EBADMSG,
					      "JIT code of a file");
		if (read_head(c, jit))
			return pd_cursor_status(c);
		jit->file_idx = (uint32_t)idx;
		jit->text_off = off;
		if (jit->text_len > carried->jit_text_len - off)
			return pd_cursor_fail(c, -EBADMSG,
					      "more JIT code than is carried");
		off += jit->text_len;
	}
	for (uint64_t i = 0; i < nr; i++)
		carried->jits[i].text_off += c->pos;
	return off > pd_cursor_left(c) ? pd_cursor_short(c) : 0;
}

int pd_carried_jit_read(struct pd_carried *carried, uint8_t *text, size_t len,
			uint64_t file_off, struct pd_err *err)
{
	struct pd_cursor c;
	uint64_t nr;

	carried->jit_text = text;
	carried->jit_text_len = len;
	pd_cursor_init(&c, text, len, file_off, "list of JIT code");
	c.err = err;
	carried->jits =
		pd_carried_list(&c, HEAD_LEN_MIN, sizeof(*carried->jits), &nr);
	carried->jit_nr = (uint32_t)nr;
	return carried->jits ? read_heads(carried, nr, &c)
			     : pd_cursor_status(&c);
}

const struct pd_carried_jit *pd_carried_jit_of(const struct pd_carried *carried,
					       uint32_t idx)
{
	uint32_t at;

	PD_FIND_FIRST(at, carried->jit_nr, carried->jits[at].file_idx >= idx);
	return at < carried->jit_nr && carried->jits[at].file_idx == idx
		       ? &carried->jits[at]
		       : NULL;
}

static void check_code(struct pd_cursor *c, const struct pd_jit_code *code)
{
	if (!pd_jit_code_is_sound(code))
		pd_cursor_fail(c, -EBADMSG, "JIT code of %llu bytes",
			       (unsigned long long)code->len);
}

static void read_frames(struct pd_cursor *c, const struct pd_carried_jit *jit,
			struct pd_jit_code *ret)
{
	uint64_t machine = pd_cursor_varint(c);

	for (uint32_t i = 0; i < jit->code_nr; i++) {
		ret[i].machine = (uint16_t)machine;
		ret[i].eh_frame = pd_cursor_text(c);
	}
}

int pd_carried_jit_codes(const struct pd_carried *carried,
			 const struct pd_carried_jit *jit,
			 struct pd_jit_code *ret, struct pd_err *err)
{
	struct pd_jit_code last = { .len = 0 };
	struct pd_cursor c;

	pd_cursor_init(&c, carried->jit_text + jit->text_off,
		       (size_t)jit->text_len, jit->text_off,
		       "carried JIT code");
	c.err = err;
	for (uint32_t i = 0; i < jit->code_nr; i++)
		ret[i].time_ns = last.time_ns += pd_cursor_signed(&c);
	for (uint32_t i = 0; i < jit->code_nr; i++)
		ret[i].addr = last.addr += pd_cursor_signed(&c);
	for (uint32_t i = 0; i < jit->code_nr; i++) {
		ret[i].len = pd_cursor_varint(&c);
		check_code(&c, &ret[i]);
	}
	for (uint32_t i = 0; i < jit->code_nr; i++)
		ret[i].idx = last.idx += pd_cursor_signed(&c);
	for (uint32_t i = 0; i < jit->code_nr; i++)
		ret[i].name = pd_cursor_cstr(&c);
	for (uint32_t i = 0; i < jit->code_nr; i++) {
		ret[i].machine = 0;
		ret[i].eh_frame = (struct pd_str){ "", 0 };
	}
	if (jit->has_frames)
		read_frames(&c, jit, ret);
	return pd_cursor_status(&c);
}
