/* script_dump.h: script -D: every record as bytes and as what they mean, in
 * perf 6.1's words.
 */
#ifndef RPT_SCRIPT_DUMP_H
#define RPT_SCRIPT_DUMP_H

#include "format/record_body.h"
#include "format/sample_id.h"
#include "report/script/script_line.h"

/* A record that is no sample: its bytes, its type, its fields. */
void rpt_script_dump(struct rpt_script *script, const struct pd_record *rec);

/* A sample, up to where its lines begin. */
void rpt_script_dump_sample(struct rpt_script *script,
			    const struct rpt_script_line *line,
			    const struct pd_record *rec);

/* What stands in front of each line of a sample: the task and the file. */
void rpt_script_dump_place(struct rpt_script *script,
			   struct rpt_script_line *line);

/* script_dump_user.c: the fields of a record of perf's own. */
void rpt_script_dump_user(struct rpt_text *t, const struct pd_record *rec,
			  const struct pd_body *body);

#endif
