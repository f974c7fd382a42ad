#include "report/command_options.h"

#include "format/support/message.h"

bool rpt_options_are_good(int rc, const struct sup_command *command,
			  const struct pd_err *err, int *ret_exit)
{
	if (rc == 1) {
		sup_help(command, stdout);
		*ret_exit = RPT_EXIT_OK;
	} else if (rc) {
		sup_message_err(NULL, err);
		*ret_exit = RPT_EXIT_USAGE;
	}
	return rc == 0;
}
