/* perfpair lock contention: waits for locks. */
#include "report/commands/commands.h"
#include "report/cli/command_options.h"
#include "report/spans/lock_contention.h"

#include <errno.h>
#include <string.h>

static const char word[] = "contention";

static bool has_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

/* Options may stand in front of the word, as in perf. */
int rpt_cmd_lock(int argc, char **argv)
{
	struct pd_err err = PD_ERR_INIT;
	int exit_code = RPT_EXIT_USAGE;
	int i = 1;

	while (i < argc && strcmp(argv[i], word) != 0)
		i++;
	if (i < argc) {
		for (; i < argc; i++)
			argv[i] = argv[i + 1];
		return rpt_lock_contention(argc - 1, argv);
	}
	if (has_help(argc, argv))
		return rpt_lock_contention(argc, argv);
	pd_err_set(&err, -EINVAL, "lock has the command '%s' alone", word);
	if (argc > 1 && !strcmp(argv[1], "record"))
		pd_err_hint(&err, "perfpair-record -a -g -e "
				  "lock:contention_begin -e "
				  "lock:contention_end records");
	else
		pd_err_hint(&err, "perf lock report, info and script read our "
				  "recordings, too");
	rpt_options_are_good(-EINVAL, &rpt_lock_command, &err, &exit_code);
	return exit_code;
}
