#include "report/timeline.h"

#include "format/build_id.h"
#include "report/map_name.h"
#include "report/timeline_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* Eighths of the budget for the records while they are collected, and as many
 * for what is made of them. */
#define SHARE_OF_8 3

static uint64_t share_of(uint64_t limit)
{
	return limit / 8 * SHARE_OF_8;
}

/* What one thread finds. */
struct part {
	struct pd_reader *reader;
	struct rpt_sideband sideband;
	struct rpt_time_ask ask; /* time_of NULL: nothing is asked */
	bool is_plain;		 /* so was every piece */
	bool is_packed;		 /* there are compressed records */
	bool is_full; /* there was no budget for the record at full_off */
	uint64_t full_off;
};

/* The rest of its piece is not looked at for sideband. */
static void fill_up(struct part *part, const struct pd_record *rec)
{
	if (!part->is_full)
		part->full_off = rec->file_off;
	part->is_full = true;
	part->is_plain = false;
}

static void widen(struct pd_sample_time *span,
		  const struct pd_sample_time *more)
{
	if (more->first_ns < span->first_ns)
		span->first_ns = more->first_ns;
	if (more->last_ns > span->last_ns)
		span->last_ns = more->last_ns;
}

static void look_at_sample(struct part *part, const struct pd_record *rec)
{
	uint64_t time_ns =
		part->ask.time_of ? part->ask.time_of(part->ask.ctx, rec) : 0;

	if (time_ns)
		widen(&part->ask.span,
		      &(struct pd_sample_time){ time_ns, time_ns });
}

static int look_at_other(struct part *part, const struct pd_record *rec,
			 bool *ret_full, struct pd_err *err)
{
	const struct pd_event_set *events = pd_reader_events(part->reader);
	int rc = rpt_sideband_add(&part->sideband, events, rec);

	if (rc == -EFBIG) {
		fill_up(part, rec);
		*ret_full = true;
		return 0;
	}
	return rc ? pd_err_set(err, rc, "out of memory for sideband") : 0;
}

static int read_piece(void *worker, struct pd_piece piece, struct pd_err *err)
{
	struct part *part = worker;
	bool is_full = false; /* since this piece's beginning */
	struct pd_records it;
	struct pd_record rec;
	int rc;

	if (!piece.has_sideband && !part->ask.time_of)
		return 0;
	pd_records_init(&it, part->reader, piece);
	while ((rc = pd_records_next(&it, &rec, err)) > 0) {
		if (rec.type == PD_RECORD_SAMPLE) {
			look_at_sample(part, &rec);
			continue;
		}
		rc = is_full ? 0 : look_at_other(part, &rec, &is_full, err);
		if (rc || (is_full && !part->ask.time_of))
			break;
	}
	if (!pd_records_was_plain(&it))
		part->is_plain = false;
	if (it.compressed_nr || it.compressed2_nr)
		part->is_packed = true;
	pd_records_release(&it);
	return rc;
}

/* -EAGAIN: the pieces were guessed, and wrong. */
static int gather(struct rpt_timeline *tl, const struct rpt_pieces *pieces,
		  struct part *parts, uint32_t nr, bool is_guess,
		  struct pd_err *err)
{
	const struct part *first = NULL;
	struct pd_err full = PD_ERR_INIT;

	for (uint32_t i = 0; i < nr && is_guess; i++)
		if (!parts[i].is_plain)
			return -EAGAIN;
	tl->is_plain = true;
	for (uint32_t i = 0; i < nr; i++) {
		if (rpt_sideband_move(&tl->sideband, &parts[i].sideband))
			return pd_err_set(err, -ENOMEM,
					  "out of memory for sideband");
		tl->is_plain &= !parts[i].is_packed;
		if (parts[i].is_full &&
		    (!first || parts[i].full_off < first->full_off))
			first = &parts[i];
		if (pieces->ask)
			widen(&pieces->ask->span, &parts[i].ask.span);
	}
	if (first) {
		pd_err_at(&full, -EFBIG, first->full_off,
			  "more tasks and maps than the limit on memory allows "
			  "(--max-ratio); some from there on are left out");
		pd_damage_add(&tl->damage, PD_DAMAGE_RECORD, 0, &full);
	}
	return 0;
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
	struct rpt_time_ask ask = { 0 };
	uint64_t share = share_of(pd_reader_kept_limit(reader, false));
	int rc;

	if (!parts)
		return pd_err_set(err, -ENOMEM, "out of memory for threads");
	if (pieces->ask) {
		pieces->ask->span = (struct pd_sample_time){ UINT64_MAX, 0 };
		ask = *pieces->ask;
	}
	tl->budget->left = share;
	for (uint32_t i = 0; i < workers.nr; i++)
		parts[i] = (struct part){
			.reader = reader,
			.sideband.budget = tl->budget,
			.ask = ask,
			.is_plain = true,
		};
	workers.items = parts;
	rc = rpt_pieces_run(pieces, &workers, err);
	if (!rc)
		rc = gather(tl, pieces, parts, workers.nr, is_guess, err);
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

static bool has_monotonic_times(const struct pd_reader *reader)
{
	const struct pd_event_set *events = pd_reader_events(reader);
	bool is_told = events->nr && !events->is_file_ordered;

	for (size_t i = 0; i < events->nr && is_told; i++)
		is_told = events->events[i].attr.flags & PD_ATTR_USE_CLOCKID &&
			  events->events[i].attr.clockid == CLOCK_MONOTONIC;
	return is_told;
}

int rpt_timeline_load(struct rpt_timeline *tl, struct pd_reader *reader,
		      struct rpt_pieces *pieces, struct pd_err *err)
{
	uint64_t limit, share;
	int rc = read_sideband(tl, reader, pieces, err);

	limit = pd_reader_kept_limit(reader, tl->is_plain);
	share = share_of(pd_reader_kept_limit(reader, false));
	tl->budget->left += share;
	find_kernel(tl, reader);
	tl->has_monotonic_times = has_monotonic_times(reader);
	if (!rc)
		rc = rpt_timeline_finish(tl, err);
	tl->budget->left += limit - 2 * share;
	if (!rc)
		load_build_ids(rpt_timeline_symbols(tl), reader);
	return rc;
}
