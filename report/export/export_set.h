/* export_set.h: the samples of a report by stack, numbered as most formats want
 * them: texts, files, functions, frames, stacks as a tree, samples.
 *
 * Everything is found by its number; equal things have one number.
 */
#ifndef RPT_EXPORT_SET_H
#define RPT_EXPORT_SET_H

#include "report/base/intern.h"

/* No number: a label that was not asked for, or is not known. */
#define RPT_EXPORT_NONE UINT32_MAX

enum rpt_export_kind {
	RPT_EXPORT_USER,
	RPT_EXPORT_KERNEL,
	RPT_EXPORT_JIT,
	RPT_EXPORT_INLINED,  /* into the function of the caller's frame */
	RPT_EXPORT_NAMELESS, /* code without a symbol; its name is its file's */
};

/* The keys below are hashed: they have no padding. */

struct rpt_export_file {   /* that code was mapped from */
	uint32_t path;	   /* a text */
	uint32_t name;	   /* a text, without its folders */
	uint32_t build_id; /* a text, hexadecimal; "" if it is not known */
};

struct rpt_export_function {
	uint32_t name;	 /* a text */
	uint32_t source; /* a text, the source file; "" if it is not known */
	uint32_t file;
	uint32_t kind;	/* enum rpt_export_kind */
	uint32_t level; /* rpt_frame.level for --format rows; else 0 */
};

struct rpt_export_frame {
	uint64_t addr; /* in the file; 0 unless frames are by address; for
			* --format rows that of the function */
	uint32_t function;
	uint32_t line; /* in the source; 0: not known */
};

/* A stack is a frame and the stack of its callers.  Stack 0 is empty. */
struct rpt_export_stack {
	uint32_t callers;
	uint32_t frame;
};

/* The key of a sample.  Labels that were not asked for are RPT_EXPORT_NONE. */
struct rpt_export_sample {
	uint32_t event;
	uint32_t stack;
	uint32_t bin;  /* of time */
	uint32_t comm; /* a text */
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint32_t cgroup;  /* a text */
	uint32_t host;	  /* a text */
	uint32_t process; /* a text */
};

struct rpt_export_value {
	uint64_t nr;	 /* of samples */
	uint64_t period; /* their sum, in the event's unit */
};

struct rpt_export_set {
	struct rpt_intern texts; /* 0 is "" */
	struct rpt_intern files;
	struct rpt_intern functions;
	struct rpt_intern frames;
	struct rpt_intern edges; /* struct rpt_export_stack: stack - 1 */
	struct rpt_intern samples;
	struct rpt_export_value *values; /* by sample; owned */
	uint32_t values_cap;
};

void rpt_export_set_init(struct rpt_export_set *set);
void rpt_export_set_release(struct rpt_export_set *set);

uint32_t rpt_export_text(struct rpt_export_set *set, const char *text);
/* Return the stack of a frame that the last frame of callers called. */
uint32_t rpt_export_stack(struct rpt_export_set *set, uint32_t callers,
			  uint32_t frame);
/* Add to the value of a sample. */
void rpt_export_add(struct rpt_export_set *set,
		    const struct rpt_export_sample *sample,
		    const struct rpt_export_value *value);

static inline const char *rpt_export_text_at(const struct rpt_export_set *set,
					     uint32_t text)
{
	return rpt_intern_key(&set->texts, text);
}

static inline const struct rpt_export_file *
rpt_export_file_at(const struct rpt_export_set *set, uint32_t file)
{
	return rpt_intern_key(&set->files, file);
}

static inline const struct rpt_export_function *
rpt_export_function_at(const struct rpt_export_set *set, uint32_t function)
{
	return rpt_intern_key(&set->functions, function);
}

static inline const struct rpt_export_frame *
rpt_export_frame_at(const struct rpt_export_set *set, uint32_t frame)
{
	return rpt_intern_key(&set->frames, frame);
}

/* Return any stack but the empty one. */
static inline const struct rpt_export_stack *
rpt_export_stack_at(const struct rpt_export_set *set, uint32_t stack)
{
	return rpt_intern_key(&set->edges, stack - 1);
}

static inline const struct rpt_export_sample *
rpt_export_sample_at(const struct rpt_export_set *set, uint32_t sample)
{
	return rpt_intern_key(&set->samples, sample);
}

#endif
