/* header_cost.c: what our recorder says of itself: cost, losses, rates.
 */
#include "report/header/header_rows.h"

#include "format/support/safe_text.h"
#include "report/profile/clock_steps.h"

#include <inttypes.h>

static double s_of(uint64_t ns)
{
	return (double)ns / 1e9;
}

static double mb_of(uint64_t len)
{
	return (double)len / 1024.0 / 1024.0;
}

static void print_cost(FILE *out, const struct pd_trailer_cost *cost)
{
	uint64_t ns = cost->startup_ns + cost->recorded_ns;
	uint64_t cpu_ns = cost->user_ns + cost->system_ns;

	fprintf(out, "# recorder cpu   : %.3f s user, %.3f s system",
		s_of(cost->user_ns), s_of(cost->system_ns));
	if (cost->recorded_ns)
		fprintf(out, ", %.2f%% of a CPU in %.3f s",
			100.0 * (double)cpu_ns / (double)ns, s_of(ns));
	fprintf(out,
		"\n# recorder memory: %.1f MB at most\n"
		"# recorder wrote : %.3f MB of %.3f MB plain, %" PRIu64
		" samples\n# recorder woke  : %" PRIu64
		" times, began after %.3f s",
		mb_of(cost->peak_rss_len), mb_of(cost->written_len),
		mb_of(cost->plain_len), cost->sample_nr, cost->wakeup_nr,
		s_of(cost->startup_ns));
	if (cost->thread_nr)
		fprintf(out, ", %" PRIu64 " drain threads", cost->thread_nr);
	fputc('\n', out);
	if (cost->spilled_len || cost->cut_nr || cost->dropped_nr)
		fprintf(out,
			"# recorder pressure: %.3f MB through spare memory, "
			"%" PRIu64 " stacks cut, %" PRIu64 " samples dropped\n",
			mb_of(cost->spilled_len), cost->cut_nr,
			cost->dropped_nr);
	if (cost->throttle_nr)
		fprintf(out, "# throttled      : %" PRIu64 " times\n",
			cost->throttle_nr);
	if (cost->max_rate_after_hz < cost->max_rate_before_hz)
		fprintf(out,
			"# highest rate   : lowered by the kernel from %" PRIu64
			" to %" PRIu64 " Hz\n",
			cost->max_rate_before_hz, cost->max_rate_after_hz);
}

static void print_event(const struct rpt_header_ctx *ctx, uint32_t idx)
{
	const struct pd_event_set *events = pd_reader_events(ctx->reader);

	if (idx < events->nr && events->events[idx].name)
		sup_put_safe_text(ctx->out, events->events[idx].name);
	else
		fprintf(ctx->out, "event %" PRIu32, idx);
}

static void print_loss(const struct rpt_header_ctx *ctx,
		       const struct pd_trailer_loss *loss)
{
	fprintf(ctx->out, "# lost           : %" PRIu64 " of ", loss->lost_nr);
	print_event(ctx, loss->event_idx);
	if (loss->cpu != PD_TRAILER_ANY_CPU)
		fprintf(ctx->out, " on CPU %" PRIu32, loss->cpu);
	fprintf(ctx->out, " between %.6f and %.6f\n", s_of(loss->time_lo_ns),
		s_of(loss->time_hi_ns));
}

static void print_rate(const struct rpt_header_ctx *ctx,
		       const struct pd_trailer_rate *rate)
{
	if (rate->flags & PD_RATE_IS_NAMES) {
		fputs("# names          : left out, to take no more than "
		      "--budget allows\n",
		      ctx->out);
		return;
	}
	fputs("# rate           : ", ctx->out);
	print_event(ctx, rate->event_idx);
	if (rate->flags & PD_RATE_IS_STACK)
		fprintf(ctx->out, " has stack copies of at most %" PRIu64,
			rate->value);
	else
		fprintf(ctx->out, " has a %s of %" PRIu64,
			rate->flags & PD_RATE_IS_FREQ ? "frequency" : "period",
			rate->value);
	if (rate->time_ns)
		fprintf(ctx->out, " from %.6f on\n", s_of(rate->time_ns));
	else
		fputs(", from when is not known\n", ctx->out);
}

void rpt_header_steps(struct rpt_header_ctx *ctx)
{
	char buf[RPT_STEPS_TEXT_LEN];
	const char *text = rpt_clock_steps_text(ctx->reader, buf);

	if (text)
		fprintf(ctx->out, "# constant period: %s\n", text);
}

void rpt_header_recorder(struct rpt_header_ctx *ctx)
{
	const struct pd_trailer *t = pd_reader_trailer(ctx->reader);

	if (!t)
		return;
	/* a trailer that perfpair carry gave to perf's file has none */
	if (pd_trailer_is_adopted(t))
		fprintf(ctx->out,
			"# recorder killed: %.6f is what it wrote last\n",
			s_of(pd_trailer_last_ns(t)));
	else if (t->cost.written_len || t->cost.recorded_ns)
		print_cost(ctx->out, &t->cost);
	if (t->left_task_nr)
		fprintf(ctx->out,
			"# tasks left out : %" PRIu64
			" that were not sampled, with %" PRIu64 " records\n",
			t->left_task_nr, t->left_record_nr);
	for (size_t i = 0; i < t->loss_nr; i++)
		print_loss(ctx, &t->losses[i]);
	for (size_t i = 0; i < t->rate_nr; i++)
		print_rate(ctx, &t->rates[i]);
}
