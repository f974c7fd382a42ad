/* The features of the new file: those of the old one that can be decoded, and
 * what can be made again from the records. */
#include "report/repair/repair_impl.h"

#include "format/build_id.h"
#include "format/feature_host.h"
#include "report/base/memory.h"
#include "report/check/check.h"
#include "report/events/event_name.h"
#include "report/events/tracepoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Build-ids noted; each takes some hundred bytes, and real recordings have a
 * few hundred of them. */
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

void rpt_repair_note_build_id(struct rpt_repair *repair,
			      const struct pd_record *rec)
{
	const struct pd_event *first = &repair->events->events[0];
	struct pd_build_id_entry entry;
	struct pd_body body;
	const struct pd_mmap *m = &body.u.mmap;
	struct pd_record mine = *rec;
	uint32_t old_nr = repair->build_id_names.nr;
	struct pd_str name;

	mine.misc = pd_event_set_misc(repair->events, rec);
	if (pd_body_read(&mine, first->layout.id_len, &body, NULL) ||
	    !m->build_id_len || !m->filename.len || old_nr == BUILD_IDS_MAX)
		return;
	name = table_name(m->filename);
	if (rpt_intern(&repair->build_id_names, name.ptr, name.len) != old_nr)
		return; /* the first that a file had */
	entry = (struct pd_build_id_entry){
		.misc = rec->misc & PD_MISC_CPUMODE_MASK,
		.id = {
			.pid = -1,
			.build_id_len = m->build_id_len,
			.filename = name,
		},
	};
	memcpy(entry.id.build_id, m->build_id, sizeof(entry.id.build_id));
	repair->build_ids.swap = pd_reader_header(repair->reader)->swap;
	pd_build_id_write(&repair->build_ids, &entry);
}

bool rpt_repair_is_sound(const struct rpt_repair *repair, unsigned bit)
{
	struct pd_cursor c;

	return rpt_repair_feature(repair, bit, &c) &&
	       rpt_check_feature(repair->reader, bit);
}

/* Note a feature that was made again: kept if the old one was sound. */
static void mark_made(struct rpt_repair *repair, unsigned bit)
{
	mark(rpt_repair_is_sound(repair, bit)
		     ? repair->result->features_kept
		     : repair->result->features_rebuilt,
	     bit);
}

static void copy(struct rpt_repair *repair, unsigned bit,
		 const struct pd_cursor *c)
{
	pd_buf_bytes(rpt_perf_data_writer_feature(&repair->file, bit), c->data,
		     c->len);
	mark(repair->result->features_kept, bit);
}

/* perf stops at the first feature that it cannot read: what cannot be decoded
 * would cost those behind it. */
static void keep(struct rpt_repair *repair, unsigned bit)
{
	struct pd_cursor c;

	if (!pd_reader_feature(repair->reader, bit, &c))
		return;
	if (rpt_repair_is_sound(repair, bit))
		copy(repair, bit, &c);
	else if (c.len)
		mark(repair->result->features_lost, bit);
}

static void keep_if(struct rpt_repair *repair, unsigned bit, bool is_true)
{
	if (is_true)
		keep(repair, bit);
	else if (rpt_repair_is_sound(repair, bit))
		mark(repair->result->features_lost, bit);
}

/* If BRANCH_STACK is there, perf report needs branches. */
static void keep_branch_stack(struct rpt_repair *repair, unsigned bit)
{
	const struct pd_event_set *set = repair->events;
	bool has_branches = false;

	for (size_t i = 0; i < set->nr; i++)
		has_branches |= (set->events[i].attr.sample_type &
				 PD_SAMPLE_BRANCH_STACK) != 0;
	keep_if(repair, bit, has_branches);
}

/* Groups name events by their numbers, which have changed if one is lost. */
static void keep_groups(struct rpt_repair *repair, unsigned bit)
{
	keep_if(repair, bit, !repair->result->event_lost_nr);
}

/* hiperf writes one string, which makes a list of one. */
static void keep_cmdline(struct rpt_repair *repair, unsigned bit)
{
	struct pd_str_list argv = { .nr = 0 };
	struct pd_cursor c, as_list;
	struct pd_buf *b;

	if (!rpt_repair_feature(repair, bit, &c))
		return;
	as_list = c;
	if (!pd_feature_cmdline_read(&as_list, &argv)) {
		pd_str_list_release(&argv);
		copy(repair, bit, &c);
	} else if (rpt_repair_is_sound(repair, bit)) {
		b = rpt_perf_data_writer_feature(&repair->file, bit);
		pd_buf_u32(b, 1);
		pd_buf_bytes(b, c.data, c.len);
		mark(repair->result->features_rebuilt, bit);
	} else {
		mark(repair->result->features_lost, bit);
	}
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

static void make_nrcpus(struct rpt_repair *repair, unsigned bit)
{
	if (!repair->is_nrcpus_wrong) {
		keep(repair, bit);
	} else if (!repair->cpus.available) {
		mark(repair->result->features_lost, bit);
	} else {
		pd_feature_nrcpus_write(
			rpt_perf_data_writer_feature(&repair->file, bit),
			&repair->cpus);
		mark(repair->result->features_rebuilt, bit);
	}
}

/* perf 6.1 reads no feature behind one that is not of NRCPUS' available CPUs,
 * or with a socket whose number is over theirs. */
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

static void keep_cpu_topology(struct rpt_repair *repair, unsigned bit)
{
	struct pd_cursor c;

	if (!rpt_repair_feature(repair, bit, &c))
		keep(repair, bit);
	else if (is_topology_good(repair, c))
		copy(repair, bit, &c);
	else
		mark(repair->result->features_lost, bit);
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
			b = rpt_perf_data_writer_feature(&repair->file, bit);
		pd_buf_bytes(b, c->data + start, it.c.pos - start);
	}
	if (b)
		mark(repair->result->features_kept, bit);
}

static void keep_build_ids(struct rpt_repair *repair, unsigned bit)
{
	struct pd_cursor c;
	struct pd_buf *b;

	if (rpt_repair_is_sound(repair, bit)) {
		keep(repair, bit);
		return;
	}
	/* Where the rest of the features is there, MMAP2 is all that the
	 * recorder meant to write of them. */
	if (repair->build_ids.len && !has_features(repair)) {
		b = rpt_perf_data_writer_feature(&repair->file, bit);
		pd_buf_bytes(b, repair->build_ids.data, repair->build_ids.len);
		mark(repair->result->features_rebuilt, bit);
		return;
	}
	if (!rpt_repair_feature(repair, bit, &c) || !c.len)
		return;
	mark(repair->result->features_lost, bit);
	copy_build_ids(repair, bit, &c);
}

/* Return true if each tracepoint has a format. */
static bool has_formats(const struct rpt_repair *repair)
{
	const struct pd_event_set *set = repair->events;
	struct rpt_tracepoints *tracepoints = NULL;
	struct pd_cursor c;
	char name[NAME_LEN];
	bool is_known = true;

	if (rpt_repair_feature(repair, PD_FEATURE_TRACING_DATA, &c))
		(void)!rpt_tracepoints_new(&tracepoints, &c, NULL);
	for (size_t i = 0; i < set->nr && is_known; i++)
		if (set->events[i].attr.type == PD_TYPE_TRACEPOINT)
			is_known =
				tracepoints &&
				rpt_tracepoint_name(tracepoints,
						    set->events[i].attr.config,
						    name, sizeof(name));
	rpt_tracepoints_free(tracepoints);
	return is_known;
}

static bool has_tracepoints(const struct pd_event_set *set)
{
	for (size_t i = 0; i < set->nr; i++)
		if (set->events[i].attr.type == PD_TYPE_TRACEPOINT)
			return true;
	return false;
}

static void make_tracing_data(struct rpt_repair *repair, unsigned bit)
{
	struct pd_cursor c;

	if (!has_tracepoints(repair->events) ||
	    (rpt_repair_is_sound(repair, bit) &&
	     rpt_repair_are_formats_whole(repair) && has_formats(repair))) {
		keep(repair, bit);
		return;
	}
	if (rpt_repair_feature(repair, bit, &c))
		mark(repair->result->features_lost, bit);
	rpt_repair_make_formats(
		repair, rpt_perf_data_writer_feature(&repair->file, bit));
	mark(repair->result->features_rebuilt, bit);
}

/* The parts of EVENT_DESC, by event. */
struct descs {
	struct pd_event_desc *items; /* owned */
	char (*names)[NAME_LEN];     /* owned: those that are made up */
	struct rpt_tracepoints *tracepoints;
};

/* Of a tracepoint as its format has it, which is made up where there was none.
 */
static struct pd_str name_event(const struct descs *descs,
				const struct pd_event *event, char *buf)
{
	const char *name = buf;

	if (event->name || event->attr.type != PD_TYPE_TRACEPOINT)
		name = rpt_event_name(event, buf);
	else if (!descs->tracepoints ||
		 !rpt_tracepoint_name(descs->tracepoints, event->attr.config,
				      buf, NAME_LEN))
		snprintf(buf, NAME_LEN, "unknown:id_%" PRIu64,
			 event->attr.config);
	return (struct pd_str){ name, strlen(name) };
}

static void fill_descs(const struct rpt_repair *repair, struct descs *descs)
{
	const struct pd_event_set *set = repair->events;

	for (size_t i = 0; i < set->nr; i++) {
		const struct pd_event *event = &set->events[i];
		struct pd_event_desc *desc = &descs->items[i];

		desc->attr = event->attr;
		desc->attr.attr_len =
			(uint32_t)repair->file.header.attr_entry_len - 16;
		desc->ids = (struct pd_u64s){
			.raw = (const uint8_t *)event->ids,
			.nr = event->id_nr,
		};
		desc->name = name_event(descs, event, descs->names[i]);
	}
}

static void make_event_desc(struct rpt_repair *repair, unsigned bit)
{
	struct pd_event_descs all = { .nr = repair->events->nr };
	struct descs descs = { .tracepoints = NULL };
	const struct pd_buf *formats =
		&repair->file.features[PD_FEATURE_TRACING_DATA];
	struct pd_cursor c;

	descs.items = rpt_alloc_zeroed(all.nr, sizeof(*descs.items));
	descs.names = rpt_alloc_zeroed(all.nr, sizeof(*descs.names));
	pd_cursor_init(&c, formats->data, formats->len, 0, "formats");
	if (formats->len)
		(void)!rpt_tracepoints_new(&descs.tracepoints, &c, NULL);
	fill_descs(repair, &descs);
	all.items = descs.items;
	pd_feature_event_desc_write(
		rpt_perf_data_writer_feature(&repair->file, bit), &all);
	mark_made(repair, bit);
	rpt_tracepoints_free(descs.tracepoints);
	free(descs.items);
	free(descs.names);
}

static void make_sample_time(struct rpt_repair *repair, unsigned bit)
{
	struct rpt_repair_result *result = repair->result;
	const struct pd_sample_time t = { result->time_lo_ns,
					  result->time_hi_ns };

	if (t.first_ns > t.last_ns)
		return;
	pd_feature_sample_time_write(
		rpt_perf_data_writer_feature(&repair->file, bit), &t);
	mark_made(repair, bit);
}

/* Made by perf_data_writer.c where it is needed; or, DIR_FORMAT, of a file that
 * is in no folder any more. */
static void drop(struct rpt_repair *repair, unsigned bit)
{
	(void)repair;
	(void)bit;
}

/* Features that are not copied unchanged. */
static const struct {
	unsigned bit;
	void (*make)(struct rpt_repair *repair, unsigned bit);
} special[] = {
	{ PD_FEATURE_TRACING_DATA, make_tracing_data },
	{ PD_FEATURE_BUILD_ID, keep_build_ids },
	{ PD_FEATURE_NRCPUS, make_nrcpus },
	{ PD_FEATURE_CMDLINE, keep_cmdline },
	{ PD_FEATURE_EVENT_DESC, make_event_desc },
	{ PD_FEATURE_CPU_TOPOLOGY, keep_cpu_topology },
	{ PD_FEATURE_BRANCH_STACK, keep_branch_stack },
	{ PD_FEATURE_GROUP_DESC, keep_groups },
	{ PD_FEATURE_AUXTRACE, drop },
	{ PD_FEATURE_COMPRESSED, drop },
	{ PD_FEATURE_SAMPLE_TIME, make_sample_time },
	{ PD_FEATURE_DIR_FORMAT, drop },
};

static void make(struct rpt_repair *repair, unsigned bit)
{
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
		if (special[i].bit != bit)
			continue;
		special[i].make(repair, bit);
		return;
	}
	keep(repair, bit);
}

/* Of a file of the other byte order without HOSTNAME perf thinks that its
 * bitmap has the order of a 32-bit producer: FORMAT.md "File header". */
static void add_hostname(struct rpt_repair *repair)
{
	static const struct pd_str unknown = { "(none)", 6 };

	if (!repair->file.swap ||
	    pd_file_header_has(&repair->file.header, PD_FEATURE_HOSTNAME))
		return;
	pd_buf_string(rpt_perf_data_writer_feature(&repair->file,
						   PD_FEATURE_HOSTNAME),
		      unknown);
	mark(repair->result->features_rebuilt, PD_FEATURE_HOSTNAME);
}

/* Without STAT, perf needs events that can be sampled. */
static void add_stat(struct rpt_repair *repair)
{
	if (!repair->result->kept_nr[PD_RECORD_STAT] ||
	    pd_file_header_has(&repair->file.header, PD_FEATURE_STAT))
		return;
	rpt_perf_data_writer_feature(&repair->file, PD_FEATURE_STAT);
	mark(repair->result->features_rebuilt, PD_FEATURE_STAT);
}

void rpt_repair_features(struct rpt_repair *repair)
{
	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++)
		make(repair, bit);
	add_hostname(repair);
	add_stat(repair);
}
