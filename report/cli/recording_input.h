/* recording_input.h: the recording that a command works on: file, reader, exit
 * code.
 *
 *	rc = rpt_recording_input_open(&in, path);		says itself what
 * went wrong
 *	...
 *	return rpt_recording_input_close(&in);		the command's exit code
 */
#ifndef RPT_RECORDING_INPUT_H
#define RPT_RECORDING_INPUT_H

#include "format/reader.h"
#include "report/cli/exit_code.h"
#include "report/input/file_source.h"
#include "report/symbols/symbols.h"

struct rpt_recording_input {
	const char *path; /* as shown to the user */
	struct rpt_file_source source;
	struct pd_reader *reader;
	/* what the command passed over on its way, beyond the reader's own */
	struct pd_damage damage;
	int exit_code;
};

#define RPT_DEFAULT_FILE "perf.data"

/* What is read if no option names a file: "-" if stdin is a pipe, whatever
 * else there is (as in perf); else RPT_DEFAULT_FILE. */
const char *rpt_recording_input_default_path(void);

/* Says on stderr why path was not read and, if a pipe was read for want of a
 * name, how to read the file instead. */
void rpt_recording_input_tell_unread(const char *path, struct pd_err *err);

/* What stands behind the options, from argv[first] on: the recording, where no
 * option named one.  0; -EINVAL: there is more. */
int rpt_recording_input_word(int argc, char **argv, int first,
			     const char **input, struct pd_err *err);

/* path NULL: rpt_recording_input_default_path().  RPT_EXIT_OK, or
 * RPT_EXIT_FAILED with the reason told on stderr. */
int rpt_recording_input_open(struct rpt_recording_input *in, const char *path);

/* What stopped a command, on stderr: rc in words, where err has none.  path is
 * what it was about (NULL: err says so); it is stdout's fault where that cannot
 * be written. */
void rpt_tell_failed(const char *path, int rc, struct pd_err *err);

/* One line on stderr: why a DSO has no names (rpt_dso_problem()). */
void rpt_tell_problem(const struct rpt_dso *dso);
/* The same of the kernel's names if they are withheld (kernel_origin.h). */
void rpt_tell_withheld(const struct rpt_symbols *symbols);

/* One line on stderr of what was passed over; nothing where nothing was. */
void rpt_tell_damage(const char *path, const struct rpt_file_source *source,
		     const struct pd_damage *damage);

/* Tells how many samples fewer were read, of a whole file, than its trailer
 * says it has.  False: none. */
bool rpt_tell_missing(const char *path, const struct pd_reader *reader,
		      uint64_t read_nr);

/* Tells what was passed over and gives the exit code. */
int rpt_recording_input_close(struct rpt_recording_input *in);

#endif
