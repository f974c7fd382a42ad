#include "report/timeline/timeline.h"

#include "format/records/build_id.h"
#include "report/base/memory.h"
#include "report/base/threads.h"
#include "report/input/carried_file.h"
#include "report/input/sample_rle.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/carried_texts.h"
#include "report/symbols/dso.h"
#include "report/symbols/dso_class.h"
#include "report/symbols/kallsyms_locate.h"
#include "report/symbols/kernel_origin.h"
#include "report/timeline/timeline_impl.h"

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

/* The result of one thread. */
struct part {
	struct pd_reader *reader;
	struct rpt_sideband sideband;
	struct rpt_guest_ids guests;
	struct rpt_gap_marks gaps;
	bool is_plain;	/* so was every chunk */
	bool is_packed; /* there are compressed records */
	bool is_full;	/* there was no budget for the record at full_off */
	uint64_t full_off;
	struct pd_damage passed; /* bytes that are no record */
	uint32_t thread;
	/* of the chunk that is being read: */
	bool is_chunk_full; /* no more sideband is taken from it */
	bool is_heard[RPT_LISTENERS_NR];
	bool is_wanted[RPT_LISTENERS_NR]; /* more records */
};

static void release(struct part *part)
{
	rpt_sideband_release(&part->sideband);
	rpt_guest_ids_release(&part->guests);
	rpt_gap_marks_release(&part->gaps);
}

/* Note that the rest of the chunk is not searched for sideband. */
static void fill_up(struct part *part, const struct pd_record *rec)
{
	if (!part->is_full)
		part->full_off = rec->file_off;
	part->is_full = true;
	part->is_plain = false;
}

/* Add guests, as long as the budget lasts. */
static int add_guests(struct part *part, const struct pd_record *rec)
{
	if (!rpt_budget_take(part->sideband.arena.budget, rec->len))
		return -EFBIG;
	rpt_guest_ids_add(&part->guests, rec);
	return 0;
}

static void look_at_other(struct part *part, const struct pd_record *rec)
{
	const struct pd_event_set *events = pd_reader_events(part->reader);
	int rc;

	rpt_gap_marks_add(&part->gaps, events, rec);
	if (part->is_chunk_full)
		return;
	if (rec->type == PD_RECORD_ID_INDEX)
		rc = add_guests(part, rec);
	else
		rc = rpt_sideband_add(&part->sideband, events, rec);
	if (rc) {
		fill_up(part, rec);
		part->is_chunk_full = true;
	}
}

static bool is_any_listening(const struct part *part)
{
	bool is_any = false;

	for (uint32_t i = 0; i < RPT_LISTENERS_NR; i++)
		is_any |= part->is_wanted[i];
	return is_any;
}

static void look_at_lost(struct part *part, struct pd_record_span span)
{
	const struct pd_event_set *events = pd_reader_events(part->reader);
	struct pd_record rec;

	while (pd_record_span_next(&span, &rec))
		rpt_gap_marks_add(&part->gaps, events, &rec);
}

/* Return whether no more of the chunk is wanted. */
static bool look_at(struct part *part, const struct rpt_file_chunks *chunks,
		    struct pd_record_span *span)
{
	struct pd_record rec;

	if (span->next.type == PD_RECORD_LOST)
		look_at_lost(part, *span);
	if (rpt_sample_rle_takes(span->next.type)) {
		for (uint32_t i = 0; i < chunks->listener_nr; i++)
			if (part->is_wanted[i])
				part->is_wanted[i] = chunks->listeners[i]->add(
					chunks->listeners[i], part->thread,
					*span);
	} else {
		while (pd_record_span_next(span, &rec))
			look_at_other(part, &rec);
	}
	return part->is_chunk_full && !is_any_listening(part);
}

static void begin_chunk(struct part *part, const struct rpt_file_chunks *chunks,
			size_t idx)
{
	part->is_chunk_full = false;
	for (uint32_t i = 0; i < chunks->listener_nr; i++) {
		struct rpt_scan_listener *listener = chunks->listeners[i];

		part->is_heard[i] =
			!listener->begin_chunk ||
			listener->begin_chunk(listener, part->thread, idx);
		part->is_wanted[i] = part->is_heard[i];
	}
}

/* End a chunk; damage is NULL if it was not read to its end. */
static void end_chunk(const struct part *part,
		      const struct rpt_file_chunks *chunks,
		      const struct pd_damage *damage)
{
	for (uint32_t i = 0; i < chunks->listener_nr; i++)
		if (part->is_heard[i] && chunks->listeners[i]->end_chunk)
			chunks->listeners[i]->end_chunk(chunks->listeners[i],
							part->thread, damage);
}

static bool is_all_needed(const struct rpt_file_chunks *chunks)
{
	bool is_needed = false;

	for (uint32_t i = 0; i < chunks->listener_nr; i++)
		is_needed |= chunks->listeners[i]->needs_all;
	return is_needed;
}

/* Merge damages; the first in the file stays the first. */
static void merge_passed(struct pd_damage *to, const struct pd_damage *from)
{
	struct pd_err first = to->first;

	if (from->skipped_nr &&
	    (!to->skipped_nr || from->first.off < first.off))
		first = from->first;
	pd_damage_merge(to, from);
	to->first = first;
}

static int read_chunk(void *worker, struct rpt_file_chunks *chunks, size_t idx,
		      struct pd_err *err)
{
	const struct pd_chunk *chunk = &chunks->items[idx];
	struct part *part = worker;
	struct pd_record_span span;
	struct pd_records it;
	int rc;

	if (!chunk->has_sideband && !is_all_needed(chunks))
		return 0;
	begin_chunk(part, chunks, idx);
	pd_records_init(&it, part->reader, *chunk);
	while ((rc = pd_records_next_span(&it, &span, err)) > 0)
		if (look_at(part, chunks, &span))
			break;
	end_chunk(part, chunks, rc ? NULL : &it.damage);
	merge_passed(&part->passed, &it.damage);
	if (!pd_records_was_plain(&it))
		part->is_plain = false;
	if (it.compressed_nr || it.compressed2_nr)
		part->is_packed = true;
	pd_records_release(&it);
	return rc < 0 ? rc : 0;
}

/* Merge the results.  Return -EAGAIN if the chunks were guessed, and wrong. */
static int gather(struct rpt_timeline *tl, struct part *parts, uint32_t nr,
		  bool is_guess)
{
	const struct part *first = NULL;
	struct pd_err full = PD_ERR_INIT;

	for (uint32_t i = 0; i < nr && is_guess; i++)
		if (!parts[i].is_plain)
			return -EAGAIN;
	tl->is_plain = true;
	for (uint32_t i = 0; i < nr; i++) {
		rpt_sideband_move(&tl->sideband, &parts[i].sideband);
		rpt_guest_ids_move(&tl->guests, &parts[i].guests);
		rpt_gap_marks_move(&tl->gaps, &parts[i].gaps);
		tl->is_plain &= !parts[i].is_packed;
		merge_passed(&tl->passed, &parts[i].passed);
		if (parts[i].is_full &&
		    (!first || parts[i].full_off < first->full_off))
			first = &parts[i];
	}
	if (first) {
		pd_err_at(&full, -EFBIG, first->full_off,
			  "more tasks and maps than the limit on memory allows "
			  "(--max-ratio); some from there on are left out");
		pd_damage_add(&tl->damage, PD_DAMAGE_RECORD, 0, &full);
	}
	return 0;
}

static int read_chunks(struct rpt_timeline *tl, struct pd_reader *reader,
		       struct rpt_file_chunks *chunks, bool is_guess,
		       struct pd_err *err)
{
	struct rpt_chunk_workers workers = {
		.len = sizeof(struct part),
		.nr = rpt_file_chunks_jobs(chunks),
		.fn = read_chunk,
	};
	uint64_t share = share_of(pd_reader_memory_limit(reader, false));
	struct part *parts;
	int rc;

	for (uint32_t i = 0; i < chunks->listener_nr; i++)
		chunks->listeners[i]->begin(chunks->listeners[i], chunks,
					    reader);
	parts = rpt_alloc_zeroed(workers.nr, sizeof(*parts));
	rpt_budget_set(tl->budget, share);
	for (uint32_t i = 0; i < workers.nr; i++)
		parts[i] = (struct part){
			.reader = reader,
			.sideband.arena.budget = tl->budget,
			.thread = i,
			.is_plain = true,
		};
	workers.items = parts;
	rc = rpt_file_chunks_run(chunks, &workers, err);
	if (!rc)
		rc = gather(tl, parts, workers.nr, is_guess);
	for (uint32_t i = 0; i < workers.nr; i++)
		release(&parts[i]);
	free(parts);
	return rc;
}

/* For plain files: chunks are so short that the threads end at nearly the same
 * time. */
#define CHUNKS_PER_THREAD 8u
#define CHUNK_LEN_MIN	  ((uint64_t)512 << 10)

static uint64_t chunk_len(const struct pd_reader *reader, uint32_t jobs)
{
	uint64_t len = pd_reader_data_section(reader).len /
		       rpt_jobs_threads(jobs, SIZE_MAX) / CHUNKS_PER_THREAD;

	if (len < CHUNK_LEN_MIN)
		return CHUNK_LEN_MIN;
	return len < RPT_CHUNK_LEN ? len : RPT_CHUNK_LEN;
}

/* Finding the chunks of a plain file costs as much as reading its sideband, so
 * they are guessed first; reading them shows whether the guess was right. */
static int read_sideband(struct rpt_timeline *tl, struct pd_reader *reader,
			 struct rpt_file_chunks *chunks, struct pd_err *err)
{
	uint64_t len = chunk_len(reader, chunks->jobs);
	int rc = pd_reader_guess_chunks(reader, len, &chunks->items,
					&chunks->nr, err);

	if (!rc)
		rc = read_chunks(tl, reader, chunks, true, err);
	if (rc != -ENOTSUP && rc != -EAGAIN)
		return rc;
	rc = pd_reader_chunks(reader, len, &chunks->items, &chunks->nr, err);
	return rc ? rc : read_chunks(tl, reader, chunks, false, err);
}

/* Find the kernel: the first entry of kernel mode that is no module. */
static void find_kernel(struct rpt_timeline *tl, const struct pd_reader *reader)
{
	struct pd_build_id_entry entry;
	struct pd_build_ids it;
	struct pd_cursor c;

	if (!pd_reader_feature(reader, PD_FEATURE_BUILD_ID, &c))
		return;
	pd_build_ids_init(&it, &c);
	while (pd_build_ids_next(&it, &entry, NULL) > 0) {
		if (rpt_timeline_take_kernel_id(tl, entry.misc, &entry.id))
			return;
	}
}

/* Set the build-ids of the BUILD_ID section; a damaged rest is skipped. */
static void load_build_ids(struct rpt_timeline *tl,
			   const struct pd_reader *reader)
{
	struct pd_build_id_entry entry;
	struct pd_build_ids it;
	struct pd_cursor c;

	if (!pd_reader_feature(reader, PD_FEATURE_BUILD_ID, &c))
		return;
	pd_build_ids_init(&it, &c);
	while (pd_build_ids_next(&it, &entry, NULL) > 0)
		rpt_timeline_set_build_id(tl, entry.misc, &entry.id);
}

static bool has_monotonic_times(const struct pd_reader *reader)
{
	const struct pd_event_set *events = pd_reader_events(reader);
	bool is_monotonic = events->nr && !events->is_file_ordered;

	for (size_t i = 0; i < events->nr && is_monotonic; i++)
		is_monotonic =
			events->events[i].attr.flags & PD_ATTR_USE_CLOCKID &&
			events->events[i].attr.clockid == CLOCK_MONOTONIC;
	return is_monotonic;
}

static void set_origin(struct rpt_symbols *symbols,
		       const struct pd_reader *reader)
{
	char *release =
		pd_str_dup(pd_reader_string(reader, PD_FEATURE_OSRELEASE));
	char *machine = pd_str_dup(pd_reader_string(reader, PD_FEATURE_ARCH));

	rpt_symbols_set_origin(symbols, release, machine);
	free(release);
	free(machine);
}

/* A damaged section counts as missing. */
static void take_carried_texts(struct rpt_symbols *symbols,
			       const struct pd_reader *reader, uint32_t file_nr)
{
	struct rpt_carried_texts texts = { 0 };
	struct pd_carried_text text;

	if (!pd_reader_carried_text(reader, PD_CARRIED_LINES, &text, NULL))
		pd_carried_lines_read(&text, file_nr, &texts.lines, NULL);
	if (!pd_reader_carried_text(reader, PD_CARRIED_SOURCES, &text, NULL))
		pd_carried_sources_read(&text, &texts.sources, NULL);
	rpt_symbols_set_lines(symbols, &texts);
}

/* Damage to them is in pd_reader_damage() already. */
static int take_carried_names(struct rpt_symbols *symbols,
			      struct pd_reader *reader, struct pd_err *err)
{
	const char *path = symbols->conf.carried;
	struct pd_carried carried;
	bool is_own;
	int rc;

	pd_reader_carried(reader, &carried, NULL);
	rpt_symbols_set_carried(symbols, &carried);
	take_carried_texts(symbols, reader, symbols->carried.file_nr);
	if (!path)
		return 0;
	rc = rpt_carried_file_read(path, reader, &carried, &is_own, err);
	if (!rc)
		rpt_symbols_set_lent(symbols, &carried, is_own);
	return rc;
}

int rpt_timeline_load(struct rpt_timeline *tl, struct pd_reader *reader,
		      struct rpt_file_chunks *chunks, struct pd_err *err)
{
	uint64_t limit, share;
	int rc = read_sideband(tl, reader, chunks, err);

	limit = pd_reader_memory_limit(reader, tl->is_plain);
	share = share_of(pd_reader_memory_limit(reader, false));
	rpt_budget_give(tl->budget, share);
	find_kernel(tl, reader);
	rpt_guest_ids_sort(&tl->guests);
	rpt_gap_marks_sort(&tl->gaps);
	tl->events = pd_reader_events(reader);
	tl->has_monotonic_times = has_monotonic_times(reader);
	if (!rc) {
		set_origin(tl->symbols, reader);
		rc = take_carried_names(tl->symbols, reader, err);
	}
	if (!rc)
		rpt_timeline_finish(tl);
	rpt_budget_give(tl->budget, limit - 2 * share);
	if (rc)
		return rc;
	load_build_ids(tl, reader);
	rpt_symbols_find_kcore(tl->symbols);
	return 0;
}
