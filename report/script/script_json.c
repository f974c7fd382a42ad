#include "report/script/script_json.h"

#include "format/records/build_id.h"
#include "report/base/json_text.h"
#include "report/base/memory.h"
#include "report/events/branch_types.h"
#include "report/events/data_src.h"
#include "report/events/trace_field.h"
#include "report/symbols/inline_frames.h"
#include "report/timeline/guest_ids.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A field of a tracepoint */
struct field {
	struct rpt_trace_field is;
	struct rpt_raw_number number; /* none: it is shown as text */
};

struct rpt_script_json {
	struct rpt_json json;
	struct rpt_text_string *trace; /* owned; the text of a tracepoint */
	struct field *fields;	       /* owned; in the order of their events */
	size_t fields_nr;
};

int rpt_script_json_check(const struct rpt_script_args *args,
			  struct pd_err *err)
{
	bool shows_records = false, shows_code = false;
	const char *option;

	for (int t = 0; t < RPT_SCRIPT_TYPE_NR; t++)
		shows_code |= args->fields.of[t] &
			      (RPT_FIELD_SRCCODE | RPT_FIELD_INSN |
			       RPT_FIELD_INSN_LEN | RPT_FIELD_DISASM);
	for (int i = 0; i < RPT_SHOW_NR; i++)
		shows_records |= args->show[i];
	option = args->is_compat    ? "--compat"
		 : shows_records    ? "--show-...-events"
		 : args->is_dump    ? "-D"
		 : args->is_latency ? "-L"
		 : args->is_ns	    ? "--ns"
		 : args->header	    ? "--header"
		 : shows_code	    ? "-F srccode, insn, insnlen and disasm"
				    : NULL;
	if (!option)
		return 0;
	pd_err_set(err, -EINVAL,
		   "--format jsonl and %s: each line is one sample in JSON",
		   option);
	pd_err_hint(err, "leave one of them out");
	return -EINVAL;
}

void rpt_script_json_fields(struct rpt_script_fields *fields)
{
	for (int t = 0; t < RPT_SCRIPT_TYPE_NR; t++)
		if (!fields->is_set[t])
			fields->of[t] |= RPT_FIELD_PID | RPT_FIELD_PERIOD;
}

static void find_fields(struct rpt_script_json *j,
			const struct rpt_script *script)
{
	static const char all[] = "trace_fields/raw";
	const struct pd_str key = { all, sizeof(all) - 1 };
	struct rpt_trace_field *found;
	size_t nr = rpt_trace_fields_find(script->tracepoints, script->events,
					  key, NULL, 0);

	found = rpt_alloc_zeroed(nr + 1, sizeof(*found));
	j->fields = rpt_alloc_zeroed(nr + 1, sizeof(*j->fields));
	j->fields_nr = nr;
	rpt_trace_fields_find(script->tracepoints, script->events, key, found,
			      nr);
	for (size_t i = 0; i < nr; i++) {
		j->fields[i].is = found[i];
		rpt_trace_field_number(&found[i], &j->fields[i].number);
	}
	free(found);
}

static struct rpt_script_json *json_new(struct rpt_script *script)
{
	struct rpt_script_json *j = rpt_alloc_zeroed(1, sizeof(*j));

	j->json = RPT_JSON_INIT(&script->text, "");
	j->trace = rpt_text_string_new();
	find_fields(j, script);
	return j;
}

void rpt_script_json_free(struct rpt_script_json *j)
{
	if (!j)
		return;
	rpt_text_string_free(j->trace);
	free(j->fields);
	free(j);
}

/* Put an address as a string: JSON's numbers have 53 bits with many readers. */
static void put_hex(struct rpt_json *json, const char *key, uint64_t v)
{
	char text[20];

	snprintf(text, sizeof(text), "0x%" PRIx64, v);
	rpt_json_member_str(json, key, text);
}

static void put_int(struct rpt_json *json, const char *key, int64_t v)
{
	rpt_json_key(json, key);
	rpt_json_int(json, v);
}

void rpt_script_json_times(struct rpt_script *script, uint64_t fields,
			   uint64_t time_ns)
{
	struct rpt_text *t = &script->text;

	if (time_ns == UINT64_MAX) /* the sample has none */
		return;
	if (fields & RPT_FIELD_TIME) {
		rpt_text_str(t, ", \"time\": ");
		rpt_text_dec(t, rpt_script_shown_time(script, time_ns), 0);
	}
	if (fields & RPT_FIELD_TOD) {
		rpt_text_str(t, ", \"tod\": ");
		rpt_text_dec(t, time_ns + (uint64_t)script->setup->tod_shift_ns,
			     0);
	}
}

static void put_guest(struct rpt_script *script, struct rpt_json *json,
		      const struct rpt_script_line *line)
{
	const struct rpt_guest *guest = rpt_timeline_guest(
		script->setup->timeline, line->sample.fields.id);

	if (guest && (line->fields & RPT_FIELD_GUEST_PID))
		put_int(json, "machine_pid", guest->machine_pid);
	if (guest && (line->fields & RPT_FIELD_VCPU))
		put_int(json, "vcpu", guest->vcpu);
}

static void put_task(struct rpt_script *script, struct rpt_json *json,
		     const struct rpt_script_line *line)
{
	const struct rpt_task_state *task = line->sample.task;
	const struct pd_sample *sample = &line->sample.fields;
	uint64_t fields = line->fields;
	char unknown[16];

	if (fields & RPT_FIELD_EVENT)
		rpt_json_member_str(json, "event",
				    script->names[line->sample.event -
						  script->events->events]);
	if (fields & RPT_FIELD_COMM)
		rpt_json_member_str(json, "comm",
				    rpt_comm_or_tid(task->comm_then,
						    task->ref.tid, unknown));
	if (fields & RPT_FIELD_PID)
		put_int(json, "pid", (int32_t)sample->pid);
	if (fields & RPT_FIELD_TID)
		put_int(json, "tid", (int32_t)sample->tid);
	if ((fields & RPT_FIELD_CPU) && (sample->present & PD_SAMPLE_CPU))
		put_int(json, "cpu", (int32_t)sample->cpu);
	if (fields & RPT_FIELD_PERIOD)
		rpt_json_member_u64(json, "period", sample->period);
	if (fields & RPT_FIELD_MISC)
		rpt_json_member_u64(json, "misc", sample->misc);
	if (fields & (RPT_FIELD_GUEST_PID | RPT_FIELD_VCPU))
		put_guest(script, json, line);
}

static void put_field(struct rpt_script *script, struct rpt_json *json,
		      const struct field *field, const struct pd_sample *sample)
{
	const struct pd_str raw = { (const char *)sample->raw,
				    sample->raw_len };
	uint64_t v;
	char *text;

	rpt_json_key(json, rpt_trace_field_name(&field->is));
	if (rpt_raw_number_read(&field->number, script->tracepoints, sample,
				&v)) {
		if (field->number.is_signed)
			rpt_json_int(json, (int64_t)v);
		else
			rpt_json_u64(json, v);
		return;
	}
	text = rpt_trace_field_text(script->tracepoints, &field->is, raw, "");
	rpt_json_str(json, text);
	free(text);
}

static void put_trace(struct rpt_script *script, struct rpt_script_line *line)
{
	size_t idx = (size_t)(line->sample.event - script->events->events);
	struct rpt_script_json *j = script->json;
	size_t len = 0;
	const char *text;

	if (!script->tracepoints || !line->sample.fields.raw ||
	    line->sample.event->attr.type != PD_TYPE_TRACEPOINT)
		return;
	rpt_script_print_trace(script, line, &j->trace->text);
	text = rpt_text_string_take(j->trace, &len);
	rpt_json_key(&j->json, "trace");
	rpt_json_string(&j->json, text, len);
	rpt_json_key(&j->json, "fields");
	rpt_json_open(&j->json, '{');
	for (size_t i = 0; i < j->fields_nr; i++)
		if (j->fields[i].is.event_idx == idx)
			put_field(script, &j->json, &j->fields[i],
				  &line->sample.fields);
	rpt_json_close(&j->json, '}');
}

static void put_memory(struct rpt_script *script, struct rpt_json *json,
		       const struct rpt_script_line *line)
{
	const struct pd_sample *sample = &line->sample.fields;
	uint64_t fields = line->fields;
	char data_src[RPT_DATA_SRC_LEN];
	const char *cgroup;

	if (fields & RPT_FIELD_ADDR)
		put_hex(json, "addr", sample->addr);
	if (fields & RPT_FIELD_DATA_SRC) {
		rpt_data_src_text(rpt_data_src_of(sample),
				  line->sample.event->needed_perf, data_src);
		rpt_json_member_str(json, "data_src", data_src);
	}
	if (fields & RPT_FIELD_WEIGHT)
		rpt_json_member_u64(json, "weight", sample->weight);
	if (fields & RPT_FIELD_INS_LAT)
		rpt_json_member_u64(json, "ins_lat", sample->ins_lat);
	if (fields & RPT_FIELD_RETIRE_LAT)
		rpt_json_member_u64(json, "retire_lat", sample->p_stage_cyc);
	if (fields & RPT_FIELD_PHYS_ADDR)
		put_hex(json, "phys_addr", sample->phys_addr);
	if (fields & RPT_FIELD_DATA_PAGE)
		rpt_json_member_u64(json, "data_page_size",
				    sample->data_page_size);
	if (fields & RPT_FIELD_CODE_PAGE)
		rpt_json_member_u64(json, "code_page_size",
				    sample->code_page_size);
	if (fields & RPT_FIELD_CGROUP) {
		cgroup = rpt_timeline_cgroup(script->setup->timeline,
					     sample->cgroup_id);
		rpt_json_member_str(json, "cgroup", cgroup);
	}
}

static void put_regs(const struct rpt_script *script, struct rpt_json *json,
		     const char *key, const struct pd_sample_regs *regs)
{
	size_t at = 0;

	if (!regs->abi)
		return;
	rpt_json_key(json, key);
	rpt_json_open(json, '{');
	rpt_json_member_u64(json, "abi", regs->abi);
	for (unsigned bit = 0; bit < 64 && at < regs->regs.nr; bit++)
		if (regs->mask >> bit & 1)
			put_hex(json,
				rpt_reg_name(script->setup->reg_names, bit),
				pd_u64s_at(&regs->regs, at++));
	rpt_json_close(json, '}');
}

/* Put the raw data of bpf-output in hex. */
static void put_raw(struct rpt_json *json, const struct rpt_script_line *line)
{
	const struct pd_sample *sample = &line->sample.fields;
	struct rpt_text *t = json->out;

	if (!sample->raw)
		return;
	rpt_json_key(json, "raw");
	rpt_json_raw(json, "\"", 1);
	for (uint32_t i = 0; i < sample->raw_len; i++) {
		rpt_text_char(t, "0123456789abcdef"[sample->raw[i] >> 4]);
		rpt_text_char(t, "0123456789abcdef"[sample->raw[i] & 15]);
	}
	rpt_text_char(t, '"');
}

/* Put the place of a code address: names as far as they are asked for. */
static void put_place(struct rpt_script *script, uint64_t fields,
		      const struct rpt_location *at, uint64_t ip,
		      const struct rpt_inline_frame *frame)
{
	bool is_inlined = frame && frame->is_inlined;
	struct rpt_json *json = &script->json->json;
	char hex[PD_BUILD_ID_HEX_LEN];
	const uint8_t *id;
	const char *file;
	uint8_t len;
	int line;

	put_hex(json, "ip", ip);
	if ((fields & RPT_FIELD_SYM) && (frame || at->sym))
		rpt_json_member_str(json, "sym",
				    frame ? frame->name : at->sym->name);
	if (is_inlined)
		rpt_json_member_bool(json, "inlined", true);
	else if ((fields & RPT_FIELD_SYM) && at->sym)
		rpt_json_member_u64(json, "off",
				    ip + at->addr_add - at->sym->start);
	if ((fields & RPT_FIELD_SRCLINE) && at->map.dso &&
	    rpt_script_source_line(script, at, ip, frame ? frame->call_off : 0,
				   &file, &line)) {
		rpt_json_member_str(json, "file", file);
		put_int(json, "line", line);
	}
	if (!(fields & (RPT_FIELD_DSO | RPT_FIELD_DSOFF)) || !at->map.dso)
		return;
	rpt_json_member_str(json, "dso", rpt_dso_name(at->map.dso));
	if (rpt_dso_kind(at->map.dso) == RPT_DSO_USER)
		put_hex(json, "dsoff", ip + at->addr_add);
	rpt_script_lock(script);
	id = rpt_dso_build_id(at->map.dso, &len);
	pd_build_id_hex(id, len, hex);
	rpt_script_unlock(script);
	if (len)
		rpt_json_member_str(json, "build_id", hex);
}

void rpt_script_json_frame(struct rpt_script *script,
			   const struct rpt_script_line *line,
			   const struct rpt_location *at, uint64_t ip,
			   const struct rpt_inline_frame *frame)
{
	struct rpt_json *json = &script->json->json;

	rpt_json_open(json, '{');
	put_place(script, line->fields, at, ip, frame);
	rpt_json_close(json, '}');
}

static void put_chain(struct rpt_script *script, struct rpt_script_line *line)
{
	struct rpt_json *json = &script->json->json;

	rpt_json_key(json, "chain");
	rpt_json_open(json, '[');
	if (line->with_chain &&
	    (line->sample.fields.present & PD_SAMPLE_CALLCHAIN))
		rpt_script_print_chain(script, line);
	else
		rpt_script_put_address(script, line, RPT_SCRIPT_CHAIN,
				       line->sample.cpumode,
				       line->sample.fields.ip);
	rpt_json_close(json, ']');
}

static void put_branch_end(struct rpt_script *script,
			   struct rpt_script_line *line, const char *key,
			   uint64_t addr)
{
	struct rpt_json *json = &script->json->json;
	uint64_t fields = line->fields & RPT_FIELD_DSO;
	const struct rpt_location *at = rpt_script_find(
		script, line, rpt_script_mode_of(script, line, addr), addr);

	if (line->fields & RPT_FIELD_BRSTACKSYM)
		fields |= RPT_FIELD_SYM;
	rpt_json_key(json, key);
	rpt_json_open(json, '{');
	put_place(script, fields, at, addr, NULL);
	rpt_json_close(json, '}');
}

static void put_branches(struct rpt_script *script,
			 struct rpt_script_line *line)
{
	struct rpt_json *json = &script->json->json;

	rpt_json_key(json, "branches");
	rpt_json_open(json, '[');
	for (size_t i = 0; i < pd_sample_branch_nr(&line->sample.fields); i++) {
		struct pd_branch b =
			pd_sample_branch_at(&line->sample.fields, i);

		rpt_json_open(json, '{');
		put_branch_end(script, line, "from", b.from);
		put_branch_end(script, line, "to", b.to);
		rpt_json_member_bool(json, "mispredicted", b.flags & 1);
		rpt_json_member_u64(json, "cycles", b.flags >> 4 & 0xffff);
		if (b.flags & RPT_BRANCH_TYPE_FLAGS)
			rpt_json_member_str(
				json, "type",
				rpt_branch_type_name(b.flags >> 20 & 0xf));
		rpt_json_close(json, '}');
	}
	rpt_json_close(json, ']');
}

int rpt_script_json_print(struct rpt_script *script,
			  struct rpt_script_line *line)
{
	struct rpt_text *t = &script->text;
	struct rpt_json *json;

	if (!script->json)
		script->json = json_new(script);
	json = &script->json->json;
	rpt_text_str(t, "{\"v\": 1");
	json->is_first = false;
	line->times_start = t->len;
	rpt_script_json_times(script, line->fields,
			      line->sample.fields.time_ns);
	line->times_end = t->len;
	put_task(script, json, line);
	if (line->fields & RPT_FIELD_TRACE)
		put_trace(script, line);
	put_memory(script, json, line);
	if (line->fields & RPT_FIELD_BPF_OUTPUT)
		put_raw(json, line);
	if (line->fields & RPT_FIELD_IP)
		put_chain(script, line);
	if (line->fields & RPT_FIELD_IREGS)
		put_regs(script, json, "iregs", &line->sample.fields.regs_intr);
	if (line->fields & RPT_FIELD_UREGS)
		put_regs(script, json, "uregs", &line->sample.fields.regs_user);
	if (line->fields &
	    (RPT_FIELD_BRSTACK | RPT_FIELD_BRSTACKSYM | RPT_FIELD_BRSTACKOFF))
		put_branches(script, line);
	rpt_json_close(json, '}');
	rpt_text_char(t, '\n');
	return t->status;
}
