#include "report/carry/hit_code.h"

#include "report/annotate/annotation.h"
#include "report/carry/found_code.h"

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
