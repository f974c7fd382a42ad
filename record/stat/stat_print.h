/* stat_print.h: prints a sheet as perf stat does: text, -x, -j.
 *
 *	text		rec_stat_print_text()	head, rows, foot
 *	-I		the same with time_ns, rows alone
 *	-x SEP		rec_stat_print_csv()
 *	-j		rec_stat_print_json()
 *
 * Layout, units and the order of columns were observed with perf 6.1; what is
 * added stands behind perf's columns, or below its text.
 */
#ifndef REC_STAT_PRINT_H
#define REC_STAT_PRINT_H

#include "record/stat/stat_sheet.h"

#include <stdio.h>

struct rec_stat_print {
	FILE *out;
	const char *sep;     /* -x; else NULL */
	const char *title;   /* what is counted: "'sleep 1'", "'system wide'" */
	bool big_num;	     /* with the locale's thousands separators */
	bool is_interval;    /* rows begin with time_ns */
	bool is_summary;     /* -x rows begin with "summary" */
	bool has_runs;	     /* -r: with scatter */
	bool details;	     /* --json-details */
	bool table;	     /* --table */
	double time_ns;	     /* since counting began */
	uint64_t own_cpu_ns; /* what counting itself cost */
};

/* Print the line above intervals. */
void rec_stat_print_interval_head(const struct rec_stat_print *print,
				  enum rec_stat_mode mode);
/* Each returns 0 or -ENOMEM. */
int rec_stat_print_text(const struct rec_stat_print *print,
			const struct rec_stat_sheet *sheet);
int rec_stat_print_csv(const struct rec_stat_print *print,
		       const struct rec_stat_sheet *sheet);
int rec_stat_print_json(const struct rec_stat_print *print,
			const struct rec_stat_sheet *sheet);

enum rec_stat_form { REC_STAT_TEXT, REC_STAT_CSV, REC_STAT_JSON };

/* stat_metric_only.c: print the metrics alone, a row for each group; has_head:
 * with the row of their names. */
int rec_stat_print_metric_only(const struct rec_stat_print *print,
			       const struct rec_stat_sheet *sheet,
			       enum rec_stat_form form, bool has_head);

/* The beginning and the end of each form: the lines of text above and below the
 * rows, the fields in front of a row's values, a JSON string. */
void rec_stat_print_title(const struct rec_stat_print *print,
			  const struct rec_stat_sheet *sheet);
void rec_stat_print_foot(const struct rec_stat_print *print,
			 const struct rec_stat_sheet *sheet);
void rec_stat_print_csv_start(const struct rec_stat_print *print,
			      const struct rec_stat_sheet *sheet, size_t group,
			      size_t counter_nr);
void rec_stat_print_json_start(const struct rec_stat_print *print,
			       const struct rec_stat_sheet *sheet, size_t group,
			       size_t counter_nr);

/* Print the intervals of several runs, and what drifts. */
void rec_stat_print_runs(const struct rec_stat_print *print,
			 const struct rec_stat_sheet *sheet);

/* Print the fields before the value of a row. */

/* Print the group in perf's columns for text. */
void rec_stat_label_text(FILE *out, const struct rec_stat_groups *groups,
			 size_t group, size_t counter_nr);
/* Write the group's name, "S0-D0-C1", "sh-1234"; "" for the only one. */
void rec_stat_label_name(char *ret, size_t cap,
			 const struct rec_stat_groups *groups, size_t group);

#endif
