/* repair_edit.h: changes that another command makes to the clean recording
 * that repair writes (unwind, report/scrub).
 *
 * Repair reads the records twice.  The first walk decides what is kept, the
 * second one writes.  The calls come in the order below, those for records and
 * samples in the order of the file.  Each call may be NULL: repair then writes
 * what it writes without an edit.
 */
#ifndef RPT_REPAIR_EDIT_H
#define RPT_REPAIR_EDIT_H

#include "report/repair/perf_data_writer.h"

#include "format/reader/reader.h"

struct rpt_repair_edit {
	void *ctx; /* for the calls */
	/* Raw data may be gone: TRACING_DATA gets formats that only name the
	 * tracepoints. */
	bool makes_formats;
	bool takes_start; /* when the recording began is left out */
	/* The input is open; an error ends the command. */
	int (*begin)(void *ctx, struct pd_reader *reader, struct pd_err *err);
	/* Change attr, name (allocated, or NULL) and is_unwound of out, an
	 * event of the new file.  in is the same event of the input. */
	void (*event)(void *ctx, const struct pd_event *in,
		      struct pd_event *out);
	/* Look at a record that is no sample, and write a changed one to b,
	 * which is empty and has rec's byte order; if nothing is written, rec
	 * stays as it is.  Return false to leave the record out.  The call is
	 * made in both walks, with is_second in the second, and returns the
	 * same in both.  events are those of the new file, with the layouts of
	 * the old one. */
	bool (*record)(void *ctx, const struct pd_event_set *events,
		       bool is_second, const struct pd_record *rec,
		       struct pd_buf *b);
	/* The same for a sample, in the second walk only. */
	bool (*sample)(void *ctx, const struct pd_event_set *events,
		       const struct pd_record *rec, struct pd_buf *b);
	/* Change the payload, which can be decoded, or return false to leave
	 * the feature out. */
	bool (*feature)(void *ctx, unsigned bit, struct pd_buf *payload);
	/* Write the names that the input carries, or some of them. */
	void (*carried)(void *ctx, const struct pd_carried *carried,
			struct rpt_perf_data_writer *file);
};

#endif
