/* options.h: parses command lines by a table.
 *
 * Each command has one table; the parser fills the command's struct by offset,
 * and --help, the man page and shell completion come from the same table.
 * Parsing is that of getopt_long(): long names may be shortened if they stay
 * unambiguous.  "--no-NAME" unsets flags and options with SUP_OPT_NEGATABLE.
 * Parsing stops at the first operand if the command says so (perfpair-record:
 * the options behind it are those of the workload).
 *
 *	static const struct sup_opt opts[] = {
 *		{ .short_name = 'a', .long_name = "all-cpus",
 *		  .kind = SUP_FLAG, .off = offsetof(struct rec_args, all_cpus),
 *		  .help = "all CPUs" },
 *		...
 *		{ 0 },
 *	};
 */
#ifndef SUP_OPTIONS_H
#define SUP_OPTIONS_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum sup_opt_kind {
	SUP_END = 0,
	SUP_FLAG,     /* bool: true; --no-NAME: false */
	SUP_COUNT,    /* unsigned: counts how often it is given */
	SUP_STRING,   /* const char *: points into argv */
	SUP_U32,      /* uint32_t, decimal or 0x */
	SUP_U64,      /* uint64_t */
	SUP_SIZE,     /* uint64_t bytes; B K M G T suffixes, KB MB GB TB, too,
		       * powers of 1024: 1.5K */
	SUP_DURATION, /* uint64_t ns; ns us ms s m h d suffixes, s by default:
			 0.3s */
	SUP_CALL,     /* calls call(conf + off, arg, unset, err) */
};

enum {
	SUP_OPT_NEGATABLE = 1 << 0,    /* --no-NAME exists; SUP_FLAG always
					* has it */
	SUP_OPT_ARG_OPTIONAL = 1 << 1, /* SUP_CALL only: -z5, --name=x; arg
					* may be NULL */
	SUP_OPT_NO_ARG = 1 << 2,       /* SUP_CALL only: it takes no arg */
	SUP_OPT_HIDDEN = 1 << 3,       /* not in --help */
};

struct sup_opt {
	char short_name;       /* 0: none */
	const char *long_name; /* NULL: none */
	enum sup_opt_kind kind;
	size_t off;	     /* in the command's struct */
	unsigned flags;	     /* SUP_OPT_* */
	const char *metavar; /* "FILE"; NULL if it takes no argument */
	const char *help;
	/* For SUP_CALL: return 0, or a negative errno and set err. */
	int (*call)(void *conf, const char *arg, bool unset,
		    struct pd_err *err);
};

/* An option of perf that this command lacks. */
struct sup_absent {
	const char *long_name; /* or its letter */
	const char *instead;   /* why, or what to do instead */
};

struct sup_command {
	const char *name;    /* "perfpair report" */
	const char *usage;   /* "[OPTION]... [FILE]" */
	const char *summary; /* one sentence */
	const struct sup_opt *opts;
	/* Returns a further table of options, the first for idx 0; NULL: there
	 * are no more.  Or NULL. */
	const struct sup_opt *(*more_opts)(size_t idx);
	/* Takes note of an option that was given and applied; or NULL. */
	void (*given)(void *conf, const struct sup_opt *opt);
	const struct sup_absent *absent; /* ends with a NULL name; or NULL */
	void (*more)(FILE *out); /* prints what --help ends with; or NULL */
	bool stop_at_operand;
};

/* Fill conf from argv.  *ret_first becomes the index of the first operand; argv
 * is permuted unless stop_at_operand.  Return -EINVAL and name the wrong option
 * in err; or 1 if --help was given (or -h, if the table has no -h), so that the
 * caller has to call sup_help() and stop. */
int sup_options_parse(const struct sup_command *cmd, void *conf, int argc,
		      char **argv, int *ret_first, struct pd_err *err);

void sup_help(const struct sup_command *cmd, FILE *out);

/* Return the option of that number in all tables of a command; NULL: it has no
 * more. */
const struct sup_opt *sup_command_opt(const struct sup_command *cmd,
				      size_t idx);

/* Parse a value of that kind, for use in SUP_CALL.  Return 0, -EINVAL or
 * -ERANGE. */
int sup_parse_u64(const char *text, uint64_t *ret);
int sup_parse_size(const char *text, uint64_t *ret_len);
int sup_parse_duration(const char *text, uint64_t *ret_ns);

#endif
