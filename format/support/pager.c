#include "format/support/pager.h"

#include "format/support/message.h"
#include "format/support/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_PAGER "less -FRX"

/* The characters that make a command one for the shell. */
#define SHELL_CHARS "|&;<>()$`\\\"' \t\n*?[#~=%"

static pid_t pager; /* 0: there is none */
static int terminal_fd = -1;
static bool is_chosen;

static struct {
	char *text;
	size_t len;
	FILE *out; /* NULL: they are printed at once */
} held;

/* Return whether a program of this name is in a folder of PATH, or at this
 * path. */
static bool is_there(const char *name, size_t len)
{
	const char *path = getenv("PATH");
	char file[4096];

	if (memchr(name, '/', len)) {
		snprintf(file, sizeof(file), "%.*s", (int)len, name);
		return !access(file, X_OK);
	}
	while (path && *path) {
		size_t folder_len = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%.*s", (int)folder_len, path,
			 (int)len, name);
		if (!access(file, X_OK))
			return true;
		path += folder_len + (path[folder_len] == ':');
	}
	return false;
}

/* Return the command of the pager; NULL: none is wanted, or it is not there. */
static const char *pager_command(void)
{
	static const char *const names[] = { "PERFPAIR_PAGER", "PERF_PAGER",
					     "PAGER" };
	const char *command = NULL;
	size_t name_len;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !command;
	     i++)
		command = getenv(names[i]);
	if (!command)
		command = DEFAULT_PAGER;
	name_len = strcspn(command, " \t");
	if (!name_len || !strcmp(command, "cat"))
		return NULL;
	/* of a command for the shell the first word may be anything */
	if (strcspn(command, SHELL_CHARS) >= name_len &&
	    !is_there(command, name_len))
		return NULL;
	return command;
}

/* In the child: wait for the first byte and become the pager. */
static void run_pager(int in, const char *command)
{
	struct pollfd first = { .fd = in, .events = POLLIN };
	static char shell[] = "sh", option[] = "-c";
	char *argv[] = { shell, option, strdup(command), NULL };

	while (poll(&first, 1, -1) < 0 && errno == EINTR)
		;
	if (!(first.revents & POLLIN))
		_exit(0);
	dup2(in, STDIN_FILENO);
	setenv("LESS", "FRX", 0); /* for a PAGER that is less without options */
	execv("/bin/sh", argv);
	_exit(127);
}

static void wait_for_pager(void)
{
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}

/* The user has quit the pager. */
static void end_quietly(int signo)
{
	(void)signo;
	close(STDOUT_FILENO);
	wait_for_pager();
	_exit(0);
}

/* The user sees what came so far; then the signal does what it does.  The pipe
 * may be open under another number, too, if stdout is a file for now. */
static void end_of_signal(int signo)
{
	close(STDOUT_FILENO);
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
	wait_for_pager();
	raise(signo);
}

static const int signals[] = { SIGINT, SIGTERM, SIGQUIT };

static void set_handlers(void)
{
	struct sigaction quit = { .sa_handler = end_quietly };
	struct sigaction die = { .sa_handler = end_of_signal,
				 .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGPIPE, &quit, NULL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &die, NULL);
}

void sup_pager_note_choice(void)
{
	is_chosen = true;
}

bool sup_pager_is_chosen(void)
{
	return is_chosen;
}

void sup_pager_start(void)
{
	const struct sup_terminal *terminal = sup_terminal();
	const char *command;
	int ends[2];

	if (!terminal->is_out || terminal->is_dumb)
		return;
	command = pager_command();
	if (!command || pipe2(ends, O_CLOEXEC))
		return;
	terminal_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	pager = fork();
	if (!pager) {
		close(ends[1]);
		run_pager(ends[0], command);
	}
	close(ends[0]);
	if (pager < 0 || dup2(ends[1], STDOUT_FILENO) < 0) {
		close(ends[1]);
		pager = 0;
		return;
	}
	close(ends[1]);
	set_handlers();
	held.out = open_memstream(&held.text, &held.len);
	if (held.out)
		sup_message_to(held.out);
}

void sup_pager_cancel(void)
{
	if (!pager || dup2(terminal_fd, STDOUT_FILENO) < 0)
		return;
	wait_for_pager();
	pager = 0;
	signal(SIGPIPE, SIG_DFL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
}

int sup_pager_end(int exit_code)
{
	if (pager) {
		fflush(stdout);
		close(STDOUT_FILENO);
		signal(SIGINT, SIG_IGN); /* it is the pager's */
		signal(SIGQUIT, SIG_IGN);
		wait_for_pager();
	}
	if (held.out) {
		sup_message_to(stderr);
		fclose(held.out);
		fputs(held.text, stderr);
		free(held.text);
		held.out = NULL;
	}
	pager = 0;
	return exit_code;
}
