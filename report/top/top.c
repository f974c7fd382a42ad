#include "report/top/top.h"

#include "report/base/memory.h"

#include "format/support/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define READ_LEN	((size_t)256 << 10)
#define ESCAPE_MS	50
#define LONGEST_WAIT_NS UINT64_C(1000000000)

static volatile sig_atomic_t stopped; /* the signal that ends us */

static void stop(int signal_nr)
{
	stopped = signal_nr;
}

bool rpt_top_is_stopped(void)
{
	return stopped;
}

uint64_t rpt_top_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void rpt_top_catch_signals(void)
{
	const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = stop };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int open_input(struct rpt_top *top, struct pd_err *err)
{
	const char *input = top->args->input;

	top->fd = strcmp(input, "-") ? open(input, O_RDONLY | O_CLOEXEC)
				     : STDIN_FILENO;
	if (top->fd >= 0)
		return 0;
	return pd_err_set(err, -errno, "%s", strerror(errno));
}

static int start_recorder(struct rpt_top *top, struct pd_err *err)
{
	char **words = rpt_top_recorder_words(top->args);
	int rc = rpt_recorder_child_start(&top->child, words, top->has_screen,
					  err);

	free(words);
	top->fd = top->child.out_fd;
	return rc;
}

static int show_text(struct rpt_top *top, uint64_t now_ns, struct pd_err *err)
{
	int rc = 0;

	if (rpt_live_window_events(&top->window))
		rc = rpt_live_report_make(&top->live, &top->args->report,
					  &top->names, &top->window, &top->hide,
					  err);
	if (!rc)
		rpt_top_print_text(top, now_ns);
	return rc;
}

/* Show the window. */
static int show(struct rpt_top *top, struct pd_err *err)
{
	uint64_t now_ns = rpt_top_now();
	int rc = top->has_screen ? rpt_top_screen_turn(&top->screen, err)
				 : show_text(top, now_ns, err);

	if (rc)
		return rc;
	rpt_live_window_turn(&top->window, now_ns);
	top->frame_nr++;
	if (top->frame_nr == top->args->view.frame_nr)
		top->is_ended = true;
	return 0;
}

/* Read what the pipe has.  At its end fd becomes -1. */
static int read_pipe(struct rpt_top *top, uint8_t *buf, struct pd_err *err)
{
	ssize_t n = read(top->fd, buf, READ_LEN);

	if (n > 0)
		return rpt_record_stream_add(&top->stream, buf, (size_t)n, err);
	if (n < 0 && errno == EINTR)
		return 0;
	if (n < 0)
		return pd_err_set(err, -errno, "reading the pipe: %s",
				  strerror(errno));
	top->fd = -1;
	top->has_ended = true;
	return rpt_record_stream_end(&top->stream, err);
}

int rpt_top_wait_ms(const struct rpt_top *top)
{
	uint64_t now_ns = rpt_top_now();
	uint64_t left_ns = top->next_ns > now_ns ? top->next_ns - now_ns : 0;

	if (top->has_screen && rpt_top_screen_waits(&top->screen))
		return ESCAPE_MS;
	/* a signal between the look at its flag and poll() waits that long */
	if (top->has_screen && (top->fd < 0 || left_ns > LONGEST_WAIT_NS))
		left_ns = LONGEST_WAIT_NS;
	return (int)(left_ns / 1000000u + 1);
}

/* Wait for bytes, for a key, for a signal, or until the next frame is due. */
static int wait_for(struct rpt_top *top, uint8_t *buf, struct pd_err *err)
{
	struct pollfd fds[] = {
		{ .fd = top->fd, .events = POLLIN },
		{ .fd = top->child.err_fd, .events = POLLIN },
		{ .fd = top->has_screen ? top->screen.screen.key_fd : -1,
		  .events = POLLIN },
	};
	int rc = 0;

	if (poll(fds, 3, rpt_top_wait_ms(top)) < 0) {
		if (errno != EINTR)
			return pd_err_set(err, -errno, "poll: %s",
					  strerror(errno));
		for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
			fds[i].revents = 0;
	}
	if (fds[1].revents)
		rpt_recorder_child_hear(&top->child);
	if (top->has_screen)
		rc = rpt_top_screen_keys(&top->screen, fds[2].revents, err);
	return !rc && fds[0].revents ? read_pipe(top, buf, err) : rc;
}

/* Show what came since the last frame, once the recording has ended.  The
 * screen then stays until the user has seen it, if there is something. */
static int show_end(struct rpt_top *top, uint8_t *buf, struct pd_err *err)
{
	int rc = show(top, err);

	if (!top->has_screen || !top->live.event_name)
		return rc;
	while (!rc && !top->is_ended && !stopped)
		rc = wait_for(top, buf, err);
	return rc;
}

static int loop(struct rpt_top *top, struct pd_err *err)
{
	uint8_t *buf = rpt_alloc(READ_LEN);
	int rc = 0;

	while (!rc && top->fd >= 0 && !top->is_ended && !stopped) {
		rc = wait_for(top, buf, err);
		if (rc || top->is_ended || rpt_top_now() < top->next_ns)
			continue;
		rc = show(top, err);
		top->next_ns = rpt_top_now() + top->delay_ns;
	}
	/* the user ended it, not the command */
	top->is_users_end = !top->has_ended;
	if (!rc && top->fd < 0 && !top->is_ended)
		rc = show_end(top, buf, err);
	free(buf);
	return rc;
}

/* Take the terminal, if there is one that can be a screen. */
static void open_screen(struct rpt_top *top)
{
	const struct sup_terminal *terminal = sup_terminal();
	struct pd_err err = PD_ERR_INIT;

	if (top->args->view.is_stdio || !terminal->is_out || terminal->is_dumb)
		return;
	top->has_screen = !rpt_top_screen_open(&top->screen, top, &err);
	if (!top->has_screen)
		rpt_top_screen_close(&top->screen);
}

int rpt_top_run(struct rpt_top *top, const struct rpt_top_args *args,
		struct pd_err *err)
{
	uint64_t now_ns = rpt_top_now();
	int rc;

	*top = (struct rpt_top){
		.args = args,
		.child = { .out_fd = -1, .err_fd = -1 },
		.hide = { args->view.hide_kernel, args->view.hide_user },
		.fd = -1,
		.delay_ns = args->view.delay_ns,
		.next_ns = now_ns + args->view.delay_ns,
	};
	rpt_live_window_init(&top->window, rpt_top_slice_nr(&args->view),
			     now_ns);
	rpt_record_stream_init(&top->stream, rpt_live_window_take,
			       &top->window);
	rpt_top_catch_signals();
	open_screen(top);
	rc = args->input ? open_input(top, err) : start_recorder(top, err);
	if (!rc)
		rc = loop(top, err);
	if (top->has_screen)
		rpt_top_screen_close(&top->screen);
	if (top->child.pid)
		top->exit_code = rpt_recorder_child_end(
			&top->child, top->fd >= 0 ? SIGINT : 0);
	else if (top->fd > STDIN_FILENO)
		close(top->fd);
	if (top->is_users_end)
		top->exit_code = 0;
	return rc;
}

void rpt_top_close(struct rpt_top *top)
{
	rpt_live_report_release(&top->live);
	rpt_live_names_release(&top->names);
	rpt_live_window_release(&top->window);
	rpt_record_stream_release(&top->stream);
}
