#include "record/recording/metadata_records.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/record_body.h"
#include "format/sample_id.h"
#include "record/event/event_title.h"
#include "record/recording/session.h"

enum {
	ID_INDEX_WORDS = 4,
	ID_INDEX_MAX = 2000, /* entries; a record holds 64 KiB */
	THREAD_ENTRY_LEN = 24,
	THREADS_MAX = 2700,
	/* EVENT_UPDATE's kinds */
	UPDATE_UNIT = 0,
	UPDATE_SCALE = 1,
	UPDATE_NAME = 2,
	UPDATE_CPUS = 3,
	CPU_MAP_LIST = 0,
	CPU_MAP_RANGE = 2,
	READ_WORDS_MAX = 512,
};

static struct pd_str str_of(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
}

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

static void write_event_cpus(struct pd_buf *b, struct pd_body *body,
			     const struct rec_event *event)
{
	struct pd_cpu_map *map = &body->u.event_update.cpus;
	uint8_t words[2 * UINT8_MAX];
	struct rec_cpu_list list;
	size_t nr;

	if (rec_cpu_list_parse(event->cpus, &list, NULL))
		return;
	nr = list.nr < UINT8_MAX ? list.nr : UINT8_MAX;
	for (size_t i = 0; i < nr; i++) {
		uint16_t cpu = (uint16_t)list.cpus[i];

		memcpy(words + 2 * i, &cpu, sizeof(cpu));
	}
	rec_cpu_list_release(&list);
	*map = (struct pd_cpu_map){
		.map_type = CPU_MAP_LIST,
		.nr = (uint16_t)nr,
		.words = words,
	};
	body->u.event_update.what = UPDATE_CPUS;
	pd_body_write(b, 0, body);
}

/* The software clocks count ns, but perf shows ms. */
static bool is_clock(const struct rec_event *event)
{
	const struct perf_event_attr *attr = &event->attr.sys;

	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static void write_event_update(struct pd_buf *b, const struct rec_event *event,
			       uint64_t id, bool is_pipe)
{
	struct pd_body body = { .type = PD_RECORD_EVENT_UPDATE };
	struct pd_event_update *update = &body.u.event_update;
	const char *unit = is_clock(event) ? "msec" : event->unit;
	double scale = is_clock(event) ? 1e-6 : event->scale;

	update->id = id;
	if (unit) {
		update->what = UPDATE_UNIT;
		update->text = str_of(unit);
		pd_body_write(b, 0, &body);
	}
	if (scale < 1.0 || scale > 1.0) {
		update->what = UPDATE_SCALE;
		update->scale = scale;
		pd_body_write(b, 0, &body);
	}
	if (event->cpus)
		write_event_cpus(b, &body, event);
	if (is_pipe) {
		update->what = UPDATE_NAME;
		update->text = str_of(rec_event_title(event));
		pd_body_write(b, 0, &body);
	}
}

/* A pipe has no EVENT_DESC, so the names are written here. */
static void write_event_updates(struct pd_buf *b,
				const struct rec_session *session)
{
	const struct rec_event_list *events = &session->args->events;
	const struct rec_open_set *open = &session->open;

	for (size_t i = 0; i < events->nr; i++)
		if (open->first[i] < open->first[i + 1])
			write_event_update(b, &events->events[i],
					   open->fds[open->first[i]].id,
					   session->args->attr.to_pipe);
}

static void write_thread_map(struct pd_buf *b, const struct rec_target *target)
{
	struct pd_body body = { .type = PD_RECORD_THREAD_MAP };
	struct pd_buf entries = PD_BUF_INIT;
	size_t nr = target->thread_nr;

	if (nr > THREADS_MAX)
		nr = THREADS_MAX;
	for (size_t i = 0; i < nr; i++) {
		const struct rec_thread *thread = &target->threads[i];

		pd_buf_u64(&entries, (uint64_t)(int64_t)thread->tid);
		pd_buf_bytes(&entries, thread->comm, sizeof(thread->comm));
	}
	if (!pd_buf_status(&entries)) {
		body.u.thread_map.nr = nr;
		body.u.thread_map.entries = entries.data;
		pd_body_write(b, 0, &body);
	}
	pd_buf_release(&entries);
}

static bool is_range(const struct rec_target *target)
{
	size_t span =
		(size_t)(target->cpus[target->cpu_nr - 1] - target->cpus[0]) +
		1;

	return span == target->cpu_nr;
}

static void write_cpu_map(struct pd_buf *b, const struct rec_target *target)
{
	struct pd_body body = { .type = PD_RECORD_CPU_MAP };
	struct pd_cpu_map *map = &body.u.cpu_map;
	struct pd_buf words = PD_BUF_INIT;

	for (size_t i = 0; i < target->cpu_nr; i++)
		pd_buf_u16(&words, (uint16_t)target->cpus[i]);
	if (pd_buf_status(&words))
		goto out;
	if (!target->any_cpu && is_range(target)) {
		map->map_type = CPU_MAP_RANGE;
		map->start_cpu = (uint16_t)target->cpus[0];
		map->end_cpu = (uint16_t)target->cpus[target->cpu_nr - 1];
	} else {
		map->map_type = CPU_MAP_LIST;
		map->nr = (uint16_t)target->cpu_nr;
		map->words = words.data;
	}
	pd_body_write(b, 0, &body);
out:
	pd_buf_release(&words);
}

void rec_metadata_records_write(struct pd_buf *b,
				const struct rec_session *session)
{
	write_time_conv(b, session);
	write_id_index(b, &session->open, &session->rings);
	write_event_updates(b, session);
	write_thread_map(b, &session->target);
	write_cpu_map(b, &session->target);
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
