#include "report/callchain/branch_stat.h"

#include "report/events/branch_types.h"

#include <inttypes.h>

/* Bits of rpt_branch_stat.types. */
#define TYPE_COND_BACK 0
#define TYPE_COND      1
#define TYPE_EXTENDED  15 /* the type is in new_type */
#define TYPE_NEW       16 /* the first type of new_type */

static uint64_t type_of(uint64_t flags)
{
	uint64_t type = flags >> 20 & 0xf;

	return type == TYPE_EXTENDED ? TYPE_NEW + (flags >> 26 & 0xf) : type;
}

static uint64_t crossing(uint64_t from, uint64_t to)
{
	if (from >> 21 != to >> 21)
		return RPT_BRANCH_CROSS_2M;
	return from >> 12 != to >> 12 ? RPT_BRANCH_CROSS_4K : 0;
}

#define PREDICTED UINT64_C(2)
#define ABORT	  UINT64_C(8)
#define TYPES	  (UINT64_C(0xf) << 20 | UINT64_C(0xf) << 26)
#define CYCLES	  (UINT64_C(0xffff) << 4)

struct rpt_branch_end rpt_branch_end_to(const struct rpt_history_branch *b)
{
	struct rpt_branch_end end = {
		.flags = b->flags & (PREDICTED | ABORT | TYPES),
		.kind = RPT_BRANCH_IS_TO,
	};

	if (type_of(b->flags))
		end.kind |= crossing(b->from, b->to) |
			    (b->to < b->from ? RPT_BRANCH_IS_BACK : 0);
	return end;
}

struct rpt_branch_end rpt_branch_end_from(const struct rpt_history_branch *b)
{
	return (struct rpt_branch_end){
		.flags = b->flags & CYCLES,
		.repeat_nr = b->repeat_nr,
		.run_cycles = b->run_cycles,
	};
}

static uint32_t type_bit(const struct rpt_branch_end *end)
{
	uint64_t type = type_of(end->flags);

	if (type == TYPE_COND && end->kind & RPT_BRANCH_IS_BACK)
		type = TYPE_COND_BACK;
	else if (!type)
		return 0;
	return UINT32_C(1) << type;
}

void rpt_branch_stat_add(struct rpt_branch_stat *stat,
			 const struct rpt_branch_end *end, uint64_t sample_nr)
{
	uint32_t crossed = RPT_BRANCH_CROSS_4K | RPT_BRANCH_CROSS_2M;

	stat->nr += sample_nr;
	stat->kind = (stat->kind & crossed) | (uint32_t)end->kind;
	if (!(end->kind & RPT_BRANCH_IS_TO)) {
		stat->from_nr += sample_nr;
		stat->cycles += (end->flags >> 4 & 0xffff) * sample_nr;
		stat->repeat_nr += end->repeat_nr * sample_nr;
		stat->run_cycles += end->run_cycles * sample_nr;
		return;
	}
	stat->types |= type_bit(end);
	if (end->flags & PREDICTED)
		stat->predicted_nr += sample_nr;
	if (end->flags & ABORT)
		stat->abort_nr += sample_nr;
}

struct printer {
	struct rpt_text *out;
	bool is_open;
};

/* Put " (" before the first item, " " before others. */
static struct rpt_text *next(struct printer *p)
{
	rpt_text_str(p->out, p->is_open ? " " : " (");
	p->is_open = true;
	return p->out;
}

static void print_types(struct printer *p, const struct rpt_branch_stat *stat)
{
	if (stat->types >> TYPE_COND & 1)
		rpt_text_str(next(p), "COND_FWD");
	if (stat->types >> TYPE_COND_BACK & 1)
		rpt_text_str(next(p), "COND_BWD");
	for (unsigned type = TYPE_COND + 1; type < TYPE_EXTENDED; type++)
		if (stat->types >> type & 1)
			rpt_text_str(next(p), rpt_branch_type_name(type));
	for (unsigned type = TYPE_NEW; type < 32; type++)
		if (stat->types >> type & 1)
			rpt_text_str(next(p),
				     rpt_branch_new_type_name(type - TYPE_NEW));
	if (stat->kind & RPT_BRANCH_CROSS_4K)
		rpt_text_str(next(p), "CROSS_4K");
	if (stat->kind & RPT_BRANCH_CROSS_2M)
		rpt_text_str(next(p), "CROSS_2M");
}

static void print_share(struct printer *p, const char *name, uint64_t part,
			uint64_t nr)
{
	rpt_text_format(next(p), "%s:%.1f%%", name,
			100.0 * (double)part / (double)nr);
}

static void print_to(struct printer *p, const struct rpt_branch_stat *stat)
{
	print_types(p, stat);
	if (stat->predicted_nr < stat->nr)
		print_share(p, "predicted", stat->predicted_nr, stat->nr);
	if (stat->abort_nr)
		print_share(p, "abort", stat->abort_nr, stat->nr);
}

static void print_from(struct printer *p, const struct rpt_branch_stat *stat)
{
	uint64_t cycles = stat->cycles / stat->nr;

	if (cycles)
		rpt_text_format(next(p), "cycles:%" PRIu64, cycles);
	/* perf 6.1 does not count the first of them. */
	if (stat->from_nr < 2 || stat->repeat_nr < stat->from_nr - 1)
		return;
	rpt_text_format(next(p), "iter:%" PRIu64,
			stat->repeat_nr / (stat->from_nr - 1));
	rpt_text_format(next(p), "avg_cycles:%" PRIu64,
			stat->run_cycles / stat->repeat_nr);
}

void rpt_branch_stat_print(const struct rpt_branch_stat *stat,
			   struct rpt_text *out)
{
	struct printer p = { .out = out };

	if (!stat->nr) {
		rpt_text_str(out, " (calltrace)");
		return;
	}
	if (stat->kind & RPT_BRANCH_IS_TO)
		print_to(&p, stat);
	else
		print_from(&p, stat);
	if (p.is_open)
		rpt_text_char(out, ')');
}
