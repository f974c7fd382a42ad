#include "report/carry/carry_recording.h"

#include "report/base/memory.h"
#include "report/carry/carried_copy.h"
#include "report/carry/found_cfi.h"
#include "report/carry/found_code.h"
#include "report/carry/found_lines.h"
#include "report/carry/found_names.h"
#include "report/carry/found_sources.h"
#include "report/carry/hit_files.h"
#include "report/symbols/dso.h"

#include <stdlib.h>
#include <string.h>

/* All that is open meanwhile. */
struct run {
	const struct rpt_carry_conf *conf;
	struct pd_reader *reader;
	struct rpt_symbols *symbols;
	struct rpt_timeline *timeline;
	struct rpt_file_chunks chunks;
	struct rpt_hit_files hits;
	struct rpt_found_names names;
	struct rpt_found_cfi frames;
	struct rpt_found_lines lines;
	struct rpt_found_code code;
	struct rpt_found_sources sources;
	struct rpt_carried_copy copy;
	struct rpt_carry_result *result;
};

void rpt_carry_count_add(struct rpt_carry_count *count, uint64_t nr,
			 uint64_t all_nr, const char *file)
{
	count->nr += nr;
	count->all_nr += all_nr;
	if (nr || !all_nr)
		return;
	if (count->file_nr < RPT_CARRY_SHOWN)
		count->files[count->file_nr] =
			rpt_alloc_text(file, strlen(file));
	count->file_nr++;
}

void rpt_carry_result_release(struct rpt_carry_result *result)
{
	struct rpt_carry_count *counts[] = { &result->names, &result->lines,
					     &result->code, &result->sources };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (size_t j = 0; j < RPT_CARRY_SHOWN; j++)
			free(counts[i]->files[j]);
	memset(result, 0, sizeof(*result));
}

/* The recorder's account of itself, or the same of the work done here. */
static struct pd_carried_account account_of(const struct run *run)
{
	struct pd_carried_account account = run->symbols->carried.account;

	if (run->names.old_nr)
		return account;
	account.sample_nr = run->hits.sample_nr;
	account.address_nr = run->hits.address_nr;
	account.unmapped_nr = run->hits.unmapped_nr;
	account.is_cut = run->hits.is_cut;
	return account;
}

/* Files and names stay as they are if nothing was found besides. */
static void write_names(struct run *run)
{
	struct pd_carried_account account = account_of(run);
	struct rpt_carried_copy *copy = &run->copy;

	if (run->names.is_changed)
		pd_carried_write(&copy->tail, copy->front_len, run->names.files,
				 run->names.nr, &account, &copy->sections);
}

/* Add a section, unless its text is empty. */
static void write_text(struct run *run, uint32_t kind, struct pd_buf *plain)
{
	struct rpt_carried_copy *copy = &run->copy;

	if (plain->len || pd_buf_status(plain))
		pd_carried_text_write(&copy->tail, copy->front_len, kind, plain,
				      &copy->sections);
	pd_buf_release(plain);
}

/* Write what is new; it has what the recording carried. */
static void write_sections(struct run *run)
{
	const struct rpt_carry_conf *conf = run->conf;
	struct pd_buf plain = PD_BUF_INIT;

	write_names(run);
	if (conf->with_lines && run->lines.lines.file_nr)
		pd_carried_lines_write(&plain, &run->lines.lines);
	write_text(run, PD_CARRIED_LINES, &plain);
	if (conf->with_code && run->code.code.run_nr)
		pd_carried_code_write(&plain, &run->code.code);
	write_text(run, PD_CARRIED_BYTES, &plain);
	if (conf->with_source && run->sources.sources.run_nr)
		pd_carried_sources_write(&plain, &run->sources.sources);
	write_text(run, PD_CARRIED_SOURCES, &plain);
	rpt_carried_copy_keep(&run->copy);
}

/* Return true if the recording has a section of that kind. */
static bool carries(const struct pd_reader *reader, uint32_t kind)
{
	const struct pd_trailer *t = pd_reader_trailer(reader);

	for (size_t i = 0; t && i < t->section_nr; i++)
		if (t->sections[i].kind == kind)
			return true;
	return false;
}

/* Return true if there are stack copies that nobody can unwind elsewhere. */
static bool has_bare_copies(const struct pd_reader *reader)
{
	return pd_event_set_has(pd_reader_events(reader),
				PD_SAMPLE_STACK_USER) &&
	       !carries(reader, PD_CARRIED_CFI);
}

/* Find all that is asked for. */
static int find(struct run *run, struct pd_err *err)
{
	struct rpt_carry_result *result = run->result;
	int rc = rpt_hit_files_find(&run->hits, run->reader, run->timeline,
				    &run->chunks, err);

	if (rc)
		return rc;
	result->is_cut = run->hits.is_cut;
	if (run->conf->with_code || carries(run->reader, PD_CARRIED_BYTES))
		rpt_hit_code_add(&run->hits, run->reader, run->symbols,
				 run->conf->with_lines ||
					 run->conf->with_source);
	result->has_bare_copies = has_bare_copies(run->reader);
	rpt_found_names_find(&run->names, run->symbols, &run->hits, result);
	if (run->hits.has_leaf && !carries(run->reader, PD_CARRIED_CFI))
		rpt_found_cfi_find(&run->frames, &run->names, &run->hits);
	if (run->conf->with_lines || run->conf->with_source)
		rpt_found_lines_find(&run->lines, &run->hits, result);
	if (run->conf->with_source)
		rpt_found_sources_find(&run->sources, &run->hits,
				       &run->lines.lines, result);
	if (run->conf->with_code)
		rc = rpt_found_code_find(&run->code, run->reader, &run->hits,
					 run->names.nr, result, err);
	return rc;
}

static void release(struct run *run)
{
	rpt_carried_copy_release(&run->copy);
	rpt_found_sources_release(&run->sources);
	rpt_found_code_release(&run->code);
	rpt_found_lines_release(&run->lines);
	rpt_found_cfi_release(&run->frames);
	rpt_found_names_release(&run->names);
	rpt_hit_files_release(&run->hits);
	rpt_timeline_free(run->timeline);
	rpt_symbols_free(run->symbols);
}

int rpt_carry(const struct rpt_file_source *source, struct pd_reader *reader,
	      const struct rpt_carry_conf *conf,
	      struct rpt_carry_result *result, struct pd_err *err)
{
	struct run run = { .conf = conf, .reader = reader, .result = result };
	int rc;

	memset(result, 0, sizeof(*result));
	rc = rpt_carried_copy_find(&run.copy, source->base, source->len, reader,
				   err);
	if (rc)
		return rc;
	run.symbols = rpt_symbols_new(&conf->symbols);
	rpt_symbols_set_author(run.symbols, source->user);
	run.timeline = rpt_timeline_new(run.symbols);
	rc = rpt_timeline_load(run.timeline, reader, &run.chunks, err);
	if (!rc)
		rc = find(&run, err);
	if (!rc) {
		write_sections(&run);
		rc = rpt_carried_copy_write(&run.copy, conf->path, conf->force,
					    err);
	}
	result->in_len = source->len;
	result->out_len = run.copy.len;
	release(&run);
	return rc;
}
