/* piped_names.h: a file of its own for the names of a recording that goes to a
 * pipe (--carry-file), since nothing can be appended to that.  FORMAT.md
 * "Carried names of a pipe".
 *
 *	rec_piped_names_open()	before the recording starts
 *	rec_piped_names_start()	its events are known: a file without samples
 *	rec_piped_names_end()	behind its last byte
 *	rec_piped_names_release()
 *
 * What was written to the pipe is read back from a copy without a name in the
 * folder of the file.  If we are killed the file carries nothing.
 */
#ifndef REC_PIPED_NAMES_H
#define REC_PIPED_NAMES_H

#include "record/recording/file.h"
#include "record/ring/output.h"

/* Bytes of the pipe of which names are looked for. */
#define REC_PIPED_NAMES_COPY_MAX ((uint64_t)1 << 30)

struct rec_piped_names {
	struct rec_file file; /* has no samples */
	struct rec_output_copy copy;
	bool is_on;
};

/* Create the file path, which must be neither a pipe nor stdout, and copy from
 * now on what is appended to out.  A file that is there is renamed to FILE.old.
 * Return 0 or a negative errno with err set. */
int rec_piped_names_open(struct rec_piped_names *names, const char *path,
			 struct rec_output *out, struct pd_err *err);
/* Return what rec_piped_names_open() would, as far as that can be told without
 * touching anything. */
int rec_piped_names_check(const char *path, const struct rec_output *out,
			  struct pd_err *err);
/* The rest does nothing if it is not open. */
int rec_piped_names_start(struct rec_piped_names *names,
			  const struct rec_session *session,
			  struct pd_err *err);
/* Write the names and close the file; recorded is the one that went into the
 * pipe.  Return 0, also if no names could be had, or why the file could not be
 * written, with err set. */
int rec_piped_names_end(struct rec_piped_names *names,
			const struct rec_file *recorded,
			struct rec_session *session, struct pd_err *err);
/* Remove the file and restore FILE.old: nothing was recorded. */
void rec_piped_names_abandon(struct rec_piped_names *names);
void rec_piped_names_release(struct rec_piped_names *names);

#endif
