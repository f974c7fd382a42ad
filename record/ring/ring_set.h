/* ring_set.h: the mapped rings of all CPUs (or threads) of a recording.
 *
 * There is one ring per CPU, or per thread if events follow threads (cpu -1).
 * The first event opened there owns the ring; PERF_EVENT_IOC_SET_OUTPUT
 * redirects the others to it, as in perf.  Events that are written backwards
 * have a set of their own (overwrite_rings.h).
 */
#ifndef REC_RING_SET_H
#define REC_RING_SET_H

#include "record/targets/event_open.h"
#include "record/ring/ring.h"

struct rec_ring_map {
	void *base; /* mmap'ed */
	size_t map_len;
	int cpu;
	pid_t tid;
	int fd; /* of the open set */
};

struct rec_ring_set {
	struct rec_ring *rings;	   /* owned */
	struct rec_ring_map *maps; /* owned, of the same index */
	size_t nr;
	size_t data_len; /* of each ring */
	int short_rc;	 /* why they are smaller than requested; 0: not */
};

enum { REC_RING_LEN_DEFAULT = 512 * 1024 };

/* Map rings of data_len bytes (a power of two, at least a page) for the events
 * that are written backwards, or for the others.  If the memory limit forbids
 * that, halve the length until it fits.  Return -EPERM if not even a page is
 * allowed; the hint says how much is. */
int rec_ring_set_map(struct rec_ring_set *ret, const struct rec_open_set *open,
		     bool backward, size_t data_len, struct pd_err *err);
void rec_ring_set_unmap(struct rec_ring_set *set);

/* Parse -m: "64" pages, or "1M"; rounded up to a power of two of pages.  Return
 * -EINVAL if it is malformed. */
int rec_ring_len_parse(const char *text, uint64_t *ret_len, struct pd_err *err);

#endif
