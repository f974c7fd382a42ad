#include "report/top/finished.h"

#include "report/base/memory.h"
#include "report/base/progress.h"
#include "report/base/shortage.h"
#include "report/report/report_warnings.h"
#include "report/top/top.h"

#include "format/support/message.h"
#include "format/support/safe_text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void rpt_finished_put_head(struct rpt_top *top, struct rpt_text *out)
{
	const struct rpt_live_report *live = &top->live;
	const struct rpt_report *report = live->report;
	const struct rpt_profile *profile;

	rpt_text_str(out, top->args->report.input);
	if (!live->event_name)
		return;
	profile = &report->profile;
	/* without a name of one it is the file */
	if (strcmp(report->host, top->args->report.input) != 0)
		rpt_text_format(out, "  %s", report->host);
	/* an interval without a CPU is one in each block that it reaches */
	if (!live->args.switches.off_cpu)
		rpt_text_format(
			out, "  %" PRIu64 " samples of",
			rpt_live_report_sample_nr(live, live->rows.event_idx));
	rpt_text_format(out, " %s", live->event_name);
	if (report->blocks.nr)
		rpt_text_format(out, " in %.3f s",
				(double)report->blocks.span_ns / 1e9);
	if (profile->lost_nr || profile->lost_sample_nr)
		rpt_text_format(out, ", %" PRIu64 " lost",
				profile->lost_nr + profile->lost_sample_nr);
}

/* Set the filters that zooms are.  Return false for a name that a list of names
 * cannot have. */
static bool filter_zooms(const struct rpt_view *view,
			 struct rpt_report_args *args, char *tid, size_t len)
{
	for (uint32_t i = 0; i < view->zoom_nr; i++) {
		const struct rpt_view_zoom *zoom = &view->zooms[i];

		if (zoom->kind != RPT_ZOOM_SYMBOL && zoom->text &&
		    strchr(zoom->text, ','))
			return false;
		switch (zoom->kind) {
		case RPT_ZOOM_DSO:
			args->filter.dsos = zoom->text;
			break;
		case RPT_ZOOM_COMM:
			args->filter.comms = zoom->text;
			break;
		case RPT_ZOOM_SYMBOL:
			args->rows.symbol_part = zoom->text;
			break;
		default:
			snprintf(tid, len, "%u", zoom->tid);
			args->filter.tids = tid;
		}
	}
	return true;
}

#define NS_PER_S UINT64_C(1000000000)

/* Set the filter that the range is: to the block's last nanosecond. */
static void filter_range(const struct rpt_top *top,
			 struct rpt_report_args *args, char *times, size_t len)
{
	const struct rpt_view_range *range = &top->screen.view.range;
	const struct rpt_time_blocks *blocks = &top->live.report->blocks;
	uint64_t from = blocks->first_ns + range->first * blocks->len_ns;
	uint64_t to =
		range->end == range->block_nr
			? blocks->first_ns + blocks->span_ns
			: blocks->first_ns + range->end * blocks->len_ns - 1;

	if (!rpt_view_has_range(&top->screen.view))
		return;
	snprintf(times, len, "%" PRIu64 ".%09" PRIu64 ",%" PRIu64 ".%09" PRIu64,
		 from / NS_PER_S, from % NS_PER_S, to / NS_PER_S,
		 to % NS_PER_S);
	args->filter.times = times;
	args->filter.is_relative = false;
}

void rpt_finished_write_file(struct rpt_top *top, const char *path)
{
	struct rpt_report_args args = top->screen.report;
	struct rpt_view *view = &top->screen.view;
	char tid[16], times[64], host[HOST_NAME_MAX + 1] = "";
	struct pd_err err = PD_ERR_INIT;
	char *whole;

	if (view->hide.kernel || view->hide.user) {
		rpt_view_say(view, "no file leaves out samples of a mode: K "
				   "and U show them again");
		return;
	}
	if (!filter_zooms(view, &args, tid, sizeof(tid))) {
		rpt_view_say(view, "no file is of a name with a comma: Esc "
				   "undoes that");
		return;
	}
	filter_range(top, &args, times, sizeof(times));
	if (top->write(&args, path, &err)) {
		rpt_view_say(view, "%s", err.text);
		return;
	}
	gethostname(host, sizeof(host) - 1);
	whole = realpath(path, NULL);
	if (whole && sup_is_plain_word(whole))
		rpt_view_say(view, "written; elsewhere: scp %s:%s .", host,
			     whole);
	else
		rpt_view_say(view, "%s is written", path);
	free(whole);
}

static int wait_for_keys(struct rpt_top *top, struct pd_err *err)
{
	struct pollfd fd = { .fd = top->screen.screen.key_fd,
			     .events = POLLIN };

	if (poll(&fd, 1, rpt_top_wait_ms(top)) < 0 && errno != EINTR)
		return pd_err_set(err, -errno, "poll: %s", strerror(errno));
	return rpt_top_screen_keys(&top->screen, fd.revents, err);
}

static void take_warning(void *ctx, const char *text)
{
	fprintf(ctx, "%s\n", text);
}

/* Print the warnings, and keep them and the header for the screen.  Return the
 * exit code of a report. */
static int take_facts(struct rpt_top *top)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	long warnings_len;
	int exit_code;

	if (!out)
		rpt_shortage_of_memory();
	/* whether rows are shown is seen on the screen */
	top->live.report->whole.shown_nr = 1;
	sup_message_listen(take_warning, out);
	exit_code = rpt_report_files_warn(&top->live.files);
	sup_message_listen(NULL, NULL);
	warnings_len = ftell(out);
	rpt_report_print_header(top->live.report, out);
	fclose(out);
	rpt_top_code_take(&top->screen.facts, text, len);
	top->has_warnings = warnings_len > 0;
	return exit_code;
}

/* Let the user look, until it is enough. */
static int look(struct rpt_top *top, struct pd_err *err)
{
	int rc;

	rpt_top_catch_signals();
	rc = rpt_top_screen_open(&top->screen, top, err);
	top->has_screen = !rc;
	if (rc) {
		err->code = 0;
		rc = -ENOTTY;
	}
	while (!rc && !top->is_ended && !rpt_top_is_stopped())
		rc = wait_for_keys(top, err);
	rpt_top_screen_close(&top->screen);
	return rc;
}

int rpt_finished_run(const struct rpt_report_args *args,
		     rpt_finished_write *write, const char **ret_path,
		     int *ret_exit, struct pd_err *err)
{
	const struct rpt_top_args as_top = { .report = *args };
	struct rpt_top *top = rpt_alloc_zeroed(1, sizeof(*top));
	int rc;

	*top = (struct rpt_top){
		.args = &as_top,
		.fd = -1,
		.is_finished = true,
		.write = write,
	};
	rc = rpt_live_report_read(&top->live, args, err);
	*ret_path = top->live.path;
	rpt_progress_end();
	if (!rc && !rpt_profile_sample_nr(&top->live.report->profile))
		rc = -ENOTTY;
	if (!rc)
		*ret_exit = take_facts(top);
	if (!rc)
		rc = look(top, err);
	rpt_live_report_release(&top->live);
	free(top);
	return rc;
}
