/* build_id.h: the BUILD_ID feature: which build-id a mapped file had.
 *
 *	pd_build_ids_init(&it, &payload);	of pd_reader_feature()
 *	while ((rc = pd_build_ids_next(&it, &entry, &err)) > 0)
 *		...
 *
 * FORMAT.md "Feature sections".  perf before Linux 2.6.36 wrote records without
 * a pid.  They are recognised by the name of the kernel: read as if there were
 * a pid, it lacks its first letters.
 */
#ifndef PD_BUILD_ID_H
#define PD_BUILD_ID_H

#include "format/records/record_body.h"

struct pd_build_id_entry {
	uint16_t misc; /* holds PD_CPUMODE_*: kernel or user */
	struct pd_header_build_id id;
};

struct pd_build_ids {
	struct pd_cursor c;
	bool has_pid;
};

void pd_build_ids_init(struct pd_build_ids *it,
		       const struct pd_cursor *payload);

/* Return 1 and the next entry, whose name points into the payload; 0 at the
 * end; -EBADMSG or -ENODATA if the rest cannot be read. */
int pd_build_ids_next(struct pd_build_ids *it, struct pd_build_id_entry *ret,
		      struct pd_err *err);

/* Append one entry of the payload. */
void pd_build_id_write(struct pd_buf *b, const struct pd_build_id_entry *entry);

/* Read what a record says of a file: an MMAP or MMAP2, or a HEADER_BUILD_ID as
 * a map that has its build-id and name, and nothing else.  Return 0, -ENOTSUP
 * for records of other types, or as pd_body_read(). */
int pd_build_id_map(const struct pd_record *rec, size_t id_len,
		    struct pd_mmap *ret);

/* Write the build-id as lower case hex digits, NUL terminated. */
#define PD_BUILD_ID_HEX_LEN (2 * PD_BUILD_ID_LEN_MAX + 1)
void pd_build_id_hex(const uint8_t *id, size_t len,
		     char ret[static PD_BUILD_ID_HEX_LEN]);

/* The path of a debug file, or of an entry of perf's cache: write
 * DIR/.build-id/xx/yyyy.../FILE, or .../yyyy.SUFFIX if file begins with a dot.
 * Return false if the build-id has less than 2 bytes or more than 20, or the
 * path does not fit. */
bool pd_build_id_path(char *ret, size_t cap, const char *dir, const uint8_t *id,
		      size_t len, const char *file);

#endif
