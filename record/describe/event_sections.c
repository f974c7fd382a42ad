#include "record/describe/event_sections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/file/feature.h"
#include "format/records/record.h"
#include "record/event/event_spec.h"
#include "record/host/tracing_data.h"

static struct pd_str str_of(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
}

uint32_t rec_file_attr_len(const struct rec_event_list *events)
{
	uint32_t len = 0;

	for (size_t i = 0; i < events->nr; i++)
		if (events->events[i].attr.sys.size > len)
			len = events->events[i].attr.sys.size;
	return len;
}

static void write_attr(struct pd_buf *b, const struct rec_event *event,
		       uint32_t len)
{
	struct pd_attr attr;

	rec_attr_to_pd(&event->attr, &attr);
	attr.attr_len = len;
	pd_attr_write(b, &attr);
}

void rec_attrs_write(struct pd_buf *b, const struct rec_event_list *events,
		     const struct rec_open_set *open,
		     struct pd_section *ret_attrs)
{
	uint32_t len = rec_file_attr_len(events);

	for (size_t i = 0; i < open->nr; i++)
		pd_buf_u64(b, open->fds[i].id);
	ret_attrs->off = PD_FILE_HEADER_LEN + b->len;
	for (size_t i = 0; i < open->event_nr; i++) {
		write_attr(b, &events->events[i], len);
		pd_buf_u64(b, PD_FILE_HEADER_LEN + 8 * open->first[i]);
		pd_buf_u64(b, 8 * (open->first[i + 1] - open->first[i]));
	}
	ret_attrs->len = PD_FILE_HEADER_LEN + b->len - ret_attrs->off;
}

void rec_attr_records_write(struct pd_buf *b,
			    const struct rec_event_list *events,
			    const struct rec_open_set *open)
{
	uint32_t len = rec_file_attr_len(events);

	for (size_t i = 0; i < open->event_nr; i++) {
		size_t start = pd_record_begin(b, PD_RECORD_HEADER_ATTR, 0);

		write_attr(b, &events->events[i], len);
		for (size_t k = open->first[i]; k < open->first[i + 1]; k++)
			pd_buf_u64(b, open->fds[k].id);
		pd_record_end(b, start);
	}
}

/* Split "sched:sched_switch:u" into system and name, in place. */
static void split_tracepoint(char *text, struct rec_tracepoint *ret)
{
	char *rest = text;

	ret->system = strsep(&rest, ":");
	ret->name = rest ? strsep(&rest, ":") : "";
}

int rec_event_formats_write(struct pd_buf *b, const struct rec_event_list *list,
			    const char *tracefs, struct pd_err *err)
{
	struct rec_tracepoint *points = calloc(list->nr, sizeof(*points));
	char **names = calloc(list->nr, sizeof(*names));
	size_t nr = 0;
	int rc = -ENOMEM;

	if (!points || !names)
		goto out;
	for (size_t i = 0; i < list->nr; i++) {
		const struct rec_event *event = &list->events[i];

		if (event->attr.sys.type != PERF_TYPE_TRACEPOINT)
			continue;
		names[nr] = strdup(event->name);
		if (!names[nr])
			goto out;
		split_tracepoint(names[nr], &points[nr]);
		nr++;
	}
	rc = nr ? rec_tracing_data_write(b, tracefs, points, nr, err) : -ENOENT;
out:
	while (nr)
		free(names[--nr]);
	free(names);
	free(points);
	return rc;
}

static void fill_event_desc(const struct rec_event_list *list,
			    const struct rec_open_set *open, size_t idx,
			    const uint64_t *ids, struct pd_event_desc *ret)
{
	rec_attr_to_pd(&list->events[idx].attr, &ret->attr);
	ret->attr.attr_len = rec_file_attr_len(list);
	ret->name = str_of(rec_event_title(&list->events[idx]));
	ret->ids.raw = (const uint8_t *)(ids + open->first[idx]);
	ret->ids.nr = open->first[idx + 1] - open->first[idx];
}

int rec_event_desc_write(struct pd_buf *b, const struct rec_event_list *list,
			 const struct rec_open_set *open)
{
	struct pd_event_descs descs = { .nr = open->event_nr };
	uint64_t *ids = calloc(open->nr, sizeof(*ids));

	descs.items = calloc(descs.nr, sizeof(*descs.items));
	if (ids && descs.items) {
		for (size_t i = 0; i < open->nr; i++)
			ids[i] = open->fds[i].id;
		for (size_t i = 0; i < descs.nr; i++)
			fill_event_desc(list, open, i, ids, &descs.items[i]);
		pd_feature_event_desc_write(b, &descs);
	}
	free(ids);
	free(descs.items);
	return ids && descs.items ? 0 : -ENOMEM;
}

int rec_group_desc_write(struct pd_buf *b, const struct rec_event_list *list)
{
	struct pd_group_descs groups = { .nr = 0 };

	groups.items = calloc(list->nr, sizeof(*groups.items));
	if (!groups.items)
		return -ENOMEM;
	for (size_t i = 0; i < list->nr; i++) {
		const struct rec_event *event = &list->events[i];
		const char *name = event->group_name;

		if (event->leader_idx != i || event->member_nr < 2)
			continue;
		groups.items[groups.nr++] = (struct pd_group_desc){
			.name = str_of(name && *name ? name : "{anon_group}"),
			.leader_idx = (uint32_t)i,
			.member_nr = (uint32_t)event->member_nr,
		};
	}
	if (groups.nr)
		pd_feature_group_desc_write(b, &groups);
	free(groups.items);
	return groups.nr ? 0 : -ENOENT;
}

int rec_cmdline_write(struct pd_buf *b, int argc, char *const *argv)
{
	struct pd_str_list list = { .nr = (size_t)argc };
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	list.items = calloc(list.nr, sizeof(*list.items));
	if (!list.items)
		return -ENOMEM;
	for (size_t i = 0; i < list.nr; i++)
		list.items[i] = str_of(argv[i]);
	if (n > 0)
		list.items[0] = (struct pd_str){ path, (size_t)n };
	pd_feature_cmdline_write(b, &list);
	free(list.items);
	return 0;
}

int rec_formats_record_write(struct pd_buf *b,
			     const struct rec_event_list *list,
			     const char *tracefs, struct pd_err *err)
{
	struct pd_buf blob = PD_BUF_INIT;
	int rc = rec_event_formats_write(&blob, list, tracefs, err);

	if (!rc) {
		size_t padded_len = (blob.len + 7) / 8 * 8;
		size_t start =
			pd_record_begin(b, PD_RECORD_HEADER_TRACING_DATA, 0);

		pd_buf_u32(b, (uint32_t)padded_len);
		pd_record_end(b, start);
		pd_buf_bytes(b, blob.data, blob.len);
		pd_buf_zero(b, padded_len - blob.len);
	}
	pd_buf_release(&blob);
	return rc == -ENOENT ? 0 : rc;
}
