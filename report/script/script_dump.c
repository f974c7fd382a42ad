#include "format/records/sample_id.h"
#include "report/events/branch_types.h"
#include "report/input/dir_source.h"
#include "report/script/script_line.h"

#include <errno.h>
#include <inttypes.h>

#define TIME_CONV_LEN 56u

static void put_id_index(struct rpt_text *t, const struct pd_id_index *index)
{
	rpt_text_format(t, " nr: %" PRIu64 "\n", index->nr);
	for (size_t i = 0; i + 3 < index->entries.nr; i += 4) {
		rpt_text_format(t,
				" ... id: %" PRIu64 "  idx: %" PRIu64
				"  cpu: %" PRId64 "  tid: %" PRId64,
				pd_u64s_at(&index->entries, i),
				pd_u64s_at(&index->entries, i + 1),
				(int64_t)pd_u64s_at(&index->entries, i + 2),
				(int64_t)pd_u64s_at(&index->entries, i + 3));
		if (i / 2 + 1 < index->guests.nr)
			rpt_text_format(
				t, "  machine_pid: %" PRId64 "  vcpu: %" PRId64,
				(int64_t)pd_u64s_at(&index->guests, i / 2),
				(int64_t)pd_u64s_at(&index->guests, i / 2 + 1));
		rpt_text_char(t, '\n');
	}
}

static void put_auxtrace(struct rpt_text *t, const struct pd_auxtrace *a)
{
	rpt_text_format(t,
			" size: %#" PRIx64 "  offset: %#" PRIx64
			"  ref: %#" PRIx64 "  idx: %u  tid: %d  cpu: %d\n",
			a->trace_len, a->offset, a->reference, a->idx,
			(int)a->tid, (int)a->cpu);
}

static void put_thread_map(struct rpt_text *t, const struct pd_thread_map *map,
			   bool swap)
{
	rpt_text_format(t, " nr: %" PRIu64 " thread%s", map->nr,
			map->nr > 1 ? "s" : "");
	for (uint64_t i = 0; i < map->nr; i++)
		rpt_text_format(
			t, "%s%" PRId64, i ? ", " : ": ",
			(int64_t)pd_thread_map_at(map, (size_t)i, swap).tid);
	rpt_text_char(t, '\n');
}

static void put_run(struct rpt_text *t, int32_t first, int32_t last)
{
	rpt_text_format(t, "%" PRId32, first);
	if (last > first)
		rpt_text_format(t, "-%" PRId32, last);
}

/* Print "0-3,8", in the order of the list; -1: whatever CPU a thread is on.
 * perf, too, takes 0 for the CPU after that. */
static void put_cpus(struct rpt_text *t, const struct pd_cpu_map *map)
{
	uint32_t nr = pd_cpu_map_place_nr(map);
	int32_t cpu, first = 0, last = 0;
	bool has_run = false;

	for (uint32_t i = 0; i < nr; i++) {
		if (!pd_cpu_map_cpu(map, i, &cpu))
			continue;
		if (has_run && cpu == last + 1) {
			last = cpu;
			continue;
		}
		if (has_run) {
			put_run(t, first, last);
			rpt_text_char(t, ',');
		}
		first = last = cpu;
		has_run = true;
	}
	if (has_run)
		put_run(t, first, last);
	rpt_text_char(t, '\n');
}

static void put_update(struct rpt_text *t, const struct pd_event_update *u)
{
	rpt_text_format(t, "\n... id:    %" PRIu64 "\n", u->id);
	switch (u->what) {
	case PD_UPDATE_SCALE:
		rpt_text_format(t, "... scale: %f\n", u->scale);
		break;
	case PD_UPDATE_UNIT:
	case PD_UPDATE_NAME:
		rpt_text_str(t, u->what == PD_UPDATE_UNIT ? "... unit:  "
							  : "... name:  ");
		rpt_text_name(t, u->text.ptr, u->text.len);
		rpt_text_char(t, '\n');
		break;
	default:
		rpt_text_str(t, "... ");
		put_cpus(t, &u->cpus);
	}
}

/* Print a TIME_CONV; is_short: of before Linux 5.10, up to time_zero. */
static void put_time_conv(struct rpt_text *t, const struct pd_time_conv *c,
			  bool is_short)
{
	rpt_text_format(t, "\n... Time Shift      %" PRIu64 "\n",
			c->time_shift);
	rpt_text_format(t, "... Time Muliplier  %" PRIu64 "\n", c->time_mult);
	rpt_text_format(t, "... Time Zero       %" PRIu64 "\n", c->time_zero);
	if (is_short) {
		rpt_text_str(t, ": unhandled!\n");
		return;
	}
	rpt_text_format(t, "... Time Cycles     %" PRIu64 "\n", c->time_cycles);
	rpt_text_format(t, "... Time Mask       %#" PRIx64 "\n", c->time_mask);
	rpt_text_format(t, "... Cap Time Zero   %u\n", c->cap_user_time_zero);
	rpt_text_format(t, "... Cap Time Short  %u\n: unhandled!\n",
			c->cap_user_time_short);
}

static void put_auxtrace_error(struct rpt_text *t,
			       const struct pd_auxtrace_error *e)
{
	rpt_text_format(
		t, " type %u code %u cpu %d pid %d tid %d ip %#" PRIx64 " ",
		e->error_type, e->code, (int)e->cpu, (int)e->pid, (int)e->tid,
		e->ip);
	rpt_text_name(t, e->msg.ptr, e->msg.len);
	rpt_text_char(t, '\n');
}

/* Print the fields of a record that perf itself writes. */
static void script_dump_user(struct rpt_text *t, const struct pd_record *rec,
			     const struct pd_body *body)
{
	switch (body->type) {
	case PD_RECORD_ID_INDEX:
		put_id_index(t, &body->u.id_index);
		break;
	case PD_RECORD_AUXTRACE_INFO:
		rpt_text_format(t, " type: %u\n",
				body->u.auxtrace_info.auxtrace_type);
		break;
	case PD_RECORD_AUXTRACE:
		put_auxtrace(t, &body->u.auxtrace);
		break;
	case PD_RECORD_AUXTRACE_ERROR:
		put_auxtrace_error(t, &body->u.auxtrace_error);
		break;
	case PD_RECORD_THREAD_MAP:
		put_thread_map(t, &body->u.thread_map, rec->swap);
		break;
	case PD_RECORD_CPU_MAP:
		rpt_text_str(t, ": ");
		put_cpus(t, &body->u.cpu_map);
		break;
	case PD_RECORD_EVENT_UPDATE:
		put_update(t, &body->u.event_update);
		break;
	case PD_RECORD_TIME_CONV:
		put_time_conv(t, &body->u.time_conv, rec->len < TIME_CONV_LEN);
		break;
	case PD_RECORD_FINISHED_INIT:
		rpt_text_str(t, ": unhandled!\n");
		break;
	case PD_RECORD_FINISHED_ROUND:
		rpt_text_char(t, '\n');
		break;
	default:
		break;
	}
}

static void put_stat_config(struct rpt_text *t, const struct pd_stat_config *c)
{
	static const char *const names[] = {
		[PD_STAT_CONFIG_AGGR_MODE] = "aggr_mode",
		[PD_STAT_CONFIG_INTERVAL] = "interval ",
		[PD_STAT_CONFIG_SCALE] = "scale    ",
	};
	static const unsigned order[] = { PD_STAT_CONFIG_AGGR_MODE,
					  PD_STAT_CONFIG_SCALE,
					  PD_STAT_CONFIG_INTERVAL };

	rpt_text_char(t, '\n');
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		uint64_t value = 0;

		for (size_t k = 0; k + 1 < c->entries.nr; k += 2)
			if (pd_u64s_at(&c->entries, k) == order[i])
				value = pd_u64s_at(&c->entries, k + 1);
		rpt_text_format(t, "... %s %d\n", names[order[i]], (int)value);
	}
}

/* Print those of counts as perf report does; perf script does not. */
static void script_dump_counts(struct rpt_text *t, const struct pd_body *body)
{
	const struct pd_stat *stat = &body->u.stat;
	const struct pd_stat_round *round = &body->u.stat_round;

	if (body->type == PD_RECORD_STAT_CONFIG)
		put_stat_config(t, &body->u.stat_config);
	if (body->type == PD_RECORD_STAT)
		rpt_text_format(t,
				"\n... id %" PRIu64 ", cpu %d, thread %d\n"
				"... value %" PRIu64 ", enabled %" PRIu64
				", running %" PRIu64 "\n",
				stat->id, (int)stat->cpu, (int)stat->thread,
				stat->value, stat->enabled, stat->running);
	if (body->type == PD_RECORD_STAT_ROUND)
		rpt_text_format(
			t, "\n... time %" PRIu64 ", type %s\n", round->time_ns,
			round->round_type == PD_STAT_ROUND_INTERVAL ? "INTERVAL"
								    : "FINAL");
}

#define ROW_LEN 16u

static const char HEX[] = "0123456789abcdef";

void rpt_script_put_bytes(struct rpt_text *t, const uint8_t *data, size_t len,
			  size_t row_len)
{
	char row[ROW_LEN * 4 + 2], *hex = row, *ascii = row + row_len * 3;

	*ascii++ = ' ';
	*ascii++ = ' ';
	for (size_t i = 0; i < row_len; i++) {
		bool is_there = i < len;
		uint8_t byte = is_there ? data[i] : ' ';

		*hex++ = ' ';
		*hex++ = is_there ? HEX[byte >> 4] : ' ';
		*hex++ = is_there ? HEX[byte & 15] : ' ';
		*ascii++ = byte >= 0x20 && byte < 0x7f ? (char)byte : '.';
	}
	rpt_text_put(t, row, row_len * 4 + 2);
}

/* Print a record's bytes, each row behind its offset, which has four digits. */
static void put_raw(struct rpt_text *t, const uint8_t *data, size_t len)
{
	for (size_t at = 0; at < len; at += ROW_LEN) {
		rpt_text_str(t, ".  ");
		for (int shift = 12; shift >= 0; shift -= 4)
			rpt_text_char(t, HEX[at >> shift & 15]);
		rpt_text_str(t, ": ");
		rpt_script_put_bytes(t, data + at, len - at, ROW_LEN);
		rpt_text_char(t, '\n');
	}
}

/* Print "0x110@perf.data" or "0@perf.data/data.1".  Return the offset, which in
 * a pipe counts from the end of its header. */
static uint64_t put_place(struct rpt_script *script,
			  const struct pd_record *rec)
{
	const struct pd_file_header *header =
		pd_reader_header(script->setup->in.reader);
	struct rpt_text *t = &script->text;
	uint64_t off = rec->file_off;
	const char *file;

	if (header->is_pipe) {
		off -= header->header_len;
		rpt_text_format(t, "\n%#" PRIx64 "@pipe", off);
		return off;
	}
	file = rpt_dir_source_place(&script->setup->in.source.dir, &off);
	rpt_text_format(t, "\n%#" PRIx64 "@", off);
	rpt_text_str(t, script->setup->in.path);
	if (file) {
		rpt_text_char(t, '/');
		rpt_text_str(t, file);
	}
	return off;
}

/* Return the sample bits of all events that perf knows at this record: in a
 * pipe those whose HEADER_ATTR has passed. */
static uint64_t known_sample_type(struct rpt_script *script, uint32_t type)
{
	bool is_pipe = pd_reader_header(script->setup->in.reader)->is_pipe;
	size_t nr = is_pipe ? script->dumped_attr_nr : script->events->nr;
	uint64_t all = 0;

	for (size_t i = 0; i < nr && i < script->events->nr; i++)
		if (!all || type != PD_RECORD_HEADER_ATTR)
			all |= script->events->events[i].attr.sample_type;
	return all;
}

static bool has_trailers(struct rpt_script *script)
{
	bool is_pipe = pd_reader_header(script->setup->in.reader)->is_pipe;

	return script->events->nr && (!is_pipe || script->dumped_attr_nr) &&
	       script->events->events[0].layout.id_len;
}

/* Print the bytes and the type.  A field that the record lacks, but others of
 * the file have, is -1. */
static void put_head(struct rpt_script *script, const struct pd_record *rec,
		     uint64_t present, uint32_t cpu, uint64_t time_ns)
{
	uint64_t type = known_sample_type(script, rec->type);
	struct rpt_text *t = &script->text;
	uint64_t off;

	rpt_script_to(script, script->out); /* no event's own file */
	off = put_place(script, rec);
	rpt_text_format(t, " [%#x]: event: %u\n.\n", rec->len, rec->type);
	rpt_text_format(t, ". ... raw event: size %u bytes\n", rec->len);
	put_raw(t, rec->data, rec->len);
	rpt_text_char(t, '\n');
	if (rec->type != PD_RECORD_SAMPLE && !has_trailers(script)) {
		rpt_text_str(t, "-1 -1 ");
	} else {
		if (type & PD_SAMPLE_CPU)
			rpt_text_format(t, "%u ",
					present & PD_SAMPLE_CPU ? cpu
								: UINT32_MAX);
		if (type & PD_SAMPLE_TIME)
			rpt_text_format(t, "%" PRIu64 " ",
					present & PD_SAMPLE_TIME ? time_ns
								 : UINT64_MAX);
	}
	rpt_text_format(t, "%#" PRIx64 " [%#x]: PERF_RECORD_%s", off, rec->len,
			pd_record_type_name(rec->type)
				? pd_record_type_name(rec->type)
				: "UNKNOWN");
}

static void put_aux(struct rpt_text *t, const struct pd_aux *aux)
{
	static const char letters[] = "TOPC";

	rpt_text_format(t,
			" offset: %#" PRIx64 " size: %#" PRIx64
			" flags: %#" PRIx64 " [",
			aux->aux_offset, aux->aux_len, aux->flags);
	for (unsigned i = 0; letters[i]; i++)
		if (aux->flags >> i & 1)
			rpt_text_char(t, letters[i]);
	rpt_text_str(t, "]\n");
}

/* Print a kernel record that -D words otherwise than --show-...-events, or that
 * only -D shows.  Return false if it is another. */
static bool put_kernel(struct rpt_text *t, const struct pd_body *body,
		       const struct pd_sample_id *id)
{
	switch (body->type) {
	case PD_RECORD_LOST:
		rpt_text_format(t, ": id:%" PRIu64 ": lost:%" PRIu64 "\n",
				body->u.lost.id, body->u.lost.lost_nr);
		return true;
	case PD_RECORD_LOST_SAMPLES:
		rpt_text_format(t,
				": id:%" PRIu64 ": lost samples :%" PRIu64 "\n",
				id->id, body->u.lost_samples.lost_nr);
		return true;
	case PD_RECORD_AUX:
		put_aux(t, &body->u.aux);
		return true;
	case PD_RECORD_ITRACE_START:
		rpt_text_format(t, " pid: %u tid: %u\n",
				body->u.itrace_start.pid,
				body->u.itrace_start.tid);
		return true;
	case PD_RECORD_AUX_OUTPUT_HW_ID:
		rpt_text_format(t, " hw_id: 0x%" PRIx64 "\n",
				body->u.aux_output_hw_id.hw_id);
		return true;
	default:
		return false;
	}
}

/* Print a READ record by the read_format of its event. */
static void put_read(struct rpt_script *script, const struct pd_event *event,
		     const struct pd_read *read)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} parts[] = {
		{ PD_READ_TOTAL_TIME_ENABLED, "time enabled" },
		{ PD_READ_TOTAL_TIME_RUNNING, "time running" },
		{ PD_READ_ID, "id          " },
		{ PD_READ_LOST, "lost        " },
	};
	struct rpt_text *t = &script->text;
	size_t at = 1;

	rpt_text_format(t, ": %d %d ", (int)read->pid, (int)read->tid);
	if (event)
		rpt_text_str(t, script->names[event - script->events->events]);
	rpt_text_format(t, " %" PRIu64 "\n",
			read->words.nr ? pd_u64s_at(&read->words, 0) : 0);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && event; i++)
		if ((event->attr.read_format & parts[i].bit) &&
		    at < read->words.nr)
			rpt_text_format(t, "... %s : %" PRIu64 "\n",
					parts[i].name,
					pd_u64s_at(&read->words, at++));
	if (!script->setup->args->is_report_dump)
		rpt_text_str(t, ": unhandled!\n");
}

/* Return true for types that perf script handles and perf report does not. */
static bool is_of_script(uint32_t type)
{
	return type >= PD_RECORD_THREAD_MAP && type <= PD_RECORD_STAT_ROUND;
}

void rpt_script_dump(struct rpt_script *script, const struct pd_record *rec)
{
	const struct pd_event *event =
		pd_event_set_of_record(script->events, rec);
	struct pd_sample_id id = { 0 };
	struct pd_body body = { .type = rec->type };
	bool is_kernels = rec->type < PD_RECORD_USER_START;
	size_t id_len = event ? event->layout.id_len : 0;
	struct pd_err err = PD_ERR_INIT;
	bool is_read;

	if (is_kernels && event)
		pd_sample_id_read(&event->layout, rec, &id, NULL);
	if (!(id.present & (PD_SAMPLE_ID | PD_SAMPLE_IDENTIFIER)))
		id.id = UINT64_MAX;
	is_read = !pd_body_read(rec, is_kernels ? id_len : 0, &body, &err);
	put_head(script, rec, is_kernels ? id.present : UINT64_MAX, id.cpu,
		 id.time_ns);
	if (!is_read) {
		rpt_text_format(&script->text, ": %s\n", err.text);
		if (err.code != -ENOTSUP)
			rpt_script_note_damage(script, rec, &err);
	} else if (rec->type == PD_RECORD_FINISHED_ROUND &&
		   script->setup->args->is_unsorted_dump) {
		rpt_text_str(&script->text, ": unhandled!\n");
	} else if (!is_kernels) {
		script_dump_user(&script->text, rec, &body);
		if (script->setup->args->is_report_dump &&
		    is_of_script(rec->type)) {
			script_dump_counts(&script->text, &body);
			rpt_text_str(&script->text, ": unhandled!\n");
		}
	} else if (rec->type == PD_RECORD_READ) {
		put_read(script, event, &body.u.read);
	} else if (!put_kernel(&script->text, &body, &id)) {
		rpt_script_event_put(&script->text, rec, &body);
	}
	if (rec->type == PD_RECORD_HEADER_ATTR)
		script->dumped_attr_nr++;
}

/* Callers that were put in were not recorded there. */
static void put_chain(struct rpt_text *t, const struct rpt_sample *sample)
{
	struct pd_u64s chain = sample->fields.callchain;
	size_t nr = 0;

	chain.nr += sample->unwound.nr; /* right behind it */

	rpt_text_format(t, "... FP chain: nr:%zu\n",
			chain.nr - sample->leaf_nr);
	for (size_t i = 0; i < chain.nr; i++)
		if (i - sample->leaf_idx >= sample->leaf_nr)
			rpt_text_format(t, "..... %2zu: %016" PRIx64 "\n", nr++,
					pd_u64s_at(&chain, i));
}

static void put_branches(struct rpt_text *t, const struct pd_sample *sample)
{
	size_t nr = pd_sample_branch_nr(sample);

	rpt_text_format(t, "... branch stack: nr:%zu\n", nr);
	for (size_t i = 0; i < nr; i++) {
		struct pd_branch b = pd_sample_branch_at(sample, i);

		rpt_text_format(
			t,
			"..... %2zu: %016" PRIx64 " -> %016" PRIx64
			" %u cycles %c%c%c%c %x %s\n",
			i, b.from, b.to, (unsigned)(b.flags >> 4 & 0xffff),
			b.flags & 1 ? 'M' : ' ', b.flags & 2 ? 'P' : ' ',
			b.flags & 8 ? 'A' : ' ', b.flags & 4 ? 'T' : ' ',
			(unsigned)(b.flags >> 33),
			rpt_branch_type_name(b.flags >> 20 & 15));
	}
}

static void put_regs(struct rpt_script *script, const char *mode,
		     const struct pd_sample_regs *regs)
{
	static const char *const abis[] = { "none", "32-bit", "64-bit" };
	size_t at = 0;

	if (!regs->abi)
		return;
	rpt_text_format(
		&script->text, "... %s regs: mask 0x%" PRIx64 " ABI %s\n", mode,
		regs->mask, regs->abi < 3 ? abis[regs->abi] : "unknown");
	for (unsigned bit = 0; bit < 64 && at < regs->regs.nr; bit++)
		if (regs->mask >> bit & 1)
			rpt_text_format(
				&script->text, ".... %-5s 0x%016" PRIx64 "\n",
				rpt_reg_name(script->setup->reg_names, bit),
				pd_u64s_at(&regs->regs, at++));
}

static void put_counts(struct rpt_text *t,
		       const struct pd_sample_counts *counts)
{
	uint64_t format = counts->read_format;

	rpt_text_str(t, "... sample_read:\n");
	if (format & PD_READ_TOTAL_TIME_ENABLED)
		rpt_text_format(t, "...... time enabled %016" PRIx64 "\n",
				counts->time_enabled);
	if (format & PD_READ_TOTAL_TIME_RUNNING)
		rpt_text_format(t, "...... time running %016" PRIx64 "\n",
				counts->time_running);
	if (format & PD_READ_GROUP)
		rpt_text_format(t, ".... group nr %" PRIu64 "\n", counts->nr);
	for (size_t i = 0; i < counts->nr; i++) {
		struct pd_read_value v = pd_sample_count_at(counts, i);

		rpt_text_format(t, "..... id %016" PRIx64 ", value %016" PRIx64,
				v.id, v.value);
		if (format & PD_READ_LOST)
			rpt_text_format(t, ", lost %" PRIu64, v.lost);
		rpt_text_char(t, '\n');
	}
}

static void put_memory(struct rpt_text *t, const struct pd_sample *sample,
		       enum pd_perf perf)
{
	/* perf 6.1 knows no third weight of x86 */
	unsigned third = perf == PD_PERF_6_1 ? 0 : sample->p_stage_cyc;
	uint64_t has = sample->present;

	if (has & (PD_SAMPLE_WEIGHT | PD_SAMPLE_WEIGHT_STRUCT)) {
		rpt_text_format(t, "... weight: %" PRIu64, sample->weight);
		if (has & PD_SAMPLE_WEIGHT_STRUCT)
			rpt_text_format(t, ",0x%x,0x%x", sample->ins_lat,
					third);
		rpt_text_char(t, '\n');
	}
	if (has & PD_SAMPLE_DATA_SRC)
		rpt_text_format(t, " . data_src: 0x%" PRIx64 "\n",
				sample->data_src);
	if (has & PD_SAMPLE_PHYS_ADDR)
		rpt_text_format(t, " .. phys_addr: 0x%" PRIx64 "\n",
				sample->phys_addr);
	if (has & PD_SAMPLE_DATA_PAGE_SIZE) {
		rpt_text_str(t, " .. data page size:");
		rpt_script_put_page_size(t, sample->data_page_size);
		rpt_text_char(t, '\n');
	}
	if (has & PD_SAMPLE_CODE_PAGE_SIZE) {
		rpt_text_str(t, " .. code page size:");
		rpt_script_put_page_size(t, sample->code_page_size);
		rpt_text_char(t, '\n');
	}
	if (has & PD_SAMPLE_TRANSACTION)
		rpt_text_format(t, "... transaction: %" PRIx64 "\n",
				sample->transaction);
}

void rpt_script_dump_sample(struct rpt_script *script,
			    const struct rpt_script_line *line)
{
	const struct pd_record *rec = line->sample.rec;
	const struct pd_sample *sample = &line->sample.fields;
	struct rpt_text *t = &script->text;
	uint64_t has = sample->present;

	put_head(script, rec, has, sample->cpu, sample->time_ns);
	rpt_text_format(t,
			"(IP, 0x%x): %d/%d: %#" PRIx64 " period: %" PRIu64
			" addr: %#" PRIx64 "\n",
			rec->misc, (int)sample->pid, (int)sample->tid,
			sample->ip, sample->period, sample->addr);
	if (has & PD_SAMPLE_CALLCHAIN)
		put_chain(t, &line->sample);
	if (has & PD_SAMPLE_BRANCH_STACK)
		put_branches(t, sample);
	put_regs(script, "user", &sample->regs_user);
	put_regs(script, "intr", &sample->regs_intr);
	if ((has & PD_SAMPLE_STACK_USER) && sample->stack)
		rpt_text_format(t, "... ustack: size %zu, offset 0x%x\n",
				sample->stack_dyn_len,
				/* perf counts from the length in front of it */
				(unsigned)(sample->stack - rec->data - 8));
	put_memory(t, sample, line->sample.event->needed_perf);
	if (has & PD_SAMPLE_READ)
		put_counts(t, &sample->counts);
}

void rpt_script_dump_place(struct rpt_script *script,
			   struct rpt_script_line *line)
{
	const struct rpt_task_state *task = line->sample.task;
	unsigned mode = line->sample.cpumode;
	struct rpt_text *t = &script->text;
	struct rpt_map map;
	char buf[16];

	rpt_script_to(script, script->out);
	rpt_text_str(t, " ... thread: ");
	rpt_text_str(t, rpt_comm_or_tid(task->comm_then, task->ref.tid, buf));
	rpt_text_format(t, ":%d\n ...... dso: ", (int)task->ref.tid);
	if (mode != PD_CPUMODE_KERNEL && mode != PD_CPUMODE_USER)
		rpt_text_str(t, "[hypervisor]");
	else if (rpt_timeline_map(script->setup->timeline, &task->ref, mode,
				  line->sample.fields.ip, line->sample.when,
				  &map))
		rpt_text_str(t, rpt_dso_name(map.dso));
	else
		rpt_text_str(t, "<not found>");
	rpt_text_char(t, '\n');
}
