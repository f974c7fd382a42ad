#include "report/timeline.h"

#include "format/build_id.h"
#include "report/sideband.h"

#include <errno.h>
#include <string.h>

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

/* A build-id that the end of the recording tells belongs to every DSO of that
 * name. */
static void tell_dsos(struct rpt_symbols *symbols,
		      const struct pd_header_build_id *told)
{
	struct rpt_dso *dso;

	for (size_t i = 0; (dso = rpt_symbols_dso_at(symbols, i)); i++) {
		if (pd_str_eq(told->filename, rpt_dso_name(dso)))
			rpt_dso_set_build_id(dso, told->build_id,
					     told->build_id_len);
	}
}

/* A damaged rest is passed over: names are then looked for without. */
static void load_build_ids(struct rpt_symbols *symbols,
			   const struct pd_reader *reader)
{
	struct pd_build_id_entry entry;
	struct pd_build_ids it;
	struct pd_cursor c;

	if (!pd_reader_feature(reader, PD_FEATURE_BUILD_ID, &c))
		return;
	pd_build_ids_init(&it, &c);
	while (pd_build_ids_next(&it, &entry, NULL) > 0)
		tell_dsos(symbols, &entry.id);
}

int rpt_timeline_load(struct rpt_timeline *tl, struct pd_reader *reader,
		      struct pd_err *err)
{
	int rc = add_piece(tl, reader, pd_reader_data(reader), err);

	if (!rc)
		rc = rpt_timeline_finish(tl, err);
	if (!rc)
		load_build_ids(rpt_timeline_symbols(tl), reader);
	return rc;
}
