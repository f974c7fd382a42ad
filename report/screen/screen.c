#include "report/screen/screen.h"

#include "report/base/look.h"
#include "report/base/memory.h"
#include "report/base/shortage.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

/* The other screen of the terminal, without a cursor, and back. */
#define ENTER "\33[?1049h\33[?25l\33[2J"
#define LEAVE "\33[m\33[?25h\33[?1049l"

#define LINES	24u
#define COLUMNS 80u

/* Ends that are nobody else's: the terminal is given back first. */
static const int fatal_signals[] = { SIGSEGV, SIGBUS,  SIGILL,
				     SIGFPE,  SIGABRT, SIGQUIT };

/* For handlers of signals. */
static struct termios former;
static volatile sig_atomic_t former_fd = -1; /* -1: nothing is to be restored */
static volatile sig_atomic_t is_resized;
static volatile sig_atomic_t is_stop_asked;

/* Safe in handlers of signals. */
static void leave(void)
{
	int fd = former_fd, code = errno;
	ssize_t n;

	if (fd < 0)
		return;
	former_fd = -1;
	n = write(STDOUT_FILENO, LEAVE, sizeof(LEAVE) - 1);
	(void)n;
	tcsetattr(fd, TCSANOW, &former);
	errno = code;
}

static void end(int number)
{
	leave();
	signal(number, SIG_DFL);
	raise(number);
}

static void note(int number)
{
	if (number == SIGWINCH)
		is_resized = 1;
	else
		is_stop_asked = 1;
}

static int write_whole(const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(STDOUT_FILENO, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* No line of input is waited for, and no key is shown; those that send signals
 * still do. */
static int enter(int fd)
{
	struct termios raw;

	if (tcgetattr(fd, &former))
		return -errno;
	raw = former;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
	raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL | INLCR);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	former_fd = fd;
	if (tcsetattr(fd, TCSANOW, &raw)) {
		former_fd = -1;
		return -errno;
	}
	return write_whole(ENTER, sizeof(ENTER) - 1);
}

static void measure(struct rpt_screen *screen)
{
	struct winsize size = { 0 };

	screen->lines = LINES;
	screen->columns = COLUMNS;
	if (ioctl(screen->key_fd, TIOCGWINSZ, &size))
		return;
	screen->lines = size.ws_row ? size.ws_row : LINES;
	screen->columns = size.ws_col ? size.ws_col : COLUMNS;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = end }, old;

	for (size_t i = 0; i < sizeof(fatal_signals) / sizeof(fatal_signals[0]);
	     i++) {
		/* files' handler of SIGBUS hands on to this one (file_map.h) */
		if (!sigaction(fatal_signals[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			sigaction(fatal_signals[i], &action, NULL);
	}
	action.sa_handler = note;
	sigaction(SIGWINCH, &action, NULL);
	sigaction(SIGTSTP, &action, NULL);
	rpt_shortage_calls(leave);
}

int rpt_screen_open(struct rpt_screen *screen, struct pd_err *err)
{
	int rc;

	*screen = (struct rpt_screen){
		.key_fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC),
	};
	if (screen->key_fd < 0)
		return pd_err_set(err, -errno, "/dev/tty: %s", strerror(errno));
	catch_signals();
	rc = enter(screen->key_fd);
	if (rc) {
		rpt_screen_close(screen);
		return pd_err_set(err, rc, "/dev/tty: %s", strerror(-rc));
	}
	measure(screen);
	return 0;
}

void rpt_screen_close(struct rpt_screen *screen)
{
	leave();
	rpt_screen_forget(screen);
	if (screen->key_fd >= 0)
		close(screen->key_fd);
	screen->key_fd = -1;
}

bool rpt_screen_read(struct rpt_screen *screen)
{
	uint8_t buf[RPT_KEY_READER_LEN];
	ssize_t n = read(screen->key_fd, buf, sizeof(buf));

	if (n > 0)
		rpt_key_reader_add(&screen->keys, buf, (size_t)n);
	return n > 0 || (n < 0 && errno == EINTR);
}

bool rpt_screen_heed(struct rpt_screen *screen)
{
	bool is_changed = is_resized || is_stop_asked;

	if (is_stop_asked) {
		leave();
		is_stop_asked = 0;
		raise(SIGSTOP);
		enter(screen->key_fd);
	}
	if (is_changed) {
		is_resized = 0;
		measure(screen);
		rpt_screen_forget(screen);
		write_whole("\33[2J", 4);
	}
	return is_changed;
}

void rpt_screen_forget(struct rpt_screen *screen)
{
	free(screen->drawn);
	screen->drawn = NULL;
	screen->drawn_len = 0;
}

/* Take the next line of a picture, without its end. */
static struct pd_str next_line(const char **text, size_t *len)
{
	const char *end = memmem(*text, *len, "\r\n", 2);
	struct pd_str line = { *text, end ? (size_t)(end - *text) : *len };
	size_t step = end ? line.len + 2 : line.len;

	*text += step;
	*len -= step;
	return line;
}

int rpt_screen_draw(struct rpt_screen *screen, const char *text, size_t len)
{
	struct rpt_text_string *out = rpt_text_string_new();
	const char *old = screen->drawn, *from = text;
	size_t old_len = screen->drawn_len, left = len, out_len;
	bool has_old = old;
	int rc;

	for (uint32_t nr = 1; left; nr++) {
		struct pd_str line = next_line(&from, &left);
		struct pd_str was = next_line(&old, &old_len);

		if (!has_old || was.len != line.len ||
		    memcmp(was.ptr, line.ptr, line.len) != 0) {
			rpt_text_format(&out->text, "\33[%u;1H", nr);
			rpt_text_put(&out->text, line.ptr, line.len);
		}
	}
	rpt_screen_forget(screen);
	screen->drawn = rpt_alloc_text(text, len);
	screen->drawn_len = len;
	text = rpt_text_string_take(out, &out_len);
	rc = write_whole(text, out_len);
	rpt_text_string_free(out);
	return rc;
}

#define TAB_COLUMNS 8u

/* Return the length of the colour at the start of text; 0: there is none. */
static size_t colour_len(const char *text, size_t len)
{
	size_t i = 2;

	if (len < 3 || text[0] != '\33' || text[1] != '[')
		return 0;
	while (i < len && strchr("0123456789;", text[i]) && text[i])
		i++;
	return i < len && text[i] == 'm' ? i + 1 : 0;
}

/* Marks that change the direction of what follows, outside of a name, too. */
static bool is_direction(wchar_t c)
{
	return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
	       c == 0x200e || c == 0x200f || c == 0x061c;
}

/* Return how many columns the character at the start of text takes, in *ret_len
 * its bytes; -1: it is not to be shown. */
static int columns_of(const char *text, size_t len, size_t *ret_len)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t n = mbrtowc(&c, text, len, &state);

	*ret_len = 1;
	if (!n || n > len)
		return -1;
	*ret_len = n;
	return is_direction(c) ? -1 : wcwidth(c);
}

/* Append the character at the start of text, if it fits in left columns.
 * Return its bytes; 0: it does not fit. */
static size_t put_char(struct rpt_text *out, const char *text, size_t len,
		       uint32_t left, uint32_t *ret_columns)
{
	size_t char_len;
	int columns = columns_of(text, len, &char_len);
	bool is_shown = columns >= 0;

	if (!is_shown)
		columns = 1;
	if ((uint32_t)columns > left)
		return 0;
	if (is_shown)
		rpt_text_put(out, text, char_len);
	else
		rpt_text_char(out, '?');
	*ret_columns = (uint32_t)columns;
	return char_len;
}

static uint32_t put(struct rpt_text *out, const char *text, size_t len,
		    uint32_t columns, bool has_colour)
{
	uint32_t used = 0;
	size_t i = 0;

	while (i < len) {
		size_t skip = colour_len(text + i, len - i);
		uint32_t more = 0;

		if (skip && has_colour)
			rpt_text_put(out, text + i, skip);
		if (!skip && text[i] == '\t') {
			more = TAB_COLUMNS - used % TAB_COLUMNS;
			more = more < columns - used ? more : columns - used;
			rpt_text_pad(out, more);
			skip = more ? 1 : 0;
		} else if (!skip) {
			skip = put_char(out, text + i, len - i, columns - used,
					&more);
		}
		if (!skip)
			break;
		used += more;
		i += skip;
	}
	return used;
}

uint32_t rpt_screen_put(struct rpt_text *out, const char *text, size_t len,
			uint32_t columns, bool has_colour)
{
	/* without that of UTF-8 only ASCII is shown */
	locale_t old_locale = uselocale(rpt_look_utf8());
	uint32_t used;

	used = put(out, text, len, columns, has_colour);
	uselocale(old_locale);
	return used;
}
