/* record_layout.h: the body of a record as a list of fields, for reader and
 * writer alike.
 *
 * A row of the tables in record_body_kernel.c and record_body_user.c says which
 * fields a type of record has, in the order of its bytes, and where in struct
 * pd_body each lies.  One loop reads by it, one writes, so the two cannot
 * differ.  What a list cannot say (a union, a length that depends on what was
 * read before) is a pair of functions behind the list.
 *
 * Private to record_body*.c.
 */
#ifndef PD_RECORD_LAYOUT_H
#define PD_RECORD_LAYOUT_H

#include "format/record_body.h"

enum pd_field_kind {
	PD_FIELD_U8,
	PD_FIELD_U16,
	PD_FIELD_U32,
	PD_FIELD_U64,
	PD_FIELD_PAD,	/* len bytes without meaning */
	PD_FIELD_BYTES, /* len bytes, copied */
	PD_FIELD_TEXT,	/* struct pd_str: up to its NUL; padded to 8 */
	PD_FIELD_CHARS, /* struct pd_str in len bytes */
	PD_FIELD_WORDS, /* struct pd_u64s: what is left */
	PD_FIELD_LIST,	/* a u64 count, then struct pd_u64s of len words each */
	PD_FIELD_ITEMS, /* a u64 count, then len bytes each, by pointer */
};

struct pd_field {
	enum pd_field_kind kind;
	uint16_t len;
	size_t off;    /* in struct pd_body */
	size_t nr_off; /* of LIST and ITEMS: the count's; 0: it has none */
};

#define PD_FIELD(kind, member)                                            \
	{                                                                 \
		PD_FIELD_##kind, 0, offsetof(struct pd_body, u.member), 0 \
	}
#define PD_FIELD_LEN(kind, member, len)                                     \
	{                                                                   \
		PD_FIELD_##kind, len, offsetof(struct pd_body, u.member), 0 \
	}
#define PD_FIELD_NR(kind, nr, member, len)                                \
	{                                                                 \
		PD_FIELD_##kind, len, offsetof(struct pd_body, u.member), \
			offsetof(struct pd_body, u.nr)                    \
	}
#define PD_FIELD_SKIP(len)              \
	{                               \
		PD_FIELD_PAD, len, 0, 0 \
	}

#define PD_FIELDS_MAX 8

struct pd_body_row {
	const char *what; /* NULL: no such type */
	struct pd_field fields[PD_FIELDS_MAX];
	uint8_t field_nr;
	bool is_unpadded; /* its length is that of its payload */
	/* What follows the fields; NULL: nothing. */
	void (*read_rest)(struct pd_cursor *c, uint16_t misc,
			  struct pd_body *ret);
	void (*write_rest)(struct pd_buf *b, const struct pd_body *body);
};

/* The row of a type; NULL if there is none. */
const struct pd_body_row *pd_body_kernel_row(uint32_t type);
const struct pd_body_row *pd_body_user_row(uint32_t type);

#endif
