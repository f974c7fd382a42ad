/* carried_list.h: what a recording carries, for buildid-list --carried. */
#ifndef RPT_CARRIED_LIST_H
#define RPT_CARRIED_LIST_H

#include "report/cli/recording_input.h"

/* Print the files that the recording carries names of, those with the most hits
 * first, and with_names the names, too.  Return 0 or a negative errno. */
int rpt_carried_list_print(const struct rpt_recording_input *in,
			   bool with_names, struct pd_err *err);

#endif
