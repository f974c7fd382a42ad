/* limits.c: limits at which a recording ends by itself. */
#include "record/recording/recording.h"

#include <inttypes.h>

void rec_limits_begin(struct rec_recording *rec)
{
	uint64_t begin_ns = rec->session.started_ns;
	uint64_t duration_ns = rec->session.args->duration_ns;

	__atomic_store_n(&rec->file.sink.sample_room,
			 rec->session.args->max_samples, __ATOMIC_RELAXED);
	rec->end_ns = UINT64_MAX;
	if (duration_ns && duration_ns < UINT64_MAX - begin_ns)
		rec->end_ns = begin_ns + duration_ns;
}

/* True if --max-size is reached. */
static bool is_full(struct rec_recording *rec)
{
	uint64_t limit_len = rec->session.args->max_len;

	if (!limit_len || !rec_schedule_reaches(&rec->schedule, limit_len))
		return false;
	rec->session.is_stopped = true;
	if (rec->session.say)
		fprintf(rec->session.say,
			"[ perfpair-record: size limit reached (%" PRIu64
			" KB), stopping session ]\n",
			rec_schedule_expect_len(&rec->schedule) / 1024);
	return true;
}

/* True if the samples of --max-samples are drained. */
static bool has_all_samples(const struct rec_recording *rec)
{
	if (rec_sink_sample_room(&rec->file.sink))
		return false;
	if (rec->session.say)
		fprintf(rec->session.say,
			"[ perfpair-record: sample limit reached (%" PRIu64
			"), stopping session ]\n",
			rec->session.args->max_samples);
	return true;
}

bool rec_limits_are_reached(struct rec_recording *rec, uint64_t now_ns)
{
	return now_ns >= rec->end_ns || is_full(rec) || has_all_samples(rec);
}
