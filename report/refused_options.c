#include "report/refused_options.h"

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
