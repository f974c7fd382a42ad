/* Finds the source lines of frames, as rows and call graphs show them. */
#include "report/callchain/frames.h"
#include "report/base/shortage.h"
#include "report/symbols/inline_frames.h"
#include "report/symbols/dso_class.h"
#include "report/symbols/source_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_LINE "??:0"

static const char *shown_path(const struct rpt_frames *frames, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !frames->conf.full_paths ? slash + 1 : path;
}

/* Return the text for a line that is not known: addr2line(1) says nothing of
 * code without a function.  The caller frees it. */
static char *line_text(const struct rpt_frame *f)
{
	char name[512];
	char *text;
	int len;
	bool has_function = f->sym && !f->sym->is_made_up;

	if (!f->dso ||
	    (has_function && !f->sym->is_plt &&
	     rpt_dso_kind(f->dso) == RPT_DSO_USER && rpt_dso_has_file(f->dso)))
		return strdup(NO_LINE);
	if (has_function)
		len = asprintf(&text, "%s+%" PRIu64, f->sym->name,
			       f->addr - f->sym->start);
	else
		len = asprintf(&text, "%s[%" PRIx64 "]",
			       rpt_dso_short_name(f->dso, name, sizeof(name)),
			       rpt_dso_file_addr(f->dso, f->addr));
	return len < 0 ? NULL : text;
}

static bool find_line(const struct rpt_frame *f, const char **ret_path,
		      int *ret_line)
{
	if (f->call_off)
		return rpt_dso_call_line(f->dso, f->call_off, ret_path,
					 ret_line);
	return f->dso &&
	       rpt_dso_source_line(f->dso, f->addr, ret_path, ret_line);
}

static void make_line(struct rpt_frames *frames, struct rpt_frame *f)
{
	const char *path = "";
	char *text;
	int line;

	if (find_line(f, &path, &line)) {
		path = shown_path(frames, path);
		if (asprintf(&text, "%s:%d", path, line) < 0)
			text = NULL;
	} else {
		path = "";
		text = line_text(f);
	}
	if (!text)
		rpt_shortage_of_memory();
	f->line = 1 + rpt_frames_number(&frames->lines, text, strlen(text));
	f->file = 1 + rpt_frames_number(&frames->lines, path, strlen(path));
	free(text);
}

void rpt_frame_line(struct rpt_frames *frames, uint32_t frame,
		    uint32_t *ret_line, uint32_t *ret_file)
{
	struct rpt_frame *f = &frames->items[frame];

	if (!f->line)
		make_line(frames, f);
	*ret_line = f->line - 1;
	*ret_file = f->file - 1;
}

/* Return "a.c:12", or "+7" if addresses are shown; NULL: nothing is known. */
static const char *place_text(const struct rpt_frames *frames,
			      const struct rpt_frame *f, char *buf, size_t len)
{
	bool is_known, is_in_file;
	const char *text;

	if (!f->line)
		return NULL;
	text = rpt_intern_key(&frames->lines, f->line - 1);
	is_known = *(const char *)rpt_intern_key(&frames->lines, f->file - 1);
	is_in_file = is_known || !strcmp(text, NO_LINE);
	if (is_in_file)
		return text;
	if (frames->key != RPT_FRAME_ADDRESS)
		return NULL;
	snprintf(buf, len, "+%" PRIu64, f->addr - f->sym->start);
	return buf;
}

const char *rpt_frame_graph_name(const struct rpt_frames *frames,
				 uint32_t frame, char *buf, size_t len)
{
	const struct rpt_frame *f = &frames->items[frame];
	const char *place;
	char text[32];

	if (frames->key == RPT_FRAME_FUNCTION || !f->sym)
		return rpt_frame_name(f, buf, len);
	place = place_text(frames, f, text, sizeof(text));
	snprintf(buf, len, "%s%s%s%s",
		 f->inline_name ? f->inline_name : f->sym->name,
		 place ? " " : "", place ? place : "",
		 f->inline_name ? " (inlined)" : "");
	return buf;
}
