/* Convert PMU terms to attrs. */
#include "record/event/event_pmu.h"

#include "record/event/event_names.h"
#include "record/event/event_terms.h"
#include "record/event/pmu.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The event under construction and the source of its terms. */
struct pmu_event {
	struct rec_event *event;
	const struct rec_pmu *pmu;
	struct rec_text given; /* all terms that the user typed */
	uint64_t configs[REC_PMU_CONFIG_NR];
	bool is_legacy; /* type is not the PMU's */
};

int rec_pmu_own(struct rec_event *event, const struct rec_pmu *pmu)
{
	event->attr.sys.type = pmu->type;
	event->pmu_name = strdup(pmu->name);
	if (pmu->cpus)
		event->cpus = strdup(pmu->cpus);
	return !event->pmu_name || (pmu->cpus && !event->cpus) ? -ENOMEM : 0;
}

static int format_put(struct pmu_event *pe, const struct rec_pmu_format *format,
		      const struct rec_term *term, struct pd_err *err)
{
	uint64_t value;
	int rc = rec_term_u64(term, &value, err);

	if (rc)
		return rc;
	rc = rec_pmu_format_put(format, value,
				&pe->configs[format->config_idx]);
	if (rc)
		return pd_err_set(
			err, -EINVAL, "term '%s' takes %d bits, %#llx has more",
			format->name, __builtin_popcountll(format->bits),
			(unsigned long long)value);
	return 0;
}

static bool is_given(const struct pmu_event *pe, const struct rec_term *param)
{
	struct rec_text rest = pe->given;
	struct rec_term term;

	while (rec_term_next(&rest.at, &rest.len, &term, NULL) == 1) {
		if (term.key_len == param->key_len && term.val &&
		    memcmp(term.key, param->key, param->key_len) == 0)
			return true;
	}
	return false;
}

/* Apply a term of an alias, which names a format; "?": the user gives a value.
 */
static int alias_term(struct pmu_event *pe, const struct rec_term *term,
		      struct pd_err *err)
{
	const struct rec_pmu_format *format =
		rec_pmu_format_find(pe->pmu, term->key, term->key_len);
	int rc;

	if (term->val_len == 1 && term->val[0] == '?')
		return is_given(pe, term)
			       ? 0
			       : pd_err_set(err, -EINVAL,
					    "this event needs a value: %.*s=",
					    (int)term->key_len, term->key);
	if (format)
		return format_put(pe, format, term, err);
	rc = rec_term_apply(pe->event, term, err);
	if (rc)
		return rc < 0 ? rc : 0;
	return pd_err_set(err, -EINVAL,
			  "sysfs names a term '%.*s' that PMU %s does not have",
			  (int)term->key_len, term->key, pe->pmu->name);
}

static int alias_apply(struct pmu_event *pe, const struct rec_pmu_alias *alias,
		       struct pd_err *err)
{
	const char *at = alias->terms;
	size_t len = strlen(at);
	struct rec_term term;
	int rc;

	while ((rc = rec_term_next(&at, &len, &term, err)) == 1) {
		rc = alias_term(pe, &term, err);
		if (rc)
			return rc;
	}
	if (rc)
		return rc;
	if (alias->unit) {
		free(pe->event->unit);
		pe->event->unit = strdup(alias->unit);
		if (!pe->event->unit)
			return pd_err_set(err, -ENOMEM, "out of memory");
	}
	pe->event->scale = alias->scale;
	return 0;
}

/* Apply "cpu/cycles/": a generic name counted by this core PMU. */
static bool legacy_apply(struct pmu_event *pe, const struct rec_term *term)
{
	struct perf_event_attr *sys = &pe->event->attr.sys;
	uint32_t type;
	uint64_t config;

	if (term->val || !rec_pmu_is_core(pe->pmu->name) ||
	    !rec_event_name_find(term->key, term->key_len, &type, &config) ||
	    type == PERF_TYPE_SOFTWARE)
		return false;
	if (strcmp(pe->pmu->name, "cpu") != 0)
		config |= (uint64_t)pe->pmu->type << REC_PMU_TYPE_SHIFT;
	sys->type = type;
	pe->configs[0] = config;
	pe->is_legacy = true;
	return true;
}

static int unknown_term(const struct pmu_event *pe, const struct rec_term *term,
			struct pd_err *err)
{
	const struct rec_pmu *pmu = pe->pmu;
	struct sup_nearest near;
	const char *name;

	sup_nearest_init(&near, term->key, term->key_len);
	for (size_t i = 0; i < pmu->format_nr; i++)
		sup_nearest_offer(&near, pmu->formats[i].name);
	for (size_t i = 0; i < pmu->alias_nr; i++)
		sup_nearest_offer(&near, pmu->aliases[i].name);
	for (size_t i = 0; (name = rec_term_name_at(i)); i++)
		sup_nearest_offer(&near, name);
	pd_err_set(err, -EINVAL, "PMU %s has no term '%.*s'", pmu->name,
		   (int)term->key_len, term->key);
	sup_nearest_hint(&near, err,
			 "its terms are in the PMU's format/ and events/ "
			 "directories in sysfs");
	return -EINVAL;
}

static int term_apply(struct pmu_event *pe, const struct rec_term *term,
		      struct pd_err *err)
{
	const struct rec_pmu_format *format =
		rec_pmu_format_find(pe->pmu, term->key, term->key_len);
	const struct rec_pmu_alias *alias = NULL;

	if (format)
		return format_put(pe, format, term, err);
	if (!term->val)
		alias = rec_pmu_alias_find(pe->pmu, term->key, term->key_len);
	if (alias)
		return alias_apply(pe, alias, err);
	if (legacy_apply(pe, term) ||
	    (!term->val &&
	     rec_raw_parse(term->key, term->key_len, &pe->configs[0])))
		return 0;
	/* "core=1" for an alias with "core=?" if core is no format. */
	return unknown_term(pe, term, err);
}

static void configs_to_attr(struct pmu_event *pe)
{
	struct perf_event_attr *sys = &pe->event->attr.sys;

	sys->config = pe->configs[0];
	sys->config1 = pe->configs[1];
	sys->config2 = pe->configs[2];
	if (pe->configs[3])
		rec_attr_set_config3(&pe->event->attr, pe->configs[3]);
}

/* Apply a general term to the event; "config=" sets a whole word. */
static int general_apply(struct pmu_event *pe, const struct rec_term *term,
			 struct pd_err *err)
{
	static const char *const words[REC_PMU_CONFIG_NR] = {
		"config", "config1", "config2", "config3"
	};

	for (size_t i = 0; i < REC_PMU_CONFIG_NR; i++) {
		if (!rec_term_is(term, words[i]))
			continue;
		if (rec_term_u64(term, &pe->configs[i], err))
			return -EINVAL;
		return 1;
	}
	return rec_term_apply(pe->event, term, err);
}

static int terms_apply(struct pmu_event *pe, struct pd_err *err)
{
	struct rec_text rest = pe->given;
	struct rec_term term;
	int rc;

	while ((rc = rec_term_next(&rest.at, &rest.len, &term, err)) == 1) {
		rc = general_apply(pe, &term, err);
		if (rc == 0)
			rc = term_apply(pe, &term, err);
		if (rc < 0)
			return rc;
	}
	if (!rc)
		configs_to_attr(pe);
	return rc;
}

static int append_for(struct rec_event_list *list, const struct rec_pmu *pmu,
		      struct rec_text terms, const char *name,
		      struct pd_err *err)
{
	struct pmu_event pe = { .pmu = pmu, .given = terms };

	pe.event = rec_event_append(list, name);
	if (!pe.event || rec_pmu_own(pe.event, pmu))
		return pd_err_set(err, -ENOMEM, "out of memory");
	return terms_apply(&pe, err);
}

/* True if name matches pattern, a glob or the name without _NUMBER. */
static bool pmu_matches_plain(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (fnmatch(pattern, name, 0) == 0)
		return true;
	if (strncmp(pattern, name, len) != 0 || name[len] != '_')
		return false;
	name += len + 1;
	return *name && name[strspn(name, "0123456789")] == '\0';
}

/* "cpu" is what cores have; on Arm, where no PMU is named so, each kind of
 * them. */
static bool pmu_matches(const char *pattern, const char *name)
{
	static const char uncore[] = "uncore_";
	size_t len = sizeof(uncore) - 1;

	return pmu_matches_plain(pattern, name) ||
	       (!strcmp(pattern, "cpu") && !strncmp(name, "armv", 4)) ||
	       (strncmp(name, uncore, len) == 0 &&
		pmu_matches_plain(pattern, name + len));
}

static int no_pmu(const char *want, char **names, size_t nr, struct pd_err *err)
{
	struct sup_nearest near;

	sup_nearest_init(&near, want, strlen(want));
	for (size_t i = 0; i < nr; i++)
		sup_nearest_offer(&near, names[i]);
	pd_err_set(err, -ENOENT, "this machine has no PMU '%s'", want);
	sup_nearest_hint(&near, err,
			 "PMUs are listed in "
			 "/sys/bus/event_source/devices");
	return -ENOENT;
}

/* True for PMUs whose events fill AUX areas. */
static bool is_tracer(const char *pmu)
{
	static const char *const tracers[] = { "intel_pt", "intel_bts",
					       "cs_etm", "arm_spe_",
					       "hisi_ptt" };

	for (size_t i = 0; i < sizeof(tracers) / sizeof(tracers[0]); i++)
		if (!strncmp(pmu, tracers[i], strlen(tracers[i])))
			return true;
	return false;
}

int rec_event_refuse_unsampled(const struct rec_event_list *list,
			       struct pd_err *err)
{
	for (size_t i = 0; i < list->nr; i++) {
		const char *pmu = list->events[i].pmu_name;

		if (list->events[i].tool) {
			pd_err_set(err, -ENOTSUP, "%s has no samples",
				   list->events[i].name);
			pd_err_hint(err, "perfpair-record stat measures it");
			return -ENOTSUP;
		}
		if (!pmu || !is_tracer(pmu))
			continue;
		pd_err_set(err, -ENOTSUP,
			   "%s is a hardware trace, which is not recorded here",
			   pmu);
		pd_err_hint(err, "use perf record for it");
		return -ENOTSUP;
	}
	return 0;
}

static int append_by_name(struct rec_event_list *list, const char *pmu_name,
			  struct rec_text terms, const char *name,
			  const char *sysfs, struct pd_err *err)
{
	struct rec_pmu pmu;
	int rc = rec_pmu_open(&pmu, sysfs, pmu_name, err);

	if (rc)
		return rc;
	rc = append_for(list, &pmu, terms, name, err);
	rec_pmu_release(&pmu);
	return rc;
}

int rec_pmu_append(struct rec_event_list *list, struct rec_text pmu,
		   struct rec_text terms, const char *name,
		   const struct rec_event_env *env, struct pd_err *err)
{
	char *want = strndup(pmu.at, pmu.len);
	char **names = NULL;
	size_t nr = 0;
	bool exact = false;
	int appended = 0;
	int rc = want ? rec_pmu_names(env->sysfs, &names, &nr) : -ENOMEM;

	if (rc)
		pd_err_set(err, rc, "cannot list PMUs");
	for (size_t i = 0; i < nr; i++)
		exact |= strcmp(names[i], want) == 0;
	for (size_t i = 0; i < nr && !rc; i++) {
		if (exact ? strcmp(names[i], want) != 0
			  : !pmu_matches(want, names[i]))
			continue;
		rc = append_by_name(list, names[i], terms, name, env->sysfs,
				    err);
		appended++;
	}
	if (!rc && appended == 0)
		rc = no_pmu(want, names, nr, err);
	rec_pmu_names_free(names, nr);
	free(want);
	return rc ? rc : appended;
}

int rec_pmu_alias_append(struct rec_event_list *list, struct rec_text alias,
			 const char *name, const struct rec_event_env *env,
			 struct pd_err *err)
{
	char **names = NULL;
	size_t nr = 0;
	int appended = 0;
	int rc = rec_pmu_names(env->sysfs, &names, &nr);

	for (size_t i = 0; i < nr && !rc; i++) {
		struct rec_pmu pmu;

		/* A PMU that cannot be read does not have the name either. */
		if (rec_pmu_open(&pmu, env->sysfs, names[i], NULL))
			continue;
		if (rec_pmu_alias_find(&pmu, alias.at, alias.len)) {
			rc = append_for(list, &pmu, alias, name, err);
			appended++;
		}
		rec_pmu_release(&pmu);
	}
	rec_pmu_names_free(names, nr);
	return rc ? rc : appended;
}

void rec_pmu_offer_aliases(struct sup_nearest *near,
			   const struct rec_event_env *env)
{
	char **names = NULL;
	size_t nr = 0;

	if (rec_pmu_names(env->sysfs, &names, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		struct rec_pmu pmu;

		if (rec_pmu_open(&pmu, env->sysfs, names[i], NULL))
			continue;
		for (size_t j = 0; j < pmu.alias_nr; j++)
			sup_nearest_offer(near, pmu.aliases[j].name);
		rec_pmu_release(&pmu);
	}
	rec_pmu_names_free(names, nr);
}

/* Events with a name of their own, on hybrid machines too. */

enum { NAME_MAX_LEN = 256 };

static int plain_one(struct rec_event_list *list,
		     const struct rec_plain_event *plain, const char *name,
		     const struct rec_pmu *pmu, struct pd_err *err)
{
	struct rec_event *event = rec_event_append(list, name);

	if (!event)
		return pd_err_set(err, -ENOMEM, "out of memory");
	if (pmu && rec_pmu_own(event, pmu))
		return pd_err_set(err, -ENOMEM, "out of memory");
	event->attr.sys.type = plain->type;
	event->attr.sys.config = plain->config;
	if (pmu)
		event->attr.sys.config |= (uint64_t)pmu->type
					  << REC_PMU_TYPE_SHIFT;
	return 0;
}

/* Append an event per kind of core; return 0 if the machine is not hybrid. */
static int hybrid_append(struct rec_event_list *list,
			 const struct rec_plain_event *plain, const char *tail,
			 const struct rec_event_env *env, struct pd_err *err)
{
	static const char *const kinds[] = { "cpu_core", "cpu_atom" };
	int appended = 0;

	if (tail[0] == ':' || tail[0] == '/')
		tail++;
	for (size_t i = 0; i < 2; i++) {
		char name[NAME_MAX_LEN];
		struct rec_pmu pmu;
		int rc;

		if (rec_pmu_open(&pmu, env->sysfs, kinds[i], NULL))
			continue;
		snprintf(name, sizeof(name), "%s/%.*s/%s", kinds[i],
			 (int)plain->name_len, plain->name, tail);
		rc = plain_one(list, plain, name, &pmu, err);
		rec_pmu_release(&pmu);
		if (rc)
			return rc;
		appended++;
	}
	return appended;
}

int rec_plain_append(struct rec_event_list *list,
		     const struct rec_plain_event *plain, const char *tail,
		     const struct rec_event_env *env, struct pd_err *err)
{
	char name[NAME_MAX_LEN];
	int nr = 0;

	if (plain->type == PERF_TYPE_HARDWARE ||
	    plain->type == PERF_TYPE_HW_CACHE)
		nr = hybrid_append(list, plain, tail, env, err);
	if (nr != 0)
		return nr;
	snprintf(name, sizeof(name), "%.*s%s", (int)plain->name_len,
		 plain->name, tail);
	nr = plain_one(list, plain, name, NULL, err);
	return nr ? nr : 1;
}
