#include "record/recording/metadata_records.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/records/record_body.h"
#include "format/records/sample_id.h"
#include "record/describe/target_records.h"
#include "record/recording/session.h"

enum {
	ID_INDEX_WORDS = 4,
	ID_INDEX_MAX = 2000, /* entries; a record holds 64 KiB */
	READ_WORDS_MAX = 512,
};

/* Write the clock's parameters, which the control page of any ring has. */
static void write_time_conv(struct pd_buf *b, const struct rec_session *session)
{
	const struct rec_ring_set *set =
		session->rings.nr ? &session->rings
				  : &session->overwrite_rings.set;
	struct pd_body body = { .type = PD_RECORD_TIME_CONV };
	const struct perf_event_mmap_page *page;
	uint32_t seq;

	if (!set->nr)
		return;
	page = set->rings[0].control;
	do {
		seq = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		body.u.time_conv = (struct pd_time_conv){
			.time_shift = page->time_shift,
			.time_mult = page->time_mult,
			.time_zero = page->time_zero,
			.time_cycles = page->time_cycles,
			.time_mask = page->time_mask,
			.cap_user_time_zero = page->cap_user_time_zero,
			.cap_user_time_short = page->cap_user_time_short,
		};
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (page->lock != seq || seq & 1);
	if (body.u.time_conv.cap_user_time_zero)
		pd_body_write(b, 0, &body);
}

static size_t ring_idx(const struct rec_ring_set *rings,
		       const struct rec_open_fd *fd)
{
	for (size_t i = 0; i < rings->nr; i++)
		if (fd->cpu >= 0 ? rings->maps[i].cpu == fd->cpu
				 : rings->maps[i].tid == fd->tid)
			return i;
	return 0;
}

static void write_id_index(struct pd_buf *b, const struct rec_open_set *open,
			   const struct rec_ring_set *rings)
{
	uint64_t words[ID_INDEX_MAX * ID_INDEX_WORDS];
	struct pd_body body = { .type = PD_RECORD_ID_INDEX };
	size_t at = 0;

	while (at < open->nr) {
		size_t nr = 0;

		for (; nr < ID_INDEX_MAX && at < open->nr; nr++, at++) {
			const struct rec_open_fd *fd = &open->fds[at];
			uint64_t *w = words + nr * ID_INDEX_WORDS;

			w[0] = fd->id;
			w[1] = ring_idx(rings, fd);
			w[2] = (uint64_t)(int64_t)fd->cpu;
			w[3] = (uint64_t)(int64_t)fd->tid;
		}
		body.u.id_index.nr = nr;
		body.u.id_index.entries = (struct pd_u64s){
			.raw = (const uint8_t *)words,
			.nr = nr * ID_INDEX_WORDS,
		};
		pd_body_write(b, 0, &body);
	}
}

void rec_metadata_records_write(struct pd_buf *b,
				const struct rec_session *session)
{
	write_time_conv(b, session);
	write_id_index(b, &session->open, &session->rings);
	rec_event_updates_write(b, &session->args->events, &session->open,
				session->args->attr.to_pipe);
	rec_thread_map_write(b, &session->target);
	rec_cpu_map_write(b, &session->target);
}

/* Return the number of words of one count after its value. */
static size_t count_words(uint64_t read_format)
{
	return 1u + !!(read_format & PERF_FORMAT_ID) +
	       !!(read_format & PERF_FORMAT_LOST);
}

bool rec_loss_read(const struct rec_event *event, const struct rec_open_fd *fd,
		   struct rec_loss *ret)
{
	uint64_t format = event->attr.sys.read_format;
	uint64_t words[READ_WORDS_MAX];
	size_t times = 0u + !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	size_t step = count_words(format);
	ssize_t n;

	if (!(format & PERF_FORMAT_LOST) || !(format & PERF_FORMAT_ID))
		return false;
	n = read(fd->fd, words, sizeof(words));
	if (n <= 0)
		return false;
	*ret = (struct rec_loss){ .event_idx = fd->event_idx,
				  .cpu = fd->cpu,
				  .tid = fd->tid,
				  .id = fd->id };
	if (!(format & PERF_FORMAT_GROUP)) {
		/* value, times, id, lost */
		ret->lost_nr = words[1 + times + 1];
		return true;
	}
	/* nr, times, then value, id, lost of each member */
	for (uint64_t i = 0; i < words[0]; i++) {
		const uint64_t *count = words + 1 + times + i * step;

		if (count + step > words + (size_t)n / sizeof(*words))
			return false;
		if (count[1] != fd->id)
			continue;
		ret->lost_nr = count[2];
		return true;
	}
	return false;
}

void rec_loss_write(struct pd_buf *b, const struct rec_event *event,
		    const struct rec_loss *loss)
{
	struct pd_body body = { .type = PD_RECORD_LOST_SAMPLES };
	struct pd_sample_id sample_id = {
		.tid = (uint32_t)loss->tid,
		.pid = (uint32_t)loss->tid,
		.id = loss->id,
		.stream_id = loss->id,
		.cpu = (uint32_t)loss->cpu,
	};
	struct pd_sample_layout layout;
	struct pd_attr attr;
	size_t start;

	rec_attr_to_pd(&event->attr, &attr);
	pd_sample_layout_init(&layout, &attr);
	sample_id.present = attr.sample_type;
	body.u.lost_samples.lost_nr = loss->lost_nr;
	start = pd_record_begin(b, PD_RECORD_LOST_SAMPLES, 0);
	pd_body_write_fields(b, &body);
	pd_sample_id_write(b, &layout, &sample_id);
	pd_record_end(b, start);
}
