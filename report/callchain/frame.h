/* frame.h: a frame, one line of a call chain: a function, or a bare address. */
#ifndef RPT_FRAME_H
#define RPT_FRAME_H

#include "report/symbols/symbols.h"

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

/* What a walk over call chains reads of a frame, apart from the rest so that it
 * stays in the CPU's cache. */
struct rpt_frame_flags {
	uint32_t label;	     /* rpt_frame_label() + 1; 0: not looked up */
	uint32_t inlined_nr; /* of the first frame of an address: how many
			      * come before that of the symbol */
	char level;	     /* rpt_frame.level */
	bool is_mapped;	     /* it has a DSO ... */
	bool is_named;	     /* ... with a symbol */
	bool is_file;	     /* ... which is that of the whole file */
};

/* What makes frames the same in a call graph. */
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

#endif
