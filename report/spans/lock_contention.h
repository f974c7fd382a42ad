/* lock_contention.h: perfpair lock contention: who waits for locks of the
 * kernel, where, and for how long.
 */
#ifndef RPT_LOCK_CONTENTION_H
#define RPT_LOCK_CONTENTION_H

#include "format/support/options.h"

extern const struct sup_command rpt_lock_command;

/* Run the command; argv[0] is "contention".  Return its exit code. */
int rpt_lock_contention(int argc, char **argv);

#endif
