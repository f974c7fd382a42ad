#include "record/recording/self_usage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "record/base/runtime.h"
#include "record/base/read_file.h"
#include "record/recording/drain_schedule.h"

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_usec * 1000;
}

uint64_t rec_max_sample_rate(void)
{
	uint64_t rate = 0;

	if (rec_read_u64("/proc/sys/kernel", "perf_event_max_sample_rate",
			 &rate))
		return 0;
	return rate;
}

/* Return the most memory that this program used. getrusage()'s figure survives
 * exec(), so it may be the launcher's. */
static uint64_t peak_rss_len(void)
{
	static const char key[] = "VmHWM:";
	char text[4096];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *at;

	if (fd >= 0)
		close(fd);
	if (len < 0)
		return 0;
	text[len] = '\0';
	at = strstr(text, key);
	return at ? strtoull(at + sizeof(key) - 1, NULL, 10) * 1024 : 0;
}

void rec_self_usage_read(const struct rec_session *session,
			 struct rec_file *file,
			 const struct rec_drain_schedule *schedule,
			 struct pd_trailer_cost *ret)
{
	struct rusage usage = { 0 };
	struct rec_counts counts;
	uint64_t written_len, spilled_len = 0;

	pthread_mutex_lock(&file->sink.lock);
	counts = file->sink.counts;
	written_len = file->sink.written_len;
	pthread_mutex_unlock(&file->sink.lock);
	for (size_t i = 0; i < schedule->reader_nr; i++)
		spilled_len +=
			rec_ring_reader_pressed_len(&schedule->readers[i]);
	getrusage(RUSAGE_SELF, &usage);
	*ret = (struct pd_trailer_cost){
		.user_ns = ns_of(&usage.ru_utime),
		.system_ns = ns_of(&usage.ru_stime),
		.peak_rss_len = peak_rss_len(),
		.wakeup_nr = session->wakeup_nr,
		.sample_nr = counts.sample_nr,
		.throttle_nr = counts.throttle_nr,
		.plain_len = counts.plain_len,
		.written_len = written_len,
		.startup_ns = session->started_ns - session->begin_ns,
		.recorded_ns = rec_now_ns() - session->started_ns,
		.thread_nr = schedule->plan.thread_nr,
		.spilled_len = spilled_len,
		.cut_nr = file->losses.cut_nr,
		.dropped_nr = file->losses.dropped_nr,
		.max_rate_before_hz = session->max_rate_hz,
		.max_rate_after_hz = rec_max_sample_rate(),
	};
}
