#include "report/cli/debuginfod_options.h"

#include "report/base/progress.h"
#include "format/support/safe_text.h"

#include "format/support/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

int rpt_parse_debuginfod(void *conf, const char *arg, bool unset,
			 struct pd_err *err)
{
	struct rpt_debuginfod_args *args = conf;

	(void)err;
	args->is_asked = !unset;
	args->urls = arg;
	return 0;
}

/* Show a line of progress, which is erased at the end. */
static void show_progress(void *ctx, const char *name, uint64_t len,
			  uint64_t total_len)
{
	(void)ctx;
	fputs("\r\33[Kdebuginfod: ", stderr);
	sup_put_safe_text(stderr, name);
	fprintf(stderr, ": %.1f", (double)len / 1e6);
	if (total_len)
		fprintf(stderr, " of %.1f", (double)total_len / 1e6);
	fputs(" MB", stderr);
	fflush(stderr);
}

static void warn_unfetched(const struct rpt_fetched *fetched)
{
	if (fetched->left_nr)
		sup_message("debuginfod: the time was over: %" PRIu32
			    " file%s not fetched (--debuginfod-limit)",
			    fetched->left_nr, fetched->left_nr == 1 ? "" : "s");
	if (fetched->is_unreachable)
		sup_message("debuginfod: %" PRIu32 " of %" PRIu32
			    " files came; a server does not answer",
			    fetched->found_nr, fetched->asked_nr);
	else if (fetched->found_nr < fetched->asked_nr)
		sup_message("debuginfod: no server has %" PRIu32 " of %" PRIu32
			    " files",
			    fetched->asked_nr - fetched->found_nr,
			    fetched->asked_nr);
}

int rpt_fetch_requests(const struct rpt_debuginfod_args *args,
		       const struct rpt_debug_request *requests, size_t nr,
		       struct pd_err *err)
{
	bool is_terminal = isatty(STDERR_FILENO);
	struct rpt_debuginfod_conf conf = {
		.urls = args->urls,
		.limit_ns = args->limit_ns,
		.progress = is_terminal ? show_progress : NULL,
	};
	struct rpt_fetched fetched = { 0 };
	struct rpt_debuginfod *d;
	int rc = rpt_debuginfod_open(&d, &conf, err);

	if (rc)
		return rc;
	rpt_progress_end(); /* its own is shown */
	for (size_t i = 0; i < nr; i++)
		rpt_fetch_debug(d, requests[i].profile,
				requests[i].are_lines_wanted, &fetched);
	if (is_terminal && fetched.asked_nr)
		fputs("\r\33[K", stderr);
	warn_unfetched(&fetched);
	rpt_debuginfod_close(d);
	return 0;
}
