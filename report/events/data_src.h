/* data_src.h: says in words where the data of a memory access came from.
 *
 * The bits are those of union perf_mem_data_src (perf_event_open(2)); the words
 * are those of the perf that reads the file, 6.1, or 6.12 and 7.2, and texts
 * are cut at the same length.
 */
#ifndef RPT_DATA_SRC_H
#define RPT_DATA_SRC_H

#include "format/records/event_set.h"
#include "format/records/sample.h"

#include <stddef.h>
#include <stdint.h>

/* The masks of its parts.  The kernel added bits to the level and to snooping
 * later (_MORE). */
#define RPT_DATA_SRC_LEVEL	(UINT64_C(0x3fff) << 5)
#define RPT_DATA_SRC_LEVEL_MORE (UINT64_C(0x1f) << 33 | UINT64_C(7) << 43)
#define RPT_DATA_SRC_SNOOP	(UINT64_C(0x1f) << 19)
#define RPT_DATA_SRC_SNOOP_MORE (UINT64_C(3) << 38)
#define RPT_DATA_SRC_LOCK	(UINT64_C(3) << 24)
#define RPT_DATA_SRC_TLB	(UINT64_C(0x7f) << 26)
#define RPT_DATA_SRC_BLOCK	(UINT64_C(7) << 40)

/* The word of a sample that has none: each part is not available. */
#define RPT_DATA_SRC_NONE UINT64_C(0x5080021)

static inline uint64_t rpt_data_src_of(const struct pd_sample *sample)
{
	return sample->present & PD_SAMPLE_DATA_SRC ? sample->data_src
						    : RPT_DATA_SRC_NONE;
}

/* Length of a text with its NUL: that of perf's buffer, 100, less the number
 * and the blank in front of the text. */
#define RPT_DATA_SRC_LEN 83

/* Write "|OP LOAD|LVL L1 hit|SNP None|TLB L1 hit|LCK No|BLK  N/A" to buf.
 * Return its length. */
size_t rpt_data_src_text(uint64_t data_src, enum pd_perf perf,
			 char buf[RPT_DATA_SRC_LEN]);

/* Write or return one part of that without its name: "L1 hit", "None", " N/A".
 */
void rpt_data_src_level(uint64_t data_src, enum pd_perf perf,
			char buf[RPT_DATA_SRC_LEN]);
void rpt_data_src_snoop(uint64_t data_src, char buf[RPT_DATA_SRC_LEN]);
void rpt_data_src_tlb(uint64_t data_src, char buf[RPT_DATA_SRC_LEN]);
const char *rpt_data_src_lock(uint64_t data_src);
const char *rpt_data_src_block(uint64_t data_src);

#endif
