#include "report/base/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_NS 1000000000
#define NEXT_NS	 200000000

static atomic_uint_fast64_t done, total;

static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool is_started;
	bool is_over; /* under the lock */
	bool is_shown;
	struct rpt_progress_place place;
	struct timespec start;
} line = { .lock = PTHREAD_MUTEX_INITIALIZER,
	   .wake = PTHREAD_COND_INITIALIZER };

void rpt_progress_total(uint64_t len)
{
	atomic_fetch_add_explicit(&total, len, memory_order_relaxed);
}

void rpt_progress_add(uint64_t len)
{
	atomic_fetch_add_explicit(&done, len, memory_order_relaxed);
}

void rpt_progress_text(uint64_t done_len, uint64_t total_len,
		       uint64_t second_nr, char text[RPT_PROGRESS_TEXT_LEN])
{
	uint64_t pass_nr = total_len ? done_len / total_len : 0;
	uint64_t part = total_len ? done_len % total_len : 0;

	if (part && pass_nr < 2)
		snprintf(text, RPT_PROGRESS_TEXT_LEN,
			 "reading%s %.0f %% (%" PRIu64 " s)",
			 pass_nr ? " again" : "",
			 100.0 * (double)part / (double)total_len, second_nr);
	else
		snprintf(text, RPT_PROGRESS_TEXT_LEN, "%s (%" PRIu64 " s)",
			 pass_nr ? "counting and naming" : "reading",
			 second_nr);
}

void rpt_progress_advance(struct rpt_progress_place *place, uint64_t done_len,
			  uint64_t total_len)
{
	/* as parts, which are exact enough for per cents */
	double now = total_len ? (double)done_len / (double)total_len : 0.0;
	double before = place->total_len ? (double)place->done_len /
						   (double)place->total_len
					 : 0.0;

	if (now >= before)
		*place = (struct rpt_progress_place){ done_len, total_len };
}

static void put(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));

	(void)n; /* nobody misses it */
}

/* Called with the lock held. */
static void show(const struct timespec *now)
{
	char text[RPT_PROGRESS_TEXT_LEN];
	char out[RPT_PROGRESS_TEXT_LEN + 32];

	rpt_progress_advance(&line.place, atomic_load(&done),
			     atomic_load(&total));
	rpt_progress_text(line.place.done_len, line.place.total_len,
			  (uint64_t)(now->tv_sec - line.start.tv_sec), text);
	snprintf(out, sizeof(out), "\rperfpair: %s\33[K", text);
	put(out);
	line.is_shown = true;
}

static void add_ns(struct timespec *time, long ns)
{
	time->tv_sec += (time->tv_nsec + ns) / 1000000000;
	time->tv_nsec = (time->tv_nsec + ns) % 1000000000;
}

static void *run(void *ctx)
{
	struct timespec next = line.start;

	(void)ctx;
	add_ns(&next, FIRST_NS);
	pthread_mutex_lock(&line.lock);
	while (!line.is_over) {
		if (!pthread_cond_timedwait(&line.wake, &line.lock, &next))
			continue;
		show(&next);
		add_ns(&next, NEXT_NS);
	}
	pthread_mutex_unlock(&line.lock);
	return NULL;
}

/* Return how much was written: less than len only if that failed. */
static ssize_t write_out(void *cookie, const char *data, size_t len)
{
	size_t at = 0;

	(void)cookie;
	rpt_progress_end();
	while (at < len) {
		ssize_t n = write(STDOUT_FILENO, data + at, len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		at += (size_t)n;
	}
	return (ssize_t)at;
}

/* Make stdout a stream whose first write ends the line. */
static bool watch_stdout(void)
{
#ifdef __GLIBC__
	cookie_io_functions_t calls = { .write = write_out };
	FILE *out = fopencookie(NULL, "w", calls);

	if (!out)
		return false;
	setvbuf(out, NULL, _IOFBF, 65536);
	stdout = out;
	return true;
#else
	(void)write_out; /* stdout cannot be replaced */
	return false;
#endif
}

void rpt_progress_start(bool is_out)
{
	clock_gettime(CLOCK_REALTIME, &line.start);
	if (is_out && !watch_stdout())
		return;
	line.is_started = !pthread_create(&line.thread, NULL, run, NULL);
}

void rpt_progress_end(void)
{
	bool is_first;

	if (!line.is_started)
		return;
	pthread_mutex_lock(&line.lock);
	is_first = !line.is_over;
	line.is_over = true;
	if (line.is_shown)
		put("\r\33[K");
	line.is_shown = false;
	pthread_cond_signal(&line.wake);
	pthread_mutex_unlock(&line.lock);
	if (is_first)
		pthread_join(line.thread, NULL);
}
