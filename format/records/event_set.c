#include "format/records/event_set.h"

#include "format/base/limits.h"
#include "format/file/layout.h"
#include "format/records/sample_id.h"

#include <stdlib.h>

/* An open hash table: slot i holds ids[i], which is of events[owners[i]]. */
struct pd_event_ids {
	uint64_t *ids;
	uint32_t *owners; /* NO_OWNER: the slot is free */
	size_t slot_nr;	  /* a power of two, at least twice used_nr */
	size_t used_nr;
	uint64_t factor; /* of the hash function; odd */
};

#define NO_OWNER    UINT32_MAX
#define FIRST_SLOTS 64u

static size_t slot_of(const struct pd_event_ids *t, uint64_t id)
{
	size_t mask = t->slot_nr - 1;
	size_t slot = (size_t)(id * t->factor >> 32) & mask;

	while (t->owners[slot] != NO_OWNER && t->ids[slot] != id)
		slot = (slot + 1) & mask;
	return slot;
}

static void ids_free(struct pd_event_ids *t)
{
	if (!t)
		return;
	free(t->ids);
	free(t->owners);
	free(t);
}

static struct pd_event_ids *ids_new(size_t slot_nr)
{
	struct pd_event_ids *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->slot_nr = slot_nr;
	/* The address of the table, which differs in each run, hides the factor
	 * from a file whose ids would all fall into one slot. */
	t->factor = ((uint64_t)(uintptr_t)t >> 4 | 1) *
			    UINT64_C(0x9e3779b97f4a7c15) |
		    1;
	t->ids = malloc(slot_nr * sizeof(*t->ids));
	t->owners = malloc(slot_nr * sizeof(*t->owners));
	if (!t->ids || !t->owners) {
		ids_free(t);
		return NULL;
	}
	memset(t->owners, 0xff, slot_nr * sizeof(*t->owners));
	return t;
}

/* Add an id; it belongs to the first event that lists it. */
static void ids_put(struct pd_event_ids *t, uint64_t id, uint32_t owner)
{
	size_t slot = slot_of(t, id);

	if (t->owners[slot] != NO_OWNER)
		return;
	t->ids[slot] = id;
	t->owners[slot] = owner;
	t->used_nr++;
}

static int ids_make_room(struct pd_event_set *set)
{
	struct pd_event_ids *old = set->index, *new;

	if (old && (old->used_nr + 1) * 2 <= old->slot_nr)
		return 0;
	new = ids_new(old ? old->slot_nr * 2 : FIRST_SLOTS);
	if (!new)
		return -ENOMEM;
	for (size_t i = 0; old && i < old->slot_nr; i++)
		if (old->owners[i] != NO_OWNER)
			ids_put(new, old->ids[i], old->owners[i]);
	ids_free(old);
	set->index = new;
	return 0;
}

void pd_event_set_release(struct pd_event_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->nr; i++) {
		struct pd_event *e = &set->events[i];

		free(e->name);
		free(e->unit);
		free(e->ids);
		free(e->group_name);
	}
	free(set->events);
	ids_free(set->index);
	*set = (struct pd_event_set){ .events = NULL };
}

/* Double the array if count is 0 or a power of two, so that one more element
 * fits. */
static void *grow_one(void *array, size_t count, size_t element_len)
{
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? count * 2 : 1, element_len);
}

int pd_event_set_add_id(struct pd_event_set *set, size_t idx, uint64_t id)
{
	struct pd_event *e = &set->events[idx];
	uint64_t *ids;

	if (e->id_nr >= PD_LIMIT_IDS)
		return -EFBIG;
	if (ids_make_room(set))
		return -ENOMEM;
	ids = grow_one(e->ids, e->id_nr, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	e->ids = ids;
	e->ids[e->id_nr++] = id;
	ids_put(set->index, id, (uint32_t)idx);
	return 0;
}

int pd_event_set_add(struct pd_event_set *set, const struct pd_attr *attr,
		     const struct pd_u64s *ids, struct pd_err *err)
{
	struct pd_event *events, *e;
	int rc;

	if (set->nr >= PD_LIMIT_EVENTS)
		return pd_err_set(err, -EFBIG, "more than %u events",
				  PD_LIMIT_EVENTS);
	events = grow_one(set->events, set->nr, sizeof(*events));
	if (!events)
		return pd_err_set(err, -ENOMEM, "out of memory");
	set->events = events;
	e = &events[set->nr];
	*e = (struct pd_event){
		.attr = *attr,
		.scale = 1.0,
		.leader_idx = (uint32_t)set->nr,
		.member_nr = 1,
	};
	pd_sample_layout_init(&e->layout, attr);
	if (!set->nr) {
		set->sample_id_off = e->layout.id_off;
		set->other_id_off_back = e->layout.id_off_back;
		set->sample_time_off = e->layout.time_off;
	}
	if (set->sample_time_off != e->layout.time_off ||
	    e->layout.time_off < 0)
		set->sample_time_off = 0;
	set->nr++;
	set->asks_build_ids |= (attr->flags & PD_ATTR_BUILD_ID) != 0;
	for (size_t i = 0; ids && i < ids->nr; i++) {
		rc = pd_event_set_add_id(set, set->nr - 1, pd_u64s_at(ids, i));
		if (rc)
			return pd_err_set(err, rc, "too many event ids");
	}
	return 0;
}

struct pd_event *pd_event_set_by_id(const struct pd_event_set *set, uint64_t id)
{
	size_t slot;

	if (!set->index)
		return NULL;
	slot = slot_of(set->index, id);
	if (set->index->owners[slot] == NO_OWNER)
		return NULL;
	return &set->events[set->index->owners[slot]];
}

/* Return the offset of the id in the record; -1 if it has none. */
static long id_off_of(const struct pd_event_set *set,
		      const struct pd_record *rec)
{
	long off;

	if (rec->type == PD_RECORD_SAMPLE)
		off = set->sample_id_off;
	else if (set->other_id_off_back < 0)
		return -1;
	else
		off = (long)rec->len - set->other_id_off_back;
	if (off < (long)PD_RECORD_HEADER_LEN || off + 8 > (long)rec->len)
		return -1;
	return off;
}

struct pd_event *pd_event_set_of_record(const struct pd_event_set *set,
					const struct pd_record *rec)
{
	uint64_t id;
	long off;

	if (!set->nr || rec->type >= PD_RECORD_USER_START)
		return NULL;
	if (set->nr == 1)
		return &set->events[0];
	off = id_off_of(set, rec);
	if (off < 0)
		return rec->type == PD_RECORD_SAMPLE ? NULL : &set->events[0];
	id = pd_record_word(rec, (int)off);
	return id ? pd_event_set_by_id(set, id) : &set->events[0];
}

void pd_event_set_end_record(const struct pd_event_set *set,
			     struct pd_record *rec)
{
	size_t id_len = set->nr ? set->events[0].layout.id_len : 0;

	if (!set->nr || rec->len < PD_RECORD_HEADER_LEN ||
	    !pd_record_may_be_long(rec->type))
		return;
	for (size_t i = 1; i < set->nr; i++)
		if (set->events[i].layout.id_len != id_len)
			return;
	rec->len = pd_record_own_len(rec->type, rec->data, rec->len, id_len);
}

static bool has_data_at(const struct pd_sample_layout *l, int off)
{
	return l->time_off == off ||
	       (l->sample_type & PD_SAMPLE_RAW &&
		off >= (int)PD_RECORD_HEADER_LEN + l->fixed_len);
}

bool pd_event_set_has_data_for_id(const struct pd_event_set *set)
{
	for (size_t i = 0; i < set->nr && set->nr > 1; i++)
		if (set->sample_id_off >= 0 &&
		    has_data_at(&set->events[i].layout, set->sample_id_off))
			return true;
	return false;
}

uint64_t pd_event_set_time_of(const struct pd_event_set *set,
			      const struct pd_record *rec)
{
	const struct pd_event *e = pd_event_set_of_record(set, rec);
	long off;

	if (!e)
		return 0;
	if (rec->type == PD_RECORD_SAMPLE)
		return pd_sample_time_of(&e->layout, rec);
	if (e->layout.time_off_back < 0)
		return 0;
	off = (long)rec->len - e->layout.time_off_back;
	return off < (long)PD_RECORD_HEADER_LEN ? 0
						: pd_record_word(rec, (int)off);
}

uint16_t pd_event_set_misc(const struct pd_event_set *set,
			   const struct pd_record *rec)
{
	enum { LEN_OFF = 40, SHA1_LEN = 20, MD5_LEN = 16 };
	uint8_t len;

	if (rec->type != PD_RECORD_MMAP2 || set->asks_build_ids)
		return rec->misc;
	len = rec->len > LEN_OFF ? rec->data[LEN_OFF] : 0;
	return len == SHA1_LEN || len == MD5_LEN
		       ? rec->misc
		       : rec->misc & (uint16_t)~PD_MISC_MMAP_BUILD_ID;
}
