/* data_src.h: where the data of a memory access came from, in words.
 *
 * The bits are those of union perf_mem_data_src (perf_event_open(2)); the
 * words and the places where a text is cut are perf 6.1's.
 */
#ifndef RPT_DATA_SRC_H
#define RPT_DATA_SRC_H

#include "format/event_set.h"

#include <stddef.h>
#include <stdint.h>

/* With NUL: perf's buffer of 100 less the number and the blank before it. */
#define RPT_DATA_SRC_LEN 83

/* "|OP LOAD|LVL L1 hit|SNP None|TLB L1 hit|LCK No|BLK  N/A"; its length. */
size_t rpt_data_src_text(uint64_t data_src, enum pd_perf perf,
			 char buf[RPT_DATA_SRC_LEN]);

#endif
