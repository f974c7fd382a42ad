
#include "report/script/script_line.h"

#include "report/base/memory.h"
#include "report/symbols/carried_texts.h"
#include "report/symbols/source_line.h"
#include "report/elf/source_file.h"

#include <stdlib.h>
#include <string.h>

/* Threads whose last line is remembered; if two share a place, a line is shown
 * once more. */
#define TASKS_NR 4096u

struct shown {
	uint32_t pid, tid;
	const char *file; /* a DSO's; NULL: none */
	int line;
};

struct rpt_script_code {
	struct rpt_source_texts texts;
	struct shown shown[TASKS_NR]; /* by tid */
};

void rpt_script_code_free(struct rpt_script_code *code)
{
	if (code)
		rpt_source_texts_release(&code->texts);
	free(code);
}

static bool is_shown(const struct shown *last, const struct rpt_task_ref *ref,
		     const char *file, int line)
{
	return last->file && last->pid == ref->pid && last->tid == ref->tid &&
	       last->line == line && !strcmp(last->file, file);
}

static bool find_line(struct rpt_script *script, struct rpt_script_line *line,
		      const char **ret_file, int *ret_line)
{
	uint64_t ip = line->sample.fields.ip;
	const struct rpt_location *at =
		rpt_script_find(script, line, line->sample.cpumode, ip);

	return at->map.dso &&
	       rpt_dso_source_line(at->map.dso, ip + at->addr_add, ret_file,
				   ret_line);
}

/* What the recording carries is the text of then. */
static bool find_text(struct rpt_script *script, const char *file, int nr,
		      struct pd_str *ret)
{
	const struct rpt_symbols *symbols =
		rpt_timeline_symbols(script->setup->timeline);

	return rpt_symbols_carried_source(symbols, file, nr, ret) ||
	       rpt_source_file_line(&script->code->texts, file, nr, ret);
}

void rpt_script_code_print(struct rpt_script *script,
			   struct rpt_script_line *line)
{
	struct rpt_text *t = &script->text;
	struct rpt_script_code *code = script->code;
	struct shown *last;
	struct pd_str text;
	const char *file;
	int nr;

	if (!code)
		code = script->code = rpt_alloc_zeroed(1, sizeof(*code));
	last = &code->shown[line->sample.task->ref.tid % TASKS_NR];
	if (!find_line(script, line, &file, &nr) ||
	    is_shown(last, &line->sample.task->ref, file, nr) ||
	    !find_text(script, file, nr, &text))
		return;
	rpt_text_format(t, "|%-8d ", nr);
	rpt_text_put(t, text.ptr, text.len);
	rpt_text_char(t, '\n');
	*last = (struct shown){ line->sample.task->ref.pid,
				line->sample.task->ref.tid, file, nr };
}
