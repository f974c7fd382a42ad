#include "report/script/script_line.h"

#include "format/records/callchain.h"
#include "report/script/script_compat.h"
#include "report/script/script_json.h"
#include "report/timeline/guest_ids.h"

#include <errno.h>
#include <time.h>

/* Return at most len bytes of text; buf has room for them and a NUL. */
static const char *cut(const char *text, size_t len, char *buf)
{
	if (strlen(text) <= len)
		return text;
	memcpy(buf, text, len);
	buf[len] = '\0';
	return buf;
}

static void print_comm(struct rpt_script *script, struct rpt_script_line *line)
{
	const struct rpt_task_state *task = line->sample.task;
	char unknown[16];
	const char *comm =
		rpt_comm_or_tid(task->comm_then, task->ref.tid, unknown);

	if (script->setup->args->is_latency)
		rpt_text_right(&script->text, cut(comm, 8, unknown), 8);
	else if (line->with_chain)
		rpt_text_str(&script->text, comm);
	else
		rpt_text_right(&script->text, comm, 16);
	rpt_text_char(&script->text, ' ');
}

static void print_task(struct rpt_text *t, const struct rpt_script_line *line)
{
	int32_t pid = (int32_t)line->sample.fields.pid;
	int32_t tid = (int32_t)line->sample.fields.tid;
	int width = line->sample.event->needed_perf == PD_PERF_6_1 ? 5 : 7;
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

/* Return the CPU of a sample, -1 if its event does not sample it.  Other
 * records have what their line is to show: perf shows 0 where none has one. */
static uint32_t cpu_of(const struct rpt_script_line *line)
{
	if (line->sample.rec->type != PD_RECORD_SAMPLE)
		return line->sample.fields.cpu;
	return line->sample.event->attr.sample_type & PD_SAMPLE_CPU
		       ? line->sample.fields.cpu
		       : UINT32_MAX;
}

static void print_cpu(struct rpt_text *t, uint32_t cpu, bool is_latency)
{
	if (is_latency) {
		rpt_text_int(t, (int32_t)cpu, 3);
		rpt_text_char(t, ' ');
		return;
	}
	rpt_text_char(t, '[');
	if ((int32_t)cpu < 0) /* of no CPU: "-01" */
		rpt_text_format(t, "%03d", (int)cpu);
	else
		rpt_text_zeros(t, cpu, 3);
	rpt_text_put(t, "] ", 2);
}

/* Print perf's letters for the header's bits, whose meaning depends on the type
 * of the record. */
static void print_misc(struct rpt_text *t, const struct rpt_script_line *line)
{
	/* perf looks for the bits of each mode, and 3 has those of 1 and 2 */
	static const char *const modes[8] = { "",  "K",	  "U",	"KUH",
					      "G", "KGg", "UG", "KUHGg" };
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
	const char *mode =
		modes[line->sample.fields.misc & PD_MISC_CPUMODE_MASK];
	size_t len = 0;
	char buf[8];

	for (; mode[len]; len++)
		buf[len] = mode[len];
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].type == line->sample.rec->type &&
		    (line->sample.fields.misc & flags[i].bit))
			buf[len++] = flags[i].letter;
	for (; len < 6; len++)
		buf[len] = ' ';
	rpt_text_put(t, buf, len);
}

/* Print the part of ns that is less than a second. */
static void print_fraction(struct rpt_script *script, uint64_t ns)
{
	if (script->setup->args->is_ns)
		rpt_text_zeros(&script->text, ns % 1000000000, 9);
	else
		rpt_text_zeros(&script->text, ns % 1000000000 / 1000, 6);
}

/* Print the date in the local time zone. */
static void print_tod(struct rpt_script *script, uint64_t time_ns)
{
	uint64_t ns = time_ns + (uint64_t)script->setup->tod_shift_ns;
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;
	char buf[64];

	if (!localtime_r(&seconds, &tm) ||
	    !strftime(buf, sizeof(buf), "%F %H:%M:%S.", &tm))
		return;
	rpt_text_str(&script->text, buf);
	print_fraction(script, ns);
	rpt_text_char(&script->text, ' ');
}

uint64_t rpt_script_shown_time(struct rpt_script *script, uint64_t ns)
{
	uint64_t base_ns = script->base_ns;

	if (script->setup->args->is_deltatime) {
		script->base_ns = ns;
		return base_ns ? ns - base_ns : 0;
	}
	if (!script->setup->args->is_reltime)
		return ns;
	if (!base_ns)
		script->base_ns = ns;
	return ns - script->base_ns;
}

static void print_time(struct rpt_script *script, uint64_t recorded_ns)
{
	struct rpt_text *t = &script->text;
	uint64_t ns = rpt_script_shown_time(script, recorded_ns);

	rpt_text_dec(t, ns / 1000000000, 5);
	rpt_text_char(t, '.');
	print_fraction(script, ns);
	rpt_text_put(t, ": ", 2);
}

static void print_guest(struct rpt_script *script,
			const struct rpt_script_line *line)
{
	const struct rpt_guest *guest = rpt_timeline_guest(
		script->setup->timeline, line->sample.fields.id);

	if (guest && (line->fields & RPT_FIELD_GUEST_PID))
		rpt_text_format(&script->text, "VM:%5d ", guest->machine_pid);
	if (guest && (line->fields & RPT_FIELD_VCPU))
		rpt_text_format(&script->text, "VCPU:%03d ", guest->vcpu);
}

void rpt_script_print_times(struct rpt_script *script, uint64_t fields,
			    uint64_t time_ns)
{
	if (script->setup->args->is_json) {
		rpt_script_json_times(script, fields, time_ns);
		return;
	}
	if (fields & RPT_FIELD_TOD)
		print_tod(script, time_ns);
	if (fields & RPT_FIELD_TIME)
		print_time(script, time_ns);
}

void rpt_script_print_start(struct rpt_script *script,
			    struct rpt_script_line *line)
{
	struct rpt_text *t = &script->text;

	if (line->fields & (RPT_FIELD_GUEST_PID | RPT_FIELD_VCPU))
		print_guest(script, line);
	if (line->fields & RPT_FIELD_COMM)
		print_comm(script, line);
	if (line->fields & (RPT_FIELD_PID | RPT_FIELD_TID))
		print_task(t, line);
	if (line->fields & RPT_FIELD_CPU)
		print_cpu(t, cpu_of(line), script->setup->args->is_latency);
	if (line->fields & RPT_FIELD_MISC)
		print_misc(t, line);
	line->times_start = t->len;
	rpt_script_print_times(script, line->fields,
			       line->sample.fields.time_ns);
	line->times_end = t->len;
	if (line->fields & RPT_FIELD_PERIOD) {
		rpt_text_dec(t, line->sample.fields.period, 10);
		rpt_text_char(t, ' ');
	}
	if (line->fields & RPT_FIELD_EVENT)
		rpt_text_str(t, script->titles[line->sample.event -
					       script->events->events]);
}

/* Return how many entries are shown.  As in perf, a chain of branches is shown
 * whole if its kernel part is not too long. */
static uint32_t max_stack(const struct rpt_script *script,
			  const struct pd_sample *sample,
			  enum rpt_script_form form)
{
	uint32_t nr = script->setup->args->max_stack;

	if (form == RPT_SCRIPT_CHAIN && sample->is_chain_of_branches &&
	    pd_callchain_has_user(&sample->callchain, nr))
		return UINT32_MAX;
	return nr;
}

/* Return false if the chain ended at one of --stop-bt. */
static bool print_part(struct rpt_script *script, struct rpt_script_line *line,
		       enum rpt_script_form form, const struct pd_u64s *chain)
{
	uint32_t left_nr = max_stack(script, &line->sample.fields, form);
	struct pd_callchain it = pd_callchain_start(chain);

	/* Skip the mark in front of unwound frames, which can have any address
	 * (the last often ~0). */
	it.has_no_marks = form == RPT_SCRIPT_UNWOUND;
	it.next_idx = form == RPT_SCRIPT_UNWOUND;
	for (; left_nr && pd_callchain_next(&it) != PD_CALLCHAIN_END; left_nr--)
		if (!rpt_script_put_address(script, line, form, it.cpumode,
					    it.ip))
			return false;
	return true;
}

void rpt_script_print_chain(struct rpt_script *script,
			    struct rpt_script_line *line)
{
	const struct pd_u64s *chain = &line->sample.fields.callchain;
	struct pd_u64s unwound = {
		.raw = (const uint8_t *)script->unwound,
		.nr = line->unwound_nr,
	};

	if (!pd_callchain_is_known(chain, script->setup->args->max_stack))
		return;
	/* --max-stack holds for each part */
	if (print_part(script, line, RPT_SCRIPT_CHAIN, chain) &&
	    line->unwound_nr)
		print_part(script, line, RPT_SCRIPT_UNWOUND, &unwound);
}

void rpt_script_print_ip(struct rpt_script *script,
			 struct rpt_script_line *line)
{
	const struct pd_sample *sample = &line->sample.fields;

	if (!line->with_chain || !(sample->present & PD_SAMPLE_CALLCHAIN)) {
		if (script->setup->args->is_compat) {
			rpt_text_char(&script->text, '\n');
			rpt_script_put_address(script, line, RPT_SCRIPT_CHAIN,
					       line->sample.cpumode,
					       sample->ip);
			return;
		}
		rpt_text_char(&script->text, ' ');
		rpt_text_hex(&script->text, sample->ip, 16);
		rpt_script_put_address(script, line, RPT_SCRIPT_ADDRESS,
				       line->sample.cpumode, sample->ip);
		return;
	}
	rpt_text_char(&script->text, '\n');
	rpt_script_print_chain(script, line);
}

int rpt_script_print(struct rpt_script *script, struct rpt_script_line *line)
{
	if (script->setup->args->is_json)
		return rpt_script_json_print(script, line);
	if (script->setup->args->is_compat)
		rpt_script_compat_start(script, line);
	else
		rpt_script_print_start(script, line);
	rpt_script_print_values(script, line);
	rpt_text_char(&script->text, '\n');
	if (line->fields & RPT_FIELD_SRCCODE)
		rpt_script_code_print(script, line);
	return script->text.status;
}
