/* Dimensions of the task, its CPU, its machine and what called it. */
#include "report/columns/columns_impl.h"
#include "report/timeline/tasks.h"

#include <stdio.h>
#include <string.h>

#define TASK_ID_LEN 8 /* "%7d:" */

/* Return a number that tells recordings apart: their tasks and CPUs differ. */
static uint32_t input_of(const struct rpt_rows *rows)
{
	return rows->input->is_only ? 0 : rows->input->idx;
}

static void key_task(const struct rpt_key_source *source, uint32_t *words)
{
	words[0] = source->stack->base->tid;
	words[1] = input_of(source->rows);
}

static int compare_tasks(const struct rpt_row_pair *pair)
{
	return rpt_compare_int((int)rpt_row_tid(pair->x),
			       (int)rpt_row_tid(pair->y));
}

/* Names of several recordings are the same if they are equal.  A task without
 * a name is told apart by its id. */
static void key_name(struct rpt_rows *rows, const char *comm, uint32_t id,
		     uint32_t *words)
{
	if (!comm) {
		words[0] = input_of(rows) << 1 | 1;
		words[1] = id;
	} else if (rows->input->is_only) {
		rpt_key_put64(words, (uint64_t)(uintptr_t)comm);
	} else {
		rpt_key_put64(words,
			      (uint64_t)rpt_frames_number(&rows->texts.names,
							  comm, strlen(comm))
				      << 1);
	}
}

static void key_comm(const struct rpt_key_source *source, uint32_t *words)
{
	const struct rpt_stack_context *base = source->stack->base;

	key_name(source->rows, (const char *)(uintptr_t)base->comm, base->tid,
		 words);
}

/* Put the name of a task into buf with "<N>" for each number, as perf 7.0. */
static const char *without_digits(const char *comm,
				  char buf[static RPT_CELL_TEXT_LEN])
{
	size_t len = 0;

	while (*comm && len + sizeof("<N>") < RPT_CELL_TEXT_LEN) {
		size_t digit_nr = strspn(comm, "0123456789");

		if (digit_nr)
			len += (size_t)sprintf(buf + len, "<N>");
		else
			buf[len++] = *comm;
		comm += digit_nr ? digit_nr : 1;
	}
	buf[len] = '\0';
	return buf;
}

static void key_comm_kind(const struct rpt_key_source *source, uint32_t *words)
{
	const struct rpt_stack_context *base = source->stack->base;
	char buf[RPT_CELL_TEXT_LEN], tid[16];
	const char *comm = (const char *)(uintptr_t)base->comm;

	comm = without_digits(rpt_comm_or_tid(comm, base->tid, tid), buf);
	words[0] = rpt_frames_number(&source->rows->texts.names, comm,
				     strlen(comm));
}

static int compare_comm_kinds(const struct rpt_row_pair *pair)
{
	char x[RPT_CELL_TEXT_LEN], y[RPT_CELL_TEXT_LEN], tid[16];

	without_digits(rpt_row_comm(pair->x, tid), x);
	without_digits(rpt_row_comm(pair->y, tid), y);
	return rpt_compare_names(x, y);
}

static const char *comm_kind_text(const struct rpt_cell *cell)
{
	char tid[16];

	return without_digits(rpt_row_comm(rpt_cell_row(cell), tid), cell->buf);
}

static void key_process(const struct rpt_key_source *source, uint32_t *words)
{
	uint64_t comm = rpt_stack_key_values(source->stack)[source->key->idx];

	key_name(source->rows, (const char *)(uintptr_t)comm, source->pid,
		 words);
}

static void key_tgid(const struct rpt_key_source *source, uint32_t *words)
{
	words[0] = source->stack->base->tid ? source->pid : 0;
	words[1] = input_of(source->rows);
}

/* Return the process of a row whose samples are told apart by it. */
static uint32_t tgid_of(const struct rpt_row *row)
{
	return rpt_row_tid(row) ? rpt_row_pid(row) : 0;
}

static int compare_tgids(const struct rpt_row_pair *pair)
{
	return rpt_compare_int((int)tgid_of(pair->x), (int)tgid_of(pair->y));
}

static int compare_processes(const struct rpt_row_pair *pair)
{
	uint32_t idx = pair->key->idx;
	char x[16], y[16];

	return rpt_compare_names(rpt_row_process(pair->x, idx, x),
				 rpt_row_process(pair->y, idx, y));
}

static const char *process_text(const struct rpt_cell *cell)
{
	const struct rpt_sort_keys *keys = &cell->rows->conf.keys;
	uint32_t i = 0;

	while (keys->values[i] != RPT_VALUE_PROCESS)
		i++;
	return rpt_row_process(rpt_cell_row(cell), i, cell->buf);
}

static void key_cpu(const struct rpt_key_source *source, uint32_t *words)
{
	words[0] = source->stack->base->cpu;
	words[1] = input_of(source->rows);
}

/* Return the CPU; -1: not recorded. */
static int cpu_of(const struct rpt_row *row)
{
	return (int)rpt_row_stack_key(row)->base->cpu;
}

static int compare_cpus(const struct rpt_row_pair *pair)
{
	return rpt_compare_int(cpu_of(pair->x), cpu_of(pair->y));
}

static void key_host(const struct rpt_key_source *source, uint32_t *words)
{
	const char *host = source->rows->input->host;

	words[0] = rpt_frames_number(&source->rows->texts.names, host,
				     strlen(host));
}

static int compare_hosts(const struct rpt_row_pair *pair)
{
	return rpt_compare_names(pair->x->input->host, pair->y->input->host);
}

static void key_parent(const struct rpt_key_source *source, uint32_t *words)
{
	words[0] = source->parent;
}

static int compare_parents(const struct rpt_row_pair *pair)
{
	return rpt_compare_names(rpt_rows_parent(pair->rows, pair->x),
				 rpt_rows_parent(pair->rows, pair->y));
}

/* Return the task of the sample that made the row. */
static struct rpt_task_ref task_ref_of(const struct rpt_row *row)
{
	const struct rpt_profile *profile = row->input->profile;
	const struct rpt_stack *stack = &profile->stacks[row->stack];
	struct rpt_task_ref ref;

	rpt_timeline_task(profile->conf.timeline, stack->first_pid,
			  stack->first_tid, stack->first, &ref);
	return ref;
}

/* Return the leader of its process. */
static struct rpt_task_ref leader_ref_of(const struct rpt_row *row)
{
	const struct rpt_profile *profile = row->input->profile;
	uint32_t pid = tgid_of(row);
	struct rpt_task_ref ref;

	rpt_timeline_task(profile->conf.timeline, pid, pid,
			  profile->stacks[row->stack].first, &ref);
	return ref;
}

/* Return its last name, or ":TID" in buf. */
static const char *last_name(const struct rpt_task_ref *ref, char buf[16])
{
	return rpt_comm_or_tid(rpt_task_ref_comm_last(ref), ref->tid, buf);
}

/* perf takes the width from the last name of the row's task, even if the row
 * shows an earlier one, and cuts what does not fit. */
static uint32_t fit_comm(const struct rpt_cell *cell)
{
	struct rpt_task_ref ref = task_ref_of(rpt_cell_row(cell));
	char buf[16];
	const char *name = last_name(&ref, buf);

	return (uint32_t)rpt_cell_columns(cell, name, strlen(name));
}

static const char *comm_text(const struct rpt_cell *cell)
{
	return rpt_row_comm(rpt_cell_row(cell), cell->buf);
}

static uint32_t fit_task(const struct rpt_cell *cell)
{
	return fit_comm(cell) + TASK_ID_LEN;
}

static void print_ref(const struct rpt_cell *cell,
		      const struct rpt_task_ref *ref, struct rpt_text *out)
{
	struct rpt_cell rest = *cell;
	char buf[16];

	rpt_text_int(out, (int)ref->tid,
		     cell->is_trimmed ? 0 : TASK_ID_LEN - 1);
	rpt_text_char(out, ':');
	rest.is_bare |= cell->width < TASK_ID_LEN; /* -w: as in perf, not cut */
	rest.width -= TASK_ID_LEN;
	rpt_cell_put(&rest, last_name(ref, buf), out);
}

static void print_task(const struct rpt_cell *cell, struct rpt_text *out)
{
	struct rpt_task_ref ref = task_ref_of(rpt_cell_row(cell));

	print_ref(cell, &ref, out);
}

static void print_tgid(const struct rpt_cell *cell, struct rpt_text *out)
{
	struct rpt_task_ref ref = leader_ref_of(rpt_cell_row(cell));

	print_ref(cell, &ref, out);
}

static uint32_t fit_tgid(const struct rpt_cell *cell)
{
	struct rpt_task_ref ref = leader_ref_of(rpt_cell_row(cell));
	char buf[16];
	const char *name = last_name(&ref, buf);

	return (uint32_t)rpt_cell_columns(cell, name, strlen(name)) +
	       TASK_ID_LEN;
}

static void print_cpu(const struct rpt_cell *cell, struct rpt_text *out)
{
	int cpu = cpu_of(rpt_cell_row(cell));

	if (cpu < 0)
		rpt_text_char(out, '-');
	rpt_text_zeros(out, cpu < 0 ? -(uint64_t)cpu : (uint64_t)cpu,
		       cell->width);
}

static const char *parent_text(const struct rpt_cell *cell)
{
	const char *name = rpt_rows_parent(cell->rows, rpt_cell_row(cell));

	return name ? name : "[other]";
}

static const char *host_text(const struct rpt_cell *cell)
{
	return rpt_cell_row(cell)->input->host;
}

#define KEY_OF_TASK                                       \
	.by = RPT_BY_TASK, .word_nr = 2, .key = key_task, \
	.compare = compare_tasks, .print = print_task, .fit = fit_task

const struct rpt_dimension rpt_task_dimensions[] = {
	{ .name = "pid",
	  .header = "    Pid:Command",
	  .help = "thread: its id, and the last of its names",
	  KEY_OF_TASK },
	{ .name = "comm",
	  .header = "Command",
	  .help = "name that the thread had then",
	  .by = RPT_BY_COMM,
	  .word_nr = 2,
	  .key = key_comm,
	  .rank = RPT_RANK_COMM,
	  .text = comm_text,
	  .put = rpt_cell_put,
	  .fit = fit_comm },
	{ .name = "parent",
	  .is_name = true,
	  .header = "Parent symbol",
	  .help = "caller whose name matches --parent",
	  .by = RPT_BY_PARENT,
	  .word_nr = 1,
	  .key = key_parent,
	  .compare = compare_parents,
	  .text = parent_text,
	  .put = rpt_cell_put,
	  .fit = rpt_cell_fit },
	{ .name = "cpu",
	  .header = "CPU",
	  .help = "CPU that the thread ran on",
	  .by = RPT_BY_CPU,
	  .word_nr = 2,
	  .key = key_cpu,
	  .compare = compare_cpus,
	  .print = print_cpu,
	  .width = 3 },
	/* perf 6.1 shows threads by "pid" alone */
	{ .name = "tid",
	  .header = "    Tid:Command",
	  .help = "the same as pid",
	  .is_new = true,
	  KEY_OF_TASK },
	{ .name = "comm_nodigit", /* of perf 7.0 */
	  .header = "CommandNoDigit",
	  .help = "name that the thread had then, each number in it as <N>",
	  .by = RPT_BY_COMM,
	  .is_new = true,
	  .word_nr = 1,
	  .key = key_comm_kind,
	  .compare = compare_comm_kinds,
	  .text = comm_kind_text,
	  .put = rpt_cell_put,
	  .fit = rpt_cell_fit },
	{ .name = "tgid", /* of perf 6.16 */
	  .header = "   Tgid:Command",
	  .help = "process: its id, and the last of its names",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_TGID,
	  .is_new = true,
	  .word_nr = 2,
	  .key = key_tgid,
	  .compare = compare_tgids,
	  .print = print_tgid,
	  .fit = fit_tgid },
	{ .name = "process", /* not perf's */
	  .header = "Process",
	  .help = "name that the process had then, of its first thread",
	  .by = RPT_BY_VALUE,
	  .value = RPT_VALUE_PROCESS,
	  .is_new = true,
	  .word_nr = 2,
	  .key = key_process,
	  .compare = compare_processes,
	  .text = process_text,
	  .put = rpt_cell_put,
	  .fit = rpt_cell_fit },
	{ .name = "host", /* not perf's */
	  .is_name = true,
	  .header = "Host",
	  .help = "host that was recorded; without a name, the file",
	  .by = RPT_BY_HOST,
	  .is_new = true,
	  .word_nr = 1,
	  .key = key_host,
	  .compare = compare_hosts,
	  .text = host_text,
	  .put = rpt_cell_put_unfilled,
	  .fit = rpt_cell_fit },
	{ .name = NULL }
};
