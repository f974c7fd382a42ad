/* header_text.h: the block of "# ..." lines that --header shows.
 *
 * One row of a table a feature, in the order of the bits; the words are perf's
 * (enum pd_perf).  Lists of the machine's parts appear with full ("-I") only.
 */
#ifndef RPT_HEADER_TEXT_H
#define RPT_HEADER_TEXT_H

#include "format/reader.h"

#include <stdbool.h>
#include <stdio.h>

struct rpt_header_conf {
	int64_t captured_on; /* seconds since 1970: when the file was changed
			      * last */
	bool full;
};

void rpt_header_print(FILE *out, const struct pd_reader *reader,
		      const struct rpt_header_conf *conf);

#endif
