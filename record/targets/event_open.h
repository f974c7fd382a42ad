/* event_open.h: open every event on every CPU and thread of the target.
 *
 * Events are opened in perf's order: event by event, CPU by CPU, thread by
 * thread; group members name the leader's descriptor of the same CPU and
 * thread.  The ids in the file have the same order.
 *
 * If the kernel refuses an event, the recorder does as perf does: it tries the
 * event's own fallbacks (event_spec.h, rec_event_fallback()), then does without
 * kernel features, newest first, then raises the limit of file descriptors.  A
 * thread that has ended is left out.
 */
#ifndef REC_EVENT_OPEN_H
#define REC_EVENT_OPEN_H

#include "record/event/event_spec.h"
#include "record/targets/target.h"

/* One open event on one CPU and thread. */
struct rec_open_fd {
	int fd;
	int cpu;   /* -1: any */
	pid_t tid; /* -1: any */
	uint32_t event_idx;
	uint32_t clock_nth; /* which period it has if it is a clock */
	uint8_t rung;	    /* which of its rates; event_rate.h */
	uint64_t period_ns; /* of a clock */
	uint64_t id;	    /* the kernel's, PERF_EVENT_IOC_ID */
	bool is_backward;   /* attr.write_backward: for a ring of
			       overwrite_rings.h */
};

/* Return true if the event's records go to the ring of that CPU, or of that
 * thread on any CPU. */
static inline bool rec_open_fd_is_of(const struct rec_open_fd *fd, int cpu,
				     pid_t tid)
{
	return fd->cpu >= 0 ? cpu == fd->cpu : cpu < 0 && tid == fd->tid;
}

/* The state of an event; any thread. */
struct rec_open_state {
	uint8_t rung; /* atomic: which one is on, if any is */
	bool is_on;   /* atomic */
};

struct rec_open_set {
	struct rec_open_fd *fds; /* owned, in open order */
	size_t nr;
	size_t cap;
	size_t *first; /* owned; of event i: fds[first[i] .. first[i + 1]) */
	size_t event_nr;
	struct rec_open_state *states; /* owned, by event */
	size_t gone_nr;	       /* threads that ended before they were opened */
	bool dropped_build_id; /* the kernel cannot put build-ids in MMAP2 */
};

struct rec_open_conf {
	const struct rec_target *target;
	/* Open what rec_rate_set() needs to lower rates later (event_rate.h);
	 * the descriptors of an event's rungs follow each other. */
	bool may_lower;
	/* Open a rung with that frequency of those of rec_rate_may_cap();
	 * 0: none. */
	uint64_t cap_hz;
	/* Prints a message for the user; may be NULL. */
	void (*note)(const struct pd_err *note);
	/* For counting; has room for each event: one that the machine lacks is
	 * left out, with the reason here, and nothing else is opened instead of
	 * it.  NULL: it fails, or becomes what rec_event_fallback() says. */
	struct pd_err *refused;
};

/* Open all events and set their filters; list then has the attrs as the kernel
 * took them.  Nothing stays open on error; err says what to do. */
int rec_open_set_open(struct rec_open_set *ret, struct rec_event_list *list,
		      const struct rec_open_conf *conf, struct pd_err *err);
void rec_open_set_close(struct rec_open_set *set);

/* Explain a refusal with the negative errno rc by a kernel of that release
 * ("6.1.0-50-amd64"), if it lacks what the event asks for; else return false.
 */
bool rec_open_explain_old(const struct rec_event *event, const char *release,
			  int rc, struct pd_err *err);

/* Enable or disable all events; group members follow their leader. */
int rec_open_set_enable(const struct rec_open_set *set, bool enable,
			struct pd_err *err);
/* Do the same for the event at idx of the list. */
int rec_open_set_enable_event(const struct rec_open_set *set, size_t idx,
			      bool enable, struct pd_err *err);
/* Choose the rung that is on while the event is.  Return 0 or a negative errno.
 */
int rec_open_set_climb(const struct rec_open_set *set, size_t idx,
		       unsigned rung);

/* Send SIGIO to this process at each sample, or not any more; each task of the
 * events that are inherited counts.  It costs an interrupt for each sample.
 * Return false if some records come without: then it is of no use. */
bool rec_open_set_signal(const struct rec_open_set *set,
			 const struct rec_event_list *list, bool on);

#endif
