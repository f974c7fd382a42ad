/* carry_recording.h: adds to a recording what it needs to be read on a machine
 * that has none of its binaries: names that the recorder did not carry, source
 * lines and inlined functions, code, source text.  FORMAT.md "Carried names".
 *
 * The new file is the old one, byte for byte, with other sections behind it and
 * a new trailer.  What is found on this machine is what report and script find
 * here.
 *
 *	rpt_carry(&source, reader, &conf, &result, &err)
 */
#ifndef RPT_CARRY_RECORDING_H
#define RPT_CARRY_RECORDING_H

#include "report/input/file_source.h"
#include "report/symbols/symbols.h"

struct rpt_carry_conf {
	const char *path; /* of the new file */
	bool force;	  /* overwrite it */
	bool with_lines;
	bool with_code;
	bool with_source;
	struct rpt_symbols_conf symbols;
};

enum { RPT_CARRY_SHOWN = 3 };

/* How much of one kind is carried. */
struct rpt_carry_count {
	uint64_t nr;		      /* in the new file */
	uint64_t all_nr;	      /* that would be good to have */
	uint32_t file_nr;	      /* files in which some is missing ... */
	char *files[RPT_CARRY_SHOWN]; /* ... the first of them; owned */
};

struct rpt_carry_result {
	struct rpt_carry_count names;	/* of addresses */
	struct rpt_carry_count lines;	/* of addresses */
	struct rpt_carry_count code;	/* of functions */
	struct rpt_carry_count sources; /* of lines */
	uint64_t new_name_nr; /* names that the recorder did not carry */
	uint64_t code_len;
	bool has_bare_copies; /* nothing carries what unwinds stack copies */
	bool is_cut;	      /* addresses were left out: the budget is spent */
	uint64_t in_len;
	uint64_t out_len;
};

/* Write the new file.  Return 0; -EEXIST; -EINVAL for a recording that nothing
 * can be added to, with err set; what reading it or writing says. */
int rpt_carry(const struct rpt_file_source *source, struct pd_reader *reader,
	      const struct rpt_carry_conf *conf,
	      struct rpt_carry_result *result, struct pd_err *err);

/* Count what was found in a file, of so many that there are. */
void rpt_carry_count_add(struct rpt_carry_count *count, uint64_t nr,
			 uint64_t all_nr, const char *file);

/* Free what the result owns. */
void rpt_carry_result_release(struct rpt_carry_result *result);

#endif
