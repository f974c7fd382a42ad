/* scrub.h: makes a recording that can be given away: without what a stranger
 * should not read, and with the names of private things hidden.
 *
 *	rpt_scrub(&source, &conf, &result, &err)
 *
 * It is a repair (repair.h) whose writing is edited: what is not known to be
 * harmless is left out.  docs/man/perfpair-scrub.txt has the rules.
 */
#ifndef RPT_SCRUB_H
#define RPT_SCRUB_H

#include "report/repair/repair.h"
#include "report/scrub/name_key.h"

/* The kinds of things that a recording has, in the order of the report. */
enum rpt_scrub_kind {
	RPT_SCRUB_STACKS,    /* stack copies, and registers of users */
	RPT_SCRUB_REGISTERS, /* registers at the interrupt */
	RPT_SCRUB_RAW,	     /* raw data of tracepoints and BPF */
	RPT_SCRUB_ADDRESSES, /* addresses of data */
	RPT_SCRUB_WORDS,     /* words of chains that lie in no code */
	RPT_SCRUB_TRACES,    /* of hardware tracers */
	RPT_SCRUB_FORMATS,   /* texts of TRACING_DATA */
	RPT_SCRUB_CMDLINE,
	RPT_SCRUB_HOSTNAME,
	RPT_SCRUB_PROGRAMS, /* BPF programs and their types */
	RPT_SCRUB_SECTIONS, /* carried sections of other kinds than names */
	RPT_SCRUB_RECORDS,  /* of other types than those that are known */
	RPT_SCRUB_FEATURES, /* the same */
	RPT_SCRUB_PATHS,
	RPT_SCRUB_FILES, /* the last part of a path */
	RPT_SCRUB_COMMS,
	RPT_SCRUB_CGROUPS,
	RPT_SCRUB_BPF, /* names of BPF programs */
	RPT_SCRUB_EVENTS,
	RPT_SCRUB_SYMBOLS,
	RPT_SCRUB_KIND_NR,
};

enum rpt_scrub_action {
	RPT_SCRUB_REMOVE,
	RPT_SCRUB_HIDE,
	RPT_SCRUB_KEEP,
};

struct rpt_scrub_rule {
	const char *name;  /* for --keep and --hide */
	const char *what;  /* "stack copies and registers of users" */
	const char *plain; /* why some are kept as they are; or NULL */
	enum rpt_scrub_action action; /* without options */
	bool may_keep;
	bool may_hide;
};

extern const struct rpt_scrub_rule rpt_scrub_rules[RPT_SCRUB_KIND_NR];

struct rpt_scrub_conf {
	const char *path; /* of the new file */
	bool force;	  /* overwrite it */
	bool drop_stacks; /* even if call chains are lost with them */
	int level;	  /* as of repair */
	uint64_t max_ratio;
	struct rpt_name_key key;
	enum rpt_scrub_action actions[RPT_SCRUB_KIND_NR];
};

struct rpt_scrub_result {
	struct rpt_repair_result repair;
	/* what was removed or hidden, and what was kept, of each kind */
	uint64_t taken_nr[RPT_SCRUB_KIND_NR];
	uint64_t kept_nr[RPT_SCRUB_KIND_NR];
	bool has_stacks; /* -ENOTSUP: drop_stacks is not set */
};

/* Set the actions to what they are without options. */
void rpt_scrub_conf_init(struct rpt_scrub_conf *conf);

/* As rpt_repair().  -ENOTSUP: see has_stacks. */
int rpt_scrub(const struct rpt_file_source *source,
	      const struct rpt_scrub_conf *conf,
	      struct rpt_scrub_result *result, struct pd_err *err);

#endif
