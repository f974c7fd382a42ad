/* perfpair sched: what the scheduler did. */
#include "report/commands/commands.h"
#include "report/cli/exit_code.h"
#include "report/sched/sched.h"

#include "format/support/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SHOWN "timehist|latency|map"

static const struct word {
	const char *name;
	int (*run)(int argc, char **argv);
} words[] = {
	{ "timehist", rpt_sched_timehist },
	{ "latency", rpt_sched_latency },
	{ "map", rpt_sched_map },
	{ 0 },
};

static const struct word *find(const char *name)
{
	for (const struct word *w = words; w->name; w++)
		if (!strcmp(name, w->name))
			return w;
	return NULL;
}

/* Return where the word stands: behind options that perf has in front of it. */
static int place_of_word(int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1])
		i += !strcmp(argv[i], "-i") || !strcmp(argv[i], "--input") ? 2
									   : 1;
	return i;
}

static void refuse(const char *name)
{
	static const struct sup_absent absent[] = {
		{ "record", "perfpair-record --off-cpu -a -g records it" },
		{ "replay", "use perf: it reads our recordings" },
		{ "script", "'perfpair script' prints every sample" },
		{ "stats", "use perf: this is not about recordings" },
		{ 0 },
	};
	struct pd_err err = PD_ERR_INIT;

	for (const struct sup_absent *a = absent; a->long_name; a++) {
		if (strcmp(name, a->long_name) != 0)
			continue;
		pd_err_set(&err, -EINVAL, "perf's 'sched %s' is not here",
			   name);
		pd_err_hint(&err, "%s", a->instead);
	}
	pd_err_set(&err, -EINVAL, "sched: it shows one of " SHOWN);
	sup_message_err(NULL, &err);
}

int rpt_cmd_sched(int argc, char **argv)
{
	int at = place_of_word(argc, argv);
	const struct word *word = at < argc ? find(argv[at]) : NULL;
	char *name;

	if (!word && argc > 1 &&
	    (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		puts("usage: perfpair sched " SHOWN " [OPTION]... [FILE]\n\n"
		     "  timehist  each context switch, with the waits before it\n"
		     "  latency   how long threads waited for a CPU\n"
		     "  map       which thread had each CPU, by switch\n\n"
		     "'perfpair sched timehist --help' lists its options.");
		return RPT_EXIT_OK;
	}
	if (!word) {
		refuse(at < argc ? argv[at] : "");
		return RPT_EXIT_USAGE;
	}
	name = argv[at];
	memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof(*argv));
	argv[1] = name;
	return word->run(argc - 1, argv + 1);
}
