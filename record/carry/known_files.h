/* known_files.h: the table of all files of which names were found
 * (known_file.h), and what one recording has of them.
 *
 *	the follower, now and then	the collector, at the end of a file
 *	rec_known_files_look()		rec_known_files_find(), of each file
 *					rec_known_file_names()
 *					rec_known_files_next()
 *
 * A mapped file is read when an address in it is hit for the first time, and
 * again when one is hit for which other symbols count: so it need not be there
 * at the end, and nothing holds it open until then.  What was found is kept for
 * the next file of a recording, by device, inode, length and time of change of
 * the mapped file, and by its build-id if its device may have been another one
 * before: one that is overwritten is read anew.
 *
 * Code in memory is read before its process's jitdump or perf map is let go
 * (keeper.h), else at the end.
 *
 * One thread at a time has the table.
 */
#ifndef REC_KNOWN_FILES_H
#define REC_KNOWN_FILES_H

#include "record/carry/hit_source.h"
#include "record/carry/hits_of_recording.h"
#include "record/carry/known_file.h"
#include "record/names/jitdump_codes.h"

struct rec_known_conf {
	unsigned what;	   /* REC_CARRY_* */
	size_t memory_len; /* bytes that names, and the others, may take each */
	struct rec_hit_source from;
	uint64_t look_cpu_ns; /* that looks of one recording may take */
	int index_fd;	      /* borrowed; symbol_index.h; -1: no folder */
};

/* The state of one file of one recording. */
struct rec_file_names {
	struct rec_known_file *known; /* NULL: it was not opened */
	struct rec_known_frames frames;
	bool is_torn;		     /* its names count for another file, too */
	struct rec_name_list memory; /* of code without a file */
	struct rec_jit_codes codes;  /* the same */
	bool is_memory_read;	     /* once at least */
	bool is_memory_over;	     /* when its process had ended */
	size_t seen_hit_nr;	     /* by the last look */
	uint64_t wait_ns;	     /* between looks */
	uint64_t due_ns;	     /* of the next one */
};

struct rec_known_files {
	struct rec_known_conf conf;
	uint64_t root_dev;	       /* of the file system of / */
	struct rec_known_file **files; /* owned, with what they point to */
	size_t nr, cap;
	struct rec_file_names **names; /* the same; of this recording */
	size_t name_nr, name_cap;
	unsigned recording_nr;
	struct rec_known_limits limits;
	uint64_t cpu_ns; /* that all looks of this recording took */
};

/* Return NULL if there is no memory. */
struct rec_known_files *rec_known_files_new(const struct rec_known_conf *conf);
/* Safe on NULL. */
void rec_known_files_free(struct rec_known_files *known);

/* Read what was hit until now_ns (rec_now_ns()) and is not known, of some files
 * later if they were read of late, until is_over. */
void rec_known_files_look(struct rec_known_files *known, struct rec_hits *hits,
			  uint64_t now_ns, bool (*is_over)(const void *ctx),
			  const void *ctx);

/* Find the names of all that was hit in f, and its frames; f->names has them.
 * Return 0, or why some are missing: a negative errno of open(2) or read(2);
 * -ESTALE if another file stands there, -EBADMSG if it is no ELF file, -EFBIG,
 * -ENOMEM, -ETIME.  What was found until then is there. */
int rec_known_files_find(struct rec_known_files *known,
			 const struct rec_hits *hits, struct rec_hit_file *f);
/* The same of code in memory, by its jitdump and perf map. */
int rec_known_files_memory(struct rec_known_files *known,
			   const struct rec_hits *hits, struct rec_hit_file *f);

/* Find out which file f was, in f->identity, if it was not opened yet.  If it
 * cannot be, its record's build-id is known. */
void rec_known_files_identify(struct rec_known_files *known,
			      struct rec_hit_file *f);
/* The table will be freed: its names in hits are of no use any more. */
void rec_known_files_leave(struct rec_hits *hits);

/* Another recording begins: forget what no sample of the last sixteen hit. */
void rec_known_files_next(struct rec_known_files *known);

#endif
