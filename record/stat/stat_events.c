/* stat_events.c: the events of perf stat without -e, and of -d, -dd, -ddd. */
#include "record/stat/stat_args.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "format/support/nearest.h"

/* Seen with perf 6.1. */
static const char *const details[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,"
	 "iTLB-loads,iTLB-load-misses"),
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

/* Stalled cycles are counted where the PMU has a name for them. */
static int add_stalled(struct rec_event_list *list,
		       const struct rec_event_env *env, const char *name,
		       struct pd_err *err)
{
	char path[512];

	snprintf(path, sizeof(path),
		 "%s/bus/event_source/devices/cpu/events/%s", env->sysfs, name);
	return access(path, F_OK) ? 0 : rec_event_parse(list, name, env, err);
}

static int add_plain(struct rec_event_list *list,
		     const struct rec_event_env *env, bool whole_cpus,
		     struct pd_err *err)
{
	int rc = rec_event_parse(list, whole_cpus ? "cpu-clock" : "task-clock",
				 env, err);

	if (!rc)
		rc = rec_event_parse(
			list,
			"context-switches,cpu-migrations,page-faults,cycles",
			env, err);
	if (!rc)
		rc = add_stalled(list, env, "stalled-cycles-frontend", err);
	if (!rc)
		rc = add_stalled(list, env, "stalled-cycles-backend", err);
	if (!rc)
		rc = rec_event_parse(
			list, "instructions,branches,branch-misses", env, err);
	return rc;
}

int rec_stat_events_add(struct rec_event_list *list,
			const struct rec_event_env *env, bool whole_cpus,
			unsigned detail_nr, struct pd_err *err)
{
	int rc = 0;

	if (!list->nr)
		rc = add_plain(list, env, whole_cpus, err);
	for (unsigned i = 0; i < detail_nr && !rc; i++)
		if (i < sizeof(details) / sizeof(details[0]))
			rc = rec_event_parse(list, details[i], env, err);
	return rc;
}

/* Add one metric.  Return 0, also if it is there already. */
static int add_metric(struct rec_stat_args *args,
		      const struct rec_metric *metric, struct pd_err *err)
{
	bool has_events = false;

	for (size_t i = 0; i < args->metric_nr; i++) {
		if (args->metrics[i] == metric)
			return 0;
		has_events |= !strcmp(args->metrics[i]->events, metric->events);
	}
	if (args->metric_nr == REC_STAT_METRIC_MAX)
		return pd_err_set(err, -EINVAL, "-M: no more than %d metrics",
				  REC_STAT_METRIC_MAX);
	args->metrics[args->metric_nr++] = metric;
	if (has_events)
		return 0;
	return rec_event_parse(&args->events, metric->events, &args->env, err);
}

static int add_word(struct rec_stat_args *args, const char *word,
		    struct pd_err *err)
{
	const struct rec_metric *metric = NULL;
	struct sup_nearest near;
	bool found = false;
	int rc = 0;

	sup_nearest_init(&near, word, strlen(word));
	while (!rc && (metric = rec_metric_next(&args->host, metric))) {
		sup_nearest_offer(&near, metric->name);
		if (!rec_metric_is_named(metric, word))
			continue;
		found = true;
		rc = add_metric(args, metric, err);
	}
	if (rc || found)
		return rc;
	pd_err_set(err, -ENOENT, "this machine has no metric '%s'", word);
	sup_nearest_hint(&near, err, "'perfpair list metric' lists them");
	return -ENOENT;
}

int rec_stat_metrics_add(struct rec_stat_args *args, const char *words,
			 struct pd_err *err)
{
	int rc = 0;

	while (!rc && *words) {
		size_t len = strcspn(words, ",");
		char word[64];

		snprintf(word, sizeof(word), "%.*s", (int)len, words);
		if (*word)
			rc = add_word(args, word, err);
		words += len + (words[len] == ',');
	}
	return rc;
}
