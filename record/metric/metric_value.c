/* metric_value.c: compute a formula.
 *
 *	sum	:= product { ('+' | '-') product }
 *	product	:= atom { ('*' | '/') atom }
 *	atom	:= '(' sum ')' | NUMBER | NAME
 *
 * Words are separated by blanks.
 */
#include "record/metric/metric.h"

#include "record/event/event_names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* "cpu_core/slots/u": PMU, name and modifiers; "cycles:u" has no PMU. */
struct name_parts {
	const char *pmu, *name, *letters;
	size_t pmu_len, name_len;
};

struct formula {
	const char *at; /* the rest of the text */
	const struct rec_metric_count *counts;
	size_t nr;
	const struct rec_metric_count *like;
	bool one_group; /* all events until now are of like's */
	bool all_time;	/* and each of them ran all the time */
	enum rec_metric_state state;
};

static double take_sum(struct formula *f);

static void name_split(const char *text, size_t len, struct name_parts *ret)
{
	const char *slash = memchr(text, '/', len);
	const char *end = slash ? memrchr(text, '/', len) : NULL;
	const char *colon = memchr(text, ':', len);

	*ret = (struct name_parts){ .name = text, .name_len = len };
	ret->letters = text + len;
	if (slash && end > slash) {
		ret->pmu = text;
		ret->pmu_len = (size_t)(slash - text);
		ret->name = slash + 1;
		ret->name_len = (size_t)(end - slash - 1);
		ret->letters = end + 1;
		if (*ret->letters == ':')
			ret->letters++;
	} else if (colon) {
		ret->name_len = (size_t)(colon - text);
		ret->letters = colon + 1;
	}
}

/* True for equal names, and for two names of one event: "cpu-cycles". */
static bool is_same_name(const struct name_parts *a, const struct name_parts *b)
{
	uint32_t type, other_type;
	uint64_t config, other_config;

	if (a->name_len == b->name_len &&
	    !memcmp(a->name, b->name, a->name_len))
		return true;
	return rec_event_name_find(a->name, a->name_len, &type, &config) &&
	       rec_event_name_find(b->name, b->name_len, &other_type,
				   &other_config) &&
	       type == other_type && config == other_config;
}

static bool is_same_pmu(const struct name_parts *a, const struct name_parts *b)
{
	return a->pmu_len == b->pmu_len &&
	       (!a->pmu_len || !memcmp(a->pmu, b->pmu, a->pmu_len));
}

/* Return whether a count is of the event that the formula names; the formula
 * leaves the PMU open if it names none. */
static bool is_named(const struct rec_metric_count *count,
		     const struct name_parts *want)
{
	struct name_parts own;

	name_split(count->name, strlen(count->name), &own);
	return is_same_name(&own, want) &&
	       (!want->pmu_len || is_same_pmu(&own, want));
}

static bool is_alike(const struct rec_metric_count *a,
		     const struct rec_metric_count *b)
{
	struct name_parts own, other;

	name_split(a->name, strlen(a->name), &own);
	name_split(b->name, strlen(b->name), &other);
	return is_same_pmu(&own, &other) && !strcmp(own.letters, other.letters);
}

static const struct rec_metric_count *find_count(const struct formula *f,
						 const char *name, size_t len)
{
	const struct rec_metric_count *found = NULL;
	struct name_parts want;

	name_split(name, len, &want);
	for (size_t i = 0; i < f->nr; i++) {
		const struct rec_metric_count *c = &f->counts[i];

		if (!is_named(c, &want) || !is_alike(c, f->like))
			continue;
		if (c->group == f->like->group)
			return c;
		if (!found)
			found = c;
	}
	return found;
}

static void set_state(struct formula *f, enum rec_metric_state state)
{
	if (f->state == REC_METRIC_OK)
		f->state = state;
}

static double count_value(struct formula *f, const char *name, size_t len)
{
	const struct rec_metric_count *c = find_count(f, name, len);

	if (!c || c->enabled_ns == 0 || c->running_ns == 0) {
		set_state(f, REC_METRIC_NOT_COUNTED);
		return 0;
	}
	f->one_group &= c->group == f->like->group;
	f->all_time &= c->running_ns >= c->enabled_ns;
	return c->value;
}

/* Take the next word; its length is 0 at the end. */
static const char *take_word(struct formula *f, size_t *len)
{
	const char *word = f->at + strspn(f->at, " ");

	*len = strcspn(word, " ");
	f->at = word + *len;
	return word;
}

/* Take the next word if it is the character c. */
static bool take_char(struct formula *f, char c)
{
	const char *word = f->at + strspn(f->at, " ");

	if (word[0] != c || (word[1] != ' ' && word[1] != '\0'))
		return false;
	f->at = word + 1;
	return true;
}

static double take_atom(struct formula *f)
{
	const char *word;
	size_t len;
	double value;

	if (take_char(f, '(')) {
		bool is_closed;

		value = take_sum(f);
		is_closed = take_char(f, ')');
		assert(is_closed);
		(void)is_closed;
		return value;
	}
	word = take_word(f, &len);
	assert(len > 0);
	if (word[0] >= '0' && word[0] <= '9')
		return strtod(word, NULL);
	return count_value(f, word, len);
}

static double take_product(struct formula *f)
{
	double value = take_atom(f);

	for (;;) {
		if (take_char(f, '*')) {
			value *= take_atom(f);
		} else if (take_char(f, '/')) {
			double base = take_atom(f);

			if (base == 0)
				set_state(f, REC_METRIC_NO_BASE);
			else
				value /= base;
		} else {
			return value;
		}
	}
}

static double take_sum(struct formula *f)
{
	double value = take_product(f);

	for (;;) {
		if (take_char(f, '+'))
			value += take_product(f);
		else if (take_char(f, '-'))
			value -= take_product(f);
		else
			return value;
	}
}

static enum rec_metric_state value_like(const struct rec_metric *metric,
					const struct rec_metric_count *counts,
					size_t nr,
					const struct rec_metric_count *like,
					double *ret)
{
	struct formula f = { .at = metric->formula,
			     .counts = counts,
			     .nr = nr,
			     .like = like,
			     .one_group = true,
			     .all_time = true };
	double value = take_sum(&f);

	if (f.state == REC_METRIC_OK && !f.one_group && !f.all_time)
		f.state = REC_METRIC_NOT_TOGETHER;
	if (f.state == REC_METRIC_OK)
		*ret = value;
	return f.state;
}

enum rec_metric_state rec_metric_value(const struct rec_metric *metric,
				       const struct rec_metric_count *counts,
				       size_t nr,
				       const struct rec_metric_count *like,
				       double *ret)
{
	enum rec_metric_state best = REC_METRIC_NOT_COUNTED;

	if (like)
		return value_like(metric, counts, nr, like, ret);
	for (size_t i = 0; i < nr; i++) {
		enum rec_metric_state state =
			value_like(metric, counts, nr, &counts[i], ret);

		if (state == REC_METRIC_OK)
			return state;
		/* The reason that is nearest to a value. */
		if (state != REC_METRIC_NOT_COUNTED)
			best = state;
	}
	return best;
}

const char *rec_metric_state_text(enum rec_metric_state state)
{
	static const char *const texts[] = {
		[REC_METRIC_OK] = "",
		[REC_METRIC_NOT_COUNTED] = "not counted",
		[REC_METRIC_NOT_TOGETHER] = "not counted together",
		[REC_METRIC_NO_BASE] = "nothing to divide by",
	};

	return texts[state];
}
