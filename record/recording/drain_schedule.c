#include "record/recording/drain_schedule.h"

#include "record/base/runtime.h"
#include "record/recording/recording.h"

#include <errno.h>
#include <stdlib.h>

#include "format/layout.h"

/* A ring that takes longer to fill is no hurry. */
static const uint64_t slow_ns = 100000000;

enum { MAIN_THREAD = 1, SMALL_LEN = 32 * 1024 };

/* So much may wait for a checkpoint and a round marker at most: a frame of
 * each thread. */
static uint64_t flush_len(const struct rec_recording *rec)
{
	return (uint64_t)REC_FRAME_LEN * rec->rounds.pool.nr;
}

static int mark_round(struct rec_recording *rec)
{
	static const uint32_t marker[2] = { PD_RECORD_FINISHED_ROUND, 8 << 16 };
	struct iovec part = { (void *)(uintptr_t)marker, sizeof(marker) };

	return rec_output_append_loose(&rec->out, &part, 1);
}

/* All records are in the file, but for what the main thread may tell of tasks
 * meanwhile. */
static int end_round(void *ctx)
{
	struct rec_recording *rec = ctx;
	int code = 0;

	pthread_mutex_lock(&rec->sink.lock);
	/* With is_tail a reader would let samples go before it knows what
	 * runs. */
	if (!rec->is_tail)
		code = mark_round(rec);
	if (!code)
		code = rec_output_checkpoint(&rec->out);
	pthread_mutex_unlock(&rec->sink.lock);
	return code;
}

/* When the next flush is due.  A slow level gets half of the interval: in the
 * rest a run may end that has just begun, and then the flush's own. */
static uint64_t flush_after_ns(const struct rec_recording *rec)
{
	uint64_t interval_ns = rec->args->flush_interval_ns;

	return rec_level_is_slow(rec->args->level) ? interval_ns / 2
						   : interval_ns;
}

static int init_feeds(struct rec_recording *rec)
{
	int code = 0;

	rec->rounds.feeds =
		calloc(rec->rings.nr + 1, sizeof(*rec->rounds.feeds));
	if (!rec->rounds.feeds)
		return -ENOMEM;
	while (!code && rec->rounds.feed_nr < rec->rings.nr) {
		size_t i = rec->rounds.feed_nr++;

		code = rec_ring_reader_init(&rec->rounds.feeds[i],
					    &rec->rings.rings[i],
					    rec->rings.maps[i].cpu);
		if (!code && rec->rounds.spill.nr)
			code = rec_ring_reader_allow_spill(
				&rec->rounds.feeds[i], &rec->rounds.spill,
				&rec->rounds.kinds);
	}
	return code;
}

static int init_plan(struct rec_recording *rec,
		     const struct rec_sysroots *roots, struct pd_err *err)
{
	int code = rec_thread_plan_init(&rec->rounds.plan, rec->args->threads,
					&rec->target, roots, err);

	if (code || !rec->rounds.plan.groups ||
	    rec->args->affinity == REC_AFFINITY_SYS)
		return code;
	pd_err_set(err, -EINVAL,
		   "--affinity does not go with --threads=%s, which binds its "
		   "threads",
		   rec->args->threads);
	pd_err_hint(err, "leave one out, or give --threads a number");
	return -EINVAL;
}

int rec_rounds_init(struct rec_recording *rec, struct pd_err *err)
{
	const struct rec_args *args = rec->args;
	const struct rec_sysroots roots = REC_SYSROOTS_REAL;
	int code = init_plan(rec, &roots, err);

	if (code)
		return code;
	code = rec_spill_buffer_init(&rec->rounds.spill,
				     (size_t)args->spill_len);
	if (!code)
		code = rec_sample_layouts_init(&rec->rounds.kinds,
					       &args->events, &rec->open);
	if (!code)
		code = init_feeds(rec);
	if (!code)
		code = rec_epoch_init(&rec->rounds.epoch, rec->rounds.feeds,
				      rec->rounds.feed_nr);
	if (!code)
		code = rec_affinity_init(&rec->rounds.affinity, args->affinity,
					 rec->rounds.feeds, rec->rounds.feed_nr,
					 &roots);
	if (!code)
		code = rec_loss_table_init(&rec->losses, rec->open.nr);
	rec->rounds.cursor.thread = MAIN_THREAD;
	rec->rounds.moved_idx = SIZE_MAX;
	return code ? pd_err_set(err, code, "out of memory") : 0;
}

/* A thread that is busy with one block of a slow level for long must not be at
 * real-time priority. */
static bool wants_boost(const struct rec_recording *rec)
{
	return !rec_level_is_slow(rec->args->level);
}

int rec_rounds_start(struct rec_recording *rec, const struct rec_shape *shape,
		     struct pd_err *err)
{
	struct rec_pool_conf conf = {
		.plan = &rec->rounds.plan,
		.affinity = &rec->rounds.affinity,
		.epoch = &rec->rounds.epoch,
		.sink = &rec->sink,
		.shape = *shape,
		.level = rec->args->level,
		.slow_ns = flush_after_ns(rec) / 2,
		.watch = rec->drain.watch,
		.boost = wants_boost(rec) ? &rec->rounds.boost : NULL,
		.end_round = end_round,
		.ctx = rec,
	};

	return rec_pool_init(&rec->rounds.pool, &conf, err);
}

void rec_rounds_release(struct rec_recording *rec)
{
	rec_pool_release(&rec->rounds.pool);
	for (size_t i = 0; i < rec->rounds.feed_nr; i++)
		rec_ring_reader_release(&rec->rounds.feeds[i]);
	free(rec->rounds.feeds);
	rec->rounds.feeds = NULL;
	rec->rounds.feed_nr = 0;
	rec_epoch_free(&rec->rounds.epoch);
	rec_affinity_release(&rec->rounds.affinity);
	rec_sample_layouts_release(&rec->rounds.kinds);
	rec_spill_buffer_release(&rec->rounds.spill);
	rec_thread_plan_release(&rec->rounds.plan);
}

/* This thread ends its frame; the pool may take its rings.  What the pool's
 * threads keep in frames of theirs stays with them. */
static int end_own_frame(struct rec_recording *rec)
{
	int code = rec_drain_flush(&rec->drain);

	rec_epoch_release(&rec->rounds.epoch, MAIN_THREAD, REC_EPOCH_NO_FRAME);
	return code;
}

/* What this thread drained can be read.  Its frame stays open in the file: as
 * long as it has the rings, nobody else appends one. */
static int sync_own_frame(struct rec_recording *rec)
{
	int code = rec_drain_sync(&rec->drain);

	rec_epoch_release(&rec->rounds.epoch, MAIN_THREAD, REC_EPOCH_NO_FRAME);
	return code;
}

static int drain_here(struct rec_recording *rec, bool flush, struct pd_err *bad)
{
	struct rec_ring_reader *feed;
	int code = 0;

	rec_epoch_enter(&rec->rounds.cursor);
	while (!code && (feed = rec_epoch_take(&rec->rounds.epoch,
					       &rec->rounds.cursor))) {
		rec_affinity_follow(&rec->rounds.affinity,
				    (size_t)(feed - rec->rounds.feeds),
				    &rec->rounds.moved_idx);
		code = rec_drain_feed(&rec->drain, feed, bad);
		/* A ring that cannot be read does not end the others'
		 * recording. */
		if (code == -EBADMSG)
			code = 0;
	}
	if (!code && flush)
		code = sync_own_frame(rec);
	if (!code && flush)
		code = end_round(rec);
	return code;
}

/* By the rate since the epoch before: is there time enough to drain all here?
 */
static bool is_slow(const struct rec_recording *rec, uint64_t since_ns)
{
	const struct rec_epoch *epoch = &rec->rounds.epoch;

	if (rec->rounds.plan.groups)
		return false; /* the rings are for those threads */
	if (rec_level_is_slow(rec->args->level))
		return false; /* this one has to look after the rings */
	if (epoch->bytes_len <= SMALL_LEN)
		return true;
	return epoch->fill < REC_RING_READER_HALF &&
	       since_ns * 256 / (epoch->fill + 1) > slow_ns;
}

/* While this thread waits for the pool without looking, nobody could take the
 * priority back. */
static void look_at_boost(struct rec_recording *rec)
{
	struct rec_rounds *rounds = &rec->rounds;
	bool fills = false;

	if (!rounds->boost.is_allowed || !rounds->spill.nr)
		return;
	for (size_t i = 0; i < rounds->feed_nr && !fills; i++)
		fills = rec_ring_reader_fill(&rounds->feeds[i]) >=
			REC_RING_READER_HALF;
	rec_boost_look(&rounds->boost, fills, rec_now_ns());
}

void rec_rounds_relieve(struct rec_recording *rec)
{
	look_at_boost(rec);
	for (size_t i = 0; i < rec->rounds.feed_nr; i++)
		if (rec->rounds.feeds[i].spill &&
		    rec_ring_reader_fill(&rec->rounds.feeds[i]) >=
			    REC_RING_READER_BEHIND)
			rec_ring_reader_try_spill(&rec->rounds.feeds[i]);
}

/* This thread is awake, the pool's are not yet: what is in full rings it takes
 * out itself.  Not where they are to run near the ring's CPU. */
static void help_pool(struct rec_recording *rec)
{
	if (!rec->rounds.plan.groups && !rec->rounds.affinity.sets)
		rec_rounds_relieve(rec);
}

/* The heads are loaded: who drains, and does the round end? */
static int run_epoch(struct rec_recording *rec, bool force_flush,
		     struct pd_err *bad, struct pd_err *err)
{
	uint64_t now_ns = rec_now_ns();
	bool here = is_slow(rec, now_ns - rec->rounds.drained_ns);
	bool flush;
	int code;

	rec->rounds.drained_ns = now_ns;
	rec->rounds.unflushed_len += rec->rounds.epoch.bytes_len;
	flush = force_flush || rec->rounds.unflushed_len >= flush_len(rec) ||
		now_ns - rec->rounds.flushed_ns >= flush_after_ns(rec);
	/* What a thread keeps nobody else drains: it has to end its round. */
	if (here && rec_epoch_is_kept(&rec->rounds.epoch, MAIN_THREAD)) {
		here = false;
		flush = true;
	}
	/* No marker before a new file knows all that is of time 0. */
	if (rec->slices.is_telling)
		flush = false;
	if (flush) {
		rec->rounds.flushed_ns = now_ns;
		flush = rec->rounds.unflushed_len > 0;
		rec->rounds.unflushed_len = 0;
	}
	if (!rec->rounds.epoch.bytes_len && !flush)
		return 0;
	if (here)
		return drain_here(rec, flush, bad);
	help_pool(rec);
	code = end_own_frame(rec);
	return code ? code : rec_pool_run(&rec->rounds.pool, flush, err);
}

struct rec_loss_source rec_loss_source(const struct rec_recording *rec)
{
	return (struct rec_loss_source){ .events = &rec->args->events,
					 .open = &rec->open,
					 .feeds = rec->rounds.feeds,
					 .feed_nr = rec->rounds.feed_nr };
}

/* Once an interval, when nobody drains. */
static int collect_losses(struct rec_recording *rec)
{
	const struct rec_loss_source source = rec_loss_source(rec);
	uint64_t now_ns = rec_now_ns();
	struct pd_buf b = PD_BUF_INIT;
	int code;

	if (now_ns - rec->rounds.collected_ns < rec->args->flush_interval_ns)
		return 0;
	rec->rounds.collected_ns = now_ns;
	rec_spill_buffer_trim(&rec->rounds.spill); /* a burst is over */
	rec_loss_table_collect(&rec->losses, &source, &b);
	code = rec_append_records(rec, &b);
	pd_buf_release(&b);
	return code;
}

/* So long a ring may be left alone while the pool's threads are waited for. */
enum { LOOK_MS = 2 };

/* As rec_pool_wait(), with an eye on the rings. */
static int wait_for_pool(struct rec_recording *rec)
{
	while (rec->rounds.spill.nr &&
	       rec_pool_is_busy_after(&rec->rounds.pool, LOOK_MS))
		rec_rounds_relieve(rec);
	return rec_pool_wait(&rec->rounds.pool);
}

static int begin(struct rec_recording *rec, bool force_flush,
		 struct pd_err *err)
{
	struct pd_err bad = PD_ERR_INIT;
	int code = wait_for_pool(rec);

	if (!code)
		code = collect_losses(rec);
	if (!code) {
		rec_epoch_begin(&rec->rounds.epoch, &bad);
		code = run_epoch(rec, force_flush, &bad, err);
	}
	if (bad.code && !rec->bad_ring.code)
		rec->bad_ring = bad;
	return code;
}

static int explain(const struct rec_recording *rec, int code,
		   struct pd_err *err)
{
	if (code && rec->out.err.code && err && !err->code)
		*err = rec->out.err;
	return code;
}

int rec_recording_drain(struct rec_recording *rec, bool force_flush,
			struct pd_err *err)
{
	int code = begin(rec, force_flush, err);

	if (!code)
		code = wait_for_pool(rec);
	if (rec->rounds.pool.bad.code && !rec->bad_ring.code)
		rec->bad_ring = rec->rounds.pool.bad;
	return explain(rec, code, err);
}

int rec_recording_pump(struct rec_recording *rec, struct pd_err *err)
{
	look_at_boost(rec);
	if (rec_pool_want_event(&rec->rounds.pool)) {
		rec_rounds_relieve(rec);
		return 0;
	}
	return explain(rec, begin(rec, false, err), err);
}

uint64_t rec_rounds_expect_len(struct rec_recording *rec)
{
	const struct rec_rounds *rounds = &rec->rounds;
	uint64_t len = 0;

	for (size_t i = 0; i < rounds->feed_nr; i++)
		len += rec_ring_reader_ring_len(&rounds->feeds[i]) +
		       rec_ring_reader_waiting_len(&rounds->feeds[i]);
	return rec_sink_expect_len(&rec->sink, len);
}

uint64_t rec_rounds_newest_ns(const struct rec_recording *rec)
{
	uint64_t newest_ns = 0;

	for (size_t i = 0; i < rec->rounds.feed_nr; i++) {
		uint64_t time_ns = rec_ring_reader_time(&rec->rounds.feeds[i]);

		if (time_ns > newest_ns)
			newest_ns = time_ns;
	}
	return newest_ns;
}

uint64_t rec_rounds_due_ns(const struct rec_recording *rec)
{
	return rec->rounds.flushed_ns + flush_after_ns(rec);
}
