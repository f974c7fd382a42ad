#include "report/page/page.h"

#include "report/base/memory.h"
#include "report/page/page_code.h"
#include "report/page/page_write.h"

#include <stdlib.h>

struct maker {
	struct rpt_report *report;
	struct rpt_page_fill fill;
	struct rpt_page_hits *hits; /* by recording; owned; NULL: nobody asks
				     * for instructions */
	struct rpt_page_code code;
};

static void put_head(struct rpt_json *json, const void *ctx,
		     const struct rpt_page_fill *fill,
		     const struct rpt_page_conf *conf)
{
	rpt_page_head_report(json, ctx, fill, conf);
}

static int add_parts(struct maker *m)
{
	struct rpt_report *report = m->report;
	uint32_t event_nr = report->whole.events.nr;
	int rc = 0;

	rpt_page_fill_reserve(&m->fill, event_nr);
	for (uint32_t p = 0; p < report->whole.part_nr && !rc; p++) {
		struct rpt_page_input input = {
			.report = &report->whole.parts[p],
			.frames = &report->frames,
			.events = report->whole.events.numbers[p],
			.idx = p,
		};

		if (m->hits) {
			input.hits = &m->hits[p];
			rpt_page_hits_init(input.hits, event_nr);
		}
		if (report->whole.part_nr > 1)
			rpt_frames_use(&report->frames, p,
				       input.report->timeline);
		rc = rpt_page_fill_add(&m->fill, &input);
	}
	rpt_page_fill_end(&m->fill);
	return rc;
}

static void make_code(struct maker *m, enum rpt_page_code_kind kind)
{
	uint32_t nr = m->report->whole.part_nr;
	struct rpt_page_part *parts = rpt_alloc_zeroed(nr, sizeof(*parts));

	for (uint32_t p = 0; p < nr; p++) {
		const struct rpt_report *part = &m->report->whole.parts[p];
		const struct rpt_annotator_conf conf = {
			.reader = part->reader,
			.symbols = part->symbols,
		};

		rpt_page_hits_close(&m->hits[p]);
		parts[p].hits = &m->hits[p];
		parts[p].annotator = rpt_annotator_new(&conf);
	}
	rpt_page_code_make(&m->code, &m->fill.names, parts, nr, kind);
	m->fill.code = &m->code;
	for (uint32_t p = 0; p < nr; p++)
		rpt_annotator_free(parts[p].annotator);
	free(parts);
}

static void release(struct maker *m)
{
	for (uint32_t p = 0; m->hits && p < m->report->whole.part_nr; p++)
		rpt_page_hits_release(&m->hits[p]);
	free(m->hits);
	rpt_page_code_release(&m->code);
	rpt_page_fill_release(&m->fill);
}

static int print_page(struct rpt_report *report,
		      const struct rpt_page_conf *conf, FILE *out,
		      struct pd_err *err)
{
	struct maker m = { .report = report };
	int rc;

	if (conf->code != RPT_PAGE_CODE_NONE)
		m.hits = rpt_alloc_zeroed(report->whole.part_nr,
					  sizeof(*m.hits));
	rpt_page_fill_init(&m.fill);
	rc = add_parts(&m);
	if (!rc && m.hits)
		make_code(&m, conf->code);
	if (rc)
		pd_err_set(err, rc,
			   "more different addresses than the limit on memory "
			   "allows (--max-ratio)");
	else
		rc = rpt_page_write(&m.fill, conf, put_head, report, out, err);
	release(&m);
	return rc;
}

/* Blocks of time of a page; several recordings have no time in common. */
#define BLOCKS_NR 2000u

/* Set what distinguishes the samples of a page. */
static int set_up(struct rpt_report *report, struct pd_err *err)
{
	int rc = rpt_report_plan_columns(report, err);

	report->rows_conf.keys.by |= RPT_BY_TASK | RPT_BY_CPU;
	report->block_nr = report->args->input_nr == 1 ? BLOCKS_NR : 0;
	return rc;
}

static int check(struct rpt_report_args *args, struct pd_err *err)
{
	(void)err;
	/* a page by address has each of them */
	if (args->graph.key == RPT_FRAME_ADDRESS)
		args->names.raw_addresses = true;
	return 0;
}

static int print_report(struct rpt_report *report, FILE *out,
			struct pd_err *err)
{
	const struct rpt_report_args *args = report->args;
	char *title = rpt_page_title(args->inputs, args->input_nr);
	const struct rpt_page_conf conf = {
		.len_max = args->out.page_len,
		.title = title,
		.code = args->out.page_code,
		.warnings = report->whole.warnings,
		.warning_nr = report->whole.warning_nr,
	};
	int rc = print_page(report, &conf, out, err);

	free(title);
	return rc;
}

static const struct sup_opt opts[] = {
	RPT_OPT_PAGE_SIZE(offsetof(struct rpt_report_args, out.page_len)),
	RPT_OPT_PAGE_CODE(offsetof(struct rpt_report_args, out.page_code)),
	{ 0 },
};

const struct rpt_output rpt_output_html = {
	.name = "html",
	.help = "a page to look at in the browser",
	.needs = RPT_OUTPUT_STACKS | RPT_OUTPUT_SAMPLES | RPT_OUTPUT_WARNINGS,
	.options = { rpt_report_opts, opts },
	.check = check,
	.set_up = set_up,
	.print = print_report,
};
