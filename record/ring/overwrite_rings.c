#include "record/ring/overwrite_rings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

int rec_overwrite_rings_map(struct rec_overwrite_rings *ret,
			    const struct rec_open_set *open, size_t data_len,
			    struct pd_err *err)
{
	int rc;

	*ret = (struct rec_overwrite_rings){ .copy = NULL };
	rc = rec_ring_set_map(&ret->set, open, true, data_len, err);
	if (rc)
		return rc;
	ret->seen = calloc(ret->set.nr + 1, sizeof(*ret->seen));
	ret->copy = malloc(data_len);
	if (ret->seen && ret->copy)
		return 0;
	rec_overwrite_rings_unmap(ret);
	return pd_err_set(err, -ENOMEM, "out of memory");
}

void rec_overwrite_rings_unmap(struct rec_overwrite_rings *rings)
{
	rec_ring_set_unmap(&rings->set);
	free(rings->seen);
	free(rings->copy);
	*rings = (struct rec_overwrite_rings){ .copy = NULL };
}

/* Return what was written from head up to seen at most. */
static struct rec_ring written(const uint8_t *data, size_t data_len,
			       uint64_t head, uint64_t seen)
{
	const uint64_t len = seen - head < data_len ? seen - head : data_len;

	return (struct rec_ring){ .data = data,
				  .data_len = data_len,
				  .upto = head % 8 ? head : head + len };
}

size_t rec_overwrite_rings_copy(const uint8_t *data, size_t data_len,
				uint64_t head, uint64_t seen, uint8_t *copy)
{
	const struct rec_ring ring = written(data, data_len, head, seen);
	struct rec_record_header header;
	size_t at = data_len;

	for (uint64_t pos = head; rec_ring_header(&ring, pos, &header);
	     pos += header.len) {
		at -= header.len;
		rec_ring_copy(&ring, pos, header.len, copy + at);
	}
	return at;
}

static uint64_t head_of(const struct rec_ring *ring)
{
	return __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
}

static void look(const struct rec_overwrite_rings *rings, size_t idx,
		 const struct rec_sample_layouts *layouts)
{
	uint64_t pos = head_of(&rings->set.rings[idx]);
	const struct rec_ring ring =
		written(rings->set.rings[idx].data, rings->set.data_len, pos,
			rings->seen[idx]);
	struct rec_record_header header;

	for (; rec_ring_header(&ring, pos, &header); pos += header.len)
		if (rec_code_ranges_want(header.type))
			rec_sample_layouts_see(layouts, &ring, pos, true);
}

static int take_one(struct rec_overwrite_rings *rings, size_t idx,
		    rec_overwrite_rings_fn *take, void *ctx)
{
	const struct rec_ring *ring = &rings->set.rings[idx];
	size_t data_len = rings->set.data_len;
	uint64_t head = head_of(ring);
	size_t at = rec_overwrite_rings_copy(ring->data, data_len, head,
					     rings->seen[idx], rings->copy);

	rings->seen[idx] = head;
	/* A kernel that cannot pause (before 4.7) cannot write backwards
	 * either; to resume a ring that was not paused is harmless. */
	ioctl(rings->set.maps[idx].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	return at == data_len ? 0 : take(ctx, rings->copy + at, data_len - at);
}

int rec_overwrite_rings_take(struct rec_overwrite_rings *rings,
			     const struct rec_sample_layouts *layouts,
			     rec_overwrite_rings_fn *take, void *ctx)
{
	int rc = 0;

	for (size_t i = 0; i < rings->set.nr; i++)
		ioctl(rings->set.maps[i].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	for (size_t i = 0; i < rings->set.nr && layouts->code; i++)
		look(rings, i, layouts);
	for (size_t i = 0; i < rings->set.nr; i++) {
		int failed = take_one(rings, i, take, ctx);

		if (!rc)
			rc = failed;
	}
	return rc;
}
