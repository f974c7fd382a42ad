#include "report/export/export.h"

#include "format/file/feature.h"
#include "format/support/json_string.h"
#include "report/base/memory.h"
#include "report/events/event_name.h"
#include "report/export/export_fill.h"
#include "report/export/export_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rpt_export_event *rpt_export_events(const struct rpt_export *export)
{
	const struct rpt_merged_events *from = &export->report->whole.events;
	struct rpt_export_event *events =
		rpt_alloc_zeroed(from->nr + (size_t)1, sizeof(*events));

	for (uint32_t i = 0; i < from->nr; i++) {
		const struct rpt_merged_event *at = &from->items[i];
		const struct pd_event *event =
			&from->sets[at->input]->events[at->idx];
		char buf[RPT_EVENT_NAME_LEN];
		const char *name =
			rpt_report_weight_name(export->report, event, buf);

		events[i].name = rpt_alloc_text(name, strlen(name));
		events[i].is_clock = export->report->args->switches.off_cpu ||
				     pd_attr_is_clock(&event->attr);
	}
	for (uint32_t i = 0; i < export->set.samples.nr; i++) {
		uint32_t event = rpt_export_sample_at(&export->set, i)->event;

		events[event].nr += export->set.values[i].nr;
		events[event].period += export->set.values[i].period;
	}
	return events;
}

void rpt_export_events_free(const struct rpt_export *export,
			    struct rpt_export_event *events)
{
	for (uint32_t i = 0; i < export->report->whole.events.nr; i++)
		free(events[i].name);
	free(events);
}

void rpt_export_times(const struct rpt_export *export, uint64_t *ret_start_ns,
		      uint64_t *ret_span_ns)
{
	const struct rpt_time_blocks *blocks = &export->report->blocks;
	struct pd_cursor payload;
	struct pd_clock_data clock;

	*ret_start_ns = 0;
	*ret_span_ns = blocks->span_ns;
	if (blocks->nr &&
	    pd_reader_feature(export->report->reader, PD_FEATURE_CLOCK_DATA,
			      &payload) &&
	    !pd_feature_clock_data_read(&payload, &clock))
		*ret_start_ns = clock.wall_clock_ns + blocks->first_ns -
				clock.clockid_ns;
}

/* Blocks of time of a format that shows times. */
#define BLOCKS_NR 2000u

static int set_up(struct rpt_report *report, uint32_t block_nr,
		  struct pd_err *err)
{
	unsigned labels = report->args->out.labels;
	struct rpt_sort_keys *keys = &report->rows_conf.keys;
	char list[64];
	int rc;

	snprintf(list, sizeof(list), "comm,dso,symbol%s%s",
		 labels & RPT_LABEL_CGROUP ? ",cgroup" : "",
		 labels & RPT_LABEL_PROCESS ? ",process" : "");
	rc = rpt_columns_parse(&report->view.columns, list, "", err);
	if (rc)
		return rc;
	rpt_columns_keys(&report->view.columns, keys);
	if (labels & (RPT_LABEL_PID | RPT_LABEL_TID))
		keys->by |= RPT_BY_TASK;
	if (labels & RPT_LABEL_CPU)
		keys->by |= RPT_BY_CPU;
	/* several recordings have no time in common */
	report->block_nr = report->args->input_nr > 1 ? 0 : block_nr;
	return 0;
}

int rpt_export_set_up(struct rpt_report *report, struct pd_err *err)
{
	return set_up(report, 1, err);
}

int rpt_export_set_up_times(struct rpt_report *report, struct pd_err *err)
{
	return set_up(report, BLOCKS_NR, err);
}

int rpt_export_fill_set(struct rpt_export *export, struct rpt_report *report,
			bool has_levels, struct pd_err *err)
{
	int rc;

	*export = (struct rpt_export){ .report = report };
	rpt_export_set_init(&export->set);
	rc = rpt_export_fill(&export->set, report, has_levels);
	return rc ? pd_err_set(err, rc,
			       "more different addresses than the limit on "
			       "memory allows (--max-ratio)")
		  : 0;
}

static int end(struct rpt_export *export, int rc, struct pd_err *err)
{
	rpt_export_set_release(&export->set);
	return rc && rc != -EPIPE ? pd_err_set(err, rc, "%s", strerror(-rc))
				  : 0;
}

int rpt_export_print_text(struct rpt_report *report, FILE *out,
			  void (*print)(const struct rpt_export *export,
					struct rpt_text *out),
			  struct pd_err *err)
{
	struct rpt_text *text;
	struct rpt_export export;
	int rc = rpt_export_fill_set(&export, report, false, err);

	if (rc)
		return end(&export, rc, err);
	text = rpt_alloc(sizeof(*text));
	rpt_text_init(text, out);
	print(&export, text);
	rpt_text_char(text, '\n');
	rc = rpt_text_flush(text);
	free(text);
	if (!rc && fflush(out))
		rc = -errno;
	return end(&export, rc, err);
}

/* Return the length of the UTF-8 that str begins with. */
static size_t utf8_len(const char *str, size_t len)
{
	size_t at = 0, step = 1;

	while (at < len && step) {
		/* ASCII is most of it */
		while (at < len && !(str[at] & 0x80))
			at++;
		step = at < len ? sup_utf8_len(str + at, len - at) : 0;
		at += step;
	}
	return at;
}

void rpt_export_put_utf8(struct pd_buf *b, const char *str, size_t len)
{
	while (len) {
		size_t good_len = utf8_len(str, len);

		pd_buf_bytes(b, str, good_len);
		str += good_len;
		len -= good_len;
		if (!len)
			break;
		pd_buf_bytes(b, "\xef\xbf\xbd", 3);
		str++;
		len--;
	}
}

bool rpt_export_is_terminal(FILE *out)
{
	return isatty(out == stdout ? STDOUT_FILENO : fileno(out));
}

int rpt_export_refuse_terminal(FILE *out, struct pd_err *err)
{
	return rpt_export_is_terminal(out)
		       ? pd_err_set(err, -EINVAL,
				    "this format is no text: -o FILE")
		       : 0;
}

int rpt_export_print_bytes(struct rpt_report *report, FILE *out,
			   int (*print)(struct rpt_export *export, FILE *out,
					struct pd_err *err),
			   struct pd_err *err)
{
	struct rpt_export export;
	int rc = rpt_export_fill_set(&export, report, false, err);

	if (!rc)
		rc = rpt_export_refuse_terminal(out, err);
	if (!rc)
		rc = print(&export, out, err);
	if (!rc && fflush(out))
		rc = -errno;
	return end(&export, rc, err);
}
