/* Apply options to events, one function per group of fields.
 *
 * The fields are those that perf 6.1 was seen to set
 * (tests/unit/record/event/test_attr_config.c), which is the reason of each
 * rule without another one beside it.  If a field is set twice, the later step
 * wins:
 *
 *	tracking_append()	which event carries the sideband: it may be one
 *				more, which the next steps configure as well
 *	config_event()		each event by itself: the options, and behind
 *				them the terms in its text ("cycles/period=9/")
 *	config_read_member()	what a leader that reads its group imposes on
 *				the members; its own sample_type is final
 *	config_ids()		how records name their event, for which all
 *				sample types must be final
 *	config_leaf()		which events are opened with more than their
 *				attr says
 */
#include "record/event/attr_config.h"

#include "record/base/read_file.h"
#include "record/event/clock_period.h"
#include "record/event/event_terms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <time.h>

/* The rate at which an event is sampled. */

static int freq_over_max(const struct rec_attr_work *c, uint64_t *freq_hz,
			 struct pd_err *note, struct pd_err *err)
{
	uint64_t max = c->host->max_sample_hz;

	if (c->opts->strict_freq) {
		pd_err_set(err, -EINVAL,
			   "%llu Hz is over the machine's limit of %llu Hz",
			   (unsigned long long)*freq_hz,
			   (unsigned long long)max);
		pd_err_hint(err, "give -F a lower value or raise "
				 "kernel.perf_event_max_sample_rate");
		return -EINVAL;
	}
	if (note) {
		snprintf(note->text, sizeof(note->text),
			 "sampling at %llu Hz instead of %llu Hz, the "
			 "machine's limit",
			 (unsigned long long)max, (unsigned long long)*freq_hz);
		pd_err_hint(note,
			    "the limit is kernel.perf_event_max_sample_rate; "
			    "--strict-freq refuses to record instead");
	}
	*freq_hz = max;
	return 0;
}

static bool is_rate_chosen(const struct rec_attr_options *opts)
{
	return opts->freq_hz || opts->freq_max || opts->period;
}

/* Events that come with a period keep it unless the user chose a rate; terms of
 * an event come before both. */
static bool is_rate_used(const struct rec_attr_work *c)
{
	for (size_t i = 0; i < c->list->nr; i++) {
		const struct rec_event *event = &c->list->events[i];

		if (!(event->terms.set & (REC_TERM_FREQ | REC_TERM_PERIOD)) &&
		    (is_rate_chosen(c->opts) || !event->attr.sys.sample_period))
			return true;
	}
	return false;
}

/* Compute the frequency from the option and the machine's limit; 0 with -c. */
static int attr_freq_resolve(const struct rec_attr_work *c, uint64_t *ret,
			     struct pd_err *note, struct pd_err *err)
{
	const struct rec_attr_options *opts = c->opts;
	uint64_t max = c->host->max_sample_hz;
	uint64_t freq = opts->freq_hz ? opts->freq_hz : REC_FREQ_HZ_DEFAULT;

	*ret = 0;
	if (opts->period) {
		if (!opts->freq_hz && !opts->freq_max)
			return 0;
		pd_err_set(err, -EINVAL, "-F and -c exclude each other");
		pd_err_hint(err, "give -F samples per second, or one sample "
				 "every -c events");
		return -EINVAL;
	}
	if (opts->freq_max && max == 0) {
		pd_err_set(err, -EINVAL,
			   "-F max: kernel.perf_event_max_sample_rate "
			   "cannot be read");
		pd_err_hint(err, "give -F a number");
		return -EINVAL;
	}
	if (opts->freq_max)
		freq = max;
	if (max && freq > max && is_rate_used(c)) {
		int rc = freq_over_max(c, &freq, note, err);

		if (rc)
			return rc;
	}
	*ret = freq;
	return 0;
}

static void attr_set_freq(struct perf_event_attr *sys, uint64_t freq_hz)
{
	sys->freq = 1;
	sys->sample_freq = freq_hz;
	sys->sample_type |= PERF_SAMPLE_PERIOD;
}

/* Set the period or frequency, and if samples record the period. */
static void attr_config_rate(const struct rec_attr_work *c,
			     struct perf_event_attr *sys)
{
	const struct rec_attr_options *opts = c->opts;

	if (!sys->sample_period || is_rate_chosen(opts)) {
		if (c->freq_hz)
			attr_set_freq(sys, c->freq_hz);
		else
			sys->sample_period = opts->period;
	}
	if (opts->no_samples)
		sys->sample_period = 0;
	if (opts->sample_period == REC_YES)
		sys->sample_type |= PERF_SAMPLE_PERIOD;
	if (opts->sample_period == REC_NO)
		sys->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
}

/* Stacks and registers in a sample. */

static void config_dwarf(const struct rec_attr_work *c, struct rec_event *event,
			 uint32_t stack_len)
{
	struct perf_event_attr *sys = &event->attr.sys;
	uint64_t regs = c->opts->regs_user;

	if (regs)
		regs |= rec_regs_minimum_mask(c->host->machine);
	else
		regs = rec_regs_user_mask(c->host->machine) |
		       c->host->more_regs;
	sys->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
			    PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	sys->sample_regs_user = regs;
	sys->sample_stack_user = stack_len;
	sys->exclude_callchain_user = 1;
	sys->mmap_data = rec_work_is_tracking(c, event);
}

static void config_lbr(struct perf_event_attr *sys)
{
	sys->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	sys->branch_sample_type =
		PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
		PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS |
		PERF_SAMPLE_BRANCH_HW_INDEX;
}

static enum rec_callchain kind_of(const struct rec_attr_work *c,
				  const struct rec_event *event)
{
	const struct rec_event_terms *terms = &event->terms;

	if (terms->set & REC_TERM_CALLCHAIN)
		return terms->callchain;
	if ((terms->set & REC_TERM_MAX_STACK) && !c->opts->callchain)
		return REC_CALLCHAIN_FP;
	return c->opts->callchain;
}

/* Return whether the event is of threads that give up a CPU.  Their leaf is a
 * system call of libc, which has no frame. */
static bool is_switch(const struct rec_event *event)
{
	const struct perf_event_attr *sys = &event->attr.sys;

	return !strcmp(event->name, "sched:sched_switch") ||
	       (sys->type == PERF_TYPE_SOFTWARE &&
		sys->config == PERF_COUNT_SW_CONTEXT_SWITCHES);
}

/* Return whether a chain must not have callers in user space.  Linux 6.12 reads
 * them on riscv64 with page faults on.  A fault under the scheduler's lock
 * waits for the memory of the task, which may be locked: that switches to
 * another task, with the same lock, and the CPU stops for good. */
static bool hangs_at_user(const struct rec_attr_work *c,
			  const struct rec_event *event)
{
	return !strcmp(c->host->machine, "riscv64") &&
	       (is_switch(event) || !strncmp(event->name, "sched:", 6));
}

/* Set call chains, branch stacks and registers by the options and the event's
 * terms; in this order, since each leaves alone what an earlier one needs. */
static void attr_config_callchain(const struct rec_attr_work *c,
				  struct rec_event *event)
{
	const struct rec_event_terms *terms = &event->terms;
	const struct rec_attr_options *opts = c->opts;
	struct perf_event_attr *sys = &event->attr.sys;
	enum rec_callchain kind = kind_of(c, event);
	uint32_t stack_len = opts->stack_len;

	if (terms->set & REC_TERM_STACK_LEN)
		stack_len = terms->stack_len;
	if (kind == REC_CALLCHAIN_NONE)
		return;
	sys->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (terms->set & REC_TERM_MAX_STACK)
		sys->sample_max_stack = terms->max_stack;
	sys->exclude_callchain_user =
		opts->kernel_callchains || hangs_at_user(c, event);
	sys->exclude_callchain_kernel = opts->user_callchains;
	if (kind == REC_CALLCHAIN_DWARF)
		config_dwarf(c, event,
			     stack_len ? stack_len : REC_STACK_LEN_DEFAULT);
	else if (kind == REC_CALLCHAIN_LBR)
		config_lbr(sys);
}

static void attr_config_branch(const struct rec_attr_work *c,
			       struct rec_event *event)
{
	struct perf_event_attr *sys = &event->attr.sys;
	uint64_t type = c->opts->branch_type;

	if (event->terms.set & REC_TERM_BRANCH)
		type = event->terms.branch_type;
	if (!type || (sys->sample_type & PERF_SAMPLE_BRANCH_STACK))
		return;
	sys->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	sys->branch_sample_type = type;
}

/* The link register of aarch64 is for callers that frame pointers pass over, as
 * in perf since 5.18; perf also takes it for events without such chains. */
static uint64_t regs_user(const struct rec_attr_work *c,
			  const struct rec_event *event)
{
	uint64_t regs = c->opts->regs_user;

	if (kind_of(c, event) == REC_CALLCHAIN_FP &&
	    !event->attr.sys.exclude_callchain_user)
		regs |= rec_regs_link_mask(c->host->machine);
	return regs;
}

static void attr_config_regs(const struct rec_attr_work *c,
			     struct rec_event *event)
{
	struct perf_event_attr *sys = &event->attr.sys;
	uint64_t regs = regs_user(c, event);

	if (rec_event_is_dummy(event))
		return;
	if (c->opts->regs_intr) {
		sys->sample_type |= PERF_SAMPLE_REGS_INTR;
		sys->sample_regs_intr = c->opts->regs_intr;
	}
	if (regs && !(sys->sample_type & PERF_SAMPLE_REGS_USER)) {
		sys->sample_type |= PERF_SAMPLE_REGS_USER;
		sys->sample_regs_user = regs;
	}
}

enum {
	READ_TIMES =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING
};

/* Set a bit of sample_type per switch. */
static void config_sample_bits(const struct rec_attr_work *c,
			       struct perf_event_attr *sys)
{
	const struct rec_attr_options *o = c->opts;
	const bool has_time = o->sample_time == REC_YES ||
			      (o->sample_time == REC_DEFAULT && !c->per_thread);
	const struct {
		bool on;
		uint64_t bits;
	} switches[] = {
		{ true, PERF_SAMPLE_IP | PERF_SAMPLE_TID },
		{ has_time, PERF_SAMPLE_TIME },
		{ c->cpu_target || o->sample_cpu, PERF_SAMPLE_CPU },
		{ o->raw_samples,
		  PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU },
		{ o->sample_address == REC_YES,
		  PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC },
		{ o->phys_data, PERF_SAMPLE_PHYS_ADDR },
		{ o->data_page_len, PERF_SAMPLE_DATA_PAGE_SIZE },
		{ o->code_page_len, PERF_SAMPLE_CODE_PAGE_SIZE },
		{ o->sample_weight, PERF_SAMPLE_WEIGHT_STRUCT },
		{ o->sample_transaction, PERF_SAMPLE_TRANSACTION },
		{ o->all_cgroups, PERF_SAMPLE_CGROUP },
	};

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		if (switches[i].on)
			sys->sample_type |= switches[i].bits;
	}
}

static void config_read(const struct rec_attr_work *c, struct rec_event *event)
{
	struct perf_event_attr *sys = &event->attr.sys;
	const struct rec_attr_options *opts = c->opts;

	sys->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	if (opts->inherit_stat || opts->running_time)
		sys->read_format |= READ_TIMES;
	sys->inherit_stat = opts->inherit_stat;
	if (!event->sample_read)
		return;
	sys->sample_type |= PERF_SAMPLE_READ;
	/* The kernel cannot read inherited groups in a sample. */
	if (rec_work_in_read_group(c, event)) {
		sys->read_format |= PERF_FORMAT_GROUP;
		sys->inherit = 0;
	}
}

/* One event of each CPU carries mmap, comm and task records. */
static void config_tracking(const struct rec_attr_work *c,
			    struct rec_event *event)
{
	const struct rec_attr_options *opts = c->opts;
	struct perf_event_attr *sys = &event->attr.sys;

	if (!rec_work_is_tracking(c, event))
		return;
	sys->mmap = 1;
	sys->mmap2 = 1;
	sys->comm = 1;
	sys->comm_exec = 1;
	sys->task = 1;
	sys->ksymbol = 1;
	sys->bpf_event = !opts->no_bpf_event;
	sys->namespaces = opts->namespaces;
	sys->cgroup = opts->all_cgroups;
	sys->context_switch = opts->switch_events;
	sys->build_id = opts->buildid_mmap;
	if (opts->sample_address == REC_YES || opts->data_maps)
		sys->mmap_data = 1;
}

static void config_levels(const struct rec_attr_work *c,
			  struct perf_event_attr *sys)
{
	if (c->opts->all_user) {
		sys->exclude_kernel = 1;
		sys->exclude_user = 0;
	}
	if (c->opts->all_kernel) {
		sys->exclude_kernel = 0;
		sys->exclude_user = 1;
	}
}

/* Leaders start disabled; the recorder or the command's exec enables them.
 * Sideband flows from the start, in a delayed recording from the exec on. */
static void config_start(const struct rec_attr_work *c, struct rec_event *event)
{
	const struct rec_attr_options *opts = c->opts;
	struct perf_event_attr *sys = &event->attr.sys;
	bool is_sideband =
		rec_work_is_tracking(c, event) && rec_event_is_dummy(event);

	if (!rec_work_is_leader(c, event))
		return;
	sys->disabled = !(is_sideband && c->cpu_target);
	if (opts->is_delayed)
		sys->enable_on_exec = is_sideband && !c->cpu_target;
	else
		sys->enable_on_exec = opts->target == REC_TARGET_COMMAND;
}

static void config_ring(const struct rec_attr_work *c, struct rec_event *event)
{
	const struct rec_attr_options *opts = c->opts;
	struct perf_event_attr *sys = &event->attr.sys;

	sys->write_backward = opts->overwrite;
	if (event->terms.set & REC_TERM_OVERWRITE)
		sys->write_backward = event->terms.overwrite;
	if (opts->use_clockid) {
		sys->use_clockid = 1;
		sys->clockid = opts->clockid;
	}
	if (opts->no_buffering) {
		sys->wakeup_events = 1;
	} else if (opts->own_watermark_len) {
		sys->watermark = 1;
		sys->wakeup_watermark = opts->own_watermark_len;
	}
}

/* Apply the terms of one event, which override the options.  Samples need no
 * period if the event has a period of its own; with a frequency they need it,
 * except with --no-period. */
static void config_terms(const struct rec_attr_work *c, struct rec_event *event)
{
	const struct rec_event_terms *terms = &event->terms;
	struct perf_event_attr *sys = &event->attr.sys;
	const uint64_t period_bit = PERF_SAMPLE_PERIOD;

	if (terms->set & REC_TERM_PERIOD) {
		sys->freq = 0;
		sys->sample_period = terms->period;
		if (c->opts->sample_period != REC_YES)
			sys->sample_type &= ~period_bit;
	}
	if (terms->set & REC_TERM_FREQ) {
		attr_set_freq(sys, terms->freq_hz);
		if (c->opts->sample_period == REC_NO)
			sys->sample_type &= ~period_bit;
	}
	if (terms->set & REC_TERM_TIME) {
		sys->sample_type &= ~(uint64_t)PERF_SAMPLE_TIME;
		if (terms->time)
			sys->sample_type |= PERF_SAMPLE_TIME;
	}
	if (terms->set & REC_TERM_INHERIT)
		sys->inherit =
			terms->inherit && !rec_work_in_read_group(c, event);
}

static void config_event(const struct rec_attr_work *c, struct rec_event *event)
{
	struct perf_event_attr *sys = &event->attr.sys;

	sys->sample_id_all = 1;
	/* per thread the ring is not of one CPU, and the kernel maps none of an
	 * inherited event then; what the threads of -t start is not followed */
	sys->inherit = !c->opts->no_inherit && !c->per_thread &&
		       c->opts->target != REC_TARGET_TIDS;
	attr_config_rate(c, sys);
	config_sample_bits(c, sys);
	config_read(c, event);
	attr_config_callchain(c, event);
	attr_config_branch(c, event);
	attr_config_regs(c, event);
	config_tracking(c, event);
	config_levels(c, sys);
	config_start(c, event);
	config_ring(c, event);
	config_terms(c, event);
}

/* Return how many samples a second an event takes at most on a CPU, those of
 * switches left out, which nothing bounds; UINT64_MAX: any number. */
static uint64_t most_hz(const struct rec_event *event)
{
	const struct perf_event_attr *sys = &event->attr.sys;
	bool is_clock = rec_is_clock(sys);

	if (is_switch(event))
		return 0;
	if (sys->freq &&
	    (is_clock || sys->type == PERF_TYPE_HARDWARE ||
	     sys->type == PERF_TYPE_HW_CACHE || sys->type == PERF_TYPE_RAW))
		return sys->sample_freq;
	return is_clock && sys->sample_period
		       ? UINT64_C(1000000000) / sys->sample_period
		       : UINT64_MAX;
}

void rec_attr_limit_leaf(struct rec_event_list *list, uint64_t limit_hz)
{
	uint64_t sum_hz = 0;

	for (size_t i = 0; i < list->nr; i++) {
		struct rec_event *event = &list->events[i];
		uint64_t hz = most_hz(event);

		event->has_leaf &= hz <= limit_hz;
		sum_hz += event->has_leaf ? hz : 0;
	}
	for (size_t i = 0; i < list->nr; i++)
		list->events[i].has_leaf &=
			sum_hz <= limit_hz || is_switch(&list->events[i]);
}

const struct rec_event *rec_attr_lacks_leaf(const struct rec_event_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct rec_event *event = &list->events[i];
		const struct perf_event_attr *sys = &event->attr.sys;

		if (sys->sample_type & PERF_SAMPLE_CALLCHAIN &&
		    sys->sample_period && !rec_event_is_dummy(event) &&
		    !is_switch(event) && !event->has_leaf)
			return event;
	}
	return NULL;
}

/* Choose the events whose samples have what callers of leaves are found by. */
static void config_leaf(const struct rec_attr_work *c)
{
	bool is_asked = c->opts->leaf_callers == REC_YES;

	if (c->opts->leaf_callers == REC_NO ||
	    strcmp(c->host->machine, "x86_64") != 0)
		return;
	for (size_t i = 0; i < c->list->nr; i++) {
		struct rec_event *event = &c->list->events[i];
		const struct perf_event_attr *sys = &event->attr.sys;

		event->has_leaf = kind_of(c, event) == REC_CALLCHAIN_FP &&
				  !sys->exclude_callchain_user &&
				  !(sys->sample_type & PERF_SAMPLE_REGS_USER);
		/* these would fill rings that hold no more than before */
		if (is_switch(event) || c->opts->overwrite ||
		    event->terms.overwrite)
			event->has_leaf &= is_asked;
	}
	rec_attr_limit_leaf(c->list, c->opts->own_leaf_hz);
}

/* Members of a group that is read as a whole have no samples of their own and
 * the same layout as their leader. */
static void config_read_member(const struct rec_attr_work *c,
			       struct rec_event *event)
{
	struct perf_event_attr *sys = &event->attr.sys;

	if (rec_work_is_leader(c, event) || !rec_work_in_read_group(c, event))
		return;
	if (!(event->terms.set & (REC_TERM_FREQ | REC_TERM_PERIOD))) {
		sys->freq = 0;
		sys->sample_period = 0;
	}
	sys->sample_type = rec_work_leader_of(c, event)->attr.sys.sample_type;
}

static bool is_one_layout(const struct rec_event_list *list)
{
	for (size_t i = 1; i < list->nr; i++) {
		if (list->events[i].attr.sys.sample_type !=
		    list->events[0].attr.sys.sample_type)
			return false;
	}
	return true;
}

/* Ids are needed for several events, in a pipe (whose attrs come with their
 * ids), and if a sample has values of several events. */
static bool are_ids_needed(const struct rec_attr_work *c)
{
	for (size_t i = 0; i < c->list->nr; i++) {
		if (c->list->events[i].sample_read)
			return true;
	}
	return c->list->nr > 1 || c->opts->to_pipe ||
	       c->opts->sample_identifier;
}

/* Let records name their event: by ID if all samples have one layout, else by
 * IDENTIFIER, which has a fixed place. */
static void config_ids(const struct rec_attr_work *c)
{
	uint64_t bit = PERF_SAMPLE_ID;

	if (!are_ids_needed(c))
		return;
	if (c->opts->sample_identifier || !is_one_layout(c->list))
		bit = PERF_SAMPLE_IDENTIFIER;
	for (size_t i = 0; i < c->list->nr; i++)
		c->list->events[i].attr.sys.sample_type |= bit;
}

/* The first event carries mmap, comm and task records, unless they are needed
 * when or where it is not open: on CPUs for all tasks, or while the events are
 * off.  Then a dummy event, which counts nothing, is appended for them. */
static int tracking_append(struct rec_attr_work *c, struct pd_err *err)
{
	struct rec_event *event;

	c->tracking_idx = 0;
	if (!c->cpu_target && !c->opts->is_delayed && !c->opts->has_control)
		return 0;
	if (rec_event_is_dummy(&c->list->events[0]))
		return 0;
	event = rec_event_append(c->list, "dummy:HG");
	if (!event)
		return pd_err_set(err, -ENOMEM, "out of memory");
	event->attr.sys.type = PERF_TYPE_SOFTWARE;
	event->attr.sys.config = PERF_COUNT_SW_DUMMY;
	event->attr.sys.sample_period = 1;
	event->attr.sys.exclude_guest = 0;
	event->is_tracking = true;
	c->tracking_idx = c->list->nr - 1;
	return 0;
}

/* Check max-stack=N of an event against the kernel's limit. */
static int stack_check(const struct rec_attr_work *c,
		       const struct rec_event *event, struct pd_err *err)
{
	if (c->host->max_stack == 0 ||
	    event->terms.max_stack <= c->host->max_stack)
		return 0;
	pd_err_set(err, -EINVAL,
		   "max-stack=%u of %s is over the machine's limit",
		   event->terms.max_stack, event->name);
	pd_err_hint(err, "kernel.perf_event_max_stack is %u",
		    c->host->max_stack);
	return -EINVAL;
}

static int options_check(const struct rec_attr_work *c, struct pd_err *err)
{
	int rc = 0;

	if (c->list->nr == 0)
		return pd_err_set(err, -EINVAL, "no event to record");
	if (c->opts->all_user && c->opts->all_kernel)
		return pd_err_set(err, -EINVAL,
				  "--all-user and --all-kernel exclude each "
				  "other");
	for (size_t i = 0; i < c->list->nr && !rc; i++)
		rc = stack_check(c, &c->list->events[i], err);
	return rc;
}

static void note_hang(const struct rec_attr_work *c, struct pd_err *note)
{
	if (!note || note->text[0] || c->opts->kernel_callchains)
		return;
	for (size_t i = 0; i < c->list->nr; i++) {
		const struct rec_event *event = &c->list->events[i];

		if (kind_of(c, event) == REC_CALLCHAIN_FP &&
		    hangs_at_user(c, event)) {
			pd_err_set(note, 0,
				   "%s: callers in the kernel only: Linux on "
				   "riscv64 may hang if it reads others there",
				   event->name);
			return;
		}
	}
}

int rec_attr_config(struct rec_event_list *list,
		    const struct rec_attr_options *opts,
		    const struct rec_attr_host *host, struct pd_err *note,
		    struct pd_err *err)
{
	struct rec_attr_work c = { .opts = opts, .host = host, .list = list };
	int rc = options_check(&c, err);

	c.cpu_target = opts->target == REC_TARGET_SYSTEM ||
		       opts->target == REC_TARGET_CPUS;
	c.per_thread = opts->per_thread && !c.cpu_target;
	if (!rc)
		rc = attr_freq_resolve(&c, &c.freq_hz, note, err);
	if (!rc)
		rc = tracking_append(&c, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < list->nr; i++)
		config_event(&c, &list->events[i]);
	for (size_t i = 0; i < list->nr; i++)
		config_read_member(&c, &list->events[i]);
	config_ids(&c);
	config_leaf(&c);
	note_hang(&c, note);
	if (list->events[c.tracking_idx].is_tracking)
		return rec_event_rename(&list->events[c.tracking_idx]);
	return 0;
}

void rec_attr_host_read(struct rec_attr_host *host, const char *procfs)
{
	static struct utsname uts;
	uint64_t num;

	memset(host, 0, sizeof(*host));
	if (!rec_read_u64(procfs, "sys/kernel/perf_event_max_sample_rate",
			  &num))
		host->max_sample_hz = num;
	if (!rec_read_u64(procfs, "sys/kernel/perf_event_max_stack", &num) &&
	    num <= UINT16_MAX)
		host->max_stack = (uint16_t)num;
	host->machine = uname(&uts) == 0 ? uts.machine : "";
	host->more_regs = rec_regs_own_optional();
}

/* Parse the texts of options that set fields of an attr. */

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))

enum { STACK_MAX_LEN = 65528, STACK_ALIGN = 8 };

int rec_stack_len_parse(const char *text, uint32_t *ret, struct pd_err *err)
{
	uint64_t len;
	int rc = rec_number_parse(text, strlen(text), &len);

	if (!rc && len <= STACK_MAX_LEN)
		len = (len + STACK_ALIGN - 1) & ~(uint64_t)(STACK_ALIGN - 1);
	if (rc || len == 0 || len > STACK_MAX_LEN) {
		pd_err_set(err, -EINVAL, "stack copy of '%s' bytes", text);
		pd_err_hint(err, "give a number of bytes up to %d",
			    STACK_MAX_LEN);
		return -EINVAL;
	}
	*ret = (uint32_t)len;
	return 0;
}

static const struct {
	const char *name;
	enum rec_callchain callchain;
} callchain_names[] = {
	{ "fp", REC_CALLCHAIN_FP },
	{ "dwarf", REC_CALLCHAIN_DWARF },
	{ "lbr", REC_CALLCHAIN_LBR },
	{ "no", REC_CALLCHAIN_NONE },
};

int rec_callchain_parse(const char *text, enum rec_callchain *ret,
			uint32_t *ret_stack_len, struct pd_err *err)
{
	size_t len = strcspn(text, ",");

	for (size_t i = 0; i < ARRAY_NR(callchain_names); i++) {
		const char *name = callchain_names[i].name;

		if (strlen(name) != len || strncmp(text, name, len) != 0)
			continue;
		if (!strcmp(text, "fp,defer")) {
			pd_err_set(
				err, -EINVAL,
				"--call-graph fp,defer: callers are recorded "
				"with their sample");
			pd_err_hint(err, "-g records them; perfpair reads what "
					 "perf record has deferred");
			return -EINVAL;
		}
		if (text[len] &&
		    callchain_names[i].callchain != REC_CALLCHAIN_DWARF)
			return pd_err_set(err, -EINVAL,
					  "--call-graph %s takes no size",
					  name);
		if (text[len]) {
			int rc = rec_stack_len_parse(text + len + 1,
						     ret_stack_len, err);

			if (rc)
				return rc;
		}
		*ret = callchain_names[i].callchain;
		return 0;
	}
	pd_err_set(err, -EINVAL, "no way to record call chains is called '%s'",
		   text);
	pd_err_hint(err, "there are fp, dwarf[,SIZE] and lbr");
	return -EINVAL;
}

static const struct {
	const char *name;
	uint64_t bits;
} branch_names[] = {
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "priv", PERF_SAMPLE_BRANCH_PRIV_SAVE },
};

static uint64_t branch_bits(const char *text, size_t len)
{
	for (size_t i = 0; i < ARRAY_NR(branch_names); i++) {
		if (strlen(branch_names[i].name) == len &&
		    strncasecmp(branch_names[i].name, text, len) == 0)
			return branch_names[i].bits;
	}
	return 0;
}

int rec_branch_parse(const char *text, uint64_t *ret, struct pd_err *err)
{
	const uint64_t levels = PERF_SAMPLE_BRANCH_USER |
				PERF_SAMPLE_BRANCH_KERNEL |
				PERF_SAMPLE_BRANCH_HV;
	uint64_t all = 0;

	for (;;) {
		size_t len = strcspn(text, ",");
		uint64_t bits = branch_bits(text, len);

		if (!bits) {
			pd_err_set(err, -EINVAL, "unknown branch filter '%.*s'",
				   (int)len, text);
			pd_err_hint(err, "there are any any_call any_ret "
					 "ind_call ind_jmp cond call in_tx "
					 "no_tx abort_tx stack save_type "
					 "no_flags no_cycles priv u k hv");
			return -EINVAL;
		}
		all |= bits;
		if (!text[len])
			break;
		text += len + 1;
	}
	/* If only levels are given: any branch, of all levels. */
	*ret = all & ~levels ? all : PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

static const struct {
	const char *name;
	int32_t clockid;
} clock_names[] = {
	{ "monotonic", CLOCK_MONOTONIC },
	{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", CLOCK_REALTIME },
	{ "boottime", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
	{ "mono", CLOCK_MONOTONIC },
	{ "raw", CLOCK_MONOTONIC_RAW },
	{ "real", CLOCK_REALTIME },
	{ "boot", CLOCK_BOOTTIME },
};

int rec_clockid_parse(const char *text, int32_t *ret, struct pd_err *err)
{
	static const char prefix[] = "CLOCK_";
	const char *name = text;
	uint64_t num;

	if (rec_number_parse(text, strlen(text), &num) == 0 &&
	    num <= INT32_MAX) {
		*ret = (int32_t)num;
		return 0;
	}
	if (strncasecmp(name, prefix, sizeof(prefix) - 1) == 0)
		name += sizeof(prefix) - 1;
	for (size_t i = 0; i < ARRAY_NR(clock_names); i++) {
		if (strcasecmp(name, clock_names[i].name) == 0) {
			*ret = clock_names[i].clockid;
			return 0;
		}
	}
	pd_err_set(err, -EINVAL, "unknown clock '%s'", text);
	pd_err_hint(err, "there are mono, raw, real, boot and tai");
	return -EINVAL;
}
