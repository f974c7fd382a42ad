/* recording_input.h: the recording that a command reads: file, reader and exit
 * code.
 *
 *	rc = rpt_recording_input_open(&in, path);	prints its own errors
 *	...
 *	return rpt_recording_input_close(&in);		the command's exit code
 */
#ifndef RPT_RECORDING_INPUT_H
#define RPT_RECORDING_INPUT_H

#include "format/reader/reader.h"
#include "report/cli/exit_code.h"
#include "report/input/file_source.h"
#include "report/symbols/symbols.h"

struct rpt_recording_input {
	const char *path; /* as shown to the user */
	struct rpt_file_source source;
	struct pd_reader *reader;
	/* what the command skipped, besides the reader */
	struct pd_damage damage;
	int exit_code;
	bool is_damage_told;
};

#define RPT_DEFAULT_FILE "perf.data"
#define RPT_OLD_FILE	 "perf.data.old" /* what diff compares it with */

/* Return what is read if no option names a file: "-" if standard input is a
 * pipe (as in perf), else RPT_DEFAULT_FILE. */
const char *rpt_recording_input_default_path(void);

/* Print on stderr why path was not read.  If a pipe was read because no file
 * was named, say how to read the file instead. */
void rpt_warn_unread(const char *path, struct pd_err *err);

/* Open a recording; path NULL: rpt_recording_input_default_path().  Return
 * RPT_EXIT_OK, or RPT_EXIT_FAILED with the reason on stderr. */
int rpt_recording_input_open(struct rpt_recording_input *in, const char *path);

/* Print on stderr why a command failed: err, or rc in words if err is empty.
 * path is the file (NULL: err names it), unless stdout could not be written.
 * Return the exit code: RPT_EXIT_USAGE for -EINVAL, else RPT_EXIT_FAILED. */
int rpt_warn_failed(const char *path, int rc, struct pd_err *err);

/* Return why a DSO that has a problem has no symbols (rpt_dso_problem()), as is
 * printed; it is the caller's. */
char *rpt_problem_text(const struct rpt_dso *dso);
/* Print on stderr if the recording carries two files of one build-id and other
 * names (rpt_symbols_dispute()). */
void rpt_warn_dispute(const char *path, const struct rpt_symbols *symbols);
/* Print on stderr why the kernel has none, if they are withheld
 * (kernel_origin.h). */
void rpt_warn_withheld(const struct rpt_symbols *symbols);

/* Print on stderr what was skipped, if anything. */
void rpt_warn_damage(const char *path, const struct rpt_file_source *source,
		     const struct pd_damage *damage);

/* Print how many samples of a complete file are missing, by its trailer. Return
 * false if none are. */
bool rpt_warn_missing(const char *path, const struct pd_reader *reader,
		      uint64_t read_nr);

/* Print what was skipped, before what follows from it. */
void rpt_recording_input_tell(struct rpt_recording_input *in);

/* Print what was skipped, if that is still to do, close, and return the exit
 * code. */
int rpt_recording_input_close(struct rpt_recording_input *in);

#endif
