/* repair_impl.h: the parts of a repair. */
#ifndef RPT_REPAIR_IMPL_H
#define RPT_REPAIR_IMPL_H

#include "format/file/feature.h"
#include "format/records/record_body.h"
#include "report/base/intern.h"
#include "report/check/rounds.h"
#include "report/events/stat_table.h"
#include "report/repair/perf_data_writer.h"
#include "report/repair/repair.h"
#include "report/repair/repair_edit.h"

#define RPT_NO_PLACE UINT32_MAX /* the event is not in the new file */

/* Facts about the recorder from the trailers. */
struct rpt_repair_facts {
	uint32_t *places; /* owned; of the input's events in the new file */
	size_t place_nr;
	struct pd_trailer trailer; /* its lists are owned; of the new file */
};

/* The lists that records of a walk have built so far. */
struct rpt_repair_lists {
	bool has_cpu_map;
	bool has_thread_map;
	bool has_tracer;
	struct rpt_stat_table counts; /* of perf stat */
};

/* --carried: the file with the names; the reader is NULL if there is none. */
struct rpt_repair_lent {
	struct rpt_file_source source;
	struct pd_reader *reader; /* owned */
	bool is_own;		  /* they are of this recording */
};

struct rpt_repair {
	const struct rpt_file_source *source;
	const struct rpt_repair_conf *conf;
	struct rpt_repair_result *result;
	struct pd_reader *reader;
	const struct pd_event_set *events; /* chosen */
	struct pd_event_set chosen;
	struct rpt_repair_lent lent;
	struct rpt_repair_facts facts;
	struct rpt_rounds rounds;
	struct rpt_perf_data_writer file;
	struct pd_buf scratch;	 /* a mended record */
	struct pd_buf edited;	 /* a record that conf->edit changed */
	struct pd_buf build_ids; /* entries out of MMAP2 records */
	struct rpt_intern build_id_names;
	struct rpt_written written;
	struct pd_nrcpus cpus; /* NRCPUS, mended */
	uint32_t cpu_nr;       /* the greater of the two; 0: not known */
	bool is_nrcpus_wrong;  /* the input's NRCPUS differs from cpus */
	bool is_second;	       /* this walk writes */
	struct rpt_repair_lists lists;
	/* a bit for each tracepoint's number; samples have 16 bits of it */
	uint64_t formats[(UINT16_MAX + 1) / 64];
	uint64_t last_ns; /* of the record before */
	uint32_t last_cpu;
	size_t open_loss_idx; /* the first loss without a record behind it */
};

/* Set cpus and cpu_nr; needs the events. */
void rpt_repair_count_cpus(struct rpt_repair *repair);
/* Decide what becomes of rec.  If it is written (rpt_repair_is_written()),
 * repair->written is what is written. */
enum rpt_record_outcome rpt_repair_record(struct rpt_repair *repair,
					  const struct pd_record *rec);

static inline bool rpt_repair_is_written(enum rpt_record_outcome outcome)
{
	return outcome == RPT_RECORD_KEPT || outcome == RPT_RECORD_MENDED ||
	       outcome == RPT_RECORD_NO_ID;
}

/* Note the build-id of rec, of type MMAP2 or HEADER_BUILD_ID, if it has one. */
void rpt_repair_note_build_id(struct rpt_repair *repair,
			      const struct pd_record *rec);
/* Return a feature's payload, false if a damaged table makes it overlap other
 * parts of the file. */
bool rpt_repair_feature(const struct rpt_repair *repair, unsigned bit,
			struct pd_cursor *ret);
/* The same, and it can be decoded. */
bool rpt_repair_is_sound(const struct rpt_repair *repair, unsigned bit);
/* Return true if no format of the input is kept. */
static inline bool rpt_repair_makes_formats(const struct rpt_repair *repair)
{
	return repair->conf->edit && repair->conf->edit->makes_formats;
}

/* Return true if no text in TRACING_DATA was overwritten. */
bool rpt_repair_are_formats_whole(const struct rpt_repair *repair);
/* Write a payload of TRACING_DATA with all whole formats, and one made up for
 * each tracepoint without. */
void rpt_repair_make_formats(const struct rpt_repair *repair, struct pd_buf *b);
/* Write all features of the new file. */
void rpt_repair_features(struct rpt_repair *repair);

#endif
