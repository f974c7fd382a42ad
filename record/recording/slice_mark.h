/* slice_mark.h: the record by which a recorder knows the file that one before
 * it left when it was killed: FORMAT.md "Slice mark".
 *
 * The mark stands among the first records of a file of --switch-output, and
 * says of which boot, FILE and options it is.  If these are the same, a later
 * recorder knows what the file's end would have told of the machine and of the
 * options.
 */
#ifndef REC_SLICE_MARK_H
#define REC_SLICE_MARK_H

#include "format/base/buf.h"
#include "format/records/record.h"

#include <stdbool.h>

struct rec_session;

struct rec_slice_mark {
	uint8_t boot_id[16];   /* all 0: unknown */
	uint64_t name_hash;    /* of FILE without its folder */
	uint64_t options_hash; /* of the recorder's version, the command line
				* and the events */
};

/* Read the boot's id, 16 bytes: 32 hexadecimal digits with dashes between them.
 */
void rec_boot_id_read(uint8_t *ret);

/* Make the mark of the session's files; name: FILE without its folder. */
int rec_slice_mark_make(const struct rec_session *session, const char *name,
			struct rec_slice_mark *ret);

/* Append the record. */
void rec_slice_mark_write(struct pd_buf *b, const struct rec_slice_mark *mark);

/* Return 0 and the mark, -ENOENT if the record is none, or -ENOTSUP if it is
 * one of another version. */
int rec_slice_mark_read(const struct pd_record *record,
			struct rec_slice_mark *ret);

/* Return true if both are of the same boot. */
bool rec_slice_mark_is_same_boot(const struct rec_slice_mark *a,
				 const struct rec_slice_mark *b);

#endif
