/* event_set.h: the events of one file, and which one a record belongs to.
 *
 * One struct pd_event per attr of the file, in file order; that order is the
 * event's index everywhere.  A record of a file with several events names its
 * event by id: at a fixed place in samples, at a fixed place from the end in
 * other records.  FORMAT.md "Whose record is it".
 */
#ifndef PD_EVENT_SET_H
#define PD_EVENT_SET_H

#include "format/attr.h"
#include "format/sample.h"

/* The first perf release that reads a file, of those that differ in what they
 * take: 6.1 refuses an attr of more than 128 bytes, 6.12 one of more than 136,
 * COMPRESSED2 and record types that it does not know.  No perf prints of a file
 * what an older one would have. */
enum pd_perf {
	PD_PERF_6_1,
	PD_PERF_6_12,
	PD_PERF_7_2,
};

struct pd_event {
	struct pd_attr attr;
	struct pd_sample_layout layout;
	char *name; /* owned; NULL where the file does not say */
	char *unit; /* owned; NULL without EVENT_UPDATE */
	double scale;
	uint64_t *ids; /* owned */
	size_t id_nr;
	uint32_t leader_idx; /* own index where it leads or stands alone */
	uint32_t member_nr; /* of the group it leads, itself included; else 1 */
	char *group_name;   /* owned; of the leader */
	enum pd_perf needed_perf; /* by the file: the same for all its events */
};

struct pd_event_set {
	struct pd_event *events; /* owned */
	size_t nr;
	struct pd_event_ids *index; /* id -> event; owned */
	int sample_id_off; /* where samples have their id; -1: nowhere */
	int other_id_off_back;
	int sample_time_off; /* where all samples have their time; 0: nowhere,
			      * or not all in the same place */
	/* Records count in the order of the file, whatever times they have:
	 * that of a file whose first event has no sample_id_all.  perf reads it
	 * so, since most records that are no samples have no time.  A pipe's
	 * records are always in the order of time. */
	bool is_file_ordered;
	bool asks_build_ids; /* some event does, of the kernel for MMAP2 */
};

void pd_event_set_release(struct pd_event_set *set);

/* Adds an event; attr and ids are copied.  0, -ENOMEM or -EFBIG. */
int pd_event_set_add(struct pd_event_set *set, const struct pd_attr *attr,
		     const struct pd_u64s *ids, struct pd_err *err);

/* PD_PERF_6_1 without events. */
static inline enum pd_perf
pd_event_set_needed_perf(const struct pd_event_set *set)
{
	return set->nr ? set->events[0].needed_perf : PD_PERF_6_1;
}

/* One more id for event idx (pipe mode, ID_INDEX). */
int pd_event_set_add_id(struct pd_event_set *set, size_t idx, uint64_t id);

/* The event of an id; NULL if none has it. */
struct pd_event *pd_event_set_by_id(const struct pd_event_set *set,
				    uint64_t id);

/* The event that rec belongs to: the only one there is; or by id; id 0 is the
 * first event's.  NULL: no event has that id, or the record is of a type from
 * PD_RECORD_USER_START up, which belong to none. */
struct pd_event *pd_event_set_of_record(const struct pd_event_set *set,
					const struct pd_record *rec);

/* Ends a record of a kind that may be too long (sample_id.h) where its trailer
 * does, if that has one length in all events. */
void pd_event_set_end_record(const struct pd_event_set *set,
			     struct pd_record *rec);

/* True if what samples have where the id is looked for is the time of some
 * event, or can be its raw data: two have their ids at different places, which
 * no recorder writes. */
bool pd_event_set_has_data_for_id(const struct pd_event_set *set);

/* The time of a record in ns, without decoding the rest; 0 where it has
 * none. */
uint64_t pd_event_set_time_of(const struct pd_event_set *set,
			      const struct pd_record *rec);

/* The same of a sample, whose event is not asked for where that does not
 * matter: then it need not be one of the file's. */
static inline uint64_t
pd_event_set_time_of_sample(const struct pd_event_set *set,
			    const struct pd_record *rec)
{
	return !set->sample_time_off
		       ? pd_event_set_time_of(set, rec)
		       : pd_record_word(rec, set->sample_time_off);
}

/* rec->misc without the bit of MMAP2 that is another recorder's: FORMAT.md
 * "Records".  Who wants the build-id reads the body of a record with this. */
uint16_t pd_event_set_misc(const struct pd_event_set *set,
			   const struct pd_record *rec);

/* What decides before the place in the file which of two records came first:
 * the time; 0 where there is none, where it is ~0, and with is_file_ordered. */
static inline uint64_t pd_event_set_order(const struct pd_event_set *set,
					  uint64_t time_ns)
{
	return set->is_file_ordered || time_ns == UINT64_MAX ? 0 : time_ns;
}

#endif
