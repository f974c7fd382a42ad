/* lock_rows.h: counts waits for locks by where they began, or by thread.
 *
 * The kernel says when a task begins to wait for a lock that another one has
 * (lock:contention_begin), and when that has ended.  A mutex says twice that a
 * wait begins, first while it spins: the first counts.  One thread may wait for
 * several locks, as an interrupt waits inside of its wait; the idle tasks of
 * all CPUs, which have one number, are told apart by their CPU.
 *
 * The caller of a wait is the first function of the kernel in its call chain
 * that is none of the lock's own, nor of the first skip ones.  Waits are of one
 * row if the addresses from there on are the same.  perf finds the functions
 * of locks by the sections of the kernel in which they lie, we by their names,
 * as a recording has names alone on another machine.
 */
#ifndef RPT_LOCK_ROWS_H
#define RPT_LOCK_ROWS_H

#include "report/spans/spans.h"
#include "report/timeline/address_cache.h"

/* Bits of contention_begin's flags: Linux, include/trace/events/lock.h */
enum {
	RPT_LOCK_SPIN = 1 << 0,
	RPT_LOCK_READ = 1 << 1,
	RPT_LOCK_WRITE = 1 << 2,
	RPT_LOCK_RT = 1 << 3,
	RPT_LOCK_PERCPU = 1 << 4,
	RPT_LOCK_MUTEX = 1 << 5,
};

/* The most that --max-stack may be. */
#define RPT_LOCK_STACK_MAX 1024u

struct rpt_lock_row {
	uint64_t contended_nr;
	uint64_t ended_nr; /* of these: those whose length is known */
	uint64_t total_ns; /* of these, as the next two */
	uint64_t max_ns;
	uint64_t min_ns;
	const char *type;
	uint32_t stack;		   /* of the first wait: number in stacks */
	struct rpt_task_ref ref;   /* and its task */
	struct rpt_timestamp when; /* and its time */
};

struct rpt_lock_rows_conf {
	uint32_t max_stack; /* addresses of a call chain to look at */
	uint32_t skip;	    /* of these, how many from the first on are no
			     * caller */
	bool by_thread;
};

struct rpt_lock_rows {
	struct rpt_spans *spans;
	struct rpt_lock_rows_conf conf;
	struct rpt_budget *budget;
	struct rpt_intern stacks; /* what the addresses of a wait are */
	uint32_t *stack_rows;	  /* owned; by stack */
	uint32_t stack_cap;
	struct rpt_intern keys;	   /* of rows */
	struct rpt_lock_row *rows; /* owned; keys.nr of them */
	uint32_t row_cap;
	struct rpt_intern waits;     /* thread and lock */
	struct rpt_lock_wait *begun; /* owned; by wait */
	uint32_t begun_cap;
	struct rpt_address_cache places; /* of addresses in the kernel */
	uint64_t *room;			 /* owned; for a stack */
	uint32_t loss_nr;
	uint64_t cut_nr;     /* waits in which records were lost */
	uint64_t unbegun_nr; /* ends without a beginning */
};

/* The frame of an address. */
struct rpt_lock_frame {
	uint64_t ip;
	uint64_t off;	  /* in the function */
	const char *name; /* NULL: none is known */
	bool is_kernel;
	bool is_lock; /* one of a lock's own functions */
};

/* spans is borrowed, and open. */
void rpt_lock_rows_init(struct rpt_lock_rows *locks, struct rpt_spans *spans,
			const struct rpt_lock_rows_conf *conf);
void rpt_lock_rows_release(struct rpt_lock_rows *locks);

/* Count an event: rpt_spans_take(). */
int rpt_lock_rows_take(void *ctx, const struct rpt_span_event *event);

/* Return the frame of an address of the row's first wait, the idx-th; false if
 * there are no more. */
bool rpt_lock_rows_frame(struct rpt_lock_rows *locks,
			 const struct rpt_lock_row *row, uint32_t idx,
			 struct rpt_lock_frame *ret);
/* Return the frame of the caller; false if none is known. */
bool rpt_lock_rows_caller(struct rpt_lock_rows *locks,
			  const struct rpt_lock_row *row,
			  struct rpt_lock_frame *ret);

#endif
