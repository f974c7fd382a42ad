#include "record/recording/self_usage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "record/base/runtime.h"
#include "record/base/read_file.h"

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

/* The most memory that this program had.  Not getrusage()'s: that survives
 * exec(), so that it may be the launcher's. */
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

void rec_self_usage_read(struct rec_recording *rec, struct pd_trailer_cost *ret)
{
	struct rusage usage = { 0 };
	struct rec_counts counts;
	uint64_t written_len, spilled_len = 0;

	pthread_mutex_lock(&rec->sink.lock);
	counts = rec->sink.counts;
	written_len = rec->sink.written_len;
	pthread_mutex_unlock(&rec->sink.lock);
	for (size_t i = 0; i < rec->rounds.feed_nr; i++)
		spilled_len +=
			rec_ring_reader_pressed_len(&rec->rounds.feeds[i]);
	getrusage(RUSAGE_SELF, &usage);
	*ret = (struct pd_trailer_cost){
		.user_ns = ns_of(&usage.ru_utime),
		.system_ns = ns_of(&usage.ru_stime),
		.peak_rss_len = peak_rss_len(),
		.wakeup_nr = rec->wakeup_nr,
		.sample_nr = counts.sample_nr,
		.throttle_nr = counts.throttle_nr,
		.plain_len = counts.plain_len,
		.written_len = written_len,
		.startup_ns = rec->started_ns - rec->begin_ns,
		.recorded_ns = rec_now_ns() - rec->started_ns,
		.thread_nr = rec->rounds.plan.thread_nr,
		.spilled_len = spilled_len,
		.cut_nr = rec->losses.cut_nr,
		.dropped_nr = rec->losses.dropped_nr,
		.max_rate_before_hz = rec->max_rate_hz,
		.max_rate_after_hz = rec_max_sample_rate(),
	};
}
