/* text_piece.h: text of a fixed length that is put together. */
#ifndef RPT_TEXT_PIECE_H
#define RPT_TEXT_PIECE_H

#include <stddef.h>

/* It always ends in NUL; what does not fit is cut off. */
struct rpt_text_piece {
	char *at;
	size_t left; /* with the NUL */
};

static inline void rpt_piece_char(struct rpt_text_piece *t, char c)
{
	if (t->left < 2)
		return;
	*t->at++ = c;
	*t->at = '\0';
	t->left--;
}

static inline void rpt_piece_text(struct rpt_text_piece *t, const char *text)
{
	while (*text)
		rpt_piece_char(t, *text++);
}

#endif
