#include "report/repair/repair.h"

#include "format/records/sample_id.h"
#include "report/base/memory.h"
#include "report/repair/repair_edit.h"
#include "report/repair/repair_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Chooses the events of the new file.  perf opens no file whose events have the
 * id in different places of their samples: an event whose attr was damaged is
 * left out, by the majority of the others. */

static bool is_alike(const struct pd_event *a, const struct pd_event *b)
{
	return a->layout.id_off == b->layout.id_off &&
	       a->layout.id_off_back == b->layout.id_off_back;
}

/* The bits of an attr that perf 6.1 knows; it warns about others. */
#define FLAGS_OF_PERF_6_1  (2 * PD_ATTR_SIGTRAP - 1)
#define READ_OF_PERF_6_1   (2 * PD_READ_LOST - 1)
#define BRANCH_OF_PERF_6_1 (2 * PD_BRANCH_PRIV_SAVE - 1)

static bool clear_newer_bits(struct pd_attr *attr)
{
	struct pd_attr old = *attr;

	attr->flags &= FLAGS_OF_PERF_6_1;
	attr->read_format &= READ_OF_PERF_6_1;
	attr->sample_type &= PD_SAMPLE_KNOWN;
	attr->aux_action = 0;
	attr->branch_sample_type &= BRANCH_OF_PERF_6_1;
	return attr->flags != old.flags ||
	       attr->read_format != old.read_format ||
	       attr->sample_type != old.sample_type ||
	       attr->aux_action != old.aux_action ||
	       attr->branch_sample_type != old.branch_sample_type;
}

/* Add an event with attr instead of its own. */
static void add(struct rpt_repair *repair, const struct pd_event *event,
		const struct pd_attr *attr)
{
	const struct rpt_repair_edit *edit = repair->conf->edit;
	struct pd_event_set *to = &repair->chosen;
	size_t idx = to->nr;
	struct pd_event *out;

	pd_event_set_add(to, attr, NULL, NULL);
	out = &to->events[idx];
	/* the input's samples have this layout */
	out->layout = event->layout;
	out->name = event->name ? strdup(event->name) : NULL;
	out->is_unwound = event->is_unwound;
	if (edit && edit->event)
		edit->event(edit->ctx, event, out);
	/* no id twice, of whatever event */
	for (size_t i = 0; i < event->id_nr; i++)
		if (!pd_event_set_by_id(to, event->ids[i]))
			pd_event_set_add_id(to, idx, event->ids[i]);
}

/* Return whether zeros have overwritten an event. */
static bool is_blank(const struct pd_event *event)
{
	struct pd_attr a = event->attr;

	clear_newer_bits(&a);
	return !a.type && !a.config && !a.sample_type && !a.flags;
}

/* Return how many events are not blank, and in *ret one that more than half of
 * those with an id are like, if there is such a majority; NULL: all are blank.
 */
static size_t vote(const struct pd_event_set *set, const struct pd_event **ret)
{
	const struct pd_event *winner = NULL;
	size_t nr = 0, lead = 0;

	for (size_t i = 0; i < set->nr; i++) {
		const struct pd_event *event = &set->events[i];

		if (is_blank(event))
			continue;
		if (!nr++)
			winner = event;
		if (event->layout.id_off < 0)
			continue;
		if (!lead)
			winner = event;
		if (is_alike(winner, event))
			lead++;
		else
			lead--;
	}
	*ret = winner;
	return nr;
}

/* Choose the events of the new file.  0 or -EBADMSG. */
static int repair_choose_events(struct rpt_repair *repair, struct pd_err *err)
{
	const struct pd_event_set *set = pd_reader_events(repair->reader);
	struct rpt_repair_facts *facts = &repair->facts;
	const struct pd_event *model;
	size_t nr = vote(set, &model);
	/* perf stat records no samples */
	bool has_samples = !rpt_repair_is_sound(repair, PD_FEATURE_STAT);

	if (has_samples && nr > 1 && model->layout.id_off < 0)
		return pd_err_set(err, -EBADMSG,
				  "none of several events has an id in its "
				  "samples: nobody can tell whose they are");
	facts->place_nr = set->nr;
	facts->places = rpt_alloc_zeroed(set->nr + 1, sizeof(*facts->places));
	for (size_t i = 0; i < set->nr; i++) {
		const struct pd_event *event = &set->events[i];
		struct pd_attr attr = event->attr;
		bool is_newer = clear_newer_bits(&attr);

		if (is_blank(event) ||
		    (!is_alike(event, model) && has_samples)) {
			repair->result->event_lost_nr++;
			facts->places[i] = RPT_NO_PLACE;
			continue;
		}
		repair->result->event_newer_nr += is_newer;
		if (attr.type == PD_TYPE_TRACEPOINT &&
		    attr.config <= UINT16_MAX)
			repair->formats[attr.config / 64] |=
				PD_BIT(attr.config % 64);
		facts->places[i] = (uint32_t)repair->chosen.nr;
		add(repair, event, &attr);
	}
	repair->events = &repair->chosen;
	return 0;
}

/* The names that the new file carries. */

/* Open the file that conf->carried names. */
static int repair_lend(struct rpt_repair *repair, struct pd_err *err)
{
	const struct rpt_repair_conf *conf = repair->conf;
	struct rpt_repair_lent *lent = &repair->lent;
	struct pd_err why = PD_ERR_INIT;
	int rc;

	if (!conf->carried)
		return 0;
	rc = rpt_file_source_open(&lent->source, conf->carried, &why);
	if (!rc)
		rc = rpt_file_source_reader(&lent->source, NULL, &lent->reader,
					    &why);
	if (!rc)
		rc = pd_reader_names_are_of(lent->reader, repair->reader,
					    &lent->is_own, &why);
	if (!rc && !lent->is_own && !conf->may_be_other)
		rc = pd_err_set(&why, -EINVAL,
				"its names are not of this recording");
	if (!rc)
		return 0;
	pd_err_set(&why, rc, "%s", strerror(-rc));
	return pd_err_set(err, rc, "option --carried: %s: %s", conf->carried,
			  why.text);
}

/* A section that is damaged goes; where stack copies were dropped nobody needs
 * what unwinds them, but it finds the callers of leaves where there were none.
 * Names that stand in the new file are its own. */
static bool is_kept(const struct rpt_repair *repair,
		    const struct pd_carried *carried, uint32_t kind)
{
	return !(kind < 32 && carried->lost_kinds >> kind & 1) &&
	       kind != PD_CARRIED_STREAM &&
	       (kind != PD_CARRIED_CFI ||
		pd_event_set_has(repair->events, PD_SAMPLE_STACK_USER) ||
		!pd_event_set_has(pd_reader_events(repair->reader),
				  PD_SAMPLE_STACK_USER));
}

static void keep(struct rpt_repair *repair, struct pd_reader *reader,
		 const uint8_t *base)
{
	const struct pd_trailer *t = pd_reader_trailer(reader);
	const struct rpt_repair_edit *edit = repair->conf->edit;
	bool is_edited = edit && edit->carried;
	struct pd_carried carried;

	if (!t)
		return;
	pd_reader_carried(reader, &carried, NULL);
	if (is_edited && carried.file_nr)
		edit->carried(edit->ctx, &carried, &repair->file);
	for (size_t i = 0; !is_edited && carried.file_nr && i < t->section_nr;
	     i++)
		if (is_kept(repair, &carried, t->sections[i].kind))
			rpt_perf_data_writer_section(&repair->file,
						     &t->sections[i],
						     base + t->sections[i].off);
	pd_carried_release(&carried);
}

/* Write the names that it has, or the input. */
static void repair_carried(struct rpt_repair *repair)
{
	const struct rpt_repair_lent *lent = &repair->lent;

	if (lent->is_own)
		keep(repair, lent->reader, lent->source.base);
	else
		keep(repair, repair->reader, repair->source->base);
}

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
	if (rec->type == PD_RECORD_MMAP2 ||
	    rec->type == PD_RECORD_HEADER_BUILD_ID)
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

/* The input's trailer about its recorder: cost, losses, changes of rates and
 * the whole command. */

/* Put the number that an event has in the new file to *idx; return false if it
 * is not there. */
static bool renumber(const struct rpt_repair_facts *facts, uint32_t *idx)
{
	if (*idx >= facts->place_nr || facts->places[*idx] == RPT_NO_PLACE)
		return false;
	*idx = facts->places[*idx];
	return true;
}

static void add_losses(struct rpt_repair_facts *facts,
		       const struct pd_trailer *from)
{
	struct pd_trailer *t = &facts->trailer;

	t->losses = rpt_alloc_zeroed(from->loss_nr + 1, sizeof(*t->losses));
	for (size_t i = 0; i < from->loss_nr; i++) {
		struct pd_trailer_loss *loss = &t->losses[t->loss_nr];

		*loss = from->losses[i];
		t->loss_nr += renumber(facts, &loss->event_idx);
	}
}

static void add_rates(struct rpt_repair_facts *facts,
		      const struct pd_trailer *from)
{
	struct pd_trailer *t = &facts->trailer;

	t->rates = rpt_alloc_zeroed(from->rate_nr + 1, sizeof(*t->rates));
	for (size_t i = 0; i < from->rate_nr; i++) {
		struct pd_trailer_rate *rate = &t->rates[t->rate_nr];

		*rate = from->rates[i];
		t->rate_nr += renumber(facts, &rate->event_idx);
	}
}

/* Keep what the input's recorder said of itself, as far as it is true of the
 * new file; after the features. */
static void repair_facts(struct rpt_repair *repair)
{
	const struct pd_trailer *from = pd_reader_trailer(repair->reader);
	const struct rpt_repair_result *result = repair->result;
	struct rpt_repair_facts *facts = &repair->facts;
	const unsigned bit = PD_FEATURE_CMDLINE;

	if (!from)
		return;
	facts->trailer.cost = from->cost;
	facts->trailer.left_task_nr = from->left_task_nr;
	facts->trailer.left_record_nr = from->left_record_nr;
	if (!repair->conf->edit || !repair->conf->edit->takes_start)
		facts->trailer.start = from->start;
	add_losses(facts, from);
	add_rates(facts, from);
	/* it is a place in the list that the new file has, and a part of a
	 * recording is not one of the whole command */
	if (result->features_kept[bit / 64] & PD_BIT(bit % 64) &&
	    !result->loss_nr)
		facts->trailer.whole_command = from->whole_command;
	rpt_perf_data_writer_facts(&repair->file, &facts->trailer);
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
	repair_carried(repair);
	repair_facts(repair);
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
		rc = repair_choose_events(repair, err);
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
	rc = repair_lend(&repair, err);
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
