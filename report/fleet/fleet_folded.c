/* perfpair fleet top|diff --format folded: the stacks of all hosts, a line
 * each, for flame graphs. */
#include "report/base/memory.h"
#include "report/fleet/fleet_client.h"
#include "report/fleet/fleet_impl.h"

#include "format/support/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *at(const struct rpt_fleet_answer *answer, size_t row,
		      enum rpt_fleet_frame_column column)
{
	return rpt_fleet_field(answer, row, column);
}

static bool is_same(const struct rpt_fleet_answer *answer, size_t a, size_t b,
		    enum rpt_fleet_frame_column column)
{
	return !strcmp(at(answer, a, column), at(answer, b, column));
}

/* Put a name without the characters that separate names and lines. */
static void put_name(struct rpt_text *out, const char *name)
{
	for (; *name; name++)
		rpt_text_char(out, rpt_folded_char(*name));
}

static void put_count(const struct rpt_fleet_answer *answer, size_t row,
		      enum rpt_fleet_frame_column column, struct rpt_text *out)
{
	rpt_text_format(out, " %.0f", rpt_fleet_amount(answer, row, column));
}

/* Return whether the frames of a row's stack were loaded. */
static bool is_there(const struct rpt_fleet_answer *answer, size_t row)
{
	return rpt_fleet_number(answer, row, RPT_FLEET_FRAME_THERE) > 0.0;
}

static bool has_no_frames(const struct rpt_fleet_answer *answer, size_t row)
{
	return !strcmp(at(answer, row, RPT_FLEET_FRAME_STACK), "0");
}

static void put_frame(const struct rpt_fleet_answer *answer, size_t row,
		      struct rpt_text *out)
{
	if (is_there(answer, row))
		put_name(out, at(answer, row, RPT_FLEET_FRAME_NAME));
	else
		rpt_text_str(out, has_no_frames(answer, row)
					  ? "[unknown]"
					  : "[stack not loaded]");
}

/* Print the stack whose frames begin at row.  Return the row behind it. */
static size_t print_stack(const struct rpt_fleet_answer *answer, size_t row,
			  bool is_diff, struct rpt_text *out)
{
	size_t first = row;
	bool has_events =
		!is_same(answer, 0, answer->row_nr - 1, RPT_FLEET_FRAME_EVENT);

	if (has_events) {
		put_name(out, at(answer, row, RPT_FLEET_FRAME_EVENT));
		rpt_text_char(out, ';');
	}
	if (!is_diff) {
		put_name(out, at(answer, row, RPT_FLEET_FRAME_COMM));
		rpt_text_char(out, ';');
	}
	do {
		if (row > first)
			rpt_text_char(out, ';');
		put_frame(answer, row, out);
	} while (++row < answer->row_nr &&
		 is_same(answer, first, row, RPT_FLEET_FRAME_STACK) &&
		 is_same(answer, first, row, RPT_FLEET_FRAME_COMM) &&
		 is_same(answer, first, row, RPT_FLEET_FRAME_EVENT));
	if (is_diff)
		put_count(answer, first, RPT_FLEET_FRAME_OLD, out);
	put_count(answer, first, RPT_FLEET_FRAME_NEW, out);
	rpt_text_char(out, '\n');
	return row;
}

static bool has_side(const struct rpt_fleet_answer *answer,
		     enum rpt_fleet_frame_column column)
{
	for (size_t r = 0; r < answer->row_nr; r++)
		if (rpt_fleet_number(answer, r, column) > 0.0)
			return true;
	return false;
}

/* Say how many samples have no names. */
static void warn_missing(const struct rpt_fleet_answer *answer)
{
	double nr = 0.0;

	for (size_t r = 0; r < answer->row_nr; r++)
		if (!is_there(answer, r) && !has_no_frames(answer, r))
			nr += rpt_fleet_number(answer, r, RPT_FLEET_FRAME_OLD) +
			      rpt_fleet_number(answer, r, RPT_FLEET_FRAME_NEW);
	if (nr > 0.0)
		sup_message("%.0f samples are of stacks that were not loaded: "
			    "load what export --stacks has written",
			    nr);
}

static int check(const struct rpt_fleet_answer *answer, bool is_diff,
		 struct pd_err *err)
{
	if (!has_side(answer, RPT_FLEET_FRAME_NEW))
		return pd_err_set(err, -ENODATA, "no samples of %s",
				  is_diff ? "the new side" : "that");
	if (is_diff && !has_side(answer, RPT_FLEET_FRAME_OLD))
		return pd_err_set(err, -ENODATA, "no samples of the old side");
	return 0;
}

int rpt_fleet_folded(const struct rpt_fleet_scope *scope, FILE *out,
		     struct pd_err *err)
{
	bool is_diff = scope->args->question == RPT_FLEET_DIFF;
	struct rpt_text *text;
	struct rpt_fleet_answer answer;
	int rc =
		rpt_fleet_ask(&answer, scope->args, rpt_fleet_sql_frames(scope),
			      RPT_FLEET_FRAME_COLUMNS, err);

	if (!rc)
		rc = check(&answer, is_diff, err);
	if (!rc) {
		text = rpt_alloc(sizeof(*text));
		rpt_text_init(text, out);
		for (size_t r = 0; r < answer.row_nr;)
			r = print_stack(&answer, r, is_diff, text);
		warn_missing(&answer);
		rc = rpt_text_flush(text);
		if (rc)
			pd_err_set(err, rc, "%s", strerror(-rc));
		free(text);
	}
	rpt_fleet_answer_release(&answer);
	return rc;
}
