/* config_file.h: --config FILE: options out of a file, for a service.
 *
 *	# comments, and lines without anything, do nothing
 *	all-cpus
 *	freq = 49
 *	switch-output = 60s
 *
 * A line is an option's long name without its dashes, and its value behind "="
 * if it takes one.  Blanks around both are left out; there are no quotes.  The
 * options of the command line come behind those of the file, so that they win;
 * events (event = ...) add up.
 */
#ifndef REC_CONFIG_FILE_H
#define REC_CONFIG_FILE_H

#include "record/cmdline/args.h"

enum { REC_CONFIG_LEN_MAX = 65536 };

/* Fill args from the file if the first option of argv is --config; what its
 * texts point to is owned by args.  Return 0, or a negative errno
 * with err set to "FILE:LINE: ...". */
int rec_config_file_parse(struct rec_args *args, int argc, char **argv,
			  struct pd_err *err);

#endif
