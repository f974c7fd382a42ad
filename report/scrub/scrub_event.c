/* Events: what their samples lose, and which names are hidden. */
#include "report/base/memory.h"
#include "report/events/event_name.h"
#include "report/events/tracepoint.h"
#include "report/scrub/known_names.h"
#include "report/scrub/scrub_impl.h"

#include "format/file/tracepoint_formats.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return whether the format of that number is of a probe that a user made; also
 * if it has no format. */
static bool is_probe(const struct rpt_scrub *scrub, uint64_t id)
{
	struct pd_trace_formats it;
	struct pd_trace_format format;
	struct pd_trace_head head;
	struct pd_cursor c;
	char line[40];
	size_t len =
		(size_t)snprintf(line, sizeof(line), "\nID: %" PRIu64 "\n", id);

	if (!pd_reader_feature(scrub->reader, PD_FEATURE_TRACING_DATA, &c) ||
	    pd_trace_head_read(&c, &head))
		return true;
	pd_trace_formats_init(&it, &c);
	while (pd_trace_formats_next(&it, &format) > 0)
		if (memmem(format.text.ptr, format.text.len, line, len))
			return memmem(format.text.ptr, format.text.len,
				      "__probe_", strlen("__probe_"));
	return true;
}

/* Return the name of a tracepoint by its format, which the caller frees; NULL
 * if it has none. */
static char *name_of_format(const struct rpt_scrub *scrub, uint64_t id)
{
	struct rpt_tracepoints *formats = NULL;
	char name[RPT_EVENT_NAME_LEN];
	struct pd_cursor c;
	char *ret = NULL;

	if (!pd_reader_feature(scrub->reader, PD_FEATURE_TRACING_DATA, &c) ||
	    rpt_tracepoints_new(&formats, &c, NULL))
		return NULL;
	if (rpt_tracepoint_name(formats, id, name, sizeof(name)))
		ret = rpt_alloc_text(name, strlen(name));
	rpt_tracepoints_free(formats);
	return ret;
}

static bool is_known_tracepoint(const struct rpt_scrub *scrub,
				const struct pd_event *in, const char *name)
{
	size_t len = strcspn(name, ":");

	return name[len] &&
	       rpt_is_known(rpt_known_systems, (struct pd_str){ name, len }) &&
	       !is_probe(scrub, in->attr.config);
}

static bool is_number(struct pd_str word)
{
	size_t at = word.len > 1 && word.ptr[0] == 'r' ? 1 : 0;

	if (word.len > 2 && word.ptr[0] == '0' && word.ptr[1] == 'x')
		at = 2;
	if (at == word.len)
		return false;
	while (at < word.len && isxdigit((unsigned char)word.ptr[at]))
		at++;
	return at == word.len;
}

/* Return whether all words of a name are perf's, or numbers with a digit. */
static bool is_known_event(const char *name)
{
	while (*name) {
		size_t len = strcspn(name, ":/,= {}");
		struct pd_str word = { name, len };

		if (len && !rpt_is_known(rpt_known_events, word) &&
		    !(is_number(word) && strcspn(name, "0123456789") < len))
			return false;
		name += len;
		name += *name ? 1 : 0;
	}
	return true;
}

/* Return whether the name is what perf makes of the attr. */
static bool is_usual_name(const struct pd_event *in, const char *name)
{
	struct pd_event nameless = *in;
	char usual[RPT_EVENT_NAME_LEN];

	nameless.name = NULL;
	return !strcmp(rpt_event_name(&nameless, usual), name);
}

static char *hidden_name(struct rpt_scrub *scrub, const struct pd_event *in,
			 const char *name)
{
	struct pd_buf *b = &scrub->text;
	char *ret;

	pd_buf_reset(b);
	pd_buf_bytes(b, in->attr.type == PD_TYPE_TRACEPOINT ? "hidden:" : "",
		     in->attr.type == PD_TYPE_TRACEPOINT ? 7 : 0);
	rpt_name_key_hide(&scrub->conf->key,
			  (struct pd_str){ name, strlen(name) }, b);
	ret = rpt_alloc_text((const char *)b->data, b->len);
	return ret;
}

static void name_event(struct rpt_scrub *scrub, const struct pd_event *in,
		       char **name)
{
	bool is_tracepoint = in->attr.type == PD_TYPE_TRACEPOINT;
	bool is_kept;
	char *hidden;

	if (!*name && is_tracepoint)
		*name = name_of_format(scrub, in->attr.config);
	if (!*name)
		return;
	is_kept = rpt_scrub_keeps(scrub, RPT_SCRUB_EVENTS) ||
		  (is_tracepoint
			   ? is_known_tracepoint(scrub, in, *name)
			   : is_usual_name(in, *name) || is_known_event(*name));
	scrub->is_counted = true;
	rpt_scrub_count(scrub, RPT_SCRUB_EVENTS, !is_kept);
	scrub->is_counted = false;
	if (is_kept)
		return;
	hidden = hidden_name(scrub, in, *name);
	free(*name);
	*name = hidden;
}

void rpt_scrub_event(void *ctx, const struct pd_event *in, struct pd_event *out)
{
	struct rpt_scrub *scrub = ctx;
	struct pd_attr *attr = &out->attr;

	attr->sample_type = rpt_scrub_sample_type(scrub, attr->sample_type);
	if (!(attr->sample_type & PD_SAMPLE_REGS_USER))
		attr->sample_regs_user = 0;
	if (!(attr->sample_type & PD_SAMPLE_REGS_INTR))
		attr->sample_regs_intr = 0;
	if (!(attr->sample_type & PD_SAMPLE_STACK_USER))
		attr->sample_stack_user = 0;
	attr->aux_sample_size = 0;
	attr->aux_watermark = 0;
	attr->sig_data = 0;
	name_event(scrub, in, &out->name);
}
