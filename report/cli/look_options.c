#include "report/cli/look_options.h"

#include "report/cli/command_options.h"

#include "format/support/terminal.h"

int rpt_parse_colour(void *conf, const char *arg, bool unset,
		     struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "always", RPT_COLOUR_ALWAYS },
		{ "never", RPT_COLOUR_NEVER },
		{ "auto", RPT_COLOUR_AUTO },
		{ NULL, 0 },
	};
	enum rpt_colour_mode *mode = conf;
	unsigned value = 0;
	int rc = rpt_option_word("--stdio-color", words, arg, &value, err);

	(void)unset;
	*mode = value;
	return rc;
}

struct rpt_look rpt_look_of(const struct rpt_look_args *args, bool is_stdout)
{
	const struct sup_terminal *terminal = sup_terminal();
	struct rpt_look look = { .has_colour =
					 args->colour == RPT_COLOUR_ALWAYS };

	if (is_stdout && !args->full_names)
		look.width = terminal->width;
	if (is_stdout && args->colour == RPT_COLOUR_AUTO)
		look.has_colour = terminal->has_colour;
	return look;
}
