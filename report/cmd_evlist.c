/* perfpair evlist: the events of a recording. */
#include "report/commands.h"
#include "report/event_name.h"
#include "report/input.h"

#include "format/support/attr_text.h"
#include "format/support/message.h"
#include "format/support/options.h"

#include <inttypes.h>

struct evlist_args {
	const char *input;
	bool freq;
	bool group;
	bool force;
	unsigned verbose;
};

#define OFF(member) offsetof(struct evlist_args, member)

static const struct sup_opt opts[] = {
	{ 'i', "input", SUP_STRING, OFF(input), 0, "FILE",
	  "recording to read (perf.data; - is stdin)", NULL },
	{ 'F', "freq", SUP_FLAG, OFF(freq), 0, NULL,
	  "show the frequency or the period", NULL },
	{ 'v', "verbose", SUP_COUNT, OFF(verbose), 0, NULL,
	  "show all of the attr", NULL },
	{ 'g', "group", SUP_FLAG, OFF(group), 0, NULL, "show groups as groups",
	  NULL },
	{ 'f', "force", SUP_FLAG, OFF(force), 0, NULL,
	  "other people's files are read in any case; for perf's scripts",
	  NULL },
	{ 0 },
};

static const struct sup_command command = {
	"perfpair evlist",
	"[OPTION]... [FILE]",
	"Lists the events of a recording.",
	opts,
	false,
};

/* "{a,b}" of the members; a group's own name stands before. */
static void print_group(const struct pd_event_set *set, size_t leader)
{
	const struct pd_event *e = &set->events[leader];
	char buf[RPT_EVENT_NAME_LEN];

	if (e->group_name &&
	    !pd_str_eq((struct pd_str){ e->group_name, strlen(e->group_name) },
		       "{anon_group}"))
		fputs(e->group_name, stdout);
	for (size_t i = leader; i < leader + e->member_nr; i++)
		printf("%c%s", i == leader ? '{' : ',',
		       rpt_event_name(&set->events[i], buf));
	putchar('}');
}

static void print_event(const struct evlist_args *args,
			const struct pd_event *event)
{
	const struct pd_attr *attr = &event->attr;
	char buf[RPT_EVENT_NAME_LEN];

	fputs(rpt_event_name(event, buf), stdout);
	if (args->verbose) {
		putchar(':');
		sup_attr_print(stdout, attr, event->needed_perf, " ", ": ");
	} else if (args->freq) {
		printf(": sample_%s=%" PRIu64,
		       attr->flags & PD_ATTR_FREQ ? "freq" : "period",
		       attr->sample_period);
	}
}

static bool print_all(const struct evlist_args *args,
		      const struct pd_event_set *set)
{
	bool has_tracepoint = false;

	for (size_t i = 0; i < set->nr; i++) {
		const struct pd_event *e = &set->events[i];

		has_tracepoint |= e->attr.type == PD_TYPE_TRACEPOINT;
		if (args->group && e->leader_idx != i)
			continue;
		if (args->group && e->member_nr > 1)
			print_group(set, i);
		else
			print_event(args, e);
		putchar('\n');
	}
	return has_tracepoint;
}

int rpt_cmd_evlist(int argc, char **argv)
{
	struct evlist_args args = { 0 };
	struct pd_err err = PD_ERR_INIT;
	struct rpt_input in;
	int first;
	int rc = sup_options_parse(&command, &args, argc, argv, &first, &err);

	if (rc == 1) {
		sup_help(&command, stdout);
		return RPT_EXIT_OK;
	}
	if (!rc && args.group && (args.verbose || args.freq))
		rc = pd_err_set(&err, -EINVAL,
				"--group goes neither with --freq nor with "
				"--verbose");
	if (rc) {
		sup_message_err(NULL, &err);
		return RPT_EXIT_USAGE;
	}
	if (first < argc && !args.input)
		args.input = argv[first];
	rc = rpt_input_open(&in, args.input);
	if (rc)
		return rc;
	if (print_all(&args, pd_reader_events(in.reader)))
		puts("# Tip: use 'perf evlist --trace-fields' to show fields "
		     "for tracepoint events");
	return rpt_input_close(&in);
}
