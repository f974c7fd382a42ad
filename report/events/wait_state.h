/* wait_state.h: why a task was not on a CPU.
 *
 * sched_switch has the state in which a task gave up its CPU (prev_state); its
 * format in the file says which bits mean which letter, as ps(1) and perf print
 * them.
 */
#ifndef RPT_WAIT_STATE_H
#define RPT_WAIT_STATE_H

#include <stdint.h>

enum rpt_wait_state {
	RPT_WAIT_NONE, /* it was on a CPU */
	RPT_WAIT_SLEEPING,
	RPT_WAIT_DISK,
	RPT_WAIT_STOPPED,
	RPT_WAIT_TRACED,
	RPT_WAIT_PARKED,
	RPT_WAIT_IDLE,
	RPT_WAIT_BLOCKED, /* one of those above; the recording has not which */
	RPT_WAIT_PREEMPTED, /* it could run on, but another took the CPU */
	RPT_WAIT_RUNNABLE,  /* it could run on: it was preempted on its way to
			     * user mode (exit_to_user_mode_loop() of Linux),
			     * or yielded */
	RPT_WAIT_WOKEN,	    /* it was woken, and waits for a CPU */
	RPT_WAIT_OTHER,
	RPT_WAIT_DEAD, /* it never runs again; no interval has this state */
	RPT_WAIT_STATES_NR,
};

/* The waker's thread id if nobody is known, and for an interrupt. */
#define RPT_WAKER_NONE	    UINT32_MAX
#define RPT_WAKER_INTERRUPT (UINT32_MAX - 1)

/* Why a sample's task was not on a CPU. */
struct rpt_wait {
	enum rpt_wait_state state;
	uint32_t waker_tid;
	const char *waker; /* its name, of the timeline; NULL: unknown */
};

/* Return "D (disk)"; it is valid for ever. */
const char *rpt_wait_state_text(enum rpt_wait_state state);

/* Return the state that a format's text for prev_state means: "S", "R+",
 * "D|K". */
enum rpt_wait_state rpt_wait_state_of(const char *text);

#endif
