/* repair_edit.h: what another command changes of the clean recording that
 * repair writes.
 *
 * Every call is made in the order below; records in both walks, with is_written
 * in the second.  A call returns the same each time for the same record.
 */
#ifndef RPT_REPAIR_EDIT_H
#define RPT_REPAIR_EDIT_H

#include "report/repair/perf_data_writer.h"

#include "format/reader.h"

struct rpt_repair_edit {
	void *ctx; /* for the calls */
	/* The input is open; an error ends the command. */
	int (*begin)(void *ctx, struct pd_reader *reader, struct pd_err *err);
	/* Change the event's attr, which the new file has, and its name, which
	 * is allocated (NULL: it has none).  in is that of the input, whose
	 * layout is that of the records. */
	void (*event)(void *ctx, const struct pd_event *in,
		      struct pd_attr *attr, char **name);
	/* Change the record, which is sound, or return false to leave it out.
	 * events are those of the new file, with the layouts of the old one. */
	bool (*record)(void *ctx, const struct pd_event_set *events,
		       bool is_written, struct rpt_written *rec);
	/* Change the payload, which can be decoded, or return false to leave
	 * the feature out. */
	bool (*feature)(void *ctx, unsigned bit, struct pd_buf *payload);
	/* Write the names that the input carries, or some of them. */
	void (*carried)(void *ctx, const struct pd_carried *carried,
			struct rpt_perf_data_writer *file);
};

#endif
