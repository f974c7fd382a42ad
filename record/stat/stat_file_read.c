#include "record/stat/stat_file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/file/feature.h"
#include "record/base/read_file.h"
#include "record/stat/stat_config.h"
#include "record/stat/stat_file_places.h"

/* A count of 48 bytes for each place of the array, in each round: a larger file
 * has more rounds than anybody reads, or is none of counts. */
enum {
	STAT_RECORD_LEN = 48,
	FREE_COUNTS = 1 << 16,
	READ_START = 1 << 16,
};
static const size_t file_len_max = (size_t)1 << 30;

/* Control characters of a file would reach the terminal. */
static char *copy_plain(const char *text)
{
	char *copy = strdup(text);

	for (char *at = copy; at && *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	return copy;
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
			(void)rec_stat_mode_of_file(value, &file->mode);
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
	struct pd_record rec;
	int rc = 0, more;

	pd_records_init(&it, file->reader, pd_reader_data(file->reader));
	while (!rc && (more = pd_records_next(&it, &rec, err)) > 0) {
		struct pd_err bad = PD_ERR_INIT;
		struct pd_body body;

		if (rec.type < PD_RECORD_THREAD_MAP ||
		    rec.type > PD_RECORD_EVENT_UPDATE)
			continue;
		if (!pd_body_read(&rec, 0, &body, &bad))
			rc = call(file, &body, rec.swap, ctx);
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
	/* What cannot be read is met again, and told, with the counts. */
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
		rc = rec_stat_file_places(ret->reader, &ret->target,
					  &ret->places);
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
