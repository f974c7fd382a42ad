/* script_line_cache.h: lines of `script` printed again, for samples that differ
 * from an earlier one by nothing but the time.
 *
 * Loops of system calls, idle CPUs and spinning threads give such samples one
 * after the other; they need not be decoded, nor their parts looked up (a
 * storm of one system call: 0.39 s of CPU rather than 0.57 s).  A line is kept
 * once the same sample came twice.
 */
#ifndef RPT_SCRIPT_LINE_CACHE_H
#define RPT_SCRIPT_LINE_CACHE_H

#include <stdbool.h>

struct pd_record;
struct rpt_script;
struct rpt_script_line;
struct rpt_script_line_cache;

/* For a script that puts text into a heap, and whose lines do not depend on
 * those before them.  NULL: samples with equal bytes may be shown differently;
 * the functions below then do nothing. */
struct rpt_script_line_cache *
rpt_script_line_cache_new(const struct rpt_script *script);
void rpt_script_line_cache_free(struct rpt_script_line_cache *cache);

/* Print the sample rec by a line that is kept.  Return false if the caller must
 * print it itself and then call rpt_script_line_cache_keep(). */
bool rpt_script_line_cache_print(struct rpt_script *script,
				 const struct pd_record *rec);

/* Keep the line that was printed since, if it can be printed so again. */
void rpt_script_line_cache_keep(struct rpt_script *script,
				const struct rpt_script_line *line);

#endif
