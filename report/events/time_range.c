#include "report/events/time_range.h"

#include "format/file/feature.h"
#include "report/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int not_a_time(const char *text, const char *reason, struct pd_err *err)
{
	return pd_err_set(err, -EINVAL, "--time: '%s': %s", text, reason);
}

/* Read "12.345" as nanoseconds; *ret_end is what follows.  Return NULL, or what
 * is wrong. */
static const char *parse_seconds(const char *text, uint64_t *ret_ns,
				 const char **ret_end)
{
	const char *p = text;
	uint64_t seconds = 0, ns = 0, unit = 1000000000;

	for (; *p >= '0' && *p <= '9'; p++) {
		seconds = seconds * 10 + (uint64_t)(*p - '0');
		if (seconds > UINT64_MAX / 1000000000 - 1)
			return "is too large";
	}
	if (*p == '.') {
		for (p++; *p >= '0' && *p <= '9'; p++) {
			unit /= 10;
			if (!unit)
				return "has more than nine digits behind the "
				       "point";
			ns += unit * (uint64_t)(*p - '0');
		}
	}
	if (p == text || (p == text + 1 && *text == '.'))
		return "is no time in seconds";
	*ret_ns = seconds * 1000000000 + ns;
	*ret_end = p;
	return NULL;
}

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* Read "1,2", "1," or ",2".  Return NULL, or what is wrong. */
static const char *parse_pair(const char *text, struct rpt_time_range *ret,
			      const char **ret_end)
{
	const char *wrong = NULL;

	ret->start_ns = 0;
	ret->end_ns = UINT64_MAX;
	if (*text != ',')
		wrong = parse_seconds(text, &ret->start_ns, &text);
	if (wrong)
		return wrong;
	if (*text != ',')
		return "is not START,STOP";
	text++;
	if (*text && *text != ' ')
		wrong = parse_seconds(text, &ret->end_ns, &text);
	if (wrong)
		return wrong;
	if (*text && *text != ' ')
		return "has something behind its end";
	*ret_end = text;
	return ret->end_ns < ret->start_ns ? "ends before it starts" : NULL;
}

static const char *parse_pct(const char *text, double *ret_pct,
			     const char **ret_end)
{
	char *end;

	if (*text < '0' || *text > '9')
		return "is no percentage";
	*ret_pct = strtod(text, &end);
	if (*end != '%')
		return "lacks a '%'";
	*ret_end = skip_blanks(end + 1);
	return *ret_pct <= 100 ? NULL : "is over 100%";
}

/* Read "10%/2", "10%-20%" or "10%".  Return NULL, or what is wrong. */
static const char *parse_percents(const char *text, bool is_alone,
				  struct rpt_time_range *ret,
				  const char **ret_end)
{
	double pct;
	const char *wrong = parse_pct(text, &pct, &text);
	unsigned long part = 1;
	char *end;

	if (wrong)
		return wrong;
	if (*text == '-') {
		ret->start_pct = pct;
		wrong = parse_pct(text + 1, &ret->end_pct, ret_end);
		if (!wrong && ret->end_pct < pct)
			wrong = "ends before it starts";
		return wrong;
	}
	if (*text == '/') {
		text = skip_blanks(text + 1);
		if (*text < '1' || *text > '9')
			return "needs a number of a part, from 1, after '/'";
		part = strtoul(text, &end, 10);
		text = skip_blanks(end);
	} else if (*text || !is_alone) {
		return "a list needs parts: 10%/1 or 0%-10%";
	}
	ret->start_pct = pct * (double)(part - 1);
	ret->end_pct = pct * (double)part;
	*ret_end = text;
	return ret->end_pct <= 100 ? NULL : "lies beyond 100%";
}

/* Read the next slice, and what separates it from the one after it.  Return
 * NULL, or what is wrong. */
static const char *parse_one(struct rpt_time_ranges *ranges, const char **text,
			     struct rpt_time_range *ret)
{
	const struct rpt_time_range *last =
		ranges->nr ? &ranges->items[ranges->nr - 1] : NULL;
	const char *wrong;

	if (ranges->is_percent) {
		wrong = parse_percents(*text, !last, ret, text);
		if (!wrong && **text && **text != ',')
			return "has something behind its end";
		*text = skip_blanks(*text + (**text == ','));
		return wrong;
	}
	wrong = parse_pair(*text, ret, text);
	if (!wrong && last &&
	    (last->end_ns == UINT64_MAX || ret->start_ns <= last->end_ns))
		return "slices are to be in order and apart";
	*text = skip_blanks(*text);
	return wrong;
}

int rpt_time_ranges_parse(struct rpt_time_ranges *ret, const char *text,
			  struct pd_err *err)
{
	struct rpt_time_ranges ranges = { .is_percent =
						  strchr(text, '%') != NULL };
	const char *wrong = NULL, *p = skip_blanks(text);

	if (!*p)
		wrong = "is no time";
	while (*p && !wrong) {
		struct rpt_time_range range = { 0 };

		wrong = parse_one(&ranges, &p, &range);
		ranges.items = rpt_grow(ranges.items, &ranges.cap, ranges.nr,
					sizeof(range));
		ranges.items[ranges.nr++] = range;
	}
	if (wrong) {
		rpt_time_ranges_release(&ranges);
		return not_a_time(text, wrong, err);
	}
	*ret = ranges;
	return 0;
}

void rpt_time_ranges_release(struct rpt_time_ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct rpt_time_ranges){ .nr = 0 };
}

/* Return the time at a percentage, rounded as perf does. */
static uint64_t time_at(double pct, uint64_t first_ns, uint64_t last_ns)
{
	double all = (double)(last_ns - first_ns);
	double at = all * (pct / 100) + 0.5;

	return at >= all ? last_ns : first_ns + (uint64_t)at;
}

static uint64_t add_up_to_max(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void rpt_time_ranges_resolve_at(struct rpt_time_ranges *ranges,
				bool is_relative, uint64_t first_ns,
				uint64_t last_ns)
{
	for (size_t i = 0; i < ranges->nr; i++) {
		struct rpt_time_range *r = &ranges->items[i];

		if (!ranges->is_percent && is_relative) {
			r->start_ns = add_up_to_max(r->start_ns, first_ns);
			r->end_ns = add_up_to_max(r->end_ns, first_ns);
		}
		if (!ranges->is_percent)
			continue;
		r->start_ns = time_at(r->start_pct, first_ns, last_ns);
		r->end_ns = time_at(r->end_pct, first_ns, last_ns);
		/* not to share it with the next slice */
		if (r->end_ns > r->start_ns && r->end_ns < last_ns)
			r->end_ns--;
	}
}

/* Find the times of the first and the last sample by a look at each. */
static int read_bounds(struct pd_reader *reader, struct pd_sample_time *ret,
		       struct pd_err *err)
{
	struct pd_records it;
	struct pd_record rec;
	int rc;

	*ret = (struct pd_sample_time){ .first_ns = UINT64_MAX };
	pd_records_init(&it, reader, pd_reader_data(reader));
	while ((rc = pd_records_next(&it, &rec, err)) > 0) {
		if (rec.type == PD_RECORD_SAMPLE)
			pd_sample_time_add(
				ret, pd_event_set_time_of(
					     pd_reader_events(reader), &rec));
	}
	pd_records_release(&it);
	if (!rc && ret->first_ns > ret->last_ns)
		return pd_err_set(err, -ENODATA,
				  "--time: no sample has a time, so that there "
				  "are no parts of it");
	return rc;
}

int rpt_time_ranges_resolve(struct rpt_time_ranges *ranges, bool is_relative,
			    struct pd_reader *reader, struct pd_err *err)
{
	struct pd_sample_time bounds;
	struct pd_cursor c;
	int rc = 0;

	if (!ranges->nr || (!ranges->is_percent && !is_relative))
		return 0;
	if (!pd_reader_feature(reader, PD_FEATURE_SAMPLE_TIME, &c) ||
	    pd_feature_sample_time_read(&c, &bounds) || !bounds.first_ns ||
	    bounds.last_ns < bounds.first_ns)
		rc = read_bounds(reader, &bounds, err);
	if (!rc)
		rpt_time_ranges_resolve_at(ranges, is_relative, bounds.first_ns,
					   bounds.last_ns);
	return rc;
}

bool rpt_time_ranges_hold(const struct rpt_time_ranges *ranges,
			  uint64_t time_ns)
{
	if (!ranges->nr || !time_ns)
		return true;
	for (size_t i = 0; i < ranges->nr; i++)
		if (time_ns >= ranges->items[i].start_ns &&
		    time_ns <= ranges->items[i].end_ns)
			return true;
	return false;
}
