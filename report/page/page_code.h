/* page_code.h: the instructions of the functions in which a page has most
 * samples of their own, with these samples.
 *
 * A function of the page may be several symbols of one name: their rows follow
 * one another.  Of a long function only what is near samples is kept.
 *
 *	rpt_page_hits_...			for each recording
 *	rpt_page_code_make(&code, &names, parts, part_nr, kind)
 *	rpt_page_code_data(), rpt_page_code_head()
 *	rpt_page_code_release(&code)
 */
#ifndef RPT_PAGE_CODE_H
#define RPT_PAGE_CODE_H

#include "format/base/buf.h"
#include "report/annotate/annotation.h"
#include "report/base/json_text.h"
#include "report/cli/output_file.h"
#include "report/page/page_hits.h"

struct rpt_page_row {
	uint64_t addr;
	uint32_t skipped_nr; /* instructions that were left out before it */
	uint32_t text;	     /* in texts */
	uint32_t brief;	     /* likewise: without where it goes to */
	uint32_t target;     /* row of the listing + 1; 0: none */
	uint32_t callee;     /* in rpt_page_names + 1; 0: none */
	uint32_t file;	     /* in files + 1; 0: the line is not known */
	uint32_t line;
};

/* Rows of one function. */
struct rpt_page_listing {
	uint32_t function; /* in rpt_page_names */
	uint32_t row_start;
	uint32_t row_nr;
	uint32_t behind_nr; /* instructions left out after the last row */
};

/* A file of the source. */
struct rpt_page_file {
	struct rpt_dso *dso; /* of the first function that it is of */
	uint32_t part;	     /* likewise */
	uint32_t name;	     /* in texts: without its folder */
};

struct rpt_page_source_line {
	uint32_t file;
	uint32_t line;
	uint32_t listing; /* the first that needs it */
	const char *text; /* in source_texts; may be no UTF-8 */
	size_t len;
};

/* A function without instructions; its share would do. */
struct rpt_page_problem {
	uint32_t function; /* in rpt_page_names */
	uint32_t text;	   /* in texts: why; 0: there was no room */
};

struct rpt_page_code {
	uint32_t event_nr;
	bool has_source;
	struct rpt_intern texts;     /* 0 is "" */
	struct rpt_intern paths;     /* of files */
	struct rpt_page_file *files; /* owned; by number of the path */
	uint32_t files_cap;
	struct rpt_page_listing *listings; /* owned; the heaviest first */
	uint32_t listing_nr, listing_cap;
	uint32_t shown_nr;	   /* listings that are in the page */
	struct rpt_page_row *rows; /* owned */
	uint32_t row_nr, row_cap;
	struct rpt_hit_count *counts; /* by row, then event; owned */
	uint32_t counts_cap;
	struct rpt_page_source_line *lines; /* owned; by file and line */
	uint32_t line_nr, line_cap;
	struct rpt_arena source_texts;
	struct rpt_page_problem *problems; /* owned */
	uint32_t problem_nr, problem_cap;
};

/* A recording.  Borrowed: */
struct rpt_page_part {
	const struct rpt_page_hits *hits; /* closed */
	struct rpt_annotator *annotator;
};

/* Fill code.  names has all functions of the page.  Release code in any case.
 */
void rpt_page_code_make(struct rpt_page_code *code,
			const struct rpt_page_names *names,
			const struct rpt_page_part *parts, uint32_t part_nr,
			enum rpt_page_code_kind kind);
void rpt_page_code_release(struct rpt_page_code *code);

/* Instructions as the bytes of README.md, "The data", and what the head says
 * of them. */

/* Append the first code->shown_nr listings of functions that the page has.
 * names are sorted; periods: of each sample of an event, 0: they differ. */
void rpt_page_code_data(struct pd_buf *b, const struct rpt_page_code *code,
			const struct rpt_page_names *names,
			const uint64_t *periods);

/* Put the member "code" of the head. */
void rpt_page_code_head(struct rpt_json *json, const struct rpt_page_code *code,
			const struct rpt_page_names *names);

#endif
