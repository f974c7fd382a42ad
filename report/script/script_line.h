/* script_line.h: one line of `script` while it is put together.
 *
 * The functions that print parts of it stand here by file.  All of them append
 * to script->text and leave errors in script->text.status.
 */
#ifndef RPT_SCRIPT_LINE_H
#define RPT_SCRIPT_LINE_H

#include "format/records/record_body.h"
#include "report/script/script.h"

/* Send what is printed from now on to out. */
void rpt_script_to(struct rpt_script *script, FILE *out);

/* Count a record that could not be read in script->counts, unless the reader,
 * the timeline or the table of counts reports it. */
void rpt_script_note_damage(struct rpt_script *script,
			    const struct pd_record *rec,
			    const struct pd_err *err);

/* Lock names: around every call of symbols.h, which has no lock.  Does nothing
 * if there is one thread. */
void rpt_script_lock(const struct rpt_script *script);
void rpt_script_unlock(const struct rpt_script *script);

/* A line while it is put together */
struct rpt_script_line {
	struct rpt_sample sample;
	uint64_t fields; /* RPT_FIELD_* */
	bool with_chain;
	bool is_chosen;	     /* the sample passes all filters */
	size_t times_start;  /* in script->text, until that is flushed */
	size_t times_end;    /* 0: the start of the line was not printed */
	uint32_t unwound_nr; /* words in script->unwound */
	uint32_t context;    /* in script.addresses, for cpumode ... */
	unsigned cpumode;
	bool has_context; /* ... once it was looked up */
};

/* Fill in fields and with_chain, by the sample's event. */
void rpt_script_describe(const struct rpt_script *script,
			 struct rpt_script_line *line);

/* script_line_cache.c: print lines again for samples that differ from a recent
 * one by the time alone, which are then not decoded (a storm of system calls:
 * CPU time less by a third).  Return a cache for a script whose text goes to a
 * heap and whose lines do not depend on those before; NULL if equal samples may
 * be shown differently: then the functions below do nothing. */
struct rpt_script_line_cache *
rpt_script_line_cache_new(const struct rpt_script *script);
/* Print the sample's line if it is known.  Return false if the caller must
 * print it and then call rpt_script_line_cache_add(). */
bool rpt_script_line_cache_print(struct rpt_script *script,
				 const struct pd_record *rec);
/* Remember the line that was printed since, if it can be printed again. */
void rpt_script_line_cache_add(struct rpt_script *script,
			       const struct rpt_script_line *line);

/* script_print.c: print the task, the times and the event. */
void rpt_script_print_start(struct rpt_script *script,
			    struct rpt_script_line *line);

/* Return the time as it is shown: as recorded, or since another. */
uint64_t rpt_script_shown_time(struct rpt_script *script, uint64_t ns);
/* Print the part of that which depends on the time, if fields have it. */
void rpt_script_print_times(struct rpt_script *script, uint64_t fields,
			    uint64_t time_ns);

/* Print the whole line.  Return 0, or what writing failed with. */
int rpt_script_print(struct rpt_script *script, struct rpt_script_line *line);

/* script_event.c: print the fields of a record other than a sample, behind its
 * type's name; nothing for types without a --show-...-events. */
void rpt_script_event_put(struct rpt_text *text, const struct pd_record *rec,
			  const struct pd_body *body);
/* Print a record other than a sample, and count it if it is damaged.  Return 0,
 * or what writing failed with. */
int rpt_script_event(struct rpt_script *script, const struct pd_record *rec);

/* script_values.c: print what follows the name of the event. */
void rpt_script_print_values(struct rpt_script *script,
			     struct rpt_script_line *line);
/* Print the text of a tracepoint's record to out. */
void rpt_script_print_trace(struct rpt_script *script,
			    const struct rpt_script_line *line,
			    struct rpt_text *out);
/* Return the cpumode to look addr up in: the sample's own if addr is mapped in
 * it, else the other. */
unsigned rpt_script_mode_of(const struct rpt_script *script,
			    const struct rpt_script_line *line, uint64_t addr);
/* Print " 4K", " 2M" or " N/A". */
void rpt_script_put_page_size(struct rpt_text *t, uint64_t size);
/* script_insn.c: print length, bytes and text of the instruction at the
 * sample's address. */
void rpt_script_print_insn(struct rpt_script *script,
			   struct rpt_script_line *line);
void rpt_script_insns_free(struct rpt_script_insns *insns);
/* script_print.c: print the entries of the sample's call chain. */
void rpt_script_print_chain(struct rpt_script *script,
			    struct rpt_script_line *line);
/* Print the address or the call chain. */
void rpt_script_print_ip(struct rpt_script *script,
			 struct rpt_script_line *line);

/* -D in perf 6.1's words.  Print the bytes, the type and the fields of a
 * record other than a sample. */
void rpt_script_dump(struct rpt_script *script, const struct pd_record *rec);
/* Print a sample up to where its lines begin. */
void rpt_script_dump_sample(struct rpt_script *script,
			    const struct rpt_script_line *line);
/* Print the task and the file, in front of each line of a sample. */
void rpt_script_dump_place(struct rpt_script *script,
			   struct rpt_script_line *line);
/* Print a row of row_len bytes, at most 16, in hex and as text, with blanks for
 * those behind len; without printf(): a MiB of zstd can be GiBs of rows. */
void rpt_script_put_bytes(struct rpt_text *t, const uint8_t *data, size_t len,
			  size_t row_len);

/* Print those of counts as perf report does; perf script does not. */
void rpt_script_code_free(struct rpt_script_code *code);
/* -F srccode.  Print the text of the sample's source line, unless the sample's
 * thread was shown at that line last. */
void rpt_script_code_print(struct rpt_script *script,
			   struct rpt_script_line *line);

/* How an address is shown */
enum rpt_script_form {
	RPT_SCRIPT_CHAIN,      /* a whole line of a recorded call chain */
	RPT_SCRIPT_UNWOUND,    /* of one from a stack copy: as in perf 6.1,
				* only these have inlined functions */
	RPT_SCRIPT_ADDRESS,    /* " name+0x1 (dso)" */
	RPT_SCRIPT_BRANCH,     /* "1000(dso)" */
	RPT_SCRIPT_BRANCH_SYM, /* "name+0x1", "[unknown](dso)" */
	RPT_SCRIPT_BRANCH_OFF, /* "0x1000"; the address in the file if that
				* file is not here */
};

/* script_address.c: return what lies at ip at the time of the line's sample;
 * valid until the next call.  Locks names for a time. */
const struct rpt_location *rpt_script_find(struct rpt_script *script,
					   struct rpt_script_line *line,
					   unsigned cpumode, uint64_t ip);
/* Forget all that was looked up if it is too much.  Call it between lines. */
void rpt_script_forget_addresses(struct rpt_script *script);
/* Find the source line of ip or, if call_off is not 0, of the call that is
 * inlined there, in the location's DSO, which must not be NULL.  Return false
 * if it is not known. */
bool rpt_script_source_line(const struct rpt_script *script,
			    const struct rpt_location *at, uint64_t ip,
			    uint64_t call_off, const char **ret_file,
			    int *ret_line);
/* Print the address.  Return false if a call chain stops there (--stop-bt). */
bool rpt_script_put_address(struct rpt_script *script,
			    struct rpt_script_line *line,
			    enum rpt_script_form form, unsigned cpumode,
			    uint64_t ip);

#endif
