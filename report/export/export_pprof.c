/* A profile of pprof: profile.proto of github.com/google/pprof, deflated. */
#include "report/export/export_impl.h"
#include "report/export/export_location.h"
#include "report/export/protobuf.h"

#include "report/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Fields of profile.proto. */
enum { /* Profile */
       SAMPLE_TYPE = 1,
       SAMPLE = 2,
       MAPPING = 3,
       LOCATION = 4,
       FUNCTION = 5,
       STRING_TABLE = 6,
       TIME_NANOS = 9,
       DURATION_NANOS = 10,
       DEFAULT_SAMPLE_TYPE = 14,
};
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3 };
enum {
	MAPPING_ID = 1,
	MAPPING_FILENAME = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
};
enum {
	LOCATION_ID = 1,
	LOCATION_MAPPING_ID = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
};
enum { LINE_FUNCTION_ID = 1, LINE_LINE = 2 };
enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4,
};

struct pprof {
	const struct rpt_export *export;
	struct rpt_export_set *set; /* gets the texts of the profile, too */
	struct rpt_export_event *events;
	uint32_t *columns; /* numbers of those that have samples */
	uint32_t event_nr;
	struct rpt_intern locations; /* lists of frames, innermost first */
	struct pd_buf out;
	struct pd_buf message, inner; /* under construction */
};

static uint64_t text(struct pprof *p, const char *str)
{
	return rpt_export_text(p->set, str);
}

static void put_type(struct pprof *p, const char *type, const char *unit)
{
	rpt_protobuf_number(&p->message, TYPE_TYPE, text(p, type));
	rpt_protobuf_number(&p->message, TYPE_UNIT, text(p, unit));
	rpt_protobuf_message(&p->out, SAMPLE_TYPE, &p->message);
}

/* Leave out events without samples. */
static void drop_empty(struct pprof *p)
{
	uint32_t all_nr = p->event_nr;

	p->columns = rpt_alloc_zeroed(all_nr + (size_t)1, sizeof(*p->columns));
	p->event_nr = 0;
	for (uint32_t i = 0; i < all_nr; i++)
		if (p->events[i].nr)
			p->columns[p->event_nr++] = i;
}

/* Put two types of values for each event, samples and their periods.  pprof
 * shows the periods of the first event. */
static void put_types(struct pprof *p)
{
	for (uint32_t i = 0; i < p->event_nr; i++) {
		const struct rpt_export_event *event =
			&p->events[p->columns[i]];
		char *name = NULL;

		if (!i)
			rpt_protobuf_number(&p->out, DEFAULT_SAMPLE_TYPE,
					    text(p, event->name));
		if (p->event_nr > 1 &&
		    asprintf(&name, "%s_samples", event->name) < 0)
			abort();
		put_type(p, name ? name : "samples", "count");
		put_type(p, event->name,
			 event->is_clock ? "nanoseconds" : "count");
		free(name);
	}
}

static void put_text_label(struct pprof *p, const char *key, uint32_t value)
{
	if (value == RPT_EXPORT_NONE)
		return;
	rpt_protobuf_number(&p->inner, LABEL_KEY, text(p, key));
	rpt_protobuf_number(&p->inner, LABEL_STR, value);
	rpt_protobuf_message(&p->message, SAMPLE_LABEL, &p->inner);
}

static void put_number_label(struct pprof *p, const char *key, uint32_t value)
{
	if (value == RPT_EXPORT_NONE)
		return;
	rpt_protobuf_number(&p->inner, LABEL_KEY, text(p, key));
	rpt_protobuf_number(&p->inner, LABEL_NUM, value);
	rpt_protobuf_message(&p->message, SAMPLE_LABEL, &p->inner);
}

/* Put the locations of a stack, the innermost first. */
static void put_stack(struct pprof *p, uint32_t stack)
{
	rpt_export_put_locations(p->set, &p->locations, stack, &p->inner);
	rpt_protobuf_message(&p->message, SAMPLE_LOCATION_ID, &p->inner);
}

static void put_samples(struct pprof *p)
{
	for (uint32_t i = 0; i < p->set->samples.nr; i++) {
		const struct rpt_export_sample *sample =
			rpt_export_sample_at(p->set, i);
		const struct rpt_export_value *value = &p->set->values[i];

		put_stack(p, sample->stack);
		for (uint32_t e = 0; e < p->event_nr; e++) {
			bool is_its = p->columns[e] == sample->event;

			pd_buf_varint(&p->inner, is_its ? value->nr : 0);
			pd_buf_varint(&p->inner, is_its ? value->period : 0);
		}
		rpt_protobuf_message(&p->message, SAMPLE_VALUE, &p->inner);
		put_text_label(p, "comm", sample->comm);
		put_text_label(p, "process", sample->process);
		put_number_label(p, "pid", sample->pid);
		put_number_label(p, "tid", sample->tid);
		put_number_label(p, "cpu", sample->cpu);
		put_text_label(p, "cgroup", sample->cgroup);
		put_text_label(p, "host", sample->host);
		rpt_protobuf_message(&p->out, SAMPLE, &p->message);
	}
}

/* A file has a mapping unless its path is empty. */
static uint64_t mapping_of(const struct pprof *p, uint32_t file)
{
	return rpt_export_file_at(p->set, file)->path ? (uint64_t)file + 1 : 0;
}

/* pprof would look for the functions of a mapping that has none. */
static void put_mapping(struct pprof *p, uint32_t number)
{
	const struct rpt_export_file *file = rpt_export_file_at(p->set, number);

	if (!file->path)
		return;
	rpt_protobuf_number(&p->message, MAPPING_ID, mapping_of(p, number));
	rpt_protobuf_number(&p->message, MAPPING_FILENAME, file->path);
	rpt_protobuf_number(&p->message, MAPPING_BUILD_ID, file->build_id);
	rpt_protobuf_number(&p->message, MAPPING_HAS_FUNCTIONS, 1);
	rpt_protobuf_message(&p->out, MAPPING, &p->message);
}

/* Return the file in which most samples were taken, of those of programs if
 * there is one. */
static uint32_t main_file(const struct pprof *p)
{
	uint32_t nr = p->set->files.nr, best = 0;
	uint64_t *sums = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*sums));

	for (uint32_t i = 0; i < p->set->samples.nr; i++) {
		uint32_t stack = rpt_export_sample_at(p->set, i)->stack;
		uint32_t frame = rpt_export_stack_at(p->set, stack)->frame;
		const struct rpt_export_function *function =
			rpt_export_function_at(
				p->set,
				rpt_export_frame_at(p->set, frame)->function);
		uint32_t path =
			rpt_export_file_at(p->set, function->file)->path;

		if (*rpt_export_text_at(p->set, path) == '/')
			sums[function->file] += p->set->values[i].nr;
	}
	for (uint32_t i = 1; i < nr; i++)
		if (sums[i] > sums[best])
			best = i;
	free(sums);
	return best;
}

/* pprof names a profile by its first mapping. */
static void put_mappings(struct pprof *p)
{
	uint32_t first = p->set->files.nr ? main_file(p) : 0;

	for (uint32_t i = 0; i < p->set->files.nr; i++)
		put_mapping(p, i ? (i <= first ? i - 1 : i) : first);
}

static void put_locations(struct pprof *p)
{
	for (uint32_t i = 0; i < p->locations.nr; i++) {
		uint32_t nr;
		const uint32_t *frames =
			rpt_export_location_at(&p->locations, i, &nr);
		const struct rpt_export_frame *outer =
			rpt_export_frame_at(p->set, frames[nr - 1]);
		uint32_t file =
			rpt_export_function_at(p->set, outer->function)->file;

		rpt_protobuf_number(&p->message, LOCATION_ID, (uint64_t)i + 1);
		rpt_protobuf_number(&p->message, LOCATION_MAPPING_ID,
				    mapping_of(p, file));
		rpt_protobuf_number(&p->message, LOCATION_ADDRESS, outer->addr);
		for (uint32_t k = 0; k < nr; k++) {
			const struct rpt_export_frame *frame =
				rpt_export_frame_at(p->set, frames[k]);

			rpt_protobuf_number(&p->inner, LINE_FUNCTION_ID,
					    (uint64_t)frame->function + 1);
			rpt_protobuf_number(&p->inner, LINE_LINE, frame->line);
			rpt_protobuf_message(&p->message, LOCATION_LINE,
					     &p->inner);
		}
		rpt_protobuf_message(&p->out, LOCATION, &p->message);
	}
}

static void put_functions(struct pprof *p)
{
	for (uint32_t i = 0; i < p->set->functions.nr; i++) {
		const struct rpt_export_function *function =
			rpt_export_function_at(p->set, i);

		rpt_protobuf_number(&p->message, FUNCTION_ID, (uint64_t)i + 1);
		rpt_protobuf_number(&p->message, FUNCTION_NAME, function->name);
		rpt_protobuf_number(&p->message, FUNCTION_SYSTEM_NAME,
				    function->name);
		rpt_protobuf_number(&p->message, FUNCTION_FILENAME,
				    function->source);
		rpt_protobuf_message(&p->out, FUNCTION, &p->message);
	}
}

static void put_texts(struct pprof *p)
{
	const struct rpt_intern *texts = &p->set->texts;

	for (uint32_t i = 0; i < texts->nr; i++)
		rpt_protobuf_bytes(&p->out, STRING_TABLE,
				   rpt_intern_key(texts, i),
				   texts->entries[i].len);
}

static void put_profile(struct pprof *p)
{
	uint64_t start_ns, span_ns;

	drop_empty(p);
	put_types(p);
	put_samples(p);
	put_mappings(p);
	put_locations(p);
	put_functions(p);
	put_texts(p);
	rpt_export_times(p->export, &start_ns, &span_ns);
	rpt_protobuf_number(&p->out, TIME_NANOS, start_ns);
	rpt_protobuf_number(&p->out, DURATION_NANOS, span_ns);
}

/* Write bytes in the format of gzip. */
static int write_gzip(const struct pd_buf *b, FILE *out, struct pd_err *err)
{
	enum { GZIP = 16, CHUNK_LEN = 1 << 16 };
	uint8_t *chunk;
	z_stream z = { .next_in = b->data };
	size_t left = b->len;
	int rc;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
			 MAX_WBITS + GZIP, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return pd_err_set(err, -ENOMEM, "no memory for zlib");
	chunk = rpt_alloc(CHUNK_LEN);
	do {
		uInt taken =
			left < UINT32_MAX / 2 ? (uInt)left : UINT32_MAX / 2;

		if (!z.avail_in) {
			z.avail_in = taken;
			left -= taken;
		}
		z.next_out = chunk;
		z.avail_out = CHUNK_LEN;
		rc = deflate(&z, left ? Z_NO_FLUSH : Z_FINISH);
		fwrite(chunk, 1, CHUNK_LEN - z.avail_out, out);
	} while (rc != Z_STREAM_END);
	free(chunk);
	deflateEnd(&z);
	return 0;
}

static int print(struct rpt_export *export, FILE *out, struct pd_err *err)
{
	struct pprof p = { .export = export,
			   .set = &export->set,
			   .events = rpt_export_events(export),
			   .event_nr = export->report->whole.events.nr,
			   .locations.is_bytes = true };
	int rc;

	put_profile(&p);
	rc = pd_buf_status(&p.out);
	if (rc)
		pd_err_set(err, rc, "%s", strerror(-rc));
	else
		rc = write_gzip(&p.out, out, err);
	pd_buf_release(&p.out);
	pd_buf_release(&p.message);
	pd_buf_release(&p.inner);
	rpt_intern_release(&p.locations);
	rpt_export_events_free(export, p.events);
	free(p.columns);
	return rc;
}

static int print_report(struct rpt_report *report, FILE *out,
			struct pd_err *err)
{
	return rpt_export_print_bytes(report, out, print, err);
}

const struct rpt_output rpt_output_pprof = {
	.name = "pprof",
	.help = "for pprof, Parca, Pyroscope",
	.needs = RPT_OUTPUT_STACKS | RPT_OUTPUT_SAMPLES,
	.options = { rpt_report_opts, rpt_label_opts },
	.set_up = rpt_export_set_up,
	.print = print_report,
};
