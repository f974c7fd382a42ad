#include "report/cli/command_options.h"

#include "format/support/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int rpt_option_word(const char *option, const struct rpt_option_word *words,
		    const char *text, unsigned *ret, struct pd_err *err)
{
	char names[128];
	size_t len = 0;

	names[0] = '\0';
	for (const struct rpt_option_word *w = words; w->name; w++) {
		if (!strcmp(w->name, text)) {
			*ret = w->value;
			return 0;
		}
		if (len < sizeof(names))
			len += (size_t)snprintf(names + len,
						sizeof(names) - len, "%s%s",
						len ? ", " : "", w->name);
	}
	return pd_err_set(err, -EINVAL, "option %s: '%s' is none of %s", option,
			  text, names);
}

int rpt_option_percent(const char *option, const char *text, double *ret_pct,
		       struct pd_err *err)
{
	char *end;
	double pct = strtod(text, &end);

	/* not: pct < 0 || pct > MAX, which lets NaN through */
	if (end == text || (*end && strcmp(end, "%") != 0) ||
	    !(pct >= 0 && pct <= RPT_PERCENT_MAX))
		return pd_err_set(err, -EINVAL,
				  "option %s: '%s' is no percentage", option,
				  text);
	*ret_pct = pct;
	return 0;
}

int rpt_parse_percentage(void *conf, const char *arg, bool unset,
			 struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "relative", true },
		{ "absolute", false },
		{ NULL, 0 },
	};
	bool *is_relative = conf;
	unsigned value = 0;
	int rc = rpt_option_word("--percentage", words, arg, &value, err);

	(void)unset;
	*is_relative = value;
	return rc;
}

int rpt_refuse_itrace(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	(void)conf;
	(void)arg;
	return unset ? 0 : pd_err_set(err, -EINVAL, "--itrace: " RPT_NO_AUX);
}

int rpt_options_parse(const struct sup_command *command, void *conf, int argc,
		      char **argv, const char **input, struct pd_err *err)
{
	int first;
	int rc = sup_options_parse(command, conf, argc, argv, &first, err);

	if (rc)
		return rc;
	if (input && !*input && first < argc)
		*input = argv[first++];
	if (first < argc)
		return pd_err_set(err, -EINVAL,
				  input ? "one file at a time: '%s'"
					: "what is '%s'?",
				  argv[first]);
	return 0;
}

bool rpt_options_are_good(int rc, const struct sup_command *command,
			  const struct pd_err *err, int *ret_exit)
{
	if (rc == 1) {
		sup_help(command, stdout);
		*ret_exit = RPT_EXIT_OK;
	} else if (rc) {
		sup_message_err(NULL, err);
		*ret_exit = RPT_EXIT_USAGE;
	}
	return rc == 0;
}
