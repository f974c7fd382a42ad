/* absent_commands.c: the commands of perf that perfpair does not have. */
#include "report/commands/absent_commands.h"

#include <string.h>

static const char no_traces[] = "traces (Intel PT, CoreSight ...) are not "
				"decoded: use perf inject --itrace";
static const char no_guests[] = "use perf inject: guests are not merged";
static const char has_build_ids[] =
	"a recording has the build-ids of its files: 'perfpair buildid-list'";

static const struct sup_absent inject[] = {
	{ "build-ids", has_build_ids },
	{ "b", has_build_ids },
	{ "buildid-all", has_build_ids },
	{ "known-build-ids", has_build_ids },
	{ "jit", "'perfpair report' reads jitdump files itself, and what "
		 "perfpair-record carries of them" },
	{ "j", "'perfpair report' reads jitdump files itself, and what "
	       "perfpair-record carries of them" },
	{ "itrace", no_traces },
	{ "strip", no_traces },
	{ "sched-stat", "record with -g -e sched:sched_switch to see where "
			"tasks sleep" },
	{ "s",
	  "record with -g -e sched:sched_switch to see where tasks sleep" },
	{ "guest-data", no_guests },
	{ "guestmount", no_guests },
	{ "vm-time-correlation", no_guests },
	{ 0 },
};

static const char by_perf[] = "use perf: it reads our recordings";
static const char no_recording[] = "use perf: this is not about recordings";

static const struct sup_absent commands[] = {
	{ "archive", "a recording carries its names; 'perfpair buildid-cache "
		     "--from FILE' writes them for perf and gdb" },
	{ "bench", no_recording },
	{ "c2c",
	  "'perfpair report --mem-mode -s dcacheline,symbol' shows which "
	  "cache lines are touched; perf c2c report reads our "
	  "recordings" },
	{ "daemon", "perfpair-record -a --switch-output=100M "
		    "--switch-max-files=10 runs for good" },
	{ "ftrace", no_recording },
	{ "inject", "'perfpair unwind', 'carry', 'repair' and 'scrub' make one "
		    "recording of another" },
	{ "iostat", no_recording },
	{ "kallsyms", "grep a name in /proc/kallsyms" },
	{ "kmem", by_perf },
	{ "kvm", by_perf },
	{ "kwork", by_perf },
	{ "mem", "'perfpair report --mem-mode' shows memory accesses, of "
		 "'perfpair record -d -W -e EVENT'" },
	{ "probe", "perf probe adds probes, which 'perfpair record -e "
		   "probe:NAME' records" },
	{ "test", "perfpair's tests are tests/run.sh of its sources" },
	{ "timechart", "'perfpair view' has a timeline" },
	{ 0 },
};

static const char *find(const struct sup_absent *list, const char *name,
			size_t len)
{
	for (; list->long_name; list++)
		if (strlen(list->long_name) == len &&
		    !memcmp(list->long_name, name, len))
			return list->instead;
	return NULL;
}

/* Return what to do instead of the first option of inject that is known. */
static const char *find_inject(char *const *options)
{
	const char *instead = NULL;

	for (; *options && !instead; options++) {
		const char *word = *options;

		if (word[0] == '-' && word[1] == '-')
			instead =
				find(inject, word + 2, strcspn(word + 2, "="));
		else if (word[0] == '-' && word[1])
			instead = find(inject, word + 1, 1);
	}
	return instead;
}

const char *rpt_command_instead(char *const *words)
{
	const char *by_option =
		strcmp(words[0], "inject") ? NULL : find_inject(words + 1);

	return by_option ? by_option
			 : find(commands, words[0], strlen(words[0]));
}
