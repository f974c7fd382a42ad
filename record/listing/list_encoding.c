/* list_encoding.c: an attr as the text that -e takes on any machine. */
#include "record/listing/list_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_LEN = 1024 };

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

	snprintf(line + len, LINE_LEN - len, "%s%s=0x%llx",
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
	char line[LINE_LEN];

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
