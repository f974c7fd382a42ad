#include "report/top/live_window.h"

#include "format/file/file_header.h"
#include "format/records/record_body.h"
#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Attrs, features and formats of tracepoints: a few MiB. */
#define HEAD_MAX ((size_t)96 << 20)

/* Records may come this much later than ones that are younger: a flush of the
 * recorder, and what other CPUs take longer. */
#define LATE_NS UINT64_C(2000000000)

void rpt_live_window_init(struct rpt_live_window *window, uint32_t slice_max,
			  uint64_t now_ns)
{
	*window = (struct rpt_live_window){ .slice_max = slice_max };
	window->slices = rpt_alloc_zeroed(1, sizeof(*window->slices));
	window->slices[0].began_ns = now_ns;
	window->slice_nr = 1;
}

static void slice_release(struct rpt_live_slice *slice)
{
	pd_buf_release(&slice->records);
	rpt_intern_release(&slice->pids);
}

void rpt_live_window_release(struct rpt_live_window *window)
{
	for (uint32_t i = 0; i < window->slice_nr; i++)
		slice_release(&window->slices[i]);
	free(window->slices);
	pd_reader_close(window->reader);
	pd_buf_release(&window->head);
	rpt_live_tasks_release(&window->tasks);
	memset(window, 0, sizeof(*window));
}

static void write_header(struct rpt_live_window *window, bool swap)
{
	const struct pd_file_header header = { .version = 2, .is_pipe = true };

	window->head.swap = swap;
	pd_file_header_write(&window->head, &header);
	window->has_header = true;
}

/* Return whether a record says what the recording is, not what happened. */
static bool is_head(uint32_t type)
{
	return type == PD_RECORD_HEADER_ATTR ||
	       type == PD_RECORD_HEADER_EVENT_TYPE ||
	       type == PD_RECORD_HEADER_TRACING_DATA ||
	       type == PD_RECORD_HEADER_BUILD_ID ||
	       type == PD_RECORD_HEADER_FEATURE ||
	       type == PD_RECORD_EVENT_UPDATE || type == PD_RECORD_ID_INDEX ||
	       type == PD_RECORD_TIME_CONV || type == PD_RECORD_THREAD_MAP ||
	       type == PD_RECORD_CPU_MAP;
}

static void take_head(struct rpt_live_window *window,
		      const struct pd_record *rec, const uint8_t *payload,
		      size_t payload_len)
{
	if (window->head.len + rec->len + payload_len > HEAD_MAX) {
		window->damaged_nr++;
		return;
	}
	pd_reader_close(window->reader);
	window->reader = NULL;
	pd_buf_bytes(&window->head, rec->data, rec->len);
	pd_buf_bytes(&window->head, payload, payload_len);
}

const struct pd_event_set *
rpt_live_window_events(struct rpt_live_window *window)
{
	struct pd_err err = PD_ERR_INIT;

	if (!window->reader && window->has_header &&
	    pd_reader_open(&window->reader, window->head.data, window->head.len,
			   NULL, &err))
		window->reader = NULL;
	return window->reader ? pd_reader_events(window->reader) : NULL;
}

static uint64_t slices_len(const struct rpt_live_window *window)
{
	uint64_t len = 0;

	for (uint32_t i = 0; i < window->slice_nr; i++)
		len += window->slices[i].records.len;
	return len;
}

static void drop_oldest(struct rpt_live_window *window)
{
	slice_release(&window->slices[0]);
	window->slice_nr--;
	memmove(window->slices, window->slices + 1,
		window->slice_nr * sizeof(*window->slices));
}

/* Return the slice that is being filled, if it has room for one more record.
 */
static struct rpt_live_slice *slice_for(struct rpt_live_window *window,
					const struct pd_record *rec)
{
	struct rpt_live_slice *slice = &window->slices[window->slice_nr - 1];
	uint64_t max_len = RPT_LIVE_WINDOW_LEN;

	if (slice->records.len + rec->len > max_len)
		return NULL;
	/* asked once for each 64 KiB, not at each record */
	if ((slice->records.len + rec->len) >> 16 == slice->records.len >> 16)
		return slice;
	while (window->slice_nr > 1 && slices_len(window) > max_len)
		drop_oldest(window);
	return &window->slices[window->slice_nr - 1];
}

static void count(struct rpt_live_counts *counts, const struct pd_record *rec)
{
	unsigned mode = rec->misc & PD_MISC_CPUMODE_MASK;

	counts->sample_nr++;
	counts->kernel_nr += mode == PD_CPUMODE_KERNEL;
	counts->user_nr += mode == PD_CPUMODE_USER;
	counts->exact_nr += !!(rec->misc & PD_MISC_EXACT_IP);
}

/* Note whose samples need names and maps. */
static void note_task(struct rpt_live_slice *slice,
		      const struct pd_event_set *events,
		      const struct pd_record *rec)
{
	const struct pd_event *event = pd_event_set_of_record(events, rec);
	uint64_t type = event ? event->layout.sample_type : 0;
	struct pd_cursor c = pd_record_body(rec, "sample", NULL);
	uint32_t pid;

	if (!(type & PD_SAMPLE_TID))
		return;
	if (type & PD_SAMPLE_IDENTIFIER)
		pd_cursor_u64(&c);
	if (type & PD_SAMPLE_IP)
		pd_cursor_u64(&c);
	pid = pd_cursor_u32(&c);
	if (!pd_cursor_status(&c))
		rpt_intern(&slice->pids, &pid, sizeof(pid));
}

static void take_sample(struct rpt_live_window *window,
			const struct pd_event_set *events,
			const struct pd_record *rec)
{
	struct rpt_live_slice *slice = slice_for(window, rec);

	if (!slice) {
		window->dropped_nr++;
		window->slices[window->slice_nr - 1].counts.dropped_nr++;
		return;
	}
	pd_buf_bytes(&slice->records, rec->data, rec->len);
	count(&slice->counts, rec);
	note_task(slice, events, rec);
}

static void take_lost(struct rpt_live_window *window,
		      const struct pd_event_set *events,
		      const struct pd_record *rec)
{
	const struct pd_event *event = pd_event_set_of_record(events, rec);
	struct rpt_live_slice *slice = slice_for(window, rec);
	struct pd_body body;
	uint64_t nr;

	if (!event || pd_body_read(rec, event->layout.id_len, &body, NULL)) {
		window->damaged_nr++;
		return;
	}
	nr = rec->type == PD_RECORD_LOST ? body.u.lost.lost_nr
					 : body.u.lost_samples.lost_nr;
	window->lost_nr += nr;
	if (!slice)
		return;
	pd_buf_bytes(&slice->records, rec->data, rec->len);
	slice->counts.lost_nr += nr;
}

void rpt_live_window_take(void *ctx, const struct pd_record *rec,
			  const uint8_t *payload, size_t payload_len)
{
	struct rpt_live_window *window = ctx;
	const struct pd_event_set *events;
	uint64_t time_ns;

	if (!window->has_header)
		write_header(window, rec->swap);
	if (is_head(rec->type)) {
		take_head(window, rec, payload, payload_len);
		return;
	}
	if (rec->type >= PD_RECORD_USER_START)
		return;
	events = rpt_live_window_events(window);
	if (!events || !events->nr) {
		window->damaged_nr++;
		return;
	}
	time_ns = pd_event_set_time_of(events, rec);
	if (time_ns != UINT64_MAX && time_ns > window->time_max_ns)
		window->time_max_ns = time_ns;
	if (rec->type == PD_RECORD_SAMPLE ||
	    rec->type == PD_RECORD_CALLCHAIN_DEFERRED)
		take_sample(window, events, rec);
	else if (rec->type == PD_RECORD_LOST ||
		 rec->type == PD_RECORD_LOST_SAMPLES)
		take_lost(window, events, rec);
	else if (rpt_live_tasks_has(rec->type) &&
		 !rpt_live_tasks_add(&window->tasks, rec, time_ns, events))
		window->damaged_nr++;
}

void rpt_live_window_limit(struct rpt_live_window *window, uint32_t slice_max)
{
	window->slice_max = slice_max;
	while (window->slice_nr > slice_max)
		drop_oldest(window);
}

void rpt_live_window_turn(struct rpt_live_window *window, uint64_t now_ns)
{
	uint64_t begin_ns;

	rpt_live_window_limit(window, window->slice_max);
	begin_ns = window->slices[0].begin_ns;
	rpt_live_tasks_settle(&window->tasks,
			      begin_ns > LATE_NS ? begin_ns - LATE_NS : 0);
	if (window->slice_nr == window->slice_max)
		drop_oldest(window);
	window->slices = rpt_realloc_array(window->slices, window->slice_nr + 1,
					   sizeof(*window->slices));
	window->slices[window->slice_nr++] = (struct rpt_live_slice){
		.begin_ns = window->time_max_ns,
		.began_ns = now_ns,
	};
}

/* Return whether a sample is left out. */
static bool is_hidden(const struct rpt_live_hide *hide,
		      const struct pd_record *rec)
{
	unsigned mode = rec->misc & PD_MISC_CPUMODE_MASK;

	return rec->type == PD_RECORD_SAMPLE &&
	       ((hide->kernel && mode == PD_CPUMODE_KERNEL) ||
		(hide->user && mode == PD_CPUMODE_USER));
}

static void put_slice(const struct rpt_live_slice *slice, bool swap,
		      const struct rpt_live_hide *hide, struct pd_buf *out)
{
	const uint8_t *data = slice->records.data;
	struct pd_record rec;
	size_t pos = 0;

	if (!hide->kernel && !hide->user) {
		pd_buf_bytes(out, data, slice->records.len);
		return;
	}
	while (pos < slice->records.len &&
	       !pd_record_read_header(data + pos, slice->records.len - pos,
				      swap, &rec)) {
		if (!is_hidden(hide, &rec))
			pd_buf_bytes(out, rec.data, rec.len);
		pos += rec.len;
	}
}

void rpt_live_window_put(struct rpt_live_window *window,
			 const struct rpt_live_hide *hide, struct pd_buf *out)
{
	struct rpt_intern pids = { 0 };

	pd_buf_reset(out);
	pd_buf_bytes(out, window->head.data, window->head.len);
	for (uint32_t i = 0; i < window->slice_nr; i++) {
		const struct rpt_intern *from = &window->slices[i].pids;

		for (uint32_t p = 0; p < from->nr; p++)
			rpt_intern(&pids, rpt_intern_key(from, p),
				   sizeof(uint32_t));
	}
	rpt_live_tasks_put(&window->tasks, &pids, out);
	rpt_intern_release(&pids);
	for (uint32_t i = 0; i < window->slice_nr; i++)
		put_slice(&window->slices[i], window->head.swap, hide, out);
}

struct rpt_live_counts
rpt_live_window_counts(const struct rpt_live_window *window, uint64_t now_ns,
		       uint64_t *ret_ns)
{
	struct rpt_live_counts sum = { 0 };

	for (uint32_t i = 0; i < window->slice_nr; i++) {
		const struct rpt_live_slice *slice = &window->slices[i];

		sum.sample_nr += slice->counts.sample_nr;
		sum.kernel_nr += slice->counts.kernel_nr;
		sum.user_nr += slice->counts.user_nr;
		sum.exact_nr += slice->counts.exact_nr;
		sum.lost_nr += slice->counts.lost_nr;
		sum.dropped_nr += slice->counts.dropped_nr;
	}
	*ret_ns = now_ns - window->slices[0].began_ns;
	return sum;
}
