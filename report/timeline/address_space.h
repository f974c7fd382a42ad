/* address_space.h: the maps of one process or of the kernel over time.
 *
 * It is a list of changes in the order of time; at an address the latest change
 * until a time holds.  The space of a forked process continues its parent's as
 * of the fork, without a copy.  Part of the timeline.
 */
#ifndef RPT_ADDRESS_SPACE_H
#define RPT_ADDRESS_SPACE_H

#include "report/base/addr_range.h"
#include "report/timeline/timeline.h"

struct rpt_address_space_change {
	struct rpt_timestamp when;
	struct rpt_map map; /* dso NULL: it was unmapped */
};

/* All addresses of some successive changes lie between these. */
struct rpt_address_space_bounds {
	uint64_t start;
	uint64_t end;
};

struct rpt_address_space {
	uint32_t id; /* unique in the timeline */
	uint32_t nr, cap, bounds_cap;
	struct rpt_address_space_change *changes; /* owned; nr of them */
	/* owned; one for each BOUNDS_NR changes (address_space.c) */
	struct rpt_address_space_bounds *bounds;
	struct rpt_budget *budget; /* of all that is owned; NULL: none */
	const struct rpt_address_space *parent; /* NULL: starts empty */
	struct rpt_timestamp fork; /* when the parent was continued */
	uint32_t depth;		   /* parents above */
	bool is_forked;		   /* rpt_address_space_fork() made it */
	bool is_execed;		   /* it is not what it was forked from */
	uint32_t fork_pid;	   /* whose maps it began with, if it is */
	uint32_t copied_nr;	   /* the first changes are parents' copies */
	uint32_t exec_nr; /* ... are of programs before the last exec */
	bool is_jitted;	  /* a jitdump names its code that has no file */
	/* Functions of which the perf map memory told at different times: they
	 * hold instead of maps of it.  NULL: none are known. */
	const struct rpt_dso *memory;
	const struct rpt_address_space *lines;
	/* Layers of a space of lines: rpt_address_space_set_layers(). */
	uint32_t *by_layer; /* owned; numbers of changes, by address in each */
	uint32_t *layer_ends; /* owned; in by_layer */
	uint32_t layer_nr;
};

static inline bool rpt_timestamp_before(struct rpt_timestamp a,
					struct rpt_timestamp b)
{
	return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.seq < b.seq;
}

/* From a time until before another. */
struct rpt_span {
	struct rpt_timestamp start;
	struct rpt_timestamp end;
};

#define RPT_SPAN_ALL ((struct rpt_span){ .end = { UINT64_MAX, UINT64_MAX } })

static inline bool rpt_span_has(const struct rpt_span *span,
				struct rpt_timestamp when)
{
	return !rpt_timestamp_before(when, span->start) &&
	       rpt_timestamp_before(when, span->end);
}

/* Cut off what is before start; or from end on. */
static inline void rpt_span_start(struct rpt_span *span,
				  struct rpt_timestamp start)
{
	if (rpt_timestamp_before(span->start, start))
		span->start = start;
}

static inline void rpt_span_end(struct rpt_span *span, struct rpt_timestamp end)
{
	if (rpt_timestamp_before(end, span->end))
		span->end = end;
}

/* Append a change.  when must not be earlier than that of the last one. */
void rpt_address_space_add(struct rpt_address_space *space,
			   struct rpt_timestamp when,
			   const struct rpt_map *map);

/* Once all lines were added, note their layers, from 1: layers[i] is that of
 * changes[i], which overlaps none in its layer. */
void rpt_address_space_set_layers(struct rpt_address_space *space,
				  const uint32_t *layers);

/* Return how many changes the space itself has until when. */
uint32_t rpt_address_space_change_nr(const struct rpt_address_space *space,
				     struct rpt_timestamp when);

/* Free what the space owns. */
void rpt_address_space_release(struct rpt_address_space *space);

/* Make space, which is new and empty, continue the parent, the maps of pid, as
 * they were at when. */
void rpt_address_space_fork(struct rpt_address_space *space,
			    const struct rpt_address_space *parent,
			    uint32_t pid, struct rpt_timestamp when);

/* Find the map that holds at addr.  Return false if nothing is mapped there. */
bool rpt_address_space_find(const struct rpt_address_space *space,
			    uint64_t addr, struct rpt_timestamp when,
			    struct rpt_map *ret);

/* The same; range is narrowed to the addresses that the answer holds for. */
bool rpt_address_space_find_range(const struct rpt_address_space *space,
				  uint64_t addr, struct rpt_timestamp when,
				  struct rpt_map *ret,
				  struct rpt_addr_range *range);

/* Return how many addresses around addr are of the map that holds there, which
 * find gave: the piece of it that later maps have left until when. */
uint64_t rpt_address_space_piece_len(const struct rpt_address_space *space,
				     uint64_t addr, struct rpt_timestamp when,
				     const struct rpt_map *map);

/* List all maps that hold in the end, by address; the caller frees *ret.  Maps
 * that later ones cover in part come as the pieces that are left of them, with
 * pgoff moved along.  space may be NULL, which has none. */
void rpt_address_space_list(const struct rpt_address_space *space,
			    struct rpt_map **ret, size_t *ret_nr);

/* List what was mapped in the space itself, not before the fork that made
 * it. */
void rpt_address_space_list_own(const struct rpt_address_space *space,
				struct rpt_map **ret, size_t *ret_nr);

/* Return about how many changes rpt_address_space_list() looks at, max if
 * more. */
uint64_t rpt_address_space_list_work(const struct rpt_address_space *space,
				     uint64_t max);

#endif
