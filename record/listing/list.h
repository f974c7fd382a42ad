/* list.h: the events and metrics of this machine, as perf list prints them.
 *
 * What a machine has is tried: events of the core and metrics are opened for a
 * moment.  What it lacks is left out, unless it is asked for or nothing else
 * fits.  With another machine's copied sysfs nothing is tried.
 */
#ifndef REC_LIST_H
#define REC_LIST_H

#include "record/event/event_spec.h"

#include "format/support/options.h"

#include <stdio.h>

/* Large: most flags are an option each. */
struct rec_list_conf {
	const char *sysfs;	  /* "/sys", or a copy of another machine's */
	const char *const *words; /* filters; a row that fits one is shown */
	size_t word_nr;		  /* 0: all rows */
	bool is_copy;		  /* sysfs is a copy */
	bool no_text;		  /* no descriptions */
	bool details;		  /* what to type for it elsewhere, formulas */
	bool all;		  /* also what this machine lacks */
	bool json;
	bool raw;   /* names alone, in one line */
	bool quiet; /* rows alone: no count of what is missing */
};

/* Print the rows that fit.  A word is a kind (list_rows.h), a glob, or a part
 * of a name in any case of letters.  Return 0, or -ENOENT if no row fits; note
 * is set if the tracepoints cannot be read. */
int rec_list_print(const struct rec_list_conf *conf, FILE *out,
		   struct pd_err *note);

/* The options of "perfpair list". */
extern const struct sup_command rec_list_command;

/* Run "perfpair-record list"; argv[0] is "list".  Return the exit code. */
int rec_list_main(int argc, char **argv);

#endif
