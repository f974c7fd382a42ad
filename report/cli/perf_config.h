/* perf_config.h: perf's files of settings, as far as they are ours to follow.
 *
 *	main		rpt_perf_config_allow(), but for --no-config
 *	a command	rpt_perf_config_take(), before its options
 *			... its options, which go before settings
 *			rpt_perf_config_tell(), with -v
 *
 * /etc/perfconfig is read first, then ~/.perfconfig, whose values go before;
 * or the file that PERF_CONFIG names alone.  PERF_CONFIG_NOSYSTEM and
 * PERF_CONFIG_NOGLOBAL leave out one.  A file of another user than root and
 * ourselves is not read, nor one of more than 64 KiB.  No setting starts a
 * program.  The recorder reads none.
 *
 * Syntax, that of git's files:
 *
 *	[report]		# or ;
 *		children = false
 *		sort_order = "comm,dso"
 *
 * Source: perf-config(1) of perf 6.1, and what it did with such files. */
#ifndef RPT_PERF_CONFIG_H
#define RPT_PERF_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* A setting that a command follows. */
struct rpt_perf_key {
	const char *name; /* "report.children"; NULL: end of a table */
	/* Put the value into the command's args; return -EINVAL if it is not
	 * understood, which is told. */
	int (*take)(void *args, const char *value);
};

/* A setting of the files. */
struct rpt_perf_setting {
	char *name;  /* "report.children" */
	char *value; /* "true" of a name without one */
	const char *path;
	bool is_system; /* of /etc/perfconfig */
	bool is_taken;
};

/* From now on the files are read when they are needed. */
void rpt_perf_config_allow(void);

/* Take those of the keys, in the order of the table; with --format none, since
 * programs read what is printed then. */
void rpt_perf_config_take(const struct rpt_perf_key *keys, void *args, int argc,
			  char *const *argv);
/* Say what was taken. */
void rpt_perf_config_tell(void);

/* Return all settings, in the order of the files; of a name that is there twice
 * the last.  They are there until the program ends. */
const struct rpt_perf_setting *rpt_perf_config_all(size_t *ret_nr);

/* Parse true, yes, on, false, no, off or a number.  Return 0 or -EINVAL. */
int rpt_perf_config_bool(const char *value, bool *ret);

#endif
