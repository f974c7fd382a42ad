#include "record/ring/overwrite_rings.h"

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_len(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static struct rec_overwrite_rings_ring *
find_ring(const struct rec_overwrite_rings *flight,
	  const struct rec_open_fd *fd)
{
	for (size_t i = 0; i < flight->nr; i++) {
		struct rec_overwrite_rings_ring *ring = &flight->rings[i];

		if (rec_open_fd_is_of(fd, ring->cpu, ring->tid))
			return ring;
	}
	return NULL;
}

/* That it may not be written tells the kernel to overwrite it. */
static int map_one(struct rec_overwrite_rings *flight,
		   const struct rec_open_fd *fd)
{
	struct rec_overwrite_rings_ring *ring = &flight->rings[flight->nr];

	ring->map_len = page_len() + flight->data_len;
	ring->base =
		mmap(NULL, ring->map_len, PROT_READ, MAP_SHARED, fd->fd, 0);
	if (ring->base == MAP_FAILED)
		return -errno;
	ring->cpu = fd->cpu;
	ring->tid = fd->tid;
	ring->fd = fd->fd;
	ring->seen = 0;
	flight->nr++;
	return 0;
}

static int map_all(struct rec_overwrite_rings *flight,
		   const struct rec_open_set *open)
{
	for (size_t i = 0; i < open->nr; i++) {
		const struct rec_open_fd *fd = &open->fds[i];
		const struct rec_overwrite_rings_ring *ring;
		int code = 0;

		if (!fd->is_backward)
			continue;
		ring = find_ring(flight, fd);
		if (!ring)
			code = map_one(flight, fd);
		else if (ioctl(fd->fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd))
			code = -errno;
		if (code)
			return code;
	}
	return 0;
}

static void unmap_all(struct rec_overwrite_rings *flight)
{
	assert(flight->rings || !flight->nr);
	for (size_t i = 0; i < flight->nr; i++)
		munmap(flight->rings[i].base, flight->rings[i].map_len);
	flight->nr = 0;
}

int rec_overwrite_rings_map(struct rec_overwrite_rings *ret,
			    const struct rec_open_set *open, size_t data_len,
			    struct pd_err *err)
{
	int code;

	*ret = (struct rec_overwrite_rings){ .data_len = data_len };
	ret->rings = calloc(open->nr + 1, sizeof(*ret->rings));
	ret->copy = malloc(data_len);
	code = ret->rings && ret->copy ? map_all(ret, open) : -ENOMEM;
	while ((code == -EPERM || code == -ENOMEM) && ret->copy && ret->rings &&
	       ret->data_len > page_len()) {
		unmap_all(ret);
		ret->data_len /= 2;
		code = map_all(ret, open);
	}
	if (!code)
		return 0;
	rec_overwrite_rings_unmap(ret);
	pd_err_set(err, code, "mapping the rings: %s", strerror(-code));
	if (code == -EPERM)
		pd_err_hint(err, "raise ulimit -l or the sysctl kernel."
				 "perf_event_mlock_kb, or get CAP_IPC_LOCK");
	return code;
}

void rec_overwrite_rings_unmap(struct rec_overwrite_rings *flight)
{
	unmap_all(flight);
	free(flight->rings);
	free(flight->copy);
	*flight = (struct rec_overwrite_rings){ 0 };
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

static int take_one(struct rec_overwrite_rings *flight,
		    struct rec_overwrite_rings_ring *ring,
		    rec_overwrite_rings_fn *take, void *ctx)
{
	const struct perf_event_mmap_page *control = ring->base;
	const uint8_t *data = (const uint8_t *)ring->base + page_len();
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	size_t at = rec_overwrite_rings_copy(data, flight->data_len, head,
					     ring->seen, flight->copy);

	ring->seen = head;
	/* Where the kernel cannot pause (before 4.7) it cannot write backwards
	 * either; that it goes on where it was not paused does no harm. */
	ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	if (at == flight->data_len)
		return 0;
	return take(ctx, flight->copy + at, flight->data_len - at, ring->cpu);
}

int rec_overwrite_rings_take(struct rec_overwrite_rings *flight,
			     rec_overwrite_rings_fn *take, void *ctx)
{
	int code = 0;

	for (size_t i = 0; i < flight->nr; i++)
		ioctl(flight->rings[i].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	for (size_t i = 0; i < flight->nr; i++) {
		int failed = take_one(flight, &flight->rings[i], take, ctx);

		if (failed && !code)
			code = failed;
	}
	return code;
}
