/* carried_identity.h: which file of the host each carried file was: how records
 * name it, and whose it was.  FORMAT.md "Identity of carried files".
 *
 * A path may name several files in a recording: those of two containers, or a
 * program before and after its upgrade.  A build-id may stand in a file of
 * somebody who copied it from another.  The key in a MMAP2 record, device,
 * inode and generation as the kernel has them, is neither: it is compared and
 * never understood, since stat(2) may have other numbers.
 *
 * The writer sets file.owner, file.keys and file.is_known_by_id before
 * pd_carried_write(); pd_carried_read() sets them to what is carried.
 */
#ifndef PD_CARRIED_IDENTITY_H
#define PD_CARRIED_IDENTITY_H

#include "format/carried/carried.h"

/* Return whether two carried ELF files of one build-id cannot be the same code:
 * where one has a name the other one has none of these, though it would, or
 * other ones.  Files without common addresses agree, and so do files whose
 * names are lost. */
bool pd_carried_disagree(const struct pd_carried *a, uint32_t a_idx,
			 const struct pd_carried *b, uint32_t b_idx);

/* Return whether a rather than b has the names of their build-id, for what is
 * known by that alone: root's file does, else the one with more names; of
 * equals a. */
bool pd_carried_is_preferred(const struct pd_carried_file *a,
			     const struct pd_carried_file *b);

/* Private to the format: the plain text of the section, empty if no file has
 * any; and its mirror, which frees text. */
void pd_carried_identity_write(struct pd_buf *b,
			       const struct pd_carried_file *files,
			       uint32_t file_nr);
int pd_carried_identity_read(struct pd_carried *carried, uint8_t *text,
			     size_t len, uint64_t file_off, struct pd_err *err);

#endif
