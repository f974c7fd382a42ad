/* event_set.h: the events of one file, and which one a record belongs to.
 *
 * There is one struct pd_event for each attr of the file, in the order of the
 * file; its place is the index of the event everywhere.  If there are several
 * events, a record names its event by id: at a fixed place in samples, at a
 * fixed distance from the end in other records.  FORMAT.md "Whose record is
 * it".
 */
#ifndef PD_EVENT_SET_H
#define PD_EVENT_SET_H

#include "format/file/attr.h"
#include "format/records/sample.h"

/* The oldest of these perf releases that reads a file.  6.1 refuses an attr of
 * more than 128 bytes; 6.12 refuses one of more than 136, COMPRESSED2 and
 * record types that it does not know.  A file is printed as this release
 * prints it. */
enum pd_perf {
	PD_PERF_6_1,
	PD_PERF_6_12,
	PD_PERF_7_2,
};

struct pd_event {
	struct pd_attr attr;
	struct pd_sample_layout layout;
	char *name; /* owned; NULL if the file does not have it */
	char *unit; /* owned; NULL without EVENT_UPDATE */
	double scale;
	uint64_t *ids; /* owned */
	size_t id_nr;
	uint32_t leader_idx; /* its own index if it leads or is in no group */
	uint32_t
		member_nr; /* of the group that it leads, with itself; else 1 */
	char *group_name;  /* owned; of the leader */
	enum pd_perf needed_perf; /* the same for all events of a file */
	bool is_unwound; /* what stands behind the last PERF_CONTEXT_USER of its
			  * call chains was found in copies of the stack */
};

struct pd_event_set {
	struct pd_event *events; /* owned */
	size_t nr;
	struct pd_event_ids *index; /* id -> event; owned */
	int sample_id_off;     /* of the id in samples; -1: it is not there */
	int other_id_off_back; /* of the id in others, from the end; or -1 */
	int sample_time_off;   /* of the time in samples; 0: it is not there, or
				* not in the same place in all events */
	/* Records are read in the order of the file, whatever their times: the
	 * first event has no sample_id_all, so that most records other than
	 * samples have no time.  perf does the same.  The records of a pipe are
	 * always sorted by time. */
	bool is_file_ordered;
	bool asks_build_ids; /* some event asked for them in MMAP2 */
};

/* Return whether some event has one of these PD_SAMPLE_*. */
static inline bool pd_event_set_has(const struct pd_event_set *set,
				    uint64_t sample_type)
{
	for (size_t i = 0; i < set->nr; i++)
		if (set->events[i].attr.sample_type & sample_type)
			return true;
	return false;
}

void pd_event_set_release(struct pd_event_set *set);

/* Add an event; attr and ids are copied.  Return 0, -ENOMEM or -EFBIG. */
int pd_event_set_add(struct pd_event_set *set, const struct pd_attr *attr,
		     const struct pd_u64s *ids, struct pd_err *err);

/* Return needed_perf of the file; PD_PERF_6_1 without events. */
static inline enum pd_perf
pd_event_set_needed_perf(const struct pd_event_set *set)
{
	return set->nr ? set->events[0].needed_perf : PD_PERF_6_1;
}

/* Add one more id to event idx (of a pipe, or of ID_INDEX). */
int pd_event_set_add_id(struct pd_event_set *set, size_t idx, uint64_t id);

/* Return the event of an id; NULL if none has it. */
struct pd_event *pd_event_set_by_id(const struct pd_event_set *set,
				    uint64_t id);

/* Return the event that rec belongs to: the only one there is, or the one that
 * has its id; id 0 is the first event's.  Return NULL if no event has that id,
 * and for types from PD_RECORD_USER_START up. */
struct pd_event *pd_event_set_of_record(const struct pd_event_set *set,
					const struct pd_record *rec);

/* Shorten a record of a type that may be too long (sample_id.h) to the end of
 * its trailer, if that has the same length in all events. */
void pd_event_set_end_record(const struct pd_event_set *set,
			     struct pd_record *rec);

/* Return true if some event has its time, or may have raw data, where the id of
 * a sample is looked for: two events have their ids at different places, which
 * no recorder writes. */
bool pd_event_set_has_data_for_id(const struct pd_event_set *set);

/* Return the time of a record in ns, without decoding the rest; 0 if it has
 * none. */
uint64_t pd_event_set_time_of(const struct pd_event_set *set,
			      const struct pd_record *rec);

/* Return the time of a sample.  Its event is not looked up if all events have
 * their time in the same place, so that it may then be of no event. */
static inline uint64_t
pd_event_set_time_of_sample(const struct pd_event_set *set,
			    const struct pd_record *rec)
{
	return !set->sample_time_off
		       ? pd_event_set_time_of(set, rec)
		       : pd_record_word(rec, set->sample_time_off);
}

/* Return rec->misc without the flag of a build-id in MMAP2 if another recorder
 * asked for it: FORMAT.md "Records".  Read the body with this misc. */
uint16_t pd_event_set_misc(const struct pd_event_set *set,
			   const struct pd_record *rec);

/* Return by what records are sorted before their place in the file: the time; 0
 * if there is none, if it is ~0, and with is_file_ordered. */
static inline uint64_t pd_event_set_order(const struct pd_event_set *set,
					  uint64_t time_ns)
{
	return set->is_file_ordered || time_ns == UINT64_MAX ? 0 : time_ns;
}

#endif
