/* attr_rate.c: how often an event is sampled. */
#include "record/event/attr_work.h"

#include <errno.h>
#include <stdio.h>

static int freq_over_max(const struct rec_attr_work *c, uint64_t *freq_hz,
			 struct pd_err *note, struct pd_err *err)
{
	uint64_t max = c->host->max_sample_hz;

	if (c->opts->strict_freq) {
		pd_err_set(err, -EINVAL,
			   "%llu Hz is over the machine's limit of %llu Hz",
			   (unsigned long long)*freq_hz,
			   (unsigned long long)max);
		pd_err_hint(err, "give -F a lower value or raise "
				 "kernel.perf_event_max_sample_rate");
		return -EINVAL;
	}
	if (note) {
		snprintf(note->text, sizeof(note->text),
			 "sampling at %llu Hz instead of %llu Hz, the "
			 "machine's limit",
			 (unsigned long long)max, (unsigned long long)*freq_hz);
		pd_err_hint(note,
			    "the limit is kernel.perf_event_max_sample_rate; "
			    "--strict-freq refuses to record instead");
	}
	*freq_hz = max;
	return 0;
}

int rec_attr_freq_resolve(const struct rec_attr_work *c, uint64_t *ret,
			  struct pd_err *note, struct pd_err *err)
{
	const struct rec_attr_options *opts = c->opts;
	uint64_t max = c->host->max_sample_hz;
	uint64_t freq = opts->freq_hz ? opts->freq_hz : REC_FREQ_HZ_DEFAULT;

	*ret = 0;
	if (opts->period) {
		if (!opts->freq_hz && !opts->freq_max)
			return 0;
		pd_err_set(err, -EINVAL, "-F and -c exclude each other");
		pd_err_hint(err, "give -F samples per second, or one sample "
				 "every -c events");
		return -EINVAL;
	}
	if (opts->freq_max && max == 0) {
		pd_err_set(err, -EINVAL,
			   "-F max: kernel.perf_event_max_sample_rate "
			   "cannot be read");
		pd_err_hint(err, "give -F a number");
		return -EINVAL;
	}
	if (opts->freq_max)
		freq = max;
	if (max && freq > max) {
		int rc = freq_over_max(c, &freq, note, err);

		if (rc)
			return rc;
	}
	*ret = freq;
	return 0;
}

void rec_attr_set_freq(struct perf_event_attr *sys, uint64_t freq_hz)
{
	sys->freq = 1;
	sys->sample_freq = freq_hz;
	sys->sample_type |= PERF_SAMPLE_PERIOD;
}

/* Events that come with a period keep it unless the user chose a rate. */
void rec_attr_config_rate(const struct rec_attr_work *c,
			  struct perf_event_attr *sys)
{
	const struct rec_attr_options *opts = c->opts;
	bool chosen = opts->freq_hz || opts->freq_max || opts->period;

	if (!sys->sample_period || chosen) {
		if (c->freq_hz)
			rec_attr_set_freq(sys, c->freq_hz);
		else
			sys->sample_period = opts->period;
	}
	if (opts->no_samples)
		sys->sample_period = 0;
	if (opts->sample_period == REC_YES)
		sys->sample_type |= PERF_SAMPLE_PERIOD;
	if (opts->sample_period == REC_NO)
		sys->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
}
