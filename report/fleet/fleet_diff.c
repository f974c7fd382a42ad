/* perfpair fleet diff: diff's own table, with a host for each run. */
#include "report/fleet/fleet_impl.h"

#include "report/base/memory.h"
#include "format/support/safe_text.h"
#include "report/diff/out_diff.h"

#include "format/support/message.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUTLIER_ROWS 10u /* whose hosts are asked for */

struct fleet_diff {
	struct rpt_fleet_load load;
	struct rpt_diff_args args;
	struct rpt_diff_table
		*tables; /* by event; those that both sides have */
	size_t table_nr;
};

static void set_args(struct fleet_diff *diff)
{
	const struct rpt_fleet_args *from = diff->load.scope->args;
	const struct rpt_side *sides = diff->load.sides;
	bool is_between = sides[0].run_nr > 1 && sides[1].run_nr > 1;

	diff->args = (struct rpt_diff_args){
		.table = { .compute = RPT_COMPUTE_DELTA_ABS,
			   .measure = RPT_MEASURE_SHARE,
			   .is_between = is_between,
			   .is_tested = is_between,
			   .is_nested = from->children,
			   .intervals = true,
			   .order = 1,
			   .only_significant = from->only_significant },
		.is_measure_given = true,
		.children = from->children,
		.gate = RPT_GATE_NONE,
		.side_nr = RPT_FLEET_SIDES,
		.path_nr =
			sides[0].run_nr + sides[1].run_nr - diff->load.pair_nr,
		.run_name = "host",
	};
}

static int fill_tables(struct fleet_diff *diff, struct pd_err *err)
{
	uint32_t nr = diff->load.labels.events.nr;
	int rc = 0;

	diff->tables = rpt_alloc_zeroed((size_t)nr + 1, sizeof(*diff->tables));
	for (uint32_t e = 0; e < nr && !rc; e++) {
		const struct rpt_side *sides = diff->load.events[e].sides;
		struct rpt_diff_table_conf conf = diff->args.table;

		if (!sides[0].run_nr || !sides[1].run_nr)
			continue;
		conf.event = e;
		conf.is_between = sides[0].run_nr > 1 && sides[1].run_nr > 1;
		conf.is_tested = conf.is_between;
		rc = rpt_diff_table_fill(&diff->tables[diff->table_nr++], &conf,
					 &diff->load.labels, sides,
					 RPT_FLEET_SIDES, err);
	}
	if (!rc && !diff->table_nr)
		rc = pd_err_set(err, -ENODATA,
				"the sides have no event in common");
	return rc;
}

/* Print the hosts that carry a row's change. */
static void print_hosts(const struct rpt_fleet_outliers *hosts,
			const char *name, size_t host_nr, FILE *out)
{
	enum { SHOWN = 5 };

	fprintf(out, "# %s: %zu of %zu hosts carr%s ", name, hosts->nr, host_nr,
		hosts->nr == 1 ? "ies" : "y");
	/* others may have changed the other way */
	if (hosts->part > 1.0)
		fputs("more than the whole change:", out);
	else
		fprintf(out, "%.0f%% of the change:", 100.0 * hosts->part);
	for (size_t i = 0; i < hosts->nr && i < SHOWN; i++)
		fprintf(out, "%s %s", i ? "," : "", hosts->hosts[i]);
	fputs(hosts->nr > SHOWN ? ", ...\n" : "\n", out);
}

/* Ask on which hosts the first changes of a table are, and name those that
 * stand out. */
static int print_outliers(const struct fleet_diff *diff,
			  const struct rpt_diff_table *table, FILE *out,
			  struct pd_err *err)
{
	struct rpt_fleet_outliers hosts[OUTLIER_ROWS] = { 0 };
	size_t nr =
		table->shown_nr < OUTLIER_ROWS ? table->shown_nr : OUTLIER_ROWS;
	int rc = 0;

	if (nr)
		rc = rpt_fleet_outliers_find(hosts, &diff->load, table,
					     table->order, nr, err);
	for (size_t i = 0; i < nr && !rc; i++) {
		uint32_t label = rpt_diff_table_label(table, table->order[i]);

		if (hosts[i].nr)
			print_hosts(&hosts[i],
				    diff->load.labels.items[label].texts[1],
				    table->sides[1].side->run_nr, out);
	}
	rpt_fleet_outliers_release(hosts, nr);
	return rc;
}

static int print_text(struct fleet_diff *diff, FILE *to, struct pd_err *err)
{
	struct rpt_text *text = rpt_alloc(sizeof(*text));
	FILE *out = rpt_text_stream(text);
	int rc = 0;

	rpt_text_init(text, to);
	text->is_safe = true;
	rpt_diff_print_head(&diff->args, diff->load.sides, out);
	for (size_t t = 0; t < diff->table_nr && !rc; t++) {
		if (t)
			fputc('\n', out);
		rpt_diff_print_table(&diff->args, &diff->tables[t], text, out);
		rc = print_outliers(diff, &diff->tables[t], out, err);
	}
	fclose(out);
	if (!rc) {
		rc = rpt_text_flush(text);
		if (rc)
			pd_err_set(err, rc, "%s", strerror(-rc));
	}
	free(text);
	return rc;
}

static int print_data(const struct fleet_diff *diff, FILE *out,
		      struct pd_err *err)
{
	struct rpt_text *text = rpt_alloc(sizeof(*text));
	int rc;

	rpt_text_init(text, out);
	if (diff->load.scope->args->format == RPT_FLEET_JSON)
		rpt_diff_print_json(&diff->args, diff->load.sides, diff->tables,
				    diff->table_nr, text);
	else
		rpt_diff_print_csv(&diff->args, diff->tables, diff->table_nr,
				   text);
	rc = rpt_text_flush(text);
	free(text);
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}

static int print_page(const struct fleet_diff *diff, FILE *out,
		      struct pd_err *err)
{
	const struct rpt_page_diff_result result = {
		.args = &diff->args,
		.sides = diff->load.sides,
		.tables = diff->tables,
		.table_nr = diff->table_nr,
	};

	return rpt_fleet_page_diff(&diff->load, &result, out, err);
}

static int print(struct fleet_diff *diff, FILE *out, struct pd_err *err)
{
	switch (diff->load.scope->args->format) {
	case RPT_FLEET_TEXT:
		return print_text(diff, out, err);
	case RPT_FLEET_HTML:
		return print_page(diff, out, err);
	default:
		return print_data(diff, out, err);
	}
}

int rpt_fleet_diff(const struct rpt_fleet_scope *scope, FILE *out,
		   struct pd_err *err)
{
	struct fleet_diff diff = { .tables = NULL };
	int rc = rpt_fleet_load(&diff.load, scope, err);

	if (!rc) {
		set_args(&diff);
		rc = fill_tables(&diff, err);
	}
	if (!rc)
		rc = print(&diff, out, err);
	for (size_t t = 0; t < diff.table_nr; t++)
		rpt_diff_table_release(&diff.tables[t]);
	free(diff.tables);
	rpt_fleet_load_release(&diff.load);
	return rc;
}
