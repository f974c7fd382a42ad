/* script_line.h: one line of `script` while it is put together, for the files
 * that do so: script.c, script_event.c, script_print.c, script_values.c,
 * script_address.c.
 */
#ifndef RPT_SCRIPT_LINE_H
#define RPT_SCRIPT_LINE_H

#include "report/timeline/map_range.h"
#include "report/script/script.h"
#include "report/symbols/symbol_range.h"

/* What is printed from here on goes to out. */
void rpt_script_to(struct rpt_script *script, FILE *out);

/* Counts a sample that could not be read, or another record, unless the
 * reader, the timeline or the table of counts tell of it. */
void rpt_script_note_damage(struct rpt_script *script,
			    const struct pd_record *rec,
			    const struct pd_err *err);

/* Around every question for names and maps: symbols.h has no lock. */
void rpt_script_lock(const struct rpt_script *script);
void rpt_script_unlock(const struct rpt_script *script);

/* script_print.c: the parts of a line */
struct rpt_script_line {
	const struct pd_event *event;
	struct pd_sample sample;
	struct rpt_who who;
	const char *comm; /* of who; NULL: none */
	struct rpt_when when;
	/* of the task's and of the kernel's space, where is_placed */
	uint32_t space_generation;
	uint32_t kernel_generation;
	bool is_placed;
	uint64_t fields; /* RPT_FIELD_* */
	bool with_chain;
	bool swap;
	bool is_chosen;	      /* passes all filters but those of the event */
	size_t times_start;   /* in script.text, until that is put out */
	size_t times_end;     /* 0: the start of the line was not printed */
	uint32_t unwound_nr;  /* of script.unwound */
	uint32_t record_type; /* PD_RECORD_* */
};

/* Fills in who and comm, as of line->when. */
void rpt_script_find_who(struct rpt_script *script,
			 struct rpt_script_line *line, uint32_t pid,
			 uint32_t tid);
/* Fills in event, fields and with_chain. */
void rpt_script_describe(const struct rpt_script *script,
			 struct rpt_script_line *line,
			 const struct pd_event *event);

/* What stands in front: who, when, which event. */
void rpt_script_print_start(struct rpt_script *script,
			    struct rpt_script_line *line);

/* Of that, what the time decides, where fields have it. */
void rpt_script_print_times(struct rpt_script *script, uint64_t fields,
			    uint64_t time_ns);

int rpt_script_print(struct rpt_script *script, struct rpt_script_line *line);

enum rpt_script_kind {
	RPT_SCRIPT_CHAIN,      /* a whole line of a recorded call chain */
	RPT_SCRIPT_UNWOUND,    /* of one out of a stack copy: perf 6.1 shows
				* inlined functions in those only */
	RPT_SCRIPT_ADDRESS,    /* " name+0x1 (dso)" */
	RPT_SCRIPT_PASSES,     /* "" where a filter is against it, else "y" */
	RPT_SCRIPT_BRANCH,     /* "1000(dso)" */
	RPT_SCRIPT_BRANCH_SYM, /* "name+0x1", "[unknown](dso)" */
	RPT_SCRIPT_BRANCH_OFF, /* "0x1000", in its file where that is not there
				*/
};

/* script_address.c: what lies at an ip. */
struct rpt_script_found {
	bool has_map;
	struct rpt_map map;
	struct rpt_addr_range range; /* of ips with the same map and symbol */
	uint64_t addr;		     /* dso address */
	const struct rpt_symbol *sym;
};

/* Takes rpt_script_lock() for a time; symbols stay. */
void rpt_script_find(const struct rpt_script *script,
		     const struct rpt_script_line *line, unsigned cpumode,
		     uint64_t ip, struct rpt_script_found *ret);
/* In buf, if need be. */
const char *rpt_script_dso_name(const struct rpt_script *script,
				const struct rpt_script_found *p, char *buf,
				size_t len);
/* Whether call chains show where in its file it lies, not the ip. */
bool rpt_script_shows_offset(const struct rpt_script_found *p,
			     enum pd_perf perf);
/* Whether a call chain is to end there. */
bool rpt_script_is_stop(const struct rpt_script *script,
			const struct rpt_script_found *p);

/* Fills in the generations of line's spaces. */
void rpt_script_find_generations(const struct rpt_script *script,
				 struct rpt_script_line *line);

/* Between lines: all that is kept of places goes, if it is too much; it can be
 * made again. */
void rpt_script_forget_places(struct rpt_script *script);

/* NULL: out of memory.  Valid until the end of the line. */
const struct rpt_script_text *rpt_script_address(struct rpt_script *script,
						 struct rpt_script_line *line,
						 enum rpt_script_kind kind,
						 unsigned cpumode, uint64_t ip);

/* symbol_text_cache.c: the same, printed.  False: a chain is to stop here, or
 * out of memory (script->text.status). */
bool rpt_script_put_place(struct rpt_script *script,
			  struct rpt_script_line *line,
			  enum rpt_script_kind kind, unsigned cpumode,
			  uint64_t ip);

#endif
