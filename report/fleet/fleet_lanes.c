#include "report/fleet/fleet_lanes.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/fleet/fleet_client.h"

#include <stdlib.h>
#include <string.h>

struct hashed {
	double hash;
	uint32_t host; /* in rpt_fleet_load.hosts of its side */
};

static int compare_hashes(const void *a, const void *b)
{
	const struct hashed *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->host < y->host ? -1 : x->host > y->host;
}

/* Return the hosts of a side in the order of their hashes. */
static struct hashed *sorted_hosts(const struct rpt_fleet_load *load, int s,
				   const struct rpt_fleet_answer *answer)
{
	uint32_t nr = load->hosts[s].nr;
	struct hashed *hosts = rpt_alloc_zeroed((size_t)nr + 1, sizeof(*hosts));

	for (uint32_t h = 0; h < nr; h++)
		hosts[h].host = h;
	for (size_t r = 0; r < answer->row_nr; r++) {
		const char *name =
			rpt_fleet_field(answer, r, RPT_FLEET_HASH_HOST);
		double hash =
			rpt_fleet_number(answer, r, RPT_FLEET_HASH_NUMBER);
		int64_t h =
			rpt_intern_find(&load->hosts[s], name, strlen(name));

		/* below 0: it is on the other side, or came while we asked */
		if (h >= 0 && hash > 0.0)
			hosts[h].hash = hash;
	}
	qsort(hosts, nr, sizeof(*hosts), compare_hashes);
	return hosts;
}

/* Name a lane that has nr hosts. */
static char *name_of(const struct rpt_fleet_load *load, int s,
		     const struct hashed *hosts, size_t nr, size_t idx)
{
	const char *host = load->runs[s][hosts->host].path;
	char *name = NULL;

	if (nr == 1)
		return rpt_alloc_text(host, strlen(host));
	if (asprintf(&name, "%s group %zu, %zu hosts",
		     s == RPT_FLEET_NEW ? "new" : "old", idx + 1, nr) < 0)
		abort();
	return name;
}

/* Where a lane begins. */
struct start {
	double hash;
	uint32_t number; /* of the lane on its side */
};

/* Make the lanes of a side.  Return where they begin, as many in ascending
 * order. */
static struct start *make_side(struct rpt_fleet_lanes *lanes,
			       const struct rpt_fleet_load *load, int s,
			       const struct rpt_fleet_answer *answer)
{
	size_t host_nr = load->hosts[s].nr;
	size_t nr = host_nr < RPT_FLEET_LANES ? host_nr : RPT_FLEET_LANES;
	struct hashed *hosts = sorted_hosts(load, s, answer);
	struct start *starts = rpt_alloc_zeroed(nr + 1, sizeof(*starts));

	lanes->nr[s] = nr;
	lanes->groups[s] = rpt_alloc_zeroed(nr + 1, sizeof(*lanes->groups[s]));
	for (size_t i = 0; i < nr; i++) {
		size_t first = i * host_nr / nr, end = (i + 1) * host_nr / nr;
		uint32_t number =
			lanes->are_groups ? (uint32_t)i : hosts[first].host;
		struct rpt_page_group *group = &lanes->groups[s][number];

		starts[i] = (struct start){ hosts[first].hash, number };
		group->name = name_of(load, s, &hosts[first], end - first, i);
		for (size_t h = first; h < end; h++)
			group->lost_share +=
				load->runs[s][hosts[h].host].lost_share /
				(double)(end - first);
	}
	free(hosts);
	return starts;
}

/* Make ranges that begin where a lane of either side does. */
static void make_ranges(struct rpt_fleet_lanes *lanes,
			struct start *const starts[RPT_FLEET_SIDES])
{
	struct rpt_fleet_ranges *ranges = &lanes->ranges;

	ranges->least = rpt_alloc_zeroed(lanes->nr[0] + lanes->nr[1],
					 sizeof(*ranges->least));
	for (int s = 0; s < RPT_FLEET_SIDES; s++)
		for (size_t i = 0; i < lanes->nr[s]; i++)
			ranges->least[ranges->nr++] = starts[s][i].hash;
	qsort(ranges->least, ranges->nr, sizeof(*ranges->least),
	      rpt_compare_doubles);
	for (int s = 0; s < RPT_FLEET_SIDES; s++) {
		size_t at = 0;

		lanes->numbers[s] = rpt_alloc_zeroed(
			ranges->nr, sizeof(*lanes->numbers[s]));
		for (size_t r = 0; r < ranges->nr; r++) {
			while (at + 1 < lanes->nr[s] &&
			       starts[s][at + 1].hash <= ranges->least[r])
				at++;
			lanes->numbers[s][r] = starts[s][at].number;
		}
	}
}

int rpt_fleet_lanes_make(struct rpt_fleet_lanes *lanes,
			 const struct rpt_fleet_load *load, struct pd_err *err)
{
	struct start *starts[RPT_FLEET_SIDES] = { NULL, NULL };
	struct rpt_fleet_answer answer;
	int rc = rpt_fleet_ask(&answer, load->scope->args,
			       rpt_fleet_sql_hashes(load->scope),
			       RPT_FLEET_HASH_COLUMNS, err);

	*lanes = (struct rpt_fleet_lanes){ .are_groups = false };
	for (int s = 0; s < RPT_FLEET_SIDES; s++)
		lanes->are_groups |= load->hosts[s].nr > RPT_FLEET_LANES;
	for (int s = 0; s < RPT_FLEET_SIDES && !rc; s++)
		starts[s] = make_side(lanes, load, s, &answer);
	if (!rc)
		make_ranges(lanes, starts);
	for (int s = 0; s < RPT_FLEET_SIDES; s++)
		free(starts[s]);
	rpt_fleet_answer_release(&answer);
	return rc;
}

void rpt_fleet_lanes_release(struct rpt_fleet_lanes *lanes)
{
	for (int s = 0; s < RPT_FLEET_SIDES; s++) {
		for (size_t i = 0; i < lanes->nr[s]; i++)
			free(lanes->groups[s][i].name);
		free(lanes->groups[s]);
		free(lanes->numbers[s]);
	}
	free(lanes->ranges.least);
	*lanes = (struct rpt_fleet_lanes){ .are_groups = false };
}
