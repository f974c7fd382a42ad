#include "record/ring/code_ranges.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	BUCKET_NR = 1 << 12,
	RANGE_NR_MAX = 1 << 17, /* of all processes: 2 MiB */
	PROCESS_NR_MAX = 1 << 12,
	RANGE_NR_MIN = 8, /* that a process has room for */
	ANCESTOR_NR_MAX = 4,
	MARK_NR = 512,
	MARK_SHIFT = 21,
	/* Offsets of a MMAP2 record: perf_event_open(2). */
	ADDR_OFF = 16,
	LEN_OFF = 24,
	PROT_OFF = 64,
	TIME_OFF = 24, /* of FORK and EXIT */
};

/* Samples of a process may be in rings for so long after it ended. */
static const uint64_t late_ns = 2000000000;
/* Between searches for processes that ended before that. */
static const uint64_t forget_ns = 100000000;

struct range {
	uint64_t start;
	uint64_t end;
};

/* Its ranges ascend and do not overlap. */
struct process {
	struct process *next; /* of the bucket, or of the spare ones */
	uint32_t pid;
	uint32_t ppid; /* 0: no fork was seen */
	uint32_t nr;
	uint32_t cap;
	bool has_execed;      /* nothing of its parent is mapped */
	bool is_used;	      /* since evict() came by */
	uint64_t gone_ns;     /* it ended then; 0: it did not */
	struct range *ranges; /* owned */
	/* Bits of the pieces of memory of 2 MiB that have code, and of others:
	 * most words of a stack lie in none of these. */
	uint64_t marks[MARK_NR / 64];
};

struct rec_code_ranges {
	pthread_mutex_t lock;
	size_t process_nr;
	size_t range_nr;    /* there is room for */
	size_t hand;	    /* the bucket that evict() looks at next */
	uint64_t newest_ns; /* of forks and ends */
	uint64_t forgot_ns; /* the newest when forget_gone() last searched */
	/* Forgotten processes with room for the least number of ranges. */
	struct process *spare;
	struct process *buckets[BUCKET_NR];
};

struct rec_code_ranges *rec_code_ranges_new(void)
{
	struct rec_code_ranges *code = calloc(1, sizeof(*code));

	if (code)
		pthread_mutex_init(&code->lock, NULL);
	return code;
}

static struct process **place_of(struct rec_code_ranges *code, uint32_t pid)
{
	struct process **at = &code->buckets[pid % BUCKET_NR];

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

static void forget(struct rec_code_ranges *code, struct process **at)
{
	struct process *process = *at;

	if (!process)
		return;
	*at = process->next;
	code->process_nr--;
	code->range_nr -= process->cap;
	if (process->cap == RANGE_NR_MIN) {
		process->next = code->spare;
		code->spare = process;
		return;
	}
	free(process->ranges);
	free(process);
}

/* Return a process without ranges, all else of which is 0, or NULL. */
static struct process *new_process(struct rec_code_ranges *code)
{
	struct process *process = code->spare;

	if (!process)
		return calloc(1, sizeof(*process));
	code->spare = process->next;
	*process = (struct process){ .ranges = process->ranges,
				     .cap = process->cap };
	code->range_nr += process->cap;
	return process;
}

void rec_code_ranges_free(struct rec_code_ranges *code)
{
	if (!code)
		return;
	for (size_t i = 0; i < BUCKET_NR; i++)
		while (code->buckets[i])
			forget(code, &code->buckets[i]);
	while (code->spare) {
		struct process *process = code->spare;

		code->spare = process->next;
		free(process->ranges);
		free(process);
	}
	pthread_mutex_destroy(&code->lock);
	free(code);
}

/* Samples of a process that ended may still wait in other rings, so it goes
 * only when there is no room, and not if it ended just now. */
static void forget_gone(struct rec_code_ranges *code)
{
	if (code->newest_ns - code->forgot_ns < forget_ns)
		return;
	code->forgot_ns = code->newest_ns;
	for (size_t i = 0; i < BUCKET_NR; i++) {
		struct process **at = &code->buckets[i];

		while (*at)
			if ((*at)->gone_ns &&
			    code->newest_ns - (*at)->gone_ns > late_ns)
				forget(code, at);
			else
				at = &(*at)->next;
	}
}

/* Forget a process that was not used for a round, since ends get lost. */
static void evict(struct rec_code_ranges *code)
{
	for (size_t left = 2 * BUCKET_NR; left; left--) {
		struct process **at = &code->buckets[code->hand];

		for (; *at && (*at)->is_used; at = &(*at)->next)
			(*at)->is_used = false;
		if (*at) {
			forget(code, at);
			return;
		}
		code->hand = (code->hand + 1) % BUCKET_NR;
	}
}

static bool is_full(const struct rec_code_ranges *code)
{
	return code->process_nr == PROCESS_NR_MAX ||
	       code->range_nr > RANGE_NR_MAX / 4 * 3;
}

static struct process *process_of(struct rec_code_ranges *code, uint32_t pid)
{
	struct process **at = place_of(code, pid);

	if (!*at) {
		if (is_full(code))
			forget_gone(code);
		if (is_full(code))
			evict(code);
		at = place_of(code, pid);
		*at = new_process(code);
		if (!*at)
			return NULL;
		(*at)->pid = pid;
		code->process_nr++;
	}
	(*at)->is_used = true;
	return *at;
}

/* Make room for nr ranges. */
static bool reserve(struct rec_code_ranges *code, struct process *process,
		    uint32_t nr)
{
	uint32_t cap = process->cap ? 2 * process->cap : RANGE_NR_MIN;
	struct range *grown;

	if (nr <= process->cap)
		return true;
	if (cap < nr)
		cap = nr;
	if (code->range_nr + (cap - process->cap) > RANGE_NR_MAX)
		return false;
	grown = realloc(process->ranges, cap * sizeof(*grown));
	if (!grown)
		return false;
	code->range_nr += cap - process->cap;
	process->ranges = grown;
	process->cap = cap;
	return true;
}

/* Return the index of the first range that ends at addr or above. */
static uint32_t find(const struct process *process, uint64_t addr)
{
	uint32_t lo = 0, hi = process->nr;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (process->ranges[mid].end < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static unsigned mark_of(uint64_t addr)
{
	return (addr >> MARK_SHIFT) % MARK_NR;
}

static void mark(struct process *process, struct range range)
{
	uint64_t piece = range.start >> MARK_SHIFT;

	for (unsigned i = 0; i < MARK_NR && piece <= range.end >> MARK_SHIFT;
	     i++, piece++)
		process->marks[piece % MARK_NR / 64] |= UINT64_C(1)
							<< piece % 64;
}

static bool is_marked(const struct process *process, uint64_t addr)
{
	unsigned mark = mark_of(addr);

	return process->marks[mark / 64] >> mark % 64 & 1;
}

/* Join the new range with those that it overlaps or touches. */
static void add(struct rec_code_ranges *code, struct process *process,
		struct range range)
{
	struct range *ranges;
	uint32_t at, end;

	if (range.end <= range.start ||
	    !reserve(code, process, process->nr + 1))
		return;
	mark(process, range);
	ranges = process->ranges;
	at = end = find(process, range.start);
	for (; end < process->nr && ranges[end].start <= range.end; end++) {
		if (ranges[end].start < range.start)
			range.start = ranges[end].start;
		if (ranges[end].end > range.end)
			range.end = ranges[end].end;
	}
	memmove(ranges + at + 1, ranges + end,
		(process->nr - end) * sizeof(*ranges));
	ranges[at] = range;
	process->nr = process->nr + 1 - (end - at);
}

static void see_map(struct rec_code_ranges *code, const struct pd_record *rec)
{
	uint64_t start = pd_record_word(rec, ADDR_OFF);
	struct range range = { start, start + pd_record_word(rec, LEN_OFF) };
	struct process *process;

	if ((rec->misc & PD_MISC_CPUMODE_MASK) != PD_CPUMODE_USER ||
	    !((uint32_t)pd_record_word(rec, PROT_OFF) & PROT_EXEC))
		return;
	process = process_of(code, (uint32_t)pd_record_word(rec, 8));
	if (process)
		add(code, process, range);
}

static void see_time(struct rec_code_ranges *code, uint64_t time_ns)
{
	if (time_ns > code->newest_ns)
		code->newest_ns = time_ns;
}

/* A process begins with the maps of its parent; it may have more by then, or
 * have ended, if another ring was drained first.  So may the parent get some of
 * them later: rec_code_ranges_find() asks it, too. */
static void see_fork(struct rec_code_ranges *code, uint32_t pid, uint32_t ppid,
		     uint64_t time_ns)
{
	struct process *process = *place_of(code, pid), *parent;

	if (pid == ppid)
		return;
	see_time(code, time_ns);
	if (process && process->gone_ns && process->gone_ns < time_ns)
		forget(code, place_of(code, pid));
	process = process_of(code, pid);
	parent = *place_of(code, ppid);
	if (process)
		process->ppid = ppid;
	if (!process || !parent || process->has_execed ||
	    !reserve(code, process, process->nr + parent->nr))
		return;
	parent->is_used = true;
	if (!process->nr && parent->nr) {
		memcpy(process->ranges, parent->ranges,
		       parent->nr * sizeof(*parent->ranges));
		memcpy(process->marks, parent->marks, sizeof(parent->marks));
		process->nr = parent->nr;
		return;
	}
	for (uint32_t i = 0; i < parent->nr; i++)
		add(code, process, parent->ranges[i]);
}

/* Maps from before the exec stay: some may be newer, of a ring that was drained
 * first. */
static void see_exec(struct rec_code_ranges *code, uint32_t pid)
{
	struct process *process = process_of(code, pid);

	if (process)
		process->has_execed = true;
}

static void see_exit(struct rec_code_ranges *code, uint32_t pid, uint32_t tid,
		     uint64_t time_ns)
{
	struct process *process = pid == tid ? process_of(code, pid) : NULL;

	see_time(code, time_ns);
	if (process)
		process->gone_ns = time_ns;
}

/* FORK and EXIT: u32 pid, ppid, tid, ptid, u64 time; COMM: u32 pid. */
void rec_code_ranges_see_locked(struct rec_code_ranges *code,
				const struct pd_record *rec, bool is_new)
{
	uint64_t first = pd_record_word(rec, 8);
	uint32_t pid = (uint32_t)first;

	if (rec->type == PD_RECORD_MMAP2)
		see_map(code, rec);
	else if (!is_new)
		return;
	else if (rec->type == PD_RECORD_FORK)
		see_fork(code, pid, (uint32_t)(first >> 32),
			 pd_record_word(rec, TIME_OFF));
	else if (rec->type == PD_RECORD_EXIT)
		see_exit(code, pid, (uint32_t)pd_record_word(rec, 16),
			 pd_record_word(rec, TIME_OFF));
	else if (rec->type == PD_RECORD_COMM && rec->misc & PD_MISC_COMM_EXEC)
		see_exec(code, pid);
}

void rec_code_ranges_lock(struct rec_code_ranges *code)
{
	pthread_mutex_lock(&code->lock);
}

void rec_code_ranges_unlock(struct rec_code_ranges *code)
{
	pthread_mutex_unlock(&code->lock);
}

void rec_code_ranges_see(struct rec_code_ranges *code,
			 const struct pd_record *rec, bool is_new)
{
	rec_code_ranges_lock(code);
	rec_code_ranges_see_locked(code, rec, is_new);
	rec_code_ranges_unlock(code);
}

static bool is_of(const struct process *process, uint64_t addr)
{
	uint32_t at;

	if (!is_marked(process, addr))
		return false;
	at = find(process, addr);
	return at < process->nr && process->ranges[at].start < addr;
}

uint64_t rec_code_ranges_find(struct rec_code_ranges *code, uint32_t pid,
			      const uint64_t *addrs, size_t nr)
{
	struct process *process;
	uint64_t found = 0;

	pthread_mutex_lock(&code->lock);
	process = *place_of(code, pid);
	for (unsigned left = 1 + ANCESTOR_NR_MAX; process && left; left--) {
		process->is_used = true;
		for (size_t i = 0; i < nr; i++)
			found |= (uint64_t)is_of(process, addrs[i]) << i;
		process = process->has_execed || !process->ppid
				  ? NULL
				  : *place_of(code, process->ppid);
	}
	pthread_mutex_unlock(&code->lock);
	return found;
}
