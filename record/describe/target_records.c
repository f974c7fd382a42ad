#include "record/describe/target_records.h"

#include <string.h>

#include "format/records/record_body.h"
#include "record/event/event_spec.h"

static struct pd_str str_of(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
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
		.map_type = PD_CPU_MAP_LIST,
		.nr = (uint16_t)nr,
		.words = words,
	};
	body->u.event_update.what = PD_UPDATE_CPUS;
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
		update->what = PD_UPDATE_UNIT;
		update->text = str_of(unit);
		pd_body_write(b, 0, &body);
	}
	if (scale < 1.0 || scale > 1.0) {
		update->what = PD_UPDATE_SCALE;
		update->scale = scale;
		pd_body_write(b, 0, &body);
	}
	if (event->cpus)
		write_event_cpus(b, &body, event);
	if (is_pipe) {
		update->what = PD_UPDATE_NAME;
		update->text = str_of(rec_event_title(event));
		pd_body_write(b, 0, &body);
	}
}

void rec_event_updates_write(struct pd_buf *b,
			     const struct rec_event_list *events,
			     const struct rec_open_set *open, bool is_pipe)
{
	for (size_t i = 0; i < events->nr; i++)
		if (open->first[i] < open->first[i + 1])
			write_event_update(b, &events->events[i],
					   open->fds[open->first[i]].id,
					   is_pipe);
}

void rec_thread_map_write(struct pd_buf *b, const struct rec_target *target)
{
	struct pd_body body = { .type = PD_RECORD_THREAD_MAP };
	struct pd_buf entries = { .swap = b->swap };
	size_t nr = target->thread_nr;

	if (nr > REC_THREAD_MAP_MAX)
		nr = REC_THREAD_MAP_MAX;
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

void rec_cpu_map_write(struct pd_buf *b, const struct rec_target *target)
{
	struct pd_body body = { .type = PD_RECORD_CPU_MAP };
	struct pd_cpu_map *map = &body.u.cpu_map;
	struct pd_buf words = PD_BUF_INIT;

	for (size_t i = 0; i < target->cpu_nr; i++)
		pd_buf_u16(&words, (uint16_t)target->cpus[i]);
	if (pd_buf_status(&words))
		goto out;
	if (!target->any_cpu && is_range(target)) {
		map->map_type = PD_CPU_MAP_RANGE;
		map->start_cpu = (uint16_t)target->cpus[0];
		map->end_cpu = (uint16_t)target->cpus[target->cpu_nr - 1];
	} else {
		map->map_type = PD_CPU_MAP_LIST;
		map->nr = (uint16_t)target->cpu_nr;
		map->words = words.data;
	}
	pd_body_write(b, 0, &body);
out:
	pd_buf_release(&words);
}
