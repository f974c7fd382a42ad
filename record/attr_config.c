/* attr_config.c: options over events.
 *
 * The order of the steps matters where one bit is decided twice: options, then
 * the event's own terms, then what a sampling group leader imposes, then the
 * ids, for which all sample types must be known.
 */
#include "record/attr_config.h"

#include "record/read_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

enum {
	READ_TIMES =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING
};

/* What does not change from event to event. */
struct config {
	const struct rec_attr_options *opts;
	const struct rec_attr_host *host;
	struct rec_event_list *list;
	uint64_t freq_hz; /* 0: opts->period counts */
	bool cpu_target;
	bool per_thread;
	size_t tracking_idx;
};

static bool is_dummy(const struct rec_event *event)
{
	return event->attr.sys.type == PERF_TYPE_SOFTWARE &&
	       event->attr.sys.config == PERF_COUNT_SW_DUMMY;
}

static bool is_leader(const struct config *c, const struct rec_event *event)
{
	return event->leader_idx == (size_t)(event - c->list->events);
}

static const struct rec_event *leader_of(const struct config *c,
					 const struct rec_event *event)
{
	return &c->list->events[event->leader_idx];
}

static bool is_tracking(const struct config *c, const struct rec_event *event)
{
	return c->tracking_idx == (size_t)(event - c->list->events);
}

/* A group whose leader alone samples and reads all members. */
static bool in_read_group(const struct config *c, const struct rec_event *event)
{
	return event->sample_read && leader_of(c, event)->member_nr > 1;
}

/* Rates -------------------------------------------------------------------- */

static int freq_over_max(const struct config *c, uint64_t *freq_hz,
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

static int freq_resolve(const struct config *c, uint64_t *ret,
			struct pd_err *note, struct pd_err *err)
{
	const struct rec_attr_options *opts = c->opts;
	uint64_t max = c->host->max_sample_hz;
	uint64_t freq = opts->freq_hz ? opts->freq_hz : REC_FREQ_HZ_DEFAULT;

	*ret = 0;
	if (opts->period) {
		if (opts->freq_hz || opts->freq_max)
			return pd_err_set(err, -EINVAL,
					  "-F and -c exclude each other");
		return 0;
	}
	if (opts->freq_max && max == 0)
		return pd_err_set(err, -EINVAL,
				  "-F max: kernel.perf_event_max_sample_rate "
				  "cannot be read");
	if (opts->freq_max)
		freq = max;
	if (max && freq > max) {
		int code = freq_over_max(c, &freq, note, err);

		if (code)
			return code;
	}
	*ret = freq;
	return 0;
}

static void set_freq(struct perf_event_attr *sys, uint64_t freq_hz)
{
	sys->freq = 1;
	sys->sample_freq = freq_hz;
	sys->sample_type |= PERF_SAMPLE_PERIOD;
}

/* Events that come with a period keep it unless the user chose a rate. */
static void config_rate(const struct config *c, struct perf_event_attr *sys)
{
	const struct rec_attr_options *opts = c->opts;
	bool chosen = opts->freq_hz || opts->freq_max || opts->period;

	if (!sys->sample_period || chosen) {
		if (c->freq_hz)
			set_freq(sys, c->freq_hz);
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

/* What is sampled ---------------------------------------------------------- */

/* One bit of sample_type per switch. */
static void config_sample_bits(const struct config *c,
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

static void config_read(const struct config *c, struct rec_event *event)
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
	if (in_read_group(c, event)) {
		sys->read_format |= PERF_FORMAT_GROUP;
		sys->inherit = 0;
	}
}

/* Call chains -------------------------------------------------------------- */

static void config_dwarf(const struct config *c, struct rec_event *event,
			 uint32_t stack_len)
{
	struct perf_event_attr *sys = &event->attr.sys;
	uint64_t regs = c->opts->regs_user;

	if (regs)
		regs |= rec_regs_minimum_mask(c->host->machine);
	else
		regs = rec_regs_user_mask(c->host->machine);
	sys->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
			    PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	sys->sample_regs_user = regs;
	sys->sample_stack_user = stack_len;
	sys->exclude_callchain_user = 1;
	sys->mmap_data = is_tracking(c, event);
}

static void config_lbr(struct perf_event_attr *sys)
{
	sys->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	sys->branch_sample_type =
		PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
		PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS |
		PERF_SAMPLE_BRANCH_HW_INDEX;
}

static void config_callchain(const struct config *c, struct rec_event *event)
{
	const struct rec_event_terms *terms = &event->terms;
	const struct rec_attr_options *opts = c->opts;
	struct perf_event_attr *sys = &event->attr.sys;
	enum rec_callchain kind = opts->callchain;
	uint32_t stack_len = opts->stack_len;

	if (terms->set & REC_TERM_CALLCHAIN)
		kind = terms->callchain;
	else if ((terms->set & REC_TERM_MAX_STACK) && !kind)
		kind = REC_CALLCHAIN_FP;
	if (terms->set & REC_TERM_STACK_LEN)
		stack_len = terms->stack_len;
	if (kind == REC_CALLCHAIN_NONE)
		return;
	sys->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (terms->set & REC_TERM_MAX_STACK)
		sys->sample_max_stack = terms->max_stack;
	sys->exclude_callchain_user = opts->kernel_callchains;
	sys->exclude_callchain_kernel = opts->user_callchains;
	if (kind == REC_CALLCHAIN_DWARF)
		config_dwarf(c, event,
			     stack_len ? stack_len : REC_STACK_LEN_DEFAULT);
	else if (kind == REC_CALLCHAIN_LBR)
		config_lbr(sys);
}

static void config_branch(const struct config *c, struct rec_event *event)
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

static void config_regs(const struct config *c, struct rec_event *event)
{
	struct perf_event_attr *sys = &event->attr.sys;

	if (is_dummy(event))
		return;
	if (c->opts->regs_intr) {
		sys->sample_type |= PERF_SAMPLE_REGS_INTR;
		sys->sample_regs_intr = c->opts->regs_intr;
	}
	if (c->opts->regs_user && !(sys->sample_type & PERF_SAMPLE_REGS_USER)) {
		sys->sample_type |= PERF_SAMPLE_REGS_USER;
		sys->sample_regs_user = c->opts->regs_user;
	}
}

/* Everything else ---------------------------------------------------------- */

/* mmap, comm and task records come from one event of each CPU. */
static void config_tracking(const struct config *c, struct rec_event *event)
{
	const struct rec_attr_options *opts = c->opts;
	struct perf_event_attr *sys = &event->attr.sys;

	if (!is_tracking(c, event))
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
	if (opts->sample_address == REC_YES)
		sys->mmap_data = 1;
}

static void config_levels(const struct config *c, struct perf_event_attr *sys)
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
static void config_start(const struct config *c, struct rec_event *event)
{
	const struct rec_attr_options *opts = c->opts;
	struct perf_event_attr *sys = &event->attr.sys;
	bool is_sideband = is_tracking(c, event) && is_dummy(event);

	if (!is_leader(c, event))
		return;
	sys->disabled = !(is_sideband && c->cpu_target);
	sys->enable_on_exec =
		(opts->target == REC_TARGET_COMMAND && opts->delay_ms == 0) ||
		(is_sideband && opts->delay_ms != 0 && !c->cpu_target);
}

static void config_ring(const struct config *c, struct rec_event *event)
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

static void config_terms(const struct config *c, struct rec_event *event)
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
		set_freq(sys, terms->freq_hz);
		if (c->opts->sample_period == REC_NO)
			sys->sample_type &= ~period_bit;
	}
	if (terms->set & REC_TERM_TIME) {
		sys->sample_type &= ~(uint64_t)PERF_SAMPLE_TIME;
		if (terms->time)
			sys->sample_type |= PERF_SAMPLE_TIME;
	}
	if (terms->set & REC_TERM_INHERIT)
		sys->inherit = terms->inherit && !in_read_group(c, event);
}

static void config_event(const struct config *c, struct rec_event *event)
{
	struct perf_event_attr *sys = &event->attr.sys;

	sys->sample_id_all = 1;
	sys->inherit = !c->opts->no_inherit && !c->per_thread &&
		       c->opts->target != REC_TARGET_TIDS;
	config_rate(c, sys);
	config_sample_bits(c, sys);
	config_read(c, event);
	config_callchain(c, event);
	config_branch(c, event);
	config_regs(c, event);
	config_tracking(c, event);
	config_levels(c, sys);
	config_start(c, event);
	config_ring(c, event);
	config_terms(c, event);
}

/* Members of a group that is read as a whole have no samples of their own and
 * the same layout as their leader. */
static void config_read_member(const struct config *c, struct rec_event *event)
{
	struct perf_event_attr *sys = &event->attr.sys;

	if (is_leader(c, event) || !in_read_group(c, event))
		return;
	if (!(event->terms.set & (REC_TERM_FREQ | REC_TERM_PERIOD))) {
		sys->freq = 0;
		sys->sample_period = 0;
	}
	sys->sample_type = leader_of(c, event)->attr.sys.sample_type;
}

/* Where records must name their event: by ID while all samples have one
 * layout, else by IDENTIFIER, which has a fixed place. */
static void config_ids(const struct config *c)
{
	const struct rec_attr_options *opts = c->opts;
	struct rec_event *events = c->list->events;
	bool needed = c->list->nr > 1 || opts->to_pipe;
	uint64_t bit = PERF_SAMPLE_ID;

	for (size_t i = 0; i < c->list->nr; i++) {
		needed |= events[i].sample_read;
		if (events[i].attr.sys.sample_type !=
		    events[0].attr.sys.sample_type)
			bit = PERF_SAMPLE_IDENTIFIER;
	}
	if (opts->sample_identifier) {
		needed = true;
		bit = PERF_SAMPLE_IDENTIFIER;
	}
	for (size_t i = 0; needed && i < c->list->nr; i++)
		events[i].attr.sys.sample_type |= bit;
}

static int tracking_append(struct config *c, struct pd_err *err)
{
	struct rec_event *event;

	c->tracking_idx = 0;
	if (!c->cpu_target && c->opts->delay_ms == 0)
		return 0;
	if (is_dummy(&c->list->events[0]))
		return 0;
	event = rec_event_append(c->list, "dummy:HG");
	if (!event)
		return pd_err_set(err, -ENOMEM, "no memory");
	event->attr.sys.type = PERF_TYPE_SOFTWARE;
	event->attr.sys.config = PERF_COUNT_SW_DUMMY;
	event->attr.sys.sample_period = 1;
	event->attr.sys.exclude_guest = 0;
	event->is_tracking = true;
	c->tracking_idx = c->list->nr - 1;
	return 0;
}

static int options_check(const struct config *c, struct pd_err *err)
{
	const struct rec_attr_options *opts = c->opts;

	if (c->list->nr == 0)
		return pd_err_set(err, -EINVAL, "no event to record");
	if (opts->all_user && opts->all_kernel)
		return pd_err_set(err, -EINVAL,
				  "--all-user and --all-kernel exclude each "
				  "other");
	for (size_t i = 0; i < c->list->nr; i++) {
		const struct rec_event *event = &c->list->events[i];

		if (c->host->max_stack == 0 ||
		    event->terms.max_stack <= c->host->max_stack)
			continue;
		pd_err_set(err, -EINVAL,
			   "max-stack=%u of %s is over the machine's limit",
			   event->terms.max_stack, event->name);
		pd_err_hint(err, "kernel.perf_event_max_stack is %u",
			    c->host->max_stack);
		return -EINVAL;
	}
	return 0;
}

int rec_attr_config(struct rec_event_list *list,
		    const struct rec_attr_options *opts,
		    const struct rec_attr_host *host, struct pd_err *note,
		    struct pd_err *err)
{
	struct config c = { .opts = opts, .host = host, .list = list };
	int code = options_check(&c, err);

	c.cpu_target = opts->target == REC_TARGET_SYSTEM ||
		       opts->target == REC_TARGET_CPUS;
	c.per_thread = opts->per_thread && !c.cpu_target;
	if (!code)
		code = freq_resolve(&c, &c.freq_hz, note, err);
	if (!code)
		code = tracking_append(&c, err);
	if (code)
		return code;
	for (size_t i = 0; i < list->nr; i++)
		config_event(&c, &list->events[i]);
	for (size_t i = 0; i < list->nr; i++)
		config_read_member(&c, &list->events[i]);
	config_ids(&c);
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
}
