/* gate_options.h: --fail-above and --undecided of ab, diff and stat --compare:
 * their options, their exit codes and the line that says what was decided.
 *
 *	struct rpt_gate_result result = RPT_GATE_RESULT_INIT;
 *
 *	rpt_gate_note(&result, &finding);	for each change that is judged
 *	exit_code = rpt_gate_end(&gate, &result);
 */
#ifndef RPT_GATE_OPTIONS_H
#define RPT_GATE_OPTIONS_H

#include "report/cli/command_options.h"
#include "report/stats/gate.h"

#include <math.h>

struct rpt_gate {
	double limit_pct;   /* --fail-above; negative: there is no gate */
	unsigned undecided; /* enum rpt_exit, of that answer */
};

#define RPT_GATE_NONE                                              \
	{                                                          \
		.limit_pct = -1.0, .undecided = RPT_EXIT_UNDECIDED \
	}

int rpt_parse_fail_above(void *conf, const char *arg, bool unset,
			 struct pd_err *err);
int rpt_parse_undecided(void *conf, const char *arg, bool unset,
			struct pd_err *err);

/* help: what --fail-above looks at, as the beginning of a sentence. */
#define RPT_OPTS_GATE(off, help)                                         \
	{ 0,	    "fail-above",                                        \
	  SUP_CALL, (off) + offsetof(struct rpt_gate, limit_pct),        \
	  0,	    "PERCENT",                                           \
	  help,	    rpt_parse_fail_above },                              \
	{                                                                \
		0, "undecided", SUP_CALL,                                \
			(off) + offsetof(struct rpt_gate, undecided), 0, \
			"ok|fail",                                       \
			"of --fail-above: exit with 0 (ok) or 4 (fail) " \
			"instead of 5 if the runs do not decide",        \
			rpt_parse_undecided                              \
	}

/* One change, and what it shows. */
struct rpt_gate_finding {
	enum rpt_gate_answer answer;
	const char *what; /* has changed */
	double pct;	  /* by so much; NaN: what says all */
	double low_pct;	  /* NaN: not known */
	double high_pct;
	uint32_t more;	    /* runs that would decide; 0: nobody knows;
			     * RPT_GATE_MANY: more than anyone makes */
	bool is_paired;	    /* of pairs instead of runs a side */
	const char *advice; /* what would decide instead; NULL: more */
};

/* The answer of all changes together. */
struct rpt_gate_result {
	enum rpt_gate_answer answer;
	char *line; /* owned; NULL: nothing was judged */
};

#define RPT_GATE_RESULT_INIT                               \
	{                                                  \
		.answer = RPT_GATE_NOT_WORSE, .line = NULL \
	}

/* Take note of a change: the first one of the greatest answer is told. */
void rpt_gate_note(struct rpt_gate_result *result,
		   const struct rpt_gate_finding *finding);
void rpt_gate_result_release(struct rpt_gate_result *result);

/* Print what was decided as a line of text, without an end. */
void rpt_gate_put(const struct rpt_gate *gate,
		  const struct rpt_gate_result *result, FILE *out);

/* Say what was decided on stderr, release the result and return the exit code;
 * without a gate, return RPT_EXIT_OK. */
int rpt_gate_end(const struct rpt_gate *gate, struct rpt_gate_result *result);

#endif
