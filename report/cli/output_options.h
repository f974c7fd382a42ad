/* output_options.h: options of the commands that write a recording, and where
 * it goes.
 */
#ifndef RPT_OUTPUT_OPTIONS_H
#define RPT_OUTPUT_OPTIONS_H

#include "format/support/options.h"

struct rpt_output_args {
	const char *path;
	bool force;
	int level; /* zstd's; 0: plain; -1, the default: as the input */
};

/* The rows of the struct rpt_output_args that lies at off; name: "FIXED".  The
 * first two are for a command that leaves records as they are. */
#define RPT_OPTS_OUTPUT_FILE(off, name)                                     \
	{ 'o',                                                              \
	  "output",                                                         \
	  SUP_STRING,                                                       \
	  (off) + offsetof(struct rpt_output_args, path),                   \
	  0,                                                                \
	  (name),                                                           \
	  "write the recording to " name,                                   \
	  NULL },                                                           \
	{                                                                   \
		'f', "force", SUP_FLAG,                                     \
			(off) + offsetof(struct rpt_output_args, force), 0, \
			NULL, "overwrite " name " if it exists", NULL       \
	}

#define RPT_OPTS_OUTPUT(off, name)                                                \
	RPT_OPTS_OUTPUT_FILE(off, name),                                          \
	{                                                                         \
		'z', "compression-level", SUP_CALL,                               \
			(off) + offsetof(struct rpt_output_args, level),          \
			SUP_OPT_ARG_OPTIONAL, "N",                                \
			"compress at this zstd level; 0: not (1 if the input is " \
			"compressed, else 0)",                                    \
			rpt_parse_zstd_level                                      \
	}

/* For SUP_CALL, of an int. */
int rpt_parse_zstd_level(void *conf, const char *arg, bool unset,
			 struct pd_err *err);

/* Return 0, or -EINVAL if path is the file input (also by a link), or a file in
 * it if it is a folder.  Either may be NULL: then it is not. */
int rpt_output_refuse_input(const char *path, const char *input,
			    struct pd_err *err);

/* The same for nr inputs, of which any may be NULL. */
int rpt_output_refuse_inputs(const char *path, const char *const *inputs,
			     size_t nr, struct pd_err *err);

/* Return 0, or -EINVAL if path, which option names, is the file of another
 * output.  Either may be NULL: then it is not. */
int rpt_output_refuse_output(const char *option, const char *path,
			     const char *other, struct pd_err *err);

/* Return 0, or -EINVAL if no file is named, or one that cannot be written: a
 * pipe; input (NULL: that may be), or a file in input, if that is a folder.
 */
int rpt_output_check(const struct rpt_output_args *args, const char *input,
		     struct pd_err *err);

/* Send the text to stderr if the recording goes to stdout, where no text may
 * follow it.  Return false if that failed. */
bool rpt_output_keeps_text_apart(const struct rpt_output_args *args);

#endif
