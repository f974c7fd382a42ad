/* repair_carried.c: the names that the new file carries. */
#include "report/repair/repair_impl.h"

#include "report/repair/repair_edit.h"

#include <errno.h>
#include <string.h>

int rpt_repair_lend(struct rpt_repair *repair, struct pd_err *err)
{
	const struct rpt_repair_conf *conf = repair->conf;
	struct rpt_repair_lent *lent = &repair->lent;
	struct pd_err why = PD_ERR_INIT;
	int rc;

	if (!conf->carried)
		return 0;
	rc = rpt_file_source_open(&lent->source, conf->carried, &why);
	if (!rc)
		rc = rpt_file_source_reader(&lent->source, NULL, &lent->reader,
					    &why);
	lent->is_own =
		!rc && pd_reader_names_are_of(lent->reader, repair->reader);
	if (!rc && !lent->is_own && !conf->may_be_other)
		rc = pd_err_set(&why, -EINVAL,
				"its names are not of this recording");
	if (!rc)
		return 0;
	pd_err_set(&why, rc, "%s", strerror(-rc));
	return pd_err_set(err, rc, "option --carried: %s: %s", conf->carried,
			  why.text);
}

static bool has_stack_copies(const struct pd_event_set *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->events[i].attr.sample_type & PD_SAMPLE_STACK_USER)
			return true;
	return false;
}

/* A section that is damaged goes; without stack copies nobody needs what
 * unwinds them.  Names that stand in the new file are its own. */
static bool is_kept(const struct rpt_repair *repair,
		    const struct pd_carried *carried, uint32_t kind)
{
	return !(kind < 32 && carried->lost_kinds >> kind & 1) &&
	       kind != PD_CARRIED_STREAM &&
	       (kind != PD_CARRIED_CFI || has_stack_copies(repair->events));
}

static void keep(struct rpt_repair *repair, struct pd_reader *reader,
		 const uint8_t *base)
{
	const struct pd_trailer *t = pd_reader_trailer(reader);
	const struct rpt_repair_edit *edit = repair->conf->edit;
	bool is_edited = edit && edit->carried;
	struct pd_carried carried;

	if (!t)
		return;
	pd_reader_carried(reader, &carried, NULL);
	if (is_edited && carried.file_nr)
		edit->carried(edit->ctx, &carried, &repair->file);
	for (size_t i = 0; !is_edited && carried.file_nr && i < t->section_nr;
	     i++)
		if (is_kept(repair, &carried, t->sections[i].kind))
			rpt_perf_data_writer_section(&repair->file,
						     &t->sections[i],
						     base + t->sections[i].off);
	pd_carried_release(&carried);
}

void rpt_repair_carried(struct rpt_repair *repair)
{
	const struct rpt_repair_lent *lent = &repair->lent;

	if (lent->is_own)
		keep(repair, lent->reader, lent->source.base);
	else
		keep(repair, repair->reader, repair->source->base);
}
