#include "report/repair/repair.h"

#include "report/check/check.h"
#include "report/repair/repair_impl.h"

/* The longest attr that perf 6.1 takes: FORMAT.md "Attributes". */
enum { ATTR_LEN_MAX = PD_ATTR_LEN_VER7, LEVEL = 1 };

static void note_span(struct rpt_repair_result *result, uint64_t time_ns)
{
	if (time_ns && time_ns < result->time_lo_ns)
		result->time_lo_ns = time_ns;
	if (time_ns > result->time_hi_ns)
		result->time_hi_ns = time_ns;
}

/* First walk: find out what there is. */
static void look(struct rpt_repair *repair, const struct pd_record *rec)
{
	enum rpt_record_outcome outcome = rpt_repair_record(repair, rec);
	uint64_t time_ns = repair->written.time_ns;

	repair->result->outcome_nr[outcome]++;
	rpt_repair_seen(repair, rec, time_ns);
	if (!rpt_repair_is_written(outcome))
		return;
	if (rec->type == PD_RECORD_FINISHED_ROUND) {
		rpt_rounds_mark(&repair->rounds);
		return;
	}
	rpt_rounds_time(&repair->rounds, time_ns);
	repair->result->kept_nr[rec->type]++;
	if (rec->type == PD_RECORD_SAMPLE)
		note_span(repair->result, time_ns);
	if (rec->type == PD_RECORD_MMAP2)
		rpt_repair_note_build_id(repair, rec);
}

/* Second walk: write. */
static void put(struct rpt_repair *repair, const struct pd_record *rec)
{
	if (!rpt_repair_is_written(rpt_repair_record(repair, rec)))
		return;
	if (rec->type != PD_RECORD_FINISHED_ROUND)
		rpt_perf_data_writer_record(&repair->file, &repair->written);
	else if (rpt_rounds_is_good(&repair->rounds) &&
		 !pd_reader_has_parts(repair->reader))
		rpt_perf_data_writer_round(&repair->file);
}

/* Forget the lists that records of the walk before have built. */
static void begin_lists(struct rpt_repair *repair)
{
	repair->has_cpu_map = repair->has_thread_map = false;
	repair->has_tracer = false;
	rpt_stat_table_release(&repair->counts);
	rpt_stat_table_init(&repair->counts, repair->events,
			    RPT_STAT_LINES_LEAST +
				    pd_reader_len(repair->reader));
}

/* Walk over all records, or until writing fails. */
static void walk(struct rpt_repair *repair, const struct pd_watch *watch,
		 void (*each)(struct rpt_repair *repair,
			      const struct pd_record *rec))
{
	struct pd_records it;
	struct pd_record rec;

	begin_lists(repair);
	pd_records_init(&it, repair->reader, pd_reader_data(repair->reader));
	it.damage.watch = watch;
	while (!repair->file.status && pd_records_next(&it, &rec, NULL) > 0)
		each(repair, &rec);
	if (it.compressed_nr || it.compressed2_nr)
		repair->result->is_compressed = true;
	pd_records_release(&it);
}

/* Return the length of the longest attr, at most what perf 6.1 takes. */
static uint32_t choose_attr_len(struct rpt_repair *repair)
{
	uint32_t len = PD_ATTR_LEN_VER0;

	for (size_t i = 0; i < repair->events->nr; i++) {
		const struct pd_attr *a = &repair->events->events[i].attr;

		if (a->attr_len > len)
			len = a->attr_len;
		if (a->config3 || a->config4)
			repair->result->is_attr_cut = true;
	}
	return len < ATTR_LEN_MAX ? len : ATTR_LEN_MAX;
}

static int write_file(struct rpt_repair *repair, const struct pd_watch *watch,
		      struct pd_err *err)
{
	const struct rpt_repair_conf *conf = repair->conf;
	int level = conf->level;
	int rc = rpt_perf_data_writer_open(&repair->file, conf->path,
					   conf->force, err);

	if (rc)
		return rc;
	if (level < 0)
		level = repair->result->is_compressed ? LEVEL : 0;
	repair->is_second = true;
	rpt_perf_data_writer_begin(
		&repair->file, repair->events, choose_attr_len(repair),
		pd_reader_header(repair->reader)->swap, level);
	walk(repair, watch, put);
	rpt_repair_features(repair);
	rc = rpt_perf_data_writer_finish(&repair->file, err);
	repair->result->len = repair->file.len;
	return rc;
}

/* Take out of the result what the second walk leaves out: rpt_repair_record().
 */
static void leave_out_tracers(struct rpt_repair_result *result)
{
	uint64_t *info_nr = &result->kept_nr[PD_RECORD_AUXTRACE_INFO];

	if (result->kept_nr[PD_RECORD_AUXTRACE])
		return;
	result->outcome_nr[RPT_RECORD_NO_TRACE] += *info_nr;
	result->outcome_nr[RPT_RECORD_KEPT] -= *info_nr;
	*info_nr = 0;
}

static int run(struct rpt_repair *repair, const struct pd_watch *watch,
	       struct pd_err *err)
{
	struct rpt_repair_result *result = repair->result;
	int rc = rpt_repair_choose_events(repair, err);

	if (rc)
		return rc;
	if (!repair->chosen.nr)
		return pd_err_set(err, -EBADMSG,
				  "the file describes no event: its samples "
				  "cannot be read");
	rpt_repair_count_cpus(repair);
	walk(repair, watch, look);
	leave_out_tracers(result);
	result->round_nr = repair->rounds.mark_nr;
	result->bad_round_nr = result->round_nr - repair->rounds.good_nr;
	rpt_repair_explain_losses(repair);
	return write_file(repair, watch, err);
}

int rpt_repair(const struct rpt_file_source *source,
	       const struct rpt_repair_conf *conf,
	       struct rpt_repair_result *result, struct pd_err *err)
{
	struct rpt_repair repair = {
		.source = source,
		.conf = conf,
		.result = result,
		.file.fd = -1,
		.last_cpu = RPT_NO_CPU,
	};
	const struct pd_watch watch = { .damage = rpt_repair_add_loss,
					.ctx = &repair };
	int rc;

	*result = (struct rpt_repair_result){ .time_lo_ns = UINT64_MAX };
	rc = rpt_file_source_reader(source, &watch, &repair.reader, err);
	if (rc)
		return rc;
	pd_reader_set_ratio(repair.reader, conf->max_ratio);
	rc = run(&repair, &watch, err);
	rpt_perf_data_writer_release(&repair.file);
	rpt_rounds_release(&repair.rounds);
	rpt_stat_table_release(&repair.counts);
	pd_event_set_release(&repair.chosen);
	rpt_intern_release(&repair.build_id_names);
	pd_buf_release(&repair.build_ids);
	pd_buf_release(&repair.scratch);
	pd_reader_close(repair.reader);
	return rc;
}
