#include "record/ring/drain.h"

#include "record/base/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/layout.h"
#include "format/zstd_compress.h"
#include "format/sample_id.h"

/* A map of the longest path, with its trailer. */
enum { HEADER_LEN = 8, CHUNK_LEN = 64 * 1024, MENDED_LEN_MAX = 4352 };

/* A record's header as one word of the ring, in this machine's order. */
struct header {
	uint32_t type;
	uint16_t misc;
	uint16_t len;
};

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

static void open_frame(struct rec_drain *drain)
{
	drain->frame_nr++;
	drain->is_in_file = false;
	drain->counts = (struct rec_counts){ .time_lo_ns = UINT64_MAX };
	drain->frame = (struct pd_trailer_frame){
		.has_sample_nr = true,
		.time_lo_ns = UINT64_MAX,
		.cpu = PD_TRAILER_ANY_CPU,
	};
}

/* Notes that the frame is whole, or that the parts are a run of plain records.
 */
static void index_frame(struct rec_drain *drain, const struct iovec *parts,
			int part_nr)
{
	struct rec_frame_index *index = &drain->sink->index;

	if (drain->deflate)
		rec_frame_index_add(index, &drain->frame);
	else
		rec_frame_index_add_plain(index, &drain->frame, parts, part_nr,
					  REC_FRAME_LEN);
}

/* Appends the parts to the open frame; ends: with them it is whole, and another
 * is opened. */
static int append_parts(struct rec_drain *drain, const struct iovec *parts,
			int part_nr, bool ends)
{
	struct pd_trailer_frame *frame = &drain->frame;
	struct rec_sink *sink = drain->sink;
	uint64_t before_len;
	int code;

	pthread_mutex_lock(&sink->lock);
	before_len = sink->out->len;
	if (!drain->is_in_file)
		frame->file_off = before_len;
	code = rec_output_append(sink->out, parts, part_nr);
	__atomic_sub_fetch(&sink->open_len, drain->counts.plain_len,
			   __ATOMIC_RELAXED);
	frame->file_len = sink->out->len - frame->file_off;
	frame->sample_nr += (uint32_t)drain->counts.sample_nr;
	__atomic_store_n(&sink->file_len, sink->out->len, __ATOMIC_RELAXED);
	if (!code) {
		rec_counts_add(&sink->counts, &drain->counts);
		if (drain->fast && drain->deflate == drain->fast)
			sink->late_len += drain->counts.plain_len;
		sink->written_len += sink->out->len - before_len;
	}
	/* A pipe has no trailer. */
	if (!code && ends && !sink->out->is_pipe)
		index_frame(drain, parts, part_nr);
	pthread_mutex_unlock(&sink->lock);
	drain->counts = (struct rec_counts){ .time_lo_ns = UINT64_MAX };
	drain->is_in_file = true;
	if (ends)
		open_frame(drain);
	return code;
}

int rec_drain_init(struct rec_drain *drain, struct rec_sink *sink,
		   const struct rec_shape *shape, int level)
{
	memset(drain, 0, sizeof(*drain));
	drain->sink = sink;
	drain->shape = *shape;
	open_frame(drain);
	drain->late_ns = UINT64_MAX;
	if (!level)
		return 0;
	drain->asked =
		pd_zstd_compress_new(level, REC_FRAME_LEN + PD_RECORD_LEN_MAX);
	drain->deflate = drain->asked;
	if (rec_level_is_slow(level))
		drain->fast = pd_zstd_compress_new(
			1, REC_FRAME_LEN + PD_RECORD_LEN_MAX);
	return drain->asked && (drain->fast || !rec_level_is_slow(level))
		       ? 0
		       : -ENOMEM;
}

int rec_drain_watch(struct rec_drain *drain, const struct rec_side_watch *watch)
{
	drain->scratch = malloc(PD_RECORD_LEN_MAX);
	if (!drain->scratch)
		return -ENOMEM;
	drain->watch = watch;
	return 0;
}

void rec_drain_release(struct rec_drain *drain)
{
	pd_zstd_compress_free(drain->asked);
	pd_zstd_compress_free(drain->fast);
	drain->deflate = drain->asked = drain->fast = NULL;
	free(drain->scratch);
	drain->scratch = NULL;
}

static void note_time(struct pd_trailer_frame *frame, uint64_t time_ns)
{
	if (!time_ns)
		return;
	if (time_ns < frame->time_lo_ns)
		frame->time_lo_ns = time_ns;
	if (time_ns > frame->time_hi_ns)
		frame->time_hi_ns = time_ns;
}

static void note_any_time(struct pd_trailer_frame *frame)
{
	frame->time_lo_ns = 0;
	frame->time_hi_ns = UINT64_MAX;
}

static void note_sample(struct rec_drain *drain, const struct rec_ring *ring,
			uint64_t pos, const struct header *header)
{
	struct rec_counts *counts = &drain->counts;
	int off = drain->shape.sample_time_off;
	uint64_t time_ns;

	counts->sample_nr++;
	if (drain->shape.sample_times_vary) {
		note_any_time(&drain->frame);
		return;
	}
	if (off < 0 || header->len < (unsigned)off + 8)
		return;
	time_ns = rec_ring_u64(ring, pos + (unsigned)off);
	note_time(&drain->frame, time_ns);
	if (time_ns && time_ns < counts->time_lo_ns)
		counts->time_lo_ns = time_ns;
	if (time_ns > counts->time_hi_ns)
		counts->time_hi_ns = time_ns;
	if (drain->feed && time_ns)
		rec_ring_reader_set_time(drain->feed, time_ns);
}

static bool is_watched(const struct rec_drain *drain, uint32_t type)
{
	return drain->watch && type < 64 &&
	       (drain->watch->types & PD_BIT(type));
}

/* A record, taken out of the ring in one piece. */
static void show(struct rec_drain *drain, const struct rec_ring *ring,
		 uint64_t pos, const struct header *header)
{
	struct pd_record rec = { .type = header->type,
				 .misc = header->misc,
				 .len = header->len,
				 .data = drain->scratch };

	for (unsigned off = 0; off < header->len; off += 8) {
		uint64_t word = rec_ring_u64(ring, pos + off);

		memcpy(drain->scratch + off, &word, sizeof(word));
	}
	pthread_mutex_lock(&drain->sink->lock);
	drain->watch->see(drain->watch->ctx, &rec, drain->feed != NULL);
	pthread_mutex_unlock(&drain->sink->lock);
}

/* Lost between the record before and this one. */
static void note_lost(struct rec_drain *drain, uint64_t nr, uint64_t time_ns)
{
	drain->counts.lost_nr += nr;
	if (drain->feed && nr)
		rec_ring_reader_loss_add(
			&drain->feed->lost, nr,
			drain->feed->time_ns ? drain->feed->time_ns : time_ns,
			time_ns);
}

/* What is not a sample. */
static void note_other(struct rec_drain *drain, const struct rec_ring *ring,
		       uint64_t pos, const struct header *header)
{
	unsigned back = drain->shape.other_time_back;
	uint64_t time_ns = 0;

	drain->frame.has_sideband = true;
	if (is_watched(drain, header->type))
		show(drain, ring, pos, header);
	if (back && header->len >= HEADER_LEN + back)
		time_ns = rec_ring_u64(ring, pos + header->len - back);
	note_time(&drain->frame, time_ns);
	if (drain->shape.sample_times_vary)
		note_any_time(&drain->frame);
	if (header->type == PD_RECORD_LOST && header->len >= 24)
		note_lost(drain, rec_ring_u64(ring, pos + 16), time_ns);
	else if (header->type == PD_RECORD_LOST_SAMPLES && header->len >= 16)
		note_lost(drain, rec_ring_u64(ring, pos + 8), time_ns);
	else if (header->type == PD_RECORD_THROTTLE)
		drain->counts.throttle_nr++;
	if (drain->feed && time_ns)
		rec_ring_reader_set_time(drain->feed, time_ns);
}

static struct header header_at(const struct rec_ring *ring, uint64_t pos)
{
	uint64_t word = rec_ring_u64(ring, pos);
	struct header header;

	memcpy(&header, &word, sizeof(header));
	return header;
}

/* What the kernel (Linux 6.18) writes wrong because others listen too: the bit
 * of a build-id that they asked for, and lengths that have their trailers in
 * them.  ret: the record, mended; its length, 0 where nothing is wrong. */
static size_t mend(const struct rec_drain *drain, const struct rec_ring *ring,
		   uint64_t pos, const struct header *told,
		   uint8_t ret[MENDED_LEN_MAX])
{
	struct header header = *told;
	bool is_marked = header.type == PD_RECORD_MMAP2 &&
			 !drain->shape.has_build_ids &&
			 header.misc & PD_MISC_MMAP_BUILD_ID;

	if ((!is_marked && !pd_record_may_be_long(header.type)) ||
	    header.len > MENDED_LEN_MAX)
		return 0;
	for (unsigned off = 0; off < header.len; off += 8) {
		uint64_t word = rec_ring_u64(ring, pos + off);

		memcpy(ret + off, &word, sizeof(word));
	}
	if (is_marked)
		header.misc &= (uint16_t)~PD_MISC_MMAP_BUILD_ID;
	else
		header.len = pd_record_own_len(header.type, ret, header.len,
					       drain->shape.id_len);
	memcpy(ret, &header, sizeof(header));
	return is_marked || header.len < told->len ? header.len : 0;
}

/* Passes over whole records from pos on until want_len bytes are passed, the
 * ring's upto is reached, or one has to be mended; the end of the last one.
 * *ret_bad: the record there cannot be. */
static uint64_t walk(struct rec_drain *drain, const struct rec_ring *ring,
		     uint64_t pos, size_t want_len, bool *ret_bad)
{
	uint8_t mended[MENDED_LEN_MAX];
	uint64_t start = pos;

	while (pos != ring->upto && pos - start < want_len) {
		struct header header = header_at(ring, pos);

		if (header.len < HEADER_LEN || header.len % 8 ||
		    header.len > ring->upto - pos) {
			*ret_bad = true;
			break;
		}
		if (drain->is_kernels &&
		    mend(drain, ring, pos, &header, mended))
			break;
		drain->frame.record_nr++;
		if (header.type != PD_RECORD_SAMPLE)
			note_other(drain, ring, pos, &header);
		else
			note_sample(drain, ring, pos, &header);
		pos += header.len;
	}
	return pos;
}

/* The bytes from..to of the ring: one span, or two over the wrap. */
static int spans(const struct rec_ring *ring, uint64_t from, uint64_t to,
		 struct rec_span span[2])
{
	struct rec_ring part = *ring;

	part.tail = from;
	part.upto = to;
	return (int)rec_ring_peek(&part, span);
}

static int pack(struct rec_drain *drain, struct rec_ring *ring, uint64_t to)
{
	while (ring->tail != to) {
		uint64_t unit = to - ring->tail;
		struct rec_span span[2];
		int nr, code = 0;

		if (unit > PD_ZSTD_COMPRESS_UNIT_LEN)
			unit = PD_ZSTD_COMPRESS_UNIT_LEN;
		nr = spans(ring, ring->tail, ring->tail + unit, span);
		for (int i = 0; i < nr && !code; i++)
			code = pd_zstd_compress_add(drain->deflate, span[i].ptr,
						    span[i].len);
		rec_ring_release(ring, ring->tail + unit);
		if (code)
			return code;
	}
	return 0;
}

/* Whole records tail..to are a frame of their own in the file. */
static int append_plain(struct rec_drain *drain, struct rec_ring *ring,
			uint64_t to)
{
	struct rec_span span[2];
	struct iovec parts[2];
	int nr = spans(ring, ring->tail, to, span);
	int code;

	for (int i = 0; i < nr; i++)
		parts[i] = (struct iovec){ (void *)(uintptr_t)span[i].ptr,
					   span[i].len };
	code = append_parts(drain, parts, nr, true);
	rec_ring_release(ring, to);
	return code;
}

static void note_cpu(struct pd_trailer_frame *frame, int cpu)
{
	uint32_t now = cpu < 0 ? PD_TRAILER_ANY_CPU : (uint32_t)cpu;

	if (!frame->plain_len)
		frame->cpu = now;
	else if (frame->cpu != now)
		frame->cpu = PD_TRAILER_ANY_CPU;
}

static int drain_run(struct rec_drain *drain, struct rec_ring *ring, int cpu);

/* The ring's next record is written as it ought to be; the ring itself may only
 * be read. */
static int drain_mended(struct rec_drain *drain, struct rec_ring *ring, int cpu)
{
	struct header told = header_at(ring, ring->tail);
	uint64_t mended[MENDED_LEN_MAX / 8];
	struct rec_ring one;
	int code;

	rec_ring_init_memory(
		&one, mended,
		mend(drain, ring, ring->tail, &told, (uint8_t *)mended));
	drain->is_kernels = false;
	code = drain_run(drain, &one, cpu);
	drain->is_kernels = true;
	rec_ring_release(ring, ring->tail + told.len);
	return code;
}

/* The next run of records, at most to the end of a frame.  -EBADMSG: what
 * stands there is no record. */
static int drain_run(struct rec_drain *drain, struct rec_ring *ring, int cpu)
{
	size_t want_len = REC_FRAME_LEN - (size_t)drain->frame.plain_len;
	bool bad = false;
	uint64_t to;

	if (drain->deflate && want_len > CHUNK_LEN)
		want_len = CHUNK_LEN;
	to = walk(drain, ring, ring->tail, want_len, &bad);
	if (to == ring->tail && bad)
		return -EBADMSG;
	if (to == ring->tail)
		return rec_ring_left(ring) ? drain_mended(drain, ring, cpu) : 0;
	note_cpu(&drain->frame, cpu);
	drain->frame.plain_len += to - ring->tail;
	__atomic_add_fetch(&drain->sink->open_len, to - ring->tail,
			   __ATOMIC_RELAXED);
	drain->counts.plain_len += to - ring->tail;
	if (!drain->deflate)
		return append_plain(drain, ring, to);
	return pack(drain, ring, to);
}

static int end_long_frame(struct rec_drain *drain)
{
	return drain->frame.plain_len >= REC_FRAME_LEN ? rec_drain_flush(drain)
						       : 0;
}

/* What a slow level has no time for is packed by a fast one, in frames of its
 * own. */
static int choose_level(struct rec_drain *drain)
{
	struct pd_zstd_compress *wanted = drain->asked;
	int code;

	if (!drain->fast)
		return 0;
	if (drain->late_ns != UINT64_MAX && rec_now_ns() >= drain->late_ns)
		wanted = drain->fast;
	if (wanted == drain->deflate)
		return 0;
	code = rec_drain_flush(drain);
	drain->deflate = wanted;
	return code;
}

static int drain_memory(struct rec_drain *drain, const void *records,
			size_t len, int cpu)
{
	struct rec_ring ring;
	int code = 0;

	rec_ring_init_memory(&ring, records, len);
	while (!code && rec_ring_left(&ring)) {
		code = choose_level(drain);
		if (!code)
			code = drain_run(drain, &ring, cpu);
		if (!code)
			code = end_long_frame(drain);
	}
	return code;
}

int rec_drain_records(struct rec_drain *drain, const void *records, size_t len,
		      struct pd_err *err)
{
	int code = drain_memory(drain, records, len, -1);

	if (code == -EBADMSG)
		pd_err_set(err, code, "a record of ours cannot be");
	return code;
}

int rec_drain_taken(struct rec_drain *drain, const void *records, size_t len)
{
	int code;

	drain->is_kernels = true;
	code = rec_drain_records(drain, records, len, NULL);
	drain->is_kernels = false;
	return code;
}

/* pos is where the epoch ends, or behind that. */
static bool is_at_goal(const struct rec_ring_reader *feed, uint64_t pos)
{
	return (int64_t)(pos - feed->goal) >= 0;
}

/* What comes next: a block of its own, or some of the ring. */
static int drain_next(struct rec_drain *drain, struct rec_ring_reader *feed,
		      bool *ret_at_goal)
{
	struct rec_spill_buffer_block *block;
	int code = 0;

	pthread_mutex_lock(&feed->lock);
	if (feed->spill &&
	    (drain->copies_first ||
	     rec_ring_reader_fill(feed) >= REC_RING_READER_PRESSED))
		rec_ring_reader_spill(feed);
	block = rec_ring_reader_pop(feed);
	if (!block && rec_ring_left(feed->ring))
		code = drain_run(drain, feed->ring, feed->cpu);
	if (code == -EBADMSG)
		rec_ring_consume(feed->ring);
	*ret_at_goal = is_at_goal(feed, block ? block->upto : feed->ring->tail);
	pthread_mutex_unlock(&feed->lock);
	if (!block)
		return code;
	code = drain_memory(drain, block->data, block->len, feed->cpu);
	rec_spill_buffer_give(feed->spill, block);
	return code;
}

int rec_drain_feed(struct rec_drain *drain, struct rec_ring_reader *feed,
		   struct pd_err *err)
{
	bool at_goal = false;
	int code = 0, bad = 0;

	drain->feed = feed;
	drain->is_kernels = true;
	while (!code && !at_goal) {
		code = choose_level(drain);
		if (code)
			break;
		code = drain_next(drain, feed, &at_goal);
		if (code == -EBADMSG)
			bad = pd_err_set(err, code,
					 "a record in the ring of CPU %d "
					 "cannot be",
					 feed->cpu);
		if (!code || bad == code)
			code = end_long_frame(drain);
	}
	drain->feed = NULL;
	drain->is_kernels = false;
	return code ? code : bad;
}

/* Each COMPRESSED record has to hold something, that of a frame's end too: a
 * record that says nothing. */
static int add_filler(struct rec_drain *drain)
{
	static const struct header filler = { PD_RECORD_FINISHED_INIT, 0,
					      sizeof(filler) };

	drain->frame.record_nr++;
	drain->frame.has_sideband = true;
	drain->frame.plain_len += sizeof(filler);
	drain->counts.plain_len += sizeof(filler);
	__atomic_add_fetch(&drain->sink->open_len, sizeof(filler),
			   __ATOMIC_RELAXED);
	return pd_zstd_compress_add(drain->deflate, &filler, sizeof(filler));
}

int rec_drain_flush(struct rec_drain *drain)
{
	const struct pd_buf *records;
	struct iovec part;
	int code = 0;

	if (!drain->deflate || !drain->frame.plain_len)
		return 0;
	if (!drain->counts.plain_len)
		code = add_filler(drain);
	if (!code)
		code = pd_zstd_compress_end(drain->deflate, &records,
					    &drain->frame.plain_hash);
	if (code) {
		open_frame(drain);
		return code;
	}
	part = (struct iovec){ records->data, records->len };
	return append_parts(drain, &part, 1, true);
}

int rec_drain_sync(struct rec_drain *drain)
{
	const struct pd_buf *records;
	struct iovec part;
	int code;

	if (!drain->deflate || !drain->counts.plain_len)
		return 0;
	code = pd_zstd_compress_flush(drain->deflate, &records);
	if (code) {
		open_frame(drain);
		return code;
	}
	drain->frame.has_sideband = true; /* what will stand behind it */
	part = (struct iovec){ records->data, records->len };
	return append_parts(drain, &part, 1, false);
}
