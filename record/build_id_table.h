/* build_id_table.h: the build-ids of all mapped files, for the BUILD_ID
 * section.
 *
 * Only where MMAP2 records cannot carry them (kernels before 5.12), or with
 * --buildid-all: the drain notes each executable mapping as it passes, and at
 * the end each file is asked once.  A file that is gone by then has none, which
 * is why MMAP2 is the better place.  FORMAT.md "Feature sections".
 */
#ifndef REC_BUILD_ID_TABLE_H
#define REC_BUILD_ID_TABLE_H

#include "format/record_body.h"
#include "record/elf_note.h"

struct rec_build_id_row {
	char *path;		/* owned */
	uint16_t cpumode;	/* PD_CPUMODE_* */
	struct rec_build_id id; /* as the record said; len 0: it did not */
};

struct rec_build_id_table {
	struct rec_build_id_row *rows; /* owned */
	size_t nr;
	size_t cap;
	uint32_t *slots; /* owned; row + 1 by hash of the path, 0: free */
	size_t slot_nr;	 /* a power of two, or 0 */
};

void rec_build_id_table_release(struct rec_build_id_table *table);

/* Takes the path of an MMAP or MMAP2 record that is executable; id_len: bytes
 * of its sample_id trailer.  -ENOMEM. */
int rec_build_id_table_note(struct rec_build_id_table *table,
			    const struct pd_record *rec, size_t id_len);

/* Appends the section's records, in the order in which the files came. */
void rec_build_id_table_write(const struct rec_build_id_table *table,
			      struct pd_buf *b);

#endif
