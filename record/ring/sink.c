/* What all drain threads share. */
#include "record/ring/drain.h"

#include <string.h>

int rec_sink_init(struct rec_sink *sink, struct rec_output *out)
{
	int code;

	memset(sink, 0, sizeof(*sink));
	sink->out = out;
	sink->counts.time_lo_ns = UINT64_MAX;
	code = rec_frame_index_init(&sink->index,
				    out->is_pipe ? NULL : out->path);
	return code ? code : -pthread_mutex_init(&sink->lock, NULL);
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
	sink->counts = (struct rec_counts){ .time_lo_ns = UINT64_MAX };
	sink->file_len = sink->written_len = sink->late_len = 0;
	rec_frame_index_release(&sink->index);
	return rec_frame_index_init(&sink->index, sink->out->path);
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
