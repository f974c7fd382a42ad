/* frames.h: the frames of addresses, and what makes two of them the same.
 *
 * A frame is one line of a call chain: a function, or a bare address if no name
 * is known.  Frames are numbered.  Two are the same, as perf 6.1 compares them,
 *
 *   in a call graph: by the symbol's start in its DSO, or by ip; with another
 *		rpt_frames.key by address or source line: rpt_frame_label()
 *   as rows by symbol: by the shown name of the DSO and the symbol's range
 *		(rpt_frame.place), or by address
 *
 * Frames of several recordings are the same by place in both
 * (function_merge.h).
 */
#ifndef RPT_FRAMES_H
#define RPT_FRAMES_H

#include "report/base/address_hash.h"
#include "report/base/intern.h"
#include "report/callchain/function_merge.h"
#include "report/symbols/symbols.h"
#include "report/timeline/address_cache.h"

/* A frame, one line of a call chain: a function, or a bare address. */

struct rpt_frame {
	uint64_t ip;	     /* as recorded */
	uint64_t addr;	     /* address in dso, or ip if nothing is mapped */
	struct rpt_dso *dso; /* NULL: nothing is mapped there */
	const struct rpt_symbol *sym;
	const char *inline_name; /* a function merged into sym; else NULL */
	uint64_t call_off;	 /* struct rpt_inline_frame */
	uint32_t place;		 /* in rpt_frames.places; only with sym */
	uint32_t dso_place;	 /* the shown name, in rpt_frames.dso_names */
	uint32_t line;	   /* text + 1 in rpt_frames.lines; 0: not looked up */
	uint32_t file;	   /* likewise */
	uint32_t dso_rank; /* of its DSO in MMAP order, from 1; 0: no DSO */
	char level;	   /* 'k', '.', 'H' */
	bool is_shared;	   /* data in a file that processes share */
	uint64_t map_len;  /* of the piece of a map it is in */
	uint64_t ino;	   /* of its file; 0 if the record does not say */
};

/* Return the name of the function, without " (inlined)"; NULL: it is not known.
 */
static inline const char *rpt_frame_symbol(const struct rpt_frame *frame)
{
	if (frame->inline_name)
		return frame->inline_name;
	return frame->sym ? frame->sym->name : NULL;
}

/* Return true if the function's name is known: made-up symbols have none. */
static inline bool rpt_frame_has_name(const struct rpt_frame *frame)
{
	return frame->inline_name || (frame->sym && !frame->sym->is_made_up);
}

/* Return true if not even the bounds of a function are known at the address. */
static inline bool rpt_frame_is_nameless(const struct rpt_frame *frame)
{
	return !frame->inline_name &&
	       (!frame->sym || rpt_symbol_is_file(frame->sym));
}

/* The frames of one address in a call chain, innermost first: more than one if
 * functions were inlined.  self is the frame of the symbol there. */
struct rpt_frame_span {
	uint32_t start;
	uint32_t nr;
	uint32_t self;
};

/* The part of a frame that a walk over call chains reads, apart from the rest
 * so that it stays in the CPU's cache. */
struct rpt_frame_flags {
	uint32_t label;	     /* rpt_frame_label() + 1; 0: not looked up */
	uint32_t inlined_nr; /* of the first frame of an address: how many
			      * come before that of the symbol */
	char level;	     /* rpt_frame.level */
	bool is_mapped;	     /* it has a DSO ... */
	bool is_named;	     /* ... with a symbol */
	bool is_file;	     /* ... which is that of the whole file */
};

/* The key of a frame in a call graph. */
enum rpt_frame_key {
	RPT_FRAME_FUNCTION,
	RPT_FRAME_ADDRESS,
	RPT_FRAME_SRCLINE, /* if it is known, else by function */
};

struct rpt_frames_conf {
	bool inlines;	      /* make frames of inlined functions, too */
	bool without_symbols; /* functions are not shown */
	bool full_paths;      /* source files are shown by their paths */
	bool is_verbose;      /* DSOs are shown by their paths */
	bool has_labels;      /* call graphs use labels */
	bool is_by_function;  /* all addresses in a function share a frame,
			       * since only symbol and DSO are shown */
};

/* The labels of call graphs. */
struct rpt_frame_labels {
	struct rpt_address_hash first_frames; /* by what frames share */
	struct rpt_intern offsets;	      /* with RPT_FRAME_ADDRESS */
};

struct rpt_frames {
	const struct rpt_timeline *timeline;
	struct rpt_frames_conf conf;
	enum rpt_frame_key key;
	uint32_t input;	    /* of the timeline: rpt_frames_use() */
	bool is_merged;	    /* there are several inputs */
	bool is_asked_once; /* few addresses repeat: do not cache them */
	struct rpt_frame *items;
	struct rpt_frame_flags *flags; /* by number of the frame */
	uint32_t nr;
	uint32_t cap;
	struct rpt_address_cache locations;
	uint32_t *location_frames; /* by location: its first frame + 1 */
	uint32_t location_frames_cap;
	struct rpt_address_hash addresses; /* (ip, context): its first frame */
	struct rpt_frame_labels labels;
	struct rpt_function_merge merge; /* is_merged */
	struct rpt_intern places;
	struct rpt_intern dso_names;   /* and those of inlined functions */
	struct rpt_intern lines;       /* "a.c:12", "main+7", "a.c" */
	struct rpt_intern branch_ends; /* struct rpt_branch_end */
	uint32_t unmapped;	       /* rpt_frames_unmapped() + 1; 0: none */
	struct rpt_intern words;       /* rpt_frames_word() */
	struct rpt_word_frame *word_frames; /* owned; by number of the word */
	uint32_t word_cap;
};

/* A task at a time, and numbers that stand for the state of its maps. */
struct rpt_frame_scope {
	struct rpt_task_ref ref;
	struct rpt_timestamp when;
	uint32_t space_id;
	uint32_t space_version;
	uint32_t kernel_version;
	unsigned cpumode; /* of the last address, ... */
	uint32_t context; /* ... and the number of its context + 1, or 0 */
};

void rpt_frames_init(struct rpt_frames *frames,
		     const struct rpt_timeline *timeline,
		     const struct rpt_frames_conf *conf);
void rpt_frames_release(struct rpt_frames *frames);

/* Set the input of the addresses that follow, and its timeline, if there are
 * several inputs.  Call it for the first one, too. */
void rpt_frames_use(struct rpt_frames *frames, uint32_t idx,
		    const struct rpt_timeline *timeline);

/* Bytes of the timeline's budget for a frame, measured with 124,000 of them:
 * rpt_frame, its flags, its slot in a half-empty table, and what rows cache of
 * it; and for its label. */
#define RPT_FRAME_COST_LEN 164u
#define RPT_LABEL_COST_LEN 77u

static inline uint64_t rpt_frames_cost_len(const struct rpt_frames *frames)
{
	return RPT_FRAME_COST_LEN +
	       (frames->conf.has_labels ? RPT_LABEL_COST_LEN : 0);
}

/* Make room for more_nr frames, so that frames do not move while these are
 * added. */
void rpt_frames_reserve(struct rpt_frames *frames, uint32_t more_nr);

/* Goes with the cpumode of frames out of stack copies: these alone are taken
 * apart into inlined functions; perf 6.1 fails to do so with recorded ones. */
#define RPT_FRAME_UNWOUND 0x40u

/* Find the frames of an address.  cpumode: PD_CPUMODE_*, and RPT_FRAME_UNWOUND.
 * Return 0, or -EFBIG if the timeline's budget does not allow one more. */
int rpt_frames_resolve(struct rpt_frames *frames, struct rpt_frame_scope *scope,
		       unsigned cpumode, uint64_t ip,
		       struct rpt_frame_span *ret);

/* Return the frame "[unknown]", which stands for all addresses of a program's
 * call chains that are in no map: what frame pointers that are none lead to. */
uint32_t rpt_frames_unmapped(struct rpt_frames *frames);
/* Return whether it stands for this frame. */
static inline bool rpt_frame_is_unmapped(const struct rpt_frames *frames,
					 uint32_t frame)
{
	return !frames->flags[frame].is_mapped &&
	       frames->flags[frame].level == '.';
}

/* Return the frame of a word that is no function, as "[interrupt]": it is in no
 * DSO. */
uint32_t rpt_frames_word(struct rpt_frames *frames, const char *word);

/* Start to fetch what rpt_frames_resolve() will look at. */
void rpt_frames_prefetch(struct rpt_frames *frames,
			 struct rpt_frame_scope *scope, unsigned cpumode,
			 uint64_t ip);

/* Return the PD_CPUMODE_* of what is mapped at ip, the user's before the
 * kernel's; used if the sample does not say it, as with branches. */
unsigned rpt_frames_mode_at(const struct rpt_frames *frames,
			    const struct rpt_frame_scope *scope, uint64_t ip);

/* Return the letter of a PD_CPUMODE_*: 'k', '.', 'g', 'u', 'H'. */
char rpt_frame_level(unsigned cpumode);

/* Return the number of the first frame that is the same in a call graph. */
uint32_t rpt_frame_label(struct rpt_frames *frames, uint32_t frame);

/* Get the source line and its file: numbers in frames->lines.  If the line is
 * not known, it is "??:0" of functions in files that could be read, "main+7" of
 * other functions, "tool[1f0]" without a name; and the file is "". */
void rpt_frame_line(struct rpt_frames *frames, uint32_t frame,
		    uint32_t *ret_line, uint32_t *ret_file);

/* Return "main", "inl (inlined)", "0x7f0012"; it may be in buf. */
const char *rpt_frame_name(const struct rpt_frame *frame, char *buf,
			   size_t len);

/* The same for call graphs, of a frame with a label: followed by the source
 * line if that is the key. */
const char *rpt_frame_graph_name(const struct rpt_frames *frames,
				 uint32_t frame, char *buf, size_t len);

/* Return the number of a key of these tables, which have no budget. */
static inline uint32_t rpt_frames_number(struct rpt_intern *table,
					 const void *key, size_t len)
{
	return (uint32_t)rpt_intern(table, key, len);
}

#endif
