#include "format/support/terminal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct sup_terminal terminal;

/* Return the width that the user set, or that of the terminal. */
static uint32_t width_of(int fd)
{
	const char *columns = getenv("COLUMNS");
	long asked = columns ? strtol(columns, NULL, 10) : 0;
	struct winsize size = { 0 };

	if (asked > 0 && asked <= USHRT_MAX)
		return (uint32_t)asked;
	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

void sup_terminal_init(void)
{
	const char *term = getenv("TERM");
	const char *no_colour = getenv("NO_COLOR");

	terminal.is_in = isatty(STDIN_FILENO);
	terminal.is_out = isatty(STDOUT_FILENO);
	terminal.is_err = isatty(STDERR_FILENO);
	terminal.is_dumb = !term || !*term || !strcmp(term, "dumb");
	terminal.has_colour = terminal.is_out && !terminal.is_dumb &&
			      !(no_colour && *no_colour);
	terminal.width = terminal.is_out ? width_of(STDOUT_FILENO) : 0;
}

const struct sup_terminal *sup_terminal(void)
{
	return &terminal;
}
