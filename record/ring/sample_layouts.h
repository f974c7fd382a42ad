/* sample_layouts.h: which event a sample in a ring is of, and its stack copy.
 *
 * For samples with stack copies, and for the rare case that samples are dropped
 * or made smaller under pressure; the drain itself looks at no more than type
 * and time.
 */
#ifndef REC_SAMPLE_LAYOUTS_H
#define REC_SAMPLE_LAYOUTS_H

#include "format/sample.h"
#include "record/targets/event_open.h"

/* What is kept of a stack copy that is cut: its innermost frames. */
enum { REC_STACK_KEPT_LEN = 1024 };

/* Where a record's time stands.  If the events differ in it, frames are said to
 * hold any time at all. */
struct rec_shape {
	int sample_time_off;	  /* from the record's start; -1: none */
	bool sample_times_vary;	  /* not the same place in all events */
	unsigned other_time_back; /* from the record's end; 0: none */
	size_t id_len;		  /* of the trailer of KSYMBOL and BPF_EVENT */
	bool has_build_ids;	  /* we asked for them in MMAP2 */
};

void rec_shape_init(struct rec_shape *ret, const struct rec_event_list *events);

struct rec_sample_layouts {
	struct rec_sample_id *ids;	  /* owned, ascending */
	struct pd_sample_layout *layouts; /* owned, by event */
	size_t id_nr;
	size_t event_nr;
	bool has_stacks; /* of any event */
};

/* -ENOMEM. */
int rec_sample_layouts_init(struct rec_sample_layouts *ret,
			    const struct rec_event_list *events,
			    const struct rec_open_set *open);
void rec_sample_layouts_release(struct rec_sample_layouts *layouts);

/* The index of the event that a PERF_RECORD_SAMPLE is of; 0 if it does not
 * say.  *ret_time_ns: 0 where it has none. */
uint32_t rec_sample_layouts_find(const struct rec_sample_layouts *layouts,
				 const uint8_t *record, size_t len,
				 uint64_t *ret_time_ns);

/* Make the stack copy of a whole sample record no longer than what the kernel
 * found of the stack, and at most max_len (a multiple of 8; UINT64_MAX: as much
 * as there is), in place; the record's new length, len if there is nothing
 * to cut.  The kernel makes each copy as long as was asked for: where the stack
 * ends before that, what follows is whatever lay in the ring. */
size_t rec_sample_cut_stack(const struct rec_sample_layouts *layouts,
			    uint8_t *record, size_t len, uint64_t max_len);

#endif
