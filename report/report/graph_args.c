/* -g and its argument. */
#include "report/report/report_args.h"

#include "report/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Words of -g that set a mode, a value or a key. */
static const struct {
	const char *name;
	int mode;  /* enum rpt_graph_mode, or -1 */
	int value; /* enum rpt_graph_value, or -1 */
	int key;   /* enum rpt_frame_key, or -1 */
} graph_words[] = {
	{ "graph", RPT_GRAPH_ABS, -1, -1 },
	{ "fractal", RPT_GRAPH_REL, -1, -1 },
	{ "flat", RPT_GRAPH_FLAT, -1, -1 },
	{ "folded", RPT_GRAPH_FOLDED, -1, -1 },
	{ "percent", -1, RPT_GRAPH_PERCENT, -1 },
	{ "period", -1, RPT_GRAPH_PERIOD, -1 },
	{ "count", -1, RPT_GRAPH_COUNT, -1 },
	{ "function", -1, -1, RPT_FRAME_FUNCTION },
	{ "address", -1, -1, RPT_FRAME_ADDRESS },
	{ "srcline", -1, -1, RPT_FRAME_SRCLINE },
};

static bool graph_style_word(struct rpt_report_args *args, const char *text)
{
	struct rpt_callgraph_style *style = &args->graph.style;

	for (size_t i = 0; i < sizeof(graph_words) / sizeof(graph_words[0]);
	     i++) {
		if (strcmp(text, graph_words[i].name) != 0)
			continue;
		if (graph_words[i].mode >= 0)
			style->mode = (enum rpt_graph_mode)graph_words[i].mode;
		if (graph_words[i].value >= 0)
			style->value =
				(enum rpt_graph_value)graph_words[i].value;
		if (graph_words[i].key >= 0)
			args->graph.key =
				(enum rpt_frame_key)graph_words[i].key;
		return true;
	}
	return false;
}

/* The first number is the least percentage, the second how many are shown. */
static bool graph_number(struct rpt_report_args *args, const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || !(number >= 0 && number <= UINT32_MAX))
		return false;
	if (args->graph.is_limit_given)
		args->graph.style.show_nr = (uint32_t)number;
	else
		args->graph.style.min_pct = number;
	args->graph.is_limit_given = true;
	return true;
}

static int refuse_graph_word(const char *text, struct pd_err *err)
{
	pd_err_set(err, -EINVAL, "option --call-graph: '%s' is not supported",
		   text);
	if (!strcmp(text, "dwarf") || !strcmp(text, "fp") ||
	    !strcmp(text, "lbr"))
		pd_err_hint(err, "'perfpair record --call-graph %s' records so",
			    text);
	else
		pd_err_hint(err, "words are graph, fractal, flat, folded, "
				 "none, caller, callee, function, address, "
				 "srcline, percent, period, count");
	return -EINVAL;
}

static int graph_word(struct rpt_report_args *args, const char *word,
		      size_t len, struct pd_err *err)
{
	char text[32];

	if (len >= sizeof(text))
		len = sizeof(text) - 1;
	memcpy(text, word, len);
	text[len] = '\0';
	if (!strcmp(text, "none") || !strcmp(text, "no")) {
		args->graph.is_off = true;
		return 0;
	}
	if (!strcmp(text, "caller") || !strcmp(text, "callee")) {
		args->graph.is_order_given = true;
		args->graph.is_caller_first = !strcmp(text, "caller");
		return 0;
	}
	if (graph_style_word(args, text) || graph_number(args, text))
		return 0;
	return refuse_graph_word(text, err);
}

int rpt_report_parse_graph(void *conf, const char *arg, bool unset,
			   struct pd_err *err)
{
	struct rpt_report_args *args = conf;

	if (unset) {
		args->graph.is_off = true;
		return 0;
	}
	args->graph.is_given = true;
	args->graph.is_limit_given = false;
	while (arg && *arg) {
		size_t len = strcspn(arg, ",");
		int rc = len ? graph_word(args, arg, len, err) : 0;

		if (rc)
			return rc;
		arg += len;
		arg += *arg == ',';
	}
	return 0;
}

/* Return the next word, -g together with the one behind it. */
static char *join_next(char **argv, int argc, int *at)
{
	const char *word = argv[(*at)++];
	bool is_graph = !strcmp(word, "-g") || !strcmp(word, "--call-graph");
	char *joined;

	if (!is_graph || *at == argc || argv[*at][0] == '-')
		return rpt_alloc_text(word, strlen(word));
	joined = rpt_alloc(strlen(word) + strlen(argv[*at]) + 2);
	sprintf(joined, "%s%s%s", word, word[1] == '-' ? "=" : "",
		argv[(*at)++]);
	return joined;
}

char **rpt_report_join_graph(int argc, char **argv, int *ret_argc)
{
	char **joined = rpt_alloc_zeroed((size_t)argc + 1, sizeof(char *));
	int nr = 0;

	for (int at = 0; at < argc;)
		joined[nr++] = join_next(argv, argc, &at);
	*ret_argc = nr;
	return joined;
}

void rpt_report_words_free(char **words)
{
	for (char **word = words; word && *word; word++)
		free(*word);
	free(words);
}
