#include "report/timeline.h"

#include "format/feature.h"
#include "report/sideband.h"

#include <errno.h>

static int add_piece(struct rpt_timeline *tl, struct pd_reader *reader,
		     struct pd_piece piece, struct pd_err *err)
{
	const struct pd_event_set *events = pd_reader_events(reader);
	struct pd_records it;
	struct pd_record rec;
	int rc;

	pd_records_init(&it, reader, piece);
	while ((rc = pd_records_next(&it, &rec, err)) > 0) {
		if (rec.type == PD_RECORD_SAMPLE || !rpt_is_sideband(rec.type))
			continue;
		rc = rpt_timeline_add(tl, events, &rec, err);
		if (rc)
			break;
	}
	pd_records_release(&it);
	return rc;
}

int rpt_timeline_load(struct rpt_timeline *tl, struct pd_reader *reader,
		      struct pd_err *err)
{
	int rc = add_piece(tl, reader, pd_reader_data(reader), err);

	return rc ? rc : rpt_timeline_finish(tl, err);
}
