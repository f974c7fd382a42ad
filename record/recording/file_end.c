/* file_end.c: what was lost, what the machine is, and the last header. */
#include "record/recording/recording.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "record/recording/self_usage.h"
#include "record/recording/file_features.h"

/* Asks the kernel what each event lost; those that lost something get a
 * record. */
static int write_losses(struct rec_recording *rec)
{
	const struct rec_loss_source source = rec_loss_source(rec);
	struct pd_buf b = PD_BUF_INIT;
	int code;

	rec_loss_table_end(&rec->losses, &source, rec->sink.counts.time_hi_ns,
			   &b);
	code = rec_append_records(rec, &b);
	pd_buf_release(&b);
	return code;
}

/* Whether a task is left that inherited an event: the command started it and
 * did not wait for its end. */
static bool is_any_left(const struct rec_open_set *open)
{
	for (size_t i = 0; i < open->nr; i++) {
		struct pollfd fd = { .fd = open->fds[i].fd };

		if (open->fds[i].tid != -1 &&
		    (poll(&fd, 1, 0) != 1 || !(fd.revents & POLLHUP)))
			return true;
	}
	return false;
}

/* trailer.h; what ran when we had to stop, what began late or failed, and what
 * others went on with, is no whole. */
static uint32_t whole_command(const struct rec_recording *rec)
{
	const struct rec_args *args = rec->args;
	const struct rec_workload *w = &rec->workload;

	if (!args->workload || args->attr.target != REC_TARGET_COMMAND ||
	    args->attr.no_inherit || args->attr.overwrite || args->control ||
	    args->delay.is_given || args->switch_output.is_on ||
	    rec->ended_workload || rec->lost_workload || rec->is_stopped ||
	    rec->control.stop_signal || !w->reaped ||
	    !WIFEXITED(w->wait_status) || WEXITSTATUS(w->wait_status) ||
	    is_any_left(&rec->open))
		return 0;
	return (uint32_t)(args->workload - args->argv) + 1;
}

static void write_trailer(struct rec_recording *rec, const uint64_t *features,
			  struct pd_buf *b)
{
	struct pd_file_sums sums;
	struct pd_trailer trailer = {
		.losses = rec->losses.rows,
		.loss_nr = rec->losses.nr,
		.rates = rec->cpu_limit.rates,
		.rate_nr = rec->cpu_limit.rate_nr,
		.whole_command = whole_command(rec),
	};

	/* only read */
	trailer.frames =
		(struct pd_trailer_frame *)(uintptr_t)rec_frame_index_all(
			&rec->sink.index, &trailer.frame_nr);
	rec_self_usage_read(rec, &trailer.cost);
	rec_output_sum(&rec->out, features, b, &sums);
	trailer.has_sums = true;
	trailer.sums = sums.items;
	trailer.sum_nr = sums.nr;
	/* Without an index nobody knows which records it is of. */
	if (trailer.frames)
		trailer.rest_hash = pd_hash_get(rec->out.rest);
	pd_trailer_write(b, &trailer);
}

static int write_tail(struct rec_recording *rec, struct pd_err *err)
{
	uint64_t features[PD_FEATURE_BITS / 64] = { 0 };
	struct pd_buf tail = PD_BUF_INIT;
	int code = rec_output_checkpoint(&rec->out);

	if (code)
		return code;
	code = rec_features_write(rec, &tail, rec->out.len, features, err);
	/* Without that end the file is what a kill leaves, which perf reads;
	 * with half of it, perf reads none. */
	write_trailer(rec, features, &tail);
	if (!code)
		code = pd_buf_status(&tail);
	if (!code) {
		code = rec_output_finish(&rec->out, features, &tail);
	} else {
		pd_err_set(err, code, "the file's end: %s", strerror(-code));
		pd_err_hint(err, "what was recorded is in the file and can be "
				 "read; what describes the machine is not");
	}
	pd_buf_release(&tail);
	return code;
}

/* A pipe has no sections: what was read follows as records. */
static int write_pipe_build_ids(struct rec_recording *rec)
{
	struct pd_buf b = PD_BUF_INIT;
	int code = rec_build_ids_write(rec, &b, NULL);

	if (!code)
		code = rec_append_records(rec, &b);
	pd_buf_release(&b);
	return code == -ENOENT ? 0 : code;
}

int rec_file_end(struct rec_recording *rec, struct pd_err *err)
{
	int ended = rec_drain_flush(&rec->drain);
	int code = write_losses(rec);

	if (!code)
		code = ended;
	if (!code)
		code = rec->out.is_pipe ? write_pipe_build_ids(rec)
					: write_tail(rec, err);
	/* What failed first says more. */
	if (code && rec->out.err.code && err && !err->code)
		*err = rec->out.err;
	else if (code)
		pd_err_set(err, code, "the file's end: %s", strerror(-code));
	return code;
}
