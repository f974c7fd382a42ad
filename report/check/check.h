/* check.h: verifies all that can be verified in a recording.
 *
 * Each place of damage becomes a finding; the check ends early only if nothing
 * of the file can be read.
 */
#ifndef RPT_CHECK_H
#define RPT_CHECK_H

#include "format/file/feature.h"
#include "format/reader/reader.h"
#include "format/records/record_body.h"
#include "report/check/findings.h"
#include "report/input/file_source.h"

/* The trace data behind an AUXTRACE record. */
struct rpt_check_payload {
	uint64_t off;
	uint64_t len;
	uint32_t cpu; /* UINT32_MAX: it belongs to a task */
	uint32_t tid; /* UINT32_MAX: it belongs to a CPU */
};

struct rpt_check_totals {
	uint64_t record_nr[PD_RECORD_USER_NR]; /* by type */
	uint64_t unknown_nr;		       /* of other types */
	uint64_t skipped_len;	  /* bytes of the file passed over */
	uint64_t lost_nr;	  /* events, as LOST records say */
	uint64_t lost_samples_nr; /* as LOST_SAMPLES records say */
	struct pd_sample_time times;
	struct rpt_check_payload *payloads; /* in file order */
	uint32_t payload_nr;
	uint32_t payload_cap;
	uint64_t payload_len; /* bytes of all */
};

/* Check the file.  max_ratio is that of pd_reader_set_ratio().  Return 0; or
 * -EBADMSG, -ENODATA and the like if nothing can be read, which is a finding,
 * too.  The caller releases *ret in any case. */
int rpt_check(const struct rpt_file_source *source, uint64_t max_ratio,
	      struct rpt_findings *findings, struct rpt_check_totals *ret);

void rpt_check_release(struct rpt_check_totals *totals);

/* Return true if the body ends in a text, and that has no NUL before end. */
bool rpt_is_open_text(const struct pd_body *body, const uint8_t *end);

/* Return true if the sample is of a CPU that a machine of cpu_nr CPUs (0: not
 * known) does not have. */
static inline bool rpt_is_strange_cpu(const struct pd_sample *s,
				      uint32_t cpu_nr)
{
	return cpu_nr && (s->present & PD_SAMPLE_CPU) && s->cpu >= cpu_nr &&
	       s->cpu != UINT32_MAX;
}

/* Return how many of the sample's counter values are of a described event;
 * known by their ids. */
uint64_t rpt_known_counts(const struct pd_event_set *events,
			  const struct pd_sample *s);

/* Return true for an MMAP2 record that claims a build-id but has none:
 * FORMAT.md "Records". */
bool rpt_has_false_build_id(const struct pd_event_set *events,
			    const struct pd_record *rec,
			    const struct pd_body *body);

/* Return true if a feature is present and can be decoded. */
bool rpt_check_feature(struct pd_reader *reader, unsigned bit);

#endif
