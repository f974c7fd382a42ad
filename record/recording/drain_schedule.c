#include "record/recording/drain_schedule.h"

#include "record/base/memory_limit.h"
#include "record/base/runtime.h"
#include "record/recording/file.h"
#include "record/recording/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/file/layout.h"
#include "format/records/record.h"

/* A ring that fills more slowly is not urgent. */
static const uint64_t slow_ns = 100000000;

enum {
	MAIN_THREAD = 1,
	SMALL_LEN = 32 * 1024,
	LARGE_RING_LEN = 256 * 1024,
	LITTLE_FILL = 16,	/* in 1/256 */
	PIECE_LEN = 256 * 1024, /* written before the rings are checked */
	RECORD_LEN_OFF = 6,
	BUSY_MS = 20,		/* between looks whether a flush can begin */
	HELD_LEN_MAX = 4 << 20, /* of records of tasks that are not sampled */
};

static int level_of(const struct rec_drain_schedule *s)
{
	return s->session->args->level;
}

/* Set up and release. */

static int init_readers(struct rec_drain_schedule *s)
{
	const struct rec_ring_set *rings = &s->session->rings;
	int rc = 0;

	s->readers = calloc(rings->nr + 1, sizeof(*s->readers));
	if (!s->readers)
		return -ENOMEM;
	while (!rc && s->reader_nr < rings->nr) {
		struct rec_ring_reader *reader = &s->readers[s->reader_nr];

		rc = rec_ring_reader_init(reader, &rings->rings[s->reader_nr],
					  rings->maps[s->reader_nr].cpu);
		s->reader_nr++;
		if (!rc && s->spill.nr)
			rc = rec_ring_reader_allow_spill(reader, &s->spill,
							 &s->layouts);
	}
	return rc;
}

static size_t spill_len(const struct rec_session *session)
{
	uint64_t ram_len = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			   (uint64_t)sysconf(_SC_PAGESIZE);
	struct rec_memory_limit limit;

	if (session->args->spill_len != UINT64_MAX)
		return (size_t)session->args->spill_len;
	rec_memory_limit_read(&limit, "/proc");
	return rec_spill_buffer_len_default(session->rings.nr, ram_len,
					    limit.room_len);
}

static int init_plan(struct rec_drain_schedule *s,
		     const struct rec_sysroots *roots, struct pd_err *err)
{
	const struct rec_args *args = s->session->args;
	int rc = rec_thread_plan_init(&s->plan, args->threads,
				      &s->session->target, roots, err);

	if (rc || !s->plan.groups || args->affinity == REC_AFFINITY_SYS)
		return rc;
	pd_err_set(err, -EINVAL,
		   "--affinity does not go with --threads=%s, which binds its "
		   "threads",
		   args->threads);
	pd_err_hint(err, "leave one out, or give --threads a number");
	return -EINVAL;
}

int rec_schedule_init(struct rec_drain_schedule *s,
		      const struct rec_session *session, struct rec_file *file,
		      struct pd_err *err)
{
	const struct rec_sysroots roots = REC_SYSROOTS_REAL;
	const struct rec_args *args = session->args;
	int rc;

	s->session = session;
	s->file = file;
	s->cursor.thread = MAIN_THREAD;
	s->moved_idx = SIZE_MAX;
	rc = init_plan(s, &roots, err);
	if (rc)
		return rc;
	rc = rec_spill_buffer_init(&s->spill, spill_len(session));
	if (!rc)
		rc = rec_sample_layouts_init(&s->layouts, &args->events,
					     &session->open);
	s->layouts.all_have_leaf = args->attr.leaf_callers == REC_YES;
	if (!rc)
		rc = init_readers(s);
	if (!rc)
		rc = rec_epoch_init(&s->epoch, s->readers, s->reader_nr);
	if (!rc)
		rc = rec_affinity_init(&s->affinity, args->affinity, s->readers,
				       s->reader_nr, &roots);
	return rc ? pd_err_set(err, rc, "out of memory") : 0;
}

void rec_schedule_release(struct rec_drain_schedule *s)
{
	rec_pool_release(&s->pool);
	rec_drain_release(&s->drain);
	for (size_t i = 0; i < s->reader_nr; i++)
		rec_ring_reader_release(&s->readers[i]);
	rec_held_tasks_free(s->held);
	s->held = NULL;
	free(s->readers);
	s->readers = NULL;
	s->reader_nr = 0;
	rec_epoch_free(&s->epoch);
	rec_affinity_release(&s->affinity);
	rec_sample_layouts_release(&s->layouts);
	rec_spill_buffer_release(&s->spill);
	rec_thread_plan_release(&s->plan);
}

/* End rounds. */

/* Return how much may wait for a checkpoint and marker: a frame per thread. */
static uint64_t flush_len(const struct rec_drain_schedule *s)
{
	return (uint64_t)REC_FRAME_LEN * s->pool.nr;
}

/* Return half of the flush interval for a slow level: the other half is for a
 * run that has just begun and for the flush itself. */
static uint64_t flush_after_ns(const struct rec_drain_schedule *s)
{
	uint64_t interval_ns = s->session->args->flush_interval_ns;

	return rec_level_is_slow(level_of(s)) ? interval_ns / 2 : interval_ns;
}

static uint64_t flush_due_ns(const struct rec_drain_schedule *s)
{
	return s->flushed_ns + flush_after_ns(s);
}

uint64_t rec_schedule_due_ns(struct rec_drain_schedule *s, uint64_t now_ns)
{
	uint64_t due_ns = flush_due_ns(s);

	return due_ns <= now_ns && rec_pool_is_busy(&s->pool)
		       ? now_ns + BUSY_MS * UINT64_C(1000000)
		       : due_ns;
}

/* All records are in the file, except those of tasks that the main thread may
 * be writing: mark the round, and write the checkpoint. */
static int end_round(struct rec_drain_schedule *s)
{
	static const struct rec_record_header marker = {
		PD_RECORD_FINISHED_ROUND, 0, sizeof(marker)
	};
	struct iovec part = { (void *)(uintptr_t)&marker, sizeof(marker) };
	struct rec_output *out = &s->file->out;
	int rc = 0;

	s->round_ns[0] = s->round_ns[1];
	s->round_ns[1] = rec_schedule_newest_ns(s);

	pthread_mutex_lock(&s->file->sink.lock);
	/* Else a reader would process samples before it knows what runs. */
	if (!s->session->is_tail)
		rc = rec_output_append_loose(out, &part, 1);
	if (!rc)
		rc = rec_sink_checkpoint(&s->file->sink);
	pthread_mutex_unlock(&s->file->sink.lock);
	return rc;
}

/* While tasks are held, the main thread does not write beside a pool that ends
 * a round (holds_markers), and has no open frame. */
static int end_round_of_pool(void *ctx)
{
	struct rec_drain_schedule *s = ctx;
	int rc = s->held ? rec_drain_held(&s->drain, s->round_ns[0]) : 0;

	if (!rc && s->held)
		rc = rec_drain_flush(&s->drain);
	return rc ? rc : end_round(s);
}

static void show_held(void *ctx, const struct pd_record *record, bool is_new)
{
	struct rec_drain_schedule *s = ctx;

	pthread_mutex_lock(&s->file->sink.lock);
	if (rec_side_watch_wants(s->watch, record->type))
		s->watch->see_wanted(s->watch->ctx, record, is_new);
	pthread_mutex_unlock(&s->file->sink.lock);
}

static int start_holding(struct rec_drain_schedule *s,
			 const struct rec_shape *shape, struct pd_err *err)
{
	const struct rec_held_conf conf = {
		.time_back = shape->other_time_back,
		.len_max = HELD_LEN_MAX,
		.keeps = rec_session_sees_all(s->session),
		.show = show_held,
		.ctx = s,
	};

	if (!shape->samples_have_tasks || !shape->other_time_back ||
	    shape->id_len != rec_session_id_len(s->session)) {
		pd_err_set(err, -EINVAL,
			   "--sideband=sampled needs the task and the time of "
			   "each sample");
		pd_err_hint(err, "leave out --sideband or what takes them "
				 "away");
		return -EINVAL;
	}
	s->held = rec_held_tasks_new(&conf);
	return s->held ? rec_drain_hold(&s->drain, s->held) : -ENOMEM;
}

void rec_schedule_next_file(struct rec_drain_schedule *s)
{
	s->round_ns[0] = s->round_ns[1] = 0;
	if (s->held)
		rec_held_tasks_restart(s->held);
}

int rec_schedule_start(struct rec_drain_schedule *s,
		       const struct rec_side_watch *watch, struct pd_err *err)
{
	struct rec_pool_conf conf = {
		.plan = &s->plan,
		.affinity = &s->affinity,
		.epoch = &s->epoch,
		.sink = &s->file->sink,
		.layouts = &s->layouts,
		.level = level_of(s),
		.slow_ns = flush_after_ns(s) / 2,
		.watch = watch->types ? watch : NULL,
		.end_round = end_round_of_pool,
		.ctx = s,
	};
	int rc;

	rec_shape_init(&conf.shape, &s->session->args->events);
	/* A thread that is busy with one block of a slow level for long must
	 * not have real-time priority. */
	if (!rec_level_is_slow(conf.level))
		conf.boost = &s->boost;
	s->watch = watch;
	rc = rec_drain_init(&s->drain, conf.sink, &conf.shape, conf.level);
	rec_drain_expect_little(&s->drain);
	if (!rc && s->session->args->holds_tasks)
		rc = start_holding(s, &conf.shape, err);
	conf.held = s->held;
	if (!rc && conf.watch)
		rc = rec_drain_watch(&s->drain, watch);
	if (!rc)
		rc = rec_drain_cut_stacks(&s->drain, conf.layouts);
	if (rc)
		return err->code ? rc
				 : pd_err_set(err, rc, "%s", strerror(-rc));
	/* Stack copies are shortened when copied; and what is written as it is
	 * in the ring must not hold that up. */
	s->drain.copies_first = s->layouts.has_stacks || !conf.level;
	return rec_pool_init(&s->pool, &conf, err);
}

/* Check rings that fill while nobody drains them. */

/* Set and reset the priority. */
static void look_at_boost(struct rec_drain_schedule *s)
{
	bool fills = false;

	if (!__atomic_load_n(&s->boost.is_allowed, __ATOMIC_RELAXED) ||
	    !s->spill.nr)
		return;
	for (size_t i = 0; i < s->reader_nr && !fills; i++)
		fills = rec_ring_reader_fill(&s->readers[i]) >=
			REC_RING_READER_HALF;
	rec_boost_look(&s->boost, fills, rec_now_ns());
}

static void relieve(struct rec_drain_schedule *s, bool of_epoch)
{
	look_at_boost(s);
	for (size_t i = 0; i < s->reader_nr && s->spill.nr; i++)
		if (rec_ring_reader_fill(&s->readers[i]) >=
		    REC_RING_READER_BEHIND)
			rec_ring_reader_try_spill(&s->readers[i], of_epoch);
}

void rec_schedule_relieve(struct rec_drain_schedule *s)
{
	relieve(s, false);
}

bool rec_schedule_has_little(const struct rec_drain_schedule *s)
{
	bool has_little = !s->layouts.has_long_stacks;

	for (size_t i = 0; i < s->reader_nr && has_little; i++)
		has_little = s->readers[i].ring->data_len >= LARGE_RING_LEN &&
			     rec_ring_reader_fill(&s->readers[i]) < LITTLE_FILL;
	return has_little;
}

bool rec_schedule_pack(struct rec_drain_schedule *s)
{
	bool is_packed = false;

	for (size_t i = 0; i < s->reader_nr && s->spill.nr &&
			   rec_spill_buffer_is_scarce(&s->spill);
	     i++)
		is_packed |= rec_ring_reader_try_pack(&s->readers[i]);
	return is_packed;
}

/* Drain an epoch. */

/* Drain all rings of the epoch that this thread may take. */
static int drain_here(struct rec_drain_schedule *s, bool flush)
{
	struct rec_ring_reader *reader;
	int rc = 0;

	rec_epoch_enter(&s->cursor);
	while (!rc && (reader = rec_epoch_take(&s->epoch, &s->cursor))) {
		rec_affinity_follow(&s->affinity, (size_t)(reader - s->readers),
				    &s->moved_idx);
		rc = rec_drain_ring(&s->drain, reader, &s->bad_ring);
		/* An unreadable ring does not end the others' recording. */
		if (rc == -EBADMSG)
			rc = 0;
	}
	if (rc || !flush)
		return rc;
	/* The frame stays open in the file: as long as this thread has the
	 * rings, nobody else appends one. */
	rc = rec_drain_held(&s->drain, s->round_ns[0]);
	if (!rc)
		rc = rec_drain_sync(&s->drain);
	rec_epoch_release(&s->epoch, MAIN_THREAD, REC_EPOCH_NO_FRAME);
	return rc ? rc : end_round(s);
}

/* End this thread's frame, so that the pool may take its rings; the pool's
 * threads keep the rings in their frames. */
static int drain_by_pool(struct rec_drain_schedule *s, bool flush,
			 struct pd_err *err)
{
	int rc;

	/* This thread is awake, the pool's are not yet: it spills full rings
	 * itself, unless they are to be drained near their CPU.  The maps that
	 * cut samples are known up to the epoch's end. */
	if (!s->plan.groups && !s->affinity.sets)
		relieve(s, s->layouts.code != NULL);
	rc = rec_drain_flush(&s->drain);
	rec_epoch_release(&s->epoch, MAIN_THREAD, REC_EPOCH_NO_FRAME);
	return rc ? rc : rec_pool_run(&s->pool, flush, err);
}

/* Return true if there is time to drain here, by the rate since the last
 * epoch. */
static bool is_slow(const struct rec_drain_schedule *s, uint64_t since_ns)
{
	if (s->plan.groups)
		return false; /* only those threads may drain the rings */
	if (rec_level_is_slow(level_of(s)))
		return false; /* this thread must watch the rings */
	if (s->epoch.bytes_len <= SMALL_LEN)
		return true;
	return s->epoch.fill < REC_RING_READER_HALF &&
	       since_ns * 256 / (s->epoch.fill + 1) > slow_ns;
}

/* Once the heads are loaded, choose who drains and whether the round ends. */
static int run_epoch(struct rec_drain_schedule *s, bool force_flush,
		     struct pd_err *err)
{
	uint64_t now_ns = rec_now_ns();
	bool here = is_slow(s, now_ns - s->drained_ns);
	bool flush;

	s->drained_ns = now_ns;
	s->unflushed_len += s->epoch.bytes_len;
	if (s->unflushed_len)
		s->is_calm = false;
	flush = force_flush || s->unflushed_len >= flush_len(s) ||
		now_ns >= flush_due_ns(s);
	/* Nobody else drains a thread's own rings: it must end its round. */
	if (here && rec_epoch_is_kept(&s->epoch, MAIN_THREAD)) {
		here = false;
		flush = true;
	}
	if (s->holds_markers)
		flush = false;
	if (flush) {
		s->flushed_ns = now_ns;
		flush = s->unflushed_len > 0;
		s->is_calm = !flush;
		s->unflushed_len = 0;
	}
	if (!s->epoch.bytes_len && !flush)
		return 0;
	return here ? drain_here(s, flush) : drain_by_pool(s, flush, err);
}

struct rec_loss_source rec_schedule_losses(const struct rec_drain_schedule *s)
{
	return (struct rec_loss_source){ .events = &s->session->args->events,
					 .open = &s->session->open,
					 .readers = s->readers,
					 .reader_nr = s->reader_nr };
}

/* Called once per interval, when nobody drains. */
static int collect_losses(struct rec_drain_schedule *s)
{
	const struct rec_loss_source source = rec_schedule_losses(s);
	uint64_t now_ns = rec_now_ns();
	struct pd_buf b = PD_BUF_INIT;
	int rc;

	if (now_ns - s->collected_ns < s->session->args->flush_interval_ns)
		return 0;
	s->collected_ns = now_ns;
	rec_spill_buffer_trim(&s->spill); /* a burst has ended */
	rec_loss_table_collect(&s->file->losses, &source, &b);
	rc = rec_file_append(s->file, &b);
	pd_buf_release(&b);
	return rc;
}

static int begin_epoch(struct rec_drain_schedule *s, bool force_flush,
		       struct pd_err *err)
{
	int rc = rec_pool_wait(&s->pool);

	if (!rc)
		rc = collect_losses(s);
	if (rc)
		return rc;
	if (s->held)
		rec_held_tasks_begin_epoch(s->held);
	rec_epoch_begin(&s->epoch, &s->bad_ring);
	rec_epoch_look(&s->epoch, &s->layouts);
	return run_epoch(s, force_flush, err);
}

static int explain(const struct rec_drain_schedule *s, int rc,
		   struct pd_err *err)
{
	return rc ? rec_file_error(s->file, rc, NULL, err) : 0;
}

int rec_schedule_drain(struct rec_drain_schedule *s, bool force_flush,
		       struct pd_err *err)
{
	int rc = begin_epoch(s, force_flush, err);

	if (!rc)
		rc = rec_pool_wait(&s->pool);
	if (s->pool.bad.code && !s->bad_ring.code)
		s->bad_ring = s->pool.bad;
	return explain(s, rc, err);
}

int rec_schedule_pump(struct rec_drain_schedule *s, struct pd_err *err)
{
	look_at_boost(s);
	if (rec_pool_want_event(&s->pool)) {
		rec_schedule_relieve(s);
		return 0;
	}
	return explain(s, begin_epoch(s, false, err), err);
}

/* Return the end of whole records of about PIECE_LEN bytes. */
static size_t piece_end(const struct pd_buf *b, size_t at)
{
	size_t start = at;

	while (at < b->len && at - start < PIECE_LEN) {
		uint16_t len;

		memcpy(&len, b->data + at + RECORD_LEN_OFF, sizeof(len));
		at += len >= PD_RECORD_HEADER_LEN ? len : PD_RECORD_HEADER_LEN;
	}
	return at;
}

int rec_schedule_write(struct rec_drain_schedule *s,
		       const struct pd_buf *records, struct pd_err *err)
{
	int rc = pd_buf_status(records);

	for (size_t at = 0, end; !rc && at < records->len; at = end) {
		end = piece_end(records, at);
		rc = rec_drain_records(&s->drain, records->data + at, end - at,
				       err);
		if (!rc)
			rc = rec_schedule_pump(s, err);
	}
	/* Once nobody else writes, the frame may end. */
	if (!rc)
		rc = rec_schedule_drain(s, false, err);
	return rc ? rc : rec_drain_flush(&s->drain);
}

/* The file's length and the newest record. */

uint64_t rec_schedule_waiting_len(const struct rec_drain_schedule *s)
{
	uint64_t len = 0;

	for (size_t i = 0; i < s->reader_nr; i++)
		len += rec_ring_reader_waiting_len(&s->readers[i]);
	return len;
}

uint64_t rec_schedule_expect_len(struct rec_drain_schedule *s)
{
	uint64_t len = rec_schedule_waiting_len(s);

	for (size_t i = 0; i < s->reader_nr; i++)
		len += rec_ring_reader_ring_len(&s->readers[i]);
	return rec_sink_expect_len(&s->file->sink, len);
}

bool rec_schedule_reaches(struct rec_drain_schedule *s, uint64_t limit_len)
{
	if (rec_schedule_expect_len(s) < limit_len)
		return false;
	/* The next drain reports an error. */
	if (rec_sink_file_len(&s->file->sink) < limit_len &&
	    rec_schedule_drain(s, true, NULL))
		return false;
	return rec_schedule_expect_len(s) >= limit_len;
}

uint64_t rec_schedule_newest_ns(const struct rec_drain_schedule *s)
{
	uint64_t newest_ns = 0;

	for (size_t i = 0; i < s->reader_nr; i++) {
		uint64_t time_ns = rec_ring_reader_time(&s->readers[i]);

		if (time_ns > newest_ns)
			newest_ns = time_ns;
	}
	return newest_ns;
}
