/* collector.h: one recording's names, collected: what the thread of carry.h
 * does. */
#ifndef REC_COLLECTOR_H
#define REC_COLLECTOR_H

#include "record/carry/carry.h"

struct rec_hit_reader;
struct rec_kallsyms;
struct rec_known_files;

/* The places where a collector looks. */
struct rec_collector_conf {
	struct rec_carry_conf limits;
	struct rec_kallsyms *kallsyms; /* borrowed */
	struct rec_known_files *known; /* borrowed */
	/* Names read before the end, which become the collector's; NULL:
	 * nothing. */
	struct rec_hit_reader *reader;
	/* By then (rec_now_ns()) samples are read, and all is done: hits
	 * without names are of no use. */
	uint64_t read_until_ns;
	uint64_t until_ns;
	bool is_cut; /* the recording goes on behind its end */
};

/* As rec_carry_collect(). */
int rec_collector_run(const struct rec_collector_conf *conf, int fd,
		      uint64_t len, struct pd_buf *b,
		      struct pd_carried_sections *ret, struct pd_err *err);

#endif
