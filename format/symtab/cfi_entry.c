#include "format/symtab/cfi_entry.h"

#include <stddef.h>

/* DW_EH_PE_*: the form of a pointer, and what it counts from. */
enum {
	FORM_MASK = 0x0f,
	FORM_WORD = 0x00,
	FORM_U16 = 0x02,
	FORM_U32 = 0x03,
	FORM_U64 = 0x04,
	FORM_S16 = 0x0a,
	FORM_S32 = 0x0b,
	FORM_S64 = 0x0c,
	BASE_MASK = 0x70,
	BASE_NONE = 0x00,
	BASE_HERE = 0x10,
};

enum { LENGTH_LEN = 4, IS_64_BIT_DWARF = 0xffffffff };

/* A CIE tells about its FDEs within so many bytes; most have ten.  What is made
 * to be long costs no more then. */
enum { CIE_HEAD_LEN_MAX = 128 };

bool pd_cfi_entry_read(const struct pd_cfi_section *eh_frame, uint64_t off,
		       const uint8_t *data, uint64_t len,
		       struct pd_cfi_entry *ret)
{
	uint64_t left, here;
	struct pd_cursor c;
	uint32_t length, id;

	if (off < eh_frame->off || off - eh_frame->off >= eh_frame->len)
		return false;
	left = eh_frame->len - (off - eh_frame->off);
	pd_cursor_init(&c, data, (size_t)(len < left ? len : left), off,
		       ".eh_frame");
	c.swap = eh_frame->swap;
	length = pd_cursor_u32(&c);
	*ret = (struct pd_cfi_entry){ .off = off, .data = data };
	ret->len = LENGTH_LEN;
	if (pd_cursor_status(&c) || length == IS_64_BIT_DWARF)
		return false;
	if (!length)
		return true;
	if (length > left - LENGTH_LEN ||
	    length > PD_CFI_ENTRY_LEN_MAX - LENGTH_LEN || length < 4)
		return false;
	ret->len = LENGTH_LEN + length;
	here = off + c.pos;
	id = pd_cursor_u32(&c);
	ret->is_cie = !id;
	ret->cie_off = here - id;
	ret->body = c.pos;
	return !pd_cursor_status(&c);
}

static size_t form_len(const struct pd_cfi_section *s, int encoding)
{
	switch (encoding & FORM_MASK) {
	case FORM_WORD:
		return s->is_64 ? 8 : 4;
	case FORM_U16:
	case FORM_S16:
		return 2;
	case FORM_U32:
	case FORM_S32:
		return 4;
	case FORM_U64:
	case FORM_S64:
		return 8;
	default:
		return 0;
	}
}

/* Return the value of that form, widened with its sign. */
static uint64_t read_form(const struct pd_cfi_section *s, struct pd_cursor *c,
			  int encoding)
{
	bool is_signed = encoding & 8;
	uint64_t v;

	switch (form_len(s, encoding)) {
	case 2:
		v = pd_cursor_u16(c);
		return is_signed ? (uint64_t)(int64_t)(int16_t)v : v;
	case 4:
		v = pd_cursor_u32(c);
		return is_signed ? (uint64_t)(int64_t)(int32_t)v : v;
	default:
		return pd_cursor_u64(c);
	}
}

/* Go over the augmentation's letters up to R.  Return what it says, -1 if that
 * cannot be reached, or FORM_WORD if there is no R. */
static int find_encoding(const struct pd_cfi_section *s, struct pd_cursor *c,
			 struct pd_str letters)
{
	for (size_t i = 1; i < letters.len && !pd_cursor_status(c); i++) {
		int encoding;

		switch (letters.ptr[i]) {
		case 'R':
			return pd_cursor_u8(c);
		case 'L':
			pd_cursor_u8(c);
			break;
		case 'P':
			encoding = pd_cursor_u8(c);
			if (!form_len(s, encoding) ||
			    (encoding & BASE_MASK) > 0x40)
				return -1;
			pd_cursor_skip(c, form_len(s, encoding));
			break;
		case 'S':
		case 'B':
		case 'G':
			break;
		default:
			return -1;
		}
	}
	return FORM_WORD;
}

/* Go up to what the augmentation's letters say, and set them.  Return the
 * alignment of code; 0: it is not known where that is. */
static uint64_t read_cie(const struct pd_cfi_section *s,
			 const struct pd_cfi_entry *cie, struct pd_cursor *c,
			 struct pd_str *letters)
{
	uint64_t code_align;
	uint8_t version;

	pd_cursor_init(c, cie->data,
		       cie->len < CIE_HEAD_LEN_MAX ? cie->len
						   : CIE_HEAD_LEN_MAX,
		       cie->off, "CIE");
	c->swap = s->swap;
	pd_cursor_skip(c, cie->body);
	version = pd_cursor_u8(c);
	*letters = pd_cursor_cstr(c);
	if ((version != 1 && version != 3) ||
	    (letters->len && letters->ptr[0] != 'z'))
		return 0;
	code_align = pd_cursor_varint(c);
	pd_cursor_varint(c); /* alignment of data */
	if (version == 1)
		pd_cursor_u8(c); /* column of the return address */
	else
		pd_cursor_varint(c);
	if (letters->len)
		pd_cursor_varint(c); /* length of what follows */
	return pd_cursor_status(c) ? 0 : code_align;
}

int pd_cfi_encoding(const struct pd_cfi_section *s,
		    const struct pd_cfi_entry *cie)
{
	struct pd_str letters;
	struct pd_cursor c;
	int encoding;

	if (!read_cie(s, cie, &c, &letters))
		return -1;
	encoding = find_encoding(s, &c, letters);
	return pd_cursor_status(&c) ? -1 : encoding;
}

uint64_t pd_cfi_code_align(const struct pd_cfi_section *s,
			   const struct pd_cfi_entry *cie)
{
	struct pd_str letters;
	struct pd_cursor c;
	uint64_t code_align = read_cie(s, cie, &c, &letters);

	return letters.len ? code_align : 0;
}

size_t pd_cfi_address_len(const struct pd_cfi_section *s, int encoding)
{
	return encoding < 0 ? 0 : form_len(s, encoding);
}

bool pd_cfi_range(const struct pd_cfi_section *eh_frame,
		  const struct pd_cfi_entry *fde, int encoding,
		  uint64_t *ret_start, uint64_t *ret_len)
{
	int base = encoding & BASE_MASK;
	struct pd_cursor c;

	if (encoding < 0 || encoding > 0x7f || !form_len(eh_frame, encoding) ||
	    (base != BASE_NONE && base != BASE_HERE))
		return false;
	pd_cursor_init(&c, fde->data, fde->len, fde->off, "FDE");
	c.swap = eh_frame->swap;
	pd_cursor_skip(&c, fde->body);
	*ret_start = read_form(eh_frame, &c, encoding);
	if (base == BASE_HERE)
		*ret_start +=
			fde->off + fde->body - eh_frame->off + eh_frame->addr;
	if (!eh_frame->is_64)
		*ret_start &= UINT32_MAX;
	/* its form without a sign */
	*ret_len = read_form(eh_frame, &c, encoding & 7);
	return !pd_cursor_status(&c);
}
