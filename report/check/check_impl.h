/* check_impl.h: the parts of a check; private to check*.c. */
#ifndef RPT_CHECK_IMPL_H
#define RPT_CHECK_IMPL_H

#include "format/file/feature.h"
#include "format/reader/reader.h"
#include "report/check/check.h"
#include "report/check/rounds.h"
#include "report/events/stat_table.h"

struct rpt_check {
	const uint8_t *base;
	uint64_t len;
	struct pd_reader *reader; /* NULL while it is being opened */
	const struct pd_event_set *events;
	struct rpt_findings *findings;
	struct rpt_check_totals *totals;
	struct rpt_rounds rounds;
	struct rpt_stat_table counts; /* of perf stat record */
	uint64_t end_off;  /* where the data ends, according to the header */
	uint32_t cpu_nr;   /* according to NRCPUS; 0: not known */
	uint32_t mmap_len; /* according to COMPRESSED; 0: not known */
	bool is_unsaid;	   /* a finding says that COMPRESSED lacks it */
	uint64_t zstd_off; /* of the last record that zstd refused */
	/* Records behind end_off, in a recording that was not closed. */
	uint64_t uncovered_nr;
	struct pd_sample_time uncovered;
};

/* Check one part of the file. */
void rpt_check_layout(struct rpt_check *check);
void rpt_check_events(struct rpt_check *check);
void rpt_check_features(struct rpt_check *check);
/* Compare SAMPLE_TIME with the samples that were seen. */
void rpt_check_sample_time(struct rpt_check *check);

/* Check one record of any type. */
void rpt_check_record(struct rpt_check *check, const struct pd_record *rec);

/* Check all records, frame by frame if there is an index. */
void rpt_check_walk(struct rpt_check *check, const struct pd_watch *watch);

#endif
