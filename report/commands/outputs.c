#include "report/commands/outputs.h"

#include "report/export/export.h"
#include "report/page/page.h"

const struct rpt_output *const rpt_outputs[] = {
	&rpt_output_text, /* export has those behind it */
	&rpt_output_json,	&rpt_output_csv,
	&rpt_output_markdown,	&rpt_output_folded,
	&rpt_output_html,	&rpt_output_pprof,
	&rpt_output_speedscope, &rpt_output_firefox,
	&rpt_output_otlp,	&rpt_output_llvm,
	&rpt_output_trace,	&rpt_output_arrow,
	&rpt_output_rows,	NULL,
};

/* Return table t of the outputs, of which there may be several alike. */
static const struct sup_opt *table_at(const struct rpt_output *const *outputs,
				      size_t t)
{
	return outputs[t / RPT_OUTPUT_TABLES_MAX]
		->options[t % RPT_OUTPUT_TABLES_MAX];
}

static bool is_first(const struct rpt_output *const *outputs, size_t t)
{
	for (size_t i = 0; i < t; i++)
		if (table_at(outputs, i) == table_at(outputs, t))
			return false;
	return table_at(outputs, t);
}

const struct sup_opt *rpt_outputs_opts(const struct rpt_output *const *outputs,
				       size_t idx)
{
	for (size_t t = 0; outputs[t / RPT_OUTPUT_TABLES_MAX]; t++)
		if (is_first(outputs, t) && !idx--)
			return table_at(outputs, t);
	return NULL;
}

void rpt_outputs_print_help(const struct rpt_output *const *outputs, FILE *out)
{
	fputs("\nFormats (--format):\n", out);
	for (; *outputs; outputs++)
		fprintf(out, "  %-20s%s\n", (*outputs)->name, (*outputs)->help);
}
