#include "report/compare/count_compare.h"

#include "report/cli/command_options.h"

#include <errno.h>
#include <stddef.h>

#define ARGS(field) offsetof(struct rpt_compare_args, field)

static int parse_fail_above(void *conf, const char *arg, bool unset,
			    struct pd_err *err)
{
	struct rpt_compare_args *args = conf;

	(void)unset;
	return rpt_option_percent("--fail-above", arg, &args->fail_above_pct,
				  err);
}

static const struct sup_opt opts[] = {
	RPT_OPT_FLAG(0, "compare", ARGS(is_compare), 0,
		     "compare the counts of two files that stat -r N -j -o "
		     "FILE has written"),
	RPT_OPT_FLAG('j', "json-output", ARGS(is_json), 0,
		     "print one JSON object a line"),
	RPT_OPT_CALL(0, "fail-above", "PERCENT",
		     "exit with 4 if a count grew significantly by more than "
		     "PERCENT; stderr names it",
		     parse_fail_above),
	{ 0 },
};

const struct sup_command rpt_compare_command = {
	.name = "perfpair stat",
	.usage = "--compare [OPTION]... OLD NEW",
	.summary = "Show which counts changed by more than chance.",
	.opts = opts,
};

int rpt_compare_args_parse(struct rpt_compare_args *args, int argc, char **argv,
			   struct pd_err *err)
{
	int first, rc;

	*args = (struct rpt_compare_args){ .fail_above_pct = -1 };
	rc = sup_options_parse(&rpt_compare_command, args, argc, argv, &first,
			       err);
	if (rc)
		return rc;
	if (argc - first != RPT_COUNT_SIDES)
		return pd_err_set(err, -EINVAL,
				  "--compare needs two files: OLD NEW");
	args->paths[RPT_COUNT_OLD] = argv[first];
	args->paths[RPT_COUNT_NEW] = argv[first + 1];
	return 0;
}
