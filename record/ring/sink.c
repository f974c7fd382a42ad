#include "record/ring/sink.h"

#include <string.h>

void rec_counts_add(struct rec_counts *sum, const struct rec_counts *more)
{
	sum->sample_nr += more->sample_nr;
	sum->lost_nr += more->lost_nr;
	sum->throttle_nr += more->throttle_nr;
	sum->plain_len += more->plain_len;
	if (more->time_lo_ns < sum->time_lo_ns)
		sum->time_lo_ns = more->time_lo_ns;
	if (more->time_hi_ns > sum->time_hi_ns)
		sum->time_hi_ns = more->time_hi_ns;
}

int rec_sink_init(struct rec_sink *sink, struct rec_output *out)
{
	int rc;

	memset(sink, 0, sizeof(*sink));
	sink->out = out;
	sink->counts = sink->covered = REC_COUNTS_NONE;
	sink->sample_room = UINT64_MAX;
	rc = rec_frame_index_init(&sink->index,
				  out->is_pipe ? NULL : out->path);
	return rc ? rc : -pthread_mutex_init(&sink->lock, NULL);
}

void rec_sink_release(struct rec_sink *sink)
{
	if (!sink->out)
		return;
	pthread_mutex_destroy(&sink->lock);
	rec_frame_index_release(&sink->index);
	sink->out = NULL;
}

int rec_sink_restart(struct rec_sink *sink)
{
	sink->counts = sink->covered = REC_COUNTS_NONE;
	sink->file_len = sink->written_len = sink->late_len = sink->cut_nr = 0;
	rec_frame_index_release(&sink->index);
	return rec_frame_index_init(&sink->index, sink->out->path);
}

bool rec_sink_take_sample(struct rec_sink *sink)
{
	uint64_t room = rec_sink_sample_room(sink);

	while (room && !__atomic_compare_exchange_n(
			       &sink->sample_room, &room, room - 1, true,
			       __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
	return room > 0;
}

int rec_sink_append(struct rec_sink *sink, struct pd_trailer_frame *frame,
		    const struct rec_counts *counts, const struct iovec *parts,
		    int part_nr, unsigned flags)
{
	uint64_t before_len;
	int rc;

	pthread_mutex_lock(&sink->lock);
	before_len = sink->out->len;
	if (flags & REC_FRAME_BEGINS)
		frame->file_off = before_len;
	rc = rec_output_append(sink->out, parts, part_nr);
	__atomic_sub_fetch(&sink->open_len, counts->plain_len,
			   __ATOMIC_RELAXED);
	frame->file_len = sink->out->len - frame->file_off;
	frame->sample_nr += (uint32_t)counts->sample_nr;
	__atomic_store_n(&sink->file_len, sink->out->len, __ATOMIC_RELAXED);
	sink->cut_nr += sink->out->is_cut ? counts->sample_nr : 0;
	if (!rc && !sink->out->is_cut) {
		rec_counts_add(&sink->counts, counts);
		if (flags & REC_FRAME_IS_LATE)
			sink->late_len += counts->plain_len;
		sink->written_len += sink->out->len - before_len;
	}
	/* A pipe has no trailer. */
	if (!rc && flags & REC_FRAME_ENDS && !sink->out->is_pipe &&
	    !sink->out->is_cut) {
		if (flags & REC_FRAME_IS_PLAIN)
			rec_frame_index_add_plain(&sink->index, frame, parts,
						  part_nr, REC_FRAME_LEN);
		else
			rec_frame_index_add(&sink->index, frame);
	}
	pthread_mutex_unlock(&sink->lock);
	return rc;
}

int rec_sink_checkpoint(struct rec_sink *sink)
{
	int rc = rec_output_checkpoint(sink->out);

	if (!rc)
		sink->covered = sink->counts;
	return rc;
}

bool rec_sink_try_counts(struct rec_sink *sink, struct rec_counts *ret)
{
	if (pthread_mutex_trylock(&sink->lock))
		return false;
	*ret = sink->counts;
	pthread_mutex_unlock(&sink->lock);
	return true;
}

void rec_sink_end(struct rec_sink *sink)
{
	if (!sink->out->is_pipe && sink->out->covered != sink->out->len)
		sink->counts = sink->covered;
}

uint64_t rec_sink_expect_len(struct rec_sink *sink, uint64_t pending_len)
{
	double ratio = 1;
	uint64_t len;

	pthread_mutex_lock(&sink->lock);
	len = sink->out->len;
	if (sink->counts.plain_len)
		ratio = (double)sink->written_len /
			(double)sink->counts.plain_len;
	pending_len += __atomic_load_n(&sink->open_len, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&sink->lock);
	return len + (uint64_t)(ratio * (double)pending_len);
}
