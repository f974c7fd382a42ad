#include "report/timeline.h"

#include "format/build_id.h"
#include "report/map_name.h"
#include "report/sideband.h"

#include <errno.h>
#include <stdlib.h>

/* What one thread finds. */
struct part {
	struct pd_reader *reader;
	struct rpt_sideband sideband;
	bool is_plain; /* so was every piece */
};

static int read_piece(void *worker, struct pd_piece piece, struct pd_err *err)
{
	struct part *part = worker;
	const struct pd_event_set *events = pd_reader_events(part->reader);
	struct pd_records it;
	struct pd_record rec;
	int rc;

	if (!piece.has_sideband)
		return 0;
	pd_records_init(&it, part->reader, piece);
	while ((rc = pd_records_next(&it, &rec, err)) > 0) {
		if (rec.type == PD_RECORD_SAMPLE)
			continue;
		rc = rpt_sideband_add(&part->sideband, events, &rec);
		if (rc) {
			pd_err_set(err, rc, "out of memory for sideband");
			break;
		}
	}
	if (!pd_records_was_plain(&it))
		part->is_plain = false;
	pd_records_release(&it);
	return rc;
}

/* -EAGAIN: the pieces were guessed, and wrong. */
static int gather(struct rpt_timeline *tl, const struct part *parts,
		  uint32_t nr, bool is_guess, struct pd_err *err)
{
	const struct pd_event_set *events = pd_reader_events(parts[0].reader);
	int rc = 0;

	for (uint32_t i = 0; i < nr && is_guess; i++)
		if (!parts[i].is_plain)
			return -EAGAIN;
	for (uint32_t i = 0; i < nr; i++) {
		const struct rpt_sideband *sb = &parts[i].sideband;

		for (size_t k = 0; k < sb->nr && !rc; k++)
			rc = rpt_timeline_add(tl, events, &sb->items[k].rec,
					      err);
	}
	return rc;
}

static int read_pieces(struct rpt_timeline *tl, struct pd_reader *reader,
		       const struct rpt_pieces *pieces, bool is_guess,
		       struct pd_err *err)
{
	struct rpt_piece_workers workers = {
		.len = sizeof(struct part),
		.nr = rpt_pieces_jobs(pieces),
		.fn = read_piece,
	};
	struct part *parts = calloc(workers.nr, sizeof(*parts));
	int rc;

	if (!parts)
		return pd_err_set(err, -ENOMEM, "out of memory for threads");
	for (uint32_t i = 0; i < workers.nr; i++)
		parts[i] = (struct part){ .reader = reader, .is_plain = true };
	workers.items = parts;
	rc = rpt_pieces_run(pieces, &workers, err);
	if (!rc)
		rc = gather(tl, parts, workers.nr, is_guess, err);
	for (uint32_t i = 0; i < workers.nr; i++)
		rpt_sideband_release(&parts[i].sideband);
	free(parts);
	return rc;
}

/* To find the cuts of a plain file by its headers costs as much as to read its
 * sideband: they are guessed, and the reading shows whether rightly. */
static int read_sideband(struct rpt_timeline *tl, struct pd_reader *reader,
			 struct rpt_pieces *pieces, struct pd_err *err)
{
	int rc = pd_reader_guess_pieces(reader, RPT_PIECE_LEN, &pieces->items,
					&pieces->nr, err);

	if (!rc)
		rc = read_pieces(tl, reader, pieces, true, err);
	if (rc != -ENOTSUP && rc != -EAGAIN)
		return rc;
	rc = pd_reader_pieces(reader, RPT_PIECE_LEN, &pieces->items,
			      &pieces->nr, err);
	return rc ? rc : read_pieces(tl, reader, pieces, false, err);
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

/* The kernel is the first entry of kernel mode that is no module. */
static void find_kernel(struct rpt_timeline *tl, const struct pd_reader *reader)
{
	struct pd_build_id_entry entry;
	struct pd_build_ids it;
	struct pd_cursor c;

	if (!pd_reader_feature(reader, PD_FEATURE_BUILD_ID, &c))
		return;
	pd_build_ids_init(&it, &c);
	while (pd_build_ids_next(&it, &entry, NULL) > 0) {
		if ((entry.misc & PD_MISC_CPUMODE_MASK) != PD_CPUMODE_KERNEL ||
		    rpt_is_module_name(entry.id.filename))
			continue;
		rpt_timeline_tell_kernel(tl, &entry.id);
		return;
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
		      struct rpt_pieces *pieces, struct pd_err *err)
{
	int rc = read_sideband(tl, reader, pieces, err);

	find_kernel(tl, reader);
	if (!rc)
		rc = rpt_timeline_finish(tl, err);
	if (!rc)
		load_build_ids(rpt_timeline_symbols(tl), reader);
	return rc;
}
