/* frames.h: addresses resolved once each, and what makes two of them the same.
 *
 * A frame is one line of a call chain: function, or bare address where no name
 * is known.  Frames are numbered.  Two are alike, as perf 6.1 compares them,
 *
 *   in a call graph: by symbol's start in a DSO, or ip; rpt_frame_label().
 *		Or as rpt_frames.key says
 *   as rows by symbol: by shown DSO name and symbol's range (place), or
 *		address
 *
 * Frames of several recordings are alike by place in both (function_merge.h).
 */
#ifndef RPT_FRAMES_H
#define RPT_FRAMES_H

#include "report/base/address_hash.h"
#include "report/callchain/frame.h"
#include "report/base/intern.h"
#include "report/callchain/function_merge.h"
#include "report/timeline/address_cache.h"

struct rpt_frame_dso {
	uint32_t rank;
	uint32_t place;
};

/* What makes frames alike in a call graph. */
enum rpt_frame_key {
	RPT_FRAME_FUNCTION,
	RPT_FRAME_ADDRESS,
	RPT_FRAME_SRCLINE, /* where it is known, else as by function */
};

struct rpt_frames {
	const struct rpt_timeline *timeline;
	uint32_t input;		   /* whose timeline it is, rpt_frames_use() */
	bool inlines, has_symbols; /* of functions inlined; of any */
	bool full_paths, is_verbose, is_merged; /* of source files; of DSOs;
						 * there are several inputs */
	bool has_labels;     /* call graphs will ask for them */
	bool is_by_function; /* nobody asks more of a frame with a symbol than
			      * that and its DSO: all addresses in a function
			      * share a frame */
	enum rpt_frame_key key;
	struct rpt_frame *items;
	struct rpt_frame_brief *briefs; /* by number of the frame */
	uint32_t cap;
	uint32_t briefs_cap;

	struct rpt_intern lines;		 /* "a.c:12", "main+7", "a.c" */
	struct rpt_intern functions;		 /* of RPT_FRAME_ADDRESS */
	struct rpt_address_hash functions_first; /* frame of each function and
						  * bare address: its label */
	struct rpt_intern labels;		 /* of other kinds ... */
	uint32_t *first_frames;			 /* ... by their number */
	uint32_t first_frames_cap;
	struct rpt_function_merge merge;
	struct rpt_intern builds;      /* build-ids of several inputs' files */
	struct rpt_intern branch_ends; /* struct rpt_branch_end */

	uint32_t nr;
	uint64_t paid_len; /* taken from the timeline's budget */
	struct rpt_address_cache locations;
	uint32_t *location_frames; /* by location: its first frame + 1 */
	uint32_t location_frames_cap;
	struct rpt_address_hash addresses; /* (ip, context): its first frame */
	bool is_asked_once; /* each address, nearly: they are not kept */
	struct rpt_intern places;
	struct rpt_intern dso_names;	 /* and those of inlined functions */
	struct rpt_intern dsos;		 /* pointers */
	struct rpt_frame_dso *dso_infos; /* by number of the pointer */
	uint32_t dso_infos_cap;
	struct rpt_frame_dso last_info; /* that of last_dso */
	const struct rpt_dso *last_dso;
};

/* Forgets all frames, and gives back what they took. */
void rpt_frames_forget(struct rpt_frames *frames);

/* A task at a time, and numbers that stand for the state of its maps. */
struct rpt_frame_scope {
	struct rpt_who who;
	struct rpt_when when;
	uint32_t space_id;
	uint32_t space_generation;
	uint32_t kernel_generation;
};

void rpt_frames_init(struct rpt_frames *frames,
		     const struct rpt_timeline *timeline, bool inlines);
void rpt_frames_release(struct rpt_frames *frames);

/* From here on addresses are those of input number idx, one of several: whose
 * timeline this is.  To be called for the first one too, before any address. */
void rpt_frames_use(struct rpt_frames *frames, uint32_t idx,
		    const struct rpt_timeline *timeline);

/* Goes with the cpumode of frames out of stack copies: these alone are taken
 * apart into inlined functions; perf 6.1 fails to do so with recorded ones. */
#define RPT_FRAME_UNWOUND 0x40u

/* cpumode: PD_CPUMODE_*, and RPT_FRAME_UNWOUND.  0, -ENOMEM, or -EFBIG: the
 * timeline's budget does not allow one more address. */
int rpt_frames_resolve(struct rpt_frames *frames,
		       const struct rpt_frame_scope *scope, unsigned cpumode,
		       uint64_t ip, struct rpt_frame_span *ret);

/* That of what is mapped at ip, where nothing tells of it, as of branches:
 * PD_CPUMODE_*. */
unsigned rpt_frames_mode_at(const struct rpt_frames *frames,
			    const struct rpt_frame_scope *scope, uint64_t ip);

/* 'k', '.', 'g', 'u', 'H' */
char rpt_frame_level(unsigned cpumode);

/* The number of the first frame that is alike in a call graph.  0 or -ENOMEM.
 */
int rpt_frame_label(struct rpt_frames *frames, uint32_t frame, uint32_t *ret);

/* The source line, and the file of it: numbers in frames->lines, equal ones for
 * equal texts.  Where no line is known that is "??:0" of functions in files
 * that could be read, "main+7" of others, "tool[1f0]" without a name, and the
 * file is "".  0 or -ENOMEM. */
int rpt_frame_line(struct rpt_frames *frames, uint32_t frame,
		   uint32_t *ret_line, uint32_t *ret_file);

/* "main", "inl (inlined)", "0x7f0012" */
const char *rpt_frame_name(const struct rpt_frame *frame, char *buf,
			   size_t len);

/* The name in call graphs: with the source line behind it where that is the
 * key; of frames that have a label. */
const char *rpt_frame_graph_name(const struct rpt_frames *frames,
				 uint32_t frame, char *buf, size_t len);

#endif
