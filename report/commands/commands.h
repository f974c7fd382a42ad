/* commands.h: the commands of perfpair, in one table.
 *
 * argv[0] is the command's name.  A command prints its results on stdout and
 * its messages on stderr, and returns the program's exit code (exit_code.h).
 */
#ifndef RPT_COMMANDS_H
#define RPT_COMMANDS_H

#include "format/support/options.h"

struct rpt_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary; /* its line in "perfpair help" */
	const struct sup_command
		*options; /* for --help, man page, completion */
	bool is_paged;	  /* its text is for a pager (pager.h) */
};

/* By name; the last one's name is NULL. */
extern const struct rpt_command rpt_commands[];

int rpt_cmd_ab(int argc, char **argv);
int rpt_cmd_annotate(int argc, char **argv);
int rpt_cmd_buildid_cache(int argc, char **argv);
int rpt_cmd_buildid_list(int argc, char **argv);
int rpt_cmd_carry(int argc, char **argv);
int rpt_cmd_check(int argc, char **argv);
int rpt_cmd_config(int argc, char **argv);
int rpt_cmd_data(int argc, char **argv);
int rpt_cmd_diff(int argc, char **argv);
int rpt_cmd_evlist(int argc, char **argv);
int rpt_cmd_export(int argc, char **argv);
/* The program perf_to_profile, which main() runs under that name. */
int rpt_cmd_perf_to_profile(int argc, char **argv);
int rpt_cmd_fleet(int argc, char **argv);
int rpt_cmd_lock(int argc, char **argv);
int rpt_cmd_repair(int argc, char **argv);
int rpt_cmd_report(int argc, char **argv);
int rpt_cmd_sched(int argc, char **argv);
int rpt_cmd_script(int argc, char **argv);
int rpt_cmd_scrub(int argc, char **argv);
/* stat --compare; main() has the recorder do all else of stat. */
int rpt_cmd_stat_compare(int argc, char **argv);
int rpt_cmd_top(int argc, char **argv);
int rpt_cmd_unwind(int argc, char **argv);
int rpt_cmd_view(int argc, char **argv);
int rpt_cmd_why(int argc, char **argv);

extern const struct sup_command rpt_ab_command;
extern const struct sup_command rpt_annotate_command;
extern const struct sup_command rpt_buildid_cache_command;
extern const struct sup_command rpt_buildid_list_command;
extern const struct sup_command rpt_carry_command;
extern const struct sup_command rpt_check_command;
extern const struct sup_command rpt_config_command;
extern const struct sup_command rpt_data_command;
extern const struct sup_command rpt_evlist_command;
extern const struct sup_command rpt_export_command;
extern const struct sup_command rpt_perf_to_profile_command;
extern const struct sup_command rpt_repair_command;
extern const struct sup_command rpt_report_command;
extern const struct sup_command rpt_scrub_command;
extern const struct sup_command rpt_unwind_command;
extern const struct sup_command rpt_view_command;
extern const struct sup_command rpt_why_command;

#endif
