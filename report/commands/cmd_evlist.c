/* perfpair evlist: lists the events of a recording. */
#include "report/commands/commands.h"
#include "report/cli/command_options.h"
#include "report/events/event_name.h"
#include "report/cli/recording_input.h"
#include "format/support/safe_text.h"
#include "report/events/tracepoint.h"

#include "format/support/attr_text.h"
#include "format/support/message.h"

#include <inttypes.h>

struct evlist_args {
	const char *input;
	bool freq;
	bool group;
	bool trace_fields;
	bool force;
	unsigned verbose;
};

#define OFF(member) offsetof(struct evlist_args, member)

static const struct sup_opt opts[] = {
	RPT_OPT_INPUT(OFF(input)),
	{ 'F', "freq", SUP_FLAG, OFF(freq), 0, NULL,
	  "show the sampling frequency or period", NULL },
	{ 'v', "verbose", SUP_COUNT, OFF(verbose), 0, NULL,
	  "show all attributes of each event", NULL },
	{ 'g', "group", SUP_FLAG, OFF(group), 0, NULL, "show groups of events",
	  NULL },
	{ 0, "trace-fields", SUP_FLAG, OFF(trace_fields), 0, NULL,
	  "show the fields of tracepoints", NULL },
	RPT_OPT_FORCE(OFF(force)),
	{ 0 },
};

const struct sup_command rpt_evlist_command = {
	.name = "perfpair evlist",
	.usage = "[OPTION]... [FILE]",
	.summary = "List the events of a recording.",
	.opts = opts,
};

struct evlist {
	const struct evlist_args *args;
	const struct pd_event_set *set;
	struct rpt_tracepoints *tracepoints; /* NULL: no formats */
	struct sup_attr_style style;
};

static bool is_tracepoint(const struct pd_event *event)
{
	return event->attr.type == PD_TYPE_TRACEPOINT;
}

static const char *name_of(const struct evlist *list,
			   const struct pd_event *event,
			   char buf[RPT_EVENT_NAME_LEN])
{
	if (!event->name && is_tracepoint(event) && list->tracepoints &&
	    rpt_tracepoint_name(list->tracepoints, event->attr.config, buf,
				RPT_EVENT_NAME_LEN))
		return buf;
	return rpt_event_name(event, buf);
}

static void print_name(const struct evlist *list, const struct pd_event *event)
{
	char buf[RPT_EVENT_NAME_LEN];

	sup_put_safe_text(stdout, name_of(list, event, buf));
}

static void print_attr(const struct evlist *list, const struct pd_event *event)
{
	char buf[RPT_EVENT_NAME_LEN];
	const char *name = name_of(list, event, buf);

	sup_attr_print(stdout, &event->attr,
		       (struct pd_str){ name, strlen(name) }, &list->style);
}

/* Print "{a,b}" of the members, behind the group's own name if it has one. */
static void print_group(const struct evlist *list, size_t leader)
{
	const struct pd_event *e = &list->set->events[leader];

	if (e->group_name && strcmp(e->group_name, "{anon_group}") != 0)
		sup_put_safe_text(stdout, e->group_name);
	for (size_t i = leader; i < leader + e->member_nr; i++) {
		putchar(i == leader ? '{' : ',');
		print_name(list, &list->set->events[i]);
	}
	putchar('}');
}

/* Print the fields of a tracepoint behind the character between: ':' after the
 * name, ',' after other details. */
static void print_fields(const struct evlist *list,
			 const struct pd_event *event, char between)
{
	const char *name;

	printf("%c ", between);
	if (!is_tracepoint(event)) {
		fputs("(not a tracepoint)", stdout);
		return;
	}
	fputs("trace_fields: ", stdout);
	for (size_t i = 0; list->tracepoints; i++) {
		name = rpt_tracepoint_field(list->tracepoints,
					    event->attr.config, i);
		if (!name)
			break;
		if (i)
			putchar(',');
		sup_put_safe_text(stdout, name);
	}
}

static void print_event(const struct evlist *list, const struct pd_event *event)
{
	const struct evlist_args *args = list->args;
	const struct pd_attr *attr = &event->attr;
	bool is_detailed = args->verbose || args->freq;

	print_name(list, event);
	if (is_detailed)
		putchar(':');
	if (args->verbose)
		print_attr(list, event);
	else if (args->freq)
		printf(" sample_%s=%" PRIu64,
		       attr->flags & PD_ATTR_FREQ ? "freq" : "period",
		       attr->sample_period);
	if (args->trace_fields)
		print_fields(list, event, is_detailed ? ',' : ':');
}

static void print_tips(const struct evlist *list)
{
	bool has_tracepoint = false, has_group = false;

	for (size_t i = 0; i < list->set->nr; i++) {
		const struct pd_event *e = &list->set->events[i];

		has_tracepoint |= is_tracepoint(e);
		has_group |= e->member_nr > 1;
	}
	if (has_tracepoint && !list->args->trace_fields)
		puts("# Tip: use 'perf evlist --trace-fields' to show fields "
		     "for tracepoint events");
	if (has_group && !list->args->group && list->style.perf >= PD_PERF_6_12)
		puts("# Tip: use 'perf evlist -g' to show group information");
}

static void print_all(const struct evlist *list)
{
	bool by_group = list->args->group;

	for (size_t i = 0; i < list->set->nr; i++) {
		const struct pd_event *e = &list->set->events[i];

		if (by_group && e->leader_idx != i)
			continue;
		if (by_group && e->member_nr > 1)
			print_group(list, i);
		else if (by_group)
			print_name(list, e);
		else
			print_event(list, e);
		putchar('\n');
	}
	print_tips(list);
}

static bool needs_formats(const struct evlist *list)
{
	for (size_t i = 0; i < list->set->nr; i++) {
		const struct pd_event *e = &list->set->events[i];

		if (is_tracepoint(e) && (list->args->trace_fields || !e->name))
			return true;
	}
	return false;
}

static int run_evlist(const struct evlist_args *args)
{
	struct evlist list = { .args = args };
	struct pd_err err = PD_ERR_INIT;
	struct rpt_recording_input in;
	struct pd_cursor c;
	int rc = rpt_recording_input_open(&in, args->input);

	if (rc)
		return rc;
	list.set = pd_reader_events(in.reader);
	sup_attr_style_init(&list.style, in.reader, " ", ": ");
	if (needs_formats(&list) &&
	    pd_reader_feature(in.reader, PD_FEATURE_TRACING_DATA, &c)) {
		rc = rpt_tracepoints_new(&list.tracepoints, &c, &err);
		if (rc) {
			sup_message_err(in.path, &err);
			in.exit_code = RPT_EXIT_DAMAGED;
		}
	}
	print_all(&list);
	rpt_tracepoints_free(list.tracepoints);
	sup_attr_style_release(&list.style);
	return rpt_recording_input_close(&in);
}

int rpt_cmd_evlist(int argc, char **argv)
{
	struct evlist_args args = { 0 };
	struct pd_err err = PD_ERR_INIT;
	int exit_code;
	int rc = rpt_options_parse(&rpt_evlist_command, &args, argc, argv,
				   &args.input, &err);

	if (!rc && args.group && (args.verbose || args.freq))
		rc = pd_err_set(&err, -EINVAL,
				"--group goes neither with --freq nor with "
				"--verbose");
	if (!rpt_options_are_good(rc, &rpt_evlist_command, &err, &exit_code))
		return exit_code;
	return run_evlist(&args);
}
