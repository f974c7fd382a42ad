#include "report/spans/lock_rows.h"

#include "format/records/callchain.h"
#include "report/base/memory.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct rpt_lock_wait {
	uint64_t start_ns;
	uint32_t row;
	uint32_t loss_nr; /* of rpt_lock_rows then */
	bool is_open;
};

/* Key of a wait; without padding. */
struct wait_key {
	uint64_t lock;
	uint32_t tid;
	uint32_t cpu;
};

/* The head of a stack; its addresses follow, each behind its cpumode. */
struct stack_head {
	const char *type;
	uint64_t nr;
};

static const struct {
	uint32_t flags;
	const char *name;
} types[] = {
	{ 0, "semaphore" },
	{ RPT_LOCK_SPIN, "spinlock" },
	{ RPT_LOCK_SPIN | RPT_LOCK_READ, "rwlock:R" },
	{ RPT_LOCK_SPIN | RPT_LOCK_WRITE, "rwlock:W" },
	{ RPT_LOCK_READ, "rwsem:R" },
	{ RPT_LOCK_WRITE, "rwsem:W" },
	{ RPT_LOCK_RT, "rtmutex" },
	{ RPT_LOCK_RT | RPT_LOCK_READ, "rwlock-rt:R" },
	{ RPT_LOCK_RT | RPT_LOCK_WRITE, "rwlock-rt:W" },
	{ RPT_LOCK_PERCPU | RPT_LOCK_READ, "pcpu-sem:R" },
	{ RPT_LOCK_PERCPU | RPT_LOCK_WRITE, "pcpu-sem:W" },
	{ RPT_LOCK_MUTEX, "mutex" },
	{ RPT_LOCK_MUTEX | RPT_LOCK_SPIN, "mutex" },
};

static const char *type_of(uint64_t flags)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (types[i].flags == flags)
			return types[i].name;
	return "unknown";
}

/* The functions of Linux that it puts with its locks (__lockfunc) or with its
 * scheduler (__sched): kernel/locking, kernel/sched,
 * kernel/time/sleep_timeout.c of 5.19 to 6.18.  What a compiler appends behind
 * a '.' is cut off before. */
static const char *const lock_functions[] = {
	"*queued_read_lock_slowpath",
	"*queued_spin_lock_slowpath",
	"*queued_spin_unlock*",
	"*queued_write_lock_slowpath",
	"__cond_resched",
	"__down",
	"__down_*",
	"__mutex_lock*",
	"__mutex_unlock_slowpath",
	"__percpu_down_read",
	"__rt_mutex_*",
	"__schedule",
	"__up",
	"__wait_for_common",
	"__wait_on_bit*",
	"__ww_mutex_lock*",
	"_raw_read_*lock*",
	"_raw_spin_lock*",
	"_raw_spin_trylock*",
	"_raw_spin_unlock*",
	"_raw_write_*lock*",
	"bit_wait*",
	"do_nanosleep",
	"down",
	"down_interruptible",
	"down_killable",
	"down_read",
	"down_read_interruptible",
	"down_read_killable",
	"down_timeout",
	"down_trylock",
	"down_write",
	"down_write_killable",
	"io_schedule",
	"io_schedule_timeout",
	"ldsem_down_*",
	"mutex_lock*",
	"mutex_trylock",
	"mutex_unlock",
	"out_of_line_wait_on_bit*",
	"percpu_down_write",
	"preempt_schedule*",
	"resilient_*spin_lock*",
	"rt_mutex_*",
	"rwsem_down_*_slowpath",
	"schedule",
	"schedule_hrtimeout*",
	"schedule_idle",
	"schedule_preempt_disabled",
	"schedule_timeout*",
	"task_blocks_on_rt_mutex",
	"up",
	"usleep_range*",
	"wait_for_completion*",
	"ww_mutex_lock*",
	"ww_mutex_unlock",
	"yield",
	"yield_to",
};

static bool is_lock_function(const char *name)
{
	size_t len = strcspn(name, ".");
	char stem[64];

	if (len >= sizeof(stem))
		return false;
	memcpy(stem, name, len);
	stem[len] = '\0';
	for (size_t i = 0; i < sizeof(lock_functions) / sizeof(*lock_functions);
	     i++)
		if (!fnmatch(lock_functions[i], stem, 0))
			return true;
	return false;
}

void rpt_lock_rows_init(struct rpt_lock_rows *locks, struct rpt_spans *spans,
			const struct rpt_lock_rows_conf *conf)
{
	struct rpt_budget *budget = rpt_timeline_budget(spans->timeline);
	struct rpt_intern table = { .is_bytes = true,
				    .keys = { .budget = budget },
				    .limit = budget };

	*locks = (struct rpt_lock_rows){
		.spans = spans,
		.conf = *conf,
		.budget = budget,
		.stacks = table,
		.keys = table,
		.waits = table,
	};
	locks->room = rpt_alloc(sizeof(struct stack_head) +
				(size_t)conf->max_stack * 16);
}

void rpt_lock_rows_release(struct rpt_lock_rows *locks)
{
	rpt_intern_release(&locks->stacks);
	rpt_intern_release(&locks->keys);
	rpt_intern_release(&locks->waits);
	rpt_address_cache_release(&locks->places);
	free(locks->stack_rows);
	free(locks->rows);
	free(locks->begun);
	free(locks->room);
}

/* Put what the wait's stack is into the room.  Return its length. */
static size_t read_stack(struct rpt_lock_rows *locks,
			 const struct pd_sample *sample, const char *type)
{
	struct stack_head *head = (void *)locks->room;
	struct pd_callchain it = pd_callchain_start(&sample->callchain);
	uint64_t *words = (void *)(head + 1);
	enum pd_callchain_word word;

	*head = (struct stack_head){ .type = type };
	while (head->nr < locks->conf.max_stack &&
	       (word = pd_callchain_next(&it)) != PD_CALLCHAIN_END) {
		if (word != PD_CALLCHAIN_ADDRESS)
			continue;
		*words++ = it.cpumode;
		*words++ = it.ip;
		head->nr++;
	}
	return (size_t)((char *)words - (char *)head);
}

/* Find the place of an address in the kernel, at the time of a wait. */
static const struct rpt_location *find_place(struct rpt_lock_rows *locks,
					     const struct rpt_lock_row *row,
					     uint64_t ip)
{
	const struct rpt_timeline *timeline = locks->spans->timeline;
	const struct rpt_address_context context = {
		.version = rpt_timeline_kernel_version(timeline, row->when),
		.kind = PD_CPUMODE_KERNEL,
	};
	const struct rpt_location_query query = {
		.ref = &row->ref,
		.when = row->when,
		.cpumode = PD_CPUMODE_KERNEL,
		.ip = ip,
	};
	uint32_t number = rpt_address_cache_context(&locks->places, &context);
	int64_t found = rpt_address_cache_find(&locks->places, number, ip);
	struct rpt_location location;

	if (found < 0) {
		rpt_timeline_locate(timeline, &query, &location);
		found = rpt_address_cache_add(&locks->places, number, ip,
					      &location);
	}
	return &locks->places.locations[found];
}

static void find_frame(struct rpt_lock_rows *locks,
		       const struct rpt_lock_row *row, const uint64_t *word,
		       struct rpt_lock_frame *ret)
{
	struct rpt_location location;
	const struct rpt_location *at = &location;
	const struct rpt_location_query query = {
		.ref = &row->ref,
		.when = row->when,
		.cpumode = (unsigned)word[0],
		.ip = word[1],
	};

	*ret = (struct rpt_lock_frame){
		.ip = word[1],
		.is_kernel = word[0] == PD_CPUMODE_KERNEL,
	};
	if (ret->is_kernel)
		at = find_place(locks, row, ret->ip);
	else
		rpt_timeline_locate(locks->spans->timeline, &query, &location);
	if (!at->sym)
		return;
	ret->name = at->sym->name;
	ret->off = ret->ip + at->addr_add - at->sym->start;
	ret->is_lock = ret->is_kernel && is_lock_function(ret->name);
}

static const struct stack_head *stack_of(const struct rpt_lock_rows *locks,
					 const struct rpt_lock_row *row)
{
	return rpt_intern_key(&locks->stacks, row->stack);
}

bool rpt_lock_rows_frame(struct rpt_lock_rows *locks,
			 const struct rpt_lock_row *row, uint32_t idx,
			 struct rpt_lock_frame *ret)
{
	const struct stack_head *head = stack_of(locks, row);
	const uint64_t *words = (const void *)(head + 1);

	if (idx >= head->nr)
		return false;
	find_frame(locks, row, words + 2 * (size_t)idx, ret);
	return true;
}

bool rpt_lock_rows_caller(struct rpt_lock_rows *locks,
			  const struct rpt_lock_row *row,
			  struct rpt_lock_frame *ret)
{
	for (uint32_t i = locks->conf.skip;
	     rpt_lock_rows_frame(locks, row, i, ret); i++)
		if (ret->is_kernel && ret->name && !ret->is_lock)
			return true;
	return false;
}

/* Put the key of the row of a stack into the room, which are the addresses from
 * the caller on; a caller 0 ends a chain, or not.  Return its length. */
static size_t make_key(struct rpt_lock_rows *locks,
		       const struct rpt_lock_row *row)
{
	uint64_t *key = locks->room;
	struct rpt_lock_frame frame;

	*key++ = (uint64_t)(uintptr_t)stack_of(locks, row)->type;
	for (uint32_t i = locks->conf.skip;
	     rpt_lock_rows_frame(locks, row, i, &frame); i++)
		if (!frame.is_lock && frame.ip)
			*key++ = frame.ip;
	return (size_t)((char *)key - (char *)locks->room);
}

/* Return the number of the row of that key, or -EFBIG; like is what it is at
 * first. */
static int64_t find_row(struct rpt_lock_rows *locks, const void *key,
			size_t len, const struct rpt_lock_row *like)
{
	uint32_t known_nr = locks->keys.nr;
	int64_t idx;

	locks->rows =
		rpt_grow_within(locks->budget, locks->rows, &locks->row_cap,
				known_nr, sizeof(*locks->rows));
	idx = rpt_intern(&locks->keys, key, len);
	if (idx == known_nr)
		locks->rows[idx] = *like;
	return idx;
}

/* Return the row of a wait that begins, or -EFBIG. */
static int64_t row_of(struct rpt_lock_rows *locks,
		      const struct rpt_span_event *event)
{
	const struct rpt_sample *sample = event->sample;
	uint32_t known_nr = locks->stacks.nr;
	struct rpt_lock_row like = {
		.type = type_of((uint64_t)event->values[1]),
		.ref = sample->task->ref,
		.when = sample->when,
	};
	size_t len = read_stack(locks, &sample->fields, like.type);
	int64_t stack, row;

	locks->stack_rows = rpt_grow_within(locks->budget, locks->stack_rows,
					    &locks->stack_cap, known_nr,
					    sizeof(*locks->stack_rows));
	stack = rpt_intern(&locks->stacks, locks->room, len);
	if (stack < 0)
		return stack;
	like.stack = (uint32_t)stack;
	if (locks->conf.by_thread)
		return find_row(locks, &sample->fields.tid,
				sizeof(sample->fields.tid), &like);
	if (stack == known_nr) {
		len = make_key(locks, &like);
		row = find_row(locks, locks->room, len, &like);
		locks->stack_rows[stack] = row < 0 ? UINT32_MAX : (uint32_t)row;
	}
	return locks->stack_rows[stack] == UINT32_MAX
		       ? -EFBIG
		       : (int64_t)locks->stack_rows[stack];
}

static int begin(struct rpt_lock_rows *locks, struct rpt_lock_wait *wait,
		 const struct rpt_span_event *event)
{
	int64_t row;

	if (wait->is_open && wait->loss_nr == locks->loss_nr)
		return 0;
	row = row_of(locks, event);
	if (row < 0)
		return (int)row;
	locks->cut_nr += wait->is_open;
	locks->rows[row].contended_nr++;
	*wait = (struct rpt_lock_wait){ event->time_ns, (uint32_t)row,
					locks->loss_nr, true };
	return 0;
}

static void end(struct rpt_lock_rows *locks, struct rpt_lock_wait *wait,
		uint64_t time_ns)
{
	struct rpt_lock_row *row = &locks->rows[wait->row];
	uint64_t len_ns = time_ns - wait->start_ns;

	wait->is_open = false;
	/* a record without a time comes whenever it is read */
	if (wait->loss_nr != locks->loss_nr || time_ns < wait->start_ns) {
		locks->cut_nr++;
		return;
	}
	if (!row->ended_nr || len_ns < row->min_ns)
		row->min_ns = len_ns;
	if (len_ns > row->max_ns)
		row->max_ns = len_ns;
	row->total_ns += len_ns;
	row->ended_nr++;
}

int rpt_lock_rows_take(void *ctx, const struct rpt_span_event *event)
{
	const struct rpt_sample *sample = event->sample;
	struct rpt_lock_rows *locks = ctx;
	uint32_t known_nr = locks->waits.nr;
	struct wait_key key;
	int64_t idx;

	if (event->kind == RPT_SPAN_LOST) {
		locks->loss_nr++;
		return 0;
	}
	key = (struct wait_key){ .lock = (uint64_t)event->values[0],
				 .tid = sample->fields.tid };
	if (!key.tid || key.tid == UINT32_MAX)
		key.cpu = sample->fields.cpu;
	if (event->kind == RPT_SPAN_END) {
		idx = rpt_intern_find(&locks->waits, &key, sizeof(key));
		if (idx >= 0 && locks->begun[idx].is_open)
			end(locks, &locks->begun[idx], event->time_ns);
		else
			locks->unbegun_nr++;
		return 0;
	}
	locks->begun =
		rpt_grow_within(locks->budget, locks->begun, &locks->begun_cap,
				known_nr, sizeof(*locks->begun));
	idx = rpt_intern(&locks->waits, &key, sizeof(key));
	if (idx < 0)
		return (int)idx;
	if (idx == known_nr)
		locks->begun[idx] = (struct rpt_lock_wait){ 0 };
	return begin(locks, &locks->begun[idx], event);
}
