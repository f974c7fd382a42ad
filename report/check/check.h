/* check.h: a recording verified: all that can be wrong with its bytes.
 *
 *	rpt_check(&source, max_ratio, &findings, &totals)
 *
 * Structure (check_layout.c), events (check_events.c), features
 * (check_features.c), records (check_records.c), our frames and their index
 * (check_frames.c).  Each place goes to the findings; nothing ends the check
 * but a file of which nothing can be read.
 */
#ifndef RPT_CHECK_H
#define RPT_CHECK_H

#include "format/layout.h"
#include "format/reader.h"
#include "format/record_body.h"
#include "report/input/file_source.h"
#include "report/check/findings.h"

/* The trace data behind an AUXTRACE record. */
struct rpt_check_payload {
	uint64_t off;
	uint64_t len;
	uint32_t cpu; /* UINT32_MAX: of a task */
	uint32_t tid; /* UINT32_MAX: of a CPU */
};

struct rpt_check_totals {
	uint64_t record_nr[PD_RECORD_USER_NR]; /* by type */
	uint64_t unknown_nr;		       /* of other types */
	uint64_t skipped_len;	  /* bytes of the file passed over */
	uint64_t lost_nr;	  /* events, as LOST records say */
	uint64_t lost_samples_nr; /* as LOST_SAMPLES records say */
	uint64_t time_lo_ns;	  /* of samples; lo > hi: none */
	uint64_t time_hi_ns;
	struct rpt_check_payload *payloads; /* in file order */
	uint32_t payload_nr;
	uint32_t payload_cap;
	uint64_t payload_len; /* bytes of all */
};

/* What ret owns, rpt_check_release() frees.
 * max_ratio: see pd_reader_set_ratio().  0; -EBADMSG, -ENODATA and the like
 * where nothing of it can be read, which is a finding too; -ENOMEM. */
int rpt_check(const struct rpt_file_source *source, uint64_t max_ratio,
	      struct rpt_findings *findings, struct rpt_check_totals *ret);

void rpt_check_release(struct rpt_check_totals *totals);

/* The text that ends a record, and needs a NUL; NULL: records of its type do
 * not end in one. */
const struct pd_str *rpt_record_text(const struct pd_body *body);

/* True for an MMAP2 record that says it has a build-id and has none: FORMAT.md
 * "Records". */
bool rpt_has_false_build_id(const struct pd_event_set *events,
			    const struct pd_record *rec,
			    const struct pd_body *body);

/* True if the payload of a feature is there and can be decoded. */
bool rpt_check_feature(struct pd_reader *reader, unsigned bit);

#endif
