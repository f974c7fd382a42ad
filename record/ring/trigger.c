#include "record/ring/trigger.h"

#include <string.h>
#include <unistd.h>

#include "format/file/layout.h"
#include "record/event/attr_config.h"

static int configure(struct rec_event_list *list, struct pd_err *err)
{
	const struct rec_attr_options opts = { .target = REC_TARGET_SYSTEM,
					       .period = 1,
					       .no_buffering = true,
					       .no_bpf_event = true };
	struct rec_attr_host host;
	size_t nr = list->nr;
	int rc;

	rec_attr_host_read(&host, "/proc");
	rc = rec_attr_config(list, &opts, &host, NULL, err);
	/* No map records are needed. */
	rec_event_list_truncate(list, nr);
	return rc;
}

int rec_trigger_open(struct rec_trigger *ret, struct rec_event_list *list,
		     struct pd_err *err)
{
	const struct rec_target_spec all = { .system_wide = true };
	struct rec_open_conf conf = { .target = &ret->target };
	int rc = configure(list, err);

	if (!rc)
		rc = rec_target_init(&ret->target, &all, err);
	if (!rc)
		rc = rec_open_set_open(&ret->open, list, &conf, err);
	if (!rc)
		rc = rec_ring_set_map(&ret->rings, &ret->open, false,
				      (size_t)sysconf(_SC_PAGESIZE), err);
	return rc;
}

int rec_trigger_start(const struct rec_trigger *trigger, struct pd_err *err)
{
	return rec_open_set_enable(&trigger->open, true, err);
}

bool rec_trigger_take(struct rec_trigger *trigger)
{
	bool found = false;

	for (size_t i = 0; i < trigger->rings.nr; i++) {
		struct rec_ring *ring = &trigger->rings.rings[i];

		if (rec_ring_load(ring, NULL))
			continue;
		found |= rec_ring_left(ring) > 0;
		rec_ring_consume(ring);
	}
	return found;
}

void rec_trigger_close(struct rec_trigger *trigger)
{
	rec_ring_set_unmap(&trigger->rings);
	rec_open_set_close(&trigger->open);
	rec_target_release(&trigger->target);
}
