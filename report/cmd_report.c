/* perfpair report: where the samples of a recording were taken. */
#include "report/commands.h"
#include "report/report.h"

#include "format/support/message.h"

static void tell_lost(const struct rpt_profile *profile)
{
	if (profile->lost_chunk_nr)
		sup_message("%llu records were lost in %llu places while "
			    "recording",
			    (unsigned long long)profile->lost_nr,
			    (unsigned long long)profile->lost_chunk_nr);
	if (profile->unknown_id_nr)
		sup_message("%llu samples belong to no event of the file",
			    (unsigned long long)profile->unknown_id_nr);
	if (profile->damaged_nr)
		sup_message("%llu samples could not be read",
			    (unsigned long long)profile->damaged_nr);
}

static void tell_problems(const struct rpt_symbols *symbols)
{
	struct rpt_dso *dso;

	for (size_t i = 0; (dso = rpt_symbols_dso_at(symbols, i)); i++) {
		if (rpt_dso_problem(dso))
			sup_message("%s: %s", rpt_dso_name(dso),
				    rpt_dso_problem(dso));
	}
}

static bool is_damaged(const struct rpt_report *report)
{
	return report->profile.damaged_nr || report->profile.unknown_id_nr ||
	       rpt_timeline_damaged_nr(report->timeline) ||
	       pd_reader_damage(report->reader)->skipped_nr;
}

static int run(struct rpt_report *report, const struct rpt_report_args *args,
	       struct pd_err *err)
{
	int rc = rpt_report_open(report, args, err);

	if (!rc && args->header_only) {
		rpt_report_print_header(report, stdout);
		return 0;
	}
	if (!rc)
		rc = rpt_report_count(report, err);
	if (!rc)
		rc = rpt_report_print(report, stdout, err);
	return rc;
}

int rpt_cmd_report(int argc, char **argv)
{
	struct rpt_report_args args;
	struct rpt_report report = { 0 };
	struct pd_err err = PD_ERR_INIT;
	int rc = rpt_report_args_parse(&args, argc, argv, &err);

	if (rc < 0) {
		sup_message_err(NULL, &err);
		return RPT_EXIT_USAGE;
	}
	if (rc)
		return RPT_EXIT_OK;
	rc = run(&report, &args, &err);
	if (rc) {
		sup_message_err(args.input, &err);
		rc = RPT_EXIT_FAILED;
	} else {
		tell_lost(&report.profile);
		tell_problems(report.symbols);
		rc = is_damaged(&report) ? RPT_EXIT_DAMAGED : RPT_EXIT_OK;
	}
	rpt_report_close(&report);
	return rc;
}
