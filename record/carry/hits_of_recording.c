#include "record/carry/hits_of_recording.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "format/callchain.h"
#include "record/base/runtime.h"
#include "record/carry/code_words.h"

/* Pairs of process and address that were looked up last: most are hit again. */
enum { RECENT_NR = 1 << 16, RECORDS_A_LOOK = 1024 };

struct recent {
	uint32_t pid;
	uint64_t addr;
};

struct pass {
	struct rec_hits *hits;
	struct pd_reader *reader;
	const struct pd_event_set *events;
	struct recent *recent;		   /* owned */
	struct rec_code_words *code_words; /* owned */
	uint64_t until_ns;
};

static void hit_kernel(struct rec_hits *hits, uint64_t addr)
{
	if (addr != UINT64_MAX &&
	    !rec_hit_set_add(&hits->kernel, addr, &hits->spaces.budget))
		hits->spaces.is_full = true;
}

/* Return whether the pair was looked up of late; from now on it was. */
static bool is_recent(struct pass *pass, uint32_t pid, uint64_t addr)
{
	struct recent *recent =
		&pass->recent[((addr ^ pid) * UINT64_C(0x9e3779b97f4a7c15)) >>
			      48];

	if (recent->addr == addr && recent->pid == pid)
		return true;
	*recent = (struct recent){ pid, addr };
	return false;
}

static void see_address(struct pass *pass, uint32_t pid, unsigned cpumode,
			uint64_t addr)
{
	struct rec_hits *hits = pass->hits;

	if (is_recent(pass, pid, addr))
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
static void see_any(struct pass *pass, uint32_t pid, uint64_t addr)
{
	see_address(pass, pid, addr >> 63 ? PD_CPUMODE_KERNEL : PD_CPUMODE_USER,
		    addr);
}

/* Most words that look like return addresses are none. */
static void see_word(void *ctx, uint32_t pid, uint64_t addr)
{
	struct pass *pass = ctx;

	/* what a word is looked up for is less than what an address is */
	if (!is_recent(pass, ~pid, addr))
		pass->hits->address_nr +=
			rec_address_spaces_hit_code(&pass->hits->spaces, pid,
						    addr) != 0;
}

/* What unwinding the copy may meet: each word that points into code may be
 * behind a call, and a register's may be where the code is. */
static void see_stack(struct pass *pass, const struct pd_sample *sample)
{
	const struct rec_code_words_input in = {
		.spaces = &pass->hits->spaces,
		.pid = sample->pid,
		.is_32 = sample->regs_user.abi == PD_REGS_ABI_32,
		.see = see_word,
		.ctx = pass,
	};

	pass->hits->has_stacks = true;
	for (size_t i = 0; i < sample->regs_user.regs.nr; i++) {
		uint64_t word = pd_u64s_at(&sample->regs_user.regs, i);

		rec_code_words_see(pass->code_words, &in, &word, 1);
		see_word(pass, sample->pid, word);
	}
	rec_code_words_see_stack(pass->code_words, &in, sample->stack,
				 sample->stack_dyn_len < sample->stack_len
					 ? sample->stack_dyn_len
					 : sample->stack_len);
}

static void see_sample(struct pass *pass, const struct pd_record *rec)
{
	const struct pd_event *event =
		pd_event_set_of_record(pass->events, rec);
	struct pd_callchain chain;
	struct pd_sample sample;

	pass->hits->sample_nr++;
	if (!event || pd_sample_read(&event->layout, rec, &sample, NULL))
		return;
	if (sample.present & PD_SAMPLE_IP)
		see_address(pass, sample.pid,
			    sample.misc & PD_MISC_CPUMODE_MASK, sample.ip);
	chain = pd_callchain_start(&sample.callchain);
	for (;;) {
		enum pd_callchain_word word = pd_callchain_next(&chain);

		if (word == PD_CALLCHAIN_END)
			break;
		if (word == PD_CALLCHAIN_ADDRESS)
			see_address(pass, sample.pid, chain.cpumode, chain.ip);
	}
	for (size_t i = 0; i < pd_sample_branch_nr(&sample); i++) {
		struct pd_branch branch = pd_sample_branch_at(&sample, i);

		see_any(pass, sample.pid, branch.from);
		see_any(pass, sample.pid, branch.to);
	}
	if (sample.present & PD_SAMPLE_ADDR && sample.addr)
		see_any(pass, sample.pid, sample.addr);
	if (sample.stack && sample.stack_dyn_len)
		see_stack(pass, &sample);
}

/* MMAP records do not say what may be done, but which are of data. */
static bool is_code(const struct pd_record *rec, const struct pd_mmap *map)
{
	return rec->type == PD_RECORD_MMAP2 ? map->prot & PROT_EXEC
					    : !(rec->misc & PD_MISC_MMAP_DATA);
}

static void see_map(struct pass *pass, const struct pd_record *rec,
		    const struct pd_mmap *map)
{
	struct rec_hits *hits = pass->hits;
	static const char kernel[] = "[kernel.kallsyms]";

	if ((rec->misc & PD_MISC_CPUMODE_MASK) == PD_CPUMODE_USER)
		rec_address_spaces_map(&hits->spaces, map, is_code(rec, map));
	else if ((rec->misc & PD_MISC_CPUMODE_MASK) == PD_CPUMODE_KERNEL &&
		 map->build_id_len && map->filename.len >= sizeof(kernel) - 1 &&
		 !memcmp(map->filename.ptr, kernel, sizeof(kernel) - 1)) {
		hits->kernel_id_len = map->build_id_len;
		memcpy(hits->kernel_id, map->build_id, map->build_id_len);
	}
}

static void see_sideband(struct pass *pass, const struct pd_record *record)
{
	const struct pd_event *event =
		pd_event_set_of_record(pass->events, record);
	struct pd_record rec = *record;
	struct pd_body body;

	if (rec.type != PD_RECORD_MMAP && rec.type != PD_RECORD_MMAP2 &&
	    rec.type != PD_RECORD_FORK)
		return;
	rec.misc = pd_event_set_misc(pass->events, &rec);
	if (pd_body_read(&rec, event ? event->layout.id_len : 0, &body, NULL))
		return;
	if (rec.type == PD_RECORD_FORK)
		rec_address_spaces_fork(&pass->hits->spaces, body.u.task.pid,
					body.u.task.ppid);
	else
		see_map(pass, &rec, &body.u.mmap);
}

static bool is_late(struct pass *pass)
{
	if (rec_now_ns() < pass->until_ns)
		return false;
	pass->hits->is_cut = true;
	return true;
}

static void read_chunk(struct pass *pass, const struct pd_chunk *chunk,
		       bool with_samples)
{
	struct pd_record_span span;
	struct pd_record rec;
	struct pd_records it;
	bool stop = is_late(pass);
	uint64_t nr = 0;

	pd_records_init(&it, pass->reader, *chunk);
	while (!stop && pd_records_next_span(&it, &span, NULL) > 0) {
		if ((span.next.type == PD_RECORD_SAMPLE) != with_samples)
			continue;
		while (!stop && pd_record_span_next(&span, &rec)) {
			if (with_samples)
				see_sample(pass, &rec);
			else
				see_sideband(pass, &rec);
			stop = ++nr % RECORDS_A_LOOK == 0 && is_late(pass);
		}
	}
	pd_records_release(&it);
}

/* Maps first: records of several CPUs are not in the order of time. */
static int read_all(struct pass *pass)
{
	const struct pd_chunk *chunks;
	size_t nr;
	int rc = pd_reader_chunks(pass->reader, (uint64_t)4 << 20, &chunks, &nr,
				  NULL);

	for (size_t i = 0; i < nr && !rc; i++)
		if (chunks[i].has_sideband)
			read_chunk(pass, &chunks[i], false);
	for (size_t i = 0; i < nr && !rc && !pass->hits->is_cut; i++)
		read_chunk(pass, &chunks[i], true);
	return rc;
}

int rec_hits_read(struct rec_hits *hits, struct pd_reader *reader,
		  size_t memory_len, uint64_t until_ns)
{
	struct pass pass = {
		.hits = hits,
		.reader = reader,
		.events = pd_reader_events(reader),
		.until_ns = until_ns,
	};
	int rc = 0;

	*hits = (struct rec_hits){ .kernel_id_len = 0 };
	rec_address_spaces_init(&hits->spaces, memory_len);
	pass.recent = calloc(RECENT_NR, sizeof(*pass.recent));
	pass.code_words = rec_code_words_new();
	rc = pass.recent && pass.code_words ? read_all(&pass) : -ENOMEM;
	free(pass.recent);
	free(pass.code_words);
	return rc;
}

void rec_hits_release(struct rec_hits *hits)
{
	rec_address_spaces_release(&hits->spaces);
	rec_hit_set_release(&hits->kernel);
}
