/* list_rows.h: the rows of a listing, kind by kind. */
#ifndef REC_LIST_ROWS_H
#define REC_LIST_ROWS_H

#include "record/event/pmu.h"
#include "record/listing/list.h"
#include "record/metric/metric.h"

enum rec_list_kind {
	REC_LIST_HARDWARE,
	REC_LIST_SOFTWARE,
	REC_LIST_TOOL, /* measured by stat */
	REC_LIST_CACHE,
	REC_LIST_PMU,	 /* events of sysfs */
	REC_LIST_VENDOR, /* by libpfm4 */
	REC_LIST_RAW,
	REC_LIST_BREAKPOINT,
	REC_LIST_TRACEPOINT,
	REC_LIST_METRIC,
	REC_LIST_METRIC_GROUP,
	REC_LIST_KIND_NR,
};

struct rec_list_row {
	char *name;	/* owned */
	char *alias;	/* owned; a second spelling; NULL: none */
	char *text;	/* owned; a description in one line; NULL: none */
	char *encoding; /* owned; what -e takes on any machine; NULL: none */
	char *unit;	/* owned; a PMU, a CPU model; NULL: none */
	const struct rec_metric *metric; /* of a metric */
	bool is_missing;		 /* this machine lacks it */
};

struct rec_list_rows {
	struct rec_list_row
		*at; /* owned; sorted by unit for vendors', by name */
	size_t nr;
	size_t cap;
};

/* Collect the rows of a kind.  Return -ENOMEM; note is set if tracepoints
 * cannot be read. */
int rec_list_collect(struct rec_list_rows *rows, enum rec_list_kind kind,
		     const struct rec_list_conf *conf, struct pd_err *note);
void rec_list_rows_release(struct rec_list_rows *rows);

/* The PMUs of a machine, read once for many events. */
struct rec_list_pmus {
	struct rec_pmu *at; /* owned */
	size_t nr;
};

/* Read all PMUs; those that cannot be read are left out. */
int rec_list_pmus_init(struct rec_list_pmus *ret, const char *sysfs);
void rec_list_pmus_release(struct rec_list_pmus *pmus);

/* Return what -e takes for an attr, by the formats of its PMU:
 * "cpu/event=0x51,umask=0x1/".  The caller frees it; NULL: no such PMU. */
char *rec_list_encoding(const struct rec_list_pmus *pmus,
			const union rec_attr *attr);
/* Return the same for a vendor's name. */
char *rec_list_vendor_encoding(const struct rec_list_pmus *pmus,
			       const char *name);

/* The words and the title of a kind; word and other may be NULL. */
struct rec_list_kind_text {
	const char *word;
	const char *other;
	const char *title; /* "Hardware event" */
};
extern const struct rec_list_kind_text rec_list_kinds[REC_LIST_KIND_NR];

#endif
