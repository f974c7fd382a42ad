/* perfpair annotate: functions by instruction, with their source. */
#include "report/annotate/annotation.h"
#include "report/annotate/annotation_print.h"
#include "report/annotate/code_hits.h"
#include "report/base/memory.h"
#include "format/support/safe_text.h"
#include "report/cli/command_options.h"
#include "report/cli/recording_input.h"
#include "report/commands/annotate_args.h"
#include "report/commands/commands.h"
#include "report/events/event_name.h"
#include "report/profile/profile_threads.h"

#include "format/support/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Objects that are open meanwhile. */
struct run {
	const struct rpt_annotate_args *args;
	struct rpt_recording_input in;
	struct rpt_filter filter;
	struct rpt_symbols *symbols;
	struct rpt_timeline *timeline;
	struct rpt_profile profile;
	struct rpt_code_hits hits;
	struct rpt_annotator *annotator;
	bool is_profiled;
	uint64_t shown_nr;	 /* functions ... */
	uint64_t no_code_nr;	 /* ... of which have no code */
	struct missing *missing; /* owned; by file */
	uint32_t missing_nr;
	uint32_t missing_cap;
};

/* The functions of a file that have no code here. */
struct missing {
	const struct rpt_dso *dso;
	uint64_t nr;	     /* of functions */
	const char *name;    /* of the first one */
	struct pd_err first; /* why */
};

/* Count all samples by address. */
static int count(struct run *run, struct rpt_file_chunks *pieces,
		 struct pd_err *err)
{
	const struct rpt_profile_conf conf = {
		.reader = run->in.reader,
		.timeline = run->timeline,
		.filter = &run->filter,
	};
	const struct pd_event_set *events = pd_reader_events(run->in.reader);
	int rc;

	rpt_profile_init(&run->profile, &conf);
	run->is_profiled = true;
	rc = rpt_profile_threads_count(&run->profile, pieces, NULL, NULL, err);
	if (rc)
		return rc;
	pd_damage_merge(&run->in.damage, &run->profile.damage);
	rpt_code_hits_init(&run->hits, (uint32_t)events->nr);
	rpt_code_hits_add_profile(&run->hits, &run->profile, run->timeline);
	rpt_code_hits_close(&run->hits);
	return 0;
}

/* Read the recording, and what it carries of code. */
static int load(struct run *run, struct pd_err *err)
{
	const struct rpt_annotate_args *args = run->args;
	struct rpt_symbols_conf conf = args->symbols;
	struct rpt_file_chunks pieces = { .jobs = args->jobs };
	int rc = rpt_filter_parse(&run->filter, &args->filter, err);

	if (rc)
		return rc;
	rc = rpt_filter_resolve(&run->filter, &args->filter, run->in.reader,
				err);
	if (rc)
		return rc;
	conf.raw_names = !args->demangle;
	if (!conf.kallsyms && !conf.vmlinux)
		conf.kallsyms = run->in.source.dir.kallsyms;
	run->symbols = rpt_symbols_new(&conf);
	rpt_symbols_set_author(run->symbols, run->in.source.user);
	run->timeline = rpt_timeline_new(run->symbols);
	rc = rpt_timeline_load(run->timeline, run->in.reader, &pieces, err);
	pd_damage_merge(&run->in.damage, rpt_timeline_damage(run->timeline));
	return rc ? rc : count(run, &pieces, err);
}

/* Events that are shown side by side. */
struct table {
	uint32_t *events; /* owned */
	uint32_t nr;
	char *name; /* owned */
};

static void table_init(struct table *ret, const struct pd_event_set *events,
		       uint32_t lead, uint32_t nr)
{
	ret->events = rpt_alloc_zeroed(nr, sizeof(*ret->events));
	ret->nr = nr;
	ret->name = rpt_events_title(events, lead, nr);
	for (uint32_t i = 0; i < nr; i++)
		ret->events[i] = lead + i;
}

static void table_release(struct table *table)
{
	free(table->events);
	free(table->name);
}

static bool is_asked(const struct run *run, uint32_t function)
{
	const char *name = run->hits.functions[function].sym->name;

	return !run->args->symbol || !strcmp(name, run->args->symbol);
}

/* Return whether a function has samples of the event, and the share of them
 * that is asked for. */
static bool has_share(const struct run *run, uint32_t function, uint32_t event)
{
	const struct rpt_hit_count *total = &run->hits.totals[event];
	struct rpt_hit_count count =
		rpt_code_hits_of(&run->hits, function, event);
	bool is_by_nr = run->args->style.percent.is_by_nr;
	double weight = (double)(is_by_nr ? count.nr : count.period);
	double all = (double)(is_by_nr ? total->nr : total->period);

	return count.nr && weight * 100 >= run->args->percent_limit * all;
}

/* Return whether an event of the table has the function, before that one. */
static bool is_shown(const struct run *run, const struct table *table,
		     uint32_t function, uint32_t before)
{
	for (uint32_t i = 0; i < before; i++)
		if (has_share(run, function, table->events[i]))
			return true;
	return false;
}

/* Note that a function has no code. */
static void add_missing(struct run *run, const struct rpt_code_function *f,
			const struct pd_err *err)
{
	struct missing *m;

	run->no_code_nr++;
	for (uint32_t i = 0; i < run->missing_nr; i++) {
		m = &run->missing[i];
		if (m->dso == f->dso) {
			m->nr++;
			return;
		}
	}
	run->missing = rpt_grow(run->missing, &run->missing_cap,
				run->missing_nr, sizeof(*run->missing));
	run->missing[run->missing_nr++] =
		(struct missing){ f->dso, 1, f->sym->name, *err };
}

/* Print which files have functions without code. */
static void warn_missing(const struct run *run)
{
	if (run->args->is_quiet || run->args->skip_missing)
		return;
	for (uint32_t i = 0; i < run->missing_nr; i++) {
		struct missing *m = &run->missing[i];
		char *text = NULL;
		size_t len;
		FILE *out = open_memstream(&text, &len);

		if (!out)
			return;
		sup_put_safe_text(out, rpt_dso_name(m->dso));
		fputs(": ", out);
		sup_put_safe_text(out, m->name);
		if (m->nr > 1)
			fprintf(out, " and %" PRIu64 " more", m->nr - 1);
		if (fclose(out) == 0)
			sup_message_err(text, &m->first);
		free(text);
	}
}

static void show(struct run *run, const struct table *table, uint32_t function)
{
	const struct rpt_annotation_columns columns = {
		.style = &run->args->style,
		.events = table->events,
		.nr = table->nr,
		.event_name = table->name,
	};
	struct pd_err err = PD_ERR_INIT;
	struct rpt_annotation code;

	if (rpt_annotate(run->annotator, &run->hits, function, &code, &err))
		add_missing(run, &run->hits.functions[function], &err);
	else
		rpt_annotation_print(stdout, &columns, run->annotator,
				     &run->hits, function, &code);
	rpt_annotation_release(&code);
	run->shown_nr++;
}

/* Print the functions of an event; of a group those of the leader, in its
 * order, then those that only another member has. */
static void show_table(struct run *run, const struct table *table)
{
	for (uint32_t member = 0; member < table->nr; member++) {
		uint32_t event = table->events[member], nr;
		uint32_t *order = rpt_code_hits_order(
			&run->hits, event, run->args->style.percent.is_by_nr,
			&nr);

		for (uint32_t i = 0; i < nr; i++)
			if (is_asked(run, order[i]) &&
			    has_share(run, order[i], event) &&
			    !is_shown(run, table, order[i], member))
				show(run, table, order[i]);
		free(order);
	}
}

/* Return the function that was asked for, as a word or by -s; NULL: none. */
static const char *asked_name(const struct run *run)
{
	return run->args->symbol ? run->args->symbol
				 : run->args->filter.symbols;
}

/* Return the shortest name that has what was asked for in it, as
 * step.constprop.0 has step, or NULL. */
static const char *near_name(const struct run *run)
{
	const char *near = NULL;

	for (uint32_t i = 0; asked_name(run) && i < run->hits.function_nr;
	     i++) {
		const char *name = run->hits.functions[i].sym->name;

		if (strstr(name, asked_name(run)) &&
		    (!near || strlen(name) < strlen(near)))
			near = name;
	}
	return near;
}

static void warn_nothing(const struct run *run)
{
	const char *near = near_name(run);
	struct pd_err err = PD_ERR_INIT;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	sup_put_safe_text(out, near ? near : "");
	fclose(out);
	pd_err_set(&err, -ENOENT, "no samples in %s",
		   asked_name(run) ? asked_name(run)
				   : "functions with a symbol");
	if (near)
		pd_err_hint(&err, "there are samples in '%s'", text);
	else if (run->args->symbol && rpt_is_recording(run->args->symbol))
		pd_err_hint(&err, "it is a recording: -i %s reads it",
			    run->args->symbol);
	sup_message_err(run->in.path, &err);
	free(text);
}

static void show_all(struct run *run)
{
	const struct pd_event_set *events = pd_reader_events(run->in.reader);
	const struct rpt_annotator_conf conf = {
		.is_intel = run->args->is_intel,
		.strip_nr = run->args->strip_nr,
		.prefix = run->args->prefix,
		.reader = run->in.reader,
		.symbols = run->symbols,
	};

	run->annotator = rpt_annotator_new(&conf);
	for (uint32_t i = 0; i < events->nr;) {
		uint32_t nr =
			run->args->group ? events->events[i].member_nr : 1;
		struct table table;

		nr = nr && nr <= events->nr - i ? nr : 1;
		table_init(&table, events, i, nr);
		show_table(run, &table);
		table_release(&table);
		i += nr;
	}
	rpt_annotator_free(run->annotator);
	warn_missing(run);
	if (run->shown_nr && run->shown_nr == run->no_code_nr)
		run->in.exit_code = RPT_EXIT_FAILED;
	if (run->shown_nr)
		return;
	rpt_recording_input_tell(&run->in);
	warn_nothing(run);
	run->in.exit_code = RPT_EXIT_FAILED;
}

static int annotate(const struct rpt_annotate_args *args)
{
	struct run run = { .args = args };
	struct pd_err err = PD_ERR_INIT;
	int rc = rpt_recording_input_open(&run.in, args->input);

	if (rc)
		return rc;
	pd_reader_set_ratio(run.in.reader, args->max_ratio);
	rc = load(&run, &err);
	if (rc) {
		run.in.exit_code = rpt_warn_failed(run.in.path, rc, &err);
	} else {
		show_all(&run);
	}
	free(run.missing);
	rpt_code_hits_release(&run.hits);
	if (run.is_profiled)
		rpt_profile_release(&run.profile);
	rpt_timeline_free(run.timeline);
	rpt_symbols_free(run.symbols);
	rpt_filter_release(&run.filter);
	return rpt_recording_input_close(&run.in);
}

int rpt_cmd_annotate(int argc, char **argv)
{
	struct rpt_annotate_args args;

	struct pd_err err = PD_ERR_INIT;
	int exit_code;

	if (!rpt_options_are_good(
		    rpt_annotate_args_parse(&args, argc, argv, &err),
		    &rpt_annotate_command, &err, &exit_code))
		return exit_code;
	return annotate(&args);
}
