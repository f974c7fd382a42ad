#include "record/carry/hits_of_recording.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "format/records/callchain.h"
#include "format/records/leaf_words.h"
#include "record/carry/code_words.h"

enum {
	RECENT_NR = 1 << 16,
	GENERATION_NR = 1 << 12,
};

/* The maps in which an address is looked up: those of code, and what more. */
enum {
	IN_CODE = 1,
	IN_ANY = IN_CODE | 2,
	IN_LEAF = IN_CODE | 4, /* as rec_address_spaces_hit_leaf() does */
};

/* A process's address that was looked up of late: most are hit again. */
struct recent {
	uint32_t pid;
	uint32_t generation : 24;
	uint32_t looked_in : 8;
	uint64_t addr;
};

struct rec_hit_caches {
	struct recent recent[RECENT_NR];
	/* By pid: how many maps it has and was forked with.  With one more,
	 * its addresses may lie in other files. */
	uint32_t generations[GENERATION_NR];
	struct rec_code_words *code_words; /* owned */
};

static void hit_kernel(struct rec_hits *hits, uint64_t addr)
{
	if (addr != UINT64_MAX &&
	    !rec_hit_set_add(&hits->kernel, addr, &hits->spaces.budget))
		hits->spaces.is_full = true;
}

static uint32_t *generation_of(struct rec_hit_caches *caches, uint32_t pid)
{
	return &caches->generations[pid % GENERATION_NR];
}

static struct recent *recent_of(struct rec_hits *hits, uint32_t pid,
				uint64_t addr)
{
	uint64_t hash = (addr ^ pid) * UINT64_C(0x9e3779b97f4a7c15);

	return &hits->caches->recent[hash >> 48];
}

/* Return whether the pair was looked up in these maps of late; from now on it
 * was. */
static bool is_recent(struct rec_hits *hits, uint32_t pid, uint64_t addr,
		      unsigned maps)
{
	uint32_t generation = *generation_of(hits->caches, pid) & 0xffffff;
	struct recent *recent = recent_of(hits, pid, addr);
	bool is_same = recent->addr == addr && recent->pid == pid &&
		       recent->generation == generation;

	if (is_same && (recent->looked_in & maps) == maps)
		return true;
	if (is_same)
		maps |= recent->looked_in;
	*recent = (struct recent){ pid, generation & 0xffffff, maps & 0xff,
				   addr };
	return false;
}

static void see_address(struct rec_hits *hits, uint32_t pid, unsigned cpumode,
			uint64_t addr)
{
	/* the kernel's are those of all processes */
	if (is_recent(hits, cpumode == PD_CPUMODE_KERNEL ? 0 : pid, addr,
		      IN_ANY))
		return;
	hits->address_nr++;
	if (cpumode == PD_CPUMODE_KERNEL)
		hit_kernel(hits, addr);
	else if (cpumode == PD_CPUMODE_USER &&
		 !rec_address_spaces_hit(&hits->spaces, pid, addr))
		hits->unmapped_nr++;
}

/* Branches and data have no cpumode of their own: the kernel's half of memory
 * tells. */
static void see_any(struct rec_hits *hits, uint32_t pid, uint64_t addr)
{
	see_address(hits, pid, addr >> 63 ? PD_CPUMODE_KERNEL : PD_CPUMODE_USER,
		    addr);
}

/* Most words that look like return addresses are none. */
static void see_word(void *ctx, uint32_t pid, uint64_t addr)
{
	struct rec_hits *hits = ctx;

	if (!is_recent(hits, pid, addr, IN_CODE))
		hits->address_nr += rec_address_spaces_hit_code(&hits->spaces,
								pid, addr) != 0;
}

/* See the caller that a chain of frame pointers may lack (aarch64).  Whether it
 * does is for the reader to find, by call frame information. */
static void see_link(struct rec_hits *hits, const struct pd_sample *sample)
{
	const struct rec_code_words_input in = {
		.spaces = &hits->spaces,
		.pid = sample->pid,
		.see = see_word,
		.ctx = hits,
	};
	uint64_t link = pd_sample_link(sample);

	if (!link)
		return;
	hits->has_links = true;
	rec_code_words_see(hits->caches->code_words, &in, &link, 1);
}

static void see_leaf_address(struct rec_hits *hits, uint32_t pid, uint64_t addr)
{
	if (!is_recent(hits, pid, addr, IN_LEAF))
		hits->address_nr += rec_address_spaces_hit_leaf(&hits->spaces,
								pid, addr) != 0;
}

/* The same for x86_64: the user's address is in a leaf, and each of the words
 * that were kept may be its caller.  Frames are looked at to find the word of a
 * caller: never those behind the last one. */
static void see_leaf(struct rec_hits *hits, const struct pd_record *rec,
		     const struct pd_sample *sample)
{
	const struct pd_u64s words = pd_leaf_words(rec, sample);
	const struct pd_u64s *chain = &sample->callchain;
	size_t at = 0;

	if (!words.nr)
		return;
	while (at < chain->nr && pd_u64s_at(chain, at) != PD_CONTEXT_USER)
		at++;
	if (at + 1 >= chain->nr)
		return;
	see_leaf_address(hits, sample->pid, pd_u64s_at(chain, at + 1));
	for (size_t i = 0; i + 1 < words.nr; i++)
		see_leaf_address(hits, sample->pid,
				 pd_leaf_word_addr(pd_u64s_at(&words, i)) - 1);
	see_word(hits, sample->pid,
		 pd_leaf_word_addr(pd_u64s_at(&words, words.nr - 1)) - 1);
}

/* Addresses that unwinding the copy may meet: each word that points into code
 * may be behind a call, and a register's may be where the code is. */
static void see_stack(struct rec_hits *hits, const struct pd_sample *sample)
{
	const struct rec_code_words_input in = {
		.spaces = &hits->spaces,
		.pid = sample->pid,
		.is_32 = sample->regs_user.abi == PD_REGS_ABI_32,
		.see = see_word,
		.ctx = hits,
	};

	hits->has_stacks = true;
	for (size_t i = 0; i < sample->regs_user.regs.nr; i++) {
		uint64_t word = pd_u64s_at(&sample->regs_user.regs, i);

		rec_code_words_see(hits->caches->code_words, &in, &word, 1);
		see_word(hits, sample->pid, word);
	}
	rec_code_words_see_stack(hits->caches->code_words, &in, sample->stack,
				 sample->stack_dyn_len < sample->stack_len
					 ? sample->stack_dyn_len
					 : sample->stack_len);
}

typedef void see_fn(struct rec_hits *hits, uint32_t pid, unsigned cpumode,
		    uint64_t addr);

/* See the sample's own address and those of its chain. */
static void see_chain(struct rec_hits *hits, const struct pd_sample *sample,
		      see_fn *see)
{
	struct pd_callchain chain = pd_callchain_start(&sample->callchain);

	if (sample->present & PD_SAMPLE_IP)
		see(hits, sample->pid, sample->misc & PD_MISC_CPUMODE_MASK,
		    sample->ip);
	for (;;) {
		enum pd_callchain_word word = pd_callchain_next(&chain);

		if (word == PD_CALLCHAIN_END)
			break;
		if (word == PD_CALLCHAIN_ADDRESS)
			see(hits, sample->pid, chain.cpumode, chain.ip);
	}
}

void rec_hits_see_sample(struct rec_hits *hits,
			 const struct pd_event_set *events,
			 const struct pd_record *rec)
{
	const struct pd_event *event = pd_event_set_of_record(events, rec);
	struct pd_sample sample;

	hits->sample_nr++;
	if (!event || pd_sample_read(&event->layout, rec, &sample, NULL))
		return;
	see_chain(hits, &sample, see_address);
	for (size_t i = 0; i < pd_sample_branch_nr(&sample); i++) {
		struct pd_branch branch = pd_sample_branch_at(&sample, i);

		see_any(hits, sample.pid, branch.from);
		see_any(hits, sample.pid, branch.to);
	}
	if (sample.present & PD_SAMPLE_ADDR && sample.addr)
		see_any(hits, sample.pid, sample.addr);
	if (sample.stack && sample.stack_dyn_len)
		see_stack(hits, &sample);
	else
		see_link(hits, &sample);
	see_leaf(hits, rec, &sample);
}

/* An address in no map yet is not looked up. */
static void peek_address(struct rec_hits *hits, uint32_t pid, unsigned cpumode,
			 uint64_t addr)
{
	if (cpumode != PD_CPUMODE_USER || is_recent(hits, pid, addr, IN_ANY))
		return;
	if (rec_address_spaces_hit(&hits->spaces, pid, addr))
		hits->address_nr++;
	else
		*recent_of(hits, pid, addr) = (struct recent){ .addr = 0 };
}

void rec_hits_peek(struct rec_hits *hits, const struct pd_event_set *events,
		   const struct pd_record *rec)
{
	const struct pd_event *event = pd_event_set_of_record(events, rec);
	struct pd_sample sample;

	if (event && !pd_sample_read(&event->layout, rec, &sample, NULL))
		see_chain(hits, &sample, peek_address);
}

/* MMAP records do not say what may be done, but which are of data. */
static bool is_code(const struct pd_record *rec, const struct pd_mmap *map)
{
	return rec->type == PD_RECORD_MMAP2 ? map->prot & PROT_EXEC
					    : !(rec->misc & PD_MISC_MMAP_DATA);
}

/* The process has other maps from now on. */
static void forget(struct rec_hits *hits, uint32_t pid)
{
	(*generation_of(hits->caches, pid))++;
	rec_code_words_forget(hits->caches->code_words, pid);
}

/* Files of ours have it in a record of its own; others in the kernel's MMAP2.
 */
static void see_kernel_id(struct rec_hits *hits, const struct pd_record *rec,
			  struct pd_str name, const uint8_t *id, uint8_t len)
{
	static const char kernel[] = "[kernel.kallsyms]";

	if ((rec->misc & PD_MISC_CPUMODE_MASK) != PD_CPUMODE_KERNEL ||
	    name.len < sizeof(kernel) - 1 ||
	    memcmp(name.ptr, kernel, sizeof(kernel) - 1) != 0)
		return;
	hits->kernel_id_len = len;
	memcpy(hits->kernel_id, id, len);
}

static void see_map(struct rec_hits *hits, const struct pd_record *rec,
		    const struct pd_mmap *map)
{
	if ((rec->misc & PD_MISC_CPUMODE_MASK) == PD_CPUMODE_USER) {
		rec_address_spaces_map(&hits->spaces, map, is_code(rec, map));
		forget(hits, map->pid);
	} else if (map->build_id_len) {
		see_kernel_id(hits, rec, map->filename, map->build_id,
			      map->build_id_len);
	}
}

static void see_fork(struct rec_hits *hits, const struct pd_task *task)
{
	if (task->pid == task->ppid)
		return;
	rec_address_spaces_fork(&hits->spaces, task->pid, task->ppid);
	forget(hits, task->pid);
}

/* A process ends with its first thread, as a rule. */
static void see_exit(struct rec_hits *hits, const struct pd_task *task)
{
	if (task->pid == task->tid)
		rec_address_spaces_exit(&hits->spaces, task->pid);
}

void rec_hits_see_other(struct rec_hits *hits,
			const struct pd_event_set *events,
			const struct pd_record *record)
{
	const struct pd_event *event = pd_event_set_of_record(events, record);
	struct pd_record rec = *record;
	struct pd_body body;
	size_t id_len = 0;

	if (rec.type != PD_RECORD_MMAP && rec.type != PD_RECORD_MMAP2 &&
	    rec.type != PD_RECORD_FORK && rec.type != PD_RECORD_EXIT &&
	    rec.type != PD_RECORD_HEADER_BUILD_ID)
		return;
	if (rec.type < PD_RECORD_USER_START) {
		rec.misc = pd_event_set_misc(events, &rec);
		id_len = event ? event->layout.id_len : 0;
	}
	if (pd_body_read(&rec, id_len, &body, NULL))
		return;
	if (rec.type == PD_RECORD_FORK)
		see_fork(hits, &body.u.task);
	else if (rec.type == PD_RECORD_EXIT)
		see_exit(hits, &body.u.task);
	else if (rec.type == PD_RECORD_HEADER_BUILD_ID)
		see_kernel_id(hits, &rec, body.u.header_build_id.filename,
			      body.u.header_build_id.build_id,
			      body.u.header_build_id.build_id_len);
	else
		see_map(hits, &rec, &body.u.mmap);
}

int rec_hits_init(struct rec_hits *hits, size_t memory_len)
{
	*hits = (struct rec_hits){ .kernel_id_len = 0 };
	rec_address_spaces_init(&hits->spaces, memory_len);
	hits->caches = calloc(1, sizeof(*hits->caches));
	if (!hits->caches)
		return -ENOMEM;
	hits->caches->code_words = rec_code_words_new();
	return hits->caches->code_words ? 0 : -ENOMEM;
}

void rec_hits_release(struct rec_hits *hits)
{
	if (hits->caches)
		free(hits->caches->code_words);
	free(hits->caches);
	hits->caches = NULL;
	rec_address_spaces_release(&hits->spaces);
	rec_hit_set_release(&hits->kernel);
}
