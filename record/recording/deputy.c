#include "record/recording/deputy.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "format/file/layout.h"
#include "record/base/runtime.h"
#include "record/recording/drain_schedule.h"
#include "record/recording/session.h"
#include "record/ring/affinity.h"
#include "record/service/service.h"
#include "record/targets/privileges.h"

/* A main thread that is awake while others drain is woken by rings that fill.
 */
enum { AWAY_MS = 2, BUSY_MS = 20, LINE_LEN = 256 };
/* While little comes (rec_schedule_has_little()), and no ring woke it, it is
 * not missed for so long: a thread that waits for a CPU is seldom back in 2 ms.
 */
enum { CALM_MS = 20 };

#define PACK_NS UINT64_C(4000000)

#define TELL_NS UINT64_C(1000000000)

/* The deputy's thread. */

bool rec_deputy_is_ending(const struct rec_deputy *d)
{
	const struct rec_control *control = &d->session->control;
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t came;

	if (__atomic_load_n(&d->is_ending, __ATOMIC_RELAXED))
		return true;
	if (sigpending(&came))
		return false;
	for (int i = 0; i < 3; i++)
		if (sigismember(&came, ends[i]) &&
		    sigismember(&control->set, ends[i]) &&
		    !(ends[i] == SIGHUP && control->is_reload))
			return true;
	return false;
}

static void *print(void *text)
{
	fputs(text, stderr);
	free(text);
	return NULL;
}

/* Print a line by a thread that may wait for as long as it takes. */
static void say(const char *text)
{
	pthread_t thread;
	char *line;

	if (asprintf(&line, "[ perfpair-record: %s ]\n", text) < 0)
		return;
	if (rec_thread_start(&thread, "say", print, line))
		free(line);
	else
		pthread_detach(thread);
}

static void describe(const struct rec_deputy *d, bool ends, uint64_t waited_ns,
		     char ret[LINE_LEN])
{
	const char *path = d->session->args->output;
	uint64_t waiting_len = rec_schedule_waiting_len(d->schedule);

	snprintf(ret, LINE_LEN,
		 "%s, waiting for %.99s, which has taken nothing for %.1f s; "
		 "%.1f MB wait in spare memory",
		 ends ? "ending: no more samples are taken" : "recording",
		 path ? path : "the output", (double)waited_ns / 1e9,
		 (double)waiting_len / 1024.0 / 1024.0);
}

static void tell(struct rec_deputy *d, uint64_t now_ns, uint64_t waited_ns)
{
	bool ends = rec_deputy_is_ending(d), is_new = ends && !d->has_said;
	char text[LINE_LEN];

	if (is_new)
		rec_open_set_enable(&d->session->open, false, NULL);
	if (!is_new && now_ns < d->told_ns + TELL_NS)
		return;
	describe(d, ends, waited_ns, text);
	d->told_ns = now_ns;
	__atomic_store_n(&d->has_told, true, __ATOMIC_RELAXED);
	rec_service_say(d->service, "STATUS=%s", text);
	if (is_new && d->session->say)
		say(text);
	d->has_said |= ends;
}

/* Relieve rings, and pack for a while.  Return true if there was something to
 * pack. */
static bool relieve(struct rec_deputy *d, uint64_t now_ns)
{
	bool has_packed;

	do {
		rec_schedule_relieve(d->schedule);
		has_packed = rec_schedule_pack(d->schedule);
	} while (has_packed && rec_now_ns() < now_ns + PACK_NS);
	return has_packed;
}

static void answer(struct rec_deputy *d, uint64_t now_ns)
{
	uint64_t since_ns = rec_io_since_ns();

	if (!since_ns || since_ns + REC_DEPUTY_PATIENCE_NS > now_ns)
		return;
	if (d->service->interval_ns &&
	    now_ns >= d->fed_ns + d->service->interval_ns) {
		rec_service_say(d->service, "WATCHDOG=1");
		d->fed_ns = now_ns;
	}
	tell(d, now_ns, now_ns - since_ns);
}

/* Wait until a timer calls. */
static void wait_for_call(const struct rec_deputy *d)
{
	struct pollfd fds[] = { { .fd = d->away_fd, .events = POLLIN },
				{ .fd = d->busy_fd, .events = POLLIN } };
	uint64_t nr;

	poll(fds, 2, -1);
	for (int i = 0; i < 2; i++)
		(void)!read(fds[i].fd, &nr, sizeof(nr));
}

/* Share the boost, once the main thread has prepared it.  Return false if it
 * has not. */
static bool join_boost(struct rec_boost *boost)
{
	if (!__atomic_load_n(&boost->is_allowed, __ATOMIC_RELAXED))
		return false;
	rec_boost_join(boost);
	if (!boost->needs_capability)
		(void)!rec_privileges_drop(0);
	return true;
}

static void *deputy_main(void *arg)
{
	/* RLIMIT_RTTIME (boost.h) wants a thread to sleep. */
	const struct timespec rest = { .tv_nsec = 200000 };
	struct rec_deputy *d = arg;
	bool has_joined = false;

	(void)!rec_privileges_drop(PD_BIT(CAP_SYS_NICE));
	rec_ask_short_slices();
	while (!__atomic_load_n(&d->stop, __ATOMIC_RELAXED)) {
		if (!has_joined)
			has_joined = join_boost(&d->schedule->boost);
		if (relieve(d, rec_now_ns()))
			nanosleep(&rest, NULL);
		else
			wait_for_call(d);
		answer(d, rec_now_ns());
	}
	return NULL;
}

/* The main thread. */

/* After first_ms, then each ms.  0: never. */
static void set_timer(int fd, long first_ms, long ms)
{
	const struct itimerspec spec = {
		.it_interval.tv_nsec = ms * 1000000,
		.it_value.tv_nsec = first_ms * 1000000,
	};

	timerfd_settime(fd, 0, &spec, NULL);
}

void rec_deputy_follow(const struct rec_deputy *deputy,
		       const struct sched_param *param)
{
	pthread_setschedparam(deputy->thread, SCHED_FIFO, param);
}

static int new_timer(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

static void close_timers(const struct rec_deputy *d)
{
	if (d->away_fd >= 0)
		close(d->away_fd);
	if (d->busy_fd >= 0)
		close(d->busy_fd);
}

int rec_deputy_start(struct rec_deputy *deputy,
		     struct rec_drain_schedule *schedule,
		     const struct rec_session *session,
		     const struct rec_service *service, struct pd_err *err)
{
	int rc;

	*deputy = (struct rec_deputy){ .schedule = schedule,
				       .session = session,
				       .service = service,
				       .away_fd = new_timer(),
				       .busy_fd = new_timer() };
	rc = deputy->away_fd < 0 ? deputy->away_fd : deputy->busy_fd;
	if (rc >= 0)
		rc = rec_thread_start(&deputy->thread, "deputy", deputy_main,
				      deputy);
	if (rc < 0) {
		close_timers(deputy);
		return pd_err_set(err, rc, "deputy thread: %s", strerror(-rc));
	}
	deputy->is_on = true;
	rec_deputy_arm(deputy, false);
	return 0;
}

void rec_deputy_end(struct rec_deputy *deputy)
{
	if (!deputy->is_on)
		return;
	__atomic_store_n(&deputy->stop, true, __ATOMIC_RELAXED);
	set_timer(deputy->away_fd, 1, 1);
	pthread_join(deputy->thread, NULL);
	close_timers(deputy);
	deputy->is_on = false;
}

void rec_deputy_arm(struct rec_deputy *deputy, bool is_calm)
{
	set_timer(deputy->away_fd, is_calm ? CALM_MS : AWAY_MS, AWAY_MS);
}

void rec_deputy_disarm(struct rec_deputy *deputy)
{
	bool is_busy = rec_pool_is_busy(&deputy->schedule->pool);

	set_timer(deputy->away_fd, 0, 0);
	if (is_busy != deputy->is_busy)
		set_timer(deputy->busy_fd, is_busy ? BUSY_MS : 0,
			  is_busy ? BUSY_MS : 0);
	deputy->is_busy = is_busy;
	if (!is_busy &&
	    __atomic_exchange_n(&deputy->has_told, false, __ATOMIC_RELAXED))
		rec_service_say(deputy->service, "STATUS=recording");
}

void rec_deputy_end_soon(struct rec_deputy *deputy)
{
	__atomic_store_n(&deputy->is_ending, true, __ATOMIC_RELAXED);
}
