/* attr_callchain.c: which stacks and registers are in a sample. */
#include "record/event/attr_work.h"

static void config_dwarf(const struct rec_attr_work *c, struct rec_event *event,
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

void rec_attr_config_callchain(const struct rec_attr_work *c,
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
	sys->exclude_callchain_user = opts->kernel_callchains;
	sys->exclude_callchain_kernel = opts->user_callchains;
	if (kind == REC_CALLCHAIN_DWARF)
		config_dwarf(c, event,
			     stack_len ? stack_len : REC_STACK_LEN_DEFAULT);
	else if (kind == REC_CALLCHAIN_LBR)
		config_lbr(sys);
}

void rec_attr_config_branch(const struct rec_attr_work *c,
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

void rec_attr_config_regs(const struct rec_attr_work *c,
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
