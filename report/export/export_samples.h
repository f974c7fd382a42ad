/* export_samples.h: reads the samples of a counted report one after the other
 * in the order of time, for formats of single samples: once more or, if the
 * count has left them to the output, for the first time.
 */
#ifndef RPT_EXPORT_SAMPLES_H
#define RPT_EXPORT_SAMPLES_H

#include "report/report/report.h"
#include "report/timeline/address_cache.h"

struct rpt_export_samples {
	struct rpt_report *part; /* that is being read */
	struct rpt_sample_reader *reader;
	struct rpt_address_cache addresses;
	/* Take a sample; is_shown: the filters of time, CPU, event and task
	 * let it pass.  Return 0, or a negative errno, which ends the reading.
	 */
	int (*take)(void *ctx, struct rpt_sample *sample);
	void *ctx;
};

/* Read the samples of a part of the report, for zeroed samples with take and
 * ctx.  What cannot be read is told of once: by the count, or else now, in the
 * part's profile.  Return 0, or a negative errno with err set unless it is
 * take's. */
int rpt_export_samples_read(struct rpt_export_samples *samples,
			    struct rpt_report *part, struct pd_err *err);

/* Return what lies at ip at the time of the sample; good until the next sample
 * is taken. */
const struct rpt_location *
rpt_export_samples_find(struct rpt_export_samples *samples,
			const struct rpt_sample *sample, unsigned cpumode,
			uint64_t ip);

/* Return whether options hide the place where the sample was taken. */
bool rpt_export_samples_hide(struct rpt_export_samples *samples,
			     const struct rpt_sample *sample);

#endif
