#include "format/carried/carried_cfi.h"

#include "format/base/limits.h"
#include "format/base/search.h"
#include "format/carried/carried_section.h"

#include <stdlib.h>

/* The shortest entry of the list of files, and the shortest piece. */
enum { HEAD_LEN_MIN = 6, PIECE_LEN_MIN = 3 + PD_CARRIED_PIECE_LEN_MIN };

/* Most FDEs begin with three words that follow from what else is carried: their
 * length, the distance to the CIE of the FDE before, and the distance to their
 * function.  In the section each is less by what would follow. */
enum { WORD_LEN = 4, WORD_NR = 3 };

struct expected {
	const struct pd_carried_cfi *frames;
	bool is_big_endian;
	uint64_t cie_off; /* of the FDE before */
};

static uint32_t get_word(const uint8_t *p, bool is_big_endian)
{
	uint32_t v = 0;

	for (size_t i = 0; i < WORD_LEN; i++)
		v |= (uint32_t)p[i]
		     << 8 * (is_big_endian ? WORD_LEN - 1 - i : i);
	return v;
}

static void put_word(uint8_t *p, uint32_t v, bool is_big_endian)
{
	for (size_t i = 0; i < WORD_LEN; i++)
		p[i] = (uint8_t)(v >>
				 8 * (is_big_endian ? WORD_LEN - 1 - i : i));
}

/* Turn the three words of data from their values to the differences, or
 * back. */
static void turn_words(struct expected *e, const struct pd_carried_piece *piece,
		       uint8_t *data, bool back)
{
	uint64_t at = piece->off - e->frames->off + e->frames->addr;
	uint32_t words[WORD_NR];

	if (piece->kind != PD_CARRIED_FRAME || piece->len < WORD_NR * WORD_LEN)
		return;
	words[0] = piece->len - WORD_LEN;
	words[1] = (uint32_t)(piece->off + WORD_LEN - e->cie_off);
	words[2] = (uint32_t)(piece->start - at - 2 * WORD_LEN);
	for (size_t i = 0; i < WORD_NR; i++) {
		uint32_t v = get_word(data + i * WORD_LEN, e->is_big_endian);
		uint32_t turned = back ? v + words[i] : v - words[i];

		put_word(data + i * WORD_LEN, turned, e->is_big_endian);
		if (i == 1)
			e->cie_off =
				piece->off + WORD_LEN - (back ? turned : v);
	}
}

static void write_data(struct pd_buf *b, const struct pd_carried_piece *piece,
		       struct expected *e)
{
	size_t at = b->len;

	pd_buf_bytes(b, piece->data, piece->len);
	if (!pd_buf_status(b))
		turn_words(e, piece, b->data + at, false);
}

static void write_pieces(struct pd_buf *b, const struct pd_carried_cfi *f,
			 bool is_big_endian)
{
	struct expected e = { f, is_big_endian, f->off };
	uint64_t end = f->off, last = f->addr;

	for (uint32_t i = 0; i < f->piece_nr; i++)
		pd_buf_u8(b, f->pieces[i].kind);
	for (uint32_t i = 0; i < f->piece_nr; i++) {
		pd_buf_signed(b, f->pieces[i].off - end);
		end = f->pieces[i].off + f->pieces[i].len;
	}
	for (uint32_t i = 0; i < f->piece_nr; i++)
		pd_buf_varint(b, f->pieces[i].len);
	for (uint32_t i = 0; i < f->piece_nr; i++) {
		if (f->pieces[i].kind != PD_CARRIED_FRAME)
			continue;
		pd_buf_signed(b, f->pieces[i].start - last);
		last = f->pieces[i].start;
	}
	for (uint32_t i = 0; i < f->piece_nr; i++)
		write_data(b, &f->pieces[i], &e);
}

void pd_carried_cfi_write(struct pd_buf *b, const struct pd_carried_file *files,
			  uint32_t file_nr)
{
	struct pd_buf pieces = PD_BUF_INIT;
	uint32_t nr = 0, last = 0;

	for (uint32_t i = 0; i < file_nr; i++)
		nr += files[i].frames != NULL;
	if (!nr)
		return;
	pd_buf_varint(b, nr);
	for (uint32_t i = 0; i < file_nr; i++) {
		const struct pd_carried_cfi *f = files[i].frames;
		size_t start = pieces.len;

		if (!f)
			continue;
		write_pieces(&pieces, f, files[i].is_big_endian);
		pd_buf_varint(b, i - last);
		pd_buf_varint(b, f->off);
		pd_buf_varint(b, f->addr);
		pd_buf_varint(b, f->len);
		pd_buf_varint(b, f->piece_nr);
		pd_buf_varint(b, pieces.len - start);
		last = i;
	}
	if (pd_buf_status(&pieces))
		b->status = pd_buf_status(&pieces);
	pd_buf_bytes(b, pieces.data, pieces.len);
	pd_buf_release(&pieces);
}

static int read_head(struct pd_cursor *c, struct pd_carried_cfi *ret)
{
	uint64_t nr;

	ret->off = pd_cursor_varint(c);
	ret->addr = pd_cursor_varint(c);
	ret->len = pd_cursor_varint(c);
	nr = pd_cursor_varint(c);
	ret->text_len = pd_cursor_varint(c);
	if (pd_cursor_status(c))
		return pd_cursor_status(c);
	if (ret->off + ret->len < ret->off || ret->addr + ret->len < ret->addr)
		return pd_cursor_fail(c, -EBADMSG,
				      ".eh_frame behind the end of memory");
	if (nr > ret->text_len / PIECE_LEN_MIN)
		return pd_cursor_fail(c, -EBADMSG, "%llu pieces in %llu bytes",
				      (unsigned long long)nr,
				      (unsigned long long)ret->text_len);
	ret->piece_nr = (uint32_t)nr;
	return 0;
}

/* Each has a file of its own, in the order of files. */
static int read_heads(struct pd_carried *carried, uint64_t nr,
		      struct pd_cursor *c)
{
	uint64_t off = 0, idx = 0, span = 0;

	for (uint64_t i = 0; i < nr; i++) {
		struct pd_carried_cfi *f = &carried->frames[i];
		uint64_t more = pd_cursor_varint(c);

		if ((i && !more) || more >= carried->file_nr - idx)
			return pd_cursor_fail(c, -EBADMSG, "frames of no file");
		idx += more;
		if (read_head(c, f))
			return pd_cursor_status(c);
		f->file_idx = (uint32_t)idx;
		f->text_off = off;
		off += f->text_len;
		span += f->len;
		if (f->len > PD_LIMIT_CARRIED_SPAN ||
		    span > PD_LIMIT_CARRIED_SPANS)
			return pd_cursor_fail(c, -EFBIG, "frames of %llu bytes",
					      (unsigned long long)f->len);
		if (f->text_len > carried->frame_text_len ||
		    off > carried->frame_text_len)
			return pd_cursor_fail(c, -EBADMSG,
					      "more frames than are carried");
	}
	for (uint64_t i = 0; i < nr; i++)
		carried->frames[i].text_off += c->pos;
	return off > pd_cursor_left(c) ? pd_cursor_short(c) : 0;
}

int pd_carried_cfi_read(struct pd_carried *carried, uint8_t *text, size_t len,
			uint64_t file_off, struct pd_err *err)
{
	struct pd_cursor c;
	uint64_t nr;

	carried->frame_text = text;
	carried->frame_text_len = len;
	pd_cursor_init(&c, text, len, file_off,
		       "list of call frame information");
	c.err = err;
	carried->frames = pd_carried_list(&c, HEAD_LEN_MIN,
					  sizeof(*carried->frames), &nr);
	carried->frames_nr = (uint32_t)nr;
	return carried->frames ? read_heads(carried, nr, &c)
			       : pd_cursor_status(&c);
}

const struct pd_carried_cfi *pd_carried_cfi_of(const struct pd_carried *carried,
					       uint32_t idx)
{
	uint32_t at;

	PD_FIND_FIRST(at, carried->frames_nr,
		      carried->frames[at].file_idx >= idx);
	return at < carried->frames_nr && carried->frames[at].file_idx == idx
		       ? &carried->frames[at]
		       : NULL;
}

static int check_piece(struct pd_cursor *c, const struct pd_carried_cfi *f,
		       const struct pd_carried_piece *piece, uint64_t end)
{
	bool is_inside = piece->off >= f->off &&
			 piece->off - f->off <= f->len &&
			 piece->len <= f->len - (piece->off - f->off);

	if (piece->kind >= PD_CARRIED_PIECE_KIND_NR ||
	    piece->len < PD_CARRIED_PIECE_LEN_MIN ||
	    piece->off + piece->len < piece->off || piece->off < end ||
	    (piece->kind != PD_CARRIED_CODE && !is_inside))
		return pd_cursor_fail(c, -EBADMSG,
				      "a piece of no call frame information");
	return 0;
}

static void read_columns(struct pd_cursor *c, const struct pd_carried_cfi *f,
			 struct pd_carried_piece *ret)
{
	uint64_t end = f->off, last = f->addr;

	for (uint32_t i = 0; i < f->piece_nr; i++)
		ret[i] = (struct pd_carried_piece){
			.kind = (uint8_t)pd_cursor_u8(c)
		};
	for (uint32_t i = 0; i < f->piece_nr; i++)
		ret[i].off = pd_cursor_signed(c);
	for (uint32_t i = 0; i < f->piece_nr; i++) {
		uint64_t len = pd_cursor_varint(c);

		ret[i].len = len < UINT32_MAX ? (uint32_t)len : 0;
		ret[i].off += end;
		end = ret[i].off + ret[i].len;
	}
	for (uint32_t i = 0; i < f->piece_nr; i++) {
		if (ret[i].kind != PD_CARRIED_FRAME)
			continue;
		last += pd_cursor_signed(c);
		ret[i].start = last;
	}
}

int pd_carried_pieces(const struct pd_carried *carried,
		      const struct pd_carried_cfi *frames,
		      struct pd_carried_piece *ret, uint8_t *room,
		      struct pd_err *err)
{
	struct expected e = { frames,
			      carried->files[frames->file_idx].is_big_endian,
			      frames->off };
	uint64_t end = 0;
	struct pd_cursor c;

	pd_cursor_init(&c, carried->frame_text + frames->text_off,
		       (size_t)frames->text_len, frames->text_off,
		       "carried call frame information");
	c.err = err;
	read_columns(&c, frames, ret);
	for (uint32_t i = 0; i < frames->piece_nr; i++) {
		const uint8_t *data;

		if (check_piece(&c, frames, &ret[i], end))
			break;
		data = pd_cursor_bytes(&c, ret[i].len);
		if (!data)
			break;
		memcpy(room, data, ret[i].len);
		turn_words(&e, &ret[i], room, true);
		ret[i].data = room;
		room += ret[i].len;
		end = ret[i].off + ret[i].len;
	}
	return pd_cursor_status(&c);
}
