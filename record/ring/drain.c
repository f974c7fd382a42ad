#include "record/ring/drain.h"

#include "format/file/layout.h"
#include "format/records/sample_id.h"
#include "format/records/zstd_compress.h"
#include "record/base/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Records that may not be written as they are in the ring.
 *
 * Stack copies are cut (sample_layouts.h).  And where others listen, too, the
 * kernel (Linux 6.18) writes some records with the bit of a build-id that they
 * requested, or with a length that includes their trailers. */

/* No longer record is repaired but samples: a map of the longest path, with its
 * trailer. */
enum { REC_REPAIRED_LEN_MAX = 4352 };

/* Return true if a record with this header may have to be repaired. */
static bool drain_needs_repair(const struct rec_drain *drain,
			       const struct rec_record_header *header)
{
	if (header->type == PD_RECORD_SAMPLE)
		return drain->has_whole_stacks;
	if (!drain->is_kernels || header->len > REC_REPAIRED_LEN_MAX)
		return false;
	return pd_record_may_be_long(header->type) ||
	       (header->type == PD_RECORD_MMAP2 &&
		!drain->shape.has_build_ids &&
		header->misc & PD_MISC_MMAP_BUILD_ID);
}

/* Copy the ring's next record, which needs it, into record, repaired, and
 * return its length there.  There is room for it as it is in the ring. */
static size_t drain_repair(const struct rec_drain *drain,
			   const struct rec_ring *ring, void *record)
{
	struct rec_record_header header = { 0 };

	(void)!rec_ring_header(ring, ring->tail, &header);
	rec_ring_copy(ring, ring->tail, header.len, record);
	if (header.type == PD_RECORD_SAMPLE)
		return rec_sample_cut_stack(
			drain->layouts, record, header.len,
			rec_sample_layouts_most(drain->layouts));
	if (header.type == PD_RECORD_MMAP2)
		header.misc &= (uint16_t)~PD_MISC_MMAP_BUILD_ID;
	else
		header.len = pd_record_own_len(header.type, record, header.len,
					       drain->shape.id_len);
	memcpy(record, &header, sizeof(header));
	return header.len;
}

enum { CHUNK_LEN = 64 * 1024 };

static void open_frame(struct rec_drain *drain)
{
	drain->frame_nr++;
	drain->is_in_file = false;
	drain->counts = REC_COUNTS_NONE;
	drain->frame = (struct pd_trailer_frame){
		.has_sample_nr = true,
		.time_lo_ns = UINT64_MAX,
		.cpu = PD_TRAILER_ANY_CPU,
	};
}

/* Append parts to the open frame; ends: they end it, and another is opened. */
static int append_parts(struct rec_drain *drain, const struct iovec *parts,
			int part_nr, bool ends)
{
	unsigned flags = ends ? REC_FRAME_ENDS : 0;
	int rc;

	if (!drain->is_in_file)
		flags |= REC_FRAME_BEGINS;
	if (!drain->packer)
		flags |= REC_FRAME_IS_PLAIN;
	else if (drain->packer == drain->fast)
		flags |= REC_FRAME_IS_LATE;
	rc = rec_sink_append(drain->sink, &drain->frame, &drain->counts, parts,
			     part_nr, flags);
	drain->counts = REC_COUNTS_NONE;
	drain->is_in_file = true;
	if (ends)
		open_frame(drain);
	return rc;
}

/* Count len more bytes of plain text in the open frame. */
static void add_plain_len(struct rec_drain *drain, uint64_t len)
{
	drain->frame.plain_len += len;
	drain->counts.plain_len += len;
	__atomic_add_fetch(&drain->sink->open_len, len, __ATOMIC_RELAXED);
}

int rec_drain_init(struct rec_drain *drain, struct rec_sink *sink,
		   const struct rec_shape *shape, int level)
{
	const size_t len_max = REC_FRAME_LEN + PD_RECORD_LEN_MAX;

	memset(drain, 0, sizeof(*drain));
	drain->sink = sink;
	drain->shape = *shape;
	open_frame(drain);
	drain->late_ns = UINT64_MAX;
	drain->plain = malloc(REC_SPILL_BUFFER_BLOCK_LEN);
	if (!drain->plain)
		return -ENOMEM;
	if (!level)
		return 0;
	drain->wanted = pd_zstd_compress_new(level, len_max);
	drain->packer = drain->wanted;
	if (!rec_level_is_slow(level))
		return drain->wanted ? 0 : -ENOMEM;
	drain->fast = pd_zstd_compress_new(1, len_max);
	return drain->wanted && drain->fast ? 0 : -ENOMEM;
}

void rec_drain_expect_little(struct rec_drain *drain)
{
	if (drain->wanted)
		pd_zstd_compress_expect_little(drain->wanted);
}

static int need_scratch(struct rec_drain *drain)
{
	if (!drain->scratch)
		drain->scratch = malloc(PD_RECORD_LEN_MAX);
	return drain->scratch ? 0 : -ENOMEM;
}

int rec_drain_watch(struct rec_drain *drain, const struct rec_side_watch *watch)
{
	drain->watch = watch;
	return need_scratch(drain);
}

int rec_drain_cut_stacks(struct rec_drain *drain,
			 const struct rec_sample_layouts *layouts)
{
	if (!layouts || !layouts->has_stacks)
		return 0;
	drain->layouts = layouts;
	return need_scratch(drain);
}

int rec_drain_hold(struct rec_drain *drain, struct rec_held_tasks *held)
{
	drain->held = held;
	return need_scratch(drain);
}

void rec_drain_release(struct rec_drain *drain)
{
	pd_zstd_compress_free(drain->wanted);
	pd_zstd_compress_free(drain->fast);
	drain->packer = drain->wanted = drain->fast = NULL;
	free(drain->scratch);
	free(drain->plain);
	drain->scratch = drain->plain = NULL;
}

/* Facts noted about each record. */

static void add_frame_time(struct rec_drain *drain, uint64_t time_ns)
{
	struct pd_trailer_frame *frame = &drain->frame;

	if (time_ns && time_ns < frame->time_lo_ns)
		frame->time_lo_ns = time_ns;
	if (time_ns > frame->time_hi_ns)
		frame->time_hi_ns = time_ns;
	if (drain->reader && time_ns)
		rec_ring_reader_set_time(drain->reader, time_ns);
}

/* The events have their times at different positions. */
static void allow_any_time(struct rec_drain *drain)
{
	drain->frame.time_lo_ns = 0;
	drain->frame.time_hi_ns = UINT64_MAX;
}

/* Return the first of the two numbers, of a process and a thread. */
static uint32_t pid_of(uint64_t word)
{
	uint32_t pid;

	memcpy(&pid, &word, sizeof(pid));
	return pid;
}

/* Say that a thread was sampled.  PID and TID stand before the time:
 * perf_event_open(2), PERF_RECORD_SAMPLE. */
static void note_task(struct rec_drain *drain, const struct rec_ring *ring,
		      uint64_t pos, size_t len)
{
	unsigned time_off = (unsigned)drain->shape.sample_time_off;
	uint32_t turn = rec_held_tasks_turn(drain->held);
	uint32_t task[2], *seen;
	uint64_t word;

	if (len < time_off + 8)
		return;
	word = rec_ring_u64(ring, pos + time_off - 8);
	memcpy(task, &word, sizeof(task));
	if (drain->seen.turn != turn)
		drain->seen = (struct rec_drain_seen){ .turn = turn };
	seen = &drain->seen.tids[task[1] % REC_DRAIN_SEEN_NR];
	if (*seen == task[1])
		return;
	*seen = task[1];
	rec_held_tasks_sample(drain->held, task[0], task[1],
			      rec_ring_u64(ring, pos + time_off));
}

static void count_sample(struct rec_drain *drain, const struct rec_ring *ring,
			 uint64_t pos, size_t len)
{
	struct rec_counts *counts = &drain->counts;
	int off = drain->shape.sample_time_off;
	uint64_t time_ns;

	counts->sample_nr++;
	if (drain->held)
		note_task(drain, ring, pos, len);
	if (drain->shape.sample_times_vary) {
		allow_any_time(drain);
		return;
	}
	if (off < 0 || len < (unsigned)off + 8)
		return;
	time_ns = rec_ring_u64(ring, pos + (unsigned)off);
	add_frame_time(drain, time_ns);
	if (time_ns && time_ns < counts->time_lo_ns)
		counts->time_lo_ns = time_ns;
	if (time_ns > counts->time_hi_ns)
		counts->time_hi_ns = time_ns;
}

/* Copy a record into scratch, in one piece. */
static struct pd_record copy_record(struct rec_drain *drain,
				    const struct rec_ring *ring, uint64_t pos,
				    const struct rec_record_header *header)
{
	rec_ring_copy(ring, pos, header->len, drain->scratch);
	return (struct pd_record){ .type = header->type,
				   .misc = header->misc,
				   .len = header->len,
				   .data = drain->scratch };
}

/* Show the record to the watch. */
static void show(struct rec_drain *drain, const struct rec_ring *ring,
		 uint64_t pos, const struct rec_record_header *header)
{
	struct pd_record rec = copy_record(drain, ring, pos, header);

	pthread_mutex_lock(&drain->sink->lock);
	drain->watch->see(drain->watch->ctx, &rec, drain->reader != NULL);
	pthread_mutex_unlock(&drain->sink->lock);
}

/* Count nr records that were lost between the previous record and this one. */
static void count_lost(struct rec_drain *drain, uint64_t nr, uint64_t time_ns)
{
	struct rec_ring_reader *reader = drain->reader;

	drain->counts.lost_nr += nr;
	if (reader && nr)
		rec_ring_reader_loss_add(
			&reader->lost, nr,
			reader->time_ns ? reader->time_ns : time_ns, time_ns);
}

/* Show a record to what knows where code is.  Those of rings were seen. */
static void show_code(struct rec_drain *drain, const struct rec_ring *ring,
		      uint64_t pos, const struct rec_record_header *header)
{
	if (drain->layouts && !drain->reader &&
	    rec_code_ranges_want(header->type))
		rec_sample_layouts_see(drain->layouts, ring, pos,
				       drain->has_whole_stacks);
}

/* Count a record that is not a sample. */
static void count_other(struct rec_drain *drain, const struct rec_ring *ring,
			uint64_t pos, const struct rec_record_header *header)
{
	unsigned back = drain->shape.other_time_back;
	uint64_t time_ns = 0;

	drain->frame.has_sideband = true;
	if (drain->watch && rec_side_watch_wants(drain->watch, header->type))
		show(drain, ring, pos, header);
	show_code(drain, ring, pos, header);
	if (back && header->len >= sizeof(*header) + back)
		time_ns = rec_ring_u64(ring, pos + header->len - back);
	if (header->type == PD_RECORD_LOST && drain->held)
		rec_held_tasks_lose(drain->held);
	if (header->type == PD_RECORD_LOST && header->len >= 24)
		count_lost(drain, rec_ring_u64(ring, pos + 16), time_ns);
	else if (header->type == PD_RECORD_LOST_SAMPLES && header->len >= 16)
		count_lost(drain, rec_ring_u64(ring, pos + 8), time_ns);
	else if (header->type == PD_RECORD_THROTTLE)
		drain->counts.throttle_nr++;
	add_frame_time(drain, time_ns);
	if (drain->shape.sample_times_vary)
		allow_any_time(drain);
}

/* Runs of records. */

/* Return whether the record has to be seen by held_tasks.h: all but the maps of
 * tasks that are written. */
static bool may_be_held(const struct rec_drain *drain,
			const struct rec_ring *ring, uint64_t pos,
			const struct rec_record_header *header)
{
	uint64_t task;

	if (!rec_held_type(header->type) || header->len < 16)
		return false;
	task = rec_ring_u64(ring, pos + 8);
	return (header->type != PD_RECORD_MMAP &&
		header->type != PD_RECORD_MMAP2) ||
	       !rec_held_tasks_passes_maps(drain->held, pid_of(task));
}

/* Skip whole records from the ring's tail on until want_len bytes are skipped,
 * the ring's upto is reached, one needs a repair or may be held back, or the
 * sink takes no more samples; return the end of the last one.  *ret_bad: the
 * next record is malformed. */
static uint64_t pass_records(struct rec_drain *drain,
			     const struct rec_ring *ring, size_t want_len,
			     bool *ret_bad)
{
	bool is_limited = rec_sink_sample_room(drain->sink) != UINT64_MAX;
	struct rec_record_header header;
	uint64_t pos = ring->tail;

	while (pos != ring->upto && pos - ring->tail < want_len) {
		*ret_bad = !rec_ring_header(ring, pos, &header);
		if (*ret_bad || drain_needs_repair(drain, &header) ||
		    (drain->held && pos != ring->tail &&
		     may_be_held(drain, ring, pos, &header)))
			break;
		if (is_limited && header.type == PD_RECORD_SAMPLE &&
		    !rec_sink_take_sample(drain->sink))
			break;
		drain->frame.record_nr++;
		if (header.type != PD_RECORD_SAMPLE)
			count_other(drain, ring, pos, &header);
		else
			count_sample(drain, ring, pos, header.len);
		pos += header.len;
	}
	return pos;
}

static int pack(struct rec_drain *drain, struct rec_ring *ring, uint64_t to)
{
	int rc = 0;

	while (ring->tail != to && !rc) {
		uint64_t unit = to - ring->tail;
		struct rec_span span[2];
		unsigned nr;

		if (unit > PD_ZSTD_COMPRESS_UNIT_LEN)
			unit = PD_ZSTD_COMPRESS_UNIT_LEN;
		nr = rec_ring_peek(ring, ring->tail + unit, span);
		for (unsigned i = 0; i < nr && !rc; i++)
			rc = pd_zstd_compress_add(drain->packer, span[i].ptr,
						  span[i].len);
		rec_ring_release(ring, ring->tail + unit);
	}
	return rc;
}

/* Append the whole records up to there as a frame of their own. */
static int append_plain(struct rec_drain *drain, struct rec_ring *ring,
			uint64_t to)
{
	struct rec_span span[2];
	struct iovec parts[2];
	unsigned nr = rec_ring_peek(ring, to, span);
	int rc;

	for (unsigned i = 0; i < nr; i++)
		parts[i] = (struct iovec){ (void *)(uintptr_t)span[i].ptr,
					   span[i].len };
	rc = append_parts(drain, parts, (int)nr, true);
	rec_ring_release(ring, to);
	return rc;
}

static void add_frame_cpu(struct pd_trailer_frame *frame, int cpu)
{
	uint32_t now = cpu < 0 ? PD_TRAILER_ANY_CPU : (uint32_t)cpu;

	if (!frame->plain_len)
		frame->cpu = now;
	else if (frame->cpu != now)
		frame->cpu = PD_TRAILER_ANY_CPU;
}

/* Leave out the ring's next samples if the sink takes no more.  Return false if
 * there was nothing to leave out. */
static bool leave_out_samples(struct rec_drain *drain, struct rec_ring *ring)
{
	struct rec_record_header header;
	uint64_t pos = ring->tail;

	if (rec_sink_sample_room(drain->sink))
		return false;
	while (pos != ring->upto && rec_ring_header(ring, pos, &header) &&
	       header.type == PD_RECORD_SAMPLE)
		pos += header.len;
	if (pos == ring->tail)
		return false;
	rec_ring_release(ring, pos);
	return true;
}

/* Hold the ring's next record back.  Return false if it is to be written. */
static bool hold_next(struct rec_drain *drain, struct rec_ring *ring)
{
	const struct rec_side_watch *watch = drain->watch;
	struct rec_record_header header;
	struct pd_record rec = { .data = drain->scratch };
	unsigned back = drain->shape.other_time_back;
	uint64_t time_ns = 0;

	if (!drain->held || !rec_ring_header(ring, ring->tail, &header) ||
	    !rec_held_type(header.type))
		return false;
	if (drain_needs_repair(drain, &header))
		drain_repair(drain, ring, drain->scratch);
	else
		rec_ring_copy(ring, ring->tail, header.len, drain->scratch);
	pd_record_read_header(drain->scratch, header.len, false, &rec);
	if (rec.len >= PD_RECORD_HEADER_LEN + back)
		time_ns = pd_record_word(&rec, rec.len - (int)back);
	if (!rec_held_tasks_take(drain->held, &rec, time_ns))
		return false;
	if (drain->reader && time_ns)
		rec_ring_reader_set_time(drain->reader, time_ns);
	if (watch && rec_side_watch_wants(watch, rec.type)) {
		pthread_mutex_lock(&drain->sink->lock);
		watch->see_held(watch->ctx, &rec, drain->reader != NULL);
		pthread_mutex_unlock(&drain->sink->lock);
	}
	show_code(drain, ring, ring->tail, &header);
	rec_ring_release(ring, ring->tail + header.len);
	return true;
}

static int drain_run(struct rec_drain *drain, struct rec_ring *ring, int cpu);

/* Write the ring's next record, repaired; the ring itself is read only. */
static int drain_repaired(struct rec_drain *drain, struct rec_ring *ring,
			  int cpu)
{
	uint64_t room[REC_REPAIRED_LEN_MAX / 8];
	bool is_kernels = drain->is_kernels;
	bool has_whole_stacks = drain->has_whole_stacks;
	struct rec_record_header header = { 0 };
	void *record = room;
	struct rec_ring copy;
	size_t len;
	int rc;

	(void)!rec_ring_header(ring, ring->tail, &header);
	if (header.type == PD_RECORD_SAMPLE)
		record = drain->scratch;
	else
		show_code(drain, ring, ring->tail, &header);
	len = drain_repair(drain, ring, record);
	rec_ring_init_memory(&copy, record, len);
	drain->is_kernels = drain->has_whole_stacks = false;
	rc = drain_run(drain, &copy, cpu);
	drain->is_kernels = is_kernels;
	drain->has_whole_stacks = has_whole_stacks;
	rec_ring_release(ring, ring->tail + header.len);
	return rc;
}

/* Drain the next run of records, at most to the end of a frame.  Return
 * -EBADMSG if a record is malformed. */
static int drain_run(struct rec_drain *drain, struct rec_ring *ring, int cpu)
{
	size_t want_len = REC_FRAME_LEN - (size_t)drain->frame.plain_len;
	bool bad = false;
	uint64_t to;

	if (drain->packer && want_len > CHUNK_LEN)
		want_len = CHUNK_LEN;
	while (hold_next(drain, ring))
		continue;
	to = pass_records(drain, ring, want_len, &bad);
	if (to == ring->tail && bad)
		return -EBADMSG;
	if (to == ring->tail)
		return !rec_ring_left(ring) || leave_out_samples(drain, ring)
			       ? 0
			       : drain_repaired(drain, ring, cpu);
	add_frame_cpu(&drain->frame, cpu);
	add_plain_len(drain, to - ring->tail);
	return drain->packer ? pack(drain, ring, to)
			     : append_plain(drain, ring, to);
}

static int end_long_frame(struct rec_drain *drain)
{
	return drain->frame.plain_len >= REC_FRAME_LEN ? rec_drain_flush(drain)
						       : 0;
}

/* If a slow level is late, compress with a fast one, in frames of its own. */
static int choose_level(struct rec_drain *drain)
{
	struct pd_zstd_compress *packer = drain->wanted;
	int rc;

	if (!drain->fast)
		return 0;
	if (drain->late_ns != UINT64_MAX && rec_now_ns() >= drain->late_ns)
		packer = drain->fast;
	if (packer == drain->packer)
		return 0;
	rc = rec_drain_flush(drain);
	drain->packer = packer;
	return rc;
}

static int drain_memory(struct rec_drain *drain, const void *records,
			size_t len, int cpu)
{
	struct rec_ring ring;
	int rc = 0;

	rec_ring_init_memory(&ring, records, len);
	while (!rc && rec_ring_left(&ring)) {
		rc = choose_level(drain);
		if (!rc)
			rc = drain_run(drain, &ring, cpu);
		if (!rc)
			rc = end_long_frame(drain);
	}
	return rc;
}

int rec_drain_records(struct rec_drain *drain, const void *records, size_t len,
		      struct pd_err *err)
{
	int rc = drain_memory(drain, records, len, -1);

	if (rc == -EBADMSG)
		pd_err_set(err, rc, "a record of ours cannot be");
	return rc;
}

int rec_drain_held(struct rec_drain *drain, uint64_t least_ns)
{
	struct rec_held_tasks *held = drain->held;
	const struct rec_side_watch *watch = drain->watch;
	const struct rec_sample_layouts *layouts = drain->layouts;
	const struct pd_buf *records = NULL;
	int rc = held ? rec_held_tasks_write(held, least_ns, &records) : 0;

	/* All were seen when they came, or when their task was sampled. */
	drain->held = NULL;
	drain->watch = NULL;
	drain->layouts = NULL;
	if (!rc && records && records->len)
		rc = rec_drain_records(drain, records->data, records->len,
				       NULL);
	drain->held = held;
	drain->watch = watch;
	drain->layouts = layouts;
	return rc;
}

int rec_drain_taken(struct rec_drain *drain, const void *records, size_t len)
{
	int rc;

	drain->is_kernels = true;
	drain->has_whole_stacks = drain->layouts != NULL;
	rc = rec_drain_records(drain, records, len, NULL);
	drain->is_kernels = drain->has_whole_stacks = false;
	return rc;
}

static int drain_block(struct rec_drain *drain,
		       const struct rec_spill_buffer_block *block, int cpu)
{
	int rc = 0;

	if (!block->is_packed)
		return drain_memory(drain, block->data, block->len, cpu);
	for (size_t at = 0; !rc && at < block->len;) {
		size_t len;

		rc = rec_spill_buffer_unpack(block, &at, drain->plain, &len);
		if (!rc)
			rc = drain_memory(drain, drain->plain, len, cpu);
	}
	return rc;
}

/* Drain a spilled block, which then belongs to this thread, or some of the
 * ring.  *ret_at_goal: the epoch ends there or before. */
static int drain_next(struct rec_drain *drain, struct rec_ring_reader *reader,
		      bool *ret_at_goal)
{
	struct rec_spill_buffer_block *block;
	uint64_t pos;
	int rc = 0;

	pthread_mutex_lock(&reader->lock);
	if (drain->copies_first && drain->layouts && drain->layouts->code)
		rec_ring_reader_spill_epoch(reader);
	else if (drain->copies_first)
		rec_ring_reader_spill(reader);
	if (rec_ring_reader_fill(reader) >= REC_RING_READER_PRESSED)
		rec_ring_reader_spill(reader);
	block = rec_ring_reader_pop(reader);
	/* Stack copies in a spilled block were cut when they were copied. */
	drain->has_whole_stacks = drain->layouts && !block;
	if (!block && rec_ring_left(reader->ring))
		rc = drain_run(drain, reader->ring, reader->cpu);
	if (rc == -EBADMSG) {
		rec_ring_consume(reader->ring);
		if (drain->held)
			rec_held_tasks_lose(drain->held);
	}
	pos = block ? block->upto : reader->ring->tail;
	*ret_at_goal = (int64_t)(pos - reader->goal) >= 0;
	pthread_mutex_unlock(&reader->lock);
	if (!block)
		return rc;
	rc = drain_block(drain, block, reader->cpu);
	rec_spill_buffer_give(reader->spill, block);
	return rc;
}

int rec_drain_ring(struct rec_drain *drain, struct rec_ring_reader *reader,
		   struct pd_err *err)
{
	bool at_goal = false;
	int rc = 0, bad = 0;

	drain->reader = reader;
	drain->is_kernels = true;
	while (!rc && !at_goal) {
		rc = choose_level(drain);
		if (rc)
			break;
		rc = drain_next(drain, reader, &at_goal);
		if (rc == -EBADMSG)
			bad = pd_err_set(err, rc,
					 "a record in the ring of CPU %d "
					 "cannot be",
					 reader->cpu);
		if (!rc || bad == rc)
			rc = end_long_frame(drain);
	}
	drain->reader = NULL;
	drain->is_kernels = drain->has_whole_stacks = false;
	return rc ? rc : bad;
}

/* Add a record without content: each COMPRESSED record must hold something,
 * even that of a frame's end. */
static int add_filler(struct rec_drain *drain)
{
	static const struct rec_record_header filler = {
		PD_RECORD_FINISHED_INIT, 0, sizeof(filler)
	};

	drain->frame.record_nr++;
	drain->frame.has_sideband = true;
	add_plain_len(drain, sizeof(filler));
	return pd_zstd_compress_add(drain->packer, &filler, sizeof(filler));
}

/* Append what the compressor returned, unless it failed with rc. */
static int append_packed(struct rec_drain *drain, int rc,
			 const struct pd_buf *records, bool ends)
{
	struct iovec part;

	if (rc) {
		open_frame(drain);
		return rc;
	}
	part = (struct iovec){ records->data, records->len };
	return append_parts(drain, &part, 1, ends);
}

int rec_drain_flush(struct rec_drain *drain)
{
	const struct pd_buf *records = NULL;
	int rc = 0;

	if (!drain->packer || !drain->frame.plain_len)
		return 0;
	if (!drain->counts.plain_len)
		rc = add_filler(drain);
	if (!rc)
		rc = pd_zstd_compress_end(drain->packer, &records,
					  &drain->frame.plain_hash);
	return append_packed(drain, rc, records, true);
}

int rec_drain_sync(struct rec_drain *drain)
{
	const struct pd_buf *records = NULL;
	int rc;

	if (!drain->packer || !drain->counts.plain_len)
		return 0;
	rc = pd_zstd_compress_flush(drain->packer, &records);
	drain->frame.has_sideband = true; /* it will follow */
	return append_packed(drain, rc, records, false);
}
