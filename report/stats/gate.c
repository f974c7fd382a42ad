#include "report/stats/gate.h"

#include "report/stats/t_test.h"

#include <math.h>

#define ERROR_RATE 0.05

enum rpt_gate_answer rpt_gate_answer(double low, double high, double limit)
{
	if (low > limit)
		return RPT_GATE_WORSE;
	return high <= limit ? RPT_GATE_NOT_WORSE : RPT_GATE_UNDECIDED;
}

uint32_t rpt_gate_more_runs(double distance, double error, double df, double nr)
{
	if (!(error > 0.0) || !(nr >= 2.0))
		return 0;
	for (uint32_t more = 1; more <= RPT_GATE_RUNS_MAX; more++) {
		double part = (nr + more) / nr;
		double t = rpt_t_test_critical(
			ERROR_RATE, df * (nr - 1.0 + more) / (nr - 1.0));

		if (t * error / sqrt(part) < distance)
			return more;
	}
	return RPT_GATE_MANY;
}
