/* err.h: the error that says to a person what is wrong, and where.
 *
 * A function that can fail returns 0 or a negative errno for the program and
 * takes, last, a struct pd_err for the person: one line of text without the
 * path of the file and without "failed to", and the byte offset in the file.
 * The first failure counts; later ones do not change it.
 *
 * Codes of this project beyond what system calls return:
 *	-EBADMSG  the bytes break the format
 *	-ENODATA  the file ends inside something
 *	-ENOTSUP  well-formed, but a version or feature that is not read
 *	-EFBIG    a number out of the file is over a limit of limits.h
 */
#ifndef PD_ERR_H
#define PD_ERR_H

#include <stdbool.h>
#include <stdint.h>

struct pd_err {
	int code; /* 0: nothing went wrong yet */
	bool has_off;
	uint64_t off;	/* byte offset in the file, if has_off */
	char text[200]; /* one line, NUL terminated */
	char hint[200]; /* what the user can do about it, or empty */
};

#define PD_ERR_INIT       \
	{                 \
		.code = 0 \
	}

/* Set the error unless it is set, and return code, so that callers can write
 * "return pd_err_set(err, ...)".  If err is NULL, only return code. */
int pd_err_set(struct pd_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int pd_err_at(struct pd_err *err, int code, uint64_t off, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Add a second line to the error: what the user can do. */
void pd_err_hint(struct pd_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
