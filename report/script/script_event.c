
#include "report/script/script_line.h"

#include "format/records/build_id.h"
#include "format/records/record_body.h"
#include "format/records/sample_id.h"

#include <inttypes.h>

/* From <sys/mman.h> of Linux, on all machines */
#define PROTECTION_READ	 1u
#define PROTECTION_WRITE 2u
#define PROTECTION_EXEC	 4u
#define MAPPING_SHARED	 1u

/* A record and the text that it goes to */
struct line {
	struct rpt_text *text;
	const struct pd_record *rec;
	const struct pd_body *body;
};

static void put_str(struct line *l, struct pd_str s)
{
	rpt_text_name(l->text, s.ptr, s.len);
}

static void put_comm(struct line *l)
{
	const struct pd_comm *c = &l->body->u.comm;

	rpt_text_format(l->text, "%s: ",
			l->rec->misc & PD_MISC_COMM_EXEC ? " exec" : "");
	put_str(l, c->comm);
	rpt_text_format(l->text, ":%d/%d", (int)c->pid, (int)c->tid);
}

static void put_task(struct line *l)
{
	const struct pd_task *t = &l->body->u.task;

	rpt_text_format(l->text, "(%d:%d):(%d:%d)", (int)t->pid, (int)t->tid,
			(int)t->ppid, (int)t->ptid);
}

static void put_mmap(struct line *l)
{
	const struct pd_mmap *m = &l->body->u.mmap;

	rpt_text_format(l->text,
			" %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64
			"]: %c ",
			(int)m->pid, (int)m->tid, m->addr, m->map_len, m->pgoff,
			l->rec->misc & PD_MISC_MMAP_DATA ? 'r' : 'x');
	put_str(l, m->filename);
}

static void put_mmap2(struct line *l)
{
	const struct pd_mmap *m = &l->body->u.mmap;
	char hex[PD_BUILD_ID_HEX_LEN];

	rpt_text_format(
		l->text, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64 " ",
		(int)m->pid, (int)m->tid, m->addr, m->map_len, m->pgoff);
	if (m->build_id_len) {
		pd_build_id_hex(m->build_id, m->build_id_len, hex);
		rpt_text_format(l->text, "<%s>]: ", hex);
	} else {
		rpt_text_format(l->text,
				"%02x:%02x %" PRIu64 " %" PRIu64 "]: ", m->maj,
				m->min, m->ino, m->ino_generation);
	}
	rpt_text_format(l->text, "%c%c%c%c ",
			m->prot & PROTECTION_READ ? 'r' : '-',
			m->prot & PROTECTION_WRITE ? 'w' : '-',
			m->prot & PROTECTION_EXEC ? 'x' : '-',
			m->flags & MAPPING_SHARED ? 's' : 'p');
	put_str(l, m->filename);
}

static const char *switch_name(const struct pd_record *rec)
{
	if (!(rec->misc & PD_MISC_SWITCH_OUT))
		return "IN         ";
	return rec->misc & PD_MISC_SWITCH_OUT_PREEMPT ? "OUT preempt"
						      : "OUT        ";
}

static void put_switch(struct line *l)
{
	rpt_text_format(l->text, " %s", switch_name(l->rec));
}

static void put_switch_cpu_wide(struct line *l)
{
	const struct pd_switch *s = &l->body->u.cpu_switch;

	rpt_text_format(l->text, " %s  %s pid/tid: %5d/%-5d",
			switch_name(l->rec),
			l->rec->misc & PD_MISC_SWITCH_OUT ? "next" : "prev",
			(int)s->next_prev_pid, (int)s->next_prev_tid);
}

static void put_namespaces(struct line *l)
{
	static const char *const names[] = { "net",  "uts", "ipc",   "pid",
					     "user", "mnt", "cgroup" };
	const struct pd_namespaces *n = &l->body->u.namespaces;

	rpt_text_format(l->text, " %d/%d - nr_namespaces: %" PRIu64 "\n\t\t[",
			(int)n->pid, (int)n->tid, n->nr);
	for (size_t i = 0; i < n->nr; i++) {
		bool is_known = i < sizeof(names) / sizeof(names[0]);

		if (i && i % 4 == 0)
			rpt_text_format(l->text, "\n\t\t ");
		rpt_text_format(l->text, "%zu/%s: %" PRIu64 "/%#" PRIx64 "%s",
				i, is_known ? names[i] : "unknown",
				pd_u64s_at(&n->links, 2 * i),
				pd_u64s_at(&n->links, 2 * i + 1),
				i + 1 == n->nr ? "]" : ", ");
	}
}

static void put_cgroup(struct line *l)
{
	rpt_text_format(l->text, " cgroup: %" PRIu64 " ",
			l->body->u.cgroup.cgroup_id);
	put_str(l, l->body->u.cgroup.path);
}

static void put_lost(struct line *l)
{
	rpt_text_format(l->text, " lost %" PRIu64, l->body->u.lost.lost_nr);
}

static void put_ksymbol(struct line *l)
{
	const struct pd_ksymbol *k = &l->body->u.ksymbol;

	rpt_text_format(l->text,
			" addr %" PRIx64 " len %u type %u flags 0x%x name ",
			k->addr, k->sym_len, k->ksym_type, k->flags);
	put_str(l, k->name);
}

static void put_bpf(struct line *l)
{
	const struct pd_bpf_event *b = &l->body->u.bpf_event;

	rpt_text_format(l->text, " type %u, flags %u, id %u", b->event_type,
			b->flags, b->prog_id);
}

static void put_bytes(struct line *l, const char *what, const uint8_t *bytes,
		      size_t len)
{
	rpt_text_format(l->text, "\n            %s bytes:", what);
	for (size_t i = 0; i < len; i++)
		rpt_text_format(l->text, " %02x", bytes[i]);
}

static void put_text_poke(struct line *l)
{
	const struct pd_text_poke *p = &l->body->u.text_poke;

	rpt_text_format(l->text, " %" PRIx64 "  old len %u new len %u", p->addr,
			p->old_len, p->new_len);
	put_bytes(l, "Old", p->bytes, p->old_len);
	put_bytes(l, "New", p->bytes + p->old_len, p->new_len);
}

static const struct row {
	uint32_t type;
	enum rpt_show show;
	void (*put)(struct line *l); /* NULL: it has no fields */
} rows[] = {
	{ PD_RECORD_MMAP, RPT_SHOW_MMAP, put_mmap },
	{ PD_RECORD_MMAP2, RPT_SHOW_MMAP, put_mmap2 },
	{ PD_RECORD_COMM, RPT_SHOW_TASK, put_comm },
	{ PD_RECORD_FORK, RPT_SHOW_TASK, put_task },
	{ PD_RECORD_EXIT, RPT_SHOW_TASK, put_task },
	{ PD_RECORD_SWITCH, RPT_SHOW_SWITCH, put_switch },
	{ PD_RECORD_SWITCH_CPU_WIDE, RPT_SHOW_SWITCH, put_switch_cpu_wide },
	{ PD_RECORD_NAMESPACES, RPT_SHOW_NAMESPACE, put_namespaces },
	{ PD_RECORD_CGROUP, RPT_SHOW_CGROUP, put_cgroup },
	{ PD_RECORD_LOST, RPT_SHOW_LOST, put_lost },
	{ PD_RECORD_KSYMBOL, RPT_SHOW_BPF, put_ksymbol },
	{ PD_RECORD_BPF_EVENT, RPT_SHOW_BPF, put_bpf },
	{ PD_RECORD_TEXT_POKE, RPT_SHOW_TEXT_POKE, put_text_poke },
	{ PD_RECORD_FINISHED_ROUND, RPT_SHOW_ROUND, NULL },
};

static const struct row *row_of(uint32_t type)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].type == type)
			return &rows[i];
	return NULL;
}

bool rpt_script_event_is_shown(const bool show[RPT_SHOW_NR], uint32_t type)
{
	const struct row *row = row_of(type);

	/* a change of code may come with a symbol for it */
	if (type == PD_RECORD_KSYMBOL && show[RPT_SHOW_TEXT_POKE])
		return true;
	return row && show[row->show];
}

void rpt_script_event_put(struct rpt_text *text, const struct pd_record *rec,
			  const struct pd_body *body)
{
	const struct row *row = row_of(rec->type);
	struct line line = { text, rec, body };

	if (!row)
		return;
	if (row->put)
		row->put(&line);
	rpt_text_char(text, '\n');
}

/* Set *pid and *tid to the task that the record is about, which need not be the
 * one that ran. */
static void task_of(const struct pd_body *body, uint32_t *pid, uint32_t *tid)
{
	switch (body->type) {
	case PD_RECORD_MMAP:
	case PD_RECORD_MMAP2:
		*pid = body->u.mmap.pid;
		*tid = body->u.mmap.tid;
		break;
	case PD_RECORD_COMM:
		*pid = body->u.comm.pid;
		*tid = body->u.comm.tid;
		break;
	case PD_RECORD_FORK:
	case PD_RECORD_EXIT:
		*pid = body->u.task.pid;
		*tid = body->u.task.tid;
		break;
	case PD_RECORD_NAMESPACES:
		*pid = body->u.namespaces.pid;
		*tid = body->u.namespaces.tid;
		break;
	default:
		break;
	}
}

/* Print the start of the line as for a sample, without fields that only samples
 * have.  A CPU that the record lacks, though other events have it, is -1. */
static void put_start(struct rpt_script *script, const struct pd_record *rec,
		      const struct pd_body *body, const struct pd_event *event,
		      const struct pd_sample_id *id)
{
	bool has_cpu = !id->present || (id->present & PD_SAMPLE_CPU);
	uint32_t pid = id->pid, tid = id->tid;
	struct rpt_script_line line = { 0 };
	struct pd_sample *fields = &line.sample.fields;

	task_of(body, &pid, &tid);
	line.sample.event = event;
	line.sample.rec = rec;
	line.sample.when.time_ns =
		pd_event_set_order(script->events, id->time_ns);
	line.sample.when.seq = rec->seq;
	line.sample.task = rpt_sample_reader_task(&script->reader, pid, tid,
						  line.sample.when);
	fields->misc = rec->misc;
	fields->pid = id->present ? id->pid : pid;
	fields->tid = id->present ? id->tid : tid;
	fields->time_ns = id->time_ns;
	fields->id = id->id;
	fields->cpu = has_cpu ? id->cpu : UINT32_MAX;
	if (!id->present &&
	    (rec->type == PD_RECORD_FORK || rec->type == PD_RECORD_EXIT))
		fields->time_ns = body->u.task.time_ns;
	rpt_script_describe(script, &line);
	line.fields &= ~(RPT_FIELD_PERIOD | RPT_FIELD_EVENT);
	rpt_script_print_start(script, &line);
}

int rpt_script_event(struct rpt_script *script, const struct pd_record *rec)
{
	const struct pd_event *event =
		pd_event_set_of_record(script->events, rec);
	struct pd_err err = PD_ERR_INIT;
	struct pd_sample_id id = { 0 };
	struct pd_body body = { .type = rec->type };
	size_t id_len = event ? event->layout.id_len : 0;
	bool is_kernels = rec->type < PD_RECORD_USER_START;

	if (!row_of(rec->type) || (is_kernels && !event))
		return 0;
	if (is_kernels && (pd_sample_id_read(&event->layout, rec, &id, &err) ||
			   pd_body_read(rec, id_len, &body, &err))) {
		if (!script->setup->args
			     ->is_dump) /* else the dump has counted it */
			rpt_script_note_damage(script, rec, &err);
		return 0;
	}
	if (!rpt_filter_time(&script->setup->filter, 0, id.cpu))
		return 0; /* as in perf, no other filter is asked */
	if (script->dumps)
		rpt_script_to(script, script->out);
	if (is_kernels)
		put_start(script, rec, &body, event, &id);
	rpt_text_put(&script->text, "PERF_RECORD_", 12);
	rpt_text_str(&script->text, pd_record_type_name(rec->type));
	rpt_script_event_put(&script->text, rec, &body);
	return script->text.status;
}
