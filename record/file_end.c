/* file_end.c: what was lost, what the machine is, and the last header. */
#include "record/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "record/file_features.h"

/* Without what older files have told already. */
static uint64_t lost_since(struct rec_recording *rec, size_t idx,
			   uint64_t lost_nr)
{
	uint64_t before = rec->slices.lost_before[idx];

	rec->slices.lost_before[idx] = lost_nr;
	return lost_nr - before;
}

/* Asks the kernel what each event lost; those that lost something get a
 * record. */
static int write_losses(struct rec_recording *rec)
{
	struct pd_buf b = PD_BUF_INIT;
	int code;

	rec->losses = calloc(rec->open.nr, sizeof(*rec->losses));
	if (!rec->losses)
		return -ENOMEM;
	for (size_t i = 0; i < rec->open.nr; i++) {
		const struct rec_open_fd *fd = &rec->open.fds[i];
		const struct rec_event *event =
			&rec->args->events.events[fd->event_idx];
		struct rec_loss *loss = &rec->losses[rec->loss_nr];

		if (!rec_loss_read(event, fd, loss))
			continue;
		rec->losses_known = true;
		if (rec->slices.lost_before)
			loss->lost_nr = lost_since(rec, i, loss->lost_nr);
		if (!loss->lost_nr)
			continue;
		rec_loss_write(&b, event, loss);
		rec->loss_nr++;
	}
	code = rec_append_records(rec, &b);
	pd_buf_release(&b);
	return code;
}

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_usec * 1000;
}

static void fill_cost(const struct rec_recording *rec,
		      struct pd_trailer_cost *cost)
{
	const struct rec_counts *counts = &rec->sink.counts;
	struct rusage usage = { 0 };

	getrusage(RUSAGE_SELF, &usage);
	*cost = (struct pd_trailer_cost){
		.user_ns = ns_of(&usage.ru_utime),
		.system_ns = ns_of(&usage.ru_stime),
		.peak_rss_len = (uint64_t)usage.ru_maxrss * 1024,
		.wakeup_nr = rec->wakeup_nr,
		.sample_nr = counts->sample_nr,
		.throttle_nr = counts->throttle_nr,
		.plain_len = counts->plain_len,
		.startup_ns = rec->started_ns - rec->begin_ns,
	};
	for (size_t i = 0; i < rec->sink.frame_nr; i++)
		cost->written_len += rec->sink.frames[i].file_len;
}

/* The kernel only says how many, for the whole time. */
static void fill_losses(const struct rec_recording *rec,
			struct pd_trailer_loss *ret)
{
	for (size_t i = 0; i < rec->loss_nr; i++)
		ret[i] = (struct pd_trailer_loss){
			.cpu = rec->losses[i].cpu < 0
				       ? PD_TRAILER_ANY_CPU
				       : (uint32_t)rec->losses[i].cpu,
			.event_idx = rec->losses[i].event_idx,
			.lost_nr = rec->losses[i].lost_nr,
			.time_lo_ns = rec->sink.counts.time_lo_ns,
			.time_hi_ns = rec->sink.counts.time_hi_ns,
		};
}

static void write_trailer(const struct rec_recording *rec, struct pd_buf *b)
{
	/* An index that is not whole would hide frames: rather none, and the
	 * reader walks the records. */
	bool is_whole = !rec->sink.frame_dropped_nr;
	struct pd_trailer trailer = {
		.frames = rec->sink.frames,
		.frame_nr = is_whole ? rec->sink.frame_nr : 0,
		.losses = calloc(rec->loss_nr + 1, sizeof(*trailer.losses)),
	};

	fill_cost(rec, &trailer.cost);
	if (trailer.losses && is_whole) {
		trailer.loss_nr = rec->loss_nr;
		fill_losses(rec, trailer.losses);
		pd_trailer_write(b, &trailer);
	}
	free(trailer.losses);
}

static int write_tail(struct rec_recording *rec, struct pd_err *err)
{
	uint64_t features[PD_FEATURE_BITS / 64] = { 0 };
	struct pd_buf tail = PD_BUF_INIT;
	int ended, code = rec_output_checkpoint(&rec->out);

	if (code)
		return code;
	code = rec_features_write(rec, &tail, rec->out.len, features, err);
	/* What could not be made is left out and said; the rest stands. */
	write_trailer(rec, &tail);
	ended = rec_output_finish(&rec->out, features, &tail);
	pd_buf_release(&tail);
	return code ? code : ended;
}

int rec_file_end(struct rec_recording *rec, struct pd_err *err)
{
	int code = write_losses(rec);

	if (!code && !rec->out.is_pipe)
		code = write_tail(rec, err);
	if (code)
		pd_err_set(err, code, "the file's end: %s", strerror(-code));
	return code;
}
