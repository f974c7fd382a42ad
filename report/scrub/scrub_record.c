/* Records other than samples.  Each is decoded and written again, so that
 * nothing stands in the new file that has no meaning; the text in it is
 * changed on the way.  A type without a row is left out. */
#include "report/scrub/scrub_impl.h"

#include "format/records/event_set.h"
#include "format/records/sample_id.h"

static struct pd_str text_of(const struct pd_buf *b)
{
	return (struct pd_str){ (const char *)b->data, b->len };
}

static bool plain(struct rpt_scrub *scrub, struct pd_body *body)
{
	(void)scrub;
	(void)body;
	return true;
}

static bool leave_out(struct rpt_scrub *scrub, struct pd_body *body)
{
	(void)body;
	rpt_scrub_count(scrub, RPT_SCRUB_RECORDS, true);
	return false;
}

static bool trace(struct rpt_scrub *scrub, struct pd_body *body)
{
	(void)body;
	rpt_scrub_count(scrub, RPT_SCRUB_TRACES, true);
	return false;
}

static bool is_kernel_mode(uint16_t misc)
{
	uint32_t mode = misc & PD_MISC_CPUMODE_MASK;

	return mode == PD_CPUMODE_KERNEL || mode == PD_CPUMODE_GUEST_KERNEL;
}

static bool map(struct rpt_scrub *scrub, struct pd_body *body)
{
	rpt_scrub_note_code(scrub, body);
	rpt_scrub_path(scrub, body->u.mmap.filename, is_kernel_mode(body->misc),
		       &scrub->text);
	body->u.mmap.filename = text_of(&scrub->text);
	return true;
}

static bool comm(struct rpt_scrub *scrub, struct pd_body *body)
{
	rpt_scrub_comm(scrub, body->u.comm.comm, &scrub->text);
	body->u.comm.comm = text_of(&scrub->text);
	return true;
}

static bool ksymbol(struct rpt_scrub *scrub, struct pd_body *body)
{
	rpt_scrub_ksymbol(scrub, body->u.ksymbol.name, &scrub->text);
	body->u.ksymbol.name = text_of(&scrub->text);
	return true;
}

static bool cgroup(struct rpt_scrub *scrub, struct pd_body *body)
{
	rpt_scrub_cgroup(scrub, body->u.cgroup.path, &scrub->text);
	body->u.cgroup.path = text_of(&scrub->text);
	return true;
}

static bool build_id(struct rpt_scrub *scrub, struct pd_body *body)
{
	rpt_scrub_path(scrub, body->u.header_build_id.filename,
		       is_kernel_mode(body->misc), &scrub->text);
	body->u.header_build_id.filename = text_of(&scrub->text);
	return true;
}

/* The names of events are in EVENT_DESC. */
static bool update(struct rpt_scrub *scrub, struct pd_body *body)
{
	return body->u.event_update.what == PD_UPDATE_NAME
		       ? leave_out(scrub, body)
		       : true;
}

static bool thread_map(struct rpt_scrub *scrub, struct pd_body *body)
{
	enum { COMM_LEN = 16 };
	const struct pd_thread_map *map = &body->u.thread_map;
	struct pd_buf *b = &scrub->text;

	for (size_t i = 0; i < map->nr; i++) {
		struct pd_thread_map_entry e =
			pd_thread_map_at(map, i, b->swap);
		size_t start;

		pd_buf_u64(b, e.tid);
		start = b->len;
		rpt_scrub_comm(scrub, e.comm, b);
		if (b->len - start > COMM_LEN)
			return false;
		pd_buf_zero(b, COMM_LEN - (b->len - start));
	}
	body->u.thread_map.entries = b->data;
	return !pd_buf_status(b);
}

static bool (*const rows[PD_RECORD_USER_NR])(struct rpt_scrub *scrub,
					     struct pd_body *body) = {
	[PD_RECORD_MMAP] = map,
	[PD_RECORD_LOST] = plain,
	[PD_RECORD_COMM] = comm,
	[PD_RECORD_EXIT] = plain,
	[PD_RECORD_THROTTLE] = plain,
	[PD_RECORD_UNTHROTTLE] = plain,
	[PD_RECORD_FORK] = plain,
	[PD_RECORD_READ] = plain,
	[PD_RECORD_MMAP2] = map,
	[PD_RECORD_AUX] = trace,
	[PD_RECORD_ITRACE_START] = trace,
	[PD_RECORD_LOST_SAMPLES] = plain,
	[PD_RECORD_SWITCH] = plain,
	[PD_RECORD_SWITCH_CPU_WIDE] = plain,
	[PD_RECORD_NAMESPACES] = plain,
	[PD_RECORD_KSYMBOL] = ksymbol,
	[PD_RECORD_BPF_EVENT] = plain,
	[PD_RECORD_CGROUP] = cgroup,
	[PD_RECORD_AUX_OUTPUT_HW_ID] = trace,
	[PD_RECORD_HEADER_BUILD_ID] = build_id,
	[PD_RECORD_ID_INDEX] = plain,
	[PD_RECORD_AUXTRACE_INFO] = trace,
	[PD_RECORD_AUXTRACE] = trace,
	[PD_RECORD_AUXTRACE_ERROR] = trace,
	[PD_RECORD_THREAD_MAP] = thread_map,
	[PD_RECORD_CPU_MAP] = plain,
	[PD_RECORD_STAT_CONFIG] = plain,
	[PD_RECORD_STAT] = plain,
	[PD_RECORD_STAT_ROUND] = plain,
	[PD_RECORD_EVENT_UPDATE] = update,
	[PD_RECORD_TIME_CONV] = plain,
	[PD_RECORD_FINISHED_INIT] = plain,
};

/* Write body to b, with the sample_id trailer of rec. */
static bool put_body(const struct pd_event *event, const struct pd_record *rec,
		     const struct pd_body *body, struct pd_buf *b)
{
	struct pd_sample_id id;
	size_t at;

	if (rec->type >= PD_RECORD_USER_START) {
		pd_body_write(b, rec->misc, body);
		return !pd_buf_status(b);
	}
	if (pd_sample_id_read(&event->layout, rec, &id, NULL))
		return false;
	at = pd_record_begin(b, rec->type, rec->misc | pd_body_misc(body));
	pd_body_write_fields(b, body);
	pd_sample_id_write(b, &event->layout, &id);
	pd_record_end(b, at);
	return !pd_buf_status(b);
}

bool rpt_scrub_record(void *ctx, const struct pd_event_set *events,
		      bool is_second, const struct pd_record *rec,
		      struct pd_buf *b)
{
	struct rpt_scrub *scrub = ctx;
	const struct pd_event *event = pd_event_set_of_record(events, rec);
	struct pd_record mine = *rec;
	struct pd_body body;

	scrub->is_counted = is_second;
	if (!event)
		event = &events->events[0];
	if (rec->type == PD_RECORD_MMAP2)
		mine.misc = pd_event_set_misc(events, rec);
	pd_buf_reset(&scrub->text);
	scrub->text.swap = rec->swap;
	if (rec->type >= PD_RECORD_USER_NR || !rows[rec->type] ||
	    pd_body_read(&mine,
			 rec->type < PD_RECORD_USER_START ? event->layout.id_len
							  : 0,
			 &body, NULL))
		return leave_out(scrub, NULL);
	return rows[rec->type](scrub, &body) &&
	       put_body(event, &mine, &body, b);
}
