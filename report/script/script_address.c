#include "report/base/memory.h"
#include "report/elf/source_file.h"
#include "report/script/script_compat.h"
#include "report/script/script_json.h"
#include "report/script/script_line.h"
#include "report/symbols/carried_texts.h"
#include "report/symbols/dso_class.h"
#include "report/symbols/inline_frames.h"
#include "report/symbols/source_line.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Functions and gaps that are remembered at most; then all are forgotten. */
#define ADDRESSES_MAX 65536u

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *name_at(const struct rpt_location *at)
{
	return at->sym ? at->sym->name : "[unknown]";
}

/* perf shows the path of a module only if the file's table of build-ids has it,
 * or if it is asked for. */
static void put_dso_name(struct rpt_script *script,
			 const struct rpt_location *at)
{
	const struct rpt_dso *dso = at->map.dso;
	const char *name = "[unknown]";
	char buf[PATH_MAX];

	if (dso && rpt_dso_kind(dso) == RPT_DSO_MODULE &&
	    !script->setup->args->is_kernel_path && !rpt_dso_is_in_table(dso))
		name = rpt_dso_short_name(dso, buf, sizeof(buf));
	else if (dso)
		name = rpt_dso_name(dso);
	if (script->setup->args->is_compat)
		rpt_script_compat_file(&script->text, name);
	else
		rpt_text_str(&script->text, name);
}

static void put_symbol(struct rpt_script *script, const struct rpt_location *at,
		       const char *name, uint64_t ip, uint64_t fields)
{
	struct rpt_text *t = &script->text;

	if (!(fields & RPT_FIELD_SYM))
		return;
	rpt_text_char(t, ' ');
	if (script->setup->args->is_compat)
		rpt_script_compat_function(t, name);
	else
		rpt_text_str(t, name);
	if (!at->sym || !(fields & RPT_FIELD_SYMOFF))
		return;
	rpt_text_put(t, "+0x", 3);
	rpt_text_hex(t, ip + at->addr_add - at->sym->start, 0);
}

static void put_dso(struct rpt_script *script, const struct rpt_location *at,
		    uint64_t ip, uint64_t fields)
{
	struct rpt_text *t = &script->text;

	if (!(fields & (RPT_FIELD_DSO | RPT_FIELD_DSOFF)))
		return;
	rpt_text_put(t, " (", 2);
	put_dso_name(script, at);
	if ((fields & RPT_FIELD_DSOFF) && at->map.dso &&
	    rpt_dso_kind(at->map.dso) == RPT_DSO_USER) {
		rpt_text_put(t, "+0x", 3);
		rpt_text_hex(t, ip + at->addr_add, 0);
	}
	rpt_text_char(t, ')');
}

bool rpt_script_source_line(const struct rpt_script *script,
			    const struct rpt_location *at, uint64_t ip,
			    uint64_t call_off, const char **ret_file,
			    int *ret_line)
{
	struct rpt_dso *dso = at->map.dso;
	bool is_known;

	rpt_script_lock(script);
	is_known =
		call_off ? rpt_dso_call_line(dso, call_off, ret_file, ret_line)
			 : rpt_dso_source_line(dso, ip + at->addr_add, ret_file,
					       ret_line);
	rpt_script_unlock(script);
	return is_known;
}

/* Print the source line of ip or of an inlined call; the file and the address
 * in it if no line is known. */
static void put_srcline(struct rpt_script *script,
			const struct rpt_location *at, uint64_t ip,
			uint64_t call_off, uint64_t fields)
{
	uint64_t addr = ip + at->addr_add;
	struct rpt_text *t = &script->text;
	char buf[PATH_MAX];
	uint64_t file_addr;
	const char *file;
	int line;

	if (!(fields & RPT_FIELD_SRCLINE) || !at->map.dso)
		return;
	rpt_text_put(t, "\n  ", 3);
	if (!rpt_script_source_line(script, at, ip, call_off, &file, &line)) {
		rpt_script_lock(script);
		file_addr = rpt_dso_file_addr(at->map.dso, addr);
		rpt_script_unlock(script);
		rpt_text_str(t,
			     rpt_dso_short_name(at->map.dso, buf, sizeof(buf)));
		rpt_text_format(t, "[%" PRIx64 "]", file_addr);
		return;
	}
	file = script->setup->args->is_full_path ? file : last_part(file);
	rpt_text_name(t, file, strlen(file));
	rpt_text_format(t, ":%d", line);
}

/* Call chains show user addresses as those in their file, with perf 6.12 and
 * later as recorded. */
static uint64_t shown_addr(const struct rpt_location *at, uint64_t ip,
			   enum pd_perf perf)
{
	return at->map.dso && !at->map.is_kernel && perf == PD_PERF_6_1
		       ? ip + at->addr_add
		       : ip;
}

static bool is_stop(const struct rpt_script *script, const char *name)
{
	const struct rpt_intern *stops = &script->setup->stops;

	return stops->nr && rpt_intern_find(stops, name, strlen(name)) >= 0;
}

/* Print a line for frame: a function that is inlined at ip or the one that
 * holds the code; NULL: the symbol at ip. */
static void put_chain_line(struct rpt_script *script,
			   const struct rpt_script_line *line,
			   const struct rpt_location *at, uint64_t ip,
			   const struct rpt_inline_frame *frame)
{
	bool is_inlined = frame && frame->is_inlined;
	struct rpt_text *t = &script->text;

	if (script->json) {
		rpt_script_json_frame(script, line, at, ip, frame);
		return;
	}
	rpt_text_char(t, '\t');
	rpt_text_hex(t, shown_addr(at, ip, line->sample.event->needed_perf),
		     16);
	put_symbol(script, at, frame ? frame->name : name_at(at), ip,
		   line->fields);
	if (!is_inlined)
		put_dso(script, at, ip, line->fields);
	put_srcline(script, at, ip, frame ? frame->call_off : 0, line->fields);
	if (is_inlined)
		rpt_text_str(t, " (inlined)");
	rpt_text_char(t, '\n');
}

/* Print an entry of a call chain, with the functions that are inlined there.
 * Return false if the chain ends with one of them. */
static bool put_chain_entry(struct rpt_script *script,
			    const struct rpt_script_line *line,
			    enum rpt_script_form form,
			    const struct rpt_location *at, uint64_t ip)
{
	const struct rpt_inline_frame *frames = NULL;
	size_t nr = 0;

	if ((form == RPT_SCRIPT_UNWOUND || script->json) && at->sym &&
	    script->setup->args->inline_frames) {
		rpt_script_lock(script);
		nr = rpt_dso_inline_frames(at->map.dso, ip + at->addr_add,
					   &frames);
		rpt_script_unlock(script);
	}
	for (size_t i = 0; i < nr; i++) {
		put_chain_line(script, line, at, ip, &frames[i]);
		if (is_stop(script, frames[i].name))
			return false;
	}
	if (nr)
		return true;
	put_chain_line(script, line, at, ip, NULL);
	return !at->sym || !is_stop(script, at->sym->name);
}

/* Return whether the address is mapped from a file that is not here. */
static bool lacks_file(const struct rpt_script *script,
		       const struct rpt_location *at)
{
	bool has_file = true;

	rpt_script_lock(script);
	if (at->map.dso)
		has_file = rpt_dso_has_file(at->map.dso);
	rpt_script_unlock(script);
	return !has_file;
}

static void put_branch(struct rpt_script *script,
		       const struct rpt_script_line *line,
		       enum rpt_script_form form, const struct rpt_location *at,
		       uint64_t ip)
{
	uint64_t addr = ip + at->addr_add;
	struct rpt_text *t = &script->text;

	if (form == RPT_SCRIPT_BRANCH_OFF) {
		rpt_text_put(t, "0x", 2);
		rpt_text_hex(t, lacks_file(script, at) ? addr : ip, 0);
	} else if (form == RPT_SCRIPT_BRANCH) {
		rpt_text_hex(t, ip, 0);
	} else {
		rpt_text_str(t, name_at(at));
		if (at->sym) {
			rpt_text_put(t, "+0x", 3);
			rpt_text_hex(t, addr - at->sym->start, 0);
		}
	}
	if (line->fields & RPT_FIELD_DSO) {
		rpt_text_char(t, '(');
		put_dso_name(script, at);
		rpt_text_char(t, ')');
	}
}

bool rpt_script_put_address(struct rpt_script *script,
			    struct rpt_script_line *line,
			    enum rpt_script_form form, unsigned cpumode,
			    uint64_t ip)
{
	const struct rpt_location *at =
		rpt_script_find(script, line, cpumode, ip);

	switch (form) {
	case RPT_SCRIPT_ADDRESS:
		put_symbol(script, at, name_at(at), ip, line->fields);
		put_dso(script, at, ip, line->fields);
		put_srcline(script, at, ip, 0, line->fields);
		break;
	case RPT_SCRIPT_BRANCH:
	case RPT_SCRIPT_BRANCH_SYM:
	case RPT_SCRIPT_BRANCH_OFF:
		put_branch(script, line, form, at, ip);
		break;
	case RPT_SCRIPT_CHAIN:
	case RPT_SCRIPT_UNWOUND:
		return put_chain_entry(script, line, form, at, ip);
	}
	return true;
}

/* Return the number of the line's context for that cpumode. */
static uint32_t find_context(struct rpt_script *script,
			     struct rpt_script_line *line, unsigned cpumode)
{
	const struct rpt_task_state *task = line->sample.task;
	bool is_user = cpumode == PD_CPUMODE_USER;
	const struct rpt_address_context key = {
		.space = is_user ? task->space_id : 0,
		.version = is_user ? task->space_version : task->kernel_version,
		.kind = cpumode,
	};

	if (!line->has_context || line->cpumode != cpumode) {
		line->context =
			rpt_address_cache_context(&script->addresses, &key);
		line->cpumode = cpumode;
		line->has_context = true;
	}
	return line->context;
}

const struct rpt_location *rpt_script_find(struct rpt_script *script,
					   struct rpt_script_line *line,
					   unsigned cpumode, uint64_t ip)
{
	const struct rpt_location_query query = {
		.ref = &line->sample.task->ref,
		.when = line->sample.when,
		.cpumode = cpumode,
		.ip = ip,
	};
	struct rpt_address_cache *cache = &script->addresses;
	uint32_t context = find_context(script, line, cpumode);
	int64_t number = rpt_address_cache_find(cache, context, ip);
	struct rpt_location location;

	if (number < 0) {
		rpt_script_lock(script);
		rpt_timeline_locate(script->setup->timeline, &query, &location);
		rpt_script_unlock(script);
		number = rpt_address_cache_add(cache, context, ip, &location);
	}
	return &cache->locations[number];
}

void rpt_script_forget_addresses(struct rpt_script *script)
{
	if (script->addresses.nr >= ADDRESSES_MAX)
		rpt_address_cache_release(&script->addresses);
}

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

static struct rpt_dso *find_line(struct rpt_script *script,
				 struct rpt_script_line *line,
				 const char **ret_file, int *ret_line)
{
	uint64_t ip = line->sample.fields.ip;
	const struct rpt_location *at =
		rpt_script_find(script, line, line->sample.cpumode, ip);

	return at->map.dso && rpt_dso_source_line(at->map.dso,
						  ip + at->addr_add, ret_file,
						  ret_line)
		       ? at->map.dso
		       : NULL;
}

void rpt_script_code_print(struct rpt_script *script,
			   struct rpt_script_line *line)
{
	struct rpt_text *t = &script->text;
	struct rpt_script_code *code = script->code;
	struct shown *last;
	struct rpt_source_place place;
	struct rpt_dso *dso;
	struct pd_str text;
	int nr = 0;

	if (!code)
		code = script->code = rpt_alloc_zeroed(1, sizeof(*code));
	last = &code->shown[line->sample.task->ref.tid % TASKS_NR];
	place.moved = NULL;
	dso = find_line(script, line, &place.path, &nr);
	place.line = nr < 0 ? 0 : (uint32_t)nr;
	if (!dso || is_shown(last, &line->sample.task->ref, place.path, nr) ||
	    !rpt_dso_source_text(dso, &code->texts, &place, &text))
		return;
	rpt_text_format(t, "|%-8d ", nr);
	rpt_text_put(t, text.ptr, text.len);
	rpt_text_char(t, '\n');
	*last = (struct shown){ line->sample.task->ref.pid,
				line->sample.task->ref.tid, place.path, nr };
}
