#include "report/script/script_args.h"
#include "report/script/script_compat.h"
#include "report/script/script_json.h"
#include "report/cli/command_options.h"
#include "report/cli/symbol_options.h"
#include "report/cli/filter_options.h"

#include "format/base/limits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int add_fields(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	(void)unset;
	return rpt_script_fields_parse(
		&((struct rpt_script_args *)conf)->fields, arg, err);
}

static int parse_format(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "text", false },
		{ "jsonl", true },
		{ NULL, 0 },
	};
	unsigned is_json = false;
	int rc = rpt_option_word("--format", words, arg, &is_json, err);

	(void)unset;
	((struct rpt_script_args *)conf)->is_json = is_json;
	return rc;
}

#define OFF(member) offsetof(struct rpt_script_args, member)

static const struct sup_opt opts[] = {
	RPT_OPT_INPUT(OFF(input)),
	{ 'F', "fields", SUP_CALL, 0, 0, "[TYPE:][+-]FIELD,...",
	  "what to print: comm tid pid time cpu event trace ip sym symoff dso "
	  "dsoff addr period iregs uregs brstack brstacksym brstackoff srcline "
	  "srccode "
	  "flags bpf-output weight phys_addr data_src ins_lat retire_lat cgroup "
	  "data_page_size code_page_size misc tod machine_pid vcpu; TYPE is hw, sw, trace, raw, "
	  "break or synth",
	  add_fields },
	{ 'D', "dump-raw-trace", SUP_FLAG, OFF(is_dump), 0, NULL,
	  "also show every record as bytes and as what they mean", NULL },
	{ 0, "dump-unsorted-raw-trace", SUP_FLAG, OFF(is_unsorted_dump), 0,
	  NULL, "as -D, in the order of the file", NULL },
	{ 'G', "hide-call-graph", SUP_FLAG, OFF(hide_chains), 0, NULL,
	  "show no call chains", NULL },
	RPT_OPTS_FILTER(OFF(filter), 'c', 0, 'S', 'C', ""),
	{ 0, "addr-range", SUP_U64, OFF(filter.addr_range), 0, "BYTES",
	  "with -S: also show addresses up to BYTES behind the given ones",
	  NULL },
	RPT_OPT_MAX_STACK(OFF(max_stack)),
	RPT_OPT_STITCH_LBR(OFF(stitch_lbr)),
	{ 0, "stop-bt", SUP_STRING, OFF(stops), 0, "NAME,...",
	  "end call chains at these functions", NULL },
	{ 0, "switch-on", SUP_STRING, OFF(event_switch.on), 0, "EVENT",
	  "show nothing before this event occurs", NULL },
	{ 0, "switch-off", SUP_STRING, OFF(event_switch.off), 0, "EVENT",
	  "show nothing after this event occurs", NULL },
	{ 0, "show-on-off-events", SUP_FLAG, OFF(event_switch.show), 0, NULL,
	  "also show the events of --switch-on and --switch-off", NULL },
	{ 0, "per-event-dump", SUP_FLAG, OFF(is_per_event), 0, NULL,
	  "write a file for each event: FILE.EVENT.dump", NULL },
	{ 0, "compat", SUP_FLAG, OFF(is_compat), 0, NULL,
	  "show samples in the layout that stackcollapse-perf.pl, inferno, "
	  "speedscope, the Firefox Profiler and flamescope all read",
	  NULL },
	RPT_OPT_CALL(0, "format", "text|jsonl",
		     "what to print: lines of text, or a JSON object for each "
		     "sample",
		     parse_format),
	{ 'L', "Latency", SUP_FLAG, OFF(is_latency), 0, NULL,
	  "show short columns for the task and the CPU", NULL },
	{ 0, "ns", SUP_FLAG, OFF(is_ns), 0, NULL, "show times in nanoseconds",
	  NULL },
	{ 0, "reltime", SUP_FLAG, OFF(is_reltime), 0, NULL,
	  "show times since the first sample shown", NULL },
	{ 0, "deltatime", SUP_FLAG, OFF(is_deltatime), 0, NULL,
	  "show times since the previous sample shown", NULL },
	{ 0, "show-task-events", SUP_FLAG, OFF(show[RPT_SHOW_TASK]), 0, NULL,
	  "also show tasks that start, end and change their names", NULL },
	{ 0, "show-mmap-events", SUP_FLAG, OFF(show[RPT_SHOW_MMAP]), 0, NULL,
	  "also show mappings", NULL },
	{ 0, "show-switch-events", SUP_FLAG, OFF(show[RPT_SHOW_SWITCH]), 0,
	  NULL, "also show context switches", NULL },
	{ 0, "show-namespace-events", SUP_FLAG, OFF(show[RPT_SHOW_NAMESPACE]),
	  0, NULL, "also show namespaces of tasks", NULL },
	{ 0, "show-cgroup-events", SUP_FLAG, OFF(show[RPT_SHOW_CGROUP]), 0,
	  NULL, "also show cgroups", NULL },
	{ 0, "show-lost-events", SUP_FLAG, OFF(show[RPT_SHOW_LOST]), 0, NULL,
	  "also show how many records were lost", NULL },
	{ 0, "show-round-events", SUP_FLAG, OFF(show[RPT_SHOW_ROUND]), 0, NULL,
	  "also show where the recorder had emptied all buffers", NULL },
	{ 0, "show-bpf-events", SUP_FLAG, OFF(show[RPT_SHOW_BPF]), 0, NULL,
	  "also show BPF programs and their symbols", NULL },
	{ 0, "show-text-poke-events", SUP_FLAG, OFF(show[RPT_SHOW_TEXT_POKE]),
	  0, NULL, "also show changes of kernel code", NULL },
	RPT_OPT_HEADER(OFF(header)),
	RPT_OPT_HEADER_ONLY(OFF(header_only)),
	RPT_OPT_SHOW_INFO(OFF(full_header)),
	RPT_OPT_KALLSYMS(OFF(symbols.kallsyms)),
	RPT_OPT_VMLINUX(OFF(symbols.vmlinux)),
	RPT_OPT_SYMFS(OFF(symbols.symfs)),
	RPT_OPT_CARRIED(OFF(symbols.carried)),
	RPT_OPT_JOBS(OFF(jobs)),
	RPT_OPT_MAX_RATIO(OFF(max_ratio)),
	{ 0, "show-kernel-path", SUP_FLAG, OFF(is_kernel_path), 0, NULL,
	  "show kernel modules by their paths", NULL },
	{ 0, "full-source-path", SUP_FLAG, OFF(is_full_path), 0, NULL,
	  "show source files by their paths", NULL },
	RPT_OPT_DEMANGLE(OFF(demangle)),
	RPT_OPT_BOUNDS(OFF(symbols.with_bounds)),
	{ 'v', "verbose", SUP_FLAG, OFF(symbols.with_parameters),
	  SUP_OPT_NEGATABLE, NULL, "show C++ functions with their parameters",
	  NULL },
	{ 0, "demangle-kernel", SUP_FLAG, OFF(symbols.demangle_kernel), 0, NULL,
	  "demangle the kernel's names, too", NULL },
	RPT_OPTS_DEBUGINFOD(OFF(debuginfod)),
	RPT_OPT_INLINE(OFF(inline_frames)),
	RPT_OPT_ITRACE,
	RPT_OPT_FORCE(OFF(force)),
	{ 0 },
};

static const char no_disassembly[] = "instructions are not decoded";
static const char no_scripts[] =
	"scripts of perf are not run here; 'perf script -s SCRIPT -i FILE' and "
	"'perf script report NAME -i FILE' run them on the same file";
static const char no_filters[] =
	"filter libraries of perf are not run here; 'perf script --dlfilter "
	"LIBRARY -i FILE' runs them on the same file";
static const char no_guests[] = "samples of guests are not shown";

static const struct sup_absent absent[] = {
	{ "insn-trace", RPT_NO_AUX },
	{ "call-trace", RPT_NO_AUX },
	{ "call-ret-trace", RPT_NO_AUX },
	{ "graph-function", RPT_NO_AUX },
	{ "xed", no_disassembly },
	{ "max-blocks", no_disassembly },
	{ "gen-script", no_scripts },
	{ "g", no_scripts },
	{ "script", no_scripts },
	{ "s", no_scripts },
	{ "dlfilter", no_filters },
	{ "dlarg", no_filters },
	{ "list", no_scripts },
	{ "l", no_scripts },
	{ "list-dlfilters", no_filters },
	{ "all-cpus", no_scripts },
	{ "a", no_scripts },
	{ "guestmount", no_guests },
	{ "guestvmlinux", no_guests },
	{ "guestkallsyms", no_guests },
	{ "guestmodules", no_guests },
	{ "guest-code", no_guests },
	{ "addr2line", "no program is asked for source lines: the files' debug "
		       "information is read" },
	{ "merge-callchains",
	  "deferred callers always stand with their sample" },
	{ "unwind-style",
	  "stack copies are unwound one way, by the files' call "
	  "frame information" },
	{ "debug-mode", "'perfpair check FILE' does such checks" },
	{ "d", "'perfpair check FILE' does such checks" },
	{ 0 },
};

const struct sup_command rpt_script_command = {
	.name = "perfpair script",
	.usage = "[OPTION]...",
	.summary = "Print every sample of a recording, in the order of time.",
	.opts = opts,
	.absent = absent,
};

/* Other words there are for perf's scripts: "report NAME", "record NAME", or
 * the path of one. */
static int refuse_words(const char *input, int nr, char *const words[],
			struct pd_err *err)
{
	bool is_named = nr > 1 && words[1][0] != '-';

	if (!input)
		input = "perf.data";
	pd_err_set(err, -EINVAL,
		   "'%s' is no option; scripts of perf are not run here",
		   words[0]);
	if (!strcmp(words[0], "report"))
		pd_err_hint(err, "'perf script report %s -i %s' does",
			    is_named ? words[1] : "NAME", input);
	else if (!strcmp(words[0], "record"))
		pd_err_hint(err,
			    "'perf script record %s' records what it needs",
			    is_named ? words[1] : "NAME");
	else
		pd_err_hint(err, "'perf script -s %s -i %s' does", words[0],
			    input);
	return -EINVAL;
}

int rpt_script_args_parse(struct rpt_script_args *args, int argc, char **argv,
			  struct pd_err *err)
{
	int first, rc;

	*args = (struct rpt_script_args){ .max_stack = RPT_MAX_STACK,
					  .max_ratio = PD_LIMIT_ZSTD_RATIO,
					  .debuginfod.limit_ns =
						  RPT_DEBUGINFOD_LIMIT_NS,
					  .demangle = true,
					  .inline_frames = true };
	rpt_script_fields_init(&args->fields);
	rc = sup_options_parse(&rpt_script_command, args, argc, argv, &first,
			       err);
	if (!rc && first < argc)
		rc = refuse_words(args->input, argc - first, argv + first, err);
	if (!rc && args->is_reltime && args->is_deltatime)
		rc = pd_err_set(err, -EINVAL,
				"--reltime and --deltatime: one of them");
	if (!rc && args->is_compat)
		rc = rpt_script_compat_check(args, err);
	if (!rc && args->is_json)
		rc = rpt_script_json_check(args, err);
	if (!rc)
		rc = rpt_symbol_files_check(&args->symbols, err);
	args->is_dump |= args->is_unsorted_dump;
	args->filter.is_relative = args->is_reltime;
	args->symbols.raw_names = !args->demangle;
	return rc;
}
