#include "record/ring/epoch.h"

#include <errno.h>
#include <stdlib.h>

int rec_epoch_init(struct rec_epoch *epoch, struct rec_ring_reader *readers,
		   size_t reader_nr)
{
	*epoch = (struct rec_epoch){ .readers = readers,
				     .reader_nr = reader_nr };
	epoch->slots = calloc(reader_nr + 1, sizeof(*epoch->slots));
	return epoch->slots ? 0 : -ENOMEM;
}

void rec_epoch_free(struct rec_epoch *epoch)
{
	free(epoch->slots);
	epoch->slots = NULL;
}

void rec_epoch_pin(struct rec_epoch *epoch, size_t idx, uint32_t thread)
{
	epoch->slots[idx].pin = epoch->slots[idx].claim = thread;
}

int rec_epoch_begin(struct rec_epoch *epoch, struct pd_err *err)
{
	int rc = 0;

	epoch->seq++;
	epoch->bytes_len = epoch->pending_nr = 0;
	epoch->fill = 0;
	for (size_t i = 0; i < epoch->reader_nr; i++) {
		unsigned fill;
		size_t len;
		int failed =
			rec_ring_reader_begin(&epoch->readers[i], &len, err);

		if (failed)
			rc = failed;
		fill = rec_ring_reader_fill(&epoch->readers[i]);
		if (fill > epoch->fill)
			epoch->fill = fill;
		epoch->bytes_len += len;
		epoch->pending_nr += len > 0;
		epoch->slots[i].is_pending = len > 0;
	}
	return rc;
}

void rec_epoch_look(struct rec_epoch *epoch,
		    const struct rec_sample_layouts *layouts)
{
	for (size_t i = 0; i < epoch->reader_nr && layouts->code; i++)
		rec_ring_reader_look(&epoch->readers[i], layouts);
}

static struct rec_ring_reader *take_own(struct rec_epoch *epoch,
					struct rec_epoch_cursor *cursor)
{
	while (cursor->own_idx < epoch->reader_nr) {
		size_t idx = cursor->own_idx++;
		struct rec_epoch_slot *slot = &epoch->slots[idx];

		if (slot->is_pending &&
		    __atomic_load_n(&slot->claim, __ATOMIC_RELAXED) ==
			    cursor->thread)
			return &epoch->readers[idx];
	}
	return NULL;
}

struct rec_ring_reader *rec_epoch_take(struct rec_epoch *epoch,
				       struct rec_epoch_cursor *cursor)
{
	struct rec_ring_reader *reader = take_own(epoch, cursor);

	while (!reader && cursor->any_idx < epoch->reader_nr) {
		size_t idx = cursor->any_idx++;
		struct rec_epoch_slot *slot = &epoch->slots[idx];
		uint32_t nobody = REC_EPOCH_NOBODY;

		if (slot->is_pending &&
		    __atomic_compare_exchange_n(
			    &slot->claim, &nobody, cursor->thread, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			reader = &epoch->readers[idx];
	}
	return reader;
}

bool rec_epoch_is_kept(const struct rec_epoch *epoch, uint32_t beside)
{
	for (size_t i = 0; i < epoch->reader_nr; i++) {
		uint32_t claim = __atomic_load_n(&epoch->slots[i].claim,
						 __ATOMIC_RELAXED);

		if (claim != epoch->slots[i].pin && claim != beside)
			return true;
	}
	return false;
}

void rec_epoch_note(struct rec_epoch *epoch,
		    const struct rec_ring_reader *reader, uint64_t frame)
{
	epoch->slots[reader - epoch->readers].frame = frame;
}

void rec_epoch_release(struct rec_epoch *epoch, uint32_t thread,
		       uint64_t open_frame)
{
	for (size_t i = 0; i < epoch->reader_nr; i++) {
		struct rec_epoch_slot *slot = &epoch->slots[i];

		if (__atomic_load_n(&slot->claim, __ATOMIC_RELAXED) == thread &&
		    slot->frame != open_frame)
			__atomic_store_n(&slot->claim, slot->pin,
					 __ATOMIC_RELAXED);
	}
}
