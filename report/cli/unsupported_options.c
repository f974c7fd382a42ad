#include "report/cli/unsupported_options.h"

int rpt_refuse_aux(void *conf, const char *arg, bool unset, struct pd_err *err)
{
	(void)conf;
	(void)arg;
	if (unset)
		return 0;
	return pd_err_set(err, -EINVAL,
			  "AUX data (Intel PT, CoreSight ...) is not decoded: "
			  "there is nothing to trace");
}

RPT_REFUSAL_SHARED(rpt_refuse_tui,
		   "reports are text: there is no interactive view")
RPT_REFUSAL_SHARED(rpt_refuse_annotate,
		   "reports do not show instructions or lines of functions")
RPT_REFUSAL_SHARED(rpt_refuse_blocks,
		   "--total-cycles: blocks between branches are not made out; "
		   "-b -s symbol_from,symbol_to,cycles counts branches")
RPT_REFUSAL_SHARED(
	rpt_refuse_reference,
	"--show-ref-call-graph: events without call chains do not take "
	"over those of others")
