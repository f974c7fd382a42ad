#include "report/fleet/fleet_args.h"

#include "report/base/memory.h"
#include "report/cli/command_options.h"
#include "report/cli/output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
#define LIMIT	 20

static int add_term(struct rpt_fleet_terms *terms, const char *option,
		    const char *arg, struct pd_err *err)
{
	if (!strchr(arg, '=') || *arg == '=')
		return pd_err_set(err, -EINVAL,
				  "option %s: '%s' is not NAME=VALUE", option,
				  arg);
	terms->items = rpt_realloc_array(terms->items, terms->nr + 1,
					 sizeof(*terms->items));
	terms->items[terms->nr++] = arg;
	return 0;
}

static int parse_filter(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	struct rpt_fleet_args *args = conf;

	(void)unset;
	return add_term(&args->where, "--filter", arg, err);
}

static int parse_old(void *conf, const char *arg, bool unset,
		     struct pd_err *err)
{
	struct rpt_fleet_args *args = conf;

	(void)unset;
	return add_term(&args->old, "--old", arg, err);
}

static int parse_new(void *conf, const char *arg, bool unset,
		     struct pd_err *err)
{
	struct rpt_fleet_args *args = conf;

	(void)unset;
	return add_term(&args->new, "--new", arg, err);
}

/* Parse seconds since 1970, or a time of UTC. */
static int parse_time(const char *option, const char *arg, int64_t *ret_s,
		      struct pd_err *err)
{
	static const char *const forms[] = { "%Y-%m-%dT%H:%M:%SZ",
					     "%Y-%m-%d %H:%M:%S",
					     "%Y-%m-%d %H:%M", "%Y-%m-%d" };
	uint64_t s;
	int day;

	if (!sup_parse_u64(arg, &s) && s <= UINT32_MAX) {
		*ret_s = (int64_t)s;
		return 0;
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm tm = { 0 };
		const char *end = strptime(arg, forms[i], &tm);

		if (!end || *end)
			continue;
		day = tm.tm_mday;
		*ret_s = (int64_t)timegm(&tm);
		if (*ret_s >= 0 && tm.tm_mday == day) /* no 31st of June */
			return 0;
	}
	return pd_err_set(err, -EINVAL,
			  "option %s: '%s' is neither seconds since 1970 nor a "
			  "time of UTC such as '2026-11-27 18:00'",
			  option, arg);
}

static int parse_from(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	struct rpt_fleet_args *args = conf;

	(void)unset;
	return parse_time("--from", arg, &args->from_s, err);
}

static int parse_to(void *conf, const char *arg, bool unset, struct pd_err *err)
{
	struct rpt_fleet_args *args = conf;

	(void)unset;
	return parse_time("--to", arg, &args->to_s, err);
}

static int parse_engine(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "clickhouse", RPT_FLEET_CLICKHOUSE },
		{ "duckdb", RPT_FLEET_DUCKDB },
		{ NULL, 0 },
	};
	struct rpt_fleet_args *args = conf;

	(void)unset;
	args->is_engine_given = true;
	return rpt_option_word("--engine", words, arg, &args->engine, err);
}

static int parse_format(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "text", RPT_FLEET_TEXT },
		{ "json", RPT_FLEET_JSON },
		{ "csv", RPT_FLEET_CSV },
		{ "folded", RPT_FLEET_FOLDED },
		{ "html", RPT_FLEET_HTML },
		{ "sql", RPT_FLEET_SQL },
		{ NULL, 0 },
	};
	struct rpt_fleet_args *args = conf;

	(void)unset;
	return rpt_option_word("--format", words, arg, &args->format, err);
}

#define ARGS(field) offsetof(struct rpt_fleet_args, field)

static const struct sup_opt opts[] = {
	RPT_OPT_CALL(0, "old", "NAME=VALUE",
		     "of diff: the hosts and slices of the old side, such as "
		     "release=A; several must all hold",
		     parse_old),
	RPT_OPT_CALL(0, "new", "NAME=VALUE", "of diff: those of the new side",
		     parse_new),
	RPT_OPT_CALL(0, "filter", "NAME=VALUE",
		     "only count samples of this host, release, service, run, "
		     "pod, container, cgroup, comm, comm_nodigit (with <N> "
		     "for each number), event, or of another label; several "
		     "must all hold",
		     parse_filter),
	RPT_OPT_CALL(0, "from", "TIME",
		     "only count samples from then on: seconds since 1970, or "
		     "a time of UTC",
		     parse_from),
	RPT_OPT_CALL(0, "to", "TIME", "only count samples before then",
		     parse_to),
	{ 0, "step", SUP_DURATION, ARGS(step_ns), 0, "TIME",
	  "of trend: one column for each TIME (1h)", NULL },
	RPT_OPT_U32("limit", ARGS(limit), "NR",
		    "of top and trend: show NR functions (20)"),
	RPT_OPT_FLAG(0, "children", ARGS(children), 0,
		     "add the samples of callees to their callers"),
	RPT_OPT_FLAG(0, "pairs", ARGS(pairs), SUP_OPT_NEGATABLE,
		     "of diff: compare a host that is on both sides "
		     "with itself (on)"),
	RPT_OPT_FLAG(0, "significant", ARGS(only_significant), 0,
		     "of diff: only show rows that changed by more than "
		     "chance"),
	RPT_OPT_CALL(0, "format", "text|json|csv|folded|html|sql",
		     "choose the form of the output (text); csv is of diff; "
		     "folded: of top and diff, call paths with samples, for "
		     "flame graphs; html: of top and diff, a page that shows "
		     "itself, with flame graph, tables and timeline; "
		     "sql: print the question for the functions (of hosts: "
		     "for the hosts) and do not ask it",
		     parse_format),
	RPT_OPT_PAGE_SIZE(ARGS(page_len)),
	RPT_OPT_CALL(0, "engine", "clickhouse|duckdb",
		     "write SQL for this database (that of the client's name)",
		     parse_engine),
	RPT_OPT_TEXT(0, "database", ARGS(database), "NAME",
		     "of ClickHouse: where the tables are (perfpair)"),
	RPT_OPT_FLAG(0, "cluster", ARGS(is_cluster), 0,
		     "of ClickHouse: ask all servers (cluster.sql)"),
	RPT_OPT_FLAG(0, "partial", ARGS(is_partial), 0,
		     "with --cluster: go on without servers that do not "
		     "answer, and say how many"),
	RPT_OPT_OUTPUT_FILE('o', ARGS(output)),
	{ 0 },
};

const struct sup_command rpt_fleet_command = {
	.name = "perfpair fleet",
	.usage = "top|diff|trend|hosts [OPTION]... [-- CLIENT [WORD]...]",
	.summary =
		"Ask a database about the samples of many hosts, which "
		"perfpair export --format rows has written: the heaviest "
		"functions, what a release changed and on which hosts, or how "
		"shares went over time.\nCLIENT and its words are those of "
		"the database's own program (clickhouse-client).",
	.opts = opts,
	.stop_at_operand = true,
};

static int set_question(struct rpt_fleet_args *args, const char *word,
			struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "top", RPT_FLEET_TOP },
		{ "diff", RPT_FLEET_DIFF },
		{ "trend", RPT_FLEET_TREND },
		{ "hosts", RPT_FLEET_HOSTS },
		{ NULL, 0 },
	};

	for (size_t i = 0; words[i].name; i++) {
		if (strcmp(words[i].name, word) != 0)
			continue;
		args->question = words[i].value;
		return 0;
	}
	return pd_err_set(err, -EINVAL,
			  "'%s' is none of top, diff, trend, hosts", word);
}

/* Take the client's words, and the engine from its name. */
static void set_client(struct rpt_fleet_args *args, int nr, char **words)
{
	static char clickhouse[] = "clickhouse-client", duckdb[] = "duckdb";
	const char *name;

	/* room for options of ours and a NULL */
	args->client = rpt_alloc_zeroed((size_t)nr + 8, sizeof(char *));
	for (int i = 0; i < nr; i++)
		args->client[i] = words[i];
	args->client_nr = nr;
	if (!nr) {
		args->client[0] =
			args->engine == RPT_FLEET_DUCKDB ? duckdb : clickhouse;
		args->client_nr = 1;
	}
	name = strrchr(args->client[0], '/');
	name = name ? name + 1 : args->client[0];
	if (!args->is_engine_given && !strncmp(name, "duckdb", 6))
		args->engine = RPT_FLEET_DUCKDB;
}

static bool is_name(const char *text)
{
	return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_")];
}

static int check(const struct rpt_fleet_args *args, struct pd_err *err)
{
	bool is_diff = args->question == RPT_FLEET_DIFF;
	bool is_duckdb = args->engine == RPT_FLEET_DUCKDB;
	bool is_folded = args->format == RPT_FLEET_FOLDED;
	bool is_page = args->format == RPT_FLEET_HTML;
	const struct {
		bool is_wrong;
		const char *why;
	} rules[] = {
		{ is_diff && (!args->old.nr || !args->new.nr),
		  "diff needs both sides: --old release=A --new release=B" },
		{ !is_diff && (args->old.nr || args->new.nr ||
			       args->only_significant || !args->pairs ||
			       args->format == RPT_FLEET_CSV),
		  "--old, --new, --significant, --no-pairs and --format csv "
		  "are of diff" },
		{ args->children && args->question == RPT_FLEET_HOSTS,
		  "--children is not of hosts" },
		{ is_folded && !is_diff && args->question != RPT_FLEET_TOP,
		  "--format folded is of top and diff" },
		{ is_folded && (args->children || args->only_significant),
		  "--format folded has whole stacks: --children and "
		  "--significant are of tables" },
		{ is_page && !is_diff && args->question != RPT_FLEET_TOP,
		  "--format html is of top and diff" },
		{ is_page && !is_diff && args->children,
		  "--format html of top has whole stacks: --children is of "
		  "tables" },
		{ args->step_ns < NS_PER_S || args->step_ns % NS_PER_S,
		  "option --step: it takes whole seconds" },
		{ !args->limit, "option --limit: it is at least 1" },
		{ is_duckdb && (args->is_cluster || args->is_partial),
		  "--cluster and --partial are of ClickHouse" },
		{ args->is_partial && !args->is_cluster,
		  "--partial goes with --cluster" },
		{ !is_name(args->database),
		  "option --database: a name has letters, digits and _" },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].is_wrong)
			return pd_err_set(err, -EINVAL, "%s", rules[i].why);
	return 0;
}

int rpt_fleet_args_parse(struct rpt_fleet_args *args, int argc, char **argv,
			 struct pd_err *err)
{
	int first = 0, rc = 0;
	bool has_word = argc > 1 && argv[1][0] != '-';

	*args = (struct rpt_fleet_args){
		.from_s = -1,
		.to_s = -1,
		.step_ns = 3600 * NS_PER_S,
		.limit = LIMIT,
		.pairs = true,
		.page_len = RPT_PAGE_LEN_MAX,
		.database = "perfpair",
	};
	if (has_word)
		rc = set_question(args, argv[1], err);
	/* argv[0] of what follows is not looked at */
	if (!rc)
		rc = sup_options_parse(&rpt_fleet_command, args,
				       argc - has_word, argv + has_word, &first,
				       err);
	if (!rc && !has_word)
		rc = pd_err_set(err, -EINVAL,
				"what is asked? top, diff, trend or hosts");
	if (rc)
		return rc;
	set_client(args, argc - has_word - first, argv + has_word + first);
	return check(args, err);
}

void rpt_fleet_args_release(struct rpt_fleet_args *args)
{
	free(args->where.items);
	free(args->old.items);
	free(args->new.items);
	free(args->client);
	*args = (struct rpt_fleet_args){ 0 };
}
