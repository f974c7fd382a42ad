#include "record/vendor/vendor_names.h"

#include "record/vendor/pfm_library.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))

/* More PMUs than any version of the library has. */
enum { PMU_NR_MAX = 4096 };

/* Names of perf list for events that the library calls otherwise.  Those of
 * Intel count on fixed counters: the library has them for some models only, or
 * with codes that bind them to one counter. */
static const struct {
	const char *perf;
	const char *library;
} renamed[] = {
	{ "inst_retired.any", "instruction_retired" },
	{ "cpu_clk_unhalted.thread", "unhalted_core_cycles" },
	{ "cpu_clk_unhalted.core", "unhalted_core_cycles" },
	{ "cpu_clk_unhalted.ref_tsc", "unhalted_reference_cycles" },
	{ "ex_ret_instr", "retired_instructions" },
	{ "ex_ret_ops", "retired_ops" },
	{ "ex_ret_brn", "retired_branch_instructions" },
	{ "ex_ret_brn_misp", "retired_branch_instructions_mispredicted" },
	{ "ls_not_halted_cyc", "cycles_not_in_halt" },
};

bool rec_vendor_is_there(void)
{
	return rec_pfm_library() != NULL;
}

const char *rec_vendor_missing(void)
{
#ifdef REC_WITHOUT_LIBRARIES
	return "the static program has no vendors' names; another's "
	       "'--list=NAME -v' prints cpu/event=../ for it";
#else
	return "names of the CPU's vendor are known if libpfm4 is installed";
#endif
}

/* Names come from a command line: only letters that a name has reach the
 * library. */
static bool name_copy(const char *text, size_t len, char *ret)
{
	if (len == 0 || len >= REC_VENDOR_NAME_LEN)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) &&
		    !strchr("_.:=-", text[i]))
			return false;
	memcpy(ret, text, len);
	ret[len] = '\0';
	return true;
}

static const char *library_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_NR(renamed); i++)
		if (!strcasecmp(name, renamed[i].perf))
			return renamed[i].library;
	return name;
}

static bool is_cpu_pmu(const struct pfm_library *lib, int pmu)
{
	struct pfm_pmu_info info = { .size = sizeof(info) };

	return lib->get_pmu_info(pmu, &info) == PFM_SUCCESS &&
	       (info.type == PFM_PMU_TYPE_CORE ||
		info.type == PFM_PMU_TYPE_UNCORE);
}

static int encode(const struct pfm_library *lib, const char *name,
		  struct rec_vendor_event *ret)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct pfm_perf_encoding args = { .attr = &attr,
					  .size = sizeof(args),
					  .cpu = -1 };
	struct pfm_event_info event = { .size = sizeof(event) };
	int rc = lib->get_encoding(library_name(name), PFM_PLM_ALL,
				   PFM_OS_PERF_EVENT, &args);

	if (rc)
		return rc;
	/* The kernel's generic events and tracepoints are not the vendor's. */
	if (lib->get_event_info(args.idx, PFM_OS_PERF_EVENT, &event) ||
	    !is_cpu_pmu(lib, event.pmu))
		return PFM_ERR_NOTFOUND;
	*ret = (struct rec_vendor_event){
		.type = attr.type,
		.config = attr.config,
		.config1 = attr.config1,
		.config2 = attr.config2,
		.exclude_user = attr.exclude_user,
		.exclude_kernel = attr.exclude_kernel,
	};
	return 0;
}

int rec_vendor_find(const char *text, size_t len, struct rec_vendor_event *ret,
		    struct pd_err *err)
{
	const struct pfm_library *lib;
	char name[REC_VENDOR_NAME_LEN];

	if (!name_copy(text, len, name))
		return -ENOENT;
	lib = rec_pfm_library();
	if (!lib)
		return -ENOENT;
	switch (encode(lib, name, ret)) {
	case PFM_SUCCESS:
		return 0;
	case PFM_ERR_UMASK:
		pd_err_set(err, -EINVAL, "event '%s' needs a unit mask", name);
		break;
	case PFM_ERR_NOTFOUND:
		return -ENOENT;
	default:
		pd_err_set(err, -EINVAL,
			   "event '%s' has no such unit mask or modifier",
			   name);
	}
	pd_err_hint(err, "'perfpair-record --list=%.*s' lists them",
		    (int)strcspn(name, ".:"), name);
	return -EINVAL;
}

/* Walking ------------------------------------------------------------------ */

struct walk {
	const struct pfm_library *lib;
	const char *pmu;
	void (*visit)(void *ctx, const struct rec_vendor_row *row);
	void *ctx;
};

static void show(const struct walk *w, const char *event, const char *umask,
		 const char *text)
{
	char name[REC_VENDOR_NAME_LEN];
	struct rec_vendor_row row = { .pmu = w->pmu,
				      .name = name,
				      .text = text ? text : "" };
	int len = snprintf(name, sizeof(name), "%s%s%s", event,
			   umask ? "." : "", umask ? umask : "");

	if (len < 0 || (size_t)len >= sizeof(name))
		return;
	for (char *c = name; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	w->visit(w->ctx, &row);
}

static void show_event(const struct walk *w, int idx)
{
	struct pfm_event_info event = { .size = sizeof(event) };
	size_t umask_nr = 0;

	if (w->lib->get_event_info(idx, PFM_OS_PERF_EVENT, &event))
		return;
	for (int i = 0; i < event.attr_nr; i++) {
		struct pfm_attr_info attr = { .size = sizeof(attr) };

		if (w->lib->get_attr_info(idx, i, PFM_OS_PERF_EVENT, &attr) ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		show(w, event.name, attr.name, attr.desc);
		umask_nr++;
	}
	if (umask_nr == 0)
		show(w, event.name, NULL, event.desc);
}

void rec_vendor_walk(void (*visit)(void *ctx, const struct rec_vendor_row *row),
		     void *ctx)
{
	struct walk w = { .lib = rec_pfm_library(),
			  .visit = visit,
			  .ctx = ctx };

	for (int i = 0; w.lib && i < PMU_NR_MAX; i++) {
		struct pfm_pmu_info pmu = { .size = sizeof(pmu) };

		if (w.lib->get_pmu_info(i, &pmu) ||
		    !(pmu.flags & PFM_PMU_IS_PRESENT) ||
		    (pmu.type != PFM_PMU_TYPE_CORE &&
		     pmu.type != PFM_PMU_TYPE_UNCORE))
			continue;
		w.pmu = pmu.name;
		for (int idx = pmu.first_event; idx >= 0;
		     idx = w.lib->get_event_next(idx))
			show_event(&w, idx);
	}
}
