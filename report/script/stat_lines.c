#include "report/script/stat_lines.h"

#include "report/events/event_name.h"
#include "report/base/safe_text.h"

#include <inttypes.h>
#include <string.h>

static void print_event(struct rpt_stat_table *table,
			const struct rpt_filter *filter, size_t idx,
			uint64_t time_ns, FILE *out)
{
	const struct rpt_stat_cpus *cpus = rpt_stat_table_cpus(table, idx);
	const struct rpt_stat_cell *cell =
		&table->cells[table->of[idx].first_cell];
	char buf[RPT_EVENT_NAME_LEN];
	const char *name = rpt_event_name(&table->events->events[idx], buf);

	for (size_t i = 0; i < cpus->nr * table->tid_nr; i++, cell++) {
		int32_t cpu = cpus->items[i % cpus->nr];

		if (!rpt_stat_table_spend(table, 1))
			return;
		if (!rpt_filter_cpu_is_in(filter, (uint32_t)cpu))
			continue;
		fprintf(out,
			"%3" PRId32 " %8" PRId32 " %15" PRIu64 " %15" PRIu64
			" %15" PRIu64 " %15" PRIu64 " ",
			cpu, table->tids[i / cpus->nr], cell->now.value,
			cell->now.enabled_ns, cell->now.running_ns, time_ns);
		rpt_put_safe(out, (struct pd_str){ name, strlen(name) });
		fputc('\n', out);
	}
}

void rpt_stat_lines_print(struct rpt_stat_table *table,
			  const struct rpt_filter *filter,
			  const struct pd_record *rec, FILE *out)
{
	struct pd_body body;

	if (!table->cells || pd_body_read(rec, 0, &body, NULL))
		return;
	if (!table->is_titled)
		fprintf(out, "%3s %8s %15s %15s %15s %15s %s\n", "CPU",
			"THREAD", "VAL", "ENA", "RUN", "TIME", "EVENT");
	table->is_titled = true;
	rpt_stat_table_round(table);
	for (size_t i = 0; i < table->events->nr; i++)
		print_event(table, filter, i, body.u.stat_round.time_ns, out);
}
