/* list_rows.c: rows of names that the recorder knows, and of sysfs and tracefs.
 */
#include "record/listing/list_rows.h"

#include "record/event/event_names.h"
#include "record/event/tracefs.h"
#include "record/vendor/vendor_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NAME_LEN = 256, LINE_LEN = 2 * NAME_LEN };

const struct rec_list_kind_text rec_list_kinds[REC_LIST_KIND_NR] = {
	[REC_LIST_HARDWARE] = { "hw", "hardware", "Hardware event" },
	[REC_LIST_SOFTWARE] = { "sw", "software", "Software event" },
	[REC_LIST_TOOL] = { "tool", "sw", "Tool event" },
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

/* Events of the kernel, by perf_event_open(2), attr.config. */
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

/* Append a row with a copy of name; NULL if memory is short. */
static struct rec_list_row *list_add(struct rec_list_rows *rows,
				     const char *name)
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

/* Return a copy of text in one line, without control characters. */
static char *list_one_line(const char *text)
{
	char *copy = strdup(text);

	for (char *c = copy; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	return copy;
}

/* Return true if this machine counts such an event. */
static bool list_can_open(const union rec_attr *attr)
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
	struct rec_list_row *row = list_add(rows, swap ? other : name);
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
	row->is_missing = !is_copy && !list_can_open(attr);
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

static int collect_tools(struct rec_list_rows *rows)
{
	static const char *const tool_texts[REC_TOOL_NR] = {
		[REC_TOOL_DURATION] = "time that was counted, of stat",
		[REC_TOOL_USER] =
			"the command's CPU time in user mode, of stat",
		[REC_TOOL_SYSTEM] = "the command's CPU time in the kernel, of "
				    "stat",
	};

	for (int tool = REC_TOOL_NONE + 1; tool < REC_TOOL_NR; tool++) {
		struct rec_list_row *row =
			list_add(rows, rec_tool_name((enum rec_tool)tool));

		if (row)
			row->text = strdup(tool_texts[tool]);
		if (!row || !row->text)
			return -ENOMEM;
	}
	return 0;
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
	row = list_add(rows, is_core ? alias->name : line);
	if (!row)
		return -ENOMEM;
	/* As perf: names of the core need no PMU. */
	if (is_core)
		row->alias = strdup(line);
	row->unit = strdup(pmu->name);
	snprintf(line, sizeof(line), "%s/%s/", pmu->name, alias->terms);
	row->encoding = list_one_line(line);
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
	return list_add(ctx, line) ? 0 : -ENOMEM;
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

/* An attr as the text that -e takes on any machine. */

enum { ENCODING_LEN = 1024 };

/* Gather the bits of a format out of a config word, lowest first. */
static uint64_t take_bits(uint64_t bits, uint64_t *word)
{
	uint64_t value = 0;
	unsigned at = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(bits >> bit & 1))
			continue;
		value |= (*word >> bit & 1) << at++;
	}
	*word &= ~bits;
	return value;
}

static void append(char *line, const char *key, uint64_t value)
{
	size_t len = strlen(line);

	snprintf(line + len, ENCODING_LEN - len, "%s%s=0x%llx",
		 line[len - 1] == '/' ? "" : ",", key,
		 (unsigned long long)value);
}

/* The formats that come first, as perf and vendors write them. */
static bool is_first(const char *name)
{
	return !strcmp(name, "event") || !strcmp(name, "umask");
}

/* Append the formats of config that have bits in it.  Formats that share bits
 * with one before are not for this event. */
static void append_formats(const struct rec_pmu *pmu, bool first,
			   uint64_t *word, uint64_t *taken, char *line)
{
	for (size_t i = 0; i < pmu->format_nr; i++) {
		const struct rec_pmu_format *f = &pmu->formats[i];
		uint64_t value;

		if (is_first(f->name) != first || f->config_idx != 0 ||
		    (f->bits & *taken))
			continue;
		value = take_bits(f->bits, word);
		if (value || !strcmp(f->name, "event")) {
			append(line, f->name, value);
			*taken |= f->bits;
		}
	}
}

static char *encode(const struct rec_pmu *pmu, const union rec_attr *attr)
{
	uint64_t word = attr->sys.config, taken = 0;
	char line[ENCODING_LEN];

	snprintf(line, sizeof(line), "%s/", pmu->name);
	append_formats(pmu, true, &word, &taken, line);
	append_formats(pmu, false, &word, &taken, line);
	if (word) { /* bits that no format has */
		snprintf(line, sizeof(line), "%s/", pmu->name);
		append(line, "config", attr->sys.config);
	}
	if (attr->sys.config1)
		append(line, "config1", attr->sys.config1);
	if (attr->sys.config2)
		append(line, "config2", attr->sys.config2);
	strncat(line, "/", sizeof(line) - strlen(line) - 1);
	return strdup(line);
}

static bool is_pmu_of(const struct rec_pmu *pmu, const union rec_attr *attr)
{
	if (pmu->type == attr->sys.type)
		return true;
	return attr->sys.type == PERF_TYPE_RAW &&
	       !strncmp(pmu->name, "armv", 4);
}

int rec_list_pmus_init(struct rec_list_pmus *ret, const char *sysfs)
{
	char **names = NULL;
	size_t nr = 0;
	int rc = rec_pmu_names(sysfs, &names, &nr);

	*ret = (struct rec_list_pmus){ .nr = 0 };
	if (!rc && nr) {
		ret->at = calloc(nr, sizeof(ret->at[0]));
		rc = ret->at ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < nr && !rc; i++)
		if (!rec_pmu_open(&ret->at[ret->nr], sysfs, names[i], NULL))
			ret->nr++;
	rec_pmu_names_free(names, nr);
	return rc;
}

void rec_list_pmus_release(struct rec_list_pmus *pmus)
{
	for (size_t i = 0; i < pmus->nr; i++)
		rec_pmu_release(&pmus->at[i]);
	free(pmus->at);
	memset(pmus, 0, sizeof(*pmus));
}

char *rec_list_encoding(const struct rec_list_pmus *pmus,
			const union rec_attr *attr)
{
	for (size_t i = 0; i < pmus->nr; i++)
		if (is_pmu_of(&pmus->at[i], attr))
			return encode(&pmus->at[i], attr);
	return NULL;
}

/* Rows of metrics and of their groups. */

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
		can = list_can_open(&list.events[i].attr);
	rec_event_list_release(&list);
	return can;
}

static int list_collect_metrics(struct rec_list_rows *rows,
				const struct rec_list_conf *conf)
{
	const struct rec_metric *metric = NULL;
	struct rec_metric_host host;

	rec_metric_host_read(&host, conf->sysfs);
	while ((metric = rec_metric_next(&host, metric))) {
		struct rec_list_row *row = list_add(rows, metric->name);

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
static int list_collect_metric_groups(struct rec_list_rows *rows,
				      const struct rec_list_conf *conf)
{
	struct rec_list_rows metrics = { .nr = 0 };
	int rc = list_collect_metrics(&metrics, conf);

	for (size_t i = 0; i < metrics.nr && !rc; i++) {
		const char *group = metrics.at[i].metric->group;
		struct rec_list_row *row = NULL;

		for (size_t j = 0; j < rows->nr && !row; j++)
			if (!strcmp(rows->at[j].name, group))
				row = &rows->at[j];
		if (!row) {
			row = list_add(rows, group);
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

/* Rows of the CPU's vendor's names. */

struct collect {
	struct rec_list_rows *rows;
	bool is_missing;
	int rc;
};

static void add(void *ctx, const struct rec_vendor_row *vendor)
{
	struct collect *c = ctx;
	struct rec_list_row *row;

	if (c->rc)
		return;
	row = list_add(c->rows, vendor->name);
	if (row) {
		row->text = list_one_line(vendor->text);
		row->unit = strdup(vendor->pmu);
		row->is_missing = c->is_missing;
	}
	if (!row || !row->text || !row->unit)
		c->rc = -ENOMEM;
}

/* The library knows the CPU; a virtual machine may lack its counters. */
static int list_collect_vendor(struct rec_list_rows *rows,
			       const struct rec_list_conf *conf)
{
	union rec_attr cycles = { .sys = { .type = PERF_TYPE_HARDWARE } };
	struct collect c = { .rows = rows };

	c.is_missing = !conf->is_copy && !list_can_open(&cycles);
	rec_vendor_walk(add, &c);
	return c.rc;
}

char *rec_list_vendor_encoding(const struct rec_list_pmus *pmus,
			       const char *name)
{
	struct rec_vendor_event event;
	union rec_attr attr = { 0 };

	if (rec_vendor_find(name, strlen(name), &event, NULL))
		return NULL;
	attr.sys.type = event.type;
	attr.sys.config = event.config;
	attr.sys.config1 = event.config1;
	attr.sys.config2 = event.config2;
	return rec_list_encoding(pmus, &attr);
}

int rec_list_collect(struct rec_list_rows *rows, enum rec_list_kind kind,
		     const struct rec_list_conf *conf, struct pd_err *note)
{
	int rc = 0;

	switch (kind) {
	case REC_LIST_TOOL: /* in perf's order */
		return collect_tools(rows);
	case REC_LIST_PMU:
		rc = collect_pmus(rows, conf->sysfs);
		break;
	case REC_LIST_VENDOR:
		rc = list_collect_vendor(rows, conf);
		break;
	case REC_LIST_RAW:
		if (!list_add(rows, "rNNN") ||
		    !list_add(rows, "cpu/t1=v1[,t2=v2,t3 ...]/modifier"))
			rc = -ENOMEM;
		return rc;
	case REC_LIST_BREAKPOINT:
		return list_add(rows, "mem:<addr>[/len][:access]") ? 0
								   : -ENOMEM;
	case REC_LIST_TRACEPOINT:
		if (!conf->is_copy)
			rc = collect_tracepoints(rows, note);
		break;
	case REC_LIST_METRIC:
		rc = list_collect_metrics(rows, conf);
		break;
	case REC_LIST_METRIC_GROUP:
		rc = list_collect_metric_groups(rows, conf);
		break;
	default:
		rc = collect_generic(rows, kind, conf);
	}
	if (rows->nr && !rc)
		qsort(rows->at, rows->nr, sizeof(rows->at[0]),
		      kind == REC_LIST_VENDOR ? compare_units : compare);
	return rc;
}
