/* The text that llvm-profgen --perfscript reads: where files were mapped, then
 * each branch stack once, behind the number of its samples (an "aggregated"
 * perf script; llvm/tools/llvm-profgen/PerfReader.cpp, parseAggregatedCount()
 * of LLVM 14 to 22).  With call chains each is in front of its branches.
 *
 * A file has one address here, at which no process can have it, and its bytes
 * have their virtual addresses behind that: so one stack of several processes
 * counts once, and llvm-profgen, which knows one address of a file, may read a
 * recording of many.
 */
#include "report/export/export_impl.h"
#include "report/export/export_samples.h"

#include "format/records/callchain.h"
#include "report/base/memory.h"
#include "report/base/text_out.h"
#include "report/profile/user_stack.h"
#include "report/symbols/inline_frames.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The address of file 0, and how far it is to the next one. */
#define FILES_ADDR (UINT64_C(1) << 60)
#define FILE_LEN   (UINT64_C(1) << 40)

/* Without padding: it is hashed. */
struct mapping {
	uint64_t file_idx;
	uint64_t addr; /* here */
	uint64_t len;
	uint64_t pgoff;
};

struct llvm_file {
	uint64_t use_nr; /* addresses of samples that lie in it */
	uint32_t pid;	 /* of its first sample */
};

struct llvm {
	struct rpt_export_samples samples;
	struct rpt_intern names; /* of files, by number */
	struct llvm_file *files;
	uint32_t files_cap;
	struct rpt_intern mappings;
	/* uint64_t: how many words are of the chain, these, then from and to
	 * of each branch, the latest first */
	struct rpt_intern stacks;
	uint64_t *counts; /* samples, by number of the stack */
	uint32_t counts_cap;
	uint64_t *stack; /* under construction */
	uint32_t stack_cap, stack_nr;
	uint64_t unwound[RPT_USER_STACK_FRAMES + 1];
};

/* A path and a build-id make a file. */
static uint32_t file_of(struct llvm *llvm, struct rpt_dso *dso, uint32_t pid)
{
	const char *name = rpt_dso_name(dso);
	size_t name_len = strlen(name) + 1;
	uint8_t id_len;
	const uint8_t *id = rpt_dso_build_id(dso, &id_len);
	char *key = rpt_alloc(name_len + id_len + 1u);
	uint32_t nr = llvm->names.nr;
	uint32_t idx;

	memcpy(key, name, name_len);
	memcpy(key + name_len, id, id_len);
	idx = (uint32_t)rpt_intern(&llvm->names, key, name_len + id_len);
	free(key);
	llvm->files = rpt_grow(llvm->files, &llvm->files_cap, idx,
			       sizeof(*llvm->files));
	if (idx == nr)
		llvm->files[idx] = (struct llvm_file){ .pid = pid };
	llvm->files[idx].use_nr++;
	return idx;
}

/* Return the address of ip here: as recorded if it is not in a file of user
 * code, for which llvm-profgen takes all addresses but the program's. */
static uint64_t address_of(struct llvm *llvm, const struct rpt_sample *sample,
			   unsigned cpumode, uint64_t ip)
{
	const struct rpt_location *at =
		rpt_export_samples_find(&llvm->samples, sample, cpumode, ip);
	const struct rpt_map *map = &at->map;
	struct mapping mapping;

	if (!map->dso || map->is_kernel || rpt_dso_kind(map->dso) ||
	    map->recorded_pgoff != map->pgoff)
		return ip;
	mapping.file_idx = file_of(llvm, map->dso, sample->fields.pid);
	mapping.addr = FILES_ADDR + mapping.file_idx * FILE_LEN +
		       rpt_dso_file_addr(map->dso, map->pgoff);
	mapping.len = map->end - map->start;
	mapping.pgoff = map->pgoff;
	rpt_intern(&llvm->mappings, &mapping, sizeof(mapping));
	return mapping.addr + (ip - map->start);
}

static void put_word(struct llvm *llvm, uint64_t word)
{
	llvm->stack = rpt_grow(llvm->stack, &llvm->stack_cap, llvm->stack_nr,
			       sizeof(*llvm->stack));
	llvm->stack[llvm->stack_nr++] = word;
}

/* Put the addresses of a chain, max_nr at most. */
static void put_chain(struct llvm *llvm, const struct rpt_sample *sample,
		      struct pd_callchain it, uint32_t max_nr)
{
	enum pd_callchain_word word;

	while (max_nr && (word = pd_callchain_next(&it)) != PD_CALLCHAIN_END) {
		if (word != PD_CALLCHAIN_ADDRESS)
			continue;
		put_word(llvm, address_of(llvm, sample, it.cpumode, it.ip));
		max_nr--;
	}
}

static void put_chains(struct llvm *llvm, const struct rpt_sample *sample)
{
	const struct rpt_report *part = llvm->samples.part;
	uint32_t max_nr = part->rows_conf.max_stack;
	struct pd_u64s unwound = { .raw = (const uint8_t *)llvm->unwound };
	struct pd_callchain it = pd_callchain_start(&unwound);

	if (!part->rows_conf.chains ||
	    !(sample->fields.present & PD_SAMPLE_CALLCHAIN))
		return;
	put_chain(llvm, sample, pd_callchain_start(&sample->fields.callchain),
		  max_nr);
	unwound.nr = rpt_user_stack_frames(part->unwind, part->timeline, sample,
					   llvm->unwound);
	it.has_no_marks = true;
	it.next_idx = 1; /* behind the mark */
	put_chain(llvm, sample, it, max_nr);
}

/* Return whether the sample says by which branches it came where it is; those
 * of --call-graph lbr are of calls that have not returned. */
static bool has_branches(const struct rpt_sample *sample)
{
	return pd_sample_branch_nr(&sample->fields) &&
	       !(sample->event->layout.branch_sample_type &
		 PD_BRANCH_CALL_STACK);
}

static int add_sample(void *ctx, struct rpt_sample *sample)
{
	struct llvm *llvm = ctx;
	uint32_t known_nr = llvm->stacks.nr;
	int64_t idx;

	if (!sample->is_shown || !has_branches(sample) ||
	    rpt_export_samples_hide(&llvm->samples, sample))
		return 0;
	llvm->stack_nr = 0;
	put_word(llvm, 0);
	put_chains(llvm, sample);
	llvm->stack[0] = llvm->stack_nr - 1;
	for (size_t i = 0; i < pd_sample_branch_nr(&sample->fields); i++) {
		struct pd_branch branch =
			pd_sample_branch_at(&sample->fields, i);

		if (!branch.from && !branch.to) /* a register without one */
			continue;
		put_word(llvm, address_of(llvm, sample, PD_CPUMODE_USER,
					  branch.from));
		put_word(llvm,
			 address_of(llvm, sample, PD_CPUMODE_USER, branch.to));
	}
	if (llvm->stack_nr == llvm->stack[0] + 1)
		return 0;
	llvm->stacks.limit = rpt_timeline_budget(llvm->samples.part->timeline);
	idx = rpt_intern(&llvm->stacks, llvm->stack,
			 llvm->stack_nr * sizeof(*llvm->stack));
	if (idx < 0)
		return (int)idx;
	llvm->counts = rpt_grow(llvm->counts, &llvm->counts_cap, (uint32_t)idx,
				sizeof(*llvm->counts));
	if (idx == known_nr)
		llvm->counts[idx] = 0;
	llvm->counts[idx]++;
	return 0;
}

static int read_part(struct llvm *llvm, struct rpt_report *part,
		     struct pd_err *err)
{
	int rc = rpt_export_samples_read(&llvm->samples, part, err);

	if (rc == -EFBIG)
		pd_err_set(err, rc,
			   "more different branch stacks than the limit on "
			   "memory allows (--max-ratio)");
	return rc;
}

static const char *path_of(const struct llvm *llvm, uint32_t file)
{
	return rpt_intern_key(&llvm->names, file);
}

static const char *name_of(const struct llvm *llvm, uint32_t file)
{
	const char *path = path_of(llvm, file);
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* llvm-profgen knows a file by its name without folders: of several by one
 * name, return whether this is the one with most addresses. */
static bool *find_known(const struct llvm *llvm)
{
	uint32_t nr = llvm->names.nr;
	bool *known = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*known));
	uint32_t *most = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*most));
	struct rpt_intern names = { 0 };

	for (uint32_t i = 0; i < nr; i++) {
		const char *name = name_of(llvm, i);
		uint32_t known_nr = names.nr;
		uint32_t idx = (uint32_t)rpt_intern(&names, name, strlen(name));

		if (idx == known_nr ||
		    llvm->files[i].use_nr > llvm->files[most[idx]].use_nr)
			most[idx] = i;
	}
	for (uint32_t i = 0; i < names.nr; i++)
		known[most[i]] = true;
	rpt_intern_release(&names);
	free(most);
	return known;
}

static void print_mappings(const struct llvm *llvm, struct rpt_text *out)
{
	bool *known = find_known(llvm);

	for (uint32_t i = 0; i < llvm->mappings.nr; i++) {
		const struct mapping *map = rpt_intern_key(&llvm->mappings, i);
		uint32_t file = (uint32_t)map->file_idx;
		int pid = (int)llvm->files[file].pid;

		if (!known[file])
			continue;
		rpt_text_format(out,
				"PERF_RECORD_MMAP2 %d/%d: [%#" PRIx64
				"(%#" PRIx64 ") @ %#" PRIx64
				" 00:00 0 0]: r-xp ",
				pid, pid, map->addr, map->len, map->pgoff);
		rpt_text_str(out, path_of(llvm, file));
		rpt_text_char(out, '\n');
	}
	free(known);
}

/* Print a stack.  In front of branches without a chain stands where the last of
 * them went. */
static void print_stack(const struct llvm *llvm, uint32_t idx,
			struct rpt_text *out)
{
	const uint64_t *words = rpt_intern_key(&llvm->stacks, idx);
	uint32_t nr = llvm->stacks.entries[idx].len / (uint32_t)sizeof(*words);
	uint32_t chain_nr = (uint32_t)*words++;

	rpt_text_dec(out, llvm->counts[idx], 0);
	rpt_text_char(out, '\n');
	for (uint32_t i = 0; i < chain_nr; i++) {
		rpt_text_char(out, '\t');
		rpt_text_hex(out, words[i], 16);
		rpt_text_char(out, '\n');
	}
	if (!chain_nr) {
		rpt_text_char(out, ' ');
		rpt_text_hex(out, words[1], 16);
	}
	for (uint32_t i = chain_nr; i + 2 < nr; i += 2) {
		rpt_text_put(out, " 0x", 3);
		rpt_text_hex(out, words[i], 0);
		rpt_text_put(out, "/0x", 3);
		rpt_text_hex(out, words[i + 1], 0);
	}
	rpt_text_char(out, '\n');
}

static int print(const struct llvm *llvm, FILE *out, struct pd_err *err)
{
	struct rpt_text *text = rpt_alloc(sizeof(*text));
	int rc;

	rpt_text_init(text, out);
	text->is_safe = true;
	print_mappings(llvm, text);
	for (uint32_t i = 0; i < llvm->stacks.nr; i++)
		print_stack(llvm, i, text);
	rc = rpt_text_flush(text);
	free(text);
	return rc && rc != -EPIPE ? pd_err_set(err, rc, "%s", strerror(-rc))
				  : 0;
}

static int refuse_empty(const struct rpt_report *report, struct pd_err *err)
{
	bool has_any = report->shape & RPT_SHAPE_BRANCHES;

	pd_err_set(err, -ENODATA,
		   has_any ? "no sample that is left has a branch stack"
			   : "no sample has a branch stack");
	if (!has_any)
		pd_err_hint(err, "record them by 'perfpair-record -b' on a "
				 "machine whose CPU has them (LBR, BRBE); with "
				 "-g, too, for profiles by calling context");
	return -ENODATA;
}

static int print_report(struct rpt_report *report, FILE *out,
			struct pd_err *err)
{
	struct llvm *llvm = rpt_alloc_zeroed(1, sizeof(*llvm));
	int rc = 0;

	llvm->samples.take = add_sample;
	llvm->samples.ctx = llvm;
	for (uint32_t i = 0; i < report->whole.part_nr && !rc; i++)
		rc = read_part(llvm, &report->whole.parts[i], err);
	if (!rc && !llvm->stacks.nr)
		rc = refuse_empty(report, err);
	if (!rc)
		rc = print(llvm, out, err);
	rpt_intern_release(&llvm->names);
	rpt_intern_release(&llvm->mappings);
	rpt_intern_release(&llvm->stacks);
	free(llvm->files);
	free(llvm->counts);
	free(llvm->stack);
	free(llvm);
	return rc;
}

/* Refuse options that branch stacks are not chosen by. */
static int check(struct rpt_report_args *args, struct pd_err *err)
{
	if (!(args->rows.is_one_socket || args->chains.ignore_callees ||
	      args->branches.has_history || args->switches.off_cpu ||
	      args->switches.latency || args->filter.parallelisms))
		return 0;
	return pd_err_set(err, -EINVAL,
			  "--format llvm: --socket-filter, --ignore-callees, "
			  "--off-cpu, --latency and --branch-history are not "
			  "for branch stacks");
}

const struct rpt_output rpt_output_llvm = {
	.name = "llvm",
	.help = "branch stacks, for llvm-profgen",
	.needs = RPT_OUTPUT_STACKS | RPT_OUTPUT_SAMPLES,
	.options = { rpt_report_opts },
	.check = check,
	.set_up = rpt_export_set_up,
	.print = print_report,
};
