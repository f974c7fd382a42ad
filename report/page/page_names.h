/* page_names.h: the functions, threads and CPUs of a page, numbered.
 *
 * Trees refer to functions by their numbers here, which are those of the order
 * in which they were met; rpt_page_names_sort() computes the order of the page.
 */
#ifndef RPT_PAGE_NAMES_H
#define RPT_PAGE_NAMES_H

#include "report/callchain/chain.h"
#include "report/profile/profile.h"

/* As in README.md. */
enum rpt_page_kind {
	RPT_PAGE_USER,
	RPT_PAGE_KERNEL,
	RPT_PAGE_JIT,
	RPT_PAGE_INLINED,
	RPT_PAGE_GUEST,
	RPT_PAGE_TASK,
	RPT_PAGE_REST,
	RPT_PAGE_NAMELESS,
};

/* Without padding: it is hashed. */
struct rpt_page_function {
	uint32_t name; /* in texts */
	uint32_t dso;  /* likewise; 0: none */
	uint32_t kind; /* enum rpt_page_kind */
};

/* Without padding, likewise. */
struct rpt_page_thread {
	uint32_t input; /* which of the recordings */
	uint32_t pid;
	uint32_t tid;
};

/* A row of the timeline: a thread, or several. */
struct rpt_page_lane {
	const char *comm;    /* of the timeline; NULL: of several */
	const char *process; /* likewise; NULL: not known */
	int64_t pid;	     /* -1: of several processes */
	int64_t tid;	     /* -1: several threads */
};

/* Numbers in the order in which they stand in the page; some do not. */
struct rpt_page_order {
	uint32_t *items; /* owned; nr */
	uint32_t nr;
	uint32_t *ranks; /* owned; by number: its place in items */
};

struct rpt_page_names {
	struct rpt_intern texts;     /* 0 is "" */
	struct rpt_intern functions; /* 0 is the root */
	bool *is_used;		     /* by function; owned */
	uint32_t *of_frame;	     /* function + 1 of each frame; owned */
	uint32_t of_frame_cap;

	struct rpt_intern threads;
	struct rpt_page_thread_facts *thread_facts; /* owned */
	uint32_t thread_cap;
	uint32_t *lane_of;	     /* by thread; owned */
	struct rpt_page_lane *lanes; /* owned */
	uint32_t lane_nr;

	struct rpt_intern cpus; /* uint32_t; UINT32_MAX: not known */
	bool are_stems; /* names without what differs from build to build */

	/* Contents of the page: */
	struct rpt_page_order text_order;
	struct rpt_page_order order; /* of functions */
};

void rpt_page_names_init(struct rpt_page_names *names);
void rpt_page_names_release(struct rpt_page_names *names);

/* Forget the frames that were asked about: others have their numbers now. */
void rpt_page_names_new_frames(struct rpt_page_names *names);
/* Return the number of the function that a frame is shown as. */
uint32_t rpt_page_names_of_frame(struct rpt_page_names *names,
				 const struct rpt_frames *frames,
				 uint32_t frame);
/* Return that of a function given by name; dso NULL: none.  The name of one of
 * the kind nameless is that of its DSO. */
uint32_t rpt_page_names_of(struct rpt_page_names *names, const char *name,
			   const char *dso, enum rpt_page_kind kind);
/* Return that of the symbol that a frame is in: of a function merged into it,
 * not that one. */
uint32_t rpt_page_names_of_symbol(struct rpt_page_names *names,
				  const struct rpt_frames *frames,
				  const struct rpt_frame *frame);
/* Return that of a task. */
uint32_t rpt_page_names_of_task(struct rpt_page_names *names, const char *comm);
/* Return that of what is left out. */
uint32_t rpt_page_names_rest(struct rpt_page_names *names);

/* Return the number of a thread, which has sample_nr more samples; comm is NULL
 * if it has no name. */
uint32_t rpt_page_names_thread(struct rpt_page_names *names,
			       const struct rpt_page_thread *thread,
			       const char *comm, uint64_t sample_nr);
/* Set the name of a thread's process. */
void rpt_page_names_set_process(struct rpt_page_names *names, uint32_t thread,
				const char *comm);
/* Return the index of a CPU. */
uint32_t rpt_page_names_cpu(struct rpt_page_names *names, uint32_t cpu);

/* Compute the lanes: of recordings, in their order; else the lane_max - 1
 * threads with the most samples have one each, the others share one. */
void rpt_page_names_make_lanes(struct rpt_page_names *names, uint32_t lane_max);

/* Fill order with number 0 and the used ones of texts, in ascending order of
 * bytes; a zeroed order is an empty one. */
void rpt_page_order_texts(struct rpt_page_order *order,
			  const struct rpt_intern *texts, const bool *is_used);
void rpt_page_order_release(struct rpt_page_order *order);

/* Forget which functions are used. */
void rpt_page_names_use_none(struct rpt_page_names *names);
/* Mark a function as used. */
void rpt_page_names_use(struct rpt_page_names *names, uint32_t function);
/* Compute the order of the used functions and their texts. */
void rpt_page_names_sort(struct rpt_page_names *names);

#endif
