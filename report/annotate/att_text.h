/* att_text.h: AT&T syntax of x86, and that of objdump. */
#ifndef RPT_ATT_TEXT_H
#define RPT_ATT_TEXT_H

#include "report/annotate/objdump_text.h"

struct rpt_text_piece;

/* Append the text of an instruction, whose words are of RPT_TEXT_ATT. */
void rpt_att_text(struct rpt_text_piece *t,
		  const struct rpt_objdump_words *words);

#endif
