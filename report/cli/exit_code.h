/* exit_code.h: the exit codes of perfpair, the same for every command. */
#ifndef RPT_EXIT_CODE_H
#define RPT_EXIT_CODE_H

enum rpt_exit {
	RPT_EXIT_OK = 0,
	RPT_EXIT_FAILED = 1, /* nothing could be answered: any negative errno */
	RPT_EXIT_USAGE = 2,  /* the command line is wrong */
	RPT_EXIT_DAMAGED = 3,	 /* answered from what is readable; stderr names
				  * what was passed over */
	RPT_EXIT_REGRESSION = 4, /* --fail-above: there is one */
	RPT_EXIT_UNDECIDED = 5,	 /* --fail-above: nobody knows */
};

#endif
