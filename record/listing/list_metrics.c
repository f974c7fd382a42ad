/* list_metrics.c: rows of metrics and of their groups. */
#include "record/listing/list_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Return true if this machine counts all events of a metric. */
static bool can_count(const struct rec_metric *metric, const char *sysfs,
		      bool is_copy)
{
	struct rec_event_env env = { .sysfs = sysfs };
	struct rec_event_list list;
	bool can;

	rec_event_list_init(&list);
	can = !rec_event_parse(&list, metric->events, &env, NULL);
	for (size_t i = 0; i < list.nr && can && !is_copy; i++)
		can = rec_list_can_open(&list.events[i].attr);
	rec_event_list_release(&list);
	return can;
}

int rec_list_collect_metrics(struct rec_list_rows *rows,
			     const struct rec_list_conf *conf)
{
	const struct rec_metric *metric = NULL;
	struct rec_metric_host host;

	rec_metric_host_read(&host, conf->sysfs);
	while ((metric = rec_metric_next(&host, metric))) {
		struct rec_list_row *row = rec_list_add(rows, metric->name);

		if (!row)
			return -ENOMEM;
		row->metric = metric;
		row->text = strdup(metric->text);
		row->is_missing =
			!can_count(metric, conf->sysfs, conf->is_copy);
		if (!row->text)
			return -ENOMEM;
	}
	return 0;
}

/* A group is there if one of its metrics is. */
int rec_list_collect_metric_groups(struct rec_list_rows *rows,
				   const struct rec_list_conf *conf)
{
	struct rec_list_rows metrics = { .nr = 0 };
	int rc = rec_list_collect_metrics(&metrics, conf);

	for (size_t i = 0; i < metrics.nr && !rc; i++) {
		const char *group = metrics.at[i].metric->group;
		struct rec_list_row *row = NULL;

		for (size_t j = 0; j < rows->nr && !row; j++)
			if (!strcmp(rows->at[j].name, group))
				row = &rows->at[j];
		if (!row) {
			row = rec_list_add(rows, group);
			if (row)
				row->is_missing = true;
		}
		if (!row)
			rc = -ENOMEM;
		else
			row->is_missing &= metrics.at[i].is_missing;
	}
	rec_list_rows_release(&metrics);
	return rc;
}
