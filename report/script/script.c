#include "report/script/script.h"

#include "format/support/new_file.h"
#include "report/base/memory.h"
#include "report/cli/output_options.h"
#include "report/events/event_name.h"
#include "report/events/stat_table.h"
#include "report/script/script_compat.h"
#include "report/script/script_json.h"
#include "report/script/script_line.h"
#include "report/timeline/address_space.h"
#include "report/timeline/guest_ids.h"
#include "report/timeline/sideband.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct dump {
	char *path;
	struct sup_new_file out;
	FILE *file;
	uint64_t sample_nr;
};

struct rpt_per_event_dump {
	size_t nr;
	struct dump items[];
};

static int open_dump(struct dump *dump, const char *prefix, const char *name,
		     struct pd_err *err)
{
	struct pd_err why = PD_ERR_INIT;
	size_t len = strlen(prefix) + strlen(name) + sizeof("..dump");
	int rc;

	dump->path = rpt_alloc(len);
	snprintf(dump->path, len, "%s.%s.dump", prefix, name);
	/* the name comes from the recording and can hold any bytes */
	for (char *p = dump->path + strlen(prefix); *p; p++)
		if (*p == '/')
			*p = '_';
	rc = rpt_output_refuse_input(dump->path, prefix, &why);
	if (!rc)
		rc = sup_new_file_open(&dump->out, dump->path, 0666, true,
				       &why);
	if (!rc)
		dump->file = fdopen(dump->out.fd, "w");
	if (!rc && !dump->file)
		rc = pd_err_set(&why, -errno, "%s", strerror(errno));
	if (rc)
		return pd_err_set(err, rc, "%s: %s", dump->path, why.text);
	dump->out.fd = -1;
	return 0;
}

static void per_event_dump_free(struct rpt_per_event_dump *dumps)
{
	for (size_t i = 0; dumps && i < dumps->nr; i++) {
		if (dumps->items[i].file)
			fclose(dumps->items[i].file);
		sup_new_file_release(&dumps->items[i].out);
		free(dumps->items[i].path);
	}
	free(dumps);
}

/* --per-event-dump.  Open PREFIX.NAME.dump for each name.  Return 0, or why one
 * could not be opened. */
static int per_event_dump_new(struct rpt_per_event_dump **ret,
			      const char *prefix, char *const *names, size_t nr,
			      struct pd_err *err)
{
	struct rpt_per_event_dump *dumps = rpt_alloc_zeroed(
		1, sizeof(*dumps) + nr * sizeof(dumps->items[0]));
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++) {
		dumps->nr = i + 1;
		rc = open_dump(&dumps->items[i], prefix, names[i], err);
	}
	if (rc)
		per_event_dump_free(dumps);
	else
		*ret = dumps;
	return rc;
}

/* Count a sample of event idx and return the event's file. */
static FILE *per_event_dump_choose(struct rpt_per_event_dump *dumps, size_t idx)
{
	dumps->items[idx].sample_nr++;
	return dumps->items[idx].file;
}

/* Close all and print on report, as perf does, how much went into each.  Return
 * 0 or -errno. */
static int per_event_dump_close(struct rpt_per_event_dump *dumps, FILE *report)
{
	int rc = 0;

	for (size_t i = 0; i < dumps->nr; i++) {
		struct dump *dump = &dumps->items[i];
		long len = ftell(dump->file);

		if (fclose(dump->file) != 0 && !rc)
			rc = -errno;
		dump->file = NULL;
		if (!rc)
			rc = sup_new_file_name(&dump->out, NULL);
		fprintf(report,
			"[ perf script: Wrote %.3f MB %s (%" PRIu64
			" samples) ]\n",
			(double)len / 1024 / 1024, dump->path, dump->sample_nr);
	}
	return rc;
}

static void name_events(struct rpt_script *script)
{
	const struct pd_event_set *events = script->events;
	size_t width = 0;

	script->names =
		rpt_alloc_zeroed(events->nr + 1, sizeof(*script->names));
	script->titles =
		rpt_alloc_zeroed(events->nr + 1, sizeof(*script->titles));
	for (size_t i = 0; i < events->nr; i++) {
		char buf[RPT_EVENT_NAME_LEN];
		const char *name = rpt_event_name(&events->events[i], buf);
		size_t len = strlen(name);

		script->names[i] = rpt_alloc_text(name, len);
		if (len > width)
			width = len;
	}
	for (size_t i = 0; i < events->nr; i++) {
		if (script->setup->args->is_compat) {
			script->titles[i] =
				rpt_script_compat_title(script->names[i]);
			continue;
		}
		script->titles[i] = rpt_alloc(width + sizeof(": "));
		snprintf(script->titles[i], width + sizeof(": "),
			 "%*s: ", (int)width, script->names[i]);
	}
}

int rpt_script_init(struct rpt_script *script,
		    const struct rpt_script_setup *setup, FILE *out,
		    struct pd_err *err)
{
	const struct rpt_script_args *args = setup->args;
	const struct rpt_sample_reader_conf conf = {
		.events = pd_reader_events(setup->in.reader),
		.timeline = setup->timeline,
		.with_chains = !args->hide_chains,
		.filter = &setup->filter,
	};
	int rc;

	rpt_text_init(&script->text, out);
	script->text.is_safe = true;
	script->setup = setup;
	script->tracepoints = setup->tracepoints;
	script->unwind = setup->unwind;
	script->out = out;
	script->events = conf.events;
	name_events(script);
	rpt_sample_reader_init(&script->reader, &conf);
	rc = rpt_event_switch_init(&script->event_switch, &args->event_switch,
				   script->events, err);
	if (!rc && args->is_per_event)
		rc = per_event_dump_new(&script->dumps, setup->in.path,
					script->names, script->events->nr, err);
	return rc;
}

int rpt_script_finish(struct rpt_script *script)
{
	int rc = rpt_text_flush(&script->text);

	if (script->dumps) {
		int last = per_event_dump_close(script->dumps, script->out);

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
	per_event_dump_free(script->dumps);
	rpt_script_code_free(script->code);
	rpt_script_json_free(script->json);
	rpt_script_insns_free(script->insns);
	free(script->line_cache);
	rpt_address_cache_release(&script->addresses);
	rpt_sample_reader_release(&script->reader);
}

static bool place_passes(struct rpt_script *script,
			 struct rpt_script_line *line)
{
	const struct rpt_filter *filter = &script->setup->filter;
	const struct rpt_location *at;

	if (!(filter->asked & RPT_FILTER_PLACE))
		return true;
	at = rpt_script_find(script, line, line->sample.cpumode,
			     line->sample.fields.ip);
	return rpt_filter_place(filter, at->map.dso,
				at->sym ? at->sym->name : NULL,
				line->sample.fields.ip);
}

/* Return true if the sample passes the filters other than time and CPU.  Those
 * of guests never do, but their counter values count. */
static bool passes(struct rpt_script *script, struct rpt_script_line *line)
{
	const struct rpt_filter *filter = &script->setup->filter;
	const struct pd_sample *sample = &line->sample.fields;
	const struct rpt_filtered_task task = {
		sample->pid,
		sample->tid,
		line->sample.task->comm_then,
		rpt_filter_process(filter, script->setup->timeline, sample->pid,
				   sample->tid, line->sample.when),
	};

	return rpt_filter_task(filter, &task) && place_passes(script, line) &&
	       !rpt_is_of_guest(sample->misc);
}

void rpt_script_lock(const struct rpt_script *script)
{
	if (script->names_lock)
		pthread_mutex_lock(script->names_lock);
}

void rpt_script_unlock(const struct rpt_script *script)
{
	if (script->names_lock)
		pthread_mutex_unlock(script->names_lock);
}

void rpt_script_to(struct rpt_script *script, FILE *out)
{
	if (script->text.out == out)
		return;
	rpt_text_flush(&script->text);
	script->text.out = out;
}

void rpt_script_describe(const struct rpt_script *script,
			 struct rpt_script_line *line)
{
	const struct pd_attr *attr = &line->sample.event->attr;

	line->fields = script->setup->fields.of[rpt_script_type_of(attr)];
	line->with_chain = !script->setup->args->hide_chains &&
			   (line->fields & RPT_FIELD_IP) &&
			   (attr->sample_type & PD_SAMPLE_CALLCHAIN);
}

/* Print the line of one event of the sample.  As in perf, the dump has task and
 * file for all samples that pass the filters of time and CPU. */
static int print_for_event(struct rpt_script *script,
			   struct rpt_script_line *line)
{
	const struct rpt_script_args *args = script->setup->args;
	size_t idx = (size_t)(line->sample.event - script->events->events);

	if (args->is_dump)
		rpt_script_dump_place(script, line);
	if (!line->is_chosen)
		return script->text.status;
	if (!rpt_event_switch_next(&script->event_switch, line->sample.event))
		return 0;
	if (script->dumps)
		rpt_script_to(script,
			      per_event_dump_choose(script->dumps, idx));
	rpt_script_describe(script, line);
	if (!line->fields) /* no field was asked for that such events have */
		return script->text.status;
	return rpt_script_print(script, line);
}

static void unwind(struct rpt_script *script, struct rpt_script_line *line)
{
	if (!script->setup->args->hide_chains)
		line->unwound_nr = rpt_user_stack_frames(
			script->unwind, script->setup->timeline, &line->sample,
			script->unwound);
}

void rpt_script_note_damage(struct rpt_script *script,
			    const struct pd_record *rec,
			    const struct pd_err *err)
{
	if (rpt_sideband_has(rec->type) || rpt_stat_table_has(rec->type) ||
	    pd_reader_has_damage_in(script->setup->in.reader, rec))
		return;
	if (!script->counts.damaged_nr++ ||
	    err->off < script->counts.damage.off)
		script->counts.damage = *err;
}

static int print_sample(struct rpt_script *script, struct rpt_script_line *line)
{
	struct rpt_sample *sample = &line->sample;
	size_t idx = 0;
	bool is_more;
	int rc = 0;

	rpt_script_describe(script, line);
	if (!(sample->fields.present & PD_SAMPLE_TIME))
		sample->fields.time_ns = UINT64_MAX; /* as in perf: none */
	if (script->setup->args->is_dump)
		rpt_script_dump_sample(script, line);
	line->is_chosen = sample->is_shown && passes(script, line);
	script->counts.chosen_nr += line->is_chosen;
	if (line->is_chosen)
		unwind(script, line);
	do {
		is_more = rpt_sample_reader_next(&script->reader, sample, &idx);
		if (is_more)
			rc = sample->is_shown ? print_for_event(script, line)
					      : script->text.status;
	} while (is_more && !rc);
	return rc;
}

static int show_sample(struct rpt_script *script, const struct pd_record *rec)
{
	struct rpt_script_line line;
	struct pd_err err = PD_ERR_INIT;
	int rc;

	if (rpt_script_line_cache_print(script, rec))
		return script->text.status;
	rc = rpt_sample_reader_read(&script->reader, rec, &line.sample, &err);
	if (rc) {
		if (rc != -ENOENT)
			rpt_script_note_damage(script, rec, &err);
		return 0;
	}
	line.unwound_nr = 0;
	line.times_end = 0;
	line.has_context = false;
	rpt_script_forget_addresses(script);
	rc = print_sample(script, &line);
	rpt_script_line_cache_add(script, &line);
	return rc;
}

int rpt_script_record(struct rpt_script *script, const struct pd_record *rec)
{
	if (rec->type == PD_RECORD_SAMPLE)
		return show_sample(script, rec);
	if (script->setup->args->is_dump)
		rpt_script_dump(script, rec);
	if (!rpt_script_event_is_shown(script->setup->args->show, rec->type))
		return script->text.status;
	return rpt_script_event(script, rec);
}
