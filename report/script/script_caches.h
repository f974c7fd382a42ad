/* script_caches.h: what `script` was asked last, in small tables: lines that
 * follow each other ask much the same.  Part of struct rpt_script.
 */
#ifndef RPT_SCRIPT_CACHES_H
#define RPT_SCRIPT_CACHES_H

#include "report/timeline/task_state.h"

/* Small tables of what was asked last, by the low bits of what it is about. */
enum {
	RPT_SCRIPT_WHOS_NR = 256,
	RPT_SCRIPT_STARTS_NR = 256,
	RPT_SCRIPT_PLACES_NR = 8192,
	RPT_SCRIPT_START_LEN = 64,
};

/* The text in front of a line, and what it depends on; without padding. */
struct rpt_script_start_key {
	uint64_t comm;
	uint64_t fields;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint32_t named_tid; /* where comm is 0 */
	uint64_t with_chain;
};

struct rpt_script_start {
	struct rpt_script_start_key key;
	size_t len; /* 0: free */
	char text[RPT_SCRIPT_START_LEN];
};

/* An address and all that its text depends on; without padding. */
struct rpt_script_address_key {
	uint64_t ip;
	uint64_t space;
	uint64_t fields;
	uint32_t generation;
	uint16_t kind;
	uint16_t cpumode;
};

struct rpt_script_address_slot {
	struct rpt_script_address_key key;
	uint64_t text_nr; /* the text's number + 1; 0: free */
};

#endif
