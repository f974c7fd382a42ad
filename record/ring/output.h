/* output.h: write the output file in whole pieces, never a torn one.
 *
 *	rec_output_open()          FILE becomes FILE.old
 *	rec_output_start()         header, ids, attrs; the first records
 *	rec_output_append() ...    whole records, whole frames
 *	rec_output_checkpoint()    data.size moves up: what is in is readable
 *	rec_output_finish()        features, trailer, final header
 *	rec_output_close()
 *
 * At each checkpoint the file on disk is a valid perf.data file, with those
 * features alone that stock perf cannot read it without (FORMAT.md
 * "Checkpoints"); perf reads it up to there.  An append that fails part way (no
 * space and none is made, I/O error) is cut off again, the checkpoint is
 * written, and the error latches: later appends return it and do nothing.  A
 * pipe has neither checkpoints nor a header to rewrite.
 *
 * A file is locked (F_OFD_SETLK, fcntl(2)) from its creation until it is
 * closed, however that comes about, and who renames or removes FILE holds its
 * lock: so of two recorders with one FILE the second is refused, and a file
 * without the lock is nobody's any more.  Where a file system has no locks,
 * FILE is written without.
 *
 * Functions that return an int return 0 or the negative errno of the first
 * failure, whose text is in rec_output.err, or in err for rec_output_open() and
 * _close().
 */
#ifndef REC_OUTPUT_H
#define REC_OUTPUT_H

#include "format/base/buf.h"
#include "format/base/hash.h"
#include "format/file/file_header.h"
#include "format/file/file_sums.h"
#include "format/support/out_place.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

/* Whether files are big-endian, which is not the order of most that read them.
 */
#define REC_IS_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* The bytes written to a pipe, to be read back: a file without a name, which is
 * gone when the recorder ends, however it ends.
 *
 * The copy has a limit.  Bytes that do not fit, or cannot be written, are left
 * out with all that follows: the pipe does not depend on the copy. */

struct rec_output_copy {
	int fd;
	uint64_t len; /* atomic: of the whole pieces that are in it */
	uint64_t len_max;
	bool is_cut; /* pieces are missing */
};

/* Make one in the folder dir_fd.  Return 0 or a negative errno. */
int rec_output_copy_open(struct rec_output_copy *copy, int dir_fd,
			 uint64_t len_max);
/* Append all parts, or none from now on; at most IOV_MAX parts. */
void rec_output_copy_add(struct rec_output_copy *copy,
			 const struct iovec *parts, int part_nr);
/* Safe on a zeroed struct. */
void rec_output_copy_close(struct rec_output_copy *copy);

/* Asked by whoever writes, with the lock of the sink, if the disk is full
 * (ENOSPC, EDQUOT).  at: so many bytes were written until now, which tells
 * progress. */
enum rec_output_answer {
	REC_OUTPUT_FAILS, /* as with other errors */
	REC_OUTPUT_TRIES, /* again, at once or after a wait */
	REC_OUTPUT_CUTS,  /* never: the file ends at its last checkpoint */
};

struct rec_output_room {
	enum rec_output_answer (*make)(void *ctx, uint64_t at);
	void *ctx;
};

struct rec_output {
	int fd;
	bool is_pipe;
	bool is_started;
	bool has_old; /* FILE.old is the previous file */
	bool is_gone; /* its last name was removed; set by close */
	bool is_cut;  /* all that was appended since was left out */
	bool sync;    /* --sync; set by the caller */
	int lock_rc;  /* why a file has no lock: a negative errno; 0 */
	struct sup_place place;
	char *path;	   /* owned; "-" for stdout */
	uint64_t len;	   /* atomic: bytes that are whole in the file */
	uint64_t data_off; /* where the data section begins */
	struct pd_file_header header;
	/* The features of a checkpoint, whose table follows it, see
	 * rec_output_checkpoint().  The caller sets them before the start; len
	 * 0: there is none. */
	struct pd_section formats; /* TRACING_DATA, before the data section */
	struct pd_section compressed; /* COMPRESSED; off is in the data section,
				       * within the first records */
	struct pd_section hostname;   /* HOSTNAME, there as well; beside the
				       * others alone */
	uint64_t mark_off;	  /* of the record before the table; 0: none */
	uint64_t covered;	  /* the value of len at the last checkpoint, or
				   * at the end */
	uint64_t whole_len;	  /* atomic: records in front of it are written
				   * and do not change any more */
	struct pd_hash *rest;	  /* owned: of the records outside frames */
	struct pd_file_sums sums; /* of all before the data section */
	struct rec_output_copy *copy; /* borrowed: of all appends; or NULL */
	const struct rec_output_room *room; /* borrowed; NULL: a full disk is
					     * an error; set by the caller */
	struct pd_err err;		    /* the first failure */
};

/* Return whether checkpoints have a table of features. */
static inline bool rec_output_has_table(const struct rec_output *out)
{
	return out->formats.len || out->compressed.len;
}

/* path NULL: stdout if it is a pipe, else "perf.data". "-", or a link to
 * stdout: stdout.  A character device or FIFO is written as it is.  A file that
 * another recorder writes is refused, -EBUSY.  Another that is not empty, or a
 * link, is renamed to FILE.old first; an empty one is used if we own it, nobody
 * else can read it and it has no other name.  Otherwise a new file is created,
 * so nothing else is overwritten even if others change the folder meanwhile. */
int rec_output_open(struct rec_output *out, const char *path,
		    struct pd_err *err);

/* Return what rec_output_open() would, as far as that can be told without
 * touching anything: whether there is a folder that may be written to, a stream
 * that may be opened.  A lock is not looked at: options are tried beside the
 * recorder that is to take them.  The caller releases out, in which nothing is
 * open. */
int rec_output_check(struct rec_output *out, const char *path,
		     struct pd_err *err);

/* Open the file that stands there for writing, or if that is denied for
 * reading, with its lock; a link is not followed.  Return a descriptor, with
 * *ret_lock_rc a negative errno if there are no locks; -EBUSY if a recorder
 * writes it, -ESTALE if another one stands there now, or another negative
 * errno. */
int rec_output_hold(const struct sup_place *place, int *ret_lock_rc);

/* Return true if rec_output_open() would write to a pipe. */
bool rec_output_is_pipe(const char *path);

/* Write the file's start in one piece, which is the first checkpoint: prefix
 * has everything before the data section, records the first records, at least
 * one; header->attrs is set; data, features and the rest are filled in here.
 * For a pipe, write the pipe header and the records; prefix is ignored. */
int rec_output_start(struct rec_output *out,
		     const struct pd_file_header *header,
		     const struct pd_buf *prefix, const struct pd_buf *records);

/* Append all parts or none; at most 8.  They are frames and runs of plain
 * records, whose checksums the caller adds to the index. */
int rec_output_append(struct rec_output *out, const struct iovec *parts,
		      int part_nr);

/* Do the same for records outside frames and compute their checksum here. */
int rec_output_append_loose(struct rec_output *out, const struct iovec *parts,
			    int part_nr);

/* Make everything appended so far part of the data section on disk; with sync,
 * so that it survives a crash of the machine.
 *
 * With features, readers expect their table right after the data section, where
 * the next frames will be.  So a FINISHED_INIT record of 8 bytes ends the data,
 * and the table follows it; at the next checkpoint that record is enlarged to
 * cover the table, which becomes its payload, ignored by readers. */
int rec_output_checkpoint(struct rec_output *out);

/* Return the descriptor of what can be read back: of a pipe, its copy. */
static inline int rec_output_read_fd(const struct rec_output *out)
{
	return out->copy ? out->copy->fd : out->fd;
}

/* Return up to where others may read that while it is written, by the last
 * checkpoint; any thread. */
static inline uint64_t rec_output_whole_len(const struct rec_output *out)
{
	return __atomic_load_n(out->copy ? &out->copy->len : &out->whole_len,
			       __ATOMIC_RELAXED);
}

static inline uint64_t rec_output_data_len(const struct rec_output *out)
{
	return out->len - out->data_off;
}

/* Return the checksums of all but the data section, for the trailer: of all
 * before it, of the header as it will be with these feature bits, and of the
 * feature table and payloads, which are all that tail has so far. */
void rec_output_sum(const struct rec_output *out, const uint64_t *features,
		    const struct pd_buf *tail, struct pd_file_sums *ret);

/* Append the feature table, payloads and trailer as one piece, then rewrite the
 * header with its feature bits. tail was made for this offset; nothing may be
 * appended after the last checkpoint.  If this fails, or memory was short for
 * tail, the last checkpoint stays valid. */
int rec_output_finish(struct rec_output *out, const uint64_t *features,
		      const struct pd_buf *tail);

/* Append what only our own readers use to a finished file. */
int rec_output_append_end(struct rec_output *out, const struct pd_buf *end);

/* Go on with a file that another recorder left; header is its own.  fd is then
 * out's.  The caller sets formats, compressed, mark_off and sums, and adds to
 * rest.  Return 0 or -ENOMEM. */
int rec_output_resume(struct rec_output *out, int fd, const char *path,
		      const struct pd_file_header *header);
/* Cut such a file to len bytes, where rec_output_finish() goes on. */
int rec_output_cut(struct rec_output *out, uint64_t len);

/* Remove the file and restore FILE.old: nothing was recorded.  A hint in err
 * that tells what is in the file is taken back. */
void rec_output_abandon(struct rec_output *out, struct pd_err *err);

/* Close; return the error of close(2), or the latched one. */
int rec_output_close(struct rec_output *out, struct pd_err *err);
/* Free the struct's memory. */
void rec_output_release(struct rec_output *out);

#endif
