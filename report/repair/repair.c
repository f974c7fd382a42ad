#include "report/repair/repair.h"

#include "format/records/sample_id.h"
#include "report/repair/repair_impl.h"

#include <stdio.h>
#include <stdlib.h>

/* The longest attr that perf 6.1 takes: FORMAT.md "Attributes". */
enum { ATTR_LEN_MAX = PD_ATTR_LEN_VER7, LEVEL = 1 };

/* Note a place of damage, at the first walk. */
static void add_loss(void *ctx, enum pd_damage_kind kind, uint64_t len,
		     const struct pd_err *err)
{
	struct rpt_repair *repair = ctx;
	struct rpt_repair_result *result = repair->result;
	struct rpt_repair_loss *loss;

	if (repair->is_second)
		return;
	if (kind == PD_DAMAGE_UNFINISHED) {
		result->was_unfinished = true;
		return;
	}
	result->loss_nr++;
	result->loss_len += len;
	if (result->loss_shown_nr == RPT_REPAIR_LOSSES_MAX)
		return;
	loss = &result->losses[result->loss_shown_nr++];
	*loss = (struct rpt_repair_loss){
		.kind = kind,
		.off = err->off,
		.len = len,
		.before_ns = repair->last_ns,
		.before_cpu = repair->last_cpu,
		.after_cpu = RPT_NO_CPU,
	};
	snprintf(loss->text, sizeof(loss->text), "%s",
		 err->code ? err->text : "damaged");
}

/* Return the record's CPU, RPT_NO_CPU if it does not name one. */
static uint32_t cpu_of(const struct rpt_repair *repair,
		       const struct pd_record *rec)
{
	const struct pd_event *event =
		pd_event_set_of_record(repair->events, rec);
	struct pd_sample_id id;
	struct pd_sample s;

	if (!event || !(event->attr.sample_type & PD_SAMPLE_CPU))
		return RPT_NO_CPU;
	if (rec->type == PD_RECORD_SAMPLE)
		return pd_sample_read(&event->layout, rec, &s, NULL)
			       ? RPT_NO_CPU
			       : s.cpu;
	if (pd_sample_id_read(&event->layout, rec, &id, NULL) || !id.present)
		return RPT_NO_CPU;
	return id.cpu;
}

/* Note that rec was read: it follows the losses so far, and precedes the next.
 */
static void note_neighbour(struct rpt_repair *repair,
			   const struct pd_record *rec, uint64_t time_ns)
{
	struct rpt_repair_result *result = repair->result;

	if (!time_ns)
		return;
	repair->last_ns = time_ns;
	repair->last_cpu = cpu_of(repair, rec);
	for (; repair->open_loss_idx < result->loss_shown_nr;
	     repair->open_loss_idx++) {
		struct rpt_repair_loss *loss =
			&result->losses[repair->open_loss_idx];

		loss->after_ns = time_ns;
		loss->after_cpu = repair->last_cpu;
	}
}

/* Look up the frame that the loss lies in. */
static void explain_loss(const struct pd_trailer *t,
			 struct rpt_repair_loss *loss)
{
	for (size_t i = 0; i < t->frame_nr && !loss->has_frame; i++) {
		loss->frame = t->frames[i];
		loss->has_frame =
			loss->off >= loss->frame.file_off &&
			loss->off - loss->frame.file_off < loss->frame.file_len;
	}
}

/* First walk: find out what can be kept. */
static void look(struct rpt_repair *repair, const struct pd_record *rec)
{
	enum rpt_record_outcome outcome = rpt_repair_record(repair, rec);
	uint64_t time_ns = repair->written.time_ns;

	repair->result->outcome_nr[outcome]++;
	note_neighbour(repair, rec, time_ns);
	if (!rpt_repair_is_written(outcome))
		return;
	if (rec->type == PD_RECORD_FINISHED_ROUND) {
		rpt_rounds_mark(&repair->rounds);
		return;
	}
	rpt_rounds_time(&repair->rounds, time_ns);
	repair->result->kept_nr[rec->type]++;
	if (rec->type == PD_RECORD_SAMPLE)
		pd_sample_time_add(&repair->result->times, time_ns);
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
	repair->lists.has_cpu_map = repair->lists.has_thread_map = false;
	repair->lists.has_tracer = false;
	rpt_stat_table_release(&repair->lists.counts);
	rpt_stat_table_init(&repair->lists.counts, repair->events,
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
	rpt_repair_carried(repair);
	rpt_repair_facts(repair);
	rc = rpt_perf_data_writer_finish(&repair->file, err);
	repair->result->len = repair->file.len;
	return rc;
}

/* Take out of the result what the second walk leaves out: tracers without
 * traces. */
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
	const struct pd_trailer *trailer = pd_reader_trailer(repair->reader);
	const struct rpt_repair_edit *edit = repair->conf->edit;
	int rc = 0;

	if (edit && edit->begin)
		rc = edit->begin(edit->ctx, repair->reader, err);
	if (!rc)
		rc = rpt_repair_choose_events(repair, err);
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
	for (size_t i = 0; trailer && i < result->loss_shown_nr; i++)
		explain_loss(trailer, &result->losses[i]);
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
	const struct pd_watch watch = { .damage = add_loss, .ctx = &repair };
	int rc;

	*result = (struct rpt_repair_result){ .times = { UINT64_MAX, 0 } };
	rc = rpt_file_source_reader(source, &watch, &repair.reader, err);
	if (rc)
		return rc;
	pd_reader_set_ratio(repair.reader, conf->max_ratio);
	rc = rpt_repair_lend(&repair, err);
	if (!rc)
		rc = run(&repair, &watch, err);
	rpt_perf_data_writer_release(&repair.file);
	rpt_rounds_release(&repair.rounds);
	rpt_stat_table_release(&repair.lists.counts);
	pd_event_set_release(&repair.chosen);
	pd_trailer_release(&repair.facts.trailer);
	free(repair.facts.places);
	rpt_intern_release(&repair.build_id_names);
	pd_buf_release(&repair.build_ids);
	pd_buf_release(&repair.scratch);
	pd_buf_release(&repair.edited);
	pd_reader_close(repair.lent.reader);
	rpt_file_source_close(&repair.lent.source);
	pd_reader_close(repair.reader);
	return rc;
}
