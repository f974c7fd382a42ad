#include "report/commands/commands.h"

#include "report/diff/diff_args.h"
#include "report/fleet/fleet_args.h"
#include "report/sched/sched.h"
#include "report/script/script_args.h"
#include "report/spans/lock_contention.h"
#include "report/spans/trace_summary.h"
#include "report/top/top_args.h"

const struct rpt_command rpt_commands[] = {
	{ "annotate", rpt_cmd_annotate,
	  "show functions by instruction, with their source",
	  &rpt_annotate_command, true },
	{ "buildid-cache", rpt_cmd_buildid_cache,
	  "write the names that a recording carries for perf and gdb",
	  &rpt_buildid_cache_command, false },
	{ "buildid-list", rpt_cmd_buildid_list,
	  "list the build-ids of the files in a recording",
	  &rpt_buildid_list_command, true },
	{ "carry", rpt_cmd_carry,
	  "add lines, code and names to a recording, to read it elsewhere",
	  &rpt_carry_command, false },
	{ "check", rpt_cmd_check, "say what is wrong with a recording",
	  &rpt_check_command, false },
	{ "data", rpt_cmd_data, "convert a recording to JSON",
	  &rpt_data_command, false },
	{ "diff", rpt_cmd_diff, "compare recordings, with intervals",
	  &rpt_diff_command, true },
	{ "evlist", rpt_cmd_evlist, "list the events of a recording",
	  &rpt_evlist_command, true },
	{ "export", rpt_cmd_export, "write a recording for pprof or speedscope",
	  &rpt_export_command, false },
	{ "fleet", rpt_cmd_fleet,
	  "ask a database about the samples of many hosts", &rpt_fleet_command,
	  true },
	{ "lock", rpt_cmd_lock, "show who waits for locks of the kernel",
	  &rpt_lock_command, true },
	{ "repair", rpt_cmd_repair,
	  "make a clean recording out of a damaged one", &rpt_repair_command,
	  false },
	{ "report", rpt_cmd_report, "show where the samples were taken",
	  &rpt_report_command, true },
	{ "sched", rpt_cmd_sched, "show what the scheduler did, by switch",
	  &rpt_sched_timehist_command, true },
	{ "script", rpt_cmd_script, "print every sample as a line of text",
	  &rpt_script_command, true },
	{ "scrub", rpt_cmd_scrub, "make a recording that can be given away",
	  &rpt_scrub_command, false },
	{ "top", rpt_cmd_top, "show where samples are taken, while they are",
	  &rpt_top_command, false },
	{ "trace", rpt_trace_summary,
	  "show a table of each thread's system calls", &rpt_trace_command,
	  true },
	{ "unwind", rpt_cmd_unwind,
	  "make call chains of stack copies, which are dropped",
	  &rpt_unwind_command, false },
	{ "view", rpt_cmd_view, "look at a recording in the browser",
	  &rpt_view_command, false },
	{ "why", rpt_cmd_why, "say in a few sentences what took the time",
	  &rpt_why_command, true },
	{ 0 },
};
