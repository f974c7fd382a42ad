/* record_layout.h: the body of a record as a list of fields.
 *
 * A row of the tables in record_body_kernel.c and record_body_user.c says which
 * fields a type of record has and where in struct pd_body each lies.  What a
 * list cannot say (a union, a length that depends on what was read before) is a
 * pair of functions, which read and write what follows the fields.
 *
 * Private to record_body*.c.
 */
#ifndef PD_RECORD_LAYOUT_H
#define PD_RECORD_LAYOUT_H

#include "format/base/fields.h"
#include "format/records/record_body.h"

#define PD_BODY(kind, member) PD_FIELD(kind, pd_body, u.member)
#define PD_BODY_LEN(kind, member, len)                                      \
	{                                                                   \
		PD_FIELD_##kind, len, offsetof(struct pd_body, u.member), 0 \
	}
#define PD_BODY_NR(kind, nr, member, len)                                 \
	{                                                                 \
		PD_FIELD_##kind, len, offsetof(struct pd_body, u.member), \
			offsetof(struct pd_body, u.nr)                    \
	}

#define PD_FIELDS_MAX 8

/* The fields of a row, and how many there are. */
#define PD_FIELDS(...)                                                 \
	.fields = { __VA_ARGS__ },                                     \
	.field_nr = sizeof((const struct pd_field[]){ __VA_ARGS__ }) / \
		    sizeof(struct pd_field)

struct pd_body_row {
	const char *what; /* NULL: there is no such type */
	struct pd_field fields[PD_FIELDS_MAX];
	uint8_t field_nr;
	bool is_unpadded; /* its length is that of its payload */
	/* Read and write what follows the fields; NULL: nothing does. */
	void (*read_rest)(struct pd_cursor *c, struct pd_body *ret);
	void (*write_rest)(struct pd_buf *b, const struct pd_body *body);
};

/* Return the row of a type; NULL if there is none. */
const struct pd_body_row *pd_body_kernel_row(uint32_t type);
const struct pd_body_row *pd_body_user_row(uint32_t type);

#endif
