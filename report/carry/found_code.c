#include "report/carry/found_code.h"

#include "report/annotate/annotation.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/elf/sparse_elf.h"
#include "report/symbols/dso.h"

#include <stdlib.h>
#include <string.h>

/* A function and the samples that were taken in it. */
struct function {
	const struct rpt_symbol *sym;
	uint64_t self_nr;
};

static void add_run(struct rpt_found_code *found, uint32_t file_idx,
		    uint64_t off, const uint8_t *data, uint64_t len)
{
	struct pd_carried_code *code = &found->code;

	code->runs = rpt_grow(code->runs, &found->run_cap, code->run_nr,
			      sizeof(*code->runs));
	code->runs[code->run_nr++] = (struct pd_carried_run){
		.file_idx = file_idx,
		.off = off,
		.data = data,
		.len = len,
	};
	found->len += len;
}

/* Return the bytes of the DSO's file, or NULL. */
static const uint8_t *file_bytes(struct rpt_dso *dso, size_t *ret_len)
{
	const struct rpt_elf *file = rpt_dso_loaded(dso)->files.runtime;

	if ((dso->kind != RPT_DSO_USER && dso->kind != RPT_DSO_VDSO) || !file ||
	    rpt_elf_is_sparse(file))
		return NULL;
	return (const uint8_t *)elf_rawfile(file->elf, ret_len);
}

/* Copy a function's code.  Return false if it is not in the file, or too long.
 */
static bool take(struct rpt_found_code *found, const struct rpt_hit_file *hit,
		 const struct rpt_symbol *sym)
{
	size_t file_len;
	const uint8_t *bytes = file_bytes(hit->dso, &file_len);
	uint64_t len = sym->end - sym->start;

	if (!bytes || sym->start > file_len || len > file_len - sym->start ||
	    !len || len > RPT_CODE_LEN_MAX ||
	    len > RPT_CODE_ALL_LEN_MAX - found->len)
		return false;
	add_run(found, hit->carried_idx, sym->start,
		rpt_arena_copy(&found->bytes, bytes + sym->start, (size_t)len),
		len);
	return true;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int rc = rpt_compare_u64((uintptr_t)x->sym, (uintptr_t)y->sym);

	return rc;
}

/* Return the functions of a file with their samples; the caller frees them. */
static struct function *functions_of(const struct rpt_hit_file *hit,
				     uint32_t *ret_nr)
{
	struct function *all =
		rpt_alloc_zeroed(hit->hit_nr + (size_t)1, sizeof(*all));
	uint32_t hit_nr = 0, nr = 0;

	for (uint32_t i = 0; i < hit->hit_nr; i++) {
		const struct rpt_symbol *sym =
			hit->hits[i].self_nr
				? rpt_dso_symbol(hit->dso, hit->hits[i].addr)
				: NULL;

		if (sym)
			all[hit_nr++] =
				(struct function){ sym, hit->hits[i].self_nr };
	}
	qsort(all, hit_nr, sizeof(*all), compare_functions);
	for (uint32_t i = 0; i < hit_nr; i++) {
		if (nr && all[nr - 1].sym == all[i].sym)
			all[nr - 1].self_nr += all[i].self_nr;
		else
			all[nr++] = all[i];
	}
	*ret_nr = nr;
	return all;
}

/* Return true if the recording carries the start of the function. */
static bool is_old(const struct rpt_found_code *found, uint32_t file_idx,
		   const struct rpt_symbol *sym)
{
	uint32_t nr;
	const struct pd_carried_run *runs =
		pd_carried_code_of(&found->old, file_idx, &nr);

	for (uint32_t i = 0; i < nr; i++)
		if (runs[i].off <= sym->start &&
		    sym->start - runs[i].off < runs[i].len)
			return true;
	return false;
}

static void find_in(struct rpt_found_code *found,
		    const struct rpt_hit_file *hit, uint64_t sample_nr,
		    struct rpt_carry_result *result)
{
	uint32_t nr;
	struct function *functions = functions_of(hit, &nr);
	uint64_t found_nr = 0, all_nr = 0;

	for (uint32_t i = 0; i < nr; i++) {
		if ((double)functions[i].self_nr <
		    (double)sample_nr * RPT_CODE_SHARE)
			continue;
		all_nr++;
		found_nr += is_old(found, hit->carried_idx, functions[i].sym) ||
			    take(found, hit, functions[i].sym);
	}
	free(functions);
	rpt_carry_count_add(&result->code, found_nr, all_nr,
			    rpt_dso_name(hit->dso));
}

int rpt_found_code_find(struct rpt_found_code *found,
			const struct pd_reader *reader,
			const struct rpt_hit_files *hits, uint32_t file_nr,
			struct rpt_carry_result *result, struct pd_err *err)
{
	struct pd_carried_text text;
	int rc;

	memset(found, 0, sizeof(*found));
	rc = pd_reader_carried_text(reader, PD_CARRIED_BYTES, &text, err);
	if (!rc)
		rc = pd_carried_code_read(&text, file_nr, &found->old, err);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < found->old.run_nr; i++)
		add_run(found, found->old.runs[i].file_idx,
			found->old.runs[i].off, found->old.runs[i].data,
			found->old.runs[i].len);
	for (uint32_t i = 0; i < hits->nr; i++)
		if (hits->files[i].carried_idx != UINT32_MAX &&
		    hits->files[i].dso->kind != RPT_DSO_KERNEL &&
		    hits->files[i].dso->kind != RPT_DSO_MODULE)
			find_in(found, &hits->files[i], hits->sample_nr,
				result);
	pd_carried_runs_sort(found->code.runs, &found->code.run_nr);
	for (uint32_t i = 0; i < found->code.run_nr; i++)
		result->code_len += found->code.runs[i].len;
	return 0;
}

void rpt_found_code_release(struct rpt_found_code *found)
{
	free(found->code.runs);
	pd_carried_code_release(&found->old);
	rpt_arena_release(&found->bytes);
	memset(found, 0, sizeof(*found));
}

/* Return the hits of a DSO, or NULL. */
static struct rpt_hit_file *file_of(struct rpt_hit_files *hits,
				    const struct rpt_dso *dso)
{
	for (uint32_t i = 0; i < hits->nr; i++)
		if (hits->files[i].dso == dso)
			return &hits->files[i];
	return NULL;
}

static void add_rows(struct rpt_hit_file *f, const struct rpt_annotation *code,
		     bool with_lines)
{
	for (uint32_t i = 0; i < code->row_nr; i++) {
		const struct rpt_code_row *row = &code->rows[i];

		if (row->to && row->target == RPT_NO_ROW)
			rpt_hit_file_add_code(f, row->to);
		if (with_lines)
			rpt_hit_file_add_code(f, code->function.sym->start +
							 row->off);
	}
}

/* Fill ret with the samples of functions whose code can be carried. */
static void count(const struct rpt_hit_files *hits, struct rpt_code_hits *ret)
{
	rpt_code_hits_init(ret, 1);
	for (uint32_t i = 0; i < hits->nr; i++) {
		const struct rpt_hit_file *f = &hits->files[i];
		enum rpt_dso_kind kind = rpt_dso_kind(f->dso);

		if (kind != RPT_DSO_USER && kind != RPT_DSO_VDSO)
			continue;
		for (uint32_t j = 0; j < f->hit_nr; j++)
			if (f->hits[j].self_nr)
				rpt_code_hits_add(ret, f->dso, f->hits[j].addr,
						  0, f->hits[j].self_nr, 0);
	}
	rpt_code_hits_close(ret);
}

void rpt_hit_code_add(struct rpt_hit_files *hits,
		      const struct pd_reader *reader,
		      const struct rpt_symbols *symbols, bool with_lines)
{
	const struct rpt_annotator_conf conf = {
		.reader = reader,
		.symbols = symbols,
	};
	struct rpt_annotator *annotator = rpt_annotator_new(&conf);
	struct rpt_code_hits counts;
	uint64_t row_nr = 0;

	count(hits, &counts);
	for (uint32_t i = 0;
	     i < counts.function_nr && row_nr < RPT_HIT_CODE_MAX; i++) {
		const struct rpt_code_function *f = &counts.functions[i];
		struct rpt_hit_count share = rpt_code_hits_of(&counts, i, 0);
		struct rpt_annotation code;

		if ((double)share.nr <
			    (double)hits->sample_nr * RPT_CODE_SHARE ||
		    f->sym->end - f->sym->start > RPT_CODE_LEN_MAX)
			continue;
		if (!rpt_annotate(annotator, &counts, i, &code, NULL)) {
			add_rows(file_of(hits, f->dso), &code, with_lines);
			row_nr += code.row_nr;
		}
		rpt_annotation_release(&code);
	}
	for (uint32_t i = 0; i < hits->nr; i++)
		rpt_hit_file_sort(&hits->files[i]);
	rpt_code_hits_release(&counts);
	rpt_annotator_free(annotator);
}
