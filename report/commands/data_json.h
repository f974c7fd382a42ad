/* data_json.h: a recording as JSON, in the form of perf's linux-perf-json
 * version 1.
 *
 *	rpt_data_json_init(&data, &conf, out);
 *	rpt_data_json_sample(&data, &rec);		each sample, by time
 *	rpt_data_json_finish(&data);			what writing failed with
 *	rpt_data_json_release(&data);
 *
 *	{ "linux-perf-json-version": 1,
 *	  "headers": { "hostname": "vm", ... },
 *	  "samples": [ { "timestamp": ns, "pid": .., "tid": .., "cpu": ..,
 *	                 "comm": "..", "callchain": [ { "ip": "0x..",
 *	                 "symbol": "..", "dso": ".." }, .. ] }, .. ] }
 *
 * All items stand on lines of their own, as perf puts them.
 */
#ifndef RPT_DATA_JSON_H
#define RPT_DATA_JSON_H

#include "report/events/sample_reader.h"
#include "report/base/json_text.h"

struct rpt_data_json_conf {
	struct pd_reader *reader;
	const struct rpt_timeline *timeline;
	int64_t captured_on_s; /* since 1970: when the file was changed last */
};

struct rpt_data_json {
	struct rpt_data_json_conf conf;
	const struct pd_event_set *events;
	uint64_t sample_type; /* what any of them records */
	struct rpt_sample_reader samples;
	uint64_t sample_nr;
	struct pd_err damage; /* the first of samples.damaged_nr */
	struct rpt_json json;
	struct rpt_text text;
};

/* Write all up to the samples.  data is large: keep it on the heap. */
void rpt_data_json_init(struct rpt_data_json *data,
			const struct rpt_data_json_conf *conf, FILE *out);
void rpt_data_json_release(struct rpt_data_json *data);

/* Write a sample, or the end.  Return 0, or what writing failed with. */
int rpt_data_json_sample(struct rpt_data_json *data,
			 const struct pd_record *rec);
int rpt_data_json_finish(struct rpt_data_json *data);

/* data_json_head.c: put the member "headers" of the whole. */
void rpt_data_json_headers(struct rpt_json *json,
			   const struct rpt_data_json_conf *conf);

#endif
