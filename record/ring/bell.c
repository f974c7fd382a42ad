#include "record/ring/bell.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* A program takes so long to map its files, and is looked for so often and so
 * long. */
#define START_NS UINT64_C(20000000)
#define LOOK_NS	 UINT64_C(250000000)
#define WHILE_NS UINT64_C(2000000000)

static int open_events(struct rec_bell *bell, const struct rec_target *target)
{
	struct rec_open_conf conf = { .target = target };
	struct pd_err err = PD_ERR_INIT;
	struct rec_event_list list;
	struct perf_event_attr *attr;
	struct rec_event *event;
	int rc = -ENOMEM;

	rec_event_list_init(&list);
	event = rec_event_append(&list, "bell");
	if (event) {
		event->is_tracking = true;
		attr = &event->attr.sys;
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_DUMMY;
		attr->comm = 1;
		attr->watermark = 1;
		attr->wakeup_watermark = 1;
		attr->write_backward = 1; /* mapped to be overwritten */
		rc = rec_open_set_open(&bell->open, &list, &conf, &err);
	}
	rec_event_list_release(&list);
	return rc;
}

static int watch_rings(struct rec_bell *bell)
{
	struct epoll_event event = { .events = EPOLLIN };

	for (size_t i = 0; i < bell->rings.nr; i++)
		if (epoll_ctl(bell->fd, EPOLL_CTL_ADD, bell->rings.maps[i].fd,
			      &event))
			return -errno;
	return 0;
}

int rec_bell_open(struct rec_bell *ret, const struct rec_target *target)
{
	struct pd_err err = PD_ERR_INIT;
	int rc;

	*ret = (struct rec_bell){ .fd = epoll_create1(EPOLL_CLOEXEC) };
	if (ret->fd < 0)
		return -errno;
	ret->is_on = true;
	rc = open_events(ret, target);
	if (!rc)
		rc = rec_ring_set_map(&ret->rings, &ret->open, true,
				      (size_t)sysconf(_SC_PAGESIZE), &err);
	if (!rc)
		rc = watch_rings(ret);
	if (rc)
		rec_bell_close(ret);
	return rc;
}

void rec_bell_close(struct rec_bell *bell)
{
	if (!bell->is_on)
		return;
	rec_ring_set_unmap(&bell->rings);
	rec_open_set_close(&bell->open);
	close(bell->fd);
	bell->is_on = false;
}

uint64_t rec_bell_due_ns(const struct rec_bell *bell, uint64_t drained_ns)
{
	uint64_t first_ns = bell->rung_ns + START_NS;

	if (!bell->rung_ns)
		return UINT64_MAX;
	return drained_ns + LOOK_NS > first_ns ? drained_ns + LOOK_NS
					       : first_ns;
}

bool rec_bell_is_over(struct rec_bell *bell, uint64_t now_ns)
{
	struct epoll_event event;
	bool rang = false;

	if (!bell->rung_ns || now_ns < bell->rung_ns + WHILE_NS)
		return false;
	/* each call takes the news of one CPU */
	for (size_t i = 0;
	     i < bell->rings.nr && epoll_wait(bell->fd, &event, 1, 0) > 0; i++)
		rang = true;
	bell->rung_ns = rang ? now_ns : 0;
	return !rang;
}
