/* gate.h: the answer of a gate: whether a change is above a limit, or whether
 * the runs do not tell.
 *
 * The interval of the change decides.  An experiment that sees nothing is no
 * proof that nothing is there: only an interval without what is above the limit
 * says that the change is not.
 */
#ifndef RPT_GATE_H
#define RPT_GATE_H

#include <stdint.h>

/* An answer; of several the greatest holds. */
enum rpt_gate_answer {
	RPT_GATE_NOT_WORSE, /* all of the interval is at or below the limit */
	RPT_GATE_UNDECIDED,
	RPT_GATE_WORSE, /* all of it is above */
};

/* Answer by an interval; with NaN in it nothing is decided. */
enum rpt_gate_answer rpt_gate_answer(double low, double high, double limit);

/* Return how many more runs a side would do, if their scatter stays the same,
 * for a t interval that reaches less than distance to either side;
 * RPT_GATE_MANY: more than RPT_GATE_RUNS_MAX; 0: nobody knows.  error and df
 * are those of the difference of nr runs a side. */
#define RPT_GATE_RUNS_MAX 200
#define RPT_GATE_MANY	  UINT32_MAX
uint32_t rpt_gate_more_runs(double distance, double error, double df,
			    double nr);

#endif
