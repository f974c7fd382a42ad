/* top_code.h: a function of a frame by instruction, as lines of text: perfpair
 * annotate of the samples in the window.
 *
 *	rpt_top_code_choose(&code, &live, row)
 *	rpt_top_code_make(&code, &live, &err)	of this frame, and of later ones
 *	... code.lines[0..code.line_nr)
 *	rpt_top_code_release(&code)
 */
#ifndef RPT_TOP_CODE_H
#define RPT_TOP_CODE_H

#include "report/top/live_report.h"

struct rpt_top_code {
	char *dso;	/* as recorded; owned, NULL: nothing was chosen */
	char *symbol;	/* owned */
	uint64_t start; /* of the symbol */
	char *text;	/* owned */
	size_t *offs;	/* of lines in text, one more than lines; owned */
	uint32_t line_nr;
	uint32_t hottest; /* the line with the largest share */
	bool is_coloured; /* set by the caller */
};

/* Choose the function of a row.  Return false if it has none. */
bool rpt_top_code_choose(struct rpt_top_code *code,
			 const struct rpt_live_report *live, uint32_t row);

/* Show the function with the samples of a frame's event.  Return 0; -ENOENT or
 * -ENOTSUP if there is no code or no sample of it: err says why, and the text
 * stays as it was. */
int rpt_top_code_make(struct rpt_top_code *code,
		      const struct rpt_live_report *live, struct pd_err *err);

/* Show a text that is no code: taken over, malloc'ed. */
void rpt_top_code_take(struct rpt_top_code *code, char *text, size_t len);

/* Return the text of a line, without its newline and without a NUL behind it.
 */
const char *rpt_top_code_line(const struct rpt_top_code *code, uint32_t line,
			      size_t *ret_len);
void rpt_top_code_release(struct rpt_top_code *code);

#endif
