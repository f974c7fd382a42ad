#include "report/script.h"

#include "report/data_src.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

static void print_comm(struct rpt_script *script, struct rpt_script_line *line)
{
	const char *comm = rpt_who_comm(&line->who, line->when);
	char unknown[16];

	if (!comm) {
		snprintf(unknown, sizeof(unknown), ":%d", (int)line->who.tid);
		comm = unknown;
	}
	if (line->with_chain)
		rpt_text_str(&script->text, comm);
	else
		rpt_text_right(&script->text, comm, 16);
	rpt_text_char(&script->text, ' ');
}

static void print_task(struct rpt_text *t, const struct rpt_script_line *line)
{
	int32_t pid = (int32_t)line->sample.pid;
	int32_t tid = (int32_t)line->sample.tid;
	int width = line->event->needed_perf == PD_PERF_6_1 ? 5 : 7;
	char buf[16];

	if (!(line->fields & RPT_FIELD_PID)) {
		rpt_text_int(t, tid, (unsigned)width);
		rpt_text_char(t, ' ');
		return;
	}
	rpt_text_int(t, pid, (unsigned)width);
	if (line->fields & RPT_FIELD_TID) {
		snprintf(buf, sizeof(buf), "/%-*d", width, tid);
		rpt_text_str(t, buf);
	}
	rpt_text_char(t, ' ');
}

/* perf's letters of the header's bits, which mean different things for
 * different records */
static void print_misc(struct rpt_text *t, const struct rpt_script_line *line)
{
	static const char modes[8] = "\0KUHGg";
	static const struct {
		uint32_t type;
		uint16_t bit;
		char letter;
	} flags[] = {
		{ PD_RECORD_MMAP, PD_MISC_MMAP_DATA, 'M' },
		{ PD_RECORD_MMAP2, PD_MISC_MMAP_DATA, 'M' },
		{ PD_RECORD_COMM, PD_MISC_COMM_EXEC, 'E' },
		{ PD_RECORD_SWITCH, PD_MISC_SWITCH_OUT, 'S' },
		{ PD_RECORD_SWITCH, PD_MISC_SWITCH_OUT_PREEMPT, 'p' },
		{ PD_RECORD_SWITCH_CPU_WIDE, PD_MISC_SWITCH_OUT, 'S' },
		{ PD_RECORD_SWITCH_CPU_WIDE, PD_MISC_SWITCH_OUT_PREEMPT, 'p' },
	};
	char buf[8] = { modes[line->sample.misc & PD_MISC_CPUMODE_MASK] };
	size_t len = buf[0] != '\0';

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].type == line->record_type &&
		    (line->sample.misc & flags[i].bit))
			buf[len++] = flags[i].letter;
	for (; len < 6; len++)
		buf[len] = ' ';
	rpt_text_put(t, buf, len);
}

/* The date in the zone of who reads */
static void print_tod(struct rpt_script *script, uint64_t time_ns)
{
	struct rpt_text *t = &script->text;
	uint64_t ns = time_ns + (uint64_t)script->conf.tod_shift_ns;
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;
	char buf[64];

	if (!localtime_r(&seconds, &tm) ||
	    !strftime(buf, sizeof(buf), "%F %H:%M:%S.", &tm))
		return;
	rpt_text_str(t, buf);
	if (script->conf.is_ns)
		rpt_text_zeros(t, ns % 1000000000, 9);
	else
		rpt_text_zeros(t, ns % 1000000000 / 1000, 6);
	rpt_text_char(t, ' ');
}

/* The time as it is shown: as recorded, or since another. */
static uint64_t shown_time(struct rpt_script *script, uint64_t ns)
{
	uint64_t base_ns = script->base_ns;

	if (script->conf.is_deltatime) {
		script->base_ns = ns;
		return base_ns ? ns - base_ns : 0;
	}
	if (!script->conf.is_reltime)
		return ns;
	if (!base_ns)
		script->base_ns = ns;
	return ns - script->base_ns;
}

static void print_time(struct rpt_script *script, uint64_t recorded_ns)
{
	struct rpt_text *t = &script->text;
	uint64_t ns = shown_time(script, recorded_ns);

	rpt_text_dec(t, ns / 1000000000, 5);
	rpt_text_char(t, '.');
	if (script->conf.is_ns)
		rpt_text_zeros(t, ns % 1000000000, 9);
	else
		rpt_text_zeros(t, ns % 1000000000 / 1000, 6);
	rpt_text_put(t, ": ", 2);
}

void rpt_script_print_start(struct rpt_script *script,
			    struct rpt_script_line *line)
{
	struct rpt_text *t = &script->text;

	if (line->fields & RPT_FIELD_COMM)
		print_comm(script, line);
	if (line->fields & (RPT_FIELD_PID | RPT_FIELD_TID))
		print_task(t, line);
	if (line->fields & RPT_FIELD_CPU) {
		rpt_text_char(t, '[');
		rpt_text_zeros(t, line->sample.cpu, 3);
		rpt_text_put(t, "] ", 2);
	}
	if (line->fields & RPT_FIELD_MISC)
		print_misc(t, line);
	if (line->fields & RPT_FIELD_TOD)
		print_tod(script, line->sample.time_ns);
	if (line->fields & RPT_FIELD_TIME)
		print_time(script, line->sample.time_ns);
	if (line->fields & RPT_FIELD_PERIOD) {
		rpt_text_dec(t, line->sample.period, 10);
		rpt_text_char(t, ' ');
	}
	if (line->fields & RPT_FIELD_EVENT) {
		size_t idx = (size_t)(line->event - script->events->events);

		rpt_text_right(t, script->names[idx], script->name_width);
		rpt_text_put(t, ": ", 2);
	}
}

static void put_place(struct rpt_script *script,
		      const struct rpt_script_line *line, unsigned cpumode,
		      uint64_t ip)
{
	struct pd_str s =
		rpt_script_place(script, line, RPT_SCRIPT_PLACE, cpumode, ip);

	if (!s.ptr)
		script->text.status = -ENOMEM;
	else
		rpt_text_put(&script->text, s.ptr, s.len);
}

/* Events whose address is that of data or code worth a name. */
static bool has_named_address(const struct pd_attr *attr)
{
	return attr->type == PD_TYPE_BREAKPOINT ||
	       (attr->type == PD_TYPE_SOFTWARE &&
		(attr->config == 2 || attr->config == 5 || attr->config == 6));
}

static void print_addr(struct rpt_script *script,
		       const struct rpt_script_line *line)
{
	uint64_t addr = line->sample.addr;
	unsigned mode = line->sample.misc & PD_MISC_CPUMODE_MASK;
	struct rpt_map map;

	rpt_text_hex(&script->text, addr, 16);
	if (!has_named_address(&line->event->attr))
		return;
	if (!rpt_timeline_map(script->conf.timeline, &line->who, mode, addr,
			      line->when, &map))
		mode = mode == PD_CPUMODE_USER ? PD_CPUMODE_KERNEL
					       : PD_CPUMODE_USER;
	put_place(script, line, mode, addr);
}

/* The mode that a context mark starts; -1: not a mark that is known. */
static int mode_of_mark(uint64_t mark)
{
	switch (mark) {
	case PD_CONTEXT_KERNEL:
		return PD_CPUMODE_KERNEL;
	case PD_CONTEXT_USER:
		return PD_CPUMODE_USER;
	case PD_CONTEXT_HV:
		return PD_CPUMODE_HYPERVISOR;
	default:
		return -1;
	}
}

/* As perf, a chain with an unknown mark is no chain at all; what lies behind
 * the last entry that is shown does not count. */
static bool marks_are_known(const struct pd_u64s *chain, uint32_t shown_nr)
{
	for (size_t i = 0; i < chain->nr && shown_nr; i++) {
		uint64_t ip = pd_u64s_at(chain, i);

		if (ip < PD_CONTEXT_MAX)
			shown_nr--;
		else if (mode_of_mark(ip) < 0)
			return false;
	}
	return true;
}

static void print_chain(struct rpt_script *script,
			const struct rpt_script_line *line,
			enum rpt_script_kind kind, const struct pd_u64s *chain,
			uint32_t *left_nr)
{
	unsigned mode = PD_CPUMODE_USER;

	/* The mark in front of unwound frames says nothing new, and the frames
	 * can have any address, the last often ~0. */
	for (size_t i = kind == RPT_SCRIPT_UNWOUND; i < chain->nr && *left_nr;
	     i++) {
		uint64_t ip = pd_u64s_at(chain, i);
		struct pd_str s;

		if (ip >= PD_CONTEXT_MAX && kind != RPT_SCRIPT_UNWOUND) {
			mode = (unsigned)mode_of_mark(ip);
			continue;
		}
		s = rpt_script_place(script, line, kind, mode, ip);
		if (!s.ptr)
			script->text.status = -ENOMEM;
		else
			rpt_text_put(&script->text, s.ptr, s.len);
		--*left_nr;
	}
}

static void print_ip(struct rpt_script *script,
		     const struct rpt_script_line *line)
{
	uint32_t left_nr = script->conf.max_stack;
	struct pd_u64s unwound = {
		.raw = (const uint8_t *)script->unwound,
		.nr = line->unwound_nr,
	};

	if (!line->with_chain ||
	    !(line->sample.present & PD_SAMPLE_CALLCHAIN)) {
		rpt_text_char(&script->text, ' ');
		rpt_text_hex(&script->text, line->sample.ip, 16);
		put_place(script, line,
			  line->sample.misc & PD_MISC_CPUMODE_MASK,
			  line->sample.ip);
		return;
	}
	rpt_text_char(&script->text, '\n');
	if (!marks_are_known(&line->sample.callchain, left_nr))
		return;
	print_chain(script, line, RPT_SCRIPT_CHAIN, &line->sample.callchain,
		    &left_nr);
	left_nr = script->conf.max_stack; /* --max-stack holds for each part */
	if (line->unwound_nr)
		print_chain(script, line, RPT_SCRIPT_UNWOUND, &unwound,
			    &left_nr);
}

/* perf_regs.h of the architecture */
static const char *const regs_x86[] = {
	"AX", "BX",    "CX",  "DX",  "SI",  "DI",  "BP",  "SP",
	"IP", "FLAGS", "CS",  "SS",  "DS",  "ES",  "FS",  "GS",
	"R8", "R9",    "R10", "R11", "R12", "R13", "R14", "R15",
};

static const char *reg_name(enum rpt_arch arch, unsigned bit, char *buf,
			    size_t len)
{
	static const char *const regs_arm64[] = { "x29", "lr", "sp", "pc" };

	if (arch == RPT_ARCH_X86_64 &&
	    bit < sizeof(regs_x86) / sizeof(regs_x86[0]))
		return regs_x86[bit];
	if (arch == RPT_ARCH_AARCH64 && bit >= 29 && bit < 33)
		return regs_arm64[bit - 29];
	snprintf(buf, len, arch == RPT_ARCH_AARCH64 ? "x%u" : "r%u", bit);
	return buf;
}

static void print_regs(struct rpt_script *script,
		       const struct pd_sample_regs *regs)
{
	struct rpt_text *t = &script->text;
	char buf[16];
	size_t at = 0;

	if (!regs->abi)
		return;
	rpt_text_put(t, " ABI:", 5);
	rpt_text_dec(t, regs->abi, 0);
	rpt_text_char(t, ' ');
	for (unsigned bit = 0; bit < 64 && at < regs->regs.nr; bit++) {
		if (!(regs->mask >> bit & 1))
			continue;
		rpt_text_right(
			t, reg_name(script->conf.arch, bit, buf, sizeof(buf)),
			5);
		rpt_text_put(t, ":0x", 3);
		rpt_text_hex(t, pd_u64s_at(&regs->regs, at++), 0);
		rpt_text_char(t, ' ');
	}
}

static const char *branch_type_name(uint64_t type)
{
	static const char *const names[] = {
		"",	    "COND", "UNCOND",  "IND",	 "CALL",
		"IND_CALL", "RET",  "SYSCALL", "SYSRET", "COND_CALL",
		"COND_RET", "ERET", "IRQ",     "SERROR", "NO_TX",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "";
}

static const char *branch_spec_name(uint64_t spec)
{
	static const char *const names[] = { "-", "SPEC_WRONG_PATH",
					     "NON_SPEC_CORRECT_PATH",
					     "SPEC_CORRECT_PATH" };

	return names[spec & 3];
}

/* from/to/flag/in-tx/abort/cycles/type, and with newer perf /speculation */
static void print_branches(struct rpt_text *t,
			   const struct rpt_script_line *line)
{
	for (size_t i = 0; i < line->sample.branches.nr / 3; i++) {
		struct pd_branch b = pd_sample_branch_at(&line->sample, i);
		char flag = b.flags & 1 ? 'M' : b.flags & 2 ? 'P' : '-';

		rpt_text_put(t, " 0x", 3);
		rpt_text_hex(t, b.from, 0);
		rpt_text_put(t, "/0x", 3);
		rpt_text_hex(t, b.to, 0);
		rpt_text_char(t, '/');
		rpt_text_char(t, flag);
		rpt_text_put(t, b.flags & 4 ? "/X" : "/-", 2);
		rpt_text_put(t, b.flags & 8 ? "/A/" : "/-/", 3);
		rpt_text_dec(t, b.flags >> 4 & 0xffff, 0);
		rpt_text_char(t, '/');
		rpt_text_str(t, branch_type_name(b.flags >> 20 & 0xf));
		if (line->event->needed_perf != PD_PERF_6_1) {
			rpt_text_char(t, '/');
			rpt_text_str(t, branch_spec_name(b.flags >> 24 & 3));
		}
		rpt_text_char(t, ' ');
	}
}

static void print_trace(struct rpt_script *script,
			const struct rpt_script_line *line)
{
	struct rpt_tracepoint_record rec = {
		.raw = line->sample.raw,
		.raw_len = line->sample.raw_len,
		.cpu = line->sample.cpu,
		.config = line->event->attr.config,
	};

	if (script->conf.tracepoints && rec.raw)
		rpt_tracepoint_print(script->conf.tracepoints, &rec,
				     &script->text);
}

/* Padded to the longest so far */
static void print_data_src(struct rpt_script *script,
			   const struct rpt_script_line *line)
{
	uint64_t data_src = line->sample.data_src;
	struct rpt_text *t = &script->text;
	char buf[RPT_DATA_SRC_LEN];
	size_t len = rpt_data_src_text(data_src, line->event->needed_perf, buf);

	rpt_text_hex(t, data_src, 16);
	rpt_text_char(t, ' ');
	rpt_text_put(t, buf, len);
	if (len > script->data_src_width)
		script->data_src_width = len;
	for (; len < script->data_src_width; len++)
		rpt_text_char(t, ' ');
}

/* "4K", "2M" */
static void print_page_size(struct rpt_text *t, uint64_t size)
{
	static const char units[] = "BKMGTPE";
	size_t unit = 0;

	rpt_text_char(t, ' ');
	if (!size) {
		rpt_text_put(t, "N/A", 3);
		return;
	}
	for (; size >= 1024 && units[unit + 1]; size /= 1024)
		unit++;
	rpt_text_dec(t, size, 0);
	rpt_text_char(t, units[unit]);
}

int rpt_script_print(struct rpt_script *script, struct rpt_script_line *line)
{
	struct rpt_text *t = &script->text;
	uint64_t fields = line->fields;

	rpt_script_print_start(script, line);
	if (fields & RPT_FIELD_TRACE)
		print_trace(script, line);
	if (fields & RPT_FIELD_ADDR)
		print_addr(script, line);
	if (fields & RPT_FIELD_DATA_SRC)
		print_data_src(script, line);
	if (fields & RPT_FIELD_WEIGHT)
		rpt_text_dec(t, line->sample.weight, 16);
	if (fields & RPT_FIELD_INS_LAT)
		rpt_text_dec(t, line->sample.ins_lat, 16);
	if (fields & RPT_FIELD_IP)
		print_ip(script, line);
	if (fields & RPT_FIELD_IREGS)
		print_regs(script, &line->sample.regs_intr);
	if (fields & RPT_FIELD_UREGS)
		print_regs(script, &line->sample.regs_user);
	if (fields & RPT_FIELD_BRSTACK)
		print_branches(t, line);
	if (fields & RPT_FIELD_PHYS_ADDR)
		rpt_text_hex(t, line->sample.phys_addr, 16);
	if (fields & RPT_FIELD_DATA_PAGE)
		print_page_size(t, line->sample.data_page_size);
	if (fields & RPT_FIELD_CODE_PAGE)
		print_page_size(t, line->sample.code_page_size);
	rpt_text_char(t, '\n');
	return t->status;
}
