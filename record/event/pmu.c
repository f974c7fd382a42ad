/* pmu.c: read a PMU's directory in sysfs. */
#include "record/event/pmu.h"

#include "record/base/read_file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_LEN = 4096 };

static const char devices[] = "bus/event_source/devices";

/* Format the path of a directory below the PMUs in sysfs; part may be "". */
static void pmu_path(char *buf, size_t len, const char *sysfs, const char *name,
		     const char *part)
{
	snprintf(buf, len, "%s/%s/%s%s%s", sysfs, devices, name,
		 part[0] ? "/" : "", part);
}

static int name_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void rec_pmu_names_free(char **names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(names[i]);
	free(names);
}

/* List the entries of a directory, sorted; none if it does not exist. */
static int dir_names(const char *path, char ***ret, size_t *ret_nr)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char **names = NULL;
	size_t nr = 0;
	int rc = 0;

	*ret = NULL;
	*ret_nr = 0;
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (!rc && (entry = readdir(dir))) {
		char **more;

		if (entry->d_name[0] == '.')
			continue;
		more = realloc(names, (nr + 1) * sizeof(*names));
		if (more) {
			names = more;
			names[nr] = strdup(entry->d_name);
		}
		if (!more || !names[nr])
			rc = -ENOMEM;
		else
			nr++;
	}
	closedir(dir);
	if (rc) {
		rec_pmu_names_free(names, nr);
		return rc;
	}
	if (nr > 0)
		qsort(names, nr, sizeof(*names), name_cmp);
	*ret = names;
	*ret_nr = nr;
	return 0;
}

int rec_pmu_names(const char *sysfs, char ***ret, size_t *ret_nr)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", sysfs, devices);
	return dir_names(path, ret, ret_nr);
}

bool rec_pmu_is_core(const char *name)
{
	return strcmp(name, "cpu") == 0 || strncmp(name, "cpu_", 4) == 0 ||
	       strncmp(name, "armv", 4) == 0;
}

char *rec_pmu_first_core(const char *sysfs)
{
	char **names = NULL;
	char *ret = NULL;
	size_t nr = 0;

	(void)!rec_pmu_names(sysfs, &names, &nr);
	for (size_t i = 0; i < nr && !ret; i++)
		if (rec_pmu_is_core(names[i]))
			ret = strdup(names[i]);
	rec_pmu_names_free(names, nr);
	return ret;
}

bool rec_pmu_is_unlisted(const char *sysfs, uint32_t type, uint64_t config)
{
	char *name = rec_pmu_first_core(sysfs);
	bool is_unlisted = false;
	struct rec_pmu pmu;
	unsigned event;

	if (name && !strncmp(name, "armv", 4) &&
	    !rec_pmu_open(&pmu, sysfs, name, NULL)) {
		is_unlisted = type == PERF_TYPE_RAW || type == pmu.type;
		for (size_t i = 0; i < pmu.alias_nr; i++)
			is_unlisted &= sscanf(pmu.aliases[i].terms, "event=%x",
					      &event) != 1 ||
				       event != (config & UINT16_MAX);
		rec_pmu_release(&pmu);
	}
	free(name);
	return is_unlisted;
}

/* Parse "7" or "0-7" to a mask; moves *text behind it. */
static int bits_take(const char **text, uint64_t *bits)
{
	char *end;
	unsigned long first, last;

	if (**text < '0' || **text > '9')
		return -EINVAL;
	first = last = strtoul(*text, &end, 10);
	if (*end == '-') {
		if (end[1] < '0' || end[1] > '9')
			return -EINVAL;
		last = strtoul(end + 1, &end, 10);
	}
	if (first > last || last > 63)
		return -EINVAL;
	for (unsigned long bit = first; bit <= last; bit++)
		*bits |= UINT64_C(1) << bit;
	*text = end;
	return 0;
}

int rec_pmu_format_parse(const char *text, struct rec_pmu_format *ret)
{
	static const char prefix[] = "config";
	const char *at = text + sizeof(prefix) - 1;
	uint64_t bits = 0;
	unsigned idx = 0;

	if (strncmp(text, prefix, sizeof(prefix) - 1) != 0)
		return -EINVAL;
	if (*at >= '1' && *at < '0' + REC_PMU_CONFIG_NR)
		idx = (unsigned)(*at++ - '0');
	do {
		at++; /* ':' before the first, ',' between the others */
		if ((at[-1] != ':' && at[-1] != ',') || bits_take(&at, &bits))
			return -EINVAL;
	} while (*at == ',');
	if (*at != '\0')
		return -EINVAL;
	ret->config_idx = idx;
	ret->bits = bits;
	return 0;
}

int rec_pmu_format_put(const struct rec_pmu_format *format, uint64_t value,
		       uint64_t *config)
{
	uint64_t word = *config & ~format->bits;

	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(format->bits >> bit & 1))
			continue;
		word |= (value & 1) << bit;
		value >>= 1;
	}
	if (value)
		return -ERANGE;
	*config = word;
	return 0;
}

static int formats_read(struct rec_pmu *pmu, const char *dir)
{
	char **names;
	size_t nr;
	int rc = dir_names(dir, &names, &nr);

	if (rc || nr == 0)
		return rc;
	pmu->formats = calloc(nr, sizeof(*pmu->formats));
	if (!pmu->formats)
		rc = -ENOMEM;
	for (size_t i = 0; i < nr && !rc; i++) {
		struct rec_pmu_format *format = &pmu->formats[pmu->format_nr];
		char line[LINE_MAX_LEN];

		/* Ignore formats of newer kernels that we cannot parse. */
		if (rec_read_line(dir, names[i], line, sizeof(line)) ||
		    rec_pmu_format_parse(line, format))
			continue;
		format->name = names[i];
		names[i] = NULL;
		pmu->format_nr++;
	}
	rec_pmu_names_free(names, nr);
	return rc;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name), suffix_len = strlen(suffix);

	return len > suffix_len && strcmp(name + len - suffix_len, suffix) == 0;
}

/* True for ALIAS.scale, ALIAS.unit and the like, which describe ALIAS. */
static bool is_attribute(const char *name)
{
	return has_suffix(name, ".scale") || has_suffix(name, ".unit") ||
	       has_suffix(name, ".per-pkg") || has_suffix(name, ".snapshot");
}

static int alias_read(struct rec_pmu_alias *alias, const char *dir,
		      const char *name)
{
	char line[LINE_MAX_LEN], more[NAME_MAX + 8];
	char *end;

	if (rec_read_line(dir, name, line, sizeof(line)))
		return -ENOENT;
	*alias = (struct rec_pmu_alias){ .scale = 1 };
	alias->name = strdup(name);
	alias->terms = strdup(line);
	if (!alias->name || !alias->terms)
		return -ENOMEM;
	snprintf(more, sizeof(more), "%s.unit", name);
	if (!rec_read_line(dir, more, line, sizeof(line)) && line[0]) {
		alias->unit = strdup(line);
		if (!alias->unit)
			return -ENOMEM;
	}
	snprintf(more, sizeof(more), "%s.scale", name);
	if (!rec_read_line(dir, more, line, sizeof(line))) {
		alias->scale = strtod(line, &end);
		if (end == line)
			alias->scale = 1;
	}
	return 0;
}

static int aliases_read(struct rec_pmu *pmu, const char *dir)
{
	char **names;
	size_t nr;
	int rc = dir_names(dir, &names, &nr);

	if (rc || nr == 0)
		return rc;
	pmu->aliases = calloc(nr, sizeof(*pmu->aliases));
	if (!pmu->aliases)
		rc = -ENOMEM;
	for (size_t i = 0; i < nr && !rc; i++) {
		if (is_attribute(names[i]))
			continue;
		rc = alias_read(&pmu->aliases[pmu->alias_nr], dir, names[i]);
		if (rc == -ENOENT)
			rc = 0;
		else
			pmu->alias_nr++;
	}
	rec_pmu_names_free(names, nr);
	return rc;
}

/* Read the CPUs that count for all, or those of this kind of core. */
static int cpus_read(struct rec_pmu *pmu, const char *dir)
{
	char line[LINE_MAX_LEN];

	if (rec_read_line(dir, "cpumask", line, sizeof(line)) &&
	    rec_read_line(dir, "cpus", line, sizeof(line)))
		return 0;
	if (!line[0])
		return 0;
	pmu->cpus = strdup(line);
	return pmu->cpus ? 0 : -ENOMEM;
}

int rec_pmu_open(struct rec_pmu *pmu, const char *sysfs, const char *name,
		 struct pd_err *err)
{
	char dir[PATH_MAX], part[PATH_MAX];
	uint64_t type;
	int rc;

	memset(pmu, 0, sizeof(*pmu));
	pmu_path(dir, sizeof(dir), sysfs, name, "");
	rc = rec_read_u64(dir, "type", &type);
	if (rc)
		return pd_err_set(err, rc, "no PMU '%s'", name);
	pmu->type = (uint32_t)type;
	pmu->name = strdup(name);
	rc = pmu->name ? 0 : -ENOMEM;
	pmu_path(part, sizeof(part), sysfs, name, "format");
	if (!rc)
		rc = formats_read(pmu, part);
	pmu_path(part, sizeof(part), sysfs, name, "events");
	if (!rc)
		rc = aliases_read(pmu, part);
	if (!rc)
		rc = cpus_read(pmu, dir);
	if (rc) {
		rec_pmu_release(pmu);
		return pd_err_set(err, rc, "PMU '%s' cannot be read: %s", name,
				  strerror(-rc));
	}
	return 0;
}

void rec_pmu_release(struct rec_pmu *pmu)
{
	if (!pmu)
		return;
	for (size_t i = 0; i < pmu->format_nr; i++)
		free(pmu->formats[i].name);
	for (size_t i = 0; i < pmu->alias_nr; i++) {
		free(pmu->aliases[i].name);
		free(pmu->aliases[i].terms);
		free(pmu->aliases[i].unit);
	}
	free(pmu->formats);
	free(pmu->aliases);
	free(pmu->name);
	free(pmu->cpus);
	memset(pmu, 0, sizeof(*pmu));
}

static bool is_named(const char *own, const char *name, size_t len)
{
	return strlen(own) == len && !memcmp(own, name, len);
}

const struct rec_pmu_format *rec_pmu_format_find(const struct rec_pmu *pmu,
						 const char *name, size_t len)
{
	for (size_t i = 0; i < pmu->format_nr; i++)
		if (is_named(pmu->formats[i].name, name, len))
			return &pmu->formats[i];
	return NULL;
}

const struct rec_pmu_alias *rec_pmu_alias_find(const struct rec_pmu *pmu,
					       const char *name, size_t len)
{
	for (size_t i = 0; i < pmu->alias_nr; i++)
		if (is_named(pmu->aliases[i].name, name, len))
			return &pmu->aliases[i];
	return NULL;
}
