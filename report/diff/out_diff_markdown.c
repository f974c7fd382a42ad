/* Prints a diff as Markdown for a merge request: what the gate says, the rows
 * that carry it, and what may have been missed. */
#include "report/diff/out_diff.h"

#include <math.h>
#include <string.h>

#define SHOWN_NR 10

/* Put a name where neither a bar nor a backquote may be. */
static void put_name(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '|')
			fputc('\\', out);
		fputc(*text == '`' ? '\'' : *text, out);
	}
}

static void put_row(const struct rpt_diff_table *table, size_t row, size_t side,
		    FILE *out)
{
	const struct rpt_diff_cell *old = rpt_diff_table_cell(table, row, 0);
	const struct rpt_change *change =
		&rpt_diff_table_cell(table, row, side)->change;
	const struct rpt_label *label =
		&table->labels->items[rpt_diff_table_label(table, row)];
	double of_all = 100.0 / rpt_side_total(&table->sides[0]);

	fputs("| `", out);
	for (size_t i = 0; i < table->labels->column_nr; i++) {
		fputs(i ? " " : "", out);
		put_name(label->texts[i] ? label->texts[i] : "", out);
	}
	if (old->is_there)
		fprintf(out, "` | %+.1f%%",
			100.0 * change->delta / old->estimate.value);
	else
		fputs("` | new", out);
	fprintf(out, " | %+.2f%% | [%+.2f%%, %+.2f%%] |\n",
		of_all * change->delta, of_all * change->low,
		of_all * change->high);
}

/* Put the rows that changed by more than chance; untested, all that are shown.
 */
static void put_rows(const struct rpt_diff_table *table, size_t side, FILE *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < table->shown_nr; i++) {
		uint32_t row = table->order[i];

		if (table->conf.is_tested &&
		    !rpt_diff_table_cell(table, row, side)
			     ->change.is_significant)
			continue;
		if (!nr)
			fputs("| Row | Changed by | In all | 95% interval |\n"
			      "|:--|--:|--:|--:|\n",
			      out);
		if (nr++ < SHOWN_NR)
			put_row(table, row, side, out);
	}
	if (nr > SHOWN_NR)
		fprintf(out, "\nand %zu rows more.\n", nr - SHOWN_NR);
	fputs(nr ? "\n" : "", out);
}

static void put_table(const struct rpt_diff_args *args,
		      const struct rpt_diff_table *table, size_t side,
		      FILE *out)
{
	fputs("**", out);
	put_name(table->event_name, out);
	fputs("**: ", out);
	if (table->conf.measure == RPT_MEASURE_COUNT)
		rpt_diff_put_cost(table, side, out);
	else
		fputs("Rows are compared, not what a run cost.", out);
	fputs("\n\n", out);
	put_rows(table, side, out);
	fprintf(out, "%zu old and %zu new runs. ", table->sides[0].side->run_nr,
		table->sides[side].side->run_nr);
	if (table->conf.is_tested)
		rpt_diff_put_verdict(table, side, true, out);
	else
		fputs(args->unmarked
			      ? "No row is marked: " RPT_DIFF_BLOCKS "."
			      : "One run a side does not tell a change from "
				"chance.",
		      out);
	fputs("\n", out);
}

void rpt_diff_print_markdown(const struct rpt_diff_args *args,
			     const struct rpt_gate_result *gate,
			     const struct rpt_diff_table *tables,
			     size_t table_nr, FILE *out)
{
	if (args->gate.limit_pct >= 0.0) {
		fputs("### perfpair diff ", out);
		rpt_gate_put(&args->gate, gate, out);
		fputs("\n\n", out);
	}
	for (size_t t = 0; t < table_nr; t++) {
		for (size_t s = 1; s < tables[t].side_nr; s++) {
			fputs(t || s > 1 ? "\n" : "", out);
			put_table(args, &tables[t], s, out);
		}
	}
}
