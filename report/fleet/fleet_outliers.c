/* Hosts whose part of a change stands out.  A host's part is how much its share
 * differs from what it was: its own old one if it ran both releases, else the
 * mean of the old hosts.  Those stand out whose part is further than
 * OUTLIER_REACH robust standard deviations from the median (median absolute
 * deviation: Hampel, J. Am. Stat. Assoc. 69, 1974), in the change's direction.
 */
#include "report/fleet/fleet_impl.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/fleet/fleet_client.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUTLIER_REACH 5.0
#define MAD_TO_SD     1.4826 /* of a normal distribution */
#define OUTLIER_LEAST 0.1    /* of the change, that outliers carry together */

struct part {
	double value;
	uint32_t host;
};

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int rc = rpt_compare_doubles(&y->value, &x->value);

	return rc ? rc : rpt_compare_u64(x->host, y->host);
}

static double median(const struct part *sorted, size_t nr)
{
	return (sorted[(nr - 1) / 2].value + sorted[nr / 2].value) / 2.0;
}

/* Return the median distance from the median of values in their order. */
static double deviation(const struct part *sorted, size_t nr, double middle)
{
	double *far = rpt_alloc(nr * sizeof(*far));
	double ret;

	for (size_t i = 0; i < nr; i++)
		far[i] = fabs(sorted[i].value - middle);
	qsort(far, nr, sizeof(*far), rpt_compare_doubles);
	ret = (far[(nr - 1) / 2] + far[nr / 2]) / 2.0;
	free(far);
	return ret;
}

/* Find the outliers among the parts of a change, which is positive. */
static void find(struct rpt_fleet_outliers *ret, struct part *parts, size_t nr,
		 const struct rpt_intern *hosts)
{
	double sum = 0.0, carried = 0.0, bound;
	size_t found = 0;

	qsort(parts, nr, sizeof(*parts), compare_parts);
	for (size_t i = 0; i < nr; i++)
		sum += parts[i].value;
	bound = median(parts, nr);
	bound += OUTLIER_REACH * MAD_TO_SD * deviation(parts, nr, bound);
	while (found < nr && parts[found].value > bound)
		carried += parts[found++].value;
	if (!found || found == nr || sum <= 0.0 ||
	    carried < OUTLIER_LEAST * sum)
		return;
	ret->hosts = rpt_alloc_zeroed(found, sizeof(*ret->hosts));
	ret->nr = found;
	ret->part = carried / sum;
	for (size_t i = 0; i < found; i++)
		ret->hosts[i] = rpt_intern_key(hosts, parts[i].host);
}

/* Return a weight's share of its event on a side's host, 0 if that has none. */
static double share(const struct rpt_fleet_load *load, int side, int64_t host,
		    uint32_t event, double weight)
{
	double total = load->runs[side][host].events[event].total.period;

	return total > 0.0 ? weight / total : 0.0;
}

/* Return the number on the old side of a new host that is compared with itself,
 * else UINT32_MAX. */
static uint32_t partner(const struct rpt_fleet_load *load, uint32_t event,
			uint32_t host)
{
	uint32_t old = load->partners[RPT_FLEET_NEW][host];

	if (!load->sides[RPT_FLEET_NEW].pair_nr || old == UINT32_MAX ||
	    !rpt_fleet_has_event(&load->runs[RPT_FLEET_OLD][old], event))
		return UINT32_MAX;
	return old;
}

/* Fill the parts of all new hosts: those that are not in the answer have no
 * samples of the row. */
static void fill_parts(struct part *parts, const struct rpt_fleet_load *load,
		       const struct rpt_diff_table *table, uint32_t row,
		       const struct rpt_fleet_answer *answer)
{
	const struct rpt_intern *hosts = &load->hosts[RPT_FLEET_NEW];
	const struct rpt_diff_cell *old = rpt_diff_table_cell(table, row, 0);
	const struct rpt_diff_cell *new = rpt_diff_table_cell(table, row, 1);
	uint32_t label = rpt_diff_table_label(table, row);
	uint32_t event = table->conf.event;
	double mean = old->estimate.value;
	double sign = new->change.delta < 0.0 ? -1.0 : 1.0;

	for (uint32_t h = 0; h < hosts->nr; h++)
		parts[h] = (struct part){ partner(load, event, h) == UINT32_MAX
						  ? -sign * mean
						  : 0.0,
					  h };
	for (size_t r = 0; r < answer->row_nr; r++) {
		const char *host =
			rpt_fleet_field(answer, r, RPT_FLEET_WEIGHT_HOST);
		int64_t h = rpt_intern_find(hosts, host, strlen(host));
		uint32_t old_host;
		double before;

		if (h < 0 ||
		    strcmp(rpt_fleet_field(answer, r, RPT_FLEET_WEIGHT_EVENT),
			   table->event_name) != 0 ||
		    strcmp(rpt_fleet_field(answer, r,
					   RPT_FLEET_WEIGHT_FUNCTION),
			   load->functions[label]) != 0)
			continue;
		old_host = partner(load, event, (uint32_t)h);
		before =
			old_host == UINT32_MAX
				? mean
				: share(load, RPT_FLEET_OLD, old_host, event,
					rpt_fleet_number(answer, r,
							 RPT_FLEET_WEIGHT_OLD));
		parts[h].value =
			sign * (share(load, RPT_FLEET_NEW, h, event,
				      rpt_fleet_number(answer, r,
						       RPT_FLEET_WEIGHT_NEW)) -
				before);
	}
}

/* Leave the parts of hosts that count in an event.  Return how many. */
static size_t drop_others(struct part *parts, const struct rpt_fleet_load *load,
			  uint32_t event)
{
	size_t nr = 0;

	for (uint32_t h = 0; h < load->hosts[RPT_FLEET_NEW].nr; h++)
		if (rpt_fleet_has_event(&load->runs[RPT_FLEET_NEW][h], event))
			parts[nr++] = parts[h];
	return nr;
}

int rpt_fleet_outliers_find(struct rpt_fleet_outliers *outliers,
			    const struct rpt_fleet_load *load,
			    const struct rpt_diff_table *table,
			    const uint32_t *rows, size_t nr, struct pd_err *err)
{
	uint32_t host_nr = load->hosts[RPT_FLEET_NEW].nr;
	const char **functions = rpt_alloc_zeroed(nr + 1, sizeof(*functions));
	struct part *parts =
		rpt_alloc_zeroed((size_t)host_nr + 1, sizeof(*parts));
	struct rpt_fleet_answer answer;
	int rc;

	for (size_t i = 0; i < nr; i++)
		functions[i] =
			load->functions[rpt_diff_table_label(table, rows[i])];
	rc = rpt_fleet_ask(&answer, load->scope->args,
			   rpt_fleet_sql_weights(load->scope, functions, nr),
			   RPT_FLEET_WEIGHT_COLUMNS, err);
	for (size_t i = 0; i < nr && !rc; i++) {
		fill_parts(parts, load, table, rows[i], &answer);
		find(&outliers[i], parts,
		     drop_others(parts, load, table->conf.event),
		     &load->hosts[RPT_FLEET_NEW]);
	}
	rpt_fleet_answer_release(&answer);
	free(parts);
	free(functions);
	return rc;
}

void rpt_fleet_outliers_release(struct rpt_fleet_outliers *outliers, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(outliers[i].hosts);
}
