/* absent_commands.h: what to do instead of a command of perf that perfpair does
 * not have.
 */
#ifndef RPT_ABSENT_COMMANDS_H
#define RPT_ABSENT_COMMANDS_H

#include "format/support/options.h"

/* words are the command and what stands behind it; a NULL ends them.  Return a
 * sentence, or NULL if perf has no such command. */
const char *rpt_command_instead(char *const *words);

#endif
