/* look_options.h: the options --stdio-color and --full-names, for commands that
 * print tables of text.
 */
#ifndef RPT_LOOK_OPTIONS_H
#define RPT_LOOK_OPTIONS_H

#include "report/base/look.h"

#include "format/support/options.h"

enum rpt_colour_mode {
	RPT_COLOUR_AUTO, /* if stdout is a terminal, without NO_COLOR */
	RPT_COLOUR_ALWAYS,
	RPT_COLOUR_NEVER,
};

struct rpt_look_args {
	enum rpt_colour_mode colour;
	bool full_names;
};

/* The rows of the struct rpt_look_args that lies at off. */
#define RPT_OPTS_LOOK(off)                                                     \
	{ 0,                                                                   \
	  "stdio-color",                                                       \
	  SUP_CALL,                                                            \
	  (off) + offsetof(struct rpt_look_args, colour),                      \
	  0,                                                                   \
	  "always|never|auto",                                                 \
	  "show percentages in colours: red from 5%, green above 0.5% (auto: " \
	  "on a terminal, unless NO_COLOR is set)",                            \
	  rpt_parse_colour },                                                  \
	{                                                                      \
		0, "full-names", SUP_FLAG,                                     \
			(off) + offsetof(struct rpt_look_args, full_names), 0, \
			NULL,                                                  \
			"do not shorten long names so that lines fit the "     \
			"terminal",                                            \
			NULL                                                   \
	}

/* For SUP_CALL. */
int rpt_parse_colour(void *conf, const char *arg, bool unset,
		     struct pd_err *err);

/* Return how text is shown that goes to stdout if is_stdout, else to a file. */
struct rpt_look rpt_look_of(const struct rpt_look_args *args, bool is_stdout);

#endif
