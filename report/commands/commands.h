/* commands.h: the subcommands of perfpair, one function each.
 *
 * argv[0] is the subcommand's name.  A command prints its results on stdout and
 * what went wrong on stderr, and returns the program's exit code.
 */
#ifndef RPT_COMMANDS_H
#define RPT_COMMANDS_H

int rpt_cmd_buildid_list(int argc, char **argv);
int rpt_cmd_check(int argc, char **argv);
int rpt_cmd_data(int argc, char **argv);
int rpt_cmd_diff(int argc, char **argv);
int rpt_cmd_evlist(int argc, char **argv);
int rpt_cmd_repair(int argc, char **argv);
int rpt_cmd_report(int argc, char **argv);
int rpt_cmd_script(int argc, char **argv);

#endif
