#include "record/listing/event_listing.h"

#include "record/event/event_names.h"
#include "record/event/pmu.h"
#include "record/event/tracefs.h"
#include "record/metric/metric.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINE_LEN = 280, NAME_LEN = 128 };

enum kind {
	HARDWARE,
	SOFTWARE,
	CACHE,
	PMU,
	RAW,
	BREAKPOINT,
	TRACEPOINT,
	METRIC
};

static const struct {
	const char *word; /* as a pattern; NULL: none */
	const char *other;
	const char *title;
} kinds[] = {
	[HARDWARE] = { "hw", "hardware", "Hardware event" },
	[SOFTWARE] = { "sw", "software", "Software event" },
	[CACHE] = { "cache", "hwcache", "Hardware cache event" },
	[PMU] = { "pmu", NULL, "Kernel PMU event" },
	[RAW] = { NULL, NULL, "Raw hardware event descriptor" },
	[BREAKPOINT] = { NULL, NULL, "Hardware breakpoint" },
	[TRACEPOINT] = { "tracepoint", NULL, "Tracepoint event" },
	[METRIC] = { "metric", NULL, "Metric" },
};

struct listing {
	const struct rec_event_env *env;
	const char *pattern;
	bool is_kind; /* pattern names a kind of events */
	FILE *out;
	size_t nr;
	/* of one kind, until they are printed; owned */
	char (*lines)[LINE_LEN];
	size_t line_nr;
};

static bool is_word_of(const char *word, enum kind kind)
{
	return kinds[kind].word &&
	       (!strcmp(word, kinds[kind].word) ||
		(kinds[kind].other && !strcmp(word, kinds[kind].other)));
}

static bool fits(const struct listing *l, enum kind kind, const char *name)
{
	if (!l->pattern)
		return true;
	if (l->is_kind)
		return is_word_of(l->pattern, kind);
	if (strpbrk(l->pattern, "*?["))
		return fnmatch(l->pattern, name, 0) == 0;
	return strstr(name, l->pattern) != NULL;
}

static void add(struct listing *l, enum kind kind, const char *name)
{
	void *grown;

	if (!fits(l, kind, name))
		return;
	grown = realloc(l->lines, (l->line_nr + 1) * sizeof(l->lines[0]));
	if (!grown)
		return;
	l->lines = grown;
	snprintf(l->lines[l->line_nr++], LINE_LEN, "%s", name);
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Print what was added of a kind. */
static void print(struct listing *l, enum kind kind, bool is_sorted)
{
	if (is_sorted && l->line_nr)
		qsort(l->lines, l->line_nr, sizeof(l->lines[0]), compare);
	for (size_t i = 0; i < l->line_nr; i++)
		fprintf(l->out, "  %-50s [%s]\n", l->lines[i],
			kinds[kind].title);
	l->nr += l->line_nr;
	l->line_nr = 0;
}

/* Return whether this machine counts such an event. */
static bool can_open(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.exclude_kernel = 1,
	};
	int fd;

	if (type == PERF_TYPE_SOFTWARE)
		return true;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static enum kind kind_of(uint32_t type)
{
	return type == PERF_TYPE_HARDWARE   ? HARDWARE
	       : type == PERF_TYPE_SOFTWARE ? SOFTWARE
					    : CACHE;
}

/* Add "NAME OR OTHER", the longer first, unless the other came before. */
static void add_spellings(struct listing *l, size_t idx, enum kind kind)
{
	char name[NAME_LEN], other[NAME_LEN];
	char line[LINE_LEN];
	uint32_t type, other_type;
	uint64_t config, other_config;

	rec_event_name_at(idx, name, sizeof(name));
	if (!rec_event_name_find(name, strlen(name), &type, &config) ||
	    kind_of(type) != kind)
		return;
	snprintf(line, sizeof(line), "%s", name);
	for (size_t i = 0; rec_event_name_at(i, other, sizeof(other)); i++) {
		if (i == idx ||
		    !rec_event_name_find(other, strlen(other), &other_type,
					 &other_config) ||
		    other_type != type || other_config != config)
			continue;
		if (i < idx)
			return;
		snprintf(line, sizeof(line), "%s OR %s",
			 strlen(other) > strlen(name) ? other : name,
			 strlen(other) > strlen(name) ? name : other);
	}
	if (fits(l, kind, line) && can_open(type, config))
		add(l, kind, line);
}

static void list_names(struct listing *l, enum kind kind)
{
	char name[NAME_LEN];

	for (size_t i = 0; rec_event_name_at(i, name, sizeof(name)); i++)
		add_spellings(l, i, kind);
	print(l, kind, true);
}

static void list_pmus(struct listing *l)
{
	char **names = NULL;
	size_t nr = 0;

	if (rec_pmu_names(l->env->sysfs, &names, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		struct rec_pmu pmu;

		if (rec_pmu_open(&pmu, l->env->sysfs, names[i], NULL))
			continue;
		for (size_t j = 0; j < pmu.alias_nr; j++) {
			char line[LINE_LEN];

			snprintf(line, sizeof(line), "%s/%s/", pmu.name,
				 pmu.aliases[j].name);
			add(l, PMU, line);
		}
		rec_pmu_release(&pmu);
	}
	rec_pmu_names_free(names, nr);
	print(l, PMU, true);
}

static int add_tracepoint(void *ctx, const char *sys, const char *name)
{
	char line[LINE_LEN];

	snprintf(line, sizeof(line), "%s:%s", sys, name);
	add(ctx, TRACEPOINT, line);
	return 0;
}

static void list_tracepoints(struct listing *l, struct pd_err *note)
{
	char *root = NULL;

	if (l->is_kind && !is_word_of(l->pattern, TRACEPOINT))
		return;
	if (!rec_tracefs_find(&root, note))
		rec_tracefs_walk(root, "*", "*", add_tracepoint, l, note);
	free(root);
	print(l, TRACEPOINT, true);
}

static void list_metrics(struct listing *l)
{
	const struct rec_metric *metric = NULL;
	struct rec_metric_host host;

	rec_metric_host_read(&host, l->env->sysfs);
	while ((metric = rec_metric_next(&host, metric)))
		add(l, METRIC, metric->name);
	print(l, METRIC, true);
}

static void list_forms(struct listing *l)
{
	add(l, RAW, "rNNN");
	add(l, RAW, "cpu/t1=v1[,t2=v2,t3 ...]/modifier");
	print(l, RAW, false);
	add(l, BREAKPOINT, "mem:<addr>[/len][:access]");
	print(l, BREAKPOINT, false);
}

int rec_event_listing_print(const struct rec_event_env *env,
			    const char *pattern, FILE *out, struct pd_err *note)
{
	struct listing l = { .env = env, .pattern = pattern, .out = out };

	for (size_t i = 0; pattern && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		l.is_kind |= is_word_of(pattern, (enum kind)i);
	list_names(&l, HARDWARE);
	list_names(&l, SOFTWARE);
	list_names(&l, CACHE);
	list_pmus(&l);
	list_forms(&l);
	list_tracepoints(&l, note);
	list_metrics(&l);
	free(l.lines);
	return l.nr ? 0 : -ENOENT;
}
