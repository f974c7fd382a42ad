/* The attrs of whole command lines.  Every expected row is what strace showed
 * perf 6.1 (Debian 12) to hand to perf_event_open(2) on a machine without a
 * hardware PMU for "perf record -e EVENT OPTIONS true"; consecutive equal opens
 * are one row.  tests/peer/test_attr_strace.py repeats it against perf itself.
 *
 * A row: TYPE:CONFIG, pPERIOD or fHZ, sample_type, read_format, then all bits
 * and numbers that are not 0.  "track" is mmap, comm, task, mmap2, comm_exec,
 * ksymbol and bpf_event together.
 */
#include "record/event/attr_config.h"
#include "record/event/tracefs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))
#define MACHINES    PERFPAIR_SOURCE_DIR "/fixtures/machines/"

static const struct rec_event_env env = {
	.sysfs = MACHINES "intel",
	.tracefs = MACHINES "tracefs",
};

static const struct rec_attr_host host = {
	.max_sample_hz = 100000,
	.max_stack = 127,
	.machine = "x86_64",
};

static const char *const sample_names[] = {
	"IP",
	"TID",
	"TIME",
	"ADDR",
	"READ",
	"CALLCHAIN",
	"ID",
	"CPU",
	"PERIOD",
	"STREAM_ID",
	"RAW",
	"BRANCH_STACK",
	"REGS_USER",
	"STACK_USER",
	"WEIGHT",
	"DATA_SRC",
	"IDENTIFIER",
	"TRANSACTION",
	"REGS_INTR",
	"PHYS_ADDR",
	"AUX",
	"CGROUP",
	"DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE",
	"WEIGHT_STRUCT",
};

static const char *const read_names[] = {
	"ENABLED", "RUNNING", "ID", "GROUP", "LOST",
};

/* Text that grows at its end. */
struct row {
	char text[600];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void put(struct row *row,
						      const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	row->len += (size_t)vsnprintf(row->text + row->len,
				      sizeof(row->text) - row->len, fmt, ap);
	va_end(ap);
	assert_true(row->len < sizeof(row->text));
}

static void put_bits(struct row *row, uint64_t bits, const char *const *names,
		     size_t nr)
{
	const char *sep = " ";

	for (size_t i = 0; i < nr; i++) {
		if (!(bits >> i & 1))
			continue;
		put(row, "%s%s", sep, names[i]);
		sep = "|";
	}
	assert_int_equal(bits >> nr, 0);
}

static void put_flags(struct row *row, const struct perf_event_attr *a)
{
	const bool track = a->mmap && a->comm && a->task && a->mmap2 &&
			   a->comm_exec && a->ksymbol && a->bpf_event;
	const struct {
		const char *name;
		bool on;
	} flags[] = {
#define FLAG(name) { #name, a->name }
		FLAG(disabled),
		FLAG(inherit),
		FLAG(pinned),
		FLAG(exclusive),
		FLAG(exclude_user),
		FLAG(exclude_kernel),
		FLAG(exclude_hv),
		FLAG(exclude_idle),
		FLAG(freq),
		FLAG(inherit_stat),
		FLAG(enable_on_exec),
		FLAG(watermark),
		FLAG(mmap_data),
		FLAG(exclude_host),
		FLAG(exclude_guest),
		FLAG(exclude_callchain_kernel),
		FLAG(exclude_callchain_user),
		FLAG(use_clockid),
		FLAG(context_switch),
		FLAG(write_backward),
		FLAG(namespaces),
		FLAG(cgroup),
		FLAG(build_id),
#undef FLAG
		{ "track", track },
		{ "mmap", a->mmap && !track },
		{ "comm", a->comm && !track },
		{ "task", a->task && !track },
		{ "mmap2", a->mmap2 && !track },
		{ "comm_exec", a->comm_exec && !track },
		{ "ksymbol", a->ksymbol && !track },
		{ "bpf_event", a->bpf_event && !track },
	};

	assert_true(a->sample_id_all);
	for (size_t i = 0; i < ARRAY_NR(flags); i++) {
		if (flags[i].on)
			put(row, " %s", flags[i].name);
	}
}

static void put_numbers(struct row *row, const struct perf_event_attr *a)
{
	const bool is_breakpoint = a->type == PERF_TYPE_BREAKPOINT;
	const struct {
		const char *name;
		uint64_t num;
	} numbers[] = {
		{ "precise_ip", a->precise_ip },
		{ "wakeup_events", a->wakeup_events },
		{ "bp_type", is_breakpoint ? a->bp_type : 0 },
		{ "bp_addr", is_breakpoint ? a->bp_addr : 0 },
		{ "bp_len", is_breakpoint ? a->bp_len : 0 },
		{ "branch_sample_type", a->branch_sample_type },
		{ "sample_regs_user", a->sample_regs_user },
		{ "sample_stack_user", a->sample_stack_user },
		{ "clockid", (uint64_t)a->clockid },
		{ "sample_regs_intr", a->sample_regs_intr },
		{ "sample_max_stack", a->sample_max_stack },
	};

	for (size_t i = 0; i < ARRAY_NR(numbers); i++) {
		if (numbers[i].num)
			put(row, " %s=%llx", numbers[i].name,
			    (unsigned long long)numbers[i].num);
	}
}

static void put_attr(struct row *row, const struct perf_event_attr *a)
{
	put(row, "%u:%llx %c%llu", a->type, (unsigned long long)a->config,
	    a->freq ? 'f' : 'p', (unsigned long long)a->sample_period);
	put_bits(row, a->sample_type, sample_names, ARRAY_NR(sample_names));
	put_bits(row, a->read_format, read_names, ARRAY_NR(read_names));
	put_flags(row, a);
	put_numbers(row, a);
}

struct command_line {
	const char *events;  /* "": no -e */
	const char *options; /* what perf was given, for the message */
	struct rec_attr_options opts;
	const char *rows[4];
};

/* clang-format off */
static const struct command_line command_lines[] = {
	{ "", "", { .target = REC_TARGET_COMMAND },
	  { "0:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track precise_ip=3" } },
	{ "", "-a", { .target = REC_TARGET_SYSTEM },
	  { "0:0 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest precise_ip=3",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "", "-a --all-user", { .target = REC_TARGET_SYSTEM, .all_user = true },
	  { "0:0 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit exclude_kernel freq exclude_guest precise_ip=3",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit exclude_kernel track" } },
	{ "cpu-clock", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-a", { .target = REC_TARGET_SYSTEM },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "cpu-clock", "-C 0", { .target = REC_TARGET_CPUS },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "cpu-clock", "-p 1", { .target = REC_TARGET_PIDS },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq exclude_guest track" } },
	{ "cpu-clock", "-t 1", { .target = REC_TARGET_TIDS },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled freq exclude_guest track" } },
	{ "cpu-clock", "--per-thread", { .per_thread = true },
	  { "1:0 f4000 IP|TID|PERIOD ID|LOST disabled freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "--per-thread -T", { .per_thread = true, .sample_time = REC_YES },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-a --per-thread", { .target = REC_TARGET_SYSTEM, .per_thread = true },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "cpu-clock", "-i", { .no_inherit = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-a -i", { .target = REC_TARGET_SYSTEM, .no_inherit = true },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST track" } },
	{ "cpu-clock", "-n", { .no_samples = true },
	  { "1:0 f0 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-a -n", { .target = REC_TARGET_SYSTEM, .no_samples = true },
	  { "1:0 f0 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "1:9 p0 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "cpu-clock", "-s", { .inherit_stat = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ENABLED|RUNNING|ID|LOST disabled inherit freq inherit_stat enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "--running-time", { .running_time = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ENABLED|RUNNING|ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-d", { .sample_address = REC_YES },
	  { "1:0 f4000 IP|TID|TIME|ADDR|PERIOD|DATA_SRC ID|LOST disabled inherit freq enable_on_exec mmap_data exclude_guest track" } },
	{ "cpu-clock", "-a -d", { .target = REC_TARGET_SYSTEM, .sample_address = REC_YES },
	  { "1:0 f4000 IP|TID|TIME|ADDR|CPU|PERIOD|DATA_SRC|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|ADDR|CPU|DATA_SRC|IDENTIFIER ID|LOST inherit mmap_data track" } },
	{ "cpu-clock", "-P", { .sample_period = REC_YES },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "--no-period", { .sample_period = REC_NO },
	  { "1:0 f4000 IP|TID|TIME ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-a --no-period", { .target = REC_TARGET_SYSTEM, .sample_period = REC_NO },
	  { "1:0 f4000 IP|TID|TIME|ID|CPU ID|LOST disabled inherit freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|ID|CPU ID|LOST inherit track" } },
	{ "cpu-clock", "--no-timestamp", { .sample_time = REC_NO },
	  { "1:0 f4000 IP|TID|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-c 1000000", { .period = 1000000 },
	  { "1:0 p1000000 IP|TID|TIME ID|LOST disabled inherit enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-c 1000000 -P", { .period = 1000000, .sample_period = REC_YES },
	  { "1:0 p1000000 IP|TID|TIME|PERIOD ID|LOST disabled inherit enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-a -c 1000000", { .target = REC_TARGET_SYSTEM, .period = 1000000 },
	  { "1:0 p1000000 IP|TID|TIME|ID|CPU ID|LOST disabled inherit exclude_guest",
	    "1:9 p1000000 IP|TID|TIME|ID|CPU ID|LOST inherit track" } },
	{ "cpu-clock", "-a -F 99", { .target = REC_TARGET_SYSTEM, .freq_hz = 99 },
	  { "1:0 f99 IP|TID|TIME|ID|CPU|PERIOD ID|LOST disabled inherit freq exclude_guest",
	    "1:9 f99 IP|TID|TIME|ID|CPU|PERIOD ID|LOST inherit freq track" } },
	{ "cpu-clock", "-F max", { .freq_max = true },
	  { "1:0 f100000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-F 200000", { .freq_hz = 200000 },
	  { "1:0 f100000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-W", { .sample_weight = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD|WEIGHT_STRUCT ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-R", { .raw_samples = true },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD|RAW ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "--sample-cpu", { .sample_cpu = true },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "--sample-identifier", { .sample_identifier = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD|IDENTIFIER ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "--all-user", { .all_user = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit exclude_kernel freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock:k", "--all-user", { .all_user = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit exclude_kernel exclude_hv freq enable_on_exec track" } },
	{ "cpu-clock", "--all-kernel", { .all_kernel = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit exclude_user freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-g", { .callchain = REC_CALLCHAIN_FP },
	  { "1:0 f4000 IP|TID|TIME|CALLCHAIN|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-a -g", { .target = REC_TARGET_SYSTEM, .callchain = REC_CALLCHAIN_FP },
	  { "1:0 f4000 IP|TID|TIME|CALLCHAIN|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|CALLCHAIN|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "cpu-clock", "-g --kernel-callchains", { .callchain = REC_CALLCHAIN_FP, .kernel_callchains = true },
	  { "1:0 f4000 IP|TID|TIME|CALLCHAIN|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest exclude_callchain_user track" } },
	{ "cpu-clock", "-g --user-callchains", { .callchain = REC_CALLCHAIN_FP, .user_callchains = true },
	  { "1:0 f4000 IP|TID|TIME|CALLCHAIN|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest exclude_callchain_kernel track" } },
	{ "cpu-clock", "--kernel-callchains", { .kernel_callchains = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "--call-graph dwarf", { .callchain = REC_CALLCHAIN_DWARF },
	  { "1:0 f4000 IP|TID|TIME|ADDR|CALLCHAIN|PERIOD|REGS_USER|STACK_USER|DATA_SRC ID|LOST disabled inherit freq enable_on_exec mmap_data exclude_guest exclude_callchain_user track sample_regs_user=ff0fff sample_stack_user=2000" } },
	{ "cpu-clock", "--call-graph dwarf,4096", { .callchain = REC_CALLCHAIN_DWARF, .stack_len = 4096 },
	  { "1:0 f4000 IP|TID|TIME|ADDR|CALLCHAIN|PERIOD|REGS_USER|STACK_USER|DATA_SRC ID|LOST disabled inherit freq enable_on_exec mmap_data exclude_guest exclude_callchain_user track sample_regs_user=ff0fff sample_stack_user=1000" } },
	{ "cpu-clock", "-a --call-graph dwarf", { .target = REC_TARGET_SYSTEM, .callchain = REC_CALLCHAIN_DWARF },
	  { "1:0 f4000 IP|TID|TIME|ADDR|CALLCHAIN|CPU|PERIOD|REGS_USER|STACK_USER|DATA_SRC|IDENTIFIER ID|LOST disabled inherit freq exclude_guest exclude_callchain_user sample_regs_user=ff0fff sample_stack_user=2000",
	    "1:9 p1 IP|TID|TIME|ADDR|CALLCHAIN|CPU|REGS_USER|STACK_USER|DATA_SRC|IDENTIFIER ID|LOST inherit mmap_data exclude_callchain_user track sample_regs_user=ff0fff sample_stack_user=2000" } },
	{ "cpu-clock", "--call-graph dwarf --user-regs=ax", { .callchain = REC_CALLCHAIN_DWARF, .regs_user = 1 },
	  { "1:0 f4000 IP|TID|TIME|ADDR|CALLCHAIN|PERIOD|REGS_USER|STACK_USER|DATA_SRC ID|LOST disabled inherit freq enable_on_exec mmap_data exclude_guest exclude_callchain_user track sample_regs_user=181 sample_stack_user=2000" } },
	{ "cpu-clock", "--call-graph lbr", { .callchain = REC_CALLCHAIN_LBR },
	  { "1:0 f4000 IP|TID|TIME|CALLCHAIN|PERIOD|BRANCH_STACK ID|LOST disabled inherit freq enable_on_exec exclude_guest track branch_sample_type=2c801" } },
	{ "cpu-clock", "-b", { .branch_type = PERF_SAMPLE_BRANCH_ANY },
	  { "1:0 f4000 IP|TID|TIME|PERIOD|BRANCH_STACK ID|LOST disabled inherit freq enable_on_exec exclude_guest track branch_sample_type=8" } },
	{ "cpu-clock", "-k mono", { .use_clockid = true, .clockid = 1 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest use_clockid track clockid=1" } },
	{ "cpu-clock", "--switch-events", { .switch_events = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest context_switch track" } },
	{ "cpu-clock", "-a --switch-events", { .target = REC_TARGET_SYSTEM, .switch_events = true },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit context_switch track" } },
	{ "cpu-clock", "--namespaces --all-cgroups", { .namespaces = true, .all_cgroups = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD|CGROUP ID|LOST disabled inherit freq enable_on_exec exclude_guest namespaces cgroup track" } },
	{ "cpu-clock", "-a --namespaces --all-cgroups", { .target = REC_TARGET_SYSTEM, .namespaces = true, .all_cgroups = true },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER|CGROUP ID|LOST disabled inherit freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER|CGROUP ID|LOST inherit namespaces cgroup track" } },
	{ "cpu-clock", "--phys-data --data-page-size --code-page-size", { .phys_data = true, .data_page_len = true, .code_page_len = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD|PHYS_ADDR|DATA_PAGE_SIZE|CODE_PAGE_SIZE ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "--transaction", { .sample_transaction = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD|TRANSACTION ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "-D 10", { .is_delayed = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|IDENTIFIER ID|LOST disabled inherit enable_on_exec track" } },
	{ "cpu-clock", "-a -D 10", { .target = REC_TARGET_SYSTEM, .is_delayed = true },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "dummy", "-D 10", { .is_delayed = true },
	  { "1:9 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock", "--no-buffering", { .no_buffering = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track wakeup_events=1" } },
	{ "cpu-clock", "--no-bpf-event", { .no_bpf_event = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest mmap comm task mmap2 comm_exec ksymbol" } },
	{ "cpu-clock", "--buildid-mmap", { .buildid_mmap = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest build_id track" } },
	{ "cpu-clock", "-a --overwrite", { .target = REC_TARGET_SYSTEM, .overwrite = true },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest write_backward",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit write_backward track" } },
	{ "cpu-clock", "-a --intr-regs=ax,bx --user-regs=ax", { .target = REC_TARGET_SYSTEM, .regs_intr = 3, .regs_user = 1 },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD|REGS_USER|IDENTIFIER|REGS_INTR ID|LOST disabled inherit freq exclude_guest sample_regs_user=1 sample_regs_intr=3",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "cpu-clock,page-faults", "-F 99 -g", { .freq_hz = 99, .callchain = REC_CALLCHAIN_FP },
	  { "1:0 f99 IP|TID|TIME|CALLCHAIN|ID|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track",
	    "1:2 f99 IP|TID|TIME|CALLCHAIN|ID|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest" } },
	{ "cpu-clock,sched:sched_switch", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD|IDENTIFIER ID|LOST disabled inherit freq enable_on_exec exclude_guest track",
	    "2:174 p1 IP|TID|TIME|CPU|PERIOD|RAW|IDENTIFIER ID|LOST disabled inherit enable_on_exec exclude_guest" } },
	{ "cpu-clock,sched:sched_switch", "-a", { .target = REC_TARGET_SYSTEM },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "2:174 p1 IP|TID|TIME|CPU|PERIOD|RAW|IDENTIFIER ID|LOST disabled inherit exclude_guest",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "sched:sched_switch", "", { .freq_hz = 0 },
	  { "2:174 p1 IP|TID|TIME|CPU|PERIOD|RAW ID|LOST disabled inherit enable_on_exec exclude_guest track" } },
	{ "sched:sched_switch", "-a", { .target = REC_TARGET_SYSTEM },
	  { "2:174 p1 IP|TID|TIME|CPU|PERIOD|RAW|IDENTIFIER ID|LOST disabled inherit exclude_guest",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "sched:sched_switch", "-c 2", { .period = 2 },
	  { "2:174 p2 IP|TID|TIME|CPU|PERIOD|RAW ID|LOST disabled inherit enable_on_exec exclude_guest track" } },
	{ "sched:sched_switch", "-F 10", { .freq_hz = 10 },
	  { "2:174 f10 IP|TID|TIME|CPU|PERIOD|RAW ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "sched:sched_switch", "--no-period --no-timestamp", { .sample_period = REC_NO, .sample_time = REC_NO },
	  { "2:174 p1 IP|TID|TIME|CPU|RAW ID|LOST disabled inherit enable_on_exec exclude_guest track" } },
	{ "sched:sched_switch", "--per-thread", { .per_thread = true },
	  { "2:174 p1 IP|TID|TIME|CPU|PERIOD|RAW ID|LOST disabled enable_on_exec exclude_guest track" } },
	{ "sched:sched_switch/call-graph=dwarf/", "-a", { .target = REC_TARGET_SYSTEM },
	  { "2:174 p1 IP|TID|TIME|ADDR|CALLCHAIN|CPU|PERIOD|RAW|REGS_USER|STACK_USER|DATA_SRC|IDENTIFIER ID|LOST disabled inherit exclude_guest exclude_callchain_user sample_regs_user=ff0fff sample_stack_user=2000",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "sched:sched_switch:k", "", { .freq_hz = 0 },
	  { "2:174 p1 IP|TID|TIME|CPU|PERIOD|RAW ID|LOST disabled inherit exclude_user exclude_hv enable_on_exec track" } },
	{ "{cpu-clock,page-faults}", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|ID|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track",
	    "1:2 f4000 IP|TID|TIME|ID|PERIOD ID|LOST inherit freq exclude_guest" } },
	{ "{cpu-clock,page-faults}", "-a", { .target = REC_TARGET_SYSTEM },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "1:2 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST inherit freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "{cpu-clock,page-faults}", "-D 10", { .is_delayed = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "1:2 f4000 IP|TID|TIME|PERIOD|IDENTIFIER ID|LOST inherit freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|IDENTIFIER ID|LOST disabled inherit enable_on_exec track" } },
	{ "{cpu-clock,page-faults}:S", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|READ|ID|PERIOD ID|GROUP|LOST disabled freq enable_on_exec exclude_guest track",
	    "1:2 p0 IP|TID|TIME|READ|ID|PERIOD ID|GROUP|LOST exclude_guest" } },
	{ "{cpu-clock:u,page-faults:k}:S", "-a", { .target = REC_TARGET_SYSTEM },
	  { "1:0 f4000 IP|TID|TIME|READ|CPU|PERIOD|IDENTIFIER ID|GROUP|LOST disabled exclude_kernel exclude_hv freq exclude_guest",
	    "1:2 p0 IP|TID|TIME|READ|CPU|PERIOD|IDENTIFIER ID|GROUP|LOST exclude_user exclude_hv",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "{sched:sched_switch,page-faults}:S", "-a", { .target = REC_TARGET_SYSTEM },
	  { "2:174 p1 IP|TID|TIME|READ|CPU|PERIOD|RAW|IDENTIFIER ID|GROUP|LOST disabled exclude_guest",
	    "1:2 p0 IP|TID|TIME|READ|CPU|PERIOD|RAW|IDENTIFIER ID|GROUP|LOST exclude_guest",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "{cpu-clock,sched:sched_switch}:S", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|READ|ID|PERIOD ID|GROUP|LOST disabled freq enable_on_exec exclude_guest track",
	    "2:174 p0 IP|TID|TIME|READ|ID|PERIOD ID|GROUP|LOST exclude_guest" } },
	{ "{cpu-clock/freq=10/,page-faults/freq=20/}:S", "", { .freq_hz = 0 },
	  { "1:0 f10 IP|TID|TIME|READ|ID|PERIOD ID|GROUP|LOST disabled freq enable_on_exec exclude_guest track",
	    "1:2 f20 IP|TID|TIME|READ|ID|PERIOD ID|GROUP|LOST freq exclude_guest" } },
	{ "{cpu-clock,page-faults}:S", "-g -s -d", { .callchain = REC_CALLCHAIN_FP, .inherit_stat = true, .sample_address = REC_YES },
	  { "1:0 f4000 IP|TID|TIME|ADDR|READ|CALLCHAIN|ID|PERIOD|DATA_SRC ENABLED|RUNNING|ID|GROUP|LOST disabled freq inherit_stat enable_on_exec mmap_data exclude_guest track",
	    "1:2 p0 IP|TID|TIME|ADDR|READ|CALLCHAIN|ID|PERIOD|DATA_SRC ENABLED|RUNNING|ID|GROUP|LOST inherit_stat exclude_guest" } },
	{ "{cpu-clock,page-faults}:S", "-n", { .no_samples = true },
	  { "1:0 f0 IP|TID|TIME|READ|ID|PERIOD ID|GROUP|LOST disabled freq enable_on_exec exclude_guest track",
	    "1:2 p0 IP|TID|TIME|READ|ID|PERIOD ID|GROUP|LOST exclude_guest" } },
	{ "{cpu-clock,page-faults}:k", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|ID|PERIOD ID|LOST disabled inherit exclude_user exclude_hv freq enable_on_exec exclude_guest track",
	    "1:2 f4000 IP|TID|TIME|ID|PERIOD ID|LOST inherit exclude_user exclude_hv freq exclude_guest" } },
	{ "{cpu-clock:u,page-faults}:k", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|ID|PERIOD ID|LOST disabled inherit exclude_hv freq enable_on_exec exclude_guest track",
	    "1:2 f4000 IP|TID|TIME|ID|PERIOD ID|LOST inherit exclude_user exclude_hv freq exclude_guest" } },
	{ "{cpu-clock:G,page-faults}:H", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|ID|PERIOD ID|LOST disabled inherit freq enable_on_exec track",
	    "1:2 f4000 IP|TID|TIME|ID|PERIOD ID|LOST inherit freq exclude_guest" } },
	{ "{cpu-clock:p,page-faults:pp}:p", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|ID|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track precise_ip=2",
	    "1:2 f4000 IP|TID|TIME|ID|PERIOD ID|LOST inherit freq exclude_guest precise_ip=3" } },
	{ "{cpu-clock:D,page-faults:D}:e", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|ID|PERIOD ID|LOST disabled inherit pinned exclusive freq enable_on_exec track",
	    "1:2 f4000 IP|TID|TIME|ID|PERIOD ID|LOST inherit pinned freq" } },
	{ "{cpu-clock:P,page-faults}:kP", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|ID|PERIOD ID|LOST disabled inherit exclude_user exclude_hv freq enable_on_exec track precise_ip=3",
	    "1:2 f4000 IP|TID|TIME|ID|PERIOD ID|LOST inherit exclude_user exclude_hv freq exclude_guest precise_ip=3" } },
	{ "cpu-clock:S,page-faults", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|READ|PERIOD|IDENTIFIER ID|LOST disabled inherit freq enable_on_exec track",
	    "1:2 f4000 IP|TID|TIME|PERIOD|IDENTIFIER ID|LOST disabled inherit freq enable_on_exec exclude_guest" } },
	{ "cpu-clock:h", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit exclude_user exclude_kernel freq enable_on_exec track" } },
	{ "cpu-clock:uk", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit exclude_hv freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock:G", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_host track" } },
	{ "cpu-clock:HG", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec track" } },
	{ "cpu-clock:uG", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit exclude_kernel exclude_hv freq enable_on_exec exclude_host track" } },
	{ "cpu-clock:I", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit exclude_idle freq enable_on_exec track" } },
	{ "cpu-clock:ppp", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track precise_ip=3" } },
	{ "cpu-clock:P", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec track precise_ip=3" } },
	{ "cpu-clock:pP", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track precise_ip=3" } },
	{ "cpu-clock:D", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit pinned freq enable_on_exec track" } },
	{ "cpu-clock:e", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit exclusive freq enable_on_exec track" } },
	{ "cpu-clock:W", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec track" } },
	{ "cpu-clock:ukhGHpppSDI", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|READ|ID|PERIOD ID|LOST disabled inherit pinned exclude_idle freq enable_on_exec track precise_ip=3" } },
	{ "mem:0x1000:rw", "", { .freq_hz = 0 },
	  { "5:0 p1 IP|TID|TIME ID|LOST disabled inherit enable_on_exec exclude_guest track bp_type=3 bp_addr=1000 bp_len=4" } },
	{ "mem:0x1000/8:w", "", { .freq_hz = 0 },
	  { "5:0 p1 IP|TID|TIME ID|LOST disabled inherit enable_on_exec exclude_guest track bp_type=2 bp_addr=1000 bp_len=8" } },
	{ "mem:0x1000:x", "", { .freq_hz = 0 },
	  { "5:0 p1 IP|TID|TIME ID|LOST disabled inherit enable_on_exec exclude_guest track bp_type=4 bp_addr=1000 bp_len=8" } },
	{ "mem:0x1000:w:u", "", { .freq_hz = 0 },
	  { "5:0 p1 IP|TID|TIME ID|LOST disabled inherit exclude_kernel exclude_hv enable_on_exec exclude_guest track bp_type=2 bp_addr=1000 bp_len=4" } },
	{ "mem:0x1000:w", "-F 5", { .freq_hz = 5 },
	  { "5:0 f5 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track bp_type=2 bp_addr=1000 bp_len=4" } },
	{ "mem:0x1000:w,cpu-clock", "", { .freq_hz = 0 },
	  { "5:0 p1 IP|TID|TIME|IDENTIFIER ID|LOST disabled inherit enable_on_exec exclude_guest track bp_type=2 bp_addr=1000 bp_len=4",
	    "1:0 f4000 IP|TID|TIME|PERIOD|IDENTIFIER ID|LOST disabled inherit freq enable_on_exec exclude_guest" } },
	{ "cpu-clock/period=5000/", "", { .freq_hz = 0 },
	  { "1:0 p5000 IP|TID|TIME ID|LOST disabled inherit enable_on_exec exclude_guest track" } },
	{ "cpu-clock/period=5000/", "-P", { .sample_period = REC_YES },
	  { "1:0 p5000 IP|TID|TIME|PERIOD ID|LOST disabled inherit enable_on_exec exclude_guest track" } },
	{ "cpu-clock/freq=5000/u", "", { .freq_hz = 0 },
	  { "1:0 f5000 IP|TID|TIME|PERIOD ID|LOST disabled inherit exclude_kernel exclude_hv freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock/freq=20/", "--no-period", { .sample_period = REC_NO },
	  { "1:0 f20 IP|TID|TIME ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock/freq=20,period=10/", "", { .freq_hz = 0 },
	  { "1:0 p10 IP|TID|TIME ID|LOST disabled inherit enable_on_exec exclude_guest track" } },
	{ "cpu-clock/freq=99/,page-faults/period=1/", "", { .freq_hz = 0 },
	  { "1:0 f99 IP|TID|TIME|PERIOD|IDENTIFIER ID|LOST disabled inherit freq enable_on_exec exclude_guest track",
	    "1:2 p1 IP|TID|TIME|IDENTIFIER ID|LOST disabled inherit enable_on_exec exclude_guest" } },
	{ "cpu-clock/call-graph=fp/", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|CALLCHAIN|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock/call-graph=dwarf,stack-size=4096/", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|ADDR|CALLCHAIN|PERIOD|REGS_USER|STACK_USER|DATA_SRC ID|LOST disabled inherit freq enable_on_exec mmap_data exclude_guest exclude_callchain_user track sample_regs_user=ff0fff sample_stack_user=1000" } },
	{ "cpu-clock/call-graph=no/,page-faults", "-g", { .callchain = REC_CALLCHAIN_FP },
	  { "1:0 f4000 IP|TID|TIME|PERIOD|IDENTIFIER ID|LOST disabled inherit freq enable_on_exec exclude_guest track",
	    "1:2 f4000 IP|TID|TIME|CALLCHAIN|PERIOD|IDENTIFIER ID|LOST disabled inherit freq enable_on_exec exclude_guest" } },
	{ "cpu-clock/max-stack=10/", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|CALLCHAIN|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track sample_max_stack=a" } },
	{ "cpu-clock/time=0/,page-faults/time=1/", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|PERIOD|IDENTIFIER ID|LOST disabled inherit freq enable_on_exec exclude_guest track",
	    "1:2 f4000 IP|TID|TIME|PERIOD|IDENTIFIER ID|LOST disabled inherit freq enable_on_exec exclude_guest" } },
	{ "cpu-clock/no-inherit/", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock/inherit/", "-i", { .no_inherit = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock/overwrite/", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest write_backward track" } },
	{ "cpu-clock/no-overwrite/", "--overwrite", { .overwrite = true },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit freq enable_on_exec exclude_guest track" } },
	{ "cpu-clock/branch_type=any/", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD|BRANCH_STACK ID|LOST disabled inherit freq enable_on_exec exclude_guest track branch_sample_type=8" } },
	{ "software/config=1,period=100/u", "", { .freq_hz = 0 },
	  { "1:1 p100 IP|TID|TIME ID|LOST disabled inherit exclude_kernel exclude_hv enable_on_exec exclude_guest track" } },
	{ "bpf-output", "", { .freq_hz = 0 },
	  { "1:a p1 IP|TID|TIME|CPU|PERIOD|RAW ID|LOST disabled inherit enable_on_exec exclude_guest track" } },
	{ "dummy,cpu-clock", "-a", { .target = REC_TARGET_SYSTEM },
	  { "1:9 f4000 IP|TID|TIME|ID|CPU|PERIOD ID|LOST inherit freq exclude_guest track",
	    "1:0 f4000 IP|TID|TIME|ID|CPU|PERIOD ID|LOST disabled inherit freq exclude_guest" } },
	{ "cpu-clock,dummy", "-a", { .target = REC_TARGET_SYSTEM },
	  { "1:0 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "1:9 f4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled inherit freq exclude_guest",
	    "1:9 p1 IP|TID|TIME|CPU|IDENTIFIER ID|LOST inherit track" } },
	{ "1:0:u", "", { .freq_hz = 0 },
	  { "1:0 f4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit exclude_kernel exclude_hv freq enable_on_exec exclude_guest track" } },
};
/* clang-format on */

static void events_of(struct rec_event_list *list, const char *text)
{
	struct pd_err err = PD_ERR_INIT;
	int code;

	rec_event_list_init(list);
	if (text[0])
		code = rec_event_parse(list, text, &env, &err);
	else
		code = rec_event_default(list, &env, &err);
	if (code)
		print_error("-e %s: %s\n", text, err.text);
	assert_int_equal(code, 0);
}

static void check_command_line(const struct command_line *line)
{
	struct rec_event_list list;
	struct pd_err err = PD_ERR_INIT;
	size_t at = 0;
	char last[600] = "";

	events_of(&list, line->events);
	if (rec_attr_config(&list, &line->opts, &host, NULL, &err))
		fail_msg("-e %s %s: %s", line->events, line->options, err.text);
	for (size_t i = 0; i < list.nr; i++) {
		struct row row = { .len = 0 };

		put_attr(&row, &list.events[i].attr.sys);
		if (strcmp(row.text, last) == 0)
			continue;
		strcpy(last, row.text);
		if (at == ARRAY_NR(line->rows) || !line->rows[at] ||
		    strcmp(row.text, line->rows[at]) != 0)
			fail_msg("-e %s %s, event %zu:\n  is   %s\n  perf %s",
				 line->events, line->options, i, row.text,
				 at < ARRAY_NR(line->rows) && line->rows[at]
					 ? line->rows[at]
					 : "has no more");
		at++;
	}
	if (at < ARRAY_NR(line->rows) && line->rows[at])
		fail_msg("-e %s %s: perf has one more: %s", line->events,
			 line->options, line->rows[at]);
	rec_event_list_release(&list);
}

static void test_attr_config__attrs_are_those_of_perf(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_NR(command_lines); i++)
		check_command_line(&command_lines[i]);
}

/* The tracking event is named after what it leaves out. */
static void test_attr_config__dummy_is_named_as_by_perf(void **state)
{
	struct rec_attr_options opts = { .target = REC_TARGET_SYSTEM };
	struct rec_event_list list;

	(void)state;
	events_of(&list, "cpu-clock");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_int_equal(list.nr, 2);
	assert_string_equal(list.events[1].name, "dummy:HG");
	assert_true(list.events[1].is_tracking);
	rec_event_list_release(&list);
	opts.all_user = true;
	events_of(&list, "cpu-clock");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_string_equal(list.events[1].name, "dummy:uh");
	rec_event_list_release(&list);
}

static void test_attr_config__rate_over_the_limit_is_said(void **state)
{
	struct rec_attr_options opts = { .freq_hz = 200000 };
	struct pd_err note = PD_ERR_INIT, err = PD_ERR_INIT;
	struct rec_event_list list;

	(void)state;
	events_of(&list, "cpu-clock");
	assert_int_equal(rec_attr_config(&list, &opts, &host, &note, &err), 0);
	assert_int_equal(list.events[0].attr.sys.sample_freq, 100000);
	assert_string_equal(note.text,
			    "sampling at 100000 Hz instead of 200000 "
			    "Hz, the machine's limit");
	assert_int_equal(note.code, 0);
	rec_event_list_release(&list);
	opts.strict_freq = true;
	events_of(&list, "cpu-clock");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, &err),
			 -EINVAL);
	assert_string_equal(err.text, "200000 Hz is over the machine's limit "
				      "of 100000 Hz");
	rec_event_list_release(&list);
}

static void test_attr_config__contradictions_are_errors(void **state)
{
	static const struct {
		const char *events;
		struct rec_attr_options opts;
		const char *text;
	} cases[] = {
		{ "cs",
		  { .freq_hz = 99, .period = 1 },
		  "-F and -c exclude each other" },
		{ "cs",
		  { .all_user = true, .all_kernel = true },
		  "--all-user and --all-kernel exclude each other" },
		{ "cs/max-stack=128/",
		  { .freq_hz = 0 },
		  "max-stack=128 of cs/max-stack=128/ is over the machine's "
		  "limit" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		struct pd_err err = PD_ERR_INIT;
		struct rec_event_list list;

		events_of(&list, cases[i].events);
		assert_int_equal(rec_attr_config(&list, &cases[i].opts, &host,
						 NULL, &err),
				 -EINVAL);
		assert_string_equal(err.text, cases[i].text);
		rec_event_list_release(&list);
	}
}

/* What we do otherwise than perf, docs/differences.md. */
static void test_attr_config__stack_size_alone_keeps_dwarf(void **state)
{
	struct rec_attr_options opts = { .callchain = REC_CALLCHAIN_DWARF };
	const uint64_t bits = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			      PERF_SAMPLE_STACK_USER;
	struct rec_event_list list;

	(void)state;
	events_of(&list, "cpu-clock/stack-size=512/");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_int_equal(list.events[0].attr.sys.sample_type & bits, bits);
	assert_int_equal(list.events[0].attr.sys.sample_stack_user, 512);
	rec_event_list_release(&list);
}

static void test_attr_config__watermark_is_the_recorders(void **state)
{
	struct rec_attr_options opts = { .own_watermark_len = 65536 };
	struct rec_event_list list;

	(void)state;
	events_of(&list, "cpu-clock");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_int_equal(list.events[0].attr.sys.watermark, 1);
	assert_int_equal(list.events[0].attr.sys.wakeup_watermark, 65536);
	rec_event_list_release(&list);
}

static void test_attr_config__pipe_needs_ids(void **state)
{
	struct rec_attr_options opts = { .to_pipe = true };
	struct rec_event_list list;

	(void)state;
	events_of(&list, "cpu-clock");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	assert_int_equal(list.events[0].attr.sys.sample_type,
			 PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				 PERF_SAMPLE_ID | PERF_SAMPLE_PERIOD);
	rec_event_list_release(&list);
}

static void test_attr_config__dwarf_registers_of_each_machine(void **state)
{
	(void)state;
	assert_int_equal(rec_regs_user_mask("x86_64"), 0xff0fff);
	assert_int_equal(rec_regs_user_mask("i686"), 0xffff);
	assert_int_equal(rec_regs_user_mask("aarch64"), 0x1ffffffff);
	assert_int_equal(rec_regs_user_mask("armv7l"), 0xffff);
	assert_int_equal(rec_regs_user_mask("riscv64"), 0xffffffff);
	assert_int_equal(rec_regs_user_mask("vax"), 0);
	assert_int_equal(rec_regs_minimum_mask("x86_64"), 0x180);
}

static void test_attr_config__register_names(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	uint64_t mask = 0;

	(void)state;
	assert_int_equal(rec_regs_parse("IP,sp,R8", "x86_64", &mask, &err), 0);
	assert_int_equal(mask, 0x10180);
	assert_int_equal(rec_regs_parse("x0,pc", "aarch64", &mask, &err), 0);
	assert_int_equal(mask, 0x100000001);
	assert_int_equal(rec_regs_parse("ax,xx", "x86_64", &mask, &err),
			 -EINVAL);
	assert_string_equal(err.text, "x86_64 has no register 'xx'");
	assert_int_equal(mask, 0x100000001);
}

static void test_attr_config__call_graph_texts(void **state)
{
	static const struct {
		const char *text;
		int code;
		enum rec_callchain kind;
		uint32_t stack_len;
	} cases[] = {
		{ "fp", 0, REC_CALLCHAIN_FP, 7 },
		{ "lbr", 0, REC_CALLCHAIN_LBR, 7 },
		{ "dwarf", 0, REC_CALLCHAIN_DWARF, 7 },
		{ "dwarf,4096", 0, REC_CALLCHAIN_DWARF, 4096 },
		{ "dwarf,100", 0, REC_CALLCHAIN_DWARF, 104 },
		{ "dwarf,65528", 0, REC_CALLCHAIN_DWARF, 65528 },
		{ "dwarf,65529", -EINVAL, REC_CALLCHAIN_NONE, 7 },
		{ "dwarf,abc", -EINVAL, REC_CALLCHAIN_NONE, 7 },
		{ "dwarf,0", -EINVAL, REC_CALLCHAIN_NONE, 7 },
		{ "fp,12", -EINVAL, REC_CALLCHAIN_NONE, 7 },
		{ "bogus", -EINVAL, REC_CALLCHAIN_NONE, 7 },
		{ "", -EINVAL, REC_CALLCHAIN_NONE, 7 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		enum rec_callchain kind = REC_CALLCHAIN_NONE;
		uint32_t stack_len = 7;

		assert_int_equal(rec_callchain_parse(cases[i].text, &kind,
						     &stack_len, NULL),
				 cases[i].code);
		assert_int_equal(kind, cases[i].kind);
		assert_int_equal(stack_len, cases[i].stack_len);
	}
}

static void test_attr_config__branch_filters(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	uint64_t mask = 0;

	(void)state;
	assert_int_equal(rec_branch_parse("any,u", &mask, &err), 0);
	assert_int_equal(mask,
			 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(rec_branch_parse("u", &mask, &err), 0);
	assert_int_equal(mask, PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(rec_branch_parse("any,,u", &mask, &err), -EINVAL);
	assert_string_equal(err.text, "unknown branch filter ''");
}

static void test_attr_config__clocks(void **state)
{
	static const struct {
		const char *text;
		int32_t clockid;
	} cases[] = {
		{ "mono", 1 },
		{ "monotonic", 1 },
		{ "CLOCK_MONOTONIC", 1 },
		{ "raw", 4 },
		{ "monotonic_raw", 4 },
		{ "real", 0 },
		{ "CLOCK_REALTIME", 0 },
		{ "boot", 7 },
		{ "tai", 11 },
		{ "1", 1 },
	};
	struct pd_err err = PD_ERR_INIT;
	int32_t clockid;

	(void)state;
	for (size_t i = 0; i < ARRAY_NR(cases); i++) {
		clockid = -1;
		assert_int_equal(
			rec_clockid_parse(cases[i].text, &clockid, NULL), 0);
		assert_int_equal(clockid, cases[i].clockid);
	}
	assert_int_equal(rec_clockid_parse("mono_raw", &clockid, &err),
			 -EINVAL);
	assert_string_equal(err.text, "unknown clock 'mono_raw'");
}

/* A kernel's attr in the file's form. */
static void test_attr_config__attr_for_the_file(void **state)
{
	struct rec_attr_options opts = { .target = REC_TARGET_SYSTEM };
	struct rec_event_list list;
	struct pd_attr attr;

	(void)state;
	events_of(&list, "mem:0x1000/8:w:upp");
	assert_int_equal(rec_attr_config(&list, &opts, &host, NULL, NULL), 0);
	rec_attr_to_pd(&list.events[0].attr, &attr);
	assert_int_equal(attr.attr_len, 128);
	assert_int_equal(attr.type, 5);
	assert_int_equal(attr.bp_type, 2);
	assert_int_equal(attr.config1, 0x1000);
	assert_int_equal(attr.config2, 8);
	/* disabled inherit exclude_kernel exclude_hv precise_ip=2
	 * sample_id_all exclude_guest */
	assert_int_equal(attr.flags, 0x150063);
	rec_event_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attr_config__attrs_are_those_of_perf),
		cmocka_unit_test(test_attr_config__dummy_is_named_as_by_perf),
		cmocka_unit_test(test_attr_config__rate_over_the_limit_is_said),
		cmocka_unit_test(test_attr_config__contradictions_are_errors),
		cmocka_unit_test(
			test_attr_config__stack_size_alone_keeps_dwarf),
		cmocka_unit_test(test_attr_config__watermark_is_the_recorders),
		cmocka_unit_test(test_attr_config__pipe_needs_ids),
		cmocka_unit_test(
			test_attr_config__dwarf_registers_of_each_machine),
		cmocka_unit_test(test_attr_config__register_names),
		cmocka_unit_test(test_attr_config__call_graph_texts),
		cmocka_unit_test(test_attr_config__branch_filters),
		cmocka_unit_test(test_attr_config__clocks),
		cmocka_unit_test(test_attr_config__attr_for_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
