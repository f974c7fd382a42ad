/* Profiles of OpenTelemetry: messages of release 1.10.0 (2026-03-09) of
 * github.com/open-telemetry/opentelemetry-proto, profiles/v1development and
 * common/v1.  Field numbers of that package change from release to release
 * until it is stable: those of Sample did in 1.10.0.
 *
 * A ProfilesData has the same fields as the request by which a collector takes
 * it (collector/profiles/v1development).  Tables begin with an entry that is
 * all zero, so that the number 0 is none.  Names of attributes are those of
 * OpenTelemetry's semantic conventions. */
#include "report/export/export_impl.h"
#include "report/export/export_location.h"
#include "report/export/protobuf.h"

#include "report/base/json_text.h"
#include "report/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DATA_RESOURCE_PROFILES = 1, DATA_DICTIONARY = 2 };
enum { RESOURCE_SCOPE_PROFILES = 2 };
enum { SCOPE_SCOPE = 1, SCOPE_PROFILES = 2 };
enum { INSTRUMENTATION_NAME = 1, INSTRUMENTATION_VERSION = 2 };
enum {
	DICTIONARY_MAPPING = 1,
	DICTIONARY_LOCATION = 2,
	DICTIONARY_FUNCTION = 3,
	DICTIONARY_LINK = 4,
	DICTIONARY_STRING = 5,
	DICTIONARY_ATTRIBUTE = 6,
	DICTIONARY_STACK = 7,
};
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLES = 2,
	PROFILE_TIME_UNIX_NANO = 3, /* fixed64 */
	PROFILE_DURATION_NANO = 4,
};
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES = 2, SAMPLE_VALUES = 4 };
enum { STACK_LOCATIONS = 1 };
enum { MAPPING_FILENAME = 4, MAPPING_ATTRIBUTES = 5 };
enum {
	LOCATION_MAPPING = 1,
	LOCATION_ADDRESS = 2,
	LOCATION_LINES = 3,
	LOCATION_ATTRIBUTES = 4,
};
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME = 2, FUNCTION_FILENAME = 3 };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE = 2 };
enum { ANY_STRING = 1, ANY_INT = 3 };

struct otlp {
	const struct rpt_export *export;
	struct rpt_export_set *set;   /* gets the texts of the file, too */
	struct rpt_intern locations;  /* lists of frames, innermost first */
	struct rpt_intern attributes; /* messages */
	uint32_t *stacks;	      /* by stack of the set: number here */
	uint32_t stack_nr;
	struct pd_buf stack_table; /* fields of the dictionary */
	struct pd_buf dictionary, profiles;
	struct pd_buf profile, message, inner; /* under construction */
	struct pd_buf value, attribute;
};

static uint64_t text(struct otlp *o, const char *str)
{
	return rpt_export_text(o->set, str);
}

/* Append the number of an attribute, whose value is in o->value, to a list. */
static void put_attribute(struct otlp *o, struct pd_buf *list, const char *key)
{
	struct pd_buf *b = &o->attribute;

	rpt_protobuf_number(b, ATTRIBUTE_KEY, text(o, key));
	rpt_protobuf_message(b, ATTRIBUTE_VALUE, &o->value);
	if (pd_buf_status(b))
		list->status = pd_buf_status(b);
	else
		pd_buf_varint(list, (uint64_t)rpt_intern(&o->attributes,
							 b->data, b->len) +
					    1);
	pd_buf_reset(b);
}

static void put_text_attribute(struct otlp *o, struct pd_buf *list,
			       const char *key, uint32_t value)
{
	struct pd_buf utf8 = PD_BUF_INIT;

	if (value == RPT_EXPORT_NONE)
		return;
	rpt_export_put_utf8(&utf8, rpt_export_text_at(o->set, value),
			    o->set->texts.entries[value].len);
	rpt_protobuf_message(&o->value, ANY_STRING, &utf8);
	pd_buf_release(&utf8);
	put_attribute(o, list, key);
}

static void put_number_attribute(struct otlp *o, struct pd_buf *list,
				 const char *key, uint32_t value)
{
	if (value == RPT_EXPORT_NONE)
		return;
	rpt_protobuf_choice(&o->value, ANY_INT, value);
	put_attribute(o, list, key);
}

/* Return the number of a stack, which is put into its table at first. */
static uint32_t stack_of(struct otlp *o, uint32_t stack)
{
	if (!o->stacks[stack]) {
		o->stacks[stack] = ++o->stack_nr;
		rpt_export_put_locations(o->set, &o->locations, stack,
					 &o->value);
		rpt_protobuf_message(&o->inner, STACK_LOCATIONS, &o->value);
		rpt_protobuf_message(&o->stack_table, DICTIONARY_STACK,
				     &o->inner);
	}
	return o->stacks[stack];
}

static void put_sample(struct otlp *o, const struct rpt_export_sample *sample,
		       uint64_t value)
{
	struct pd_buf *list = &o->inner;

	rpt_protobuf_number(&o->message, SAMPLE_STACK,
			    stack_of(o, sample->stack));
	put_text_attribute(o, list, "thread.name", sample->comm);
	put_text_attribute(o, list, "process.executable.name", sample->process);
	put_number_attribute(o, list, "process.pid", sample->pid);
	put_number_attribute(o, list, "thread.id", sample->tid);
	put_number_attribute(o, list, "cpu.logical_number", sample->cpu);
	put_text_attribute(o, list, "process.linux.cgroup", sample->cgroup);
	put_text_attribute(o, list, "host.name", sample->host);
	if (list->len)
		rpt_protobuf_message(&o->message, SAMPLE_ATTRIBUTES, list);
	pd_buf_varint(&o->value, value);
	rpt_protobuf_message(&o->message, SAMPLE_VALUES, &o->value);
	rpt_protobuf_message(&o->profile, PROFILE_SAMPLES, &o->message);
}

/* Put a profile of an event's periods, or of how many samples it has. */
static void put_profile(struct otlp *o, uint32_t event, const char *type,
			const char *unit, bool is_period)
{
	uint64_t start_ns, span_ns;

	rpt_protobuf_number(&o->message, TYPE_TYPE, text(o, type));
	rpt_protobuf_number(&o->message, TYPE_UNIT, text(o, unit));
	rpt_protobuf_message(&o->profile, PROFILE_SAMPLE_TYPE, &o->message);
	for (uint32_t i = 0; i < o->set->samples.nr; i++) {
		const struct rpt_export_sample *sample =
			rpt_export_sample_at(o->set, i);
		const struct rpt_export_value *value = &o->set->values[i];

		if (sample->event == event)
			put_sample(o, sample,
				   is_period ? value->period : value->nr);
	}
	rpt_export_times(o->export, &start_ns, &span_ns);
	rpt_protobuf_fixed64(&o->profile, PROFILE_TIME_UNIX_NANO, start_ns);
	rpt_protobuf_number(&o->profile, PROFILE_DURATION_NANO, span_ns);
	rpt_protobuf_message(&o->profiles, SCOPE_PROFILES, &o->profile);
}

/* Put two profiles for each event that has samples.  A reader shows the first
 * of all by default. */
static void put_profiles(struct otlp *o)
{
	uint32_t event_nr = o->export->report->whole.events.nr;
	struct rpt_export_event *events = rpt_export_events(o->export);
	uint32_t shown_nr = 0;

	for (uint32_t i = 0; i < event_nr; i++)
		shown_nr += events[i].nr != 0;
	for (uint32_t i = 0; i < event_nr; i++) {
		char *name = NULL;

		if (!events[i].nr)
			continue;
		if (shown_nr > 1 &&
		    asprintf(&name, "%s_samples", events[i].name) < 0)
			abort();
		put_profile(o, i, events[i].name,
			    events[i].is_clock ? "nanoseconds" : "count", true);
		put_profile(o, i, name ? name : "samples", "count", false);
		free(name);
	}
	rpt_export_events_free(o->export, events);
}

/* Put an entry of a table of the dictionary. */
static void put_entry(struct otlp *o, uint32_t table)
{
	rpt_protobuf_message(&o->dictionary, table, &o->message);
}

/* Return the number of each file's mapping, 0 of one that has no path; the
 * caller frees them. */
static uint32_t *put_mappings(struct otlp *o)
{
	uint32_t file_nr = o->set->files.nr, nr = 0;
	uint32_t *numbers =
		rpt_alloc_zeroed(file_nr + (size_t)1, sizeof(*numbers));

	put_entry(o, DICTIONARY_MAPPING);
	for (uint32_t i = 0; i < file_nr; i++) {
		const struct rpt_export_file *file =
			rpt_export_file_at(o->set, i);

		if (!file->path)
			continue;
		numbers[i] = ++nr;
		rpt_protobuf_number(&o->message, MAPPING_FILENAME, file->path);
		if (file->build_id) {
			put_text_attribute(o, &o->inner,
					   "process.executable.build_id.gnu",
					   file->build_id);
			rpt_protobuf_message(&o->message, MAPPING_ATTRIBUTES,
					     &o->inner);
		}
		put_entry(o, DICTIONARY_MAPPING);
	}
	return numbers;
}

/* Put where code is from: the kernel, or a compiler's native code; of JIT
 * compilers it is not known whose. */
static void put_frame_type(struct otlp *o, enum rpt_export_kind kind)
{
	if (kind != RPT_EXPORT_KERNEL && kind != RPT_EXPORT_USER)
		return;
	put_text_attribute(o, &o->inner, "profile.frame.type",
			   rpt_export_text(o->set, kind == RPT_EXPORT_KERNEL
							   ? "kernel"
							   : "native"));
	rpt_protobuf_message(&o->message, LOCATION_ATTRIBUTES, &o->inner);
}

static void put_locations(struct otlp *o, const uint32_t *mappings)
{
	put_entry(o, DICTIONARY_LOCATION);
	for (uint32_t i = 0; i < o->locations.nr; i++) {
		uint32_t nr;
		const uint32_t *frames =
			rpt_export_location_at(&o->locations, i, &nr);
		const struct rpt_export_frame *outer =
			rpt_export_frame_at(o->set, frames[nr - 1]);
		const struct rpt_export_function *function =
			rpt_export_function_at(o->set, outer->function);

		rpt_protobuf_number(&o->message, LOCATION_MAPPING,
				    mappings[function->file]);
		rpt_protobuf_number(&o->message, LOCATION_ADDRESS, outer->addr);
		for (uint32_t k = 0; k < nr; k++) {
			const struct rpt_export_frame *frame =
				rpt_export_frame_at(o->set, frames[k]);

			rpt_protobuf_number(&o->inner, LINE_FUNCTION,
					    (uint64_t)frame->function + 1);
			rpt_protobuf_number(&o->inner, LINE_LINE, frame->line);
			rpt_protobuf_message(&o->message, LOCATION_LINES,
					     &o->inner);
		}
		put_frame_type(o, function->kind);
		put_entry(o, DICTIONARY_LOCATION);
	}
}

static void put_functions(struct otlp *o)
{
	put_entry(o, DICTIONARY_FUNCTION);
	for (uint32_t i = 0; i < o->set->functions.nr; i++) {
		const struct rpt_export_function *function =
			rpt_export_function_at(o->set, i);

		rpt_protobuf_number(&o->message, FUNCTION_NAME, function->name);
		rpt_protobuf_number(&o->message, FUNCTION_SYSTEM_NAME,
				    function->name);
		rpt_protobuf_number(&o->message, FUNCTION_FILENAME,
				    function->source);
		put_entry(o, DICTIONARY_FUNCTION);
	}
}

static void put_attributes(struct otlp *o)
{
	put_entry(o, DICTIONARY_ATTRIBUTE);
	for (uint32_t i = 0; i < o->attributes.nr; i++)
		rpt_protobuf_bytes(&o->dictionary, DICTIONARY_ATTRIBUTE,
				   rpt_intern_key(&o->attributes, i),
				   o->attributes.entries[i].len);
}

static void put_texts(struct otlp *o)
{
	const struct rpt_intern *texts = &o->set->texts;

	for (uint32_t i = 0; i < texts->nr; i++) {
		rpt_export_put_utf8(&o->message, rpt_intern_key(texts, i),
				    texts->entries[i].len);
		put_entry(o, DICTIONARY_STRING);
	}
}

static void put_dictionary(struct otlp *o)
{
	uint32_t *mappings = put_mappings(o);

	put_locations(o, mappings);
	free(mappings);
	put_functions(o);
	put_entry(o, DICTIONARY_LINK);
	put_attributes(o);
	put_entry(o, DICTIONARY_STACK);
	if (pd_buf_status(&o->stack_table))
		o->dictionary.status = pd_buf_status(&o->stack_table);
	pd_buf_bytes(&o->dictionary, o->stack_table.data, o->stack_table.len);
	put_texts(o);
}

static void put_scope(struct otlp *o)
{
	static const char name[] = "perfpair", version[] = PERFPAIR_VERSION;

	rpt_protobuf_bytes(&o->message, INSTRUMENTATION_NAME, name,
			   strlen(name));
	rpt_protobuf_bytes(&o->message, INSTRUMENTATION_VERSION, version,
			   strlen(version));
	rpt_protobuf_message(&o->profiles, SCOPE_SCOPE, &o->message);
}

/* Write the file. */
static void write_data(struct otlp *o, FILE *out)
{
	struct pd_buf *head = &o->message, *scope = &o->inner;

	rpt_protobuf_head(scope, RESOURCE_SCOPE_PROFILES, o->profiles.len);
	rpt_protobuf_head(head, DATA_RESOURCE_PROFILES,
			  scope->len + o->profiles.len);
	fwrite(head->data, 1, head->len, out);
	fwrite(scope->data, 1, scope->len, out);
	fwrite(o->profiles.data, 1, o->profiles.len, out);
	pd_buf_reset(head);
	rpt_protobuf_head(head, DATA_DICTIONARY, o->dictionary.len);
	fwrite(head->data, 1, head->len, out);
	fwrite(o->dictionary.data, 1, o->dictionary.len, out);
}

static void release(struct otlp *o)
{
	struct pd_buf *all[] = { &o->stack_table, &o->dictionary, &o->profiles,
				 &o->profile,	  &o->message,	  &o->inner,
				 &o->value,	  &o->attribute };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		pd_buf_release(all[i]);
	rpt_intern_release(&o->locations);
	rpt_intern_release(&o->attributes);
	free(o->stacks);
}

static int print(struct rpt_export *export, FILE *out, struct pd_err *err)
{
	struct otlp o = {
		.export = export,
		.set = &export->set,
		.locations.is_bytes = true,
		.attributes.is_bytes = true,
		.stacks = rpt_alloc_zeroed(export->set.edges.nr + (size_t)1,
					   sizeof(*o.stacks)),
	};
	int rc;

	put_scope(&o);
	put_profiles(&o);
	put_dictionary(&o);
	rc = pd_buf_status(&o.profiles) ? pd_buf_status(&o.profiles)
					: pd_buf_status(&o.dictionary);
	if (rc)
		pd_err_set(err, rc, "%s", strerror(-rc));
	else
		write_data(&o, out);
	release(&o);
	return rc;
}

static int print_report(struct rpt_report *report, FILE *out,
			struct pd_err *err)
{
	return rpt_export_print_bytes(report, out, print, err);
}

const struct rpt_output rpt_output_otlp = {
	.name = "otlp",
	.help = "OpenTelemetry's profiles (experimental)",
	.needs = RPT_OUTPUT_STACKS | RPT_OUTPUT_SAMPLES,
	.options = { rpt_report_opts, rpt_label_opts },
	.set_up = rpt_export_set_up,
	.print = print_report,
};
