#include "record/metric/metric.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "record/base/read_file.h"
#include "record/event/pmu.h"

/* Name, events, formula, unit and source of each metric.
 *
 * A group holds no more than four or five events, since some machines have no
 * more counters for one, or lend one to the NMI watchdog: a group that never
 * fits counts nothing.
 */

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))

#define PERF_STAT   "perf-stat(1), EXAMPLES; perf_event_open(2), attr.config"
#define INTEL_SLOTS "Linux tools/perf/Documentation/topdown.txt; sysfs events"
#define INTEL_YASIN                                                           \
	"A. Yasin, A Top-Down Method for Performance Analysis, ISPASS 2014; " \
	"Linux commit a39fcae7a836"
#define AMD_PPR                                                            \
	"AMD PPR for Family 19h Model 61h (56713), Pipeline Utilization; " \
	"likwid, groups TMA"
#define ARM_V1 "Arm Neoverse V1 telemetry specification (PMU metrics)"
#define ARM_N2 "Arm Neoverse N2 telemetry specification (PMU metrics)"
#define ARM_N2_R0P2                                                     \
	"Arm Neoverse N2 r0p0 telemetry specification: STALL_SLOT and " \
	"STALL_SLOT_FRONTEND count one slot too many in each cycle"
#define ARM_V2 "Arm Neoverse V2 telemetry specification (PMU metrics)"
#define ARM_ALL \
	"Arm Neoverse N1, V1, N2 and V2 telemetry specifications (PMU metrics)"

#define NEOVERSE_N2 (REC_CORE_NEOVERSE_N2 | REC_CORE_NEOVERSE_N2_R0P2)
#define NEOVERSE                                                     \
	(REC_CORE_NEOVERSE_N1 | REC_CORE_NEOVERSE_V1 | NEOVERSE_N2 | \
	 REC_CORE_NEOVERSE_V2)

#define SLOTS_EVENTS                                                 \
	"{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound," \
	"topdown-be-bound}"
#define HYBRID_EVENTS                                            \
	"{cpu_core/slots/,cpu_core/topdown-retiring/,"           \
	"cpu_core/topdown-bad-spec/,cpu_core/topdown-fe-bound/," \
	"cpu_core/topdown-be-bound/}"
#define BUBBLES_EVENTS                                                     \
	"{topdown-total-slots,topdown-slots-issued,topdown-slots-retired," \
	"topdown-fetch-bubbles,topdown-recovery-bubbles}"
#define ZEN4_CYCLES "cpu/event=0x76,name=ls_not_halted_cyc/"
#define ZEN4_OPS    "cpu/event=0xc1,name=ex_ret_ops/"
#define ARM_RETIRED "{cpu_cycles,stall_slot,op_retired,op_spec,br_mis_pred}"
#define ARM_FRONT   "{cpu_cycles,stall_slot_frontend,br_mis_pred}"
#define ARM_BACK    "{cpu_cycles,stall_slot_backend,br_mis_pred}"

#define TEXT_RETIRING "slots of operations that retired: useful work"
#define TEXT_BAD_SPEC "slots of operations that did not retire, and recovery"
#define TEXT_FRONT    "slots left empty because the front end was too slow"
#define TEXT_BACK     "slots left empty because the back end was full"

#define MPKI "per 1000 instructions"

static const struct rec_metric table[] = {
	/* Metrics of the kernel's generic events, for any core. */
	{ "ipc", "basic", REC_CORE_ANY, "{cycles,instructions}",
	  "instructions / cycles", "", "instructions per cycle", PERF_STAT,
	  "insn per cycle", "instructions" },
	{ "frontend_stalled_cycles", "basic", REC_CORE_ANY,
	  "{cycles,stalled-cycles-frontend}",
	  "100 * stalled-cycles-frontend / cycles", "%",
	  "cycles in which the front end delivered nothing", PERF_STAT,
	  "frontend cycles idle", "stalled-cycles-frontend" },
	{ "backend_stalled_cycles", "basic", REC_CORE_ANY,
	  "{cycles,stalled-cycles-backend}",
	  "100 * stalled-cycles-backend / cycles", "%",
	  "cycles in which the back end took nothing", PERF_STAT,
	  "backend cycles idle", "stalled-cycles-backend" },
	{ "branch_miss_rate", "branch", REC_CORE_ANY,
	  "{branches,branch-misses}", "100 * branch-misses / branches", "%",
	  "branches that were predicted wrong", PERF_STAT, "of all branches",
	  "branch-misses" },
	{ "branch_mpki", "branch", REC_CORE_ANY, "{instructions,branch-misses}",
	  "1000 * branch-misses / instructions", MPKI,
	  "branches that were predicted wrong", PERF_STAT, NULL, NULL },
	{ "cache_miss_rate", "cache", REC_CORE_ANY,
	  "{cache-references,cache-misses}",
	  "100 * cache-misses / cache-references", "%",
	  "accesses that missed the last level cache", PERF_STAT,
	  "of all cache refs", "cache-misses" },
	{ "cache_mpki", "cache", REC_CORE_ANY, "{instructions,cache-misses}",
	  "1000 * cache-misses / instructions", MPKI,
	  "accesses that missed the last level cache", PERF_STAT, NULL, NULL },
	{ "l1d_miss_rate", "cache", REC_CORE_ANY,
	  "{L1-dcache-loads,L1-dcache-load-misses}",
	  "100 * L1-dcache-load-misses / L1-dcache-loads", "%",
	  "loads that missed the level 1 data cache", PERF_STAT,
	  "of all L1-dcache accesses", "L1-dcache-load-misses" },
	{ "l1d_mpki", "cache", REC_CORE_ANY,
	  "{instructions,L1-dcache-load-misses}",
	  "1000 * L1-dcache-load-misses / instructions", MPKI,
	  "loads that missed the level 1 data cache", PERF_STAT, NULL, NULL },
	{ "l1i_miss_rate", "cache", REC_CORE_ANY,
	  "{L1-icache-loads,L1-icache-load-misses}",
	  "100 * L1-icache-load-misses / L1-icache-loads", "%",
	  "fetches that missed the level 1 instruction cache", PERF_STAT,
	  "of all L1-icache accesses", "L1-icache-load-misses" },
	{ "llc_miss_rate", "cache", REC_CORE_ANY, "{LLC-loads,LLC-load-misses}",
	  "100 * LLC-load-misses / LLC-loads", "%",
	  "loads that missed the last level cache", PERF_STAT,
	  "of all LL-cache accesses", "LLC-load-misses" },
	{ "llc_mpki", "cache", REC_CORE_ANY, "{instructions,LLC-load-misses}",
	  "1000 * LLC-load-misses / instructions", MPKI,
	  "loads that missed the last level cache", PERF_STAT, NULL, NULL },
	{ "dtlb_miss_rate", "tlb", REC_CORE_ANY,
	  "{dTLB-loads,dTLB-load-misses}",
	  "100 * dTLB-load-misses / dTLB-loads", "%",
	  "loads that missed the data TLB", PERF_STAT,
	  "of all dTLB cache accesses", "dTLB-load-misses" },
	{ "itlb_miss_rate", "tlb", REC_CORE_ANY,
	  "{iTLB-loads,iTLB-load-misses}",
	  "100 * iTLB-load-misses / iTLB-loads", "%",
	  "fetches that missed the instruction TLB", PERF_STAT,
	  "of all iTLB cache accesses", "iTLB-load-misses" },

	/* Intel from Ice Lake on: PERF_METRICS; the kernel returns slots. */
	{ "retiring", "topdown", REC_CORE_INTEL_SLOTS, SLOTS_EVENTS,
	  "100 * topdown-retiring / slots", "%", TEXT_RETIRING, INTEL_SLOTS,
	  NULL, NULL },
	{ "bad_speculation", "topdown", REC_CORE_INTEL_SLOTS, SLOTS_EVENTS,
	  "100 * topdown-bad-spec / slots", "%", TEXT_BAD_SPEC, INTEL_SLOTS,
	  NULL, NULL },
	{ "frontend_bound", "topdown", REC_CORE_INTEL_SLOTS, SLOTS_EVENTS,
	  "100 * topdown-fe-bound / slots", "%", TEXT_FRONT, INTEL_SLOTS, NULL,
	  NULL },
	{ "backend_bound", "topdown", REC_CORE_INTEL_SLOTS, SLOTS_EVENTS,
	  "100 * topdown-be-bound / slots", "%", TEXT_BACK, INTEL_SLOTS, NULL,
	  NULL },
	{ "retiring", "topdown", REC_CORE_INTEL_HYBRID, HYBRID_EVENTS,
	  "100 * cpu_core/topdown-retiring/ / cpu_core/slots/", "%",
	  TEXT_RETIRING, INTEL_SLOTS, NULL, NULL },
	{ "bad_speculation", "topdown", REC_CORE_INTEL_HYBRID, HYBRID_EVENTS,
	  "100 * cpu_core/topdown-bad-spec/ / cpu_core/slots/", "%",
	  TEXT_BAD_SPEC, INTEL_SLOTS, NULL, NULL },
	{ "frontend_bound", "topdown", REC_CORE_INTEL_HYBRID, HYBRID_EVENTS,
	  "100 * cpu_core/topdown-fe-bound/ / cpu_core/slots/", "%", TEXT_FRONT,
	  INTEL_SLOTS, NULL, NULL },
	{ "backend_bound", "topdown", REC_CORE_INTEL_HYBRID, HYBRID_EVENTS,
	  "100 * cpu_core/topdown-be-bound/ / cpu_core/slots/", "%", TEXT_BACK,
	  INTEL_SLOTS, NULL, NULL },

	/* Intel from Sandy Bridge to Skylake; sysfs has scales of 4 slots. */
	{ "retiring", "topdown", REC_CORE_INTEL_BUBBLES, BUBBLES_EVENTS,
	  "100 * topdown-slots-retired / topdown-total-slots", "%",
	  TEXT_RETIRING, INTEL_YASIN, NULL, NULL },
	{ "bad_speculation", "topdown", REC_CORE_INTEL_BUBBLES, BUBBLES_EVENTS,
	  "100 * ( topdown-slots-issued - topdown-slots-retired + "
	  "topdown-recovery-bubbles ) / topdown-total-slots",
	  "%", TEXT_BAD_SPEC, INTEL_YASIN, NULL, NULL },
	{ "frontend_bound", "topdown", REC_CORE_INTEL_BUBBLES, BUBBLES_EVENTS,
	  "100 * topdown-fetch-bubbles / topdown-total-slots", "%", TEXT_FRONT,
	  INTEL_YASIN, NULL, NULL },
	{ "backend_bound", "topdown", REC_CORE_INTEL_BUBBLES, BUBBLES_EVENTS,
	  "100 * ( 1 - ( topdown-fetch-bubbles + topdown-slots-issued + "
	  "topdown-recovery-bubbles ) / topdown-total-slots )",
	  "%", TEXT_BACK, INTEL_YASIN, NULL, NULL },

	/* AMD Zen 4 dispatches up to six operations in a cycle. */
	{ "retiring", "topdown", REC_CORE_AMD_ZEN4,
	  "{" ZEN4_CYCLES "," ZEN4_OPS "}",
	  "100 * ex_ret_ops / ( 6 * ls_not_halted_cyc )", "%", TEXT_RETIRING,
	  AMD_PPR, NULL, NULL },
	{ "bad_speculation", "topdown", REC_CORE_AMD_ZEN4,
	  "{" ZEN4_CYCLES "," ZEN4_OPS
	  ",cpu/event=0xaa,umask=0x7,name=de_src_op_disp.all/}",
	  "100 * ( de_src_op_disp.all - ex_ret_ops ) / "
	  "( 6 * ls_not_halted_cyc )",
	  "%", TEXT_BAD_SPEC, AMD_PPR, NULL, NULL },
	{ "frontend_bound", "topdown", REC_CORE_AMD_ZEN4,
	  "{" ZEN4_CYCLES ",cpu/event=0x1a0,umask=0x1,"
	  "name=de_no_dispatch_per_slot.no_ops_from_frontend/}",
	  "100 * de_no_dispatch_per_slot.no_ops_from_frontend / "
	  "( 6 * ls_not_halted_cyc )",
	  "%", TEXT_FRONT, AMD_PPR, NULL, NULL },
	{ "backend_bound", "topdown", REC_CORE_AMD_ZEN4,
	  "{" ZEN4_CYCLES ",cpu/event=0x1a0,umask=0x1e,"
	  "name=de_no_dispatch_per_slot.backend_stalls/}",
	  "100 * de_no_dispatch_per_slot.backend_stalls / "
	  "( 6 * ls_not_halted_cyc )",
	  "%", TEXT_BACK, AMD_PPR, NULL, NULL },
	{ "smt_contention", "topdown", REC_CORE_AMD_ZEN4,
	  "{" ZEN4_CYCLES ",cpu/event=0x1a0,umask=0x60,"
	  "name=de_no_dispatch_per_slot.smt_contention/}",
	  "100 * de_no_dispatch_per_slot.smt_contention / "
	  "( 6 * ls_not_halted_cyc )",
	  "%", "slots left empty because the core's other thread was chosen",
	  AMD_PPR, NULL, NULL },

	/* Arm Neoverse: slots of a cycle are 8 (V1, V2) and 5 (N2); N1 counts
	 * no slots. */
	{ "retiring", "topdown", REC_CORE_NEOVERSE_V1 | REC_CORE_NEOVERSE_V2,
	  ARM_RETIRED,
	  "100 * op_retired / op_spec * "
	  "( 1 - stall_slot / ( cpu_cycles * 8 ) )",
	  "%", TEXT_RETIRING, ARM_V1 "; V2 has the same", NULL, NULL },
	{ "bad_speculation", "topdown",
	  REC_CORE_NEOVERSE_V1 | REC_CORE_NEOVERSE_V2, ARM_RETIRED,
	  "100 * ( ( 1 - op_retired / op_spec ) * "
	  "( 1 - stall_slot / ( cpu_cycles * 8 ) ) + "
	  "br_mis_pred * 4 / cpu_cycles )",
	  "%", TEXT_BAD_SPEC, ARM_V1 "; V2 has the same", NULL, NULL },
	{ "frontend_bound", "topdown", REC_CORE_NEOVERSE_V1, ARM_FRONT,
	  "100 * ( stall_slot_frontend / ( cpu_cycles * 8 ) - "
	  "br_mis_pred * 4 / cpu_cycles )",
	  "%", TEXT_FRONT, ARM_V1, NULL, NULL },
	{ "backend_bound", "topdown", REC_CORE_NEOVERSE_V1,
	  "{cpu_cycles,stall_slot_backend}",
	  "100 * stall_slot_backend / ( cpu_cycles * 8 )", "%", TEXT_BACK,
	  ARM_V1, NULL, NULL },
	{ "frontend_bound", "topdown", REC_CORE_NEOVERSE_V2, ARM_FRONT,
	  "100 * ( stall_slot_frontend / ( cpu_cycles * 8 ) - "
	  "br_mis_pred / cpu_cycles )",
	  "%", TEXT_FRONT, ARM_V2, NULL, NULL },
	{ "backend_bound", "topdown", REC_CORE_NEOVERSE_V2, ARM_BACK,
	  "100 * ( stall_slot_backend / ( cpu_cycles * 8 ) - "
	  "br_mis_pred * 3 / cpu_cycles )",
	  "%", TEXT_BACK, ARM_V2, NULL, NULL },
	{ "retiring", "topdown", REC_CORE_NEOVERSE_N2, ARM_RETIRED,
	  "100 * op_retired / op_spec * "
	  "( 1 - stall_slot / ( cpu_cycles * 5 ) )",
	  "%", TEXT_RETIRING, ARM_N2, NULL, NULL },
	{ "bad_speculation", "topdown", REC_CORE_NEOVERSE_N2, ARM_RETIRED,
	  "100 * ( ( 1 - op_retired / op_spec ) * "
	  "( 1 - stall_slot / ( cpu_cycles * 5 ) ) + "
	  "br_mis_pred * 4 / cpu_cycles )",
	  "%", TEXT_BAD_SPEC, ARM_N2, NULL, NULL },
	{ "frontend_bound", "topdown", REC_CORE_NEOVERSE_N2, ARM_FRONT,
	  "100 * ( stall_slot_frontend / ( cpu_cycles * 5 ) - "
	  "br_mis_pred / cpu_cycles )",
	  "%", TEXT_FRONT, ARM_N2, NULL, NULL },
	{ "retiring", "topdown", REC_CORE_NEOVERSE_N2_R0P2, ARM_RETIRED,
	  "100 * op_retired / op_spec * "
	  "( 1 - ( stall_slot - cpu_cycles ) / ( cpu_cycles * 5 ) )",
	  "%", TEXT_RETIRING, ARM_N2_R0P2, NULL, NULL },
	{ "bad_speculation", "topdown", REC_CORE_NEOVERSE_N2_R0P2, ARM_RETIRED,
	  "100 * ( ( 1 - op_retired / op_spec ) * "
	  "( 1 - ( stall_slot - cpu_cycles ) / ( cpu_cycles * 5 ) ) + "
	  "br_mis_pred * 4 / cpu_cycles )",
	  "%", TEXT_BAD_SPEC, ARM_N2_R0P2, NULL, NULL },
	{ "frontend_bound", "topdown", REC_CORE_NEOVERSE_N2_R0P2, ARM_FRONT,
	  "100 * ( ( stall_slot_frontend - cpu_cycles ) / "
	  "( cpu_cycles * 5 ) - br_mis_pred / cpu_cycles )",
	  "%", TEXT_FRONT, ARM_N2_R0P2, NULL, NULL },
	{ "backend_bound", "topdown", NEOVERSE_N2, ARM_BACK,
	  "100 * ( stall_slot_backend / ( cpu_cycles * 5 ) - "
	  "br_mis_pred * 3 / cpu_cycles )",
	  "%", TEXT_BACK, ARM_N2, NULL, NULL },
	{ "l1d_cache_mpki", "cache", NEOVERSE,
	  "{inst_retired,l1d_cache_refill}",
	  "1000 * l1d_cache_refill / inst_retired", MPKI,
	  "accesses that missed the level 1 data cache", ARM_ALL, NULL, NULL },
	{ "l2_cache_mpki", "cache", NEOVERSE, "{inst_retired,l2d_cache_refill}",
	  "1000 * l2d_cache_refill / inst_retired", MPKI,
	  "accesses that missed the level 2 cache", ARM_ALL, NULL, NULL },
	{ "l2_cache_miss_rate", "cache", NEOVERSE,
	  "{l2d_cache,l2d_cache_refill}", "100 * l2d_cache_refill / l2d_cache",
	  "%", "accesses that missed the level 2 cache", ARM_ALL, NULL, NULL },
	{ "ll_cache_read_mpki", "cache", NEOVERSE,
	  "{inst_retired,ll_cache_miss_rd}",
	  "1000 * ll_cache_miss_rd / inst_retired", MPKI,
	  "reads that missed the last level cache", ARM_ALL, NULL, NULL },
	{ "ll_cache_read_miss_rate", "cache", NEOVERSE,
	  "{ll_cache_rd,ll_cache_miss_rd}",
	  "100 * ll_cache_miss_rd / ll_cache_rd", "%",
	  "reads that missed the last level cache", ARM_ALL, NULL, NULL },
};

/* The metrics that a machine has, by these files of sysfs:
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
	size_t idx = last ? (size_t)(last - table) + 1 : 0;

	for (; idx < ARRAY_NR(table); idx++)
		if (table[idx].cores & host->cores)
			return &table[idx];
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

/* Write the names of these cores: "Neoverse V1, Neoverse V2". */
static void names_of(unsigned cores, char *ret, size_t cap)
{
	static const struct {
		unsigned core;
		const char *name;
	} names[] = {
		{ REC_CORE_INTEL_SLOTS, "Intel from Ice Lake on" },
		{ REC_CORE_INTEL_BUBBLES, "Intel before" },
		{ REC_CORE_AMD_ZEN4, "AMD Zen 4" },
		{ REC_CORE_NEOVERSE_N1, "Neoverse N1" },
		{ REC_CORE_NEOVERSE_V1, "Neoverse V1" },
		{ REC_CORE_NEOVERSE_N2, "Neoverse N2" },
		{ REC_CORE_NEOVERSE_V2, "Neoverse V2" },
	};
	size_t len = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < ARRAY_NR(names) && len < cap; i++)
		if (cores & names[i].core)
			len += (size_t)snprintf(ret + len, cap - len, "%s%s",
						len ? ", " : "", names[i].name);
}

int rec_metric_refuse(const struct rec_metric_host *host, const char *word,
		      const char *sysfs, struct pd_err *err)
{
	unsigned cores = 0;
	bool is_slots = false;
	char names[160];
	char *core;

	for (size_t i = 0; i < ARRAY_NR(table); i++) {
		if (!rec_metric_is_named(&table[i], word))
			continue;
		cores |= table[i].cores;
		is_slots |= !strcmp(table[i].group, "topdown");
	}
	if (!cores)
		return pd_err_set(err, -ENOENT,
				  "this machine has no metric '%s'", word);
	core = rec_pmu_first_core(sysfs);
	names_of(cores, names, sizeof(names));
	if (!core) {
		pd_err_set(err, -ENOENT,
			   "metric '%s': this machine has no hardware PMU",
			   word);
		pd_err_hint(err, "give the virtual machine a PMU");
	} else {
		pd_err_set(err, -ENOENT, "metric '%s': %s (%s) %s", word,
			   host->model ? host->model : "this core", core,
			   is_slots ? "counts no slots that are known here"
				    : "has none of its events");
		pd_err_hint(err, "it is known for %s", names);
	}
	free(core);
	return -ENOENT;
}
