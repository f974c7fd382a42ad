/* metric_table.h: the rows of all metrics, for this room. */
#ifndef REC_METRIC_TABLE_H
#define REC_METRIC_TABLE_H

#include "record/metric/metric.h"

extern const struct rec_metric rec_metric_table[];
extern const size_t rec_metric_table_nr;

#endif
