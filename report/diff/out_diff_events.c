#include "report/diff/out_diff.h"

#include "format/file/layout.h"

#include <inttypes.h>
#include <string.h>

/* Return whether two runs counted an event in the same way. */
static bool is_alike(const struct rpt_run_event *a,
		     const struct rpt_run_event *b)
{
	const uint64_t flags = PD_ATTR_PRECISE_IP_MASK | PD_ATTR_FREQ;
	const struct pd_attr *x = &a->attr, *y = &b->attr;

	return !((x->flags ^ y->flags) & flags) &&
	       rpt_event_modes(x) == rpt_event_modes(y) &&
	       x->sample_period == y->sample_period &&
	       !strcmp(a->name, b->name);
}

/* Return whether all runs of a side counted an event in the same way as "as"
 * (NULL: true). */
static bool is_side_alike(const struct rpt_side_event *side,
			  const struct rpt_run_event *as)
{
	bool is_same = true;

	for (size_t r = 0; as && r < side->side->run_nr; r++)
		is_same &= !side->events[r] || is_alike(side->events[r], as);
	return is_same;
}

static const char *modes_name(unsigned modes)
{
	static const char *const names[] = {
		[0] = "neither user nor kernel code",
		[RPT_MODE_USER] = "user code",
		[RPT_MODE_KERNEL] = "kernel code",
		[RPT_MODE_BOTH] = "user and kernel code",
	};

	return names[modes];
}

static void print_event(const struct rpt_diff_table *table, size_t side,
			FILE *out)
{
	const struct rpt_run_event *event =
		rpt_side_first_event(&table->sides[side]);
	const struct pd_attr *attr = event ? &event->attr : NULL;
	unsigned precision;

	if (!event)
		return;
	precision = (unsigned)((attr->flags & PD_ATTR_PRECISE_IP_MASK) >>
			       PD_ATTR_PRECISE_IP_SHIFT);
	rpt_diff_print_side(out, table->side_nr, side);
	fprintf(out, " counted '%s': %s", event->name,
		modes_name(rpt_event_modes(attr)));
	if (precision)
		fprintf(out, ", precise level %u", precision);
	if (attr->flags & PD_ATTR_FREQ)
		fprintf(out, ", %" PRIu64 " Hz", attr->sample_period);
	else
		fprintf(out, ", a sample each %" PRIu64, attr->sample_period);
	fputs(is_side_alike(&table->sides[side], event)
		      ? "\n"
		      : " (not all runs of this side)\n",
	      out);
}

/* What the runs counted: user code, kernel code or both (RPT_MODE_*). */
struct modes {
	unsigned compared; /* the samples of these are compared */
	unsigned any;	   /* counted by some run */
	unsigned all;	   /* counted by each run */
};

static struct modes modes_of(const struct rpt_diff_table *table)
{
	struct modes modes = { RPT_MODE_BOTH, 0, RPT_MODE_BOTH };

	for (size_t s = 0; s < table->side_nr; s++) {
		const struct rpt_side_event *side = &table->sides[s];

		for (size_t r = 0; r < side->side->run_nr; r++) {
			if (!side->events[r])
				continue;
			modes.compared &= side->events[r]->modes;
			modes.any |= rpt_event_modes(&side->events[r]->attr);
			modes.all &= rpt_event_modes(&side->events[r]->attr);
		}
	}
	return modes;
}

void rpt_diff_print_events(const struct rpt_diff_table *table, FILE *out)
{
	const struct rpt_run_event *old =
		rpt_side_first_event(&table->sides[0]);
	struct modes modes = modes_of(table);
	bool is_same = true;

	for (size_t s = 0; s < table->side_nr; s++) {
		const struct rpt_side_event *side = &table->sides[s];

		is_same &= is_side_alike(side, rpt_side_first_event(side)) &&
			   (!old || is_side_alike(side, old));
	}
	if (is_same)
		return;
	for (size_t s = 0; s < table->side_nr; s++)
		print_event(table, s, out);
	if (modes.compared != RPT_MODE_BOTH)
		fprintf(out,
			"# Only samples of %s are compared, which all runs "
			"have.\n",
			modes_name(modes.compared));
	else if (modes.any != modes.all)
		fputs("# Not all runs counted all of this code, so rows may "
		      "look new or gone, and totals differ:\n"
		      "# to leave it out files are read twice, which a pipe "
		      "cannot be. Compare files instead.\n",
		      out);
	fputs("#\n", out);
}

const char *rpt_diff_event_name(const struct rpt_diff_table *table, size_t side)
{
	const struct rpt_run_event *event =
		rpt_side_first_event(&table->sides[side]);

	return event ? event->name : NULL;
}

const char *rpt_diff_event_modes(const struct rpt_diff_table *table)
{
	static const char *const names[] = {
		[0] = "none", /* a file was replaced while it was read */
		[RPT_MODE_USER] = "user",
		[RPT_MODE_KERNEL] = "kernel",
		[RPT_MODE_BOTH] = "all",
	};

	return names[modes_of(table).compared];
}
