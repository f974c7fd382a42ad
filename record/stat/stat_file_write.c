#include "record/stat/stat_file_write.h"

#include <errno.h>
#include <string.h>

#include "format/records/record_body.h"
#include "record/describe/event_sections.h"
#include "record/describe/feature_table.h"
#include "record/describe/target_records.h"
#include "record/host/host_facts.h"
#include "record/stat/stat_config.h"

enum { CONFIG_NR = 3, FLUSH_LEN = 1 << 20 };

static int explain(const struct rec_stat_file *file, int rc, struct pd_err *err)
{
	if (file->out.err.code)
		return pd_err_set(err, rc, "%s: %s", file->out.path,
				  file->out.err.text);
	return pd_err_set(err, rc, "%s: %s", file->out.path, strerror(-rc));
}

int rec_stat_file_open(struct rec_stat_file *ret,
		       const struct rec_stat_run *run, struct pd_err *err)
{
	int rc;

	*ret = (struct rec_stat_file){ .run = run };
	if (run->target.thread_nr > REC_THREAD_MAP_MAX) {
		pd_err_set(err, -E2BIG,
			   "a file has room for the counts of %d threads",
			   REC_THREAD_MAP_MAX);
		pd_err_hint(err, "count whole CPUs with -a");
		return -E2BIG;
	}
	ret->is_open = true;
	rc = rec_output_open(&ret->out, run->args->output, NULL);
	return rc ? explain(ret, rc, err) : 0;
}

static void put_config(struct pd_buf *b, const struct rec_stat_args *args)
{
	const uint64_t words[2 * CONFIG_NR] = {
		PD_STAT_CONFIG_AGGR_MODE, rec_stat_mode_to_file(args->mode),
		PD_STAT_CONFIG_INTERVAL,  args->interval_ms,
		PD_STAT_CONFIG_SCALE,	  args->scale,
	};
	struct pd_body body = { .type = PD_RECORD_STAT_CONFIG };

	body.u.stat_config.nr = CONFIG_NR;
	body.u.stat_config.entries =
		(struct pd_u64s){ .raw = (const uint8_t *)words,
				  .nr = 2 * CONFIG_NR };
	pd_body_write(b, 0, &body);
}

/* Append the payload of one feature.  Return 0, or -ENOENT if there is none. */
static int put_feature(void *ctx, const struct rec_host_facts *facts,
		       unsigned bit, struct pd_buf *b)
{
	const struct rec_stat_file *file = ctx;
	const struct rec_stat_args *args = file->run->args;
	struct pd_err why = PD_ERR_INIT;
	size_t start = b->len;
	int rc;

	switch (bit) {
	case PD_FEATURE_CMDLINE:
		return rec_cmdline_write(b, args->argc, args->argv);
	case PD_FEATURE_EVENT_DESC:
		return rec_event_desc_write(b, &args->events,
					    &file->run->counters.open);
	case PD_FEATURE_GROUP_DESC:
		return rec_group_desc_write(b, &args->events);
	case PD_FEATURE_STAT:
		return 0; /* no payload */
	case PD_FEATURE_TRACING_DATA:
		rc = rec_event_formats_write(b, &args->events,
					     args->env.tracefs, &why);
		/* counts are worth more than formats */
		if (rc)
			b->len = start;
		return rc ? -ENOENT : 0;
	default:
		return rec_host_feature_write(facts, bit, b) ? 0 : -ENOENT;
	}
}

/* Pipe mode: attrs and features as records.  perf stat report does not pass
 * over the formats of tracepoints there, and needs none. */
static int put_pipe_start(struct rec_stat_file *file, struct pd_buf *b,
			  struct pd_err *err)
{
	const struct rec_sysroots roots = REC_SYSROOTS_REAL;
	struct pd_buf payload = PD_BUF_INIT;
	struct rec_host_facts facts;
	int rc = rec_host_facts_read(&facts, &roots, err);

	if (rc)
		return rc;
	rec_attr_records_write(b, &file->run->args->events,
			       &file->run->counters.open);
	for (unsigned bit = 1; bit < PD_FEATURE_NR && !rc; bit++) {
		if (!rec_feature_is_for_pipe(bit))
			continue;
		pd_buf_reset(&payload);
		rc = put_feature(file, &facts, bit, &payload);
		if (!rc)
			rc = pd_buf_status(&payload);
		if (!rc)
			rec_feature_record_write(b, bit, &payload);
		rc = rc == -ENOENT ? 0 : rc;
	}
	rec_features_end_write(b);
	pd_buf_release(&payload);
	rec_host_facts_release(&facts);
	return rc;
}

/* Names are written as in a pipe, too: a file whose recorder was killed has no
 * EVENT_DESC. */
static int start(struct rec_stat_file *file, struct pd_err *err)
{
	const struct rec_stat_run *run = file->run;
	const struct rec_open_set *open = &run->counters.open;
	struct pd_file_header header = {
		.version = 2,
		.attr_entry_len = rec_file_attr_len(&run->args->events) + 16,
	};
	struct pd_buf prefix = PD_BUF_INIT, records = PD_BUF_INIT;
	int rc = 0;

	if (file->out.is_pipe)
		rc = put_pipe_start(file, &records, err);
	rec_attrs_write(&prefix, &run->args->events, open, &header.attrs);
	rec_event_updates_write(&records, &run->args->events, open, true);
	rec_thread_map_write(&records, &run->target);
	rec_cpu_map_write(&records, &run->target);
	put_config(&records, run->args);
	if (!rc)
		rc = rec_output_start(&file->out, &header, &prefix, &records);
	pd_buf_release(&prefix);
	pd_buf_release(&records);
	return rc;
}

static int flush(struct rec_stat_file *file, struct pd_buf *b)
{
	const struct iovec part = { b->data, b->len };
	int rc = pd_buf_status(b);

	if (!rc)
		rc = rec_output_append_loose(&file->out, &part, 1);
	pd_buf_reset(b);
	return rc;
}

static int put_counts(struct rec_stat_file *file, struct pd_buf *b)
{
	const struct rec_stat_run *run = file->run;
	const struct rec_open_set *open = &run->counters.open;
	struct pd_body body = { .type = PD_RECORD_STAT };
	int rc = 0;

	for (size_t i = 0; i < open->nr && !rc; i++) {
		const struct rec_open_fd *fd = &open->fds[i];
		const struct rec_count *count =
			rec_counters_at(&run->counters, &run->counts, fd);

		body.u.stat = (struct pd_stat){
			.id = fd->id,
			.cpu = (uint32_t)fd->cpu,
			.thread = (uint32_t)rec_counters_thread(&run->counters,
								fd),
			.value = count->value,
			.enabled = count->enabled_ns,
			.running = count->running_ns,
		};
		pd_body_write(b, 0, &body);
		if (b->len >= FLUSH_LEN)
			rc = flush(file, b);
	}
	return rc;
}

int rec_stat_file_add(struct rec_stat_file *file, bool is_interval,
		      uint64_t time_ns, struct pd_err *err)
{
	struct pd_body round = { .type = PD_RECORD_STAT_ROUND };
	struct pd_buf b = PD_BUF_INIT;
	int rc = file->out.is_started ? 0 : start(file, err);

	round.u.stat_round.round_type =
		is_interval ? PD_STAT_ROUND_INTERVAL : PD_STAT_ROUND_FINAL;
	round.u.stat_round.time_ns = time_ns;
	if (!rc)
		rc = put_counts(file, &b);
	pd_body_write(&b, 0, &round);
	if (!rc)
		rc = flush(file, &b);
	if (!rc)
		rc = rec_output_checkpoint(&file->out);
	pd_buf_release(&b);
	return rc ? explain(file, rc, err) : 0;
}

static int put_features(struct rec_stat_file *file, struct pd_buf *b,
			struct pd_err *err)
{
	struct pd_section sections[PD_FEATURE_NR] = { 0 };
	struct pd_buf payloads = PD_BUF_INIT;
	int rc = rec_features_collect(put_feature, file, &payloads, sections,
				      err);

	if (!rc)
		rec_feature_table_write(b, file->out.len, sections, &payloads,
					false, file->features);
	pd_buf_release(&payloads);
	return rc ? rc : pd_buf_status(b);
}

int rec_stat_file_finish(struct rec_stat_file *file, struct pd_err *err)
{
	struct pd_buf tail = PD_BUF_INIT;
	int rc = 0;

	if (!file->out.is_pipe) {
		rc = put_features(file, &tail, err);
		if (!rc)
			rc = rec_output_finish(&file->out, file->features,
					       &tail);
	}
	pd_buf_release(&tail);
	if (!rc)
		rc = rec_output_close(&file->out, NULL);
	return rc ? explain(file, rc, err) : 0;
}

void rec_stat_file_abandon(struct rec_stat_file *file)
{
	if (file->is_open)
		rec_output_abandon(&file->out);
}

void rec_stat_file_release(struct rec_stat_file *file)
{
	if (file->is_open)
		rec_output_release(&file->out);
	file->is_open = false;
}
