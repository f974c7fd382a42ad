/* findings.h: the findings of perfpair check, shown one by one and counted.
 *
 * Each finding has a kind; the table in findings.c says which kinds are damage
 * and which only notes.  Beyond cap, findings of a kind are only counted:
 * a small file can be made to have millions.
 */
#ifndef RPT_FINDINGS_H
#define RPT_FINDINGS_H

#include "format/records/record.h"

enum rpt_finding_kind {
	RPT_FINDING_UNREADABLE,
	RPT_FINDING_UNFINISHED,
	RPT_FINDING_KILLED,
	RPT_FINDING_UNCOVERED,
	RPT_FINDING_CUT,
	RPT_FINDING_SECTION,
	RPT_FINDING_GAP,
	RPT_FINDING_ATTR,
	RPT_FINDING_ATTR_NEWER,
	RPT_FINDING_ID,
	RPT_FINDING_FEATURE,
	RPT_FINDING_FEATURE_ODD,
	RPT_FINDING_TRAILER,
	RPT_FINDING_INDEX,
	RPT_FINDING_CHECKSUM,
	RPT_FINDING_UNCHECKED,
	RPT_FINDING_RECORD,
	RPT_FINDING_BODY,
	RPT_FINDING_BODY_LONG,
	RPT_FINDING_TEXT,
	RPT_FINDING_PADDING,
	RPT_FINDING_BUILD_ID,
	RPT_FINDING_UNALIGNED,
	RPT_FINDING_TYPE,
	RPT_FINDING_SAMPLE,
	RPT_FINDING_SAMPLE_LONG,
	RPT_FINDING_EVENT,
	RPT_FINDING_CPU,
	RPT_FINDING_ORDER,
	RPT_FINDING_TIME,
	RPT_FINDING_ZSTD,
	RPT_FINDING_PLAIN,
	RPT_FINDING_COMPRESSED,
	RPT_FINDING_NR,
};

#define RPT_NO_OFF	     UINT64_MAX
#define RPT_FINDING_TEXT_LEN 320

struct rpt_finding {
	enum rpt_finding_kind kind;
	uint64_t off;	    /* in the file, or RPT_NO_OFF */
	uint64_t plain_off; /* in the plain text of the zstd frame there, or
			     * PD_RECORD_NOT_COMPRESSED */
	const char *text;   /* one line */
};

struct rpt_findings {
	void (*show)(void *ctx, const struct rpt_finding *finding);
	void *ctx;
	uint64_t cap; /* findings of one kind that are shown; UINT64_MAX: all */
	uint64_t nr[RPT_FINDING_NR];
	/* Padding that is not zero is in most files of old kernels and perfs,
	 * in hundreds of records: with a cap, rpt_findings_end() shows the
	 * first with the number of the others. */
	struct rpt_finding first_padding;
	char padding_text[RPT_FINDING_TEXT_LEN / 2];
};

/* Return the name that users see, such as "record". */
const char *rpt_finding_name(enum rpt_finding_kind kind);
/* Return true if the kind is damage, false if it is a note. */
bool rpt_finding_is_damage(enum rpt_finding_kind kind);

/* Add a finding at byte off of the file; RPT_NO_OFF: at no byte. */
void rpt_find(struct rpt_findings *all, enum rpt_finding_kind kind,
	      uint64_t off, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Add a finding in rec, pos bytes behind its start. */
void rpt_find_in(struct rpt_findings *all, enum rpt_finding_kind kind,
		 const struct pd_record *rec, uint64_t pos, const char *fmt,
		 ...) __attribute__((format(printf, 5, 6)));

/* Add the error of a decoder of rec; NULL: of something outside the records. */
void rpt_find_err(struct rpt_findings *all, enum rpt_finding_kind kind,
		  const struct pd_record *rec, const struct pd_err *err);

/* Show what is shown once for many records.  Call it when all is checked. */
void rpt_findings_end(struct rpt_findings *all);

/* Return how many findings are damage, or how many are notes. */
uint64_t rpt_findings_count(const struct rpt_findings *all, bool is_damage);

#endif
