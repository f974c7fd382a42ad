#include "report/script/script_line.h"

#include "report/events/branch_types.h"
#include "report/events/data_src.h"

#include <errno.h>

/* PERF_COUNT_SW_BPF_OUTPUT of perf_event_open(2) */
#define SW_BPF_OUTPUT 10

void rpt_script_print_trace(struct rpt_script *script,
			    const struct rpt_script_line *line,
			    struct rpt_text *out)
{
	const struct rpt_kernel_symbols kernel = {
		.timeline = script->setup->timeline,
		.when = line->sample.when,
		.kernel_version = rpt_timeline_kernel_version(
			script->setup->timeline, line->sample.when),
		.lock = script->names_lock,
	};
	struct rpt_tracepoint_record rec = {
		.raw = line->sample.fields.raw,
		.raw_len = line->sample.fields.raw_len,
		.cpu = line->sample.fields.cpu,
		.config = line->sample.event->attr.config,
		.kernel = &kernel,
	};

	if (script->tracepoints && rec.raw)
		rpt_tracepoint_print(script->tracepoints, &rec, out);
}

unsigned rpt_script_mode_of(const struct rpt_script *script,
			    const struct rpt_script_line *line, uint64_t addr)
{
	unsigned mode = line->sample.cpumode;
	struct rpt_map map;
	bool is_known;

	rpt_script_lock(script);
	is_known = rpt_timeline_map(script->setup->timeline,
				    &line->sample.task->ref, mode, addr,
				    line->sample.when, &map);
	rpt_script_unlock(script);
	if (is_known)
		return mode;
	return mode == PD_CPUMODE_USER ? PD_CPUMODE_KERNEL : PD_CPUMODE_USER;
}

/* Return true if addresses of the event are shown with a name. */
static bool has_named_address(const struct pd_attr *attr)
{
	return attr->type == PD_TYPE_BREAKPOINT ||
	       (attr->type == PD_TYPE_SOFTWARE &&
		(attr->config == 2 || attr->config == 5 || attr->config == 6));
}

static void print_addr(struct rpt_script *script, struct rpt_script_line *line)
{
	uint64_t addr = line->sample.fields.addr;

	rpt_text_hex(&script->text, addr, 16);
	if (has_named_address(&line->sample.event->attr))
		rpt_script_put_address(script, line, RPT_SCRIPT_ADDRESS,
				       rpt_script_mode_of(script, line, addr),
				       addr);
}

/* Print the memory operation, padded to the longest so far. */
static void print_data_src(struct rpt_script *script,
			   struct rpt_script_line *line)
{
	uint64_t data_src = rpt_data_src_of(&line->sample.fields);
	struct rpt_text *t = &script->text;
	char buf[RPT_DATA_SRC_LEN];
	size_t len = rpt_data_src_text(data_src,
				       line->sample.event->needed_perf, buf);

	rpt_text_hex(t, data_src, 16);
	rpt_text_char(t, ' ');
	rpt_text_put(t, buf, len);
	if (len > script->data_src_width)
		script->data_src_width = len;
	for (; len < script->data_src_width; len++)
		rpt_text_char(t, ' ');
}

/* "4K", "2M" */
void rpt_script_put_page_size(struct rpt_text *t, uint64_t size)
{
	static const char units[] = "BKMG";
	size_t unit = 0;

	rpt_text_char(t, ' ');
	if (!size) {
		rpt_text_put(t, "N/A", 3);
		return;
	}
	/* a page of a GiB has 1024M, in perf too */
	for (; size / 1024 > 1 && units[unit + 1]; size /= 1024)
		unit++;
	rpt_text_dec(t, size, 0);
	rpt_text_char(t, units[unit]);
}

static void print_regs(struct rpt_script *script,
		       const struct pd_sample_regs *regs)
{
	struct rpt_text *t = &script->text;
	size_t at = 0;

	if (!regs->abi)
		return;
	rpt_text_put(t, " ABI:", 5);
	rpt_text_dec(t, regs->abi, 0);
	rpt_text_char(t, ' ');
	for (unsigned bit = 0; bit < 64 && at < regs->regs.nr; bit++) {
		if (!(regs->mask >> bit & 1))
			continue;
		rpt_text_right(t, rpt_reg_name(script->setup->reg_names, bit),
			       5);
		rpt_text_put(t, ":0x", 3);
		rpt_text_hex(t, pd_u64s_at(&regs->regs, at++), 0);
		rpt_text_char(t, ' ');
	}
}

static const char *branch_spec_name(uint64_t spec)
{
	static const char *const names[] = { "-", "SPEC_WRONG_PATH",
					     "NON_SPEC_CORRECT_PATH",
					     "SPEC_CORRECT_PATH" };

	return names[spec & 3];
}

/* "/M/-/-/3/COND ", and with newer perf "/speculation" */
static void put_branch_flags(struct rpt_text *t, uint64_t flags,
			     enum pd_perf perf)
{
	char letter = flags & 2 ? 'P' : flags & 1 ? 'M' : '-';

	rpt_text_char(t, '/');
	rpt_text_char(t, letter);
	rpt_text_put(t, flags & 4 ? "/X" : "/-", 2);
	rpt_text_put(t, flags & 8 ? "/A/" : "/-/", 3);
	rpt_text_dec(t, flags >> 4 & 0xffff, 0);
	rpt_text_char(t, '/');
	rpt_text_str(t, rpt_branch_type_name(flags >> 20 & 0xf));
	if (perf != PD_PERF_6_1) {
		rpt_text_char(t, '/');
		rpt_text_str(t, branch_spec_name(flags >> 24 & 3));
	}
	rpt_text_char(t, ' ');
}

/* Print one end of a branch, as a number or by name. */
static void put_branch_end(struct rpt_script *script,
			   struct rpt_script_line *line,
			   enum rpt_script_form form, uint64_t addr)
{
	if (form == RPT_SCRIPT_BRANCH)
		rpt_text_put(&script->text, "0x", 2);
	if (form == RPT_SCRIPT_BRANCH && !(line->fields & RPT_FIELD_DSO))
		rpt_text_hex(&script->text, addr, 0);
	else
		rpt_script_put_address(script, line, form,
				       rpt_script_mode_of(script, line, addr),
				       addr);
}

static void print_branches(struct rpt_script *script,
			   struct rpt_script_line *line)
{
	enum rpt_script_form form =
		line->fields & RPT_FIELD_BRSTACK      ? RPT_SCRIPT_BRANCH
		: line->fields & RPT_FIELD_BRSTACKSYM ? RPT_SCRIPT_BRANCH_SYM
						      : RPT_SCRIPT_BRANCH_OFF;
	struct rpt_text *t = &script->text;

	for (size_t i = 0; i < pd_sample_branch_nr(&line->sample.fields); i++) {
		struct pd_branch b =
			pd_sample_branch_at(&line->sample.fields, i);

		if (form != RPT_SCRIPT_BRANCH_SYM)
			rpt_text_char(t, ' ');
		put_branch_end(script, line, form, b.from);
		rpt_text_char(t, '/');
		put_branch_end(script, line, form, b.to);
		put_branch_flags(t, b.flags, line->sample.event->needed_perf);
	}
}

/* Return true if raw is printable text with nothing but NULs behind it. */
static bool is_text(const uint8_t *raw, uint32_t len)
{
	uint32_t at = 0;

	while (at < len && raw[at] >= 0x20 && raw[at] < 0x7f)
		at++;
	if (at == len)
		return false;
	for (; at < len; at++)
		if (raw[at])
			return false;
	return true;
}

static void print_bpf_output(struct rpt_script *script,
			     struct rpt_script_line *line)
{
	const uint8_t *raw = line->sample.fields.raw;
	struct rpt_text *t = &script->text;

	if (line->sample.event->attr.type != PD_TYPE_SOFTWARE ||
	    line->sample.event->attr.config != SW_BPF_OUTPUT || !raw)
		return;
	for (uint32_t at = 0; at < line->sample.fields.raw_len; at += 8) {
		uint32_t left = line->sample.fields.raw_len - at;

		rpt_text_str(t, at ? "\n                  "
				   : "\n      BPF output: ");
		rpt_text_format(t, "%04x:", at);
		rpt_script_put_bytes(t, raw + at, left, 8);
	}
	rpt_text_char(t, '\n');
	if (is_text(raw, line->sample.fields.raw_len)) {
		rpt_text_str(t, "      BPF string: \"");
		rpt_text_str(t, (const char *)raw);
		rpt_text_str(t, "\"\n");
	}
}

static void print_cgroup(struct rpt_script *script,
			 struct rpt_script_line *line)
{
	const char *name = rpt_timeline_cgroup(script->setup->timeline,
					       line->sample.fields.cgroup_id);

	rpt_text_char(&script->text, ' ');
	rpt_text_str(&script->text, name ? name : "unknown");
}

void rpt_script_print_values(struct rpt_script *script,
			     struct rpt_script_line *line)
{
	const struct pd_sample *sample = &line->sample.fields;
	struct rpt_text *t = &script->text;
	uint64_t fields = line->fields;

	if (fields & RPT_FIELD_FLAGS) /* only what is decoded has any */
		rpt_text_pad(t, 24);
	if (fields & RPT_FIELD_TRACE)
		rpt_script_print_trace(script, line, t);
	if (fields & RPT_FIELD_ADDR)
		print_addr(script, line);
	if (fields & RPT_FIELD_DATA_SRC)
		print_data_src(script, line);
	if (fields & RPT_FIELD_WEIGHT)
		rpt_text_dec(t, sample->weight, 16);
	if (fields & RPT_FIELD_INS_LAT)
		rpt_text_dec(t, sample->ins_lat, 16);
	if (fields & RPT_FIELD_RETIRE_LAT)
		rpt_text_dec(t, sample->p_stage_cyc, 16);
	if (fields & RPT_FIELD_CGROUP)
		print_cgroup(script, line);
	if (fields & RPT_FIELD_IP)
		rpt_script_print_ip(script, line);
	if (fields & RPT_FIELD_IREGS)
		print_regs(script, &sample->regs_intr);
	if (fields & RPT_FIELD_UREGS)
		print_regs(script, &sample->regs_user);
	if (fields &
	    (RPT_FIELD_BRSTACK | RPT_FIELD_BRSTACKSYM | RPT_FIELD_BRSTACKOFF))
		print_branches(script, line);
	if (fields & RPT_FIELD_BPF_OUTPUT)
		print_bpf_output(script, line);
	if (fields & RPT_FIELD_CODE)
		rpt_script_print_insn(script, line);
	if (fields & RPT_FIELD_PHYS_ADDR)
		rpt_text_hex(t, sample->phys_addr, 16);
	if (fields & RPT_FIELD_DATA_PAGE)
		rpt_script_put_page_size(t, sample->data_page_size);
	if (fields & RPT_FIELD_CODE_PAGE)
		rpt_script_put_page_size(t, sample->code_page_size);
}
