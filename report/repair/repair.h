/* repair.h: writes a clean recording from one that was killed, cut or damaged.
 *
 * Two walks over the records: the first finds out which records and round
 * markers can be kept, and what can be rebuilt; the second writes.  The new
 * file is a PERFILE2 file of the same byte order, which perf 6.1 reads without
 * a message: docs/design/repair.md.
 */
#ifndef RPT_REPAIR_H
#define RPT_REPAIR_H

#include "format/file/feature.h"
#include "format/reader/reader.h"
#include "report/input/file_source.h"

struct rpt_repair_edit;

struct rpt_repair_conf {
	const char *path; /* of the new file */
	bool force;	  /* overwrite it */
	int level;	  /* zstd's; 0: plain; -1: as the input */
	uint64_t max_ratio;
	const char *carried; /* a file with the names of a pipe; or NULL */
	bool may_be_other;   /* it may be of another recording: left alone */
	const struct rpt_repair_edit *edit; /* NULL: nothing is changed */
};

/* The fate of a record. */
enum rpt_record_outcome {
	RPT_RECORD_KEPT,
	RPT_RECORD_MOVED, /* its content is in the header or a feature */
	RPT_RECORD_MENDED,
	RPT_RECORD_NO_ID, /* given to the first event: its own is not described
			   */
	RPT_RECORD_BAD_BODY,
	RPT_RECORD_BAD_SAMPLE,
	RPT_RECORD_NO_EVENT,
	RPT_RECORD_NEWER,	 /* of a type that perf 6.1 does not read */
	RPT_RECORD_NEWER_SAMPLE, /* with fields that are not known */
	RPT_RECORD_NO_TRACE,	 /* of a tracer, whose trace is not there */
	RPT_RECORD_NO_COUNTER,	 /* a count of a CPU or thread not listed */
	RPT_RECORD_SECOND,	 /* of what there is one of in a file */
	RPT_RECORD_EDITED_OUT,	 /* by conf.edit */
	RPT_RECORD_OUTCOME_NR,
};

/* Lost bytes, and the records on both sides. */
struct rpt_repair_loss {
	enum pd_damage_kind kind;
	uint64_t off;
	uint64_t len;
	bool has_frame; /* the trailer knows the frame that was there */
	struct pd_trailer_frame frame;
	uint64_t before_ns; /* of the last record with a time; 0: none */
	uint32_t before_cpu;
	uint64_t after_ns; /* of the next one */
	uint32_t after_cpu;
	char text[200];
};

#define RPT_NO_CPU UINT32_MAX

enum { RPT_REPAIR_LOSSES_MAX = 64 };

struct rpt_repair_result {
	uint64_t outcome_nr[RPT_RECORD_OUTCOME_NR];
	uint64_t kept_nr[PD_RECORD_USER_NR]; /* by type, in the new file */
	struct rpt_repair_loss losses[RPT_REPAIR_LOSSES_MAX];
	size_t loss_shown_nr; /* of losses */
	uint64_t loss_nr;     /* of all */
	uint64_t loss_len;
	uint64_t round_nr;	     /* markers in the input */
	uint64_t bad_round_nr;	     /* those that a late record proves wrong */
	struct pd_sample_time times; /* of the samples that are kept */
	size_t event_lost_nr;	     /* events with their id in another place */
	size_t event_newer_nr;	     /* with attr bits unknown to perf 6.1 */
	/* formats of tracepoints; both 0 if all were whole */
	size_t format_kept_nr;
	size_t format_made_nr;
	bool was_unfinished;
	bool is_attr_cut; /* attrs were longer than perf 6.1 reads */
	bool is_compressed;
	uint64_t features_kept[PD_FEATURE_BITS / 64];
	uint64_t features_lost[PD_FEATURE_BITS / 64];
	uint64_t features_rebuilt[PD_FEATURE_BITS / 64];
	uint64_t len; /* of the new file */
};

/* Repair a recording.  0; -EEXIST; -EBADMSG and the like if nothing can be
 * read; or the error of writing. */
int rpt_repair(const struct rpt_file_source *source,
	       const struct rpt_repair_conf *conf,
	       struct rpt_repair_result *result, struct pd_err *err);

#endif
