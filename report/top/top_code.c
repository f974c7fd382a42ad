#include "report/top/top_code.h"

#include "report/annotate/annotation_print.h"
#include "report/base/memory.h"
#include "report/base/shortage.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forget(struct rpt_top_code *code)
{
	free(code->dso);
	free(code->symbol);
	code->dso = code->symbol = NULL;
}

static void drop_text(struct rpt_top_code *code)
{
	free(code->text);
	free(code->offs);
	code->text = NULL;
	code->offs = NULL;
	code->line_nr = 0;
	code->hottest = 0;
}

void rpt_top_code_release(struct rpt_top_code *code)
{
	forget(code);
	drop_text(code);
}

bool rpt_top_code_choose(struct rpt_top_code *code,
			 const struct rpt_live_report *live, uint32_t row)
{
	const struct rpt_row *item = &live->rows.items[row];
	const struct rpt_frame *at = &live->rows.frames->items[item->frame];

	if (!at->dso || !at->sym)
		return false;
	rpt_top_code_release(code);
	code->dso = rpt_alloc_text(rpt_dso_name(at->dso),
				   strlen(rpt_dso_name(at->dso)));
	code->symbol = rpt_alloc_text(at->sym->name, strlen(at->sym->name));
	code->start = at->sym->start;
	return true;
}

static bool is_chosen(const struct rpt_top_code *code,
		      const struct rpt_dso *dso, const struct rpt_symbol *sym)
{
	return sym && sym->start == code->start &&
	       !strcmp(sym->name, code->symbol) &&
	       !strcmp(rpt_dso_name(dso), code->dso);
}

/* A function that only calls others has no samples of its own: let it be one of
 * hits all the same. */
static void add_caller(const struct rpt_top_code *code,
		       const struct rpt_live_report *live, uint32_t event,
		       struct rpt_code_hits *hits)
{
	const struct rpt_frames *frames = live->rows.frames;

	for (uint32_t i = 0; i < frames->nr; i++) {
		const struct rpt_frame *at = &frames->items[i];

		if (at->dso && is_chosen(code, at->dso, at->sym)) {
			rpt_code_hits_add(hits, at->dso, at->sym->start, event,
					  0, 0);
			return;
		}
	}
}

/* Return the share that a line begins with, "   24.79 :"; -1: none. */
static double share_of(const char *line)
{
	const char *end = strchr(line, ':');
	char *number_end;
	double share;

	while (*line == ' ' || *line == '\33') {
		if (*line == '\33')
			line = line + strcspn(line, "m\n");
		line++;
		if (end && line > end)
			return -1;
	}
	if (!end || !isdigit((unsigned char)*line))
		return -1;
	share = strtod(line, &number_end);
	return strchr(line, '.') && number_end <= end ? share : -1;
}

void rpt_top_code_take(struct rpt_top_code *code, char *text, size_t len)
{
	double best = 0.0;
	uint32_t cap = 0;

	drop_text(code);
	code->text = text;
	for (size_t i = 0; i < len;) {
		const char *end = memchr(text + i, '\n', len - i);
		double share = share_of(text + i);

		code->offs = rpt_grow(code->offs, &cap, code->line_nr,
				      sizeof(*code->offs));
		code->offs[code->line_nr] = i;
		if (share > best) {
			best = share;
			code->hottest = code->line_nr;
		}
		code->line_nr++;
		i = end ? (size_t)(end - text) + 1 : len;
	}
	code->offs =
		rpt_grow(code->offs, &cap, code->line_nr, sizeof(*code->offs));
	code->offs[code->line_nr] = len;
}

/* Make the text of a function of hits. */
static int print(struct rpt_top_code *code, const struct rpt_live_report *live,
		 const struct rpt_code_hits *hits, uint32_t event,
		 uint32_t function, struct pd_err *err)
{
	const struct rpt_annotation_style style = {
		.with_source = true,
		.is_coloured = code->is_coloured,
	};
	const struct rpt_annotation_columns columns = {
		.style = &style,
		.events = &event,
		.nr = 1,
		.event_name = live->event_name,
	};
	const struct rpt_annotator_conf conf = {
		.reader = live->report->reader,
		.symbols = live->report->symbols,
	};
	struct rpt_annotator *annotator = rpt_annotator_new(&conf);
	struct rpt_annotation made;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int rc;

	if (!out)
		rpt_shortage_of_memory();
	rc = rpt_annotate(annotator, hits, function, &made, err);
	if (!rc)
		rpt_annotation_print(out, &columns, annotator, hits, function,
				     &made);
	rpt_annotation_release(&made);
	rpt_annotator_free(annotator);
	fclose(out);
	if (rc)
		free(text);
	else
		rpt_top_code_take(code, text, len);
	return rc;
}

int rpt_top_code_make(struct rpt_top_code *code,
		      const struct rpt_live_report *live, struct pd_err *err)
{
	const struct rpt_report *report = live->report;
	const struct pd_event_set *events = pd_reader_events(report->reader);
	uint32_t event = report->whole.events.items[live->rows.event_idx].idx;
	struct rpt_code_hits hits;
	int rc = -ENOENT;

	err->code = 0;
	pd_err_set(err, -ENOENT, "no samples of it are in the window");
	rpt_code_hits_init(&hits, (uint32_t)events->nr);
	rpt_code_hits_add_profile(&hits, &report->profile, report->timeline);
	add_caller(code, live, event, &hits);
	rpt_code_hits_close(&hits);
	for (uint32_t i = 0; i < hits.function_nr; i++) {
		const struct rpt_code_function *f = &hits.functions[i];

		if (!is_chosen(code, f->dso, f->sym))
			continue;
		err->code = 0;
		rc = print(code, live, &hits, event, i, err);
		break;
	}
	rpt_code_hits_release(&hits);
	return rc;
}

const char *rpt_top_code_line(const struct rpt_top_code *code, uint32_t line,
			      size_t *ret_len)
{
	size_t off = code->offs[line], len = code->offs[line + 1] - off;

	if (len && code->text[off + len - 1] == '\n')
		len--;
	*ret_len = len;
	return code->text + off;
}
