/* script_line.h: one line of `script` while it is put together, for the files
 * that do so: script.c, script_event.c, script_print.c, script_values.c,
 * script_address.c.
 */
#ifndef RPT_SCRIPT_LINE_H
#define RPT_SCRIPT_LINE_H

#include "format/record_body.h"
#include "report/script/script.h"

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

/* A line while it is put together */
struct rpt_script_line {
	struct rpt_sample sample;
	uint64_t fields; /* RPT_FIELD_* */
	bool with_chain;
	bool is_chosen;	     /* passes all filters but those of the event */
	size_t times_start;  /* in script.text, until that is written out */
	size_t times_end;    /* 0: the start of the line was not printed */
	uint32_t unwound_nr; /* of script.unwound */
	int64_t context;     /* in script.addresses, for cpumode ... */
	unsigned cpumode;
	bool has_context; /* ... once it was looked up */
};

/* Fill in fields and with_chain, by the sample's event. */
void rpt_script_describe(const struct rpt_script *script,
			 struct rpt_script_line *line);

/* What stands in front: who, when, which event. */
void rpt_script_print_start(struct rpt_script *script,
			    struct rpt_script_line *line);

/* Of that, what the time decides, where fields have it. */
void rpt_script_print_times(struct rpt_script *script, uint64_t fields,
			    uint64_t time_ns);

int rpt_script_print(struct rpt_script *script, struct rpt_script_line *line);

/* script_event.c: what stands behind the type's name; nothing for types that
 * are not shown. */
void rpt_script_event_put(struct rpt_text *text, const struct pd_record *rec,
			  const struct pd_body *body);
/* Print a record that is no sample.  Return 0, -ENOMEM, or what writing failed
 * with; damaged records are counted in script. */
int rpt_script_event(struct rpt_script *script, const struct pd_record *rec);

/* script_values.c: what a line says of a sample behind the name of its event:
 * a function for each field, in a table that has their order. */
void rpt_script_print_values(struct rpt_script *script,
			     struct rpt_script_line *line);
/* " 4K", " N/A" */
void rpt_script_put_page_size(struct rpt_text *t, uint64_t size);
/* script_print.c: the address or the call chain */
void rpt_script_print_ip(struct rpt_script *script,
			 struct rpt_script_line *line);

/* script_dump.c: script -D, every record as bytes and as what they mean, in
 * perf 6.1's words.  A record that is no sample: its bytes, type and fields. */
void rpt_script_dump(struct rpt_script *script, const struct pd_record *rec);
/* A sample, up to where its lines begin. */
void rpt_script_dump_sample(struct rpt_script *script,
			    const struct rpt_script_line *line);
/* What stands in front of each line of a sample: the task and the file. */
void rpt_script_dump_place(struct rpt_script *script,
			   struct rpt_script_line *line);
/* script_dump_user.c: the fields of a record of perf's own. */
void rpt_script_dump_user(struct rpt_text *t, const struct pd_record *rec,
			  const struct pd_body *body);

/* script_code.c: script -F srccode, the text of the source line of a sample,
 * below it, unless it is the one that was shown last for its thread.  NULL: out
 * of memory. */
struct rpt_script_code *rpt_script_code_new(void);
void rpt_script_code_free(struct rpt_script_code *code);
void rpt_script_code_print(struct rpt_script *script,
			   struct rpt_script_line *line);

/* How an address is shown */
enum rpt_script_form {
	RPT_SCRIPT_CHAIN,      /* a whole line of a recorded call chain */
	RPT_SCRIPT_UNWOUND,    /* of one out of a stack copy: perf 6.1 shows
				* inlined functions in those only */
	RPT_SCRIPT_ADDRESS,    /* " name+0x1 (dso)" */
	RPT_SCRIPT_BRANCH,     /* "1000(dso)" */
	RPT_SCRIPT_BRANCH_SYM, /* "name+0x1", "[unknown](dso)" */
	RPT_SCRIPT_BRANCH_OFF, /* "0x1000"; the address in the file if that is
				* not here */
};

/* script_address.c: return what lies at ip at the time of the line's sample;
 * valid until the next call.  Takes rpt_script_lock() for a time. */
const struct rpt_location *rpt_script_find(struct rpt_script *script,
					   struct rpt_script_line *line,
					   unsigned cpumode, uint64_t ip);
/* Between lines: forget all that was looked up, if it is too much. */
void rpt_script_forget_addresses(struct rpt_script *script);
/* Print the address.  Return false if a call chain stops there (--stop-bt). */
bool rpt_script_put_address(struct rpt_script *script,
			    struct rpt_script_line *line,
			    enum rpt_script_form form, unsigned cpumode,
			    uint64_t ip);

#endif
