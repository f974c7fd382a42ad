/* ab_run.h: one run of perfpair ab: a command under the recorder, and its cost.
 *
 * Each run gets another length of environment; what it prints is kept, and
 * shown if it fails.
 */
#ifndef RPT_AB_RUN_H
#define RPT_AB_RUN_H

#include "report/cli/gate_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wordexp.h>

#define RPT_AB_OLD   0
#define RPT_AB_NEW   1
#define RPT_AB_SIDES 2

enum rpt_ab_measure { RPT_AB_CPU, RPT_AB_WALL, RPT_AB_MEASURES };

/* The command line of perfpair ab */
struct rpt_ab_args {
	const char *commands[RPT_AB_SIDES];
	const char *folder;
	const char *frequency;
	bool call_graph;
	bool is_self;
	uint32_t pair_max;
	uint64_t seed;
	struct rpt_gate gate;
	unsigned measure;
	char **record; /* owned; more words of the recorder's, record_nr */
	size_t record_nr;
};

struct rpt_ab_runs {
	const struct rpt_ab_args *args;
	wordexp_t words[RPT_AB_SIDES]; /* of the commands */
	uint64_t random;	       /* not 0 */
	int log_fd;		       /* what the run prints */
};

/* The cost of a run, in seconds. */
struct rpt_ab_cost {
	double by[RPT_AB_MEASURES];
};

/* Return the next number of 31 bits. */
uint64_t rpt_ab_draw(struct rpt_ab_runs *runs);

/* Run a side once and record it to path.  Return 0 or a negative errno, with
 * what was wrong on stderr; -EINTR if the user has had enough. */
int rpt_ab_run_once(struct rpt_ab_runs *runs, int side, char *path,
		    struct rpt_ab_cost *ret);

/* Let SIGINT and SIGTERM end the experiment, and return whether they did. */
void rpt_ab_catch_interrupts(void);
bool rpt_ab_is_interrupted(void);

#endif
