/* perfpair config: lists the settings in perf's files (perf_config.h). */
#include "report/commands/commands.h"
#include "report/cli/command_options.h"
#include "report/cli/exit_code.h"
#include "report/cli/perf_config.h"
#include "report/commands/annotate_args.h"
#include "report/diff/diff_args.h"
#include "report/report/report_args.h"

#include "format/support/message.h"
#include "format/support/safe_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct config_args {
	bool is_list;
	bool is_user;
	bool is_system;
};

#define OFF(member) offsetof(struct config_args, member)

static const struct sup_opt opts[] = {
	RPT_OPT_FLAG(
		'l', "list", OFF(is_list), 0,
		"print all settings, and how many perfpair does not follow"),
	RPT_OPT_FLAG(0, "user", OFF(is_user), 0,
		     "only those of ~/.perfconfig, or of PERF_CONFIG"),
	RPT_OPT_FLAG(0, "system", OFF(is_system), 0,
		     "only those of /etc/perfconfig"),
	{ 0 },
};

const struct sup_command rpt_config_command = {
	.name = "perfpair config",
	.usage = "-l\n       perfpair config [OPTION]... NAME...",
	.summary = "Print the settings in perf's files, ~/.perfconfig and "
		   "/etc/perfconfig.",
	.opts = opts,
};

static bool is_followed(const char *name)
{
	const struct rpt_perf_key *const tables[] = { rpt_report_keys,
						      rpt_diff_keys,
						      rpt_annotate_keys };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct rpt_perf_key *k = tables[i]; k->name; k++)
			if (!strcmp(k->name, name))
				return true;
	return false;
}

static void print(const struct rpt_perf_setting *setting)
{
	printf("%s=", setting->name);
	sup_put_safe_text(stdout, setting->value);
	putchar('\n');
}

/* Print the settings of that name, or all for NULL.  Return how many. */
static size_t print_all(const struct config_args *args, const char *name)
{
	const struct rpt_perf_setting *at;
	size_t nr, printed_nr = 0, other_nr = 0;

	at = rpt_perf_config_all(&nr);
	for (size_t i = 0; i < nr; i++) {
		if ((name && strcmp(name, at[i].name) != 0) ||
		    (args->is_user && at[i].is_system) ||
		    (args->is_system && !at[i].is_system))
			continue;
		print(&at[i]);
		printed_nr++;
		other_nr += !is_followed(at[i].name);
	}
	if (!name && other_nr)
		sup_message("%zu of them perfpair does not follow: "
			    "perfpair-config(1) lists those that it does",
			    other_nr);
	return printed_nr;
}

static int check(const struct config_args *args, int word_nr, char **words,
		 struct pd_err *err)
{
	if (args->is_user && args->is_system)
		return pd_err_set(err, -EINVAL,
				  "--user and --system do not go together");
	if (!args->is_list && !word_nr) {
		pd_err_set(err, -EINVAL, "the name of a setting is missing");
		pd_err_hint(err, "-l lists them");
		return -EINVAL;
	}
	for (int i = 0; i < word_nr; i++)
		if (strchr(words[i], '=')) {
			pd_err_set(err, -EINVAL,
				   "'%s': settings are not written here",
				   words[i]);
			pd_err_hint(err, "'perf config' does, or an editor");
			return -EINVAL;
		}
	return 0;
}

int rpt_cmd_config(int argc, char **argv)
{
	struct config_args args = { 0 };
	struct pd_err err = PD_ERR_INIT;
	int first, exit_code;
	int rc = sup_options_parse(&rpt_config_command, &args, argc, argv,
				   &first, &err);

	if (!rc)
		rc = check(&args, argc - first, argv + first, &err);
	if (!rpt_options_are_good(rc, &rpt_config_command, &err, &exit_code))
		return exit_code;
	if (args.is_list)
		print_all(&args, NULL);
	for (int i = first; i < argc && !args.is_list; i++)
		print_all(&args, argv[i]);
	return RPT_EXIT_OK;
}
