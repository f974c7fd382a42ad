/* What tells a row from others. */
#include "report/rows/rows_impl.h"

#include <errno.h>
#include <string.h>

#define BY_FROM                                                    \
	(RPT_BY_DSO_FROM | RPT_BY_SYMBOL_FROM | RPT_BY_ADDR_FROM | \
	 RPT_BY_DATA_ADDR | RPT_BY_DATA_DSO)

static void set_from(const struct rpt_rows *rows, struct rpt_row_key *key,
		     const struct rpt_frame *from)
{
	if (rows->conf.by & RPT_BY_DSO_FROM)
		key->from_dso_place = from->dso_place;
	if (rows->conf.by & RPT_BY_SYMBOL_FROM)
		key->from_place = from->sym ? (uint64_t)from->place << 1 | 1
					    : from->ip << 1;
	if (rows->conf.by & RPT_BY_ADDR_FROM) {
		key->from_addr = from->addr;
		key->addr_dso_from = from->dso_place + 1;
	}
	if (rows->conf.by & RPT_BY_DATA_ADDR)
		key->from_addr = from->ip;
	if (rows->conf.by & RPT_BY_DATA_DSO)
		key->from_dso_place = from->dso_place;
}

/* Lines of a file are the same in all its processes, memory of a process is its
 * own; as perf has it. */
static void set_data_line(const struct rpt_row_addition *add,
			  struct rpt_row_key *key, const struct rpt_frame *data)
{
	key->data_line = rpt_cache_line(data->addr);
	key->data_ino = data->ino;
	key->data_mode = (uint32_t)add->key->cpumode << 1 | !!data->dso;
	if (data->dso && !data->ino && add->key->cpumode != PD_CPUMODE_KERNEL)
		key->data_pid = add->at->scope.who.pid;
}

/* Of several inputs equal names are one; tasks, CPUs, cgroups never are. */
static int set_input(struct rpt_rows *rows, const struct rpt_row_addition *add,
		     struct rpt_row_key *key)
{
	const struct rpt_rows_input *input = rows->input;
	const char *comm = (const char *)(uintptr_t)add->key->base->comm;
	unsigned by = rows->conf.by;
	int64_t idx = 0;

	if (by & RPT_BY_HOST) {
		idx = rpt_intern(&rows->names, input->host,
				 strlen(input->host));
		key->host = (uint32_t)idx;
	}
	if (idx < 0 || input->is_only)
		return idx < 0 ? -ENOMEM : 0;
	if (by & (RPT_BY_TASK | RPT_BY_CPU | RPT_BY_VALUE) ||
	    (by & RPT_BY_COMM && !comm))
		key->input = input->idx;
	if (by & RPT_BY_COMM && comm) {
		idx = rpt_intern(&rows->names, comm, strlen(comm));
		key->comm = (uint64_t)idx << 1;
	}
	return idx < 0 ? -ENOMEM : 0;
}

static int set_from_line(struct rpt_rows *rows,
			 const struct rpt_row_addition *add,
			 struct rpt_row_key *key)
{
	uint32_t line, file;

	if (rpt_frame_line(rows->frames, add->from_frame, &line, &file))
		return -ENOMEM;
	key->from_line = line + 1;
	return 0;
}

static int set_lines(struct rpt_rows *rows, uint32_t frame,
		     struct rpt_row_key *key)
{
	unsigned by = rows->conf.by;
	uint32_t line, file;

	if (rpt_frame_line(rows->frames, frame, &line, &file))
		return -ENOMEM;
	key->line = by & RPT_BY_SRCLINE ? line + 1 : 0;
	key->file = by & RPT_BY_SRCFILE ? file + 1 : 0;
	return 0;
}

#define SHORT_KEY_BY (RPT_BY_COMM | RPT_BY_DSO | RPT_BY_SYMBOL | RPT_BY_TRACE)

/* Most tables ask for no more than the beginning of a key, and keep no more; of
 * others what is not 0. */
static size_t key_len(const struct rpt_rows *rows,
		      const struct rpt_row_key *key)
{
	uint64_t words[sizeof(*key) / sizeof(uint64_t)];
	size_t nr = sizeof(words) / sizeof(words[0]);
	const size_t least_len = offsetof(struct rpt_row_key, tid);

	if (rows->conf.level_nr)
		return sizeof(*key);
	if (!(rows->conf.by & ~(unsigned)SHORT_KEY_BY) && rows->input->is_only)
		return least_len;
	memcpy(words, key, sizeof(words));
	while (nr > least_len / sizeof(words[0]) && !words[nr - 1])
		nr--;
	return nr * sizeof(words[0]);
}

size_t rpt_row_key_len_max(const struct rpt_rows *rows)
{
	const unsigned first_by = SHORT_KEY_BY | RPT_BY_TASK | RPT_BY_CPU |
				  RPT_BY_FIELD | RPT_BY_VALUE;
	unsigned by = rows->conf.by;
	size_t len = sizeof(struct rpt_row_key);

	if (!(by & ~(unsigned)SHORT_KEY_BY))
		len = offsetof(struct rpt_row_key, tid);
	else if (!(by & ~first_by))
		len = offsetof(struct rpt_row_key, from_place);
	if (rows->conf.level_nr)
		len = sizeof(struct rpt_row_key);
	/* one for a stack */
	if (by & (RPT_BY_FIELD | RPT_BY_VALUE) && !rows->conf.children)
		len += (4 + rows->conf.value_nr + rows->conf.trace_field_nr) *
		       sizeof(uint64_t);
	return len;
}

int rpt_row_base_key(struct rpt_rows *rows, const struct rpt_row_addition *add,
		     struct rpt_row_key *ret)
{
	unsigned by = rows->conf.by;
	struct rpt_row_key key = { 0 };

	if (by & RPT_BY_COMM)
		key.comm = add->key->base->comm
				   ? add->key->base->comm
				   : (uint64_t)add->key->base->tid << 32 | 1;
	if (by & RPT_BY_TASK)
		key.tid = add->key->base->tid;
	if (by & RPT_BY_CPU)
		key.cpu = add->key->base->cpu;
	if (by & RPT_BY_TRACE)
		key.trace = add->trace << 1;
	key.fields = add->fields;
	key.branch_flags =
		rpt_stack_key_branch(add->key).flags & rpt_branch_flags_of(by);
	key.parent = add->parent_nr;
	if (by & BY_FROM)
		set_from(rows, &key, &rows->frames->items[add->from_frame]);
	if (by & RPT_BY_DATA_LINE)
		set_data_line(add, &key, &rows->frames->items[add->from_frame]);
	if (set_input(rows, add, &key) ||
	    (by & RPT_BY_SRCLINE_FROM && set_from_line(rows, add, &key)))
		return -ENOMEM;
	*ret = key;
	return 0;
}

/* What a frame says of itself, but for its lines. */
static void set_frame(const struct rpt_rows *rows,
		      const struct rpt_frame *frame, bool is_self,
		      struct rpt_row_key *key)
{
	unsigned by = rows->conf.by;

	if (by & RPT_BY_DSO)
		key->dso_place = frame->dso_place;
	if (by & RPT_BY_ADDR)
		key->ip = frame->ip;
	if (by & RPT_BY_ADDR_TO) {
		key->to_addr = frame->addr;
		key->addr_dso_to = frame->dso_place + 1;
	}
	if (by & RPT_BY_DSO_SIZE)
		key->map_len = frame->map_len;
	if (by & RPT_BY_SYMBOL_SIZE && frame->sym)
		key->symbol_len =
			(uint32_t)(frame->sym->end - frame->sym->start);
	if (by & RPT_BY_SYMBOL && frame->sym) {
		key->place = frame->place;
	} else if (by & RPT_BY_SYMBOL) {
		key->place = is_self ? frame->addr : frame->ip;
		key->trace |= 1;
	}
}

int64_t rpt_row_number(struct rpt_rows *rows,
		       const struct rpt_row_addition *add, uint32_t frame_idx,
		       bool is_self)
{
	struct rpt_row_key key = *add->base_key;

	set_frame(rows, &rows->frames->items[frame_idx], is_self, &key);
	if (rows->conf.by & (RPT_BY_SRCLINE | RPT_BY_SRCFILE) &&
	    set_lines(rows, frame_idx, &key))
		return -ENOMEM;
	return rpt_intern(&rows->keys, &key, key_len(rows, &key));
}
