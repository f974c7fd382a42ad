/* build_id_table.h: the build-ids of all mapped files, for the BUILD_ID
 * section.
 *
 * Unless the kernel was asked to put them into MMAP2 records (--buildid-mmap),
 * or with --buildid-all: the drain notes each executable mapping as it passes;
 * a file that is new is asked for its build-id by build_id_reader.h. FORMAT.md
 * "Feature sections".
 *
 * A row is a path, since that is all that the section names a file by.  Several
 * files may stand behind one path: in several containers, or one after the
 * other where a program is replaced.  Of those with different build-ids none is
 * written: a wrong one misleads, and the records of what ran already have their
 * own.
 */
#ifndef REC_BUILD_ID_TABLE_H
#define REC_BUILD_ID_TABLE_H

#include "format/record_body.h"
#include "record/base/elf_note.h"

/* Files of one path beyond that are not distinguished any more. */
enum { REC_BUILD_ID_FILES_MAX = 64 };

/* A table takes no more memory than about that: some 200,000 files.  Whoever
 * may run programs can have any number of them. */
enum { REC_BUILD_ID_TABLE_LEN_MAX = 32 * 1024 * 1024 };

enum rec_build_id_state {
	REC_BUILD_ID_RECORDED, /* by its records themselves */
	REC_BUILD_ID_WANTED,   /* by the reader */
	REC_BUILD_ID_READ,     /* id.len 0: it has none */
	REC_BUILD_ID_UNREAD,   /* it could not be opened any more */
};

struct rec_build_id_file {
	uint64_t ino;
	uint64_t ino_generation;
	uint32_t maj;
	uint32_t min;
	struct rec_build_id id;
	uint8_t state;	/* enum rec_build_id_state */
	uint8_t try_nr; /* how often it was asked for */
};

struct rec_build_id_row {
	char *path;			 /* owned */
	uint16_t cpumode;		 /* PD_CPUMODE_* */
	bool is_many;			 /* more files than are kept */
	struct rec_build_id_file *files; /* owned */
	uint32_t nr;
};

struct rec_build_id_table {
	struct rec_build_id_row *rows; /* owned */
	size_t nr;
	size_t cap;
	uint32_t *slots; /* owned; row + 1 by hash of the path, 0: free */
	size_t slot_nr;	 /* a power of two, or 0 */
	size_t len;	 /* bytes of rows, paths and files */
	bool is_full;	 /* something had no room */
};

/* A file of the table. */
struct rec_build_id_place {
	uint32_t row_idx;
	uint32_t file_idx;
};

struct rec_build_id_stats {
	size_t file_nr;	  /* whose records do not have it */
	size_t unread_nr; /* of them: could not be opened any more */
	size_t mixed_nr;  /* paths of files with different build-ids */
	bool is_full;	  /* there were more files than the table takes */
};

void rec_build_id_table_release(struct rec_build_id_table *table);

/* Take the file of an MMAP or MMAP2 record that is executable; id_len: bytes
 * of its sample_id trailer.  1: its build-id is to be read, as body says (whose
 * strings point into the record); the place in *ret is for
 * rec_build_id_table_set().  0: it is not; -ENOMEM, of a full table as well. */
int rec_build_id_table_note(struct rec_build_id_table *table,
			    const struct pd_record *rec, size_t id_len,
			    struct pd_body *body,
			    struct rec_build_id_place *ret);

/* What was read; NULL: it could not be opened. */
void rec_build_id_table_set(struct rec_build_id_table *table,
			    const struct rec_build_id_place *place,
			    const struct rec_build_id *id);

/* Append the section's records, in the order in which the paths came, and
 * adds to stats. */
void rec_build_id_table_write(const struct rec_build_id_table *table,
			      struct pd_buf *b,
			      struct rec_build_id_stats *stats);

#endif
