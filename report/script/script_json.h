/* script_json.h: --format jsonl of script: each sample as an object of JSON, a
 * line each.  docs/formats.md has its members.
 */
#ifndef RPT_SCRIPT_JSON_H
#define RPT_SCRIPT_JSON_H

#include "report/script/script_line.h"

struct rpt_inline_frame;

/* Refuse options that make something else than lines of samples. */
int rpt_script_json_check(const struct rpt_script_args *args,
			  struct pd_err *err);
/* Add what each line has unless -F says what to print. */
void rpt_script_json_fields(struct rpt_script_fields *fields);
/* Print the sample as an object.  Return 0, or what writing failed with. */
int rpt_script_json_print(struct rpt_script *script,
			  struct rpt_script_line *line);
/* Print the part of it that depends on the time. */
void rpt_script_json_times(struct rpt_script *script, uint64_t fields,
			   uint64_t time_ns);
/* Print an entry of the call chain: frame, or the symbol at ip if it is NULL.
 */
void rpt_script_json_frame(struct rpt_script *script,
			   const struct rpt_script_line *line,
			   const struct rpt_location *at, uint64_t ip,
			   const struct rpt_inline_frame *frame);
void rpt_script_json_free(struct rpt_script_json *json);

#endif
