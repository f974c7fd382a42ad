#include "record/host/host_parts.h"

#include "record/base/cpu_list.h"
#include "record/base/read_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* The keys that name the CPU, by architecture; the first one found is used. */
static const char *const desc_keys[] = {
	"model name", /* x86, arm, riscv */
	"Processor",  /* older arm64 */
	"cpu model",  /* mips */
	"cpu",	      /* powerpc, sparc */
	"vendor_id",  /* s390 */
};

/* Copy text with each run of blanks replaced by one. */
static void copy_squeezed(char *ret, size_t ret_cap, struct rec_text_scan text)
{
	size_t len = 0;

	while (text.at < text.end && len + 1 < ret_cap) {
		const bool is_blank = *text.at == ' ' || *text.at == '\t';

		ret[len++] = is_blank ? ' ' : *text.at++;
		if (is_blank)
			rec_text_scan_blanks(&text);
	}
	ret[len] = '\0';
}

/* Find the value of a line such as "model name\t: AMD EPYC". */
static bool value_of(struct rec_text_scan text, const char *key,
		     struct rec_text_scan *ret)
{
	struct rec_text_scan line;

	while (rec_text_scan_line(&text, &line))
		if (rec_text_scan_text(&line, key) &&
		    rec_text_scan_blanks(&line) &&
		    rec_text_scan_char(&line, ':') &&
		    rec_text_scan_blanks(&line)) {
			*ret = line;
			return true;
		}
	return false;
}

static void read_desc(struct rec_host_facts *facts,
		      const struct rec_sysroots *roots, struct pd_buf *text)
{
	char path[512];
	struct rec_text_scan value;

	snprintf(path, sizeof(path), "%s/cpuinfo", roots->proc);
	if (rec_read_file(AT_FDCWD, path, 64 << 20, text) != 0)
		return;
	for (size_t i = 0; i < sizeof(desc_keys) / sizeof(desc_keys[0]); i++)
		if (value_of(rec_text_scan_buf(text), desc_keys[i], &value)) {
			copy_squeezed(facts->cpu_desc, sizeof(facts->cpu_desc),
				      value);
			return;
		}
}

#if defined(__x86_64__) || defined(__i386__)
/* Read leaf 0 (Intel SDM "CPUID", AMD64 APM vol. 3 appendix E).  Return false
 * if there is none. */
static bool read_vendor(char ret[13])
{
	unsigned a, b, c, d;

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return false;
	memcpy(ret, &b, 4);
	memcpy(ret + 4, &d, 4);
	memcpy(ret + 8, &c, 4);
	ret[12] = '\0';
	return true;
}

bool rec_host_cpu_is_amd(void)
{
	char vendor[13];

	return read_vendor(vendor) && !strcmp(vendor, "AuthenticAMD");
}

/* Read leaf 1 (same sources). */
static void read_cpuid(struct rec_host_facts *facts,
		       const struct rec_sysroots *roots)
{
	unsigned a, b, c, d;
	unsigned family;
	unsigned model;
	char vendor[13];

	(void)roots;
	if (!read_vendor(vendor) || !__get_cpuid(1, &a, &b, &c, &d))
		return;
	family = a >> 8 & 0xf;
	model = a >> 4 & 0xf;
	if (family == 0xf)
		family += a >> 20 & 0xff;
	if (family >= 6)
		model += (a >> 16 & 0xf) << 4;
	snprintf(facts->cpuid, sizeof(facts->cpuid), "%s,%u,%u,%u", vendor,
		 family, model, a & 0xf);
}
#else
bool rec_host_cpu_is_amd(void)
{
	return false;
}

/* Read arm64's MIDR with variant and revision, as perf since 6.6 does; other
 * architectures have no such file. */
static void read_cpuid(struct rec_host_facts *facts,
		       const struct rec_sysroots *roots)
{
	rec_read_line(roots->sys,
		      "devices/system/cpu/cpu0/regs/identification/midr_el1",
		      facts->cpuid, sizeof(facts->cpuid));
}
#endif

static void read_counts(struct rec_host_facts *facts,
			const struct rec_sysroots *roots)
{
	struct rec_cpu_list present = { NULL, 0 }, online = { NULL, 0 };

	if (!rec_cpu_list_read(roots->sys, "devices/system/cpu/present",
			       &present, NULL) &&
	    !rec_cpu_list_read(roots->sys, "devices/system/cpu/online", &online,
			       NULL)) {
		facts->nrcpus.available =
			(uint32_t)present.cpus[present.nr - 1] + 1;
		facts->nrcpus.online = (uint32_t)online.nr;
	}
	rec_cpu_list_release(&present);
	rec_cpu_list_release(&online);
}

static void read_total_mem(struct rec_host_facts *facts,
			   const struct rec_sysroots *roots,
			   struct pd_buf *text)
{
	char path[512];
	struct rec_text_scan value;

	snprintf(path, sizeof(path), "%s/meminfo", roots->proc);
	if (rec_read_file(AT_FDCWD, path, 1 << 20, text) == 0 &&
	    value_of(rec_text_scan_buf(text), "MemTotal", &value))
		rec_text_scan_dec(&value, &facts->total_mem_kib);
}

static int add_pmu(struct rec_host_facts *facts, const char *dir,
		   const char *name)
{
	struct pd_pmu_mappings *pmus = &facts->pmus;
	char file[300];
	uint64_t type;
	void *items;

	snprintf(file, sizeof(file), "%s/type", name);
	if (rec_read_u64(dir, file, &type) != 0 || type > UINT32_MAX)
		return 0;
	items = rec_list_grow(pmus->items, pmus->nr, sizeof(*pmus->items));
	if (!items)
		return -ENOMEM;
	pmus->items = items;
	pmus->items[pmus->nr++] = (struct pd_pmu_mapping){
		.type = (uint32_t)type,
		.name = rec_text_pool_add(&facts->pool, name),
	};
	return pmus->items[pmus->nr - 1].name.ptr ? 0 : -ENOMEM;
}

/* Read the PMUs in the directory's order, as perf does. */
static int read_pmus(struct rec_host_facts *facts,
		     const struct rec_sysroots *roots)
{
	char path[512];
	const struct dirent *d;
	DIR *dir;
	int rc = 0;

	snprintf(path, sizeof(path), "%s/bus/event_source/devices", roots->sys);
	dir = opendir(path);
	while (dir && !rc && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			rc = add_pmu(facts, path, d->d_name);
	if (dir)
		closedir(dir);
	return rc;
}

int rec_host_cpu_read(struct rec_host_facts *facts,
		      const struct rec_sysroots *roots)
{
	struct pd_buf text = PD_BUF_INIT;

	read_desc(facts, roots, &text);
	read_cpuid(facts, roots);
	read_counts(facts, roots);
	read_total_mem(facts, roots, &text);
	pd_buf_release(&text);
	return read_pmus(facts, roots);
}
