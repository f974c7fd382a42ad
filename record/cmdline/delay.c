#include "record/cmdline/delay.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int number(const char **text, uint32_t *ret)
{
	char *end;
	unsigned long v;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	errno = 0;
	v = strtoul(*text, &end, 10);
	if (errno || v > INT_MAX)
		return -ERANGE;
	*ret = (uint32_t)v;
	*text = end;
	return 0;
}

/* Append "10-20" at *text to delay. */
static int parse_range(struct rec_delay *delay, const char **text)
{
	uint32_t *at = delay->at_ms + delay->nr;
	int rc = number(text, &at[0]);

	if (!rc && *(*text)++ != '-')
		rc = -EINVAL;
	if (!rc)
		rc = number(text, &at[1]);
	if (!rc && (at[0] >= at[1] || (delay->nr && at[0] <= at[-1])))
		rc = -EINVAL;
	delay->nr += 2;
	return rc;
}

static int parse_ranges(struct rec_delay *delay, const char *text)
{
	int rc;

	do {
		rc = parse_range(delay, &text);
	} while (!rc && *text == ',' && text++);
	return rc || !*text ? rc : -EINVAL;
}

/* Parse a single number: on and never off; 0 is as if -D were not given. */
static int parse_one(struct rec_delay *delay, const char *text)
{
	int rc = number(&text, delay->at_ms);

	if (rc || *text)
		return rc ? rc : -EINVAL;
	delay->nr = delay->is_given = delay->at_ms[0] > 0;
	return 0;
}

int rec_delay_parse(const char *text, struct rec_delay *ret, struct pd_err *err)
{
	struct rec_delay delay = { .is_given = true };
	int rc = 0;

	/* There are fewer numbers than the text has bytes. */
	delay.at_ms = calloc(strlen(text) + 2, sizeof(*delay.at_ms));
	if (!delay.at_ms)
		return pd_err_set(err, -ENOMEM, "out of memory");
	if (strchr(text + !!*text, '-'))
		rc = parse_ranges(&delay, text);
	else if (strcmp(text, "-1") != 0)
		rc = parse_one(&delay, text);
	if (!rc) {
		free(ret->at_ms);
		*ret = delay;
		return 0;
	}
	rec_delay_release(&delay);
	pd_err_set(err, -EINVAL, "-D '%s' is not understood", text);
	pd_err_hint(err, "give milliseconds, -1 to start with events off, or "
			 "ranges that follow each other, such as 10-20,30-40");
	return -EINVAL;
}

void rec_delay_release(struct rec_delay *delay)
{
	free(delay->at_ms);
	*delay = (struct rec_delay){ 0 };
}
