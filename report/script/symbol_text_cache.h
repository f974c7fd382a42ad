/* symbol_text_cache.h: addresses of one function in one mapping print alike,
 * but for two numbers: what `script` keeps of them, function by function.
 *
 * A broken call chain leads to hundreds of thousands of different addresses,
 * yet into a few functions, and into few gaps between mappings.  Part of struct
 * rpt_script; see script_line.h for what is called from outside.
 */
#ifndef RPT_SYMBOL_TEXT_CACHE_H
#define RPT_SYMBOL_TEXT_CACHE_H

#include "report/base/addr_range.h"
#include "report/base/intern.h"

#include <stdbool.h>

enum {
	RPT_SCRIPT_VIEWS_NR = 64,
	RPT_SCRIPT_WIDE_NR = 8,
};

/* All but the address that a place's text depends on; without padding. */
struct rpt_script_view_key {
	uint64_t space;
	uint64_t fields;
	uint32_t generation;
	uint16_t kind;
	uint8_t cpumode;
	uint8_t perf; /* enum pd_perf */
};

struct rpt_symbol_text_cache {
	struct rpt_addr_range range; /* of ips */
	uint64_t shown_add; /* an ip and this: the address that is shown */
	uint64_t off_add;   /* an ip and this: the offset that is shown */
	const char *name;   /* " main+0x", " [unknown]" */
	const char *tail;   /* " (a.out)\n" */
	uint32_t name_len;
	uint32_t tail_len;
	bool has_off;
	bool is_stop; /* the last of a chain */
};

/* An entry of a hash table: a spot that addresses of a granule were seen in. */
struct rpt_script_seen {
	uint64_t granule;
	uint32_t view_nr;
	uint32_t spot_nr; /* + 1; 0: free */
};

/* The latest wide ranges of a view. */
struct rpt_script_wide {
	struct rpt_addr_range ranges[RPT_SCRIPT_WIDE_NR];
	uint32_t spots[RPT_SCRIPT_WIDE_NR];
	uint32_t nr; /* that there were */
};

/* A view that was used lately. */
struct rpt_script_view {
	struct rpt_script_view_key key;
	uint64_t nr; /* + 1; 0: free */
};

/* A zeroed struct is empty. */
struct rpt_script_spots {
	struct rpt_symbol_text_cache *spots; /* owned */
	uint32_t nr;
	uint32_t cap;
	struct rpt_script_seen *seen; /* owned; hash table */
	uint32_t seen_nr;
	uint32_t seen_cap;	       /* a power of 2 */
	struct rpt_intern views;       /* struct rpt_script_view_key */
	struct rpt_script_wide *wides; /* owned; one a view */
	uint32_t wides_cap;
	struct rpt_intern texts; /* names and tails */
	struct rpt_script_view recent[RPT_SCRIPT_VIEWS_NR];
};

void rpt_script_spots_release(struct rpt_script_spots *spots);

#endif
