#include "report/cli/gate_options.h"

#include "format/support/message.h"

#include <stdlib.h>

static const char *const answers[] = {
	[RPT_GATE_NOT_WORSE] = "not worse",
	[RPT_GATE_UNDECIDED] = "undecided",
	[RPT_GATE_WORSE] = "worse",
};

int rpt_parse_fail_above(void *conf, const char *arg, bool unset,
			 struct pd_err *err)
{
	(void)unset;
	return rpt_option_percent("--fail-above", arg, conf, err);
}

int rpt_parse_undecided(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "ok", RPT_EXIT_OK },
		{ "fail", RPT_EXIT_REGRESSION },
		{ NULL, 0 },
	};

	(void)unset;
	return rpt_option_word("--undecided", words, arg, conf, err);
}

/* Put how many runs would decide. */
static void put_more(const struct rpt_gate_finding *finding, FILE *out)
{
	const char *unit = finding->is_paired ? "pair" : "run";
	const char *each = finding->is_paired ? "" : " a side";

	if (isnan(finding->low_pct))
		fputs("; how much runs differ is not known", out);
	else if (finding->more == RPT_GATE_MANY)
		fprintf(out,
			"; that is so near the limit that %d more %ss%s "
			"would not do",
			RPT_GATE_RUNS_MAX, unit, each);
	else if (finding->more)
		fprintf(out,
			"; if that is the change, about %u more %s%s%s would "
			"do",
			finding->more, unit, finding->more == 1 ? "" : "s",
			each);
}

void rpt_gate_note(struct rpt_gate_result *result,
		   const struct rpt_gate_finding *finding)
{
	size_t len;
	FILE *out;

	if (result->line && finding->answer <= result->answer)
		return;
	rpt_gate_result_release(result);
	result->answer = finding->answer;
	out = open_memstream(&result->line, &len);
	fputs(finding->what, out);
	if (!isnan(finding->pct))
		fprintf(out, " %+.1f%%", finding->pct);
	if (!isnan(finding->low_pct))
		fprintf(out, " [%+.1f%%, %+.1f%%]", finding->low_pct,
			finding->high_pct);
	if (finding->advice)
		fprintf(out, "; %s", finding->advice);
	else if (finding->answer == RPT_GATE_UNDECIDED)
		put_more(finding, out);
	fclose(out);
}

void rpt_gate_result_release(struct rpt_gate_result *result)
{
	free(result->line);
	*result = (struct rpt_gate_result)RPT_GATE_RESULT_INIT;
}

void rpt_gate_put(const struct rpt_gate *gate,
		  const struct rpt_gate_result *result, FILE *out)
{
	fprintf(out, "--fail-above %g: %s: %s", gate->limit_pct,
		answers[result->answer],
		result->line ? result->line : "nothing was compared");
}

static int exit_code_of(const struct rpt_gate *gate,
			enum rpt_gate_answer answer)
{
	if (answer == RPT_GATE_UNDECIDED)
		return (int)gate->undecided;
	return answer == RPT_GATE_WORSE ? RPT_EXIT_REGRESSION : RPT_EXIT_OK;
}

int rpt_gate_end(const struct rpt_gate *gate, struct rpt_gate_result *result)
{
	int exit_code = exit_code_of(gate, result->answer);
	char *line = NULL;
	size_t len;
	FILE *out;

	if (gate->limit_pct < 0.0)
		return RPT_EXIT_OK;
	out = open_memstream(&line, &len);
	rpt_gate_put(gate, result, out);
	fclose(out);
	sup_message("%s (exit code %d)", line, exit_code);
	free(line);
	rpt_gate_result_release(result);
	return exit_code;
}
