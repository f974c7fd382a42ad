#include "report/fleet/fleet_answer.h"

#include "report/base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char unescaped(char c)
{
	switch (c) {
	case 't':
		return '\t';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case '0':
		return '?'; /* a text of ours ends at a NUL */
	default:
		return c;
	}
}

/* Unescape the field at text in its place, and end it by a NUL.  Return what is
 * behind it; *ret_end becomes the byte that ended it. */
static char *take_field(char *text, char *ret_end)
{
	char *to = text;

	while (*text && *text != '\t' && *text != '\n') {
		if (*text == '\\' && text[1])
			*to++ = unescaped(*++text);
		else
			*to++ = *text;
		text++;
	}
	*ret_end = *text;
	text += *text != '\0';
	*to = '\0';
	return text;
}

static int bad_answer(const char *name, struct pd_err *err)
{
	return pd_err_set(err, -EBADMSG,
			  "%s: its answer is not of the form asked for", name);
}

int rpt_fleet_answer_parse(struct rpt_fleet_answer *answer, char *text,
			   size_t column_nr, const char *name,
			   struct pd_err *err)
{
	uint32_t nr = 0, cap = 0;
	char *at = text;

	*answer = (struct rpt_fleet_answer){ .text = text,
					     .column_nr = column_nr };
	while (at && *at) {
		for (size_t c = 0; c < answer->column_nr; c++) {
			const char *field = at;
			char end;

			at = take_field(at, &end);
			if ((end == '\t') != (c + 1 < answer->column_nr))
				return bad_answer(name, err);
			answer->fields = rpt_grow(answer->fields, &cap, nr,
						  sizeof(*answer->fields));
			answer->fields[nr++] = field;
		}
		answer->row_nr++;
	}
	return 0;
}

void rpt_fleet_answer_release(struct rpt_fleet_answer *answer)
{
	free(answer->text);
	free(answer->fields);
	*answer = (struct rpt_fleet_answer){ 0 };
}

double rpt_fleet_number(const struct rpt_fleet_answer *answer, size_t row,
			size_t column)
{
	const char *text = rpt_fleet_field(answer, row, column);
	char *end;
	double v = strtod(text, &end);

	return end != text && !*end && isfinite(v) ? v : NAN;
}

double rpt_fleet_amount(const struct rpt_fleet_answer *answer, size_t row,
			size_t column)
{
	double v = rpt_fleet_number(answer, row, column);

	return v > 0.0 ? v : 0.0;
}

double rpt_fleet_sum(const struct rpt_fleet_answer *answer, size_t column)
{
	double sum = 0.0;

	for (size_t r = 0; r < answer->row_nr; r++)
		sum += rpt_fleet_amount(answer, r, column);
	return sum;
}
