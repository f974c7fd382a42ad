/* sample_layouts.h: find the event and the stack copy of a sample in a ring.
 *
 * This is for samples with stack copies, and for the rare case that samples are
 * dropped or cut under pressure; draining itself reads only type and time.
 */
#ifndef REC_SAMPLE_LAYOUTS_H
#define REC_SAMPLE_LAYOUTS_H

#include "format/records/sample.h"
#include "record/ring/code_ranges.h"
#include "record/ring/ring.h"
#include "record/targets/event_open.h"

/* The length of a stack copy that is cut: its innermost frames. */
enum { REC_STACK_KEPT_LEN = 1024 };

/* The position of a record's time.  If it differs between events, frames are
 * marked as containing any time. */
struct rec_shape {
	int sample_time_off;	  /* from the record's start; -1: none */
	bool sample_times_vary;	  /* differs between events */
	bool samples_have_tasks;  /* PID and TID before the time, in all events
				   */
	unsigned other_time_back; /* from the record's end; 0: none */
	size_t id_len;		  /* of the trailer of KSYMBOL and BPF_EVENT */
	bool has_build_ids;	  /* we requested them in MMAP2 */
};

void rec_shape_init(struct rec_shape *ret, const struct rec_event_list *events);

struct rec_sample_layouts {
	struct rec_sample_id *ids;	  /* owned, ascending */
	struct pd_sample_layout *layouts; /* owned, by event; with has_leaf,
					   * of what stands before REGS_USER */
	bool *has_leaf;			  /* owned, by event; rec_event.has_leaf
					   */
	size_t id_nr;
	size_t event_nr;
	bool has_stacks;      /* any event has copies of the stack */
	bool has_long_stacks; /* that are written, but for what is cut */
	bool all_have_leaf;   /* even those whose chain has no caller: as a
			       * rule, code without frame pointers; false at
			       * first */
	struct rec_code_ranges *code; /* owned; NULL: no event has_leaf */
	uint64_t stack_max_len; /* atomic: to which stack copies are cut */
};

/* Return 0, or -ENOMEM. */
int rec_sample_layouts_init(struct rec_sample_layouts *ret,
			    const struct rec_event_list *events,
			    const struct rec_open_set *open);
void rec_sample_layouts_release(struct rec_sample_layouts *layouts);

/* Cut stack copies to at most that from now on; UINT64_MAX: to the program's
 * own stack alone.  Any thread. */
static inline void rec_sample_layouts_limit(struct rec_sample_layouts *layouts,
					    uint64_t len)
{
	__atomic_store_n(&layouts->stack_max_len, len, __ATOMIC_RELAXED);
}
static inline uint64_t
rec_sample_layouts_most(const struct rec_sample_layouts *layouts)
{
	return __atomic_load_n(&layouts->stack_max_len, __ATOMIC_RELAXED);
}

/* Return the index of the event of a PERF_RECORD_SAMPLE; 0 if it has no id.
 * *ret_time_ns is 0 if it has no time. */
uint32_t rec_sample_layouts_find(const struct rec_sample_layouts *layouts,
				 const uint8_t *record, size_t len,
				 uint64_t *ret_time_ns);

/* Return whether a whole sample's event has_leaf. */
bool rec_sample_layouts_has_leaf(const struct rec_sample_layouts *layouts,
				 const uint8_t *record, size_t len);

/* Take the record at pos of the ring, of rec_code_ranges_want(); is_new as for
 * rec_code_ranges_see(). */
void rec_sample_layouts_see(const struct rec_sample_layouts *layouts,
			    const struct rec_ring *ring, uint64_t pos,
			    bool is_new);
/* The same, as new, of all such records from pos on.  Return the end of the
 * last one that is valid.  layouts->code is not NULL. */
uint64_t rec_sample_layouts_look(const struct rec_sample_layouts *layouts,
				 const struct rec_ring *ring, uint64_t pos);

/* Shorten the stack copy of a whole sample record, in place, to the part that
 * is the program's own stack (own_stack.h), and to at most max_len (a multiple
 * of 8; UINT64_MAX: no limit).  Return the record's new length.  The kernel
 * makes each copy as long as requested: if the stack ends before that, the rest
 * is whatever was in the ring.
 *
 * With has_leaf nothing is left of registers and stack but the words of
 * leaf_words.h, which stand behind the fields; none with max_len 0. */
size_t rec_sample_cut_stack(const struct rec_sample_layouts *layouts,
			    uint8_t *record, size_t len, uint64_t max_len);

#endif
