/* script_code.h: the text of the source line of a sample, below it (script -F
 * srccode), where it is not the one that was shown last for its thread.
 */
#ifndef RPT_SCRIPT_CODE_H
#define RPT_SCRIPT_CODE_H

struct rpt_script;
struct rpt_script_line;

/* What was shown, and the sources.  NULL: out of memory. */
struct rpt_script_code;
struct rpt_script_code *rpt_script_code_new(void);
void rpt_script_code_free(struct rpt_script_code *code);

/* Below a line that is printed, into the text of script. */
void rpt_script_code_print(struct rpt_script *script,
			   const struct rpt_script_line *line);

#endif
