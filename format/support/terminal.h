/* terminal.h: the terminal that a program was started on, if any.
 *
 * A pager or a file may take the place of stdout later: what is asked here
 * stays as it was at the start.
 */
#ifndef SUP_TERMINAL_H
#define SUP_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

struct sup_terminal {
	bool is_in;	 /* stdin is a terminal */
	bool is_out;	 /* stdout is one */
	bool is_err;	 /* stderr is one */
	bool is_dumb;	 /* it knows no escape sequences: TERM is "dumb" */
	bool has_colour; /* stdout is a terminal that may show colours: NO_COLOR
			  * is not set or empty */
	uint32_t width;	 /* columns of stdout, of COLUMNS if that is set; 0: it
			  * is no terminal, or not known */
};

/* Look at stdin, stdout and stderr; main does so before it changes them. */
void sup_terminal_init(void);

/* Return what was found; without sup_terminal_init() there is no terminal. */
const struct sup_terminal *sup_terminal(void);

#endif
