/* top_picture.h: how the screen of top looks (top_screen.h has its lines), out
 * of what was read and what keys have changed; nothing here changes that.
 */
#ifndef RPT_TOP_PICTURE_H
#define RPT_TOP_PICTURE_H

struct rpt_top_screen;

/* Set the heights of the lists by the size of the screen, and how many lines
 * they have. */
void rpt_top_picture_fit(struct rpt_top_screen *at);

/* Draw what is to be seen.  at->top->is_ended becomes true if the terminal is
 * gone. */
void rpt_top_picture_draw(struct rpt_top_screen *at);

#endif
