/* repair_impl.h: the parts of a repair; private to repair*.c. */
#ifndef RPT_REPAIR_IMPL_H
#define RPT_REPAIR_IMPL_H

#include "format/feature.h"
#include "format/record_body.h"
#include "report/base/intern.h"
#include "report/repair/perf_data_writer.h"
#include "report/repair/repair.h"
#include "report/check/rounds.h"
#include "report/events/stat_table.h"

struct rpt_repair {
	const struct rpt_file_source *source;
	const struct rpt_repair_conf *conf;
	struct rpt_repair_result *result;
	struct pd_reader *reader;
	const struct pd_event_set *events;
	struct pd_event_set chosen; /* what events points to */
	struct rpt_rounds rounds;
	struct rpt_perf_data_writer file;
	struct pd_buf scratch;	 /* a record that was mended */
	struct pd_buf build_ids; /* entries out of MMAP2 records */
	struct rpt_intern build_id_names;
	struct rpt_written written;
	struct pd_nrcpus cpus; /* NRCPUS, mended */
	uint32_t cpu_nr;       /* the greater of the two; 0: not known */
	bool is_nrcpus_wrong;  /* what it says is not what cpus is */
	bool is_second;	       /* the walk that writes */
	bool has_cpu_map;      /* a list has come by in this walk */
	bool has_thread_map;
	bool has_tracer;
	/* of events, by number; wider ones stand in no sample */
	uint64_t formats[(UINT16_MAX + 1) / 64];
	struct rpt_stat_table counts; /* of perf stat, so far in this walk */
	int status;		      /* -ENOMEM, of looking at a record */
	uint64_t last_ns;	      /* of the record before */
	uint32_t last_cpu;
	size_t open_loss_idx; /* the first without a record behind it */
};

/* The events of the new file.  0, -EBADMSG or -ENOMEM. */
int rpt_repair_choose_events(struct rpt_repair *repair, struct pd_err *err);
/* cpus, cpu_nr; by the events chosen. */
void rpt_repair_count_cpus(struct rpt_repair *repair);
/* What becomes of rec.  Where it is written (is_written()): repair->written.
 * 0 or -ENOMEM. */
int rpt_repair_record(struct rpt_repair *repair, const struct pd_record *rec,
		      enum rpt_record_fate *ret);

static inline bool rpt_repair_is_written(enum rpt_record_fate fate)
{
	return fate == RPT_RECORD_KEPT || fate == RPT_RECORD_MENDED ||
	       fate == RPT_RECORD_NO_ID;
}

/* A place of damage; the pd_watch of both walks and of the reader. */
void rpt_repair_add_loss(void *ctx, enum pd_damage_kind kind, uint64_t len,
			 const struct pd_err *err);
/* rec was read: it is what comes before the next loss. */
void rpt_repair_seen(struct rpt_repair *repair, const struct pd_record *rec,
		     uint64_t time_ns);
/* What the trailer knows of the places of damage. */
void rpt_repair_explain_losses(struct rpt_repair *repair);

/* A build-id that rec, of type MMAP2, may carry.  0 or -ENOMEM. */
int rpt_repair_note_build_id(struct rpt_repair *repair,
			     const struct pd_record *rec);
/* A feature's payload where it is at a place of its own: not what a damaged
 * table leads to. */
bool rpt_repair_feature(const struct rpt_repair *repair, unsigned bit,
			struct pd_cursor *ret);
/* It can be decoded, too. */
bool rpt_repair_is_sound(const struct rpt_repair *repair, unsigned bit);
/* No text in TRACING_DATA was overwritten. */
bool rpt_repair_are_formats_whole(const struct rpt_repair *repair);
/* A payload of TRACING_DATA with the formats that are whole, and one for each
 * tracepoint.  0 or -ENOMEM. */
int rpt_repair_make_formats(const struct rpt_repair *repair, struct pd_buf *b);
/* All features of the new file. */
void rpt_repair_features(struct rpt_repair *repair);

#endif
