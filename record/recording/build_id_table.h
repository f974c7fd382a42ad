/* build_id_table.h: the build-ids of all mapped files, for the BUILD_ID
 * section.
 *
 * It is used with --buildid-all, and unless the kernel puts build-ids into
 * MMAP2 records (--buildid-mmap): drain threads add each executable mapping
 * they see, and build_id_reader.h reads the build-id of a new file.  FORMAT.md
 * "Feature sections".
 *
 * A row is a path, since the section names files by path only.  Several files
 * may have the same path: in several containers, or one after the other if a
 * program is replaced.  If they have different build-ids, none is written: a
 * wrong one misleads, and the records of what ran before have their own.
 */
#ifndef REC_BUILD_ID_TABLE_H
#define REC_BUILD_ID_TABLE_H

#include "format/records/record_body.h"
#include "record/base/elf_note.h"

/* More files of one path are not distinguished. */
enum { REC_BUILD_ID_FILES_MAX = 64 };

/* The approximate limit of a table's memory: some 200,000 files.  Users who may
 * run programs can map any number of files. */
enum { REC_BUILD_ID_TABLE_LEN_MAX = 32 * 1024 * 1024 };

enum rec_build_id_state {
	REC_BUILD_ID_RECORDED, /* in the map records themselves */
	REC_BUILD_ID_WANTED,   /* queued for the reader */
	REC_BUILD_ID_READ,     /* id.len 0: it has none */
	REC_BUILD_ID_UNREAD,   /* could not be opened any more */
};

struct rec_build_id_file {
	uint64_t ino;
	uint64_t ino_generation;
	uint32_t maj;
	uint32_t min;
	struct rec_build_id id;
	uint8_t state;	/* enum rec_build_id_state */
	uint8_t try_nr; /* number of attempts */
};

struct rec_build_id_row {
	char *path;	  /* owned */
	uint16_t cpumode; /* PD_CPUMODE_* */
	bool is_many;	  /* there are more files than this list has */
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

/* The position of a file in the table. */
struct rec_build_id_position {
	uint32_t row_idx;
	uint32_t file_idx;
};

struct rec_build_id_stats {
	size_t file_nr;	  /* without a build-id in their records */
	size_t unread_nr; /* of these: could not be opened */
	size_t mixed_nr;  /* paths of files with different build-ids */
	bool is_full;	  /* the table had no room for some files */
};

void rec_build_id_table_release(struct rec_build_id_table *table);

/* Add the file of an executable MMAP or MMAP2 record, or the build-id of a
 * kernel's map (HEADER_BUILD_ID); other records are none.  id_len: bytes of the
 * sample_id trailer of a map.  Return 1 if its build-id is to be read: map
 * (whose strings point into the record) describes it, *ret is for
 * rec_build_id_table_set().  Return 0 if not, or -ENOMEM, also if the table is
 * full. */
int rec_build_id_table_note(struct rec_build_id_table *table,
			    const struct pd_record *record, size_t id_len,
			    struct pd_mmap *map,
			    struct rec_build_id_position *ret);

/* Set the build-id that was read; NULL: the file could not be opened. */
void rec_build_id_table_set(struct rec_build_id_table *table,
			    const struct rec_build_id_position *place,
			    const struct rec_build_id *id);

/* Append the section's records, in the order in which the paths were added, and
 * add to stats. */
void rec_build_id_table_write(const struct rec_build_id_table *table,
			      struct pd_buf *b,
			      struct rec_build_id_stats *stats);

#endif
