/* Which of two rows comes first, by one thing that they show. */
#include "report/rows/rows_impl.h"

#include <stdio.h>
#include <string.h>

static int compare_u64(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int compare_int(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* No name comes last. */
static int compare_names(const char *a, const char *b)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

static const struct rpt_frame *frame_of(const struct rpt_rows *rows,
					const struct rpt_row *row)
{
	return &rows->frames->items[row->frame];
}

static const struct rpt_frame *from_frame(const struct rpt_rows *rows,
					  const struct rpt_row *row)
{
	return &rows->frames->items[row->from_frame];
}

const char *rpt_row_dso_name(const struct rpt_rows *rows,
			     const struct rpt_frame *frame)
{
	return frame->dso ? rpt_intern_key(&rows->frames->dso_names,
					   frame->dso_place)
			  : NULL;
}

/* Tasks without a name are called ":TID". */
static int compare_comms(const struct rpt_row *x, const struct rpt_row *y)
{
	const char *p = x->comm, *q = y->comm;
	char a[16], b[16];

	if (p && q)
		return compare_names(p, q);
	snprintf(a, sizeof(a), ":%d", (int)rpt_row_tid(x));
	snprintf(b, sizeof(b), ":%d", (int)rpt_row_tid(y));
	return strcmp(p ? p : a, q ? q : b);
}

/* Of another event's row: none. */
static struct pd_str field_bytes(const struct rpt_row *row, uint32_t field)
{
	const struct rpt_trace_field *f = &row->input->trace_fields[field];

	if (f->event_idx != rpt_row_stack_key(row)->event_idx)
		return (struct pd_str){ NULL, 0 };
	return rpt_trace_field_bytes(row->input->tracepoints, f,
				     rpt_row_raw(row));
}

/* The bytes as perf compares them: the greatest first. */
static int compare_fields(uint32_t field, const struct rpt_row *x,
			  const struct rpt_row *y)
{
	struct pd_str a = field_bytes(x, field);
	struct pd_str b = field_bytes(y, field);
	size_t len = a.len < b.len ? a.len : b.len;
	int rc = len ? memcmp(b.ptr, a.ptr, len) : 0;

	return rc ? rc : compare_u64(a.len, b.len);
}

/* perf subtracts them, and takes what comes out for a signed number: the upper
 * half of all addresses comes first. */
static int compare_ips(uint64_t a, uint64_t b)
{
	return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
}

/* DSOs of branches, and of data: the last name first, as in perf. */
static int compare_dsos(const struct rpt_rows *rows, const struct rpt_frame *a,
			const struct rpt_frame *b)
{
	return -compare_names(rpt_row_dso_name(rows, a),
			      rpt_row_dso_name(rows, b));
}

/* Functions of branches, by address as in perf. */
static int compare_functions(const struct rpt_frame *a,
			     const struct rpt_frame *b)
{
	if (!a->sym != !b->sym)
		return a->sym ? -1 : 1;
	if (a->sym)
		return compare_u64(b->sym->start, a->sym->start);
	return compare_ips(a->ip, b->ip);
}

static int compare_addrs(const struct rpt_rows *rows, const struct rpt_frame *a,
			 const struct rpt_frame *b)
{
	int rc = compare_dsos(rows, a, b);

	return rc ? rc : compare_ips(a->addr, b->addr);
}

static uint64_t symbol_len(const struct rpt_rows *rows,
			   const struct rpt_row *row)
{
	const struct rpt_symbol *sym = frame_of(rows, row)->sym;

	return sym ? sym->end - sym->start : 0;
}

static int compare_lines(const struct rpt_rows *rows, unsigned by,
			 const struct rpt_frame *a, const struct rpt_frame *b)
{
	const struct rpt_intern *lines = &rows->frames->lines;
	bool is_file = by == RPT_BY_SRCFILE;

	return compare_names(
		rpt_intern_key(lines, (is_file ? a->file : a->line) - 1),
		rpt_intern_key(lines, (is_file ? b->file : b->line) - 1));
}

/* Those of the kernel first; by file, or by process where there is none. */
static int compare_data_lines(const struct rpt_rows *rows,
			      const struct rpt_row *x, const struct rpt_row *y)
{
	const struct rpt_frame *p = from_frame(rows, x);
	const struct rpt_frame *q = from_frame(rows, y);
	uint32_t mode = rpt_row_stack_key(x)->cpumode;
	int rc = compare_u64(rpt_row_stack_key(y)->cpumode, mode);

	if (!rc)
		rc = !p->dso - !q->dso;
	if (!rc)
		rc = compare_u64(q->ino, p->ino);
	if (!rc && p->dso && !p->ino && mode != PD_CPUMODE_KERNEL)
		rc = compare_int((int)rpt_row_pid(x), (int)rpt_row_pid(y));
	return rc ? rc
		  : compare_u64(rpt_cache_line(q->addr),
				rpt_cache_line(p->addr));
}

int rpt_row_compare(const struct rpt_rows *rows,
		    const struct rpt_order_key *key, const struct rpt_row *x,
		    const struct rpt_row *y)
{
	uint64_t flags = rpt_branch_flags_of(key->by);

	switch (key->by) {
	case RPT_BY_COMM:
		return compare_comms(x, y);
	case RPT_BY_TASK:
		return compare_int((int)rpt_row_tid(x), (int)rpt_row_tid(y));
	case RPT_BY_CPU:
		return compare_int((int)rpt_row_stack_key(x)->base->cpu,
				   (int)rpt_row_stack_key(y)->base->cpu);
	case RPT_BY_TRACE:
		return strcmp(rpt_intern_key(&rows->traces, x->trace),
			      rpt_intern_key(&rows->traces, y->trace));
	case RPT_BY_FIELD:
		return compare_fields(key->field, x, y);
	case RPT_BY_VALUE:
		return rpt_value_compare(rows->conf.values[key->field],
					 rpt_row_values(x)[key->field],
					 rpt_row_values(y)[key->field]);
	case RPT_BY_ADDR:
		return compare_ips(frame_of(rows, x)->ip,
				   frame_of(rows, y)->ip);
	case RPT_BY_DSO_SIZE:
		return compare_u64(frame_of(rows, y)->map_len,
				   frame_of(rows, x)->map_len);
	case RPT_BY_SYMBOL_SIZE:
		return compare_u64(symbol_len(rows, y), symbol_len(rows, x));
	case RPT_BY_HOST:
		return compare_names(x->input->host, y->input->host);
	case RPT_BY_SRCLINE:
	case RPT_BY_SRCFILE:
		return compare_lines(rows, key->by, frame_of(rows, x),
				     frame_of(rows, y));
	case RPT_BY_SRCLINE_FROM:
		return compare_lines(rows, key->by, from_frame(rows, x),
				     from_frame(rows, y));
	case RPT_BY_DSO_FROM:
	case RPT_BY_DATA_DSO:
		return compare_dsos(rows, from_frame(rows, x),
				    from_frame(rows, y));
	case RPT_BY_DSO_TO:
		return compare_dsos(rows, frame_of(rows, x), frame_of(rows, y));
	case RPT_BY_PARENT:
		return compare_names(rpt_rows_parent(rows, x),
				     rpt_rows_parent(rows, y));
	case RPT_BY_ADDR_FROM:
		return compare_addrs(rows, from_frame(rows, x),
				     from_frame(rows, y));
	case RPT_BY_ADDR_TO:
		return compare_addrs(rows, frame_of(rows, x),
				     frame_of(rows, y));
	case RPT_BY_DATA_ADDR:
		return compare_ips(from_frame(rows, x)->ip,
				   from_frame(rows, y)->ip);
	case RPT_BY_DATA_LINE:
		return compare_data_lines(rows, x, y);
	case RPT_BY_SYMBOL_FROM:
		return compare_functions(from_frame(rows, x),
					 from_frame(rows, y));
	case RPT_BY_SYMBOL_TO:
		return compare_functions(frame_of(rows, x), frame_of(rows, y));
	case RPT_BY_CYCLES:
		return compare_u64(rpt_row_branch(x).flags & flags,
				   rpt_row_branch(y).flags & flags);
	default:
		return compare_u64(rpt_row_branch(y).flags & flags,
				   rpt_row_branch(x).flags & flags);
	}
}
