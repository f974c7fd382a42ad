/* left_file.h: a file that a recorder left when it was killed, made a finished
 * one in its place.
 *
 *	rec_left_file_mark()	is it one of a recorder like this one?
 *	rec_left_file_open()	its start: events, formats, checksums
 *	rec_left_file_read()	its records, again and again: the index
 *	rec_left_file_end()	its end, as file.h writes it
 *	rec_left_file_release()
 *
 * The file is read by pread() and never mapped, and nothing in it is believed:
 * records count as far as they are whole, be it behind the last checkpoint or,
 * after a crash of the machine, short of it.  What follows the last whole one
 * is cut off.  Nothing else of what was recorded is changed, and until its new
 * header is written the file can be read as it was left.  If less than 64 MiB,
 * or a quarter of a small disk, are free, the file stays without an end: that
 * room belongs to the recording.
 *
 * Facts that nobody knows any more are left out: the cost, lost samples by time
 * (records of losses are), and what boot or options have changed since
 * (slice_mark.h): names of the kernel and of memory, the machine's features;
 * the command line, names of events.
 */
#ifndef REC_LEFT_FILE_H
#define REC_LEFT_FILE_H

#include "format/file/feature.h"
#include "record/carry/carry.h"
#include "record/recording/build_id_reader.h"
#include "record/recording/file.h"
#include "record/recording/slice_mark.h"

#include <time.h>

struct pd_reader;
struct pd_zstd_decompress;

/* The recorder that adopts files: its own mark, and what it can add to them. */
struct rec_left_knowledge {
	struct rec_slice_mark mark;
	struct pd_buf options[PD_FEATURE_NR]; /* payloads: file_features.h */
	bool has_option[PD_FEATURE_NR];
	struct rec_carry_conf carry; /* carry.what 0: no names */
	bool wants_build_ids;
	bool sync;
};

struct rec_left_file {
	const struct rec_left_knowledge *knows; /* borrowed */
	struct rec_output out;
	struct rec_frame_index index;
	struct rec_counts counts;
	struct rec_slice_mark mark;
	struct rec_build_id_reader build_ids; /* off after another boot */
	struct timespec written;	      /* when it was last written to */
	bool is_finished; /* it has its end, and lacks names at most */

	struct pd_reader *head;		 /* owned; of its start */
	uint8_t *head_bytes;		 /* owned */
	uint8_t *window;		 /* owned; bytes from pos on */
	uint64_t pos;			 /* of the next record */
	uint64_t end;			 /* behind the last whole one */
	struct pd_zstd_decompress *zstd; /* owned */
	struct pd_trailer_frame frame;	 /* that is open, up to pos */
	struct pd_trailer_frame whole;	 /* the same, up to end */
	struct rec_counts seen;		 /* counts, up to pos */
	struct pd_hash *plain;		 /* owned: of the open frame */
	struct pd_compression compression;
};

/* Read the mark of the file fd.  Return 0, -ENOENT if it is no file of
 * --switch-output, -ENOTSUP if it is one of another version, or what pread()
 * says. */
int rec_left_file_mark(int fd, struct rec_slice_mark *ret);

/* Take fd, which is then left's.  Call rec_left_file_release() also if it
 * fails. Return 0 or a negative errno, with err set. */
int rec_left_file_open(struct rec_left_file *left, int fd, const char *path,
		       const struct rec_left_knowledge *knows,
		       struct pd_err *err);

/* Read some of its records: a few milliseconds' work.  Return 1 if there are
 * more, 0 if not, or a negative errno. */
int rec_left_file_read(struct rec_left_file *left);

/* Write its end and the names of what it hit; may_go_on is asked while samples
 * are read.  Return 0 or a negative errno, with err set: it then has no end. */
int rec_left_file_end(struct rec_left_file *left, bool (*may_go_on)(void *ctx),
		      void *ctx, struct pd_err *err);

/* Close the file, with the time of its last write. */
void rec_left_file_release(struct rec_left_file *left);

#endif
