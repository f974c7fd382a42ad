/* fields.h: structures of the file as lists of fields, for reader and writer
 * alike.
 *
 *	static const struct pd_field fields[] = {
 *		PD_FIELD(U64, pd_section, off),
 *		PD_FIELD(U64, pd_section, len),
 *	};
 *	pd_fields_read(&c, fields, 2, &section);
 *	pd_fields_write(&b, fields, 2, &section);
 *
 * The fields stand in the order of the file.  One loop reads by them and one
 * writes, so the two cannot differ.
 */
#ifndef PD_FIELDS_H
#define PD_FIELDS_H

#include "format/base/buf.h"

enum pd_field_kind {
	PD_FIELD_U8,
	PD_FIELD_U16,
	PD_FIELD_U32,
	PD_FIELD_U64,
	PD_FIELD_PAD,	 /* len bytes without meaning; written as zeros */
	PD_FIELD_BYTES,	 /* len bytes, copied */
	PD_FIELD_TEXT,	 /* struct pd_str: up to its NUL; padded to 8 */
	PD_FIELD_CHARS,	 /* struct pd_str in len bytes */
	PD_FIELD_STRING, /* struct pd_str: a header string, pd_buf_string() */
	PD_FIELD_WORDS,	 /* struct pd_u64s: all that is left */
	PD_FIELD_LIST,	/* a u64 count, then struct pd_u64s of len words each */
	PD_FIELD_ITEMS, /* a u64 count, then len bytes each, by pointer */
};

struct pd_field {
	enum pd_field_kind kind;
	uint16_t len;
	size_t off;    /* in the struct */
	size_t nr_off; /* of the count of LIST and ITEMS; 0: not stored */
};

#define PD_FIELD(kind, type, member)                                 \
	{                                                            \
		PD_FIELD_##kind, 0, offsetof(struct type, member), 0 \
	}
#define PD_FIELD_SKIP(len)              \
	{                               \
		PD_FIELD_PAD, len, 0, 0 \
	}

/* Read the fields into the members of ret; the cursor latches failures. */
void pd_fields_read(struct pd_cursor *c, const struct pd_field *fields,
		    size_t nr, void *ret);
void pd_fields_write(struct pd_buf *b, const struct pd_field *fields, size_t nr,
		     const void *from);

/* Return how many bytes the field takes at least; all numbers take just so
 * many. */
size_t pd_field_least_len(const struct pd_field *field);

/* A list in the file: a count, then so many items with the same fields. */
struct pd_list {
	const struct pd_field *fields;
	size_t field_nr;
	size_t item_len;    /* of the struct */
	uint64_t limit;	    /* of the count */
	bool has_u64_count; /* else u32 */
};

#define PD_LIST(type, fields, limit, has_u64_count)               \
	{                                                         \
		fields, sizeof(fields) / sizeof((fields)[0]),     \
			sizeof(struct type), limit, has_u64_count \
	}

/* Return nr zeroed items of item_len bytes, each of which takes at least
 * least_len bytes in the file; the caller frees them.  Return NULL if nr is 0,
 * and with an error in c if nr is over the limit (-EFBIG), the bytes that are
 * left cannot hold them, or memory is out. */
void *pd_list_alloc(struct pd_cursor *c, uint64_t nr, uint64_t limit,
		    size_t item_len, size_t least_len);

/* Read a count and the items.  Return them as pd_list_alloc() does and their
 * number in *ret_nr; NULL and 0 after a failure. */
void *pd_list_read(struct pd_cursor *c, const struct pd_list *list,
		   size_t *ret_nr);
void pd_list_write(struct pd_buf *b, const struct pd_list *list,
		   const void *items, size_t nr);

/* Read or write a list whose count stands elsewhere. */
void *pd_list_read_items(struct pd_cursor *c, const struct pd_list *list,
			 uint64_t nr, size_t *ret_nr);
void pd_list_write_items(struct pd_buf *b, const struct pd_list *list,
			 const void *items, size_t nr);

#endif
