#include "record/stat/stat_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/file/feature.h"
#include "format/records/record_body.h"
#include "format/support/safe_text.h"
#include "record/base/read_file.h"
#include "record/describe/event_sections.h"
#include "record/describe/feature_table.h"
#include "record/describe/target_records.h"
#include "record/host/host_facts.h"

/* The groups that counts are added up to, as a file says them.
 *
 * Source: STAT_CONFIG of files that perf 6.1 wrote with each option.
 */

static const uint64_t numbers[] = {
	[REC_STAT_CPU] = 0,  [REC_STAT_GLOBAL] = 1, [REC_STAT_SOCKET] = 2,
	[REC_STAT_DIE] = 3,  [REC_STAT_CORE] = 4,   [REC_STAT_THREAD] = 5,
	[REC_STAT_NODE] = 7,
};

static uint64_t stat_mode_to_file(enum rec_stat_mode mode)
{
	return numbers[mode];
}

/* Return false if no mode has that number. */
static bool stat_mode_of_file(uint64_t number, enum rec_stat_mode *ret)
{
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i] != number)
			continue;
		*ret = (enum rec_stat_mode)i;
		return true;
	}
	return false;
}

enum { CONFIG_NR = 3, FLUSH_LEN = 1 << 20 };

static int explain(const struct rec_stat_file *file, int rc, struct pd_err *err)
{
	if (file->out.err.code)
		return pd_err_set(err, rc, "%s: %s", file->out.path,
				  file->out.err.text);
	return pd_err_set(err, rc, "%s: %s", file->out.path, strerror(-rc));
}

int rec_stat_file_open(struct rec_stat_file *ret,
		       const struct rec_stat_run *run, struct pd_err *err)
{
	int rc;

	*ret = (struct rec_stat_file){ .run = run };
	if (run->target.thread_nr > REC_THREAD_MAP_MAX) {
		pd_err_set(err, -E2BIG,
			   "a file has room for the counts of %d threads",
			   REC_THREAD_MAP_MAX);
		pd_err_hint(err, "count whole CPUs with -a");
		return -E2BIG;
	}
	ret->is_open = true;
	rc = rec_output_open(&ret->out, run->args->output, NULL);
	return rc ? explain(ret, rc, err) : 0;
}

static void put_config(struct pd_buf *b, const struct rec_stat_args *args)
{
	const uint64_t words[2 * CONFIG_NR] = {
		PD_STAT_CONFIG_AGGR_MODE, stat_mode_to_file(args->mode),
		PD_STAT_CONFIG_INTERVAL,  args->interval_ms,
		PD_STAT_CONFIG_SCALE,	  args->scale,
	};
	struct pd_body body = { .type = PD_RECORD_STAT_CONFIG };

	body.u.stat_config.nr = CONFIG_NR;
	body.u.stat_config.entries =
		(struct pd_u64s){ .raw = (const uint8_t *)words,
				  .nr = 2 * CONFIG_NR };
	pd_body_write(b, 0, &body);
}

/* Append the payload of one feature.  Return 0, or -ENOENT if there is none. */
static int put_feature(void *ctx, const struct rec_host_facts *facts,
		       unsigned bit, struct pd_buf *b)
{
	const struct rec_stat_file *file = ctx;
	const struct rec_stat_args *args = file->run->args;
	struct pd_err why = PD_ERR_INIT;
	size_t start = b->len;
	int rc;

	switch (bit) {
	case PD_FEATURE_CMDLINE:
		return rec_cmdline_write(b, args->argc, args->argv);
	case PD_FEATURE_EVENT_DESC:
		return rec_event_desc_write(b, &args->events,
					    &file->run->counters.open);
	case PD_FEATURE_GROUP_DESC:
		return rec_group_desc_write(b, &args->events);
	case PD_FEATURE_STAT:
		return 0; /* no payload */
	case PD_FEATURE_TRACING_DATA:
		rc = rec_event_formats_write(b, &args->events,
					     args->env.tracefs, &why);
		/* counts are worth more than formats */
		if (rc)
			b->len = start;
		return rc ? -ENOENT : 0;
	default:
		return rec_host_feature_write(facts, bit, b) ? 0 : -ENOENT;
	}
}

/* Pipe mode: attrs and features as records.  perf stat report does not pass
 * over the formats of tracepoints there, and needs none. */
static int put_pipe_start(struct rec_stat_file *file, struct pd_buf *b,
			  struct pd_err *err)
{
	const struct rec_sysroots roots = REC_SYSROOTS_REAL;
	struct pd_buf payload = PD_BUF_INIT;
	struct rec_host_facts facts;
	int rc = rec_host_facts_read(&facts, &roots, err);

	if (rc)
		return rc;
	rec_attr_records_write(b, &file->run->args->events,
			       &file->run->counters.open);
	for (unsigned bit = 1; bit < PD_FEATURE_NR && !rc; bit++) {
		if (!rec_feature_is_for_pipe(bit))
			continue;
		pd_buf_reset(&payload);
		rc = put_feature(file, &facts, bit, &payload);
		if (!rc)
			rc = pd_buf_status(&payload);
		if (!rc)
			rec_feature_record_write(b, bit, &payload);
		rc = rc == -ENOENT ? 0 : rc;
	}
	rec_features_end_write(b);
	pd_buf_release(&payload);
	rec_host_facts_release(&facts);
	return rc;
}

/* Names are written as in a pipe, too: a file whose recorder was killed has no
 * EVENT_DESC. */
static int start(struct rec_stat_file *file, struct pd_err *err)
{
	const struct rec_stat_run *run = file->run;
	const struct rec_open_set *open = &run->counters.open;
	struct pd_file_header header = {
		.version = 2,
		.attr_entry_len = rec_file_attr_len(&run->args->events) + 16,
	};
	struct pd_buf prefix = PD_BUF_INIT, records = PD_BUF_INIT;
	int rc = 0;

	if (file->out.is_pipe)
		rc = put_pipe_start(file, &records, err);
	rec_attrs_write(&prefix, &run->args->events, open, &header.attrs);
	rec_event_updates_write(&records, &run->args->events, open, true);
	rec_thread_map_write(&records, &run->target);
	rec_cpu_map_write(&records, &run->target);
	put_config(&records, run->args);
	if (!rc)
		rc = rec_output_start(&file->out, &header, &prefix, &records);
	pd_buf_release(&prefix);
	pd_buf_release(&records);
	return rc;
}

static int flush(struct rec_stat_file *file, struct pd_buf *b)
{
	const struct iovec part = { b->data, b->len };
	int rc = pd_buf_status(b);

	if (!rc)
		rc = rec_output_append_loose(&file->out, &part, 1);
	pd_buf_reset(b);
	return rc;
}

static int put_counts(struct rec_stat_file *file, struct pd_buf *b)
{
	const struct rec_stat_run *run = file->run;
	const struct rec_open_set *open = &run->counters.open;
	struct pd_body body = { .type = PD_RECORD_STAT };
	int rc = 0;

	for (size_t i = 0; i < open->nr && !rc; i++) {
		const struct rec_open_fd *fd = &open->fds[i];
		const struct rec_count *count =
			rec_counters_at(&run->counters, &run->counts, fd);

		body.u.stat = (struct pd_stat){
			.id = fd->id,
			.cpu = (uint32_t)fd->cpu,
			.thread = (uint32_t)rec_counters_thread(&run->counters,
								fd),
			.value = count->value,
			.enabled = count->enabled_ns,
			.running = count->running_ns,
		};
		pd_body_write(b, 0, &body);
		if (b->len >= FLUSH_LEN)
			rc = flush(file, b);
	}
	return rc;
}

int rec_stat_file_add(struct rec_stat_file *file, bool is_interval,
		      uint64_t time_ns, struct pd_err *err)
{
	struct pd_body round = { .type = PD_RECORD_STAT_ROUND };
	struct pd_buf b = PD_BUF_INIT;
	int rc = file->out.is_started ? 0 : start(file, err);

	round.u.stat_round.round_type =
		is_interval ? PD_STAT_ROUND_INTERVAL : PD_STAT_ROUND_FINAL;
	round.u.stat_round.time_ns = time_ns;
	if (!rc)
		rc = put_counts(file, &b);
	pd_body_write(&b, 0, &round);
	if (!rc)
		rc = flush(file, &b);
	if (!rc)
		rc = rec_output_checkpoint(&file->out);
	pd_buf_release(&b);
	return rc ? explain(file, rc, err) : 0;
}

static int put_features(struct rec_stat_file *file, struct pd_buf *b,
			struct pd_err *err)
{
	struct pd_section sections[PD_FEATURE_NR] = { 0 };
	struct pd_buf payloads = PD_BUF_INIT;
	int rc = rec_features_collect(NULL, put_feature, file, &payloads,
				      sections, err);

	if (!rc)
		rec_feature_table_write(b, file->out.len, sections, &payloads,
					false, file->features);
	pd_buf_release(&payloads);
	return rc ? rc : pd_buf_status(b);
}

int rec_stat_file_finish(struct rec_stat_file *file, struct pd_err *err)
{
	struct pd_buf tail = PD_BUF_INIT;
	int rc = 0;

	if (!file->out.is_pipe) {
		rc = put_features(file, &tail, err);
		if (!rc)
			rc = rec_output_finish(&file->out, file->features,
					       &tail);
	}
	pd_buf_release(&tail);
	if (!rc)
		rc = rec_output_close(&file->out, NULL);
	return rc ? explain(file, rc, err) : 0;
}

void rec_stat_file_abandon(struct rec_stat_file *file)
{
	if (file->is_open)
		rec_output_abandon(&file->out, NULL);
}

void rec_stat_file_release(struct rec_stat_file *file)
{
	if (file->is_open)
		rec_output_release(&file->out);
	file->is_open = false;
}

/* The places of a file's CPUs: socket, die, core, node. */

static bool read_topology(const struct pd_reader *reader,
			  struct pd_cpu_topology *ret)
{
	struct pd_nrcpus nrcpus;
	struct pd_cursor c;

	return pd_reader_feature(reader, PD_FEATURE_NRCPUS, &c) &&
	       !pd_feature_nrcpus_read(&c, &nrcpus) &&
	       pd_reader_feature(reader, PD_FEATURE_CPU_TOPOLOGY, &c) &&
	       !pd_feature_cpu_topology_read(&c, nrcpus.available, ret);
}

static void set_sockets(const struct pd_reader *reader,
			const struct rec_target *target,
			struct rec_stat_place *places)
{
	struct pd_cpu_topology topology = { .place_nr = 0 };
	bool is_known = read_topology(reader, &topology);

	for (size_t i = 0; i < target->cpu_nr; i++) {
		int cpu = target->cpus[i];
		const struct pd_cpu_place *from;

		places[i] = (struct rec_stat_place){ 0, 0, 0, -1 };
		if (cpu < 0)
			continue;
		if (!is_known)
			rec_stat_place_read(&places[i], "/sys", cpu);
		if (!is_known || (size_t)cpu >= topology.place_nr)
			continue;
		from = &topology.places[cpu];
		places[i].socket = (int)from->socket_id;
		places[i].die = topology.has_dies ? (int)from->die_id : 0;
		places[i].core = (int)from->core_id;
	}
	if (is_known)
		pd_cpu_topology_release(&topology);
}

static void set_node(const struct pd_numa_node *node,
		     const struct rec_target *target,
		     struct rec_stat_place *places)
{
	char text[REC_CPU_LIST_LEN_MAX];
	struct rec_cpu_list cpus;

	if (node->cpus.len >= sizeof(text))
		return;
	memcpy(text, node->cpus.ptr, node->cpus.len);
	text[node->cpus.len] = '\0';
	if (rec_cpu_list_parse(text, &cpus, NULL))
		return;
	for (size_t i = 0; i < target->cpu_nr; i++)
		if (rec_cpu_list_has(&cpus, target->cpus[i]))
			places[i].node = (int)node->node;
	rec_cpu_list_release(&cpus);
}

/* Set *ret, which the caller frees, to one entry for each CPU of the target, by
 * the features CPU_TOPOLOGY and NUMA_TOPOLOGY.  As perf does, take sockets,
 * dies and cores of this machine for a file without them, and -1 for the node.
 * Return 0 or -ENOMEM. */
static int stat_file_places(const struct pd_reader *reader,
			    const struct rec_target *target,
			    struct rec_stat_place **ret)
{
	struct rec_stat_place *places =
		calloc(target->cpu_nr + 1, sizeof(*places));
	struct pd_numa_topology numa;
	struct pd_cursor c;

	*ret = places;
	if (!places)
		return -ENOMEM;
	set_sockets(reader, target, places);
	if (!pd_reader_feature(reader, PD_FEATURE_NUMA_TOPOLOGY, &c) ||
	    pd_feature_numa_topology_read(&c, &numa))
		return 0;
	for (size_t i = 0; i < numa.nr; i++)
		set_node(&numa.nodes[i], target, places);
	pd_numa_topology_release(&numa);
	return 0;
}

/* A count of 48 bytes for each place of the array, in each round: a larger file
 * has more rounds than anybody reads, or is none of counts. */
enum {
	STAT_RECORD_LEN = 48,
	FREE_COUNTS = 1 << 16,
	READ_START = 1 << 16,
};
static const size_t file_len_max = (size_t)1 << 30;

/* Return a name out of a file as it is safe to print. */
static char *copy_plain(const char *text)
{
	return sup_safe_copy((struct pd_str){ text, strlen(text) },
			     SUP_SAFE_NAME);
}

static int add_event(struct rec_stat_file_read *file, size_t idx)
{
	const struct pd_event *from =
		&pd_reader_events(file->reader)->events[idx];
	struct rec_event *event;
	char *name = copy_plain(from->name ? from->name : "unknown");

	event = name ? rec_event_append(&file->events, name) : NULL;
	if (event && from->unit && *from->unit) {
		event->unit = copy_plain(from->unit);
		if (!event->unit)
			event = NULL;
	}
	free(name);
	if (!event)
		return -ENOMEM;
	event->attr.sys.type = from->attr.type;
	event->attr.sys.config = from->attr.config;
	if (!from->name && rec_event_rename(event) == -ENOMEM)
		return -ENOMEM;
	event->scale = from->scale;
	event->leader_idx = from->leader_idx;
	event->member_nr = from->member_nr;
	if (!from->id_nr)
		pd_err_set(&file->refused[idx], -ENOENT,
			   "%.100s: it was not open", event->name);
	return 0;
}

static int add_events(struct rec_stat_file_read *file)
{
	size_t nr = pd_reader_events(file->reader)->nr;
	int rc = 0;

	file->refused = calloc(nr + 1, sizeof(*file->refused));
	if (!file->refused)
		return -ENOMEM;
	for (size_t i = 0; i < nr && !rc; i++)
		rc = add_event(file, i);
	return rc;
}

static int compare_cpus(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int take_cpus(struct rec_target *target, const struct pd_cpu_map *map)
{
	uint32_t place_nr = pd_cpu_map_place_nr(map);
	size_t nr = 0, kept = 0;
	int *cpus;

	if (target->cpus || !place_nr)
		return 0;
	cpus = calloc(place_nr, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	for (uint32_t i = 0; i < place_nr; i++)
		nr += pd_cpu_map_cpu(map, i, &cpus[nr]);
	qsort(cpus, nr, sizeof(*cpus), compare_cpus);
	for (size_t i = 0; i < nr; i++)
		if (!kept || cpus[kept - 1] != cpus[i])
			cpus[kept++] = cpus[i];
	target->cpus = cpus;
	target->cpu_nr = kept;
	target->any_cpu = kept && cpus[0] < 0;
	return 0;
}

static int take_threads(struct rec_target *target,
			const struct pd_thread_map *map, bool swap)
{
	size_t nr = (size_t)map->nr;

	if (target->threads || !nr)
		return 0;
	target->threads = calloc(nr, sizeof(*target->threads));
	if (!target->threads)
		return -ENOMEM;
	target->thread_nr = nr;
	for (size_t i = 0; i < nr; i++) {
		const struct pd_thread_map_entry entry =
			pd_thread_map_at(map, i, swap);
		struct rec_thread *thread = &target->threads[i];
		size_t len = entry.comm.len < sizeof(thread->comm)
				     ? entry.comm.len
				     : sizeof(thread->comm);

		thread->tid = (pid_t)entry.tid;
		memcpy(thread->comm, entry.comm.ptr, len);
	}
	return 0;
}

static void take_config(struct rec_stat_file_read *file,
			const struct pd_stat_config *config)
{
	for (size_t i = 0; i + 1 < config->entries.nr; i += 2) {
		uint64_t value = pd_u64s_at(&config->entries, i + 1);

		switch (pd_u64s_at(&config->entries, i)) {
		case PD_STAT_CONFIG_AGGR_MODE:
			(void)stat_mode_of_file(value, &file->mode);
			break;
		case PD_STAT_CONFIG_INTERVAL:
			file->interval_ms = value;
			break;
		case PD_STAT_CONFIG_SCALE:
			file->no_scale = !value;
			break;
		default:
			break;
		}
	}
}

/* Call for each record that says something of counts, decoded. */
static int each_body(struct rec_stat_file_read *file,
		     int (*call)(struct rec_stat_file_read *file,
				 const struct pd_body *body, bool swap,
				 void *ctx),
		     void *ctx, struct pd_err *err)
{
	struct pd_records it;
	struct pd_record record;
	int rc = 0, more;

	pd_records_init(&it, file->reader, pd_reader_data(file->reader));
	while (!rc && (more = pd_records_next(&it, &record, err)) > 0) {
		struct pd_err bad = PD_ERR_INIT;
		struct pd_body body;

		if (record.type < PD_RECORD_THREAD_MAP ||
		    record.type > PD_RECORD_EVENT_UPDATE)
			continue;
		if (!pd_body_read(&record, 0, &body, &bad))
			rc = call(file, &body, record.swap, ctx);
		else
			file->skipped_nr++;
	}
	file->damage = it.damage;
	pd_records_release(&it);
	return rc ? rc : more;
}

/* CPUs that an event's PMU does not count on have no row. */
static int take_event_cpus(struct rec_stat_file_read *file,
			   const struct pd_event_update *update)
{
	const struct pd_event_set *set = pd_reader_events(file->reader);
	const struct pd_event *of = pd_event_set_by_id(set, update->id);
	struct rec_event *event;

	if (update->what != PD_UPDATE_CPUS || !of)
		return 0;
	event = &file->events.events[of - set->events];
	if (!event->cpus)
		event->cpus = strdup("");
	return event->cpus ? 0 : -ENOMEM;
}

static int take_setup(struct rec_stat_file_read *file,
		      const struct pd_body *body, bool swap, void *ctx)
{
	bool *has_counts = ctx;

	switch (body->type) {
	case PD_RECORD_CPU_MAP:
		return take_cpus(&file->target, &body->u.cpu_map);
	case PD_RECORD_THREAD_MAP:
		return take_threads(&file->target, &body->u.thread_map, swap);
	case PD_RECORD_EVENT_UPDATE:
		return take_event_cpus(file, &body->u.event_update);
	case PD_RECORD_STAT_CONFIG:
		take_config(file, &body->u.stat_config);
		*has_counts = true;
		return 0;
	default:
		return 0;
	}
}

/* Make room for the counts: a hostile file names many CPUs and threads. */
static int init_counts(struct rec_stat_file_read *file, struct pd_err *err)
{
	const struct rec_target *target = &file->target;
	size_t nr = file->events.nr;
	size_t limit = FREE_COUNTS + file->bytes.len / STAT_RECORD_LEN;

	if (!target->cpu_nr || !target->thread_nr)
		return pd_err_set(err, -EBADMSG,
				  "it names no CPUs or no threads");
	if (nr && (target->cpu_nr > limit / nr ||
		   target->thread_nr > limit / nr / target->cpu_nr))
		return pd_err_set(err, -EFBIG,
				  "more CPUs, threads and events than it has "
				  "counts of");
	if (rec_counts_init(&file->counts, nr, target->cpu_nr,
			    target->thread_nr))
		return pd_err_set(err, -ENOMEM, "out of memory");
	return 0;
}

static int make_title(struct rec_stat_file_read *file)
{
	struct pd_str_list argv = { .nr = 0 };
	struct pd_cursor c;
	size_t len;
	FILE *out = open_memstream(&file->title, &len);

	if (!out)
		return -ENOMEM;
	putc('\'', out);
	if (pd_reader_header(file->reader)->is_pipe)
		fputs("pipe", out);
	else if (pd_reader_feature(file->reader, PD_FEATURE_CMDLINE, &c) &&
		 !pd_feature_cmdline_read(&c, &argv))
		for (size_t i = 0; i < argv.nr; i++)
			fprintf(out, "%s%.*s", i ? " " : "",
				(int)argv.items[i].len, argv.items[i].ptr);
	pd_str_list_release(&argv);
	putc('\'', out);
	return fclose(out) ? -ENOMEM : 0;
}

static int read_bytes(struct rec_stat_file_read *file, const char *path,
		      struct pd_err *err)
{
	int rc =
		strcmp(path, "-") != 0
			? rec_read_file(AT_FDCWD, path, file_len_max,
					&file->bytes)
			: rec_read_fd(STDIN_FILENO, file_len_max, &file->bytes);

	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}

int rec_stat_file_read_open(struct rec_stat_file_read *ret, const char *path,
			    struct pd_err *err)
{
	bool has_counts = false;
	int rc;

	*ret = (struct rec_stat_file_read){ .mode = REC_STAT_GLOBAL };
	rec_event_list_init(&ret->events);
	rc = read_bytes(ret, path, err);
	if (!rc)
		rc = pd_reader_open(&ret->reader, ret->bytes.data,
				    ret->bytes.len, NULL, err);
	if (!rc)
		rc = add_events(ret);
	if (!rc)
		rc = each_body(ret, take_setup, &has_counts, NULL);
	/* A part that cannot be read is met again, and told, with the
	 * counts. */
	ret->skipped_nr = 0;
	if (rc != -ENOMEM && has_counts)
		rc = 0;
	if (!rc && !has_counts) {
		rc = pd_err_set(err, -EINVAL, "it has no counts");
		pd_err_hint(err, "'perfpair stat record' writes a file of "
				 "counts; 'perfpair report' reads samples");
	}
	if (!rc)
		rc = init_counts(ret, err);
	if (!rc)
		rc = make_title(ret);
	if (!rc)
		rc = stat_file_places(ret->reader, &ret->target, &ret->places);
	if (rc)
		rec_stat_file_read_close(ret);
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}

struct rounds {
	rec_stat_round_fn *call;
	void *ctx;
	const struct pd_event_set *events;
};

static void take_count(struct rec_stat_file_read *file,
		       const struct pd_event_set *events,
		       const struct pd_stat *stat)
{
	const struct rec_target *target = &file->target;
	const struct pd_event *event = pd_event_set_by_id(events, stat->id);
	int cpu = (int)stat->cpu;
	const int *found = bsearch(&cpu, target->cpus, target->cpu_nr,
				   sizeof(cpu), compare_cpus);
	struct rec_count *count;

	file->is_cut = true;
	if (!event || !found || stat->thread >= target->thread_nr) {
		file->skipped_nr++;
		return;
	}
	count = rec_counts_at(&file->counts, (size_t)(event - events->events),
			      (size_t)(found - target->cpus), stat->thread);
	*count = (struct rec_count){ stat->value, stat->enabled, stat->running,
				     true };
}

static int take_round(struct rec_stat_file_read *file,
		      const struct pd_body *body, bool swap, void *ctx)
{
	const struct rounds *rounds = ctx;

	(void)swap;
	if (body->type == PD_RECORD_STAT)
		take_count(file, rounds->events, &body->u.stat);
	if (body->type != PD_RECORD_STAT_ROUND)
		return 0;
	file->is_cut = false;
	return rounds->call(rounds->ctx, &body->u.stat_round);
}

int rec_stat_file_read_rounds(struct rec_stat_file_read *file,
			      rec_stat_round_fn *call, void *ctx,
			      struct pd_err *err)
{
	struct rounds rounds = { call, ctx, pd_reader_events(file->reader) };

	return each_body(file, take_round, &rounds, err);
}

void rec_stat_file_read_close(struct rec_stat_file_read *file)
{
	pd_reader_close(file->reader);
	pd_buf_release(&file->bytes);
	rec_event_list_release(&file->events);
	rec_target_release(&file->target);
	rec_counts_release(&file->counts);
	free(file->refused);
	free(file->places);
	free(file->title);
	memset(file, 0, sizeof(*file));
}
