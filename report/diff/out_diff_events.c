#include "report/diff/out_diff.h"

#include "format/layout.h"

#include <inttypes.h>
#include <string.h>

static const struct rpt_run_event *first_of(const struct rpt_side_event *side)
{
	for (size_t r = 0; r < side->side->run_nr; r++) {
		if (side->events[r])
			return side->events[r];
	}
	return NULL;
}

static unsigned precision(const struct pd_attr *attr)
{
	return (unsigned)((attr->flags & PD_ATTR_PRECISE_IP_MASK) >>
			  PD_ATTR_PRECISE_IP_SHIFT);
}

/* Whether they were counted alike, by whatever name. */
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

/* Whether all runs of a side counted as this one. */
static bool is_side_alike(const struct rpt_side_event *side,
			  const struct rpt_run_event *as)
{
	for (size_t r = 0; r < side->side->run_nr; r++) {
		if (side->events[r] && !is_alike(side->events[r], as))
			return false;
	}
	return true;
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

static void print_event(const struct rpt_table *table, size_t side, FILE *out)
{
	const struct rpt_run_event *event = first_of(&table->sides[side]);
	const struct pd_attr *attr;

	if (!event)
		return;
	attr = &event->attr;
	if (table->side_nr == 2)
		fprintf(out, "# %s counted ", side ? "New" : "Old");
	else
		fprintf(out, "# [%zu] counted ", side);
	fprintf(out, "'%s': %s", event->name,
		modes_name(rpt_event_modes(attr)));
	if (precision(attr))
		fprintf(out, ", precise level %u", precision(attr));
	if (attr->flags & PD_ATTR_FREQ)
		fprintf(out, ", %" PRIu64 " Hz", attr->sample_period);
	else
		fprintf(out, ", a sample each %" PRIu64, attr->sample_period);
	fputs(is_side_alike(&table->sides[side], event)
		      ? "\n"
		      : " (not all runs of this side)\n",
	      out);
}

/* RPT_MODE_*: whose samples are compared. */
static unsigned modes_of(const struct rpt_table *table)
{
	unsigned modes = RPT_MODE_BOTH;

	for (size_t s = 0; s < table->side_nr; s++) {
		const struct rpt_side_event *side = &table->sides[s];

		for (size_t r = 0; r < side->side->run_nr; r++)
			modes &= side->events[r] ? side->events[r]->modes
						 : RPT_MODE_BOTH;
	}
	return modes;
}

/* Whether all runs counted the same code. */
static bool has_same_modes(const struct rpt_table *table)
{
	unsigned any = 0, all = RPT_MODE_BOTH;

	for (size_t s = 0; s < table->side_nr; s++) {
		const struct rpt_side_event *side = &table->sides[s];

		for (size_t r = 0; r < side->side->run_nr; r++) {
			if (!side->events[r])
				continue;
			any |= rpt_event_modes(&side->events[r]->attr);
			all &= rpt_event_modes(&side->events[r]->attr);
		}
	}
	return any == all;
}

void rpt_diff_print_events(const struct rpt_table *table, FILE *out)
{
	const struct rpt_run_event *old = first_of(&table->sides[0]);
	bool is_same = true;
	unsigned modes = modes_of(table);

	for (size_t s = 1; old && s < table->side_nr; s++) {
		const struct rpt_run_event *new = first_of(&table->sides[s]);

		is_same &= !new || is_alike(old, new);
	}
	for (size_t s = 0; s < table->side_nr; s++)
		is_same &= is_side_alike(&table->sides[s],
					 first_of(&table->sides[s]));
	if (is_same)
		return;
	for (size_t s = 0; s < table->side_nr; s++)
		print_event(table, s, out);
	if (modes != RPT_MODE_BOTH)
		fprintf(out,
			"# Only samples of %s are compared, which all runs "
			"have.\n",
			modes_name(modes));
	else if (!has_same_modes(table))
		fputs("# Not all runs counted all of this code, so rows may "
		      "look new or gone, and totals differ:\n"
		      "# to leave it out files are read twice, which a pipe "
		      "cannot be. Compare files instead.\n",
		      out);
	fputs("#\n", out);
}

const char *rpt_diff_event_name(const struct rpt_table *table, size_t side)
{
	const struct rpt_run_event *event = first_of(&table->sides[side]);

	return event ? event->name : NULL;
}

const char *rpt_diff_event_modes(const struct rpt_table *table)
{
	static const char *const names[] = {
		[0] = "none", /* a file was replaced while it was read */
		[RPT_MODE_USER] = "user",
		[RPT_MODE_KERNEL] = "kernel",
		[RPT_MODE_BOTH] = "all",
	};

	return names[modes_of(table)];
}
