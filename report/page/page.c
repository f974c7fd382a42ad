#include "report/page/page.h"

#include "report/page/page_write.h"

static void put_head(struct rpt_json *json, const void *ctx,
		     const struct rpt_page_fill *fill,
		     const struct rpt_page_conf *conf)
{
	rpt_page_head_report(json, ctx, fill, conf);
}

static int add_parts(struct rpt_page_fill *fill, struct rpt_report *report)
{
	int rc = 0;

	rpt_page_fill_reserve(fill, report->whole.events.nr);
	for (uint32_t p = 0; p < report->whole.part_nr && !rc; p++) {
		const struct rpt_page_input input = {
			.report = &report->whole.parts[p],
			.frames = &report->frames,
			.events = report->whole.events.numbers[p],
			.idx = p,
		};

		if (report->whole.part_nr > 1)
			rpt_frames_use(&report->frames, p,
				       input.report->timeline);
		rc = rpt_page_fill_add(fill, &input);
	}
	rpt_page_fill_end(fill);
	return rc;
}

int rpt_page_print(struct rpt_report *report, const struct rpt_page_conf *conf,
		   FILE *out, struct pd_err *err)
{
	struct rpt_page_fill fill;
	int rc;

	rpt_report_merge(report);
	rpt_page_fill_init(&fill);
	rc = add_parts(&fill, report);
	if (rc)
		pd_err_set(err, rc,
			   "more different addresses than the limit on memory "
			   "allows (--max-ratio)");
	else
		rc = rpt_page_write(&fill, conf, put_head, report, out, err);
	rpt_page_fill_release(&fill);
	return rc;
}
