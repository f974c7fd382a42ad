/* fleet_args.h: the command line of perfpair fleet. */
#ifndef RPT_FLEET_ARGS_H
#define RPT_FLEET_ARGS_H

#include "format/support/options.h"

enum rpt_fleet_question {
	RPT_FLEET_TOP,
	RPT_FLEET_DIFF,
	RPT_FLEET_TREND,
	RPT_FLEET_HOSTS,
};

enum rpt_fleet_engine {
	RPT_FLEET_CLICKHOUSE,
	RPT_FLEET_DUCKDB,
};

enum rpt_fleet_format {
	RPT_FLEET_TEXT,
	RPT_FLEET_JSON,
	RPT_FLEET_CSV,	  /* of diff */
	RPT_FLEET_FOLDED, /* of top and diff */
	RPT_FLEET_HTML,	  /* of top and diff */
	RPT_FLEET_SQL,	  /* what would be asked */
};

/* "NAME=VALUE" words, which must all hold. */
struct rpt_fleet_terms {
	const char **items; /* owned, the texts are argv's */
	size_t nr;
};

struct rpt_fleet_args {
	enum rpt_fleet_question question;
	enum rpt_fleet_engine engine;
	bool is_engine_given;
	enum rpt_fleet_format format;
	struct rpt_fleet_terms where; /* --filter */
	struct rpt_fleet_terms old;
	struct rpt_fleet_terms new;
	int64_t from_s; /* since 1970; negative: not given */
	int64_t to_s;
	uint64_t step_ns; /* of trend; whole seconds */
	uint32_t limit;	  /* rows of top and trend */
	bool children;
	bool pairs; /* compare hosts with themselves if they are the same */
	bool only_significant;
	bool is_cluster;
	bool is_partial;   /* go on without servers that do not answer */
	uint64_t page_len; /* bytes that a page may have */
	const char *database;
	const char *output;
	char **client; /* the words behind --; a NULL behind them; owned */
	int client_nr;
};

extern const struct sup_command rpt_fleet_command;

/* Fill args, to be released in any case.  Return what sup_options_parse()
 * returns. */
int rpt_fleet_args_parse(struct rpt_fleet_args *args, int argc, char **argv,
			 struct pd_err *err);
void rpt_fleet_args_release(struct rpt_fleet_args *args);

#endif
