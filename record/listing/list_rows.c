/* list_rows.c: rows of names that the recorder knows, and of sysfs and tracefs.
 */
#include "record/listing/list_rows.h"

#include "record/event/event_names.h"
#include "record/event/tracefs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NAME_LEN = 256, LINE_LEN = 2 * NAME_LEN };

const struct rec_list_kind_text rec_list_kinds[REC_LIST_KIND_NR] = {
	[REC_LIST_HARDWARE] = { "hw", "hardware", "Hardware event" },
	[REC_LIST_SOFTWARE] = { "sw", "software", "Software event" },
	[REC_LIST_CACHE] = { "cache", "hwcache", "Hardware cache event" },
	[REC_LIST_PMU] = { "pmu", NULL, "Kernel PMU event" },
	[REC_LIST_VENDOR] = { "vendor", "pmu", "Vendor event" },
	[REC_LIST_RAW] = { NULL, NULL, "Raw hardware event descriptor" },
	[REC_LIST_BREAKPOINT] = { NULL, NULL, "Hardware breakpoint" },
	[REC_LIST_TRACEPOINT] = { "tracepoint", NULL, "Tracepoint event" },
	[REC_LIST_METRIC] = { "metric", "metrics", "Metric" },
	[REC_LIST_METRIC_GROUP] = { "metricgroup", "metricgroups",
				    "Metric group" },
};

/* What the kernel counts, by perf_event_open(2), attr.config. */
static const struct {
	const char *name;
	const char *text;
} texts[] = {
	{ "cpu-cycles", "cycles of the core's clock" },
	{ "instructions", "instructions that retired" },
	{ "cache-references",
	  "accesses to the last level cache, by most CPUs" },
	{ "cache-misses", "accesses that missed the last level cache" },
	{ "branch-instructions", "branches that retired" },
	{ "branch-misses", "branches that were predicted wrong" },
	{ "bus-cycles", "cycles of the bus" },
	{ "stalled-cycles-frontend", "cycles in which nothing was issued" },
	{ "stalled-cycles-backend", "cycles in which nothing was retired" },
	{ "ref-cycles", "cycles at a frequency that does not change" },
	{ "cpu-clock", "time on a CPU, by a timer of each CPU" },
	{ "task-clock", "time that the task ran" },
	{ "page-faults", "page faults, minor and major" },
	{ "minor-faults", "page faults that needed no disk" },
	{ "major-faults", "page faults that needed the disk" },
	{ "context-switches", "switches from one task to another" },
	{ "cgroup-switches", "switches to a task of another control group" },
	{ "cpu-migrations", "moves of a task to another CPU" },
	{ "alignment-faults", "unaligned accesses that the kernel handled" },
	{ "emulation-faults", "instructions that the kernel emulated" },
	{ "dummy", "counts nothing; carries the records of tasks and maps" },
	{ "bpf-output", "what a BPF program writes" },
};

struct rec_list_row *rec_list_add(struct rec_list_rows *rows, const char *name)
{
	struct rec_list_row *row;

	if (rows->nr == rows->cap) {
		size_t cap = rows->cap ? 2 * rows->cap : 64;
		void *grown = realloc(rows->at, cap * sizeof(rows->at[0]));

		if (!grown)
			return NULL;
		rows->at = grown;
		rows->cap = cap;
	}
	row = &rows->at[rows->nr];
	*row = (struct rec_list_row){ .name = strdup(name) };
	if (!row->name)
		return NULL;
	rows->nr++;
	return row;
}

void rec_list_rows_release(struct rec_list_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		free(rows->at[i].name);
		free(rows->at[i].alias);
		free(rows->at[i].text);
		free(rows->at[i].encoding);
		free(rows->at[i].unit);
	}
	free(rows->at);
	memset(rows, 0, sizeof(*rows));
}

char *rec_list_one_line(const char *text)
{
	char *copy = strdup(text);

	for (char *c = copy; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	return copy;
}

bool rec_list_can_open(const union rec_attr *attr)
{
	union rec_attr copy = *attr;
	int fd;

	if (attr->sys.type == PERF_TYPE_SOFTWARE)
		return true;
	copy.sys.size = sizeof(copy.sys);
	copy.sys.disabled = 1;
	copy.sys.exclude_kernel = 1;
	copy.sys.exclude_hv = 1;
	fd = (int)syscall(SYS_perf_event_open, &copy.sys, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Names of the kernel's generic events --------------------------------------
 */

static enum rec_list_kind kind_of(uint32_t type)
{
	return type == PERF_TYPE_HARDWARE   ? REC_LIST_HARDWARE
	       : type == PERF_TYPE_SOFTWARE ? REC_LIST_SOFTWARE
					    : REC_LIST_CACHE;
}

static const char *text_of(const char *name)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(name, texts[i].name))
			return texts[i].text;
	return NULL;
}

/* Find the other spelling of name idx.  Return false if it came before. */
static bool find_other(size_t idx, uint32_t type, uint64_t config, char *ret)
{
	char other[NAME_LEN];
	uint32_t other_type;
	uint64_t other_config;

	ret[0] = '\0';
	for (size_t i = 0; rec_event_name_at(i, other, sizeof(other)); i++) {
		if (i == idx ||
		    !rec_event_name_find(other, strlen(other), &other_type,
					 &other_config) ||
		    other_type != type || other_config != config)
			continue;
		if (i < idx)
			return false;
		snprintf(ret, NAME_LEN, "%s", other);
	}
	return true;
}

static int add_generic(struct rec_list_rows *rows, const char *name,
		       const char *other, const union rec_attr *attr,
		       bool is_copy)
{
	bool swap = strlen(other) > strlen(name);
	struct rec_list_row *row = rec_list_add(rows, swap ? other : name);
	const char *text;
	char encoding[NAME_LEN];

	if (!row)
		return -ENOMEM;
	if (other[0])
		row->alias = strdup(swap ? name : other);
	text = text_of(row->name);
	if (text)
		row->text = strdup(text);
	snprintf(encoding, sizeof(encoding), "%u:0x%llx", attr->sys.type,
		 (unsigned long long)attr->sys.config);
	row->encoding = strdup(encoding);
	row->is_missing = !is_copy && !rec_list_can_open(attr);
	return row->encoding ? 0 : -ENOMEM;
}

static int collect_generic(struct rec_list_rows *rows, enum rec_list_kind kind,
			   const struct rec_list_conf *conf)
{
	char name[NAME_LEN], other[NAME_LEN];
	int rc = 0;

	for (size_t i = 0; !rc && rec_event_name_at(i, name, sizeof(name));
	     i++) {
		union rec_attr attr = { 0 };
		uint32_t type;
		uint64_t config;

		if (!rec_event_name_find(name, strlen(name), &type, &config) ||
		    kind_of(type) != kind ||
		    !find_other(i, type, config, other))
			continue;
		attr.sys.type = type;
		attr.sys.config = config;
		rc = add_generic(rows, name, other, &attr, conf->is_copy);
	}
	return rc;
}

/* sysfs ---------------------------------------------------------------------
 */

static int add_alias(struct rec_list_rows *rows, const struct rec_pmu *pmu,
		     const struct rec_pmu_alias *alias)
{
	bool is_core = !strcmp(pmu->name, "cpu");
	char line[LINE_LEN];
	struct rec_list_row *row;

	snprintf(line, sizeof(line), "%s/%s/", pmu->name, alias->name);
	row = rec_list_add(rows, is_core ? alias->name : line);
	if (!row)
		return -ENOMEM;
	/* As perf: names of the core need no PMU. */
	if (is_core)
		row->alias = strdup(line);
	row->unit = strdup(pmu->name);
	snprintf(line, sizeof(line), "%s/%s/", pmu->name, alias->terms);
	row->encoding = rec_list_one_line(line);
	return row->unit && row->encoding ? 0 : -ENOMEM;
}

static int collect_pmus(struct rec_list_rows *rows, const char *sysfs)
{
	char **names = NULL;
	size_t nr = 0;
	int rc = rec_pmu_names(sysfs, &names, &nr);

	/* Without PMUs there are no events of PMUs. */
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	for (size_t i = 0; i < nr && !rc; i++) {
		struct rec_pmu pmu;

		if (rec_pmu_open(&pmu, sysfs, names[i], NULL))
			continue;
		for (size_t j = 0; j < pmu.alias_nr && !rc; j++)
			rc = add_alias(rows, &pmu, &pmu.aliases[j]);
		rec_pmu_release(&pmu);
	}
	rec_pmu_names_free(names, nr);
	return rc;
}

/* tracefs and the rest ------------------------------------------------------
 */

static int add_tracepoint(void *ctx, const char *sys, const char *name)
{
	char line[LINE_LEN];

	snprintf(line, sizeof(line), "%s:%s", sys, name);
	return rec_list_add(ctx, line) ? 0 : -ENOMEM;
}

static int collect_tracepoints(struct rec_list_rows *rows, struct pd_err *note)
{
	char *root = NULL;
	int rc = 0;

	if (!rec_tracefs_find(&root, note))
		rc = rec_tracefs_walk(root, "*", "*", add_tracepoint, rows,
				      note);
	free(root);
	return rc == -ENOMEM ? rc : 0;
}

static int compare(const void *a, const void *b)
{
	const struct rec_list_row *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int compare_units(const void *a, const void *b)
{
	const struct rec_list_row *x = a, *y = b;
	int units = strcmp(x->unit, y->unit);

	return units ? units : compare(a, b);
}

int rec_list_collect(struct rec_list_rows *rows, enum rec_list_kind kind,
		     const struct rec_list_conf *conf, struct pd_err *note)
{
	int rc = 0;

	switch (kind) {
	case REC_LIST_PMU:
		rc = collect_pmus(rows, conf->sysfs);
		break;
	case REC_LIST_VENDOR:
		rc = rec_list_collect_vendor(rows, conf);
		break;
	case REC_LIST_RAW:
		if (!rec_list_add(rows, "rNNN") ||
		    !rec_list_add(rows, "cpu/t1=v1[,t2=v2,t3 ...]/modifier"))
			rc = -ENOMEM;
		return rc;
	case REC_LIST_BREAKPOINT:
		return rec_list_add(rows, "mem:<addr>[/len][:access]")
			       ? 0
			       : -ENOMEM;
	case REC_LIST_TRACEPOINT:
		if (!conf->is_copy)
			rc = collect_tracepoints(rows, note);
		break;
	case REC_LIST_METRIC:
		rc = rec_list_collect_metrics(rows, conf);
		break;
	case REC_LIST_METRIC_GROUP:
		rc = rec_list_collect_metric_groups(rows, conf);
		break;
	default:
		rc = collect_generic(rows, kind, conf);
	}
	if (rows->nr && !rc)
		qsort(rows->at, rows->nr, sizeof(rows->at[0]),
		      kind == REC_LIST_VENDOR ? compare_units : compare);
	return rc;
}
