/* Finds out how many CPUs there were.  NRCPUS alone says so; perf 6.1 reads
 * beyond its list at a sample of another CPU.  If NRCPUS is damaged,
 * CPU_TOPOLOGY shows the number, since it has one entry for each CPU; else most
 * samples have to agree with NRCPUS. */
#include "report/repair/repair_impl.h"

#include "format/file/feature.h"

static uint32_t greater(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Return whether the topology is read to its end with cpu_nr CPUs. */
static bool fits(const struct pd_cursor *topology, uint32_t cpu_nr)
{
	struct pd_cpu_topology t;
	struct pd_cursor c = *topology;
	bool has_places;

	if (pd_feature_cpu_topology_read(&c, cpu_nr, &t))
		return false;
	has_places = t.place_nr;
	pd_cpu_topology_release(&t);
	return has_places && !pd_cursor_left(&c);
}

/* Return the number behind the last in a list: 9 for "0-3,8". */
static uint32_t behind_last(struct pd_str list)
{
	uint32_t last = 0, nr = 0;

	for (size_t i = 0; i < list.len; i++) {
		if (list.ptr[i] < '0' || list.ptr[i] > '9') {
			last = 0;
			continue;
		}
		last = last * 10 + (uint32_t)(list.ptr[i] - '0');
		nr = greater(nr, last + 1);
	}
	return nr;
}

/* Set *ret to the number of CPUs that fits the topology: that of the lists of
 * siblings, which name CPUs that were online; or that of the entries behind
 * these lists.  Return false if neither fits. */
static bool find_fitting(const struct pd_cursor *topology, uint32_t *ret)
{
	struct pd_cursor c = *topology;
	uint32_t listed_nr = 0;

	for (unsigned list = 0; list < 2; list++)
		for (uint32_t i = pd_cursor_u32(&c); i && !pd_cursor_status(&c);
		     i--)
			listed_nr = greater(listed_nr,
					    behind_last(pd_cursor_string(&c)));
	*ret = listed_nr;
	if (fits(topology, *ret))
		return true;
	*ret = (uint32_t)(pd_cursor_left(&c) / 8);
	return fits(topology, *ret);
}

/* Return true if most samples with a CPU are of none of the first nr. */
static bool is_outvoted(const struct rpt_repair *repair, uint32_t nr)
{
	uint64_t beyond_nr = 0, sample_nr = 0;
	struct pd_records it;
	struct pd_record rec;

	pd_records_init(&it, repair->reader, pd_reader_data(repair->reader));
	while (pd_records_next(&it, &rec, NULL) > 0) {
		const struct pd_event *event =
			pd_event_set_of_record(repair->events, &rec);
		struct pd_sample s;

		if (rec.type != PD_RECORD_SAMPLE || !event ||
		    pd_sample_read(&event->layout, &rec, &s, NULL) ||
		    !(s.present & PD_SAMPLE_CPU))
			continue;
		sample_nr++;
		beyond_nr += s.cpu >= nr && s.cpu != UINT32_MAX;
	}
	pd_records_release(&it);
	return beyond_nr > sample_nr / 2;
}

/* Return NRCPUS as it should be; 0 CPUs if that is not known. */
static struct pd_nrcpus mend(const struct rpt_repair *repair,
			     struct pd_nrcpus said)
{
	struct pd_cursor topology;
	uint32_t nr;

	if (rpt_repair_feature(repair, PD_FEATURE_CPU_TOPOLOGY, &topology)) {
		if (fits(&topology, said.available))
			return said;
		if (find_fitting(&topology, &nr))
			return (struct pd_nrcpus){
				.available = nr,
				.online = said.online && said.online < nr
						  ? said.online
						  : nr,
			};
	}
	return is_outvoted(repair, greater(said.available, said.online))
		       ? (struct pd_nrcpus){ .available = 0 }
		       : said;
}

void rpt_repair_count_cpus(struct rpt_repair *repair)
{
	struct pd_nrcpus said;
	struct pd_cursor c;

	if (!rpt_repair_feature(repair, PD_FEATURE_NRCPUS, &c) ||
	    pd_feature_nrcpus_read(&c, &said))
		return;
	repair->cpus = mend(repair, said);
	repair->is_nrcpus_wrong = repair->cpus.available != said.available ||
				  repair->cpus.online != said.online;
	repair->cpu_nr = greater(repair->cpus.available, repair->cpus.online);
}
