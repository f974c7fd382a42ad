/* perfpair: the reader's program, which runs a command. */
#include "report/commands/commands.h"
#include "report/commands/absent_commands.h"
#include "report/cli/exit_code.h"
#include "report/base/file_map.h"
#include "report/base/shortage.h"

#include "format/support/message.h"
#include "format/support/nearest.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RECORDER "perfpair-record"

static int cmd_help(int argc, char **argv);
static int cmd_record(int argc, char **argv);
static int cmd_version(int argc, char **argv);

/* Commands that need nothing of the rooms; summary NULL: another spelling. */
static const struct rpt_command own_commands[] = {
	{ "help", cmd_help, "list the commands", NULL },
	{ "record", cmd_record, "record events (runs " RECORDER ")", NULL },
	{ "version", cmd_version, "print the version", NULL },
	{ "--help", cmd_help, NULL, NULL },
	{ "-h", cmd_help, NULL, NULL },
	{ "--version", cmd_version, NULL, NULL },
	{ "-v", cmd_version, NULL, NULL },
	{ 0 },
};

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

static int cmd_help(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] != '-')
		return help_of(argv[1]);
	printf("usage: perfpair COMMAND [OPTION]...\n\n");
	print_summaries(rpt_commands);
	print_summaries(own_commands);
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

/* Execute the recorder beside this program, or the one in PATH: it replaces
 * this process, so that exit code and signals are its own. */
static int cmd_record(int argc, char **argv)
{
	char self[PATH_MAX], path[PATH_MAX + sizeof(RECORDER)];
	static char name[] = RECORDER;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	(void)argc;
	argv[0] = name;
	if (n > 0) {
		self[n] = '\0';
		slash = strrchr(self, '/');
		if (slash) {
			slash[1] = '\0';
			snprintf(path, sizeof(path), "%s%s", self, RECORDER);
			execv(path, argv);
		}
	}
	execvp(RECORDER, argv);
	sup_message("%s: %s", RECORDER, strerror(errno));
	if (errno == ENOENT)
		sup_message("it is neither beside perfpair nor in PATH");
	return RPT_EXIT_FAILED;
}

/* Have glibc return freed memory to the system: its thresholds would rise to
 * the longest block that was ever freed, in each thread.  Up to 4 MiB stay, for
 * the next compressed frame. */
static void limit_freed_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
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

static int run_command(const struct rpt_command *command, int argc, char **argv)
{
	const char *why;
	int rc;

	/* write() fails instead, and its caller reports it; programs that the
	 * recorder starts must not inherit this */
	if (command->run != cmd_record)
		signal(SIGXFSZ, SIG_IGN);
	rc = command->run(argc, argv);
	why = why_cut();
	rc = report_shortage(report_cut(rc));
	if (!why || rc == RPT_EXIT_FAILED)
		return rc;
	sup_message("stdout: %s", why);
	return RPT_EXIT_FAILED;
}

int main(int argc, char **argv)
{
	const struct rpt_command *command;

	limit_freed_memory();
	sup_message_program("perfpair");
	if (argc < 2) {
		cmd_help(argc, argv);
		return RPT_EXIT_USAGE;
	}
	command = find_command(rpt_commands, argv[1]);
	if (!command)
		command = find_command(own_commands, argv[1]);
	if (command)
		return run_command(command, argc - 1, argv + 1);
	refuse_command(argv + 1);
	return RPT_EXIT_USAGE;
}
