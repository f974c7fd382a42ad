#include "format/support/attr_text.h"

#include "format/file/layout.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum field_kind {
	FIELD_TYPE,   /* u32 */
	FIELD_CONFIG, /* u64 */
	FIELD_U16,
	FIELD_U32,
	FIELD_S32,
	FIELD_U64,
	FIELD_HEX,
	FIELD_SAMPLE_TYPE,
	FIELD_READ_FORMAT,
	FIELD_BRANCH_TYPE,
	FIELD_FLAG, /* off is the bit's number */
	FIELD_PRECISE,
};

struct field {
	const char *name;
	enum field_kind kind;
	size_t off;
};

#define FIELD(n, k, member)                            \
	{                                              \
		n, k, offsetof(struct pd_attr, member) \
	}
#define FLAG(n, bit)               \
	{                          \
		n, FIELD_FLAG, bit \
	}

/* The order is perf 6.1's. */
static const struct field fields[] = {
	FIELD("type", FIELD_TYPE, type),
	FIELD("size", FIELD_U32, attr_len),
	FIELD("config", FIELD_CONFIG, config),
	FIELD("{ sample_period, sample_freq }", FIELD_U64, sample_period),
	FIELD("sample_type", FIELD_SAMPLE_TYPE, sample_type),
	FIELD("read_format", FIELD_READ_FORMAT, read_format),
	FLAG("disabled", 0),
	FLAG("inherit", 1),
	FLAG("pinned", 2),
	FLAG("exclusive", 3),
	FLAG("exclude_user", 4),
	FLAG("exclude_kernel", 5),
	FLAG("exclude_hv", 6),
	FLAG("exclude_idle", 7),
	FLAG("mmap", 8),
	FLAG("comm", 9),
	FLAG("freq", 10),
	FLAG("inherit_stat", 11),
	FLAG("enable_on_exec", 12),
	FLAG("task", 13),
	FLAG("watermark", 14),
	{ "precise_ip", FIELD_PRECISE, 0 },
	FLAG("mmap_data", 17),
	FLAG("sample_id_all", 18),
	FLAG("exclude_host", 19),
	FLAG("exclude_guest", 20),
	FLAG("exclude_callchain_kernel", 21),
	FLAG("exclude_callchain_user", 22),
	FLAG("mmap2", 23),
	FLAG("comm_exec", 24),
	FLAG("use_clockid", 25),
	FLAG("context_switch", 26),
	FLAG("write_backward", 27),
	FLAG("namespaces", 28),
	FLAG("ksymbol", 29),
	FLAG("bpf_event", 30),
	FLAG("aux_output", 31),
	FLAG("cgroup", 32),
	FLAG("text_poke", 33),
	FLAG("build_id", 34),
	FLAG("inherit_thread", 35),
	FLAG("remove_on_exec", 36),
	FLAG("sigtrap", 37),
	FLAG("defer_callchain", 38),
	FLAG("defer_output", 39),
	FIELD("{ wakeup_events, wakeup_watermark }", FIELD_U32, wakeup),
	FIELD("bp_type", FIELD_U32, bp_type),
	FIELD("{ bp_addr, config1 }", FIELD_HEX, config1),
	FIELD("{ bp_len, config2 }", FIELD_HEX, config2),
	FIELD("branch_sample_type", FIELD_BRANCH_TYPE, branch_sample_type),
	FIELD("sample_regs_user", FIELD_HEX, sample_regs_user),
	FIELD("sample_stack_user", FIELD_U32, sample_stack_user),
	FIELD("clockid", FIELD_S32, clockid),
	FIELD("sample_regs_intr", FIELD_HEX, sample_regs_intr),
	FIELD("aux_watermark", FIELD_U32, aux_watermark),
	FIELD("sample_max_stack", FIELD_U16, sample_max_stack),
	FIELD("aux_sample_size", FIELD_U32, aux_sample_size),
	FIELD("sig_data", FIELD_U64, sig_data),
};

struct bit_name {
	uint64_t bit;
	const char *name;
};

static const struct bit_name sample_bits[] = {
	{ PD_SAMPLE_IP, "IP" },
	{ PD_SAMPLE_TID, "TID" },
	{ PD_SAMPLE_TIME, "TIME" },
	{ PD_SAMPLE_ADDR, "ADDR" },
	{ PD_SAMPLE_READ, "READ" },
	{ PD_SAMPLE_CALLCHAIN, "CALLCHAIN" },
	{ PD_SAMPLE_ID, "ID" },
	{ PD_SAMPLE_CPU, "CPU" },
	{ PD_SAMPLE_PERIOD, "PERIOD" },
	{ PD_SAMPLE_STREAM_ID, "STREAM_ID" },
	{ PD_SAMPLE_RAW, "RAW" },
	{ PD_SAMPLE_BRANCH_STACK, "BRANCH_STACK" },
	{ PD_SAMPLE_REGS_USER, "REGS_USER" },
	{ PD_SAMPLE_STACK_USER, "STACK_USER" },
	{ PD_SAMPLE_IDENTIFIER, "IDENTIFIER" },
	{ PD_SAMPLE_REGS_INTR, "REGS_INTR" },
	{ PD_SAMPLE_DATA_SRC, "DATA_SRC" },
	{ PD_SAMPLE_WEIGHT, "WEIGHT" },
	{ PD_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	{ PD_SAMPLE_AUX, "AUX" },
	{ PD_SAMPLE_CGROUP, "CGROUP" },
	{ PD_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ PD_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	{ PD_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	{ 0, NULL },
};

static const struct bit_name read_bits[] = {
	{ PD_READ_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED" },
	{ PD_READ_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING" },
	{ PD_READ_ID, "ID" },
	{ PD_READ_GROUP, "GROUP" },
	{ PD_READ_LOST, "LOST" },
	{ 0, NULL },
};

static const struct bit_name branch_bits[] = {
	{ PD_BRANCH_USER, "USER" },
	{ PD_BRANCH_KERNEL, "KERNEL" },
	{ PD_BRANCH_HV, "HV" },
	{ PD_BRANCH_ANY, "ANY" },
	{ PD_BRANCH_ANY_CALL, "ANY_CALL" },
	{ PD_BRANCH_ANY_RETURN, "ANY_RETURN" },
	{ PD_BRANCH_IND_CALL, "IND_CALL" },
	{ PD_BRANCH_ABORT_TX, "ABORT_TX" },
	{ PD_BRANCH_IN_TX, "IN_TX" },
	{ PD_BRANCH_NO_TX, "NO_TX" },
	{ PD_BRANCH_COND, "COND" },
	{ PD_BRANCH_CALL_STACK, "CALL_STACK" },
	{ PD_BRANCH_IND_JUMP, "IND_JUMP" },
	{ PD_BRANCH_CALL, "CALL" },
	{ PD_BRANCH_NO_FLAGS, "NO_FLAGS" },
	{ PD_BRANCH_NO_CYCLES, "NO_CYCLES" },
	{ PD_BRANCH_TYPE_SAVE, "TYPE_SAVE" },
	{ PD_BRANCH_HW_INDEX, "HW_INDEX" },
	{ PD_BRANCH_PRIV_SAVE, "PRIV_SAVE" },
	{ PD_BRANCH_COUNTERS, "COUNTERS" },
	{ 0, NULL },
};

/* Print the names of the bits, without those that have no name. */
static void print_bits(FILE *out, const struct bit_name *names, uint64_t bits)
{
	const char *between = "";

	for (; names->name; names++) {
		if (!(bits & names->bit))
			continue;
		fprintf(out, "%s%s", between, names->name);
		between = "|";
	}
}

static uint64_t field_value(const struct pd_attr *attr, const struct field *f)
{
	const void *p = (const char *)attr + f->off;

	switch (f->kind) {
	case FIELD_FLAG:
		return attr->flags >> f->off & 1;
	case FIELD_PRECISE:
		return (attr->flags & PD_ATTR_PRECISE_IP_MASK) >>
		       PD_ATTR_PRECISE_IP_SHIFT;
	case FIELD_U16:
		return *(const uint16_t *)p;
	case FIELD_TYPE:
	case FIELD_U32:
		return *(const uint32_t *)p;
	case FIELD_S32:
		return (uint64_t) * (const int32_t *)p;
	default:
		return *(const uint64_t *)p;
	}
}

static void print_value(FILE *out, enum field_kind kind, uint64_t v)
{
	switch (kind) {
	case FIELD_CONFIG:
	case FIELD_HEX:
		fprintf(out, "0x%" PRIx64, v);
		break;
	case FIELD_S32:
		fprintf(out, "%" PRId64, (int64_t)v);
		break;
	case FIELD_SAMPLE_TYPE:
		print_bits(out, sample_bits, v);
		break;
	case FIELD_READ_FORMAT:
		print_bits(out, read_bits, v);
		break;
	case FIELD_BRANCH_TYPE:
		print_bits(out, branch_bits, v);
		break;
	default:
		fprintf(out, "%" PRIu64, v);
	}
}

#define NAME_AT(names, idx) \
	((idx) < sizeof(names) / sizeof((names)[0]) ? (names)[idx] : NULL)

static const char *type_name(uint64_t type)
{
	static const char *const names[] = { "HARDWARE",   "SOFTWARE",
					     "TRACEPOINT", "HW_CACHE",
					     "RAW",	   "BREAKPOINT" };

	return NAME_AT(names, type);
}

static const char *count_name(uint32_t type, uint64_t config)
{
	static const char *const hardware[] = {
		"HW_CPU_CYCLES",
		"HW_INSTRUCTIONS",
		"HW_CACHE_REFERENCES",
		"HW_CACHE_MISSES",
		"HW_BRANCH_INSTRUCTIONS",
		"HW_BRANCH_MISSES",
		"HW_BUS_CYCLES",
		"HW_STALLED_CYCLES_FRONTEND",
		"HW_STALLED_CYCLES_BACKEND",
		"HW_REF_CPU_CYCLES",
	};
	static const char *const software[] = {
		"SW_CPU_CLOCK",	       "SW_TASK_CLOCK",
		"SW_PAGE_FAULTS",      "SW_CONTEXT_SWITCHES",
		"SW_CPU_MIGRATIONS",   "SW_PAGE_FAULTS_MIN",
		"SW_PAGE_FAULTS_MAJ",  "SW_ALIGNMENT_FAULTS",
		"SW_EMULATION_FAULTS", "SW_DUMMY",
		"SW_BPF_OUTPUT",       "SW_CGROUP_SWITCHES",
	};

	if (type == PD_TYPE_HARDWARE)
		return NAME_AT(hardware, config);
	return type == PD_TYPE_SOFTWARE ? NAME_AT(software, config) : NULL;
}

static void print_cache_name(FILE *out, uint64_t config)
{
	static const char *const caches[] = { "L1D",  "L1I", "LL",  "DTLB",
					      "ITLB", "BPU", "NODE" };
	static const char *const ops[] = { "READ", "WRITE", "PREFETCH" };
	static const char *const results[] = { "ACCESS", "MISS" };
	const char *cache = NAME_AT(caches, config & 0xff);
	const char *op = NAME_AT(ops, config >> 8 & 0xff);
	const char *result = NAME_AT(results, config >> 16 & 0xff);

	if (cache && op && result)
		fprintf(out,
			" (PERF_COUNT_HW_CACHE_RESULT_%s | "
			"PERF_COUNT_HW_CACHE_OP_%s | PERF_COUNT_HW_CACHE_%s)",
			result, op, cache);
}

static bool is_shown(struct pd_str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] <= ' ' || name.ptr[i] > '~')
			return false;
	return name.len;
}

static void put_in_brackets(FILE *out, struct pd_str name)
{
	if (is_shown(name)) {
		fputs(" (", out);
		fwrite(name.ptr, 1, name.len, out);
		fputc(')', out);
	}
}

/* Return the name of the PMU that has the type: the file's, or one that all
 * kernels have. */
static struct pd_str pmu_name(const struct pd_pmu_mappings *pmus, uint32_t type)
{
	static const char *const of_all[] = { NULL, "software", "tracepoint",
					      NULL, NULL,	"breakpoint" };
	const char *name = NAME_AT(of_all, type);

	for (size_t i = 0; i < pmus->nr; i++)
		if (pmus->items[i].type == type)
			return pmus->items[i].name;
	return (struct pd_str){ name, name ? strlen(name) : 0 };
}

static void print_type(FILE *out, uint32_t type,
		       const struct sup_attr_style *style)
{
	struct pd_str pmu = pmu_name(&style->pmus, type);
	const char *name = type_name(type);

	fprintf(out, "%" PRIu32, type);
	if (name && (style->perf == PD_PERF_7_2 || !is_shown(pmu)))
		fprintf(out, " (PERF_TYPE_%s)", name);
	else
		put_in_brackets(out, pmu);
}

/* Print SYSTEM:NAME of an event's name, which modifiers may follow. */
static void print_tracepoint(FILE *out, struct pd_str name)
{
	const char *system = memchr(name.ptr, ':', name.len);
	const char *end;

	if (!system)
		return;
	end = memchr(system + 1, ':',
		     name.len - (size_t)(system + 1 - name.ptr));
	if (end)
		name.len = (size_t)(end - name.ptr);
	put_in_brackets(out, name);
}

static void print_config(FILE *out, const struct pd_attr *attr,
			 struct pd_str event_name)
{
	const char *name = count_name(attr->type, attr->config);

	fprintf(out, "%#" PRIx64, attr->config);
	if (name)
		fprintf(out, " (PERF_COUNT_%s)", name);
	else if (attr->type == PD_TYPE_HW_CACHE)
		print_cache_name(out, attr->config);
	else if (attr->type == PD_TYPE_TRACEPOINT && event_name.len)
		print_tracepoint(out, event_name);
}

void sup_attr_style_init(struct sup_attr_style *style,
			 const struct pd_reader *reader, const char *first,
			 const char *sep)
{
	struct pd_cursor c;

	*style = (struct sup_attr_style){
		.perf = pd_event_set_needed_perf(pd_reader_events(reader)),
		.first = first,
		.sep = sep,
	};
	if (pd_reader_feature(reader, PD_FEATURE_PMU_MAPPINGS, &c) &&
	    pd_feature_pmu_mappings_read(&c, &style->pmus))
		style->pmus = (struct pd_pmu_mappings){ 0 };
}

void sup_attr_style_release(struct sup_attr_style *style)
{
	pd_pmu_mappings_release(&style->pmus);
}

void sup_attr_print(FILE *out, const struct pd_attr *attr,
		    struct pd_str event_name,
		    const struct sup_attr_style *style)
{
	const char *first = style->first;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		enum field_kind kind = fields[i].kind;
		bool is_named = style->perf != PD_PERF_6_1 &&
				(kind == FIELD_TYPE || kind == FIELD_CONFIG);
		uint64_t v = field_value(attr, &fields[i]);

		if (!v && !is_named)
			continue;
		fprintf(out, "%s%s%s", first, fields[i].name, style->sep);
		if (!is_named)
			print_value(out, kind, v);
		else if (kind == FIELD_TYPE)
			print_type(out, attr->type, style);
		else
			print_config(out, attr, event_name);
		first = ", ";
	}
}
