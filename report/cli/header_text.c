#include "report/cli/header_text.h"

#include "report/cli/header_rows.h"

#include <inttypes.h>
#include <time.h>

/* In pipes perf ends the list of features with an empty one of the first number
 * that it does not know: 32 until 6.19. */
static bool is_end_mark(unsigned bit, const struct pd_cursor *payload)
{
	return bit == PD_FEATURE_CPU_DOMAIN_INFO && !pd_cursor_left(payload);
}

static void print_feature(const struct rpt_header_ctx *ctx, unsigned bit)
{
	const struct rpt_header_row *row = rpt_header_row(bit);
	struct rpt_header_ctx with = *ctx;

	if (!row || !pd_reader_feature(ctx->reader, bit, &with.payload) ||
	    is_end_mark(bit, &with.payload))
		return;
	if (row->is_long && !ctx->is_full)
		fprintf(ctx->out, "# %s info available, use -I to display\n",
			pd_feature_name(bit));
	else
		row->print(&with);
}

static void print_features(const struct rpt_header_ctx *ctx)
{
	for (unsigned bit = 1; bit < PD_FEATURE_NR; bit++)
		print_feature(ctx, bit);
}

/* Before 7.2, perf knows of no bits beyond PMU_CAPS; what it does not know it
 * does not miss. */
static void print_missing(const struct rpt_header_ctx *ctx)
{
	unsigned last = ctx->perf < PD_PERF_7_2 ? PD_FEATURE_PMU_CAPS
						: PD_FEATURE_CLN_SIZE;
	struct pd_cursor c;

	fputs("# missing features: ", ctx->out);
	for (unsigned bit = 1; bit <= last; bit++)
		if (!pd_reader_feature(ctx->reader, bit, &c))
			fprintf(ctx->out, "%s ", pd_feature_name(bit));
	fputc('\n', ctx->out);
}

static void print_captured_on(FILE *out, int64_t when)
{
	time_t t = (time_t)when;
	struct tm tm;
	char text[64];

	if (localtime_r(&t, &tm) &&
	    strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm))
		fprintf(out, "# captured on    : %s\n", text);
}

void rpt_header_print(FILE *out, const struct pd_reader *reader,
		      const struct rpt_header_conf *conf)
{
	const struct pd_file_header *h = pd_reader_header(reader);
	struct rpt_header_ctx ctx = {
		.out = out,
		.reader = reader,
		.perf = pd_event_set_needed_perf(pd_reader_events(reader)),
		.is_full = conf->full,
	};

	fputs("# ========\n", out);
	print_captured_on(out, conf->captured_on);
	/* perf counts the revisions of the format from 0 */
	fprintf(out, "# header version : %u\n", h->version - 1);
	fprintf(out, "# data offset    : %" PRIu64 "\n", h->data.off);
	fprintf(out, "# data size      : %" PRIu64 "\n", h->data.len);
	fprintf(out, "# feat offset    : %" PRIu64 "\n",
		h->data.off + h->data.len);
	if (!h->is_pipe) {
		print_features(&ctx);
		print_missing(&ctx);
		rpt_header_recorder(&ctx);
	}
	fputs("# ========\n#\n", out);
	if (h->is_pipe)
		print_features(&ctx);
}
