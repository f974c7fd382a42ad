#include "report/script/script.h"

#include "report/script/script_line.h"

#include "report/script/per_event_dump.h"
#include "report/events/event_name.h"
#include "report/script/script_dump.h"
#include "report/script/script_event.h"
#include "report/timeline/sideband.h"
#include "report/timeline/address_space.h"
#include "report/events/stat_table.h"

#include <errno.h>
#include <stdlib.h>

static int name_events(struct rpt_script *script)
{
	const struct pd_event_set *events = script->events;

	script->names = calloc(events->nr + 1, sizeof(*script->names));
	script->titles = calloc(events->nr + 1, sizeof(*script->titles));
	if (!script->names || !script->titles)
		return -ENOMEM;
	for (size_t i = 0; i < events->nr; i++) {
		char buf[RPT_EVENT_NAME_LEN];
		char *name = strdup(rpt_event_name(&events->events[i], buf));

		if (!name)
			return -ENOMEM;
		script->names[i] = name;
		if (strlen(name) > script->name_width)
			script->name_width = (uint32_t)strlen(name);
	}
	for (size_t i = 0; i < events->nr; i++)
		if (asprintf(&script->titles[i], "%*s: ",
			     (int)script->name_width, script->names[i]) < 0) {
			script->titles[i] = NULL;
			return -ENOMEM;
		}
	return 0;
}

static int check_switch(const struct rpt_script *script, const char *option,
			const char *name, struct pd_err *err)
{
	for (size_t i = 0; name && i < script->events->nr; i++)
		if (strcmp(script->names[i], name) == 0)
			return 0;
	return name ? pd_err_set(err, -EINVAL,
				 "%s: there is no event '%s' in the file",
				 option, name)
		    : 0;
}

int rpt_script_init(struct rpt_script *script,
		    const struct rpt_script_conf *conf, FILE *out,
		    struct pd_err *err)
{
	int rc;

	memset(script, 0, offsetof(struct rpt_script, text));
	rpt_text_init(&script->text, out);
	script->text.is_safe = true;
	script->conf = *conf;
	script->out = out;
	script->events = pd_reader_events(conf->reader);
	script->is_off = conf->switch_on != NULL;
	script->string = rpt_text_string_new();
	script->code = rpt_script_code_new();
	rc = script->string && script->code ? name_events(script) : -ENOMEM;
	if (!rc)
		rc = check_switch(script, "--switch-on", conf->switch_on, err);
	if (!rc)
		rc = check_switch(script, "--switch-off", conf->switch_off,
				  err);
	if (!rc && conf->dump_prefix)
		rc = rpt_per_event_dump_new(&script->dumps, conf->dump_prefix,
					    script->names, script->events->nr,
					    err);
	return rc;
}

int rpt_script_finish(struct rpt_script *script)
{
	int rc = rpt_text_flush(&script->text);

	if (script->dumps) {
		int last = rpt_per_event_dump_close(script->dumps, script->out);

		rc = rc ? rc : last;
	}
	return rc;
}

void rpt_script_release(struct rpt_script *script)
{
	for (size_t i = 0; script->names && i < script->events->nr; i++)
		free(script->names[i]);
	for (size_t i = 0; script->titles && i < script->events->nr; i++)
		free(script->titles[i]);
	free(script->names);
	free(script->titles);
	rpt_per_event_dump_free(script->dumps);
	rpt_script_code_free(script->code);
	free(script->texts);
	free(script->repeats);
	rpt_read_values_release(&script->read_values);
	rpt_intern_release(&script->lookups);
	rpt_arena_release(&script->pool);
	rpt_script_spots_release(&script->spots);
	rpt_text_string_free(script->string);
	free(script->spare.data);
}

static bool place_passes(struct rpt_script *script,
			 struct rpt_script_line *line)
{
	const struct rpt_script_text *text;

	if (!(script->conf.filter->asked & RPT_FILTER_PLACE))
		return true;
	text = rpt_script_address(script, line, RPT_SCRIPT_PASSES,
				  line->sample.misc & PD_MISC_CPUMODE_MASK,
				  line->sample.ip);
	if (!text)
		script->text.status = -ENOMEM;
	return text && text->len > 0;
}

/* Samples of guests count their counters, and are not shown. */
static bool passes(struct rpt_script *script, struct rpt_script_line *line)
{
	const struct rpt_filter *filter = script->conf.filter;
	const struct pd_sample *sample = &line->sample;

	return rpt_filter_task(filter, sample->pid, sample->tid, line->comm) &&
	       place_passes(script, line) &&
	       !rpt_filter_is_guest(sample->misc & PD_MISC_CPUMODE_MASK);
}

void rpt_script_lock(const struct rpt_script *script)
{
	if (script->conf.names_lock)
		pthread_mutex_lock(script->conf.names_lock);
}

void rpt_script_unlock(const struct rpt_script *script)
{
	if (script->conf.names_lock)
		pthread_mutex_unlock(script->conf.names_lock);
}

void rpt_script_to(struct rpt_script *script, FILE *out)
{
	if (script->text.out == out)
		return;
	rpt_text_flush(&script->text);
	script->text.out = out;
}

/* --switch-on, --switch-off */
static bool is_switched_off(struct rpt_script *script, const char *name)
{
	const struct rpt_script_conf *conf = &script->conf;
	const char *at = script->is_off ? conf->switch_on : conf->switch_off;

	if (!at || strcmp(at, name) != 0)
		return script->is_off;
	script->is_off = !script->is_off;
	return !conf->show_switches;
}

void rpt_script_describe(const struct rpt_script *script,
			 struct rpt_script_line *line,
			 const struct pd_event *event)
{
	line->event = event;
	line->fields = script->conf.fields.of[rpt_script_type_of(&event->attr)];
	line->with_chain = !script->conf.hide_chains &&
			   (line->fields & RPT_FIELD_IP) &&
			   (event->attr.sample_type & PD_SAMPLE_CALLCHAIN);
}

/* What the dump tells of tasks and files it tells of all samples of the times
 * and CPUs that were asked for, as in perf. */
static int print_for(struct rpt_script *script, struct rpt_script_line *line,
		     const struct pd_event *event)
{
	size_t idx = (size_t)(event - script->events->events);

	if (script->conf.dump_path)
		rpt_script_dump_place(script, line);
	if (!line->is_chosen)
		return script->text.status;
	if ((script->conf.switch_on || script->conf.switch_off) &&
	    is_switched_off(script, script->names[idx]))
		return 0;
	if (script->dumps)
		rpt_script_to(script,
			      rpt_per_event_dump_choose(script->dumps, idx));
	rpt_script_describe(script, line, event);
	if (!line->fields) /* none that was asked for is for such events */
		return script->text.status;
	return rpt_script_print(script, line);
}

/* PERF_SAMPLE_READ: a line for each counter of the group that moved, by how
 * much it did since the last sample, whether that was shown or not. */
static int print_reads(struct rpt_script *script, struct rpt_script_line *line,
		       bool is_shown)
{
	int rc = 0;

	for (size_t i = 0; i < line->sample.counts.nr && !rc; i++) {
		struct pd_read_value value =
			pd_sample_count_at(&line->sample.counts, i);
		const struct pd_event *event =
			pd_event_set_by_id(script->events, value.id);

		if (!event) {
			script->unknown_id_nr++;
			continue;
		}
		rc = rpt_read_values_delta(&script->read_values, value.id,
					   value.value, &line->sample.period);
		if (!rc && line->sample.period && is_shown)
			rc = print_for(script, line, event);
	}
	return rc;
}

static void unwind(struct rpt_script *script, struct rpt_script_line *line)
{
	struct rpt_user_stack at = { script->conf.timeline, &line->who,
				     line->when };

	if (script->conf.unwind && !script->conf.hide_chains &&
	    line->sample.stack_len)
		line->unwound_nr = rpt_user_stack_unwind(
			script->conf.unwind, &at, &line->sample, line->swap,
			script->unwound);
}

void rpt_script_find_who(struct rpt_script *script,
			 struct rpt_script_line *line, uint32_t pid,
			 uint32_t tid)
{
	struct rpt_task_state *last = &script->whos[tid % RPT_SCRIPT_WHOS_NR];

	if (last->who.tid != tid || last->who.pid != pid ||
	    !rpt_span_has(&last->span, line->when))
		rpt_timeline_task_span(script->conf.timeline, pid, tid,
				       line->when, last);
	line->who = last->who;
	line->comm = last->comm;
}

void rpt_script_note_damage(struct rpt_script *script,
			    const struct pd_record *rec,
			    const struct pd_err *err)
{
	if (rpt_sideband_is_kept(rec->type) || rpt_stat_table_has(rec->type) ||
	    pd_reader_tells_of(script->conf.reader, rec))
		return;
	if (!script->damaged_nr++ || err->off < script->damage.off)
		script->damage = *err;
}

static int note_damaged(struct rpt_script *script, const struct pd_event *event,
			const struct pd_record *rec)
{
	struct pd_sample sample;
	struct pd_err err = PD_ERR_INIT;

	pd_sample_read(&event->layout, rec, &sample, &err);
	rpt_script_note_damage(script, rec, &err);
	return 0;
}

/* All of the line but its event and fields, which counters have of their own.
 */
static void take_sample(struct rpt_script *script, struct rpt_script_line *line,
			const struct pd_event *event,
			const struct pd_record *rec)
{
	struct pd_sample *sample = &line->sample;

	line->swap = rec->swap;
	line->record_type = rec->type;
	line->unwound_nr = 0;
	line->times_end = 0;
	line->is_placed = false;
	if (!script->conf.hide_chains)
		rpt_timeline_join_chain(script->conf.timeline, event, rec->seq,
					sample, script->chain_room);
	if (!(sample->present & PD_SAMPLE_TID))
		sample->pid = sample->tid = UINT32_MAX;
	line->when = (struct rpt_when){
		pd_event_set_order(script->events, sample->time_ns), rec->seq
	};
	if (!(sample->present & PD_SAMPLE_TIME))
		sample->time_ns = UINT64_MAX; /* perf's word for none */
	rpt_script_find_who(script, line, sample->pid, sample->tid);
}

static int print_sample(struct rpt_script *script, struct rpt_script_line *line,
			const struct pd_event *event,
			const struct pd_record *rec)
{
	bool is_its_moment;

	rpt_script_describe(script, line, event);
	if (script->conf.dump_path)
		rpt_script_dump_sample(script, line, rec);
	is_its_moment =
		rpt_filter_sample_moment(script->conf.filter, &line->sample);
	line->is_chosen = is_its_moment && passes(script, line);
	if (line->is_chosen)
		unwind(script, line);
	if (line->sample.present & PD_SAMPLE_READ)
		return print_reads(script, line, is_its_moment);
	return is_its_moment ? print_for(script, line, event)
			     : script->text.status;
}

static int show_sample(struct rpt_script *script, const struct pd_record *rec)
{
	const struct pd_event *event =
		pd_event_set_of_record(script->events, rec);
	struct rpt_script_line_cache *repeat;
	struct rpt_script_line line;
	int rc;

	if (!event) {
		script->unknown_id_nr++;
		return 0;
	}
	if (rpt_script_line_cache_print(script, event, rec, &repeat))
		return script->text.status;
	rpt_script_forget_places(script);
	if (pd_sample_read(&event->layout, rec, &line.sample, NULL))
		return note_damaged(script, event, rec);
	take_sample(script, &line, event, rec);
	rc = print_sample(script, &line, event, rec);
	if (repeat)
		rpt_script_line_cache_keep(script, repeat, &line, rec);
	return rc;
}

int rpt_script_record(struct rpt_script *script, const struct pd_record *rec)
{
	if (rec->type == PD_RECORD_SAMPLE)
		return show_sample(script, rec);
	if (script->conf.dump_path)
		rpt_script_dump(script, rec);
	if (!rpt_script_event_is_shown(script->conf.show, rec->type))
		return script->text.status;
	return rpt_script_event(script, rec);
}
