/* output.h: the file that is written: whole pieces appended, never a torn one.
 *
 *	rec_output_open()          FILE becomes FILE.old
 *	rec_output_start()         header, ids, attrs; the first records
 *	rec_output_append() ...    whole records, whole frames
 *	rec_output_checkpoint()    data.size moves up: what is in is readable
 *	rec_output_finish()        features, trailer, final header
 *	rec_output_close()
 *
 * At each checkpoint the file on disk is a valid perf.data file without
 * features (FORMAT.md "Checkpoints"), but for the one that stock perf cannot
 * open a file of tracepoints without; perf reads it up to there.  An append
 * that fails part way (no space, I/O error) is cut off again, the checkpoint is
 * written, and the error latches: later appends return it and do nothing.  A
 * pipe has neither checkpoints nor a header to rewrite.
 *
 * What gives an int gives 0 or the negative errno of the first failure, whose
 * text is in rec_output.err, and from rec_output_open() and _close() in err.
 */
#ifndef REC_OUTPUT_H
#define REC_OUTPUT_H

#include "format/buf.h"
#include "format/file_header.h"
#include "format/file_sums.h"
#include "format/hash.h"
#include "format/support/out_place.h"

#include <sys/uio.h>

struct rec_output {
	int fd;
	bool is_pipe;
	bool is_started;
	bool has_old; /* FILE.old is the file that was there before */
	bool is_gone; /* its last name was removed; set by close */
	bool sync;    /* --sync; the caller's to set */
	struct sup_place place;
	char *path;	   /* owned; "-" on stdout */
	uint64_t len;	   /* atomic: bytes that stand whole in the file */
	uint64_t data_off; /* where the data section begins */
	struct pd_file_header header;
	/* TRACING_DATA, before the data section; len 0: no tracepoints.  Its
	 * table entry follows each checkpoint, see rec_output_checkpoint(). */
	struct pd_section formats;
	uint64_t mark_off;    /* of the record in front of the entry; 0: none */
	uint64_t covered;     /* what len was at the last checkpoint */
	struct pd_hash *rest; /* owned: of the records that are of no frame */
	struct pd_file_sums sums; /* of what lies before the data section */
	struct pd_err err;	  /* the first failure */
};

/* path NULL: stdout if it is a pipe, else "perf.data".  "-": stdout, as is a
 * link to it.  A character device or FIFO is written as it is.  A file that is
 * not empty, or a link, is renamed to FILE.old first; one that is empty, ours
 * alone and by this name alone is filled.  Nothing else is written to, whoever
 * changes the folder meanwhile: what is created was not there. */
int rec_output_open(struct rec_output *out, const char *path,
		    struct pd_err *err);

/* Return whether rec_output_open() would write to a pipe. */
bool rec_output_is_pipe(const char *path);

/* Write the file's start in one piece, which is the first checkpoint: prefix
 * holds everything before the data section, records what that begins with, one
 * at least; header->attrs is set; data, features and the rest are filled in
 * here.  For a pipe: the pipe header and the records; prefix is ignored. */
int rec_output_start(struct rec_output *out,
		     const struct pd_file_header *header,
		     const struct pd_buf *prefix, const struct pd_buf *records);

/* Append all of it or nothing; at most 8 parts.  Who appends has a checksum
 * for it: frames and runs of plain records, by the index. */
int rec_output_append(struct rec_output *out, const struct iovec *parts,
		      int part_nr);

/* The same for records that are of no frame: their checksum is made here. */
int rec_output_append_loose(struct rec_output *out, const struct iovec *parts,
			    int part_nr);

/* Make everything appended so far part of the data section on disk; with sync,
 * of what is on the disk whatever happens to the machine.
 *
 * With formats, readers look for the feature table's one entry right behind the
 * data section, where the next frames are to go.  So a FINISHED_INIT record of
 * 8 bytes ends the data, and the entry stands behind it; at the next checkpoint
 * that record grows over the entry, which becomes its payload that nobody
 * reads. */
int rec_output_checkpoint(struct rec_output *out);

static inline uint64_t rec_output_data_len(const struct rec_output *out)
{
	return out->len - out->data_off;
}

/* The checksums of all but the data section, for the trailer: of what was
 * written before it, of the header as it will be with these feature bits, of
 * the feature table and payloads in tail, which is all that tail has yet. */
void rec_output_sum(const struct rec_output *out, const uint64_t *features,
		    const struct pd_buf *tail, struct pd_file_sums *ret);

/* Append the feature table, payloads and trailer as one piece, then rewrite
 * the header with its feature bits. tail was made for this very offset; the
 * last checkpoint was before it was made, with nothing appended since.  What
 * fails, and a tail that memory was short for, leaves that checkpoint. */
int rec_output_finish(struct rec_output *out, const uint64_t *features,
		      const struct pd_buf *tail);

/* Append what only our own readers look for, behind a file that is finished. */
int rec_output_append_end(struct rec_output *out, const struct pd_buf *end);

/* Take the file away again and put FILE.old back: nothing was recorded. */
void rec_output_abandon(struct rec_output *out);

/* Closes; the error of close(2), or the latched one. */
int rec_output_close(struct rec_output *out, struct pd_err *err);
/* Give back what the struct holds. */
void rec_output_release(struct rec_output *out);

#endif
