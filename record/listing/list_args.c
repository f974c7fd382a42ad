/* list_args.c: the options of perf list, and of ours. */
#include "record/listing/list.h"

#include "record/vendor/vendor_names.h"

#include "format/support/message.h"
#include "format/support/pager.h"

#include <errno.h>
#include <string.h>

struct list_args {
	struct rec_list_conf conf;
	const char *output; /* NULL: stdout */
};

#define FLAG(letter, name, member, text)                                       \
	{                                                                      \
		.short_name = (letter), .long_name = (name), .kind = SUP_FLAG, \
		.off = offsetof(struct list_args, member), .help = (text)      \
	}

static int unset_text(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	struct list_args *args = conf;

	(void)arg;
	(void)err;
	args->conf.no_text = unset;
	return 0;
}

static int set_sysfs(void *conf, const char *arg, bool unset,
		     struct pd_err *err)
{
	struct list_args *args = conf;

	(void)unset;
	(void)err;
	args->conf.sysfs = arg;
	args->conf.is_copy = true;
	return 0;
}

static const struct sup_opt opts[] = {
	{ .short_name = 'd',
	  .long_name = "desc",
	  .kind = SUP_CALL,
	  .flags = SUP_OPT_NO_ARG | SUP_OPT_NEGATABLE,
	  .call = unset_text,
	  .help = "print descriptions (default; --no-desc: none)" },
	FLAG('v', "long-desc", conf.details,
	     "also print what to type for it elsewhere, and formulas"),
	FLAG(0, "details", conf.details, "the same"),
	FLAG('j', "json", conf.json, "print JSON, by perf list's keys"),
	FLAG(0, "raw-dump", conf.raw, "print names alone, in one line"),
	FLAG('a', "all", conf.all,
	     "also print what needs counters that this machine lacks"),
	{ .short_name = 'o',
	  .long_name = "output",
	  .kind = SUP_STRING,
	  .off = offsetof(struct list_args, output),
	  .metavar = "FILE",
	  .help = "print to FILE, replacing it" },
	{ .long_name = "sysfs",
	  .kind = SUP_CALL,
	  .metavar = "DIR",
	  .call = set_sysfs,
	  .help = "list the machine whose /sys was copied to DIR" },
	{ 0 },
};

static const struct sup_absent absent[] = {
	{ "cputype",
	  "write PMU/EVENT/: the rows of each kind of core name it" },
	{ "unit", "give the PMU's name as a filter" },
	{ "deprecated", "libpfm4 marks no event as deprecated" },
	{ "debug", "-v prints what an event becomes" },
	{ 0 },
};

static void print_kinds(FILE *out)
{
	fputs("\nKinds: hw, sw, tool, cache, pmu, vendor, tracepoint, metric, "
	      "metricgroup.\n",
	      out);
}

const struct sup_command rec_list_command = {
	.name = "perfpair list",
	.usage = "[OPTION]... [KIND|PATTERN]...",
	.summary = "List the events and metrics of this machine.",
	.opts = opts,
	.absent = absent,
	.more = print_kinds,
};

static int print(struct list_args *args, const char *first_word)
{
	struct pd_err note = PD_ERR_INIT;
	int rc = rec_list_print(&args->conf, stdout, &note);

	if (note.code)
		sup_message_err(NULL, &note);
	if (rc == -ENOENT) {
		sup_message("no event of this machine fits '%s'", first_word);
		if (!rec_vendor_is_there())
			sup_message("%s", rec_vendor_missing());
		else if (!strcmp(first_word, "vendor"))
			sup_message("libpfm4 does not know this CPU");
	}
	if (rc && rc != -ENOENT)
		sup_message("%s", strerror(-rc));
	if (fflush(stdout)) {
		sup_message("%s: %s", args->output ? args->output : "stdout",
			    strerror(errno));
		return 255;
	}
	return rc ? 2 : 0;
}

int rec_list_main(int argc, char **argv)
{
	struct list_args args = { .conf = { .sysfs = "/sys" } };
	struct pd_err err = PD_ERR_INIT;
	int first;
	int rc = sup_options_parse(&rec_list_command, &args, argc, argv, &first,
				   &err);

	if (rc < 0) {
		sup_message_err(NULL, &err);
		return 2;
	}
	if (args.output && !freopen(args.output, "w", stdout)) {
		sup_message("%s: %s", args.output, strerror(errno));
		return 255;
	}
	sup_pager_start();
	if (rc > 0) {
		sup_help(&rec_list_command, stdout);
		return sup_pager_end(fflush(stdout) ? 255 : 0);
	}
	args.conf.words = (const char *const *)(argv + first);
	args.conf.word_nr = (size_t)(argc - first);
	return sup_pager_end(print(&args, first < argc ? argv[first] : ""));
}
