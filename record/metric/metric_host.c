/* metric_host.c: which metrics a machine has, by these files of sysfs:
 *
 *	bus/event_source/devices/cpu/events/slots: Intel from Ice Lake on
 *	devices/system/cpu/modalias: "cpu:type:x86,ven0002fam0019mod0061:"
 *	devices/system/cpu/cpu0/regs/identification/midr_el1
 *
 * Source: Linux Documentation/ABI/testing/sysfs-devices-system-cpu (midr_el1);
 * arch/x86/include/asm/cpu_device_id.h (the vendors' numbers in modalias); the
 * models of Zen 4: AMD's PPRs for Family 19h; MIDR_EL1 in the Technical
 * Reference Manual of each Neoverse core.
 */
#include "record/metric/metric_table.h"

#include "record/base/read_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))

enum {
	LINE_LEN = 4096, /* a file of sysfs has at most a page */
	VENDOR_AMD = 2,
	IMPLEMENTER_ARM = 0x41,
};

static bool has_event(const char *sysfs, const char *pmu, const char *event)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s/events/%s",
		 sysfs, pmu, event);
	return access(path, R_OK) == 0;
}

/* Read the vendor, family and model of an x86 CPU. */
static bool x86_model(const char *sysfs, unsigned *vendor, unsigned *family,
		      unsigned *model)
{
	char dir[PATH_MAX], line[LINE_LEN];

	snprintf(dir, sizeof(dir), "%s/devices/system/cpu", sysfs);
	if (rec_read_line(dir, "modalias", line, sizeof(line)))
		return false;
	return sscanf(line, "cpu:type:x86,ven%4xfam%4xmod%4x", vendor, family,
		      model) == 3;
}

static bool is_zen4(unsigned vendor, unsigned family, unsigned model)
{
	return vendor == VENDOR_AMD && family == 0x19 &&
	       ((model >= 0x10 && model <= 0x1f) ||
		(model >= 0x60 && model <= 0xaf));
}

static void neoverse_read(struct rec_metric_host *host, const char *sysfs)
{
	static const struct {
		unsigned part;
		unsigned core;
		const char *model;
	} parts[] = {
		{ 0xd0c, REC_CORE_NEOVERSE_N1, "Neoverse N1" },
		{ 0xd40, REC_CORE_NEOVERSE_V1, "Neoverse V1" },
		{ 0xd49, REC_CORE_NEOVERSE_N2, "Neoverse N2" },
		{ 0xd4f, REC_CORE_NEOVERSE_V2, "Neoverse V2" },
	};
	char dir[PATH_MAX];
	uint64_t midr;

	snprintf(dir, sizeof(dir),
		 "%s/devices/system/cpu/cpu0/regs/identification", sysfs);
	if (rec_read_u64(dir, "midr_el1", &midr) ||
	    (midr >> 24 & 0xff) != IMPLEMENTER_ARM)
		return;
	for (size_t i = 0; i < ARRAY_NR(parts); i++) {
		if ((midr >> 4 & 0xfff) != parts[i].part)
			continue;
		host->cores |= parts[i].core;
		host->model = parts[i].model;
	}
	/* variant 0, revision 0 to 2 */
	if ((host->cores & REC_CORE_NEOVERSE_N2) && (midr >> 20 & 0xf) == 0 &&
	    (midr & 0xf) < 3) {
		host->cores &= ~(unsigned)REC_CORE_NEOVERSE_N2;
		host->cores |= REC_CORE_NEOVERSE_N2_R0P2;
	}
}

void rec_metric_host_read(struct rec_metric_host *ret, const char *sysfs)
{
	unsigned vendor, family, model;

	*ret = (struct rec_metric_host){ .cores = REC_CORE_ANY };
	if (has_event(sysfs, "cpu", "slots"))
		ret->cores |= REC_CORE_INTEL_SLOTS;
	else if (has_event(sysfs, "cpu_core", "slots"))
		ret->cores |= REC_CORE_INTEL_HYBRID;
	else if (has_event(sysfs, "cpu", "topdown-fetch-bubbles"))
		ret->cores |= REC_CORE_INTEL_BUBBLES;
	if (x86_model(sysfs, &vendor, &family, &model) &&
	    is_zen4(vendor, family, model)) {
		ret->cores |= REC_CORE_AMD_ZEN4;
		ret->model = "Zen 4";
	}
	neoverse_read(ret, sysfs);
}

const struct rec_metric *rec_metric_next(const struct rec_metric_host *host,
					 const struct rec_metric *last)
{
	size_t idx = last ? (size_t)(last - rec_metric_table) + 1 : 0;

	for (; idx < rec_metric_table_nr; idx++)
		if (rec_metric_table[idx].cores & host->cores)
			return &rec_metric_table[idx];
	return NULL;
}

bool rec_metric_is_named(const struct rec_metric *metric, const char *word)
{
	static const char tma[] = "tma_";

	if (!strncasecmp(word, tma, sizeof(tma) - 1) &&
	    !strcmp(metric->group, "topdown"))
		word += sizeof(tma) - 1;
	if (!strcasecmp(word, "TopdownL1") || !strcasecmp(word, "PipelineL1"))
		word = "topdown";
	return !strcasecmp(word, metric->name) ||
	       !strcasecmp(word, metric->group);
}
