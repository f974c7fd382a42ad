#include "report/events/wait_state.h"

const char *rpt_wait_state_text(enum rpt_wait_state state)
{
	static const char *const texts[RPT_WAIT_STATES_NR] = {
		[RPT_WAIT_NONE] = "on CPU",
		[RPT_WAIT_SLEEPING] = "S (sleeping)",
		[RPT_WAIT_DISK] = "D (disk)",
		[RPT_WAIT_STOPPED] = "T (stopped)",
		[RPT_WAIT_TRACED] = "t (traced)",
		[RPT_WAIT_PARKED] = "P (parked)",
		[RPT_WAIT_IDLE] = "I (idle)",
		[RPT_WAIT_BLOCKED] = "blocked",
		[RPT_WAIT_PREEMPTED] = "R+ (preempted)",
		[RPT_WAIT_RUNNABLE] = "R (runnable)",
		[RPT_WAIT_WOKEN] = "R (woken)",
		[RPT_WAIT_OTHER] = "other",
		[RPT_WAIT_DEAD] = "X (dead)",
	};

	return (unsigned)state < RPT_WAIT_STATES_NR ? texts[state] : "other";
}

enum rpt_wait_state rpt_wait_state_of(const char *text)
{
	switch (text[0]) {
	case 'R':
		return text[1] == '+' ? RPT_WAIT_PREEMPTED : RPT_WAIT_RUNNABLE;
	case 'S':
		return RPT_WAIT_SLEEPING;
	case 'D':
		return RPT_WAIT_DISK;
	case 'T':
		return RPT_WAIT_STOPPED;
	case 't':
		return RPT_WAIT_TRACED;
	case 'P':
		return RPT_WAIT_PARKED;
	case 'I':
		return RPT_WAIT_IDLE;
	case 'X':
	case 'x':
	case 'Z':
		return RPT_WAIT_DEAD;
	default:
		return RPT_WAIT_OTHER;
	}
}
