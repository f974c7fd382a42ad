#include "report/symbols/source_line.h"

#include "report/base/compare.h"
#include "report/symbols/carried_texts.h"
#include "report/symbols/dso.h"
#include "report/elf/dwarf_functions.h"
#include "report/symbols/inline_frames.h"
#include "report/base/intern.h"
#include "report/base/threads.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After so many rows of line tables a thread opens the file anew: libdw keeps
 * all that it has decoded, 50 bytes for each. */
#define ROWS_MAX ((size_t)2 << 20)

struct answer {
	const char *file; /* NULL: it is not known */
	int line;
};

struct rpt_source_lines {
	uid_t user;		 /* whose the debug information is */
	struct rpt_intern addrs; /* dso addresses */
	struct answer *answers;	 /* by number of the address */
	uint32_t cap;
	struct rpt_intern files;
};

void rpt_source_lines_free(struct rpt_source_lines *lines)
{
	if (!lines)
		return;
	rpt_intern_release(&lines->addrs);
	rpt_intern_release(&lines->files);
	free(lines->answers);
	free(lines);
}

/* Return the loaded DSO, or NULL if it has no debug information; a Go program's
 * table is asked if the recording carries no lines. */
static struct rpt_dso *dso_with_lines(struct rpt_dso *dso)
{
	struct rpt_dso *own = dso;
	const struct rpt_elf *debug;

	dso = rpt_dso_loaded(dso);
	if ((dso->kind != RPT_DSO_USER || !dso->files.runtime) &&
	    dso->kind != RPT_DSO_KERNEL)
		return NULL;
	if (!rpt_dso_functions(dso) &&
	    (rpt_dso_has_carried_lines(own) || !rpt_dso_has_go(dso)))
		return NULL;
	if (!dso->lines) {
		debug = rpt_dso_debug_file(dso);
		dso->lines = rpt_alloc_zeroed(1, sizeof(*dso->lines));
		dso->lines->user = (debug ? debug : dso->files.runtime)->user;
	}
	return dso;
}

/* Return the address in debug information for a dso address. */
static uint64_t file_addr_of(struct rpt_dso *dso, uint64_t addr)
{
	return dso->kind == RPT_DSO_KERNEL ? addr + dso->owner->kernel_names.add
					   : rpt_dso_file_addr(dso, addr);
}

/* Return the answer for an address, empty if it is new; NULL if there are too
 * many. */
static struct answer *answer_of(struct rpt_source_lines *lines, uint64_t addr,
				bool *ret_is_new)
{
	uint32_t known_nr = lines->addrs.nr;
	int64_t idx;

	lines->answers = rpt_grow(lines->answers, &lines->cap, known_nr,
				  sizeof(*lines->answers));
	idx = rpt_intern(&lines->addrs, &addr, sizeof(addr));
	if (idx < 0)
		return NULL;
	*ret_is_new = idx == known_nr;
	if (*ret_is_new)
		lines->answers[idx] = (struct answer){ NULL, 0 };
	return &lines->answers[idx];
}

static void fill(struct rpt_source_lines *lines, struct answer *answer,
		 const char *file, int line)
{
	int64_t idx = rpt_intern(&lines->files, file, strlen(file));

	if (idx < 0)
		return;
	answer->file = rpt_intern_key(&lines->files, (uint32_t)idx);
	answer->line = line;
}

static bool find_line(struct rpt_dso *dso, uint64_t addr, const char **ret_file,
		      int *ret_line)
{
	struct rpt_dwarf_functions *functions = rpt_dso_functions(dso);

	if (!functions)
		return rpt_dso_go_line(dso, addr, ret_file, ret_line);
	return rpt_dwarf_functions_line(functions, file_addr_of(dso, addr),
					ret_file, ret_line);
}

bool rpt_dso_source_line(struct rpt_dso *dso, uint64_t addr,
			 const char **ret_file, int *ret_line)
{
	struct rpt_dso *own = dso;
	const char *file;
	struct answer *answer;
	bool is_new;
	int line;

	dso = dso_with_lines(dso);
	if (!dso)
		return rpt_dso_carried_line(own, addr, ret_file, ret_line);
	answer = answer_of(dso->lines, addr, &is_new);
	if (!answer)
		return false;
	if (is_new && find_line(dso, addr, &file, &line))
		fill(dso->lines, answer, file, line);
	*ret_file = answer->file;
	*ret_line = answer->line;
	return answer->file;
}

uid_t rpt_dso_source_user(struct rpt_dso *dso)
{
	struct rpt_dso *local = dso_with_lines(dso);

	return local ? local->lines->user : dso->owner->author;
}

bool rpt_dso_source_text(struct rpt_dso *dso, struct rpt_source_texts *texts,
			 const struct rpt_source_place *place,
			 struct pd_str *ret)
{
	const char *symfs = dso->owner->conf.symfs;
	char below[PATH_MAX];
	struct sup_name name = { .path = place->moved };

	if (!place->line || place->line > INT_MAX)
		return false;
	if (rpt_symbols_carried_source(dso->owner, place->path,
				       (int)place->line, ret))
		return true;
	if (!place->moved) {
		if (snprintf(below, sizeof(below), "%s%s%s", symfs,
			     *symfs && *place->path != '/' ? "/" : "",
			     place->path) >= PATH_MAX)
			return false;
		name.path = below;
		name.root_len = strlen(symfs);
	}
	name.user = rpt_dso_source_user(dso);
	return rpt_source_file_line(texts, &name, (int)place->line, ret);
}

struct search {
	struct rpt_dso *dso;
	const struct rpt_elf *debug; /* has its debug information; borrowed */
	uint64_t unit_off;	     /* of its unit's DIE */
	uint64_t addr;
	uint64_t file_addr;
	const char *file; /* the worker's; NULL: it is not known */
	int line;
};

/* Searches of one unit lie side by side. */
struct span {
	size_t start;
	size_t nr;
};

struct batch {
	struct search *searches;
	size_t nr;
	struct span *spans;
	size_t span_nr;
};

/* The state of one thread. */
struct worker {
	const struct rpt_dso *dso;
	struct rpt_elf *file;
	Dwarf *debug;
	size_t row_nr; /* decoded since it was opened */
	struct rpt_arena files;
	const char *last_src; /* libdw's, and our copy of it */
	const char *last_copy;
};

static void worker_close(struct worker *w)
{
	dwarf_end(w->debug);
	rpt_elf_close(w->file);
	w->debug = NULL;
	w->file = NULL;
	w->last_src = NULL;
	w->row_nr = 0;
}

/* libdw and libelf are for one thread, so only the descriptor of the DSO's file
 * is shared. */
static bool worker_open(struct worker *w, const struct search *search)
{
	struct pd_err err = PD_ERR_INIT;

	if (w->dso == search->dso && w->row_nr < ROWS_MAX)
		return w->debug;
	worker_close(w);
	w->dso = search->dso;
	w->file = rpt_elf_open_again(search->debug, &err);
	w->debug = w->file ? rpt_elf_dwarf(w->file) : NULL;
	return w->debug;
}

static const char *copy_of(struct worker *w, const char *src)
{
	if (src != w->last_src) {
		w->last_copy = rpt_arena_copy(&w->files, src, strlen(src));
		w->last_src = src;
	}
	return w->last_copy;
}

static int find_in_unit(void *worker, const void *ctx, size_t idx,
			struct pd_err *err)
{
	const struct batch *batch = ctx;
	const struct span *span = &batch->spans[idx];
	struct search *searches = batch->searches + span->start;
	struct worker *w = worker;
	Dwarf_Lines *lines;
	Dwarf_Line *line;
	const char *src;
	size_t row_nr;
	Dwarf_Die die;

	(void)err;
	if (!worker_open(w, searches) ||
	    !dwarf_offdie(w->debug, searches->unit_off, &die) ||
	    dwarf_getsrclines(&die, &lines, &row_nr) != 0)
		return 0;
	w->row_nr += row_nr;
	for (size_t i = 0; i < span->nr; i++) {
		line = dwarf_getsrc_die(&die, searches[i].file_addr);
		src = line && !dwarf_lineno(line, &searches[i].line)
			      ? dwarf_linesrc(line, NULL, NULL)
			      : NULL;
		if (src)
			searches[i].file = copy_of(w, src);
	}
	return 0;
}

/* Return false if there is nothing to find, it was found before, or the file
 * has no descriptor. */
static bool make_search(const struct rpt_source_query *query,
			struct search *ret)
{
	struct rpt_dso *dso = query->dso ? dso_with_lines(query->dso) : NULL;
	const struct rpt_elf *debug = dso ? rpt_dso_debug_file(dso) : NULL;

	if (!debug || debug->fd < 0 || !rpt_dso_functions(dso) ||
	    rpt_intern_find(&dso->lines->addrs, &query->addr,
			    sizeof(query->addr)) >= 0)
		return false;
	*ret = (struct search){
		.dso = dso,
		.debug = debug,
		.addr = query->addr,
		.file_addr = file_addr_of(dso, query->addr),
	};
	return rpt_dwarf_functions_unit(rpt_dso_functions(dso), ret->file_addr,
					&ret->unit_off);
}

static int compare_searches(const void *a, const void *b)
{
	const struct search *x = a, *y = b;
	int rc = rpt_compare_u64((uintptr_t)x->dso, (uintptr_t)y->dso);

	if (!rc)
		rc = rpt_compare_u64(x->unit_off, y->unit_off);
	return rc ? rc : rpt_compare_u64(x->addr, y->addr);
}

static void make_spans(struct batch *batch)
{
	for (size_t i = 0; i < batch->nr; i++) {
		const struct search *s = &batch->searches[i];

		if (i && s[-1].dso == s->dso && s[-1].unit_off == s->unit_off)
			batch->spans[batch->span_nr - 1].nr++;
		else
			batch->spans[batch->span_nr++] = (struct span){ i, 1 };
	}
}

static void store_answers(const struct batch *batch)
{
	for (size_t i = 0; i < batch->nr; i++) {
		const struct search *s = &batch->searches[i];
		struct rpt_source_lines *lines = s->dso->lines;
		struct answer *answer;
		bool is_new;

		answer = answer_of(lines, s->addr, &is_new);
		if (answer && is_new && s->file)
			fill(lines, answer, s->file, s->line);
	}
}

static void run(struct batch *batch, uint32_t threads)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_jobs jobs = {
		.worker_len = sizeof(struct worker),
		.worker_nr = rpt_jobs_threads(threads, batch->span_nr),
		.nr = batch->span_nr,
		.fn = find_in_unit,
		.ctx = batch,
	};
	struct worker *workers =
		rpt_alloc_zeroed(jobs.worker_nr, sizeof(*workers));

	jobs.workers = workers;
	rpt_jobs_run(&jobs, &err);
	store_answers(batch);
	for (uint32_t i = 0; i < jobs.worker_nr; i++) {
		worker_close(&workers[i]);
		rpt_arena_release(&workers[i].files);
	}
	free(workers);
}

void rpt_source_lines_find(const struct rpt_source_query *queries, size_t nr,
			   uint32_t threads)
{
	struct batch batch = {
		.searches = rpt_alloc_zeroed(nr, sizeof(*batch.searches)),
		.spans = rpt_alloc_zeroed(nr, sizeof(*batch.spans)),
	};

	for (size_t i = 0; i < nr; i++)
		batch.nr += make_search(&queries[i], &batch.searches[batch.nr]);
	if (batch.nr) {
		qsort(batch.searches, batch.nr, sizeof(*batch.searches),
		      compare_searches);
		make_spans(&batch);
		run(&batch, threads);
	}
	free(batch.searches);
	free(batch.spans);
}
