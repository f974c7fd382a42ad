/* diff_labels.h: the names of rows and events, numbered for all runs of a diff.
 */
#ifndef RPT_DIFF_LABELS_H
#define RPT_DIFF_LABELS_H

#include "report/events/event_match.h"
#include "report/base/intern.h"

#define RPT_LABEL_COLUMNS_MAX 16

struct rpt_label {
	const char *texts[RPT_LABEL_COLUMNS_MAX]; /* as first seen */
	uint32_t widths[RPT_LABEL_COLUMNS_MAX];	  /* rpt_columns_text_width();
						   * of call paths: 0 */
	uint32_t parent; /* 1 + the caller's label; 0: none, or no call path */
	/* For a function without a name: 1 + the label for all nameless
	 * addresses of the DSO; else 0. */
	uint32_t whole;
	uint32_t
		build; /* for such a whole: 1 + number in builds; 0: none yet */
	bool is_mixed; /* for such a whole: some run does not know its
			* functions, or has another build */
};

/* Names that all runs share. */
struct rpt_labels {
	struct rpt_intern keys;
	struct rpt_event_match events;
	struct rpt_intern builds;   /* build-ids */
	struct rpt_intern commands; /* words behind a command's name */
	/* RPT_MODE_* that all runs have counted, by event; owned; NULL: not
	 * known yet. */
	uint8_t *modes;
	uint32_t modes_nr;
	struct rpt_arena texts;
	struct rpt_label *items; /* by number of the key */
	uint32_t cap;
	const char *headers[RPT_LABEL_COLUMNS_MAX]; /* in texts */
	const char *names[RPT_LABEL_COLUMNS_MAX];   /* as in -s; in texts */
	unsigned by[RPT_LABEL_COLUMNS_MAX];	    /* RPT_BY_*, of rows.h */
	size_t column_nr;
	bool is_paths; /* a label is a function below its callers */
	bool is_perfs; /* texts are those of perf's table */
};

/* Return the number of a key.  A new label has no texts yet. */
uint32_t rpt_label_new(struct rpt_labels *labels, const char *key, size_t len);
/* Set the texts of a label.  texts: one for each column, each ended by a NUL.
 */
void rpt_label_fill(struct rpt_labels *labels, struct rpt_label *label,
		    const char *texts, size_t len);
/* Return the text of a label's first column of that dimension (RPT_BY_*), NULL
 * if rows are not told apart by it. */
const char *rpt_label_text(const struct rpt_labels *labels, uint32_t label,
			   unsigned by);
void rpt_labels_release(struct rpt_labels *labels);

#endif
