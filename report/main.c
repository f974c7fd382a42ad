/* perfpair: the reader's program, which runs a command. */
#include "report/commands/commands.h"
#include "report/commands/absent_commands.h"
#include "report/cli/exit_code.h"
#include "report/cli/perf_config.h"
#include "report/cli/recorder_program.h"
#include "report/base/file_map.h"
#include "report/base/memory.h"
#include "report/base/progress.h"
#include "report/base/shortage.h"
#include "report/base/whole_file.h"

#include "format/support/message.h"
#include "format/support/nearest.h"
#include "format/support/pager.h"
#include "format/support/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether the command's output goes through a pager. */
static enum {
	PAGER_AS_MADE, /* if the command is made for one */
	PAGER_ALWAYS,
	PAGER_NEVER,
} pager_use;

static bool has_no_config; /* --no-config */

static int cmd_help(int argc, char **argv);
static int cmd_record(int argc, char **argv);
static int cmd_by_recorder(int argc, char **argv);
static int cmd_stat(int argc, char **argv);
static int cmd_version(int argc, char **argv);

/* Commands that need nothing of the rooms; summary NULL: another spelling. */
static const struct rpt_command own_commands[] = {
	{ "help", cmd_help, "list the commands", NULL, true },
	{ "list", cmd_by_recorder,
	  "list the events and metrics of this machine", NULL, false },
	{ "record", cmd_record, "record events (runs " RPT_RECORDER_NAME ")",
	  NULL, false },
	{ "stat", cmd_stat,
	  "count events (runs " RPT_RECORDER_NAME
	  " stat), or compare counts (--compare)",
	  NULL, false },
	{ "version", cmd_version, "print the version", NULL, false },
	{ "--help", cmd_help, NULL, NULL, false },
	{ "-h", cmd_help, NULL, NULL, false },
	{ "--version", cmd_version, NULL, NULL, false },
	{ "-v", cmd_version, NULL, NULL, false },
	{ 0 },
};

/* The program under the name by which pprof calls it. */
static const struct rpt_command perf_to_profile = { "perf_to_profile",
						    rpt_cmd_perf_to_profile,
						    NULL, NULL, false };

static void print_summaries(const struct rpt_command *commands)
{
	for (; commands->name; commands++)
		if (commands->summary)
			printf("  %-14s%s\n", commands->name,
			       commands->summary);
}

static const struct rpt_command *
find_command(const struct rpt_command *commands, const char *name)
{
	for (; commands->name; commands++)
		if (strcmp(commands->name, name) == 0)
			return commands;
	return NULL;
}

/* words: the name of a command, and what stands behind it */
static void refuse_command(char *const *words)
{
	const char *name = words[0];
	const char *instead = rpt_command_instead(words);
	const struct rpt_command *const tables[] = { rpt_commands,
						     own_commands };
	struct pd_err err = PD_ERR_INIT;
	struct sup_nearest near;

	sup_nearest_init(&near, name, strlen(name));
	for (size_t i = 0; i < 2; i++)
		for (const struct rpt_command *c = tables[i]; c->name; c++)
			if (c->summary)
				sup_nearest_offer(&near, c->name);
	pd_err_set(&err, -EINVAL,
		   instead ? "perf's command '%s' is not here"
			   : "unknown command '%s'",
		   name);
	if (instead)
		pd_err_hint(&err, "%s", instead);
	else
		sup_nearest_hint(&near, &err,
				 "'perfpair help' lists the commands");
	sup_message_err(NULL, &err);
}

/* Run a command with --help. */
static int help_of(char *name)
{
	static char option[] = "--help";
	char *words[] = { name, NULL, NULL };
	const struct rpt_command *command = find_command(rpt_commands, name);

	if (!command)
		command = find_command(own_commands, name);
	if (!command) {
		refuse_command(words);
		return RPT_EXIT_USAGE;
	}
	if (command->run == cmd_help)
		return cmd_help(1, words);
	words[1] = option;
	return command->run(2, words);
}

static const char tasks[] =
	"\nWhere does a program spend its time, and who called that?\n"
	"  perfpair-record -g -- PROGRAM         then: perfpair report\n"
	"The same of one that runs, and of code without frame pointers:\n"
	"  perfpair-record -g -p PID --duration 10s\n"
	"  perfpair-record --call-graph dwarf -p PID --duration 10s\n"
	"How long does it take, and what does it count?  Ten runs:\n"
	"  perfpair stat -r 10 -- PROGRAM\n"
	"A flame graph of the whole machine, in the browser:\n"
	"  perfpair-record -a -g -- sleep 10     then: perfpair view\n"
	"Containers, one row each:\n"
	"  perfpair-record -a -g --all-cgroups -- sleep 10\n"
	"  perfpair report -s cgroup,comm,sym\n"
	"Always on, the last hour in files of a minute:\n"
	"  perfpair-record -a -g -F 99 --switch-output=1m "
	"--switch-max-files 60\n"
	"Did the new build become slower, and where?\n"
	"  perfpair ab --old './old ARGUMENTS' --new './new ARGUMENTS'\n"
	"For another machine, with lines and code; for other people:\n"
	"  perfpair carry -o FILE --lines --code    perfpair scrub -o FILE\n";

static int cmd_help(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] != '-')
		return help_of(argv[1]);
	printf("usage: perfpair [--no-pager | -p] [--no-config] COMMAND "
	       "[OPTION]...\n"
	       "       perfpair FILE    (report of it)\n\n");
	print_summaries(rpt_commands);
	print_summaries(own_commands);
	fputs(tasks, stdout);
	printf("\n'perfpair help COMMAND' lists a command's options.\n");
	return RPT_EXIT_OK;
}

static int cmd_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("perfpair version %s\n", PERFPAIR_VERSION);
	return RPT_EXIT_OK;
}

static int cmd_record(int argc, char **argv)
{
	(void)argc;
	return rpt_recorder_run(argv);
}

/* Commands that the recorder has, too, by the same name. */
static int cmd_by_recorder(int argc, char **argv)
{
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	int rc;

	if (!words) {
		rpt_shortage_note(ENOMEM);
		return RPT_EXIT_FAILED;
	}
	memcpy(words + 1, argv, (size_t)argc * sizeof(*words));
	rc = rpt_recorder_run(words);
	free(words);
	return rc;
}

/* Options before --compare are those of the reader's part of stat. */
static int cmd_stat(int argc, char **argv)
{
	for (int i = 1; i < argc && argv[i][0] == '-'; i++)
		if (!strcmp(argv[i], "--compare"))
			return rpt_cmd_stat_compare(argc, argv);
	return cmd_by_recorder(argc, argv);
}

/* True for commands that the recorder's program takes over. */
static bool is_of_recorder(const struct rpt_command *command)
{
	return command->run == cmd_record || command->run == cmd_by_recorder ||
	       command->run == cmd_stat;
}

/* Return why not all output was written; NULL if it was, or if its reader has
 * gone. */
static const char *why_cut(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	if (fflush(stdout))
		return errno == EPIPE ? NULL : strerror(errno);
	/* an earlier write failed: errno is of another call by now */
	if (!ferror(stdout) || (poll(&out, 1, 0) > 0 && out.revents & POLLERR))
		return NULL;
	return "not all of it could be written";
}

/* Report files that were cut while they were read.  Return the exit code. */
static int report_cut(int rc)
{
	size_t nr = rpt_file_maps_report(sup_message_err);

	return nr && rc == RPT_EXIT_OK ? RPT_EXIT_DAMAGED : rc;
}

static void report_refused(void)
{
	char *text = rpt_whole_file_refused();

	if (text)
		sup_message("%s", text);
	free(text);
}

/* Report a shortage of memory or descriptors.  Return the exit code. */
static int report_shortage(int rc)
{
	int error = rpt_shortage();

	if (!error)
		return rc;
	sup_message("%s: %s",
		    error == ENOMEM ? "out of memory" : strerror(error),
		    rc == RPT_EXIT_FAILED ? "nothing can be said"
					  : "what was printed may be wrong");
	return RPT_EXIT_FAILED;
}

static bool has_word(int argc, char **argv, const char *word)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], word))
			return true;
	return false;
}

/* Prepare the terminal, if there is one, for what the command prints. */
static void start_terminal(const struct rpt_command *command, int argc,
			   char **argv)
{
	const struct sup_terminal *terminal = sup_terminal();

	if (is_of_recorder(command) ||
	    (command->run == cmd_help &&
	     (has_word(argc, argv, "list") || has_word(argc, argv, "record") ||
	      has_word(argc, argv, "stat"))))
		return; /* the recorder does */
	if (pager_use != PAGER_AS_MADE)
		sup_pager_note_choice();
	if (pager_use == PAGER_ALWAYS ||
	    (pager_use == PAGER_AS_MADE &&
	     (command->is_paged || has_word(argc, argv, "--help"))))
		sup_pager_start();
	if (!command->options || !terminal->is_err || terminal->is_dumb)
		return;
	sup_message_before(rpt_progress_end);
	rpt_progress_start(terminal->is_out);
}

static int run_command(const struct rpt_command *command, int argc, char **argv)
{
	const char *why;
	int rc;

	start_terminal(command, argc, argv);
	if (!has_no_config)
		rpt_perf_config_allow();

	/* write() fails instead, and its caller reports it; programs that the
	 * recorder starts must not inherit this */
	if (!is_of_recorder(command))
		signal(SIGXFSZ, SIG_IGN);
	rc = command->run(argc, argv);
	why = why_cut();
	rpt_progress_end();
	report_refused();
	rc = report_shortage(report_cut(rc));
	if (why && rc != RPT_EXIT_FAILED) {
		sup_message("stdout: %s", why);
		rc = RPT_EXIT_FAILED;
	}
	return sup_pager_end(rc);
}

/* Take the options in front of the command, which are perf's.  Return how many
 * words they are. */
static int take_options(int argc, char **argv)
{
	int nr = 0;

	for (int i = 1; i < argc; i++, nr++) {
		if (!strcmp(argv[i], "--no-pager"))
			pager_use = PAGER_NEVER;
		else if (!strcmp(argv[i], "--no-config"))
			has_no_config = true;
		else if (!strcmp(argv[i], "--paginate") ||
			 !strcmp(argv[i], "-p"))
			pager_use = PAGER_ALWAYS;
		else
			break;
	}
	return nr;
}

/* Remove --no-pager and --no-config behind a command that may have a pager,
 * where people type them, too.  Return the number of words that are left. */
static int take_general(int argc, char **argv)
{
	int nr = 1, i = 1;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (!strcmp(argv[i], "--no-pager"))
			pager_use = PAGER_NEVER;
		else if (!strcmp(argv[i], "--no-config"))
			has_no_config = true;
		else
			argv[nr++] = argv[i];
	}
	for (; i < argc; i++)
		argv[nr++] = argv[i];
	argv[nr] = NULL;
	return nr;
}

/* Return whether a first word that is no command is report's. */
static bool is_of_report(const char *word)
{
	return !strcmp(word, "-") || !strncmp(word, "-i", 2) ||
	       !strncmp(word, "--input", 7) || !access(word, F_OK);
}

/* Return whether pprof called this program, by its name for it. */
static bool is_perf_to_profile(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, perf_to_profile.name);
}

int main(int argc, char **argv)
{
	const struct rpt_command *command;
	static char report[] = "report";
	char **words;
	int nr;

	rpt_freed_memory_limit();
	sup_message_program("perfpair");
	sup_terminal_init();
	if (argc && is_perf_to_profile(argv[0]))
		return run_command(&perf_to_profile, argc, argv);
	nr = take_options(argc, argv);
	words = argv + 1 + nr;
	nr = argc - 1 - nr;
	if (nr < 1) {
		cmd_help(argc, argv);
		return RPT_EXIT_USAGE;
	}
	command = find_command(rpt_commands, words[0]);
	if (!command)
		command = find_command(own_commands, words[0]);
	if (!command && is_of_report(words[0])) {
		command = find_command(rpt_commands, report);
		*--words = report;
		nr++;
	}
	if (command && command->is_paged)
		nr = take_general(nr, words);
	if (command)
		return run_command(command, nr, words);
	refuse_command(words);
	return RPT_EXIT_USAGE;
}
