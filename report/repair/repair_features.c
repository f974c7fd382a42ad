/* Makes the features of the new file: those of the old one that can be decoded,
 * and those that can be made again from the records. */
#include "format/file/feature.h"
#include "format/records/build_id.h"
#include "report/base/memory.h"
#include "report/check/check.h"
#include "report/events/event_name.h"
#include "report/events/tracepoint.h"
#include "report/repair/repair_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The most build-ids that are noted: real recordings have a few hundred. */
enum { BUILD_IDS_MAX = 1 << 16, NAME_LEN = RPT_EVENT_NAME_LEN };

static void mark(uint64_t *set, unsigned bit)
{
	set[bit / 64] |= PD_BIT(bit % 64);
}

/* Return the name as in BUILD_ID: "[kernel.kallsyms]" of
 * "[kernel.kallsyms]_text".
 */
static struct pd_str table_name(struct pd_str name)
{
	const char *end = memchr(name.ptr, ']', name.len);

	if (end && name.ptr[0] == '[')
		name.len = (size_t)(end + 1 - name.ptr);
	return name;
}

/* Read the build-id of a record that may have one. */
static bool read_build_id(const struct rpt_repair *repair,
			  const struct pd_record *rec,
			  struct pd_header_build_id *ret)
{
	const struct pd_event *first = &repair->events->events[0];
	struct pd_record mine = *rec;
	struct pd_mmap map;

	if (rec->type != PD_RECORD_HEADER_BUILD_ID)
		mine.misc = pd_event_set_misc(repair->events, rec);
	if (pd_build_id_map(&mine, first->layout.id_len, &map))
		return false;
	*ret = (struct pd_header_build_id){ .build_id_len = map.build_id_len,
					    .filename = map.filename };
	if (rec->type != PD_RECORD_HEADER_BUILD_ID)
		ret->filename = table_name(map.filename);
	memcpy(ret->build_id, map.build_id, sizeof(ret->build_id));
	ret->pid = -1;
	return ret->build_id_len && ret->filename.len;
}

void rpt_repair_note_build_id(struct rpt_repair *repair,
			      const struct pd_record *rec)
{
	struct pd_build_id_entry entry = { .misc = rec->misc &
						   PD_MISC_CPUMODE_MASK };
	uint32_t old_nr = repair->build_id_names.nr;

	if (old_nr == BUILD_IDS_MAX || !read_build_id(repair, rec, &entry.id))
		return;
	if (rpt_intern(&repair->build_id_names, entry.id.filename.ptr,
		       entry.id.filename.len) != old_nr)
		return; /* a file's first build-id is taken */
	repair->build_ids.swap = pd_reader_header(repair->reader)->swap;
	pd_build_id_write(&repair->build_ids, &entry);
}

bool rpt_repair_is_sound(const struct rpt_repair *repair, unsigned bit)
{
	struct pd_cursor c;

	return rpt_repair_feature(repair, bit, &c) &&
	       rpt_check_feature(repair->reader, bit);
}

/* The fate of a feature. */
enum outcome { ABSENT, KEPT, LOST, REBUILT };

static struct pd_buf *buffer(struct rpt_repair *repair, unsigned bit)
{
	return rpt_perf_data_writer_feature(&repair->file, bit);
}

/* Return the outcome of a feature that was made again: kept if the old one was
 * sound. */
static enum outcome made(const struct rpt_repair *repair, unsigned bit)
{
	return rpt_repair_is_sound(repair, bit) ? KEPT : REBUILT;
}

static enum outcome copy(struct rpt_repair *repair, unsigned bit,
			 const struct pd_cursor *c)
{
	pd_buf_bytes(buffer(repair, bit), c->data, c->len);
	return KEPT;
}

/* perf stops at the first feature that it cannot read: what cannot be decoded
 * would cost those behind it. */
static enum outcome keep(struct rpt_repair *repair, unsigned bit)
{
	struct pd_cursor c;

	if (!pd_reader_feature(repair->reader, bit, &c))
		return ABSENT;
	if (rpt_repair_is_sound(repair, bit))
		return copy(repair, bit, &c);
	return c.len ? LOST : ABSENT;
}

static enum outcome keep_if(struct rpt_repair *repair, unsigned bit,
			    bool is_true)
{
	if (is_true)
		return keep(repair, bit);
	return rpt_repair_is_sound(repair, bit) ? LOST : ABSENT;
}

/* If BRANCH_STACK is there, perf report needs branches. */
static enum outcome keep_branch_stack(struct rpt_repair *repair, unsigned bit)
{
	return keep_if(
		repair, bit,
		pd_event_set_has(repair->events, PD_SAMPLE_BRANCH_STACK));
}

/* Groups name events by their numbers, which have changed if one is lost. */
static enum outcome keep_groups(struct rpt_repair *repair, unsigned bit)
{
	return keep_if(repair, bit, !repair->result->event_lost_nr);
}

/* hiperf writes one string, which becomes a list of one. */
static enum outcome keep_cmdline(struct rpt_repair *repair, unsigned bit)
{
	struct pd_str_list argv = { .nr = 0 };
	struct pd_cursor c, as_list;

	if (!rpt_repair_feature(repair, bit, &c))
		return ABSENT;
	as_list = c;
	if (!pd_feature_cmdline_read(&as_list, &argv)) {
		pd_str_list_release(&argv);
		return copy(repair, bit, &c);
	}
	if (!rpt_repair_is_sound(repair, bit))
		return LOST;
	pd_buf_u32(buffer(repair, bit), 1);
	pd_buf_bytes(&repair->file.features[bit], c.data, c.len);
	return REBUILT;
}

static bool starts_with(struct pd_str s, const char *start)
{
	return s.len >= strlen(start) && !memcmp(s.ptr, start, strlen(start));
}

/* Return whether perf accepts any socket number on this architecture. */
static bool are_sockets_numbered_freely(const struct rpt_repair *repair)
{
	struct pd_cursor c;
	struct pd_str arch;

	return rpt_repair_feature(repair, PD_FEATURE_ARCH, &c) &&
	       !pd_feature_string_read(&c, &arch) &&
	       (starts_with(arch, "aarch64") || starts_with(arch, "s390"));
}

static enum outcome make_nrcpus(struct rpt_repair *repair, unsigned bit)
{
	if (!repair->is_nrcpus_wrong)
		return keep(repair, bit);
	if (!repair->cpus.available)
		return LOST;
	pd_feature_nrcpus_write(buffer(repair, bit), &repair->cpus);
	return REBUILT;
}

/* Return false for a topology behind which perf 6.1 reads no feature: it is not
 * of NRCPUS' available CPUs, or a socket's number is above theirs. */
static bool is_topology_good(const struct rpt_repair *repair,
			     struct pd_cursor c)
{
	uint32_t nr = repair->cpus.available;
	struct pd_cpu_topology topology;
	bool found = false;

	if (!nr || pd_feature_cpu_topology_read(&c, nr, &topology))
		return false;
	for (size_t i = 0; i < topology.place_nr; i++)
		found |= topology.places[i].socket_id != UINT32_MAX &&
			 topology.places[i].socket_id > nr;
	pd_cpu_topology_release(&topology);
	return !found || are_sockets_numbered_freely(repair);
}

static enum outcome keep_cpu_topology(struct rpt_repair *repair, unsigned bit)
{
	struct pd_cursor c;

	if (!rpt_repair_feature(repair, bit, &c))
		return keep(repair, bit);
	return is_topology_good(repair, c) ? copy(repair, bit, &c) : LOST;
}

static bool has_features(const struct rpt_repair *repair)
{
	return rpt_repair_is_sound(repair, PD_FEATURE_VERSION) ||
	       rpt_repair_is_sound(repair, PD_FEATURE_HOSTNAME);
}

/* Copy the entries of a damaged section that can be read. */
static void copy_build_ids(struct rpt_repair *repair, unsigned bit,
			   struct pd_cursor *c)
{
	struct pd_build_id_entry entry;
	struct pd_build_ids it;
	struct pd_buf *b = NULL;
	size_t start;

	pd_build_ids_init(&it, c);
	for (start = it.c.pos; pd_build_ids_next(&it, &entry, NULL) > 0;
	     start = it.c.pos) {
		if (!entry.id.build_id_len ||
		    entry.id.build_id_len > PD_BUILD_ID_LEN_MAX)
			continue;
		if (!b)
			b = buffer(repair, bit);
		pd_buf_bytes(b, c->data + start, it.c.pos - start);
	}
	if (b)
		mark(repair->result->features_kept, bit);
}

static enum outcome keep_build_ids(struct rpt_repair *repair, unsigned bit)
{
	struct pd_cursor c;

	if (rpt_repair_is_sound(repair, bit))
		return keep(repair, bit);
	/* If the other features are there, the recorder meant MMAP2 records to
	 * be the only place of build-ids. */
	if (repair->build_ids.len && !has_features(repair)) {
		pd_buf_bytes(buffer(repair, bit), repair->build_ids.data,
			     repair->build_ids.len);
		return REBUILT;
	}
	if (!rpt_repair_feature(repair, bit, &c) || !c.len)
		return ABSENT;
	copy_build_ids(repair, bit, &c);
	return LOST;
}

static struct rpt_tracepoints *tracepoints_of(struct pd_cursor *c)
{
	struct rpt_tracepoints *tracepoints = NULL;

	(void)!rpt_tracepoints_new(&tracepoints, c, NULL);
	return tracepoints;
}

/* Put the name that a tracepoint's format has to buf; return false if there is
 * no format.  tracepoints may be NULL. */
static bool has_format(const struct rpt_tracepoints *tracepoints,
		       const struct pd_event *event, char buf[NAME_LEN])
{
	return tracepoints &&
	       rpt_tracepoint_name(tracepoints, event->attr.config, buf,
				   NAME_LEN);
}

/* Return true if no text of TRACING_DATA is damaged, and each tracepoint has a
 * format in it; or if there are no tracepoints. */
static bool is_tracing_data_good(const struct rpt_repair *repair, unsigned bit)
{
	const struct pd_event_set *set = repair->events;
	struct rpt_tracepoints *tracepoints = NULL;
	struct pd_cursor c;
	char name[NAME_LEN];
	bool is_good = true;

	if (rpt_repair_is_sound(repair, bit) &&
	    rpt_repair_are_formats_whole(repair) &&
	    rpt_repair_feature(repair, bit, &c))
		tracepoints = tracepoints_of(&c);
	for (size_t i = 0; i < set->nr && is_good; i++)
		is_good = set->events[i].attr.type != PD_TYPE_TRACEPOINT ||
			  has_format(tracepoints, &set->events[i], name);
	rpt_tracepoints_free(tracepoints);
	return is_good;
}

static bool has_tracepoints(const struct pd_event_set *set)
{
	for (size_t i = 0; i < set->nr; i++)
		if (set->events[i].attr.type == PD_TYPE_TRACEPOINT)
			return true;
	return false;
}

static enum outcome make_tracing_data(struct rpt_repair *repair, unsigned bit)
{
	bool makes = rpt_repair_makes_formats(repair);
	struct pd_cursor c;

	if (makes && !has_tracepoints(repair->events))
		return ABSENT;
	if (!makes && is_tracing_data_good(repair, bit))
		return keep(repair, bit);
	if (rpt_repair_feature(repair, bit, &c))
		mark(repair->result->features_lost, bit);
	rpt_repair_make_formats(repair, buffer(repair, bit));
	return REBUILT;
}

/* Return an event's name.  A tracepoint has that of its format. */
static struct pd_str name_event(const struct rpt_tracepoints *tracepoints,
				const struct pd_event *event, char *buf)
{
	const char *name = buf;

	if (event->name || event->attr.type != PD_TYPE_TRACEPOINT)
		name = rpt_event_name(event, buf);
	else if (!has_format(tracepoints, event, buf))
		snprintf(buf, NAME_LEN, "unknown:id_%" PRIu64,
			 event->attr.config);
	return (struct pd_str){ name, strlen(name) };
}

static enum outcome make_event_desc(struct rpt_repair *repair, unsigned bit)
{
	const struct pd_event_set *set = repair->events;
	const struct pd_buf *formats =
		&repair->file.features[PD_FEATURE_TRACING_DATA];
	struct pd_event_descs all = { .nr = set->nr };
	struct rpt_tracepoints *tracepoints = NULL;
	char(*names)[NAME_LEN] = rpt_alloc_zeroed(all.nr, sizeof(*names));
	struct pd_cursor c;

	pd_cursor_init(&c, formats->data, formats->len, 0, "formats");
	if (formats->len)
		tracepoints = tracepoints_of(&c);
	all.items = rpt_alloc_zeroed(all.nr, sizeof(*all.items));
	for (size_t i = 0; i < set->nr; i++) {
		const struct pd_event *event = &set->events[i];
		struct pd_event_desc *desc = &all.items[i];

		desc->attr = event->attr;
		desc->attr.attr_len =
			(uint32_t)repair->file.header.attr_entry_len - 16;
		desc->ids = (struct pd_u64s){
			.raw = (const uint8_t *)event->ids,
			.nr = event->id_nr,
		};
		desc->name = name_event(tracepoints, event, names[i]);
	}
	pd_feature_event_desc_write(buffer(repair, bit), &all);
	rpt_tracepoints_free(tracepoints);
	pd_event_descs_release(&all);
	free(names);
	return made(repair, bit);
}

static enum outcome make_sample_time(struct rpt_repair *repair, unsigned bit)
{
	const struct pd_sample_time *t = &repair->result->times;

	if (t->first_ns > t->last_ns)
		return ABSENT;
	pd_feature_sample_time_write(buffer(repair, bit), t);
	return made(repair, bit);
}

/* Features that are not copied unchanged. */
static const struct {
	unsigned bit;
	enum outcome (*make)(struct rpt_repair *repair, unsigned bit);
} special[] = {
	{ PD_FEATURE_TRACING_DATA, make_tracing_data },
	{ PD_FEATURE_BUILD_ID, keep_build_ids },
	{ PD_FEATURE_NRCPUS, make_nrcpus },
	{ PD_FEATURE_CMDLINE, keep_cmdline },
	{ PD_FEATURE_EVENT_DESC, make_event_desc },
	{ PD_FEATURE_CPU_TOPOLOGY, keep_cpu_topology },
	{ PD_FEATURE_BRANCH_STACK, keep_branch_stack },
	{ PD_FEATURE_GROUP_DESC, keep_groups },
	{ PD_FEATURE_SAMPLE_TIME, make_sample_time },
	/* perf_data_writer.c makes these two */
	{ PD_FEATURE_AUXTRACE, NULL },
	{ PD_FEATURE_COMPRESSED, NULL },
	/* the new file is in no directory */
	{ PD_FEATURE_DIR_FORMAT, NULL },
};

static enum outcome make(struct rpt_repair *repair, unsigned bit)
{
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (special[i].bit == bit)
			return special[i].make ? special[i].make(repair, bit)
					       : ABSENT;
	return keep(repair, bit);
}

/* Let the feature be changed; one that is left out is absent. */
static enum outcome edited(struct rpt_repair *repair, unsigned bit,
			   enum outcome outcome)
{
	const struct rpt_repair_edit *edit = repair->conf->edit;
	struct rpt_perf_data_writer *file = &repair->file;

	if (!edit || !edit->feature ||
	    !pd_file_header_has(&file->header, bit) ||
	    edit->feature(edit->ctx, bit, &file->features[bit]))
		return outcome;
	file->header.features[bit / 64] &= ~PD_BIT(bit % 64);
	return ABSENT;
}

/* Return true for features that perf needs and the input lacks.  If HOSTNAME is
 * missing in a file of the other byte order, perf takes its bitmap for one of a
 * 32-bit producer: FORMAT.md "File header".  Without STAT, perf needs events
 * that can be sampled. */
static bool is_needed(const struct rpt_repair *repair, unsigned bit)
{
	return (bit == PD_FEATURE_HOSTNAME && repair->file.swap) ||
	       (bit == PD_FEATURE_STAT &&
		repair->result->kept_nr[PD_RECORD_STAT]);
}

void rpt_repair_features(struct rpt_repair *repair)
{
	uint64_t *sets[] = {
		[KEPT] = repair->result->features_kept,
		[LOST] = repair->result->features_lost,
		[REBUILT] = repair->result->features_rebuilt,
	};

	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++) {
		enum outcome outcome = edited(repair, bit, make(repair, bit));

		if (outcome != ABSENT)
			mark(sets[outcome], bit);
		if (!is_needed(repair, bit) ||
		    pd_file_header_has(&repair->file.header, bit))
			continue;
		if (bit == PD_FEATURE_HOSTNAME)
			pd_buf_string(buffer(repair, bit),
				      (struct pd_str){ "(none)", 6 });
		else
			buffer(repair, bit);
		mark(repair->result->features_rebuilt, bit);
	}
}

/* Checks where a feature's payload lies.  A damaged table points into the
 * header, into events, records or other payloads; what is there can often be
 * decoded, but is not the feature's. */

static bool overlaps(const struct pd_cursor *c, uint64_t off, uint64_t len)
{
	return len && c->file_off < off + len && off < c->file_off + c->len;
}

/* Return whether the payload is that of a HEADER_FEATURE record, or of one that
 * stands for it (FORMAT.md "Checkpoints"). */
static bool is_in_record(const struct rpt_repair *repair,
			 const struct pd_cursor *c)
{
	const size_t head_len = PD_RECORD_HEADER_LEN + sizeof(uint64_t);
	const struct rpt_file_source *source = repair->source;
	struct pd_record rec;

	return c->file_off >= head_len &&
	       !pd_record_read(source->base + c->file_off - head_len,
			       head_len + (c->len + 7) / 8 * 8, 0, c->swap,
			       &rec, NULL) &&
	       (rec.type == PD_RECORD_HEADER_FEATURE ||
		(rec.type == PD_RECORD_FINISHED_INIT &&
		 rec.len < head_len + c->len + 8));
}

static bool overlaps_section(const struct rpt_repair *repair,
			     const struct pd_cursor *c)
{
	const struct pd_file_header *h = pd_reader_header(repair->reader);
	struct pd_section data = pd_reader_data_section(repair->reader);

	return overlaps(c, 0, h->header_len) ||
	       overlaps(c, h->attrs.off, h->attrs.len) ||
	       overlaps(c, data.off, data.len);
}

/* Return whether a shorter feature overlaps this one: the shorter is believed.
 */
static bool overlaps_shorter(const struct rpt_repair *repair, unsigned bit,
			     const struct pd_cursor *c)
{
	for (unsigned i = 0; i < PD_FEATURE_BITS; i++) {
		struct pd_cursor other;

		if (i != bit && pd_reader_feature(repair->reader, i, &other) &&
		    overlaps(c, other.file_off, other.len) &&
		    (other.len < c->len || (other.len == c->len && i < bit)))
			return true;
	}
	return false;
}

bool rpt_repair_feature(const struct rpt_repair *repair, unsigned bit,
			struct pd_cursor *ret)
{
	struct pd_cursor c;

	if (!pd_reader_feature(repair->reader, bit, &c))
		return false;
	if (!pd_reader_header(repair->reader)->is_pipe &&
	    !is_in_record(repair, &c) &&
	    (overlaps_section(repair, &c) || overlaps_shorter(repair, bit, &c)))
		return false;
	*ret = c;
	return true;
}

/* Finds out how many CPUs there were.  NRCPUS alone says so; perf 6.1 reads
 * beyond its list at a sample of another CPU.  If NRCPUS is damaged,
 * CPU_TOPOLOGY shows the number, since it has one entry for each CPU; else most
 * samples have to agree with NRCPUS. */

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
