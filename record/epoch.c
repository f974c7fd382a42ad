#include "record/epoch.h"

void rec_epoch_init(struct rec_epoch *epoch, struct rec_ring *rings,
		    size_t ring_nr)
{
	*epoch = (struct rec_epoch){ .rings = rings, .ring_nr = ring_nr };
}

int rec_epoch_begin(struct rec_epoch *epoch, struct pd_err *err)
{
	size_t pending_nr = 0;
	int code = 0;

	epoch->seq++;
	epoch->bytes_len = 0;
	for (size_t i = 0; i < epoch->ring_nr; i++) {
		struct rec_ring *ring = &epoch->rings[i];
		int failed = rec_ring_load(ring, err);

		if (failed)
			code = failed;
		epoch->bytes_len += rec_ring_left(ring);
		pending_nr += rec_ring_left(ring) > 0;
	}
	__atomic_store_n(&epoch->pending_nr, pending_nr, __ATOMIC_RELAXED);
	__atomic_store_n(&epoch->next_idx, 0, __ATOMIC_RELEASE);
	return code;
}

struct rec_ring *rec_epoch_take(struct rec_epoch *epoch)
{
	for (;;) {
		size_t idx = __atomic_fetch_add(&epoch->next_idx, 1,
						__ATOMIC_ACQ_REL);

		if (idx >= epoch->ring_nr)
			return NULL;
		if (rec_ring_left(&epoch->rings[idx]))
			return &epoch->rings[idx];
	}
}

bool rec_epoch_done(struct rec_epoch *epoch)
{
	return __atomic_sub_fetch(&epoch->pending_nr, 1, __ATOMIC_ACQ_REL) == 0;
}
