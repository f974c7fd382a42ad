#include "record/service/control_fd.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HINT "give fd:N[,N] or fifo:PATH[,PATH]"

/* Takes a descriptor by its number or path. */
typedef int take_fn(int *ret, const char *text, struct pd_err *err);

static int bad_spec(const char *spec, struct pd_err *err)
{
	pd_err_set(err, -EINVAL, "--control '%s' is not understood", spec);
	pd_err_hint(err, HINT);
	return -EINVAL;
}

static int take_fd(int *ret, const char *text, struct pd_err *err)
{
	char *end;
	long fd;

	errno = 0;
	fd = strtol(text, &end, 10);
	if (errno || !isdigit((unsigned char)*text) || *end || fd > INT_MAX)
		return bad_spec(text, err);
	/* Otherwise the recorded command would hold the pipe open. */
	if (fcntl((int)fd, F_SETFD, FD_CLOEXEC)) {
		pd_err_set(err, -EINVAL, "--control: descriptor %ld: %s", fd,
			   strerror(errno));
		pd_err_hint(err, "open it before this program starts");
		return -EINVAL;
	}
	*ret = (int)fd;
	return 0;
}

/* By errno. */
static int bad_fifo(const char *path, struct pd_err *err)
{
	int rc = -errno;

	pd_err_set(err, rc, "--control: %s: %s", path, strerror(-rc));
	pd_err_hint(err, "make it with mkfifo first");
	return rc;
}

static int take_fifo(int *ret, const char *path, struct pd_err *err)
{
	/* Open for both, so that neither end waits for the other, and the pipe
	 * does not end with the last writer. */
	*ret = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return *ret < 0 ? bad_fifo(path, err) : 0;
}

/* Whoever waits to write to it would go on if it were opened. */
static int check_fifo(int *ret, const char *path, struct pd_err *err)
{
	*ret = -1;
	if (!faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS))
		return 0;
	return bad_fifo(path, err);
}

static int take_all(struct rec_control_fd *ret, const char *spec,
		    take_fn *of_fifo, struct pd_err *err)
{
	struct rec_control_fd control = REC_CONTROL_FD_INIT;
	take_fn *take;
	char *first, *second;
	char *copy;
	int rc;

	control.is_ours = !strncmp(spec, "fifo:", 5);
	if (!control.is_ours && strncmp(spec, "fd:", 3) != 0)
		return bad_spec(spec, err);
	take = control.is_ours ? of_fifo : take_fd;
	copy = strdup(strchr(spec, ':') + 1);
	if (!copy)
		return pd_err_set(err, -ENOMEM, "out of memory");
	second = copy;
	first = strsep(&second, ",");
	rc = *first && (!second || *second) ? take(&control.fd, first, err)
					    : bad_spec(spec, err);
	if (!rc && second)
		rc = take(&control.ack_fd, second, err);
	free(copy);
	if (rc)
		rec_control_fd_close(&control);
	else
		*ret = control;
	return rc;
}

int rec_control_fd_open(struct rec_control_fd *ret, const char *spec,
			struct pd_err *err)
{
	return take_all(ret, spec, take_fifo, err);
}

int rec_control_fd_check(const char *spec, struct pd_err *err)
{
	struct rec_control_fd none;

	return take_all(&none, spec, check_fifo, err);
}

/* Poll before each byte: the descriptor may be shared with processes that do
 * not expect it to be non-blocking. */
static int read_byte(int fd, char *ret)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	ssize_t n;

	if (poll(&poll_fd, 1, 0) <= 0)
		return 0;
	n = read(fd, ret, 1);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n == 1 ? 1 : -EPIPE;
}

int rec_control_fd_read(const struct rec_control_fd *control, char *line,
			size_t len)
{
	size_t at = 0;
	int rc;
	char c;

	while ((rc = read_byte(control->fd, &c)) > 0 && c != '\n')
		if (at < len - 1)
			line[at++] = c;
	line[at] = '\0';
	return rc < 0 && !at ? rc : rc > 0 || at;
}

int rec_control_fd_ack(const struct rec_control_fd *control, bool is_known)
{
	static const char answers[][5] = { "nak\n", "ack\n" };

	if (control->ack_fd < 0)
		return 0;
	return write(control->ack_fd, answers[is_known],
		     sizeof(answers[is_known])) < 0
		       ? -errno
		       : 0;
}

void rec_control_fd_close(struct rec_control_fd *control)
{
	if (control->is_ours && control->fd >= 0)
		close(control->fd);
	if (control->is_ours && control->ack_fd >= 0)
		close(control->ack_fd);
	control->fd = control->ack_fd = -1;
}
