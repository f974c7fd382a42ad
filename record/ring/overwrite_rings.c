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

struct header {
	uint32_t type;
	uint16_t misc;
	uint16_t len;
};

/* len bytes from position pos of the ring. */
static void copy_out(const uint8_t *data, size_t data_len, uint64_t pos,
		     uint8_t *ret, size_t len)
{
	size_t start = (size_t)(pos & (data_len - 1));
	size_t to_end = data_len - start;
	size_t first = len < to_end ? len : to_end;

	memcpy(ret, data + start, first);
	memcpy(ret + first, data, len - first);
}

size_t rec_overwrite_rings_copy(const uint8_t *data, size_t data_len,
				uint64_t head, uint64_t seen, uint8_t *copy)
{
	uint64_t left = seen - head;
	uint64_t pos = head;
	size_t at = data_len;

	if (head % 8)
		return data_len;
	if (left > data_len)
		left = data_len;
	while (left >= sizeof(struct header)) {
		struct header header;

		copy_out(data, data_len, pos, (uint8_t *)&header,
			 sizeof(header));
		if (header.len < sizeof(header) || header.len % 8 ||
		    header.len > left)
			break;
		at -= header.len;
		copy_out(data, data_len, pos, copy + at, header.len);
		pos += header.len;
		left -= header.len;
	}
	return at;
}

static int take_one(struct rec_overwrite_rings *rings, size_t idx,
		    rec_overwrite_rings_fn *take, void *ctx)
{
	const struct rec_ring *ring = &rings->set.rings[idx];
	size_t data_len = rings->set.data_len;
	uint64_t head =
		__atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
	size_t at = rec_overwrite_rings_copy(ring->data, data_len, head,
					     rings->seen[idx], rings->copy);

	rings->seen[idx] = head;
	/* A kernel that cannot pause (before 4.7) cannot write backwards
	 * either; to let a ring go on that was not paused does no harm. */
	ioctl(rings->set.maps[idx].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	return at == data_len ? 0 : take(ctx, rings->copy + at, data_len - at);
}

int rec_overwrite_rings_take(struct rec_overwrite_rings *rings,
			     rec_overwrite_rings_fn *take, void *ctx)
{
	int rc = 0;

	for (size_t i = 0; i < rings->set.nr; i++)
		ioctl(rings->set.maps[i].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	for (size_t i = 0; i < rings->set.nr; i++) {
		int failed = take_one(rings, i, take, ctx);

		if (!rc)
			rc = failed;
	}
	return rc;
}
