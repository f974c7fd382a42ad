/* perfpair buildid-list: the build-ids of the files in a recording. */
#include "report/commands/commands.h"
#include "report/commands/carried_list.h"
#include "report/commands/running_maps.h"
#include "report/cli/command_options.h"
#include "report/cli/recording_input.h"
#include "report/base/intern.h"
#include "report/base/memory.h"
#include "report/symbols/kernel_origin.h"
#include "format/support/safe_text.h"
#include "report/events/sample_reader.h"
#include "report/timeline/timeline.h"

#include "format/base/limits.h"
#include "format/records/build_id.h"
#include "format/support/message.h"

#include <errno.h>
#include <stdlib.h>

struct list_args {
	const char *input;
	uint32_t max_ratio;
	bool with_hits;
	bool of_kernel;
	bool of_kernel_maps;
	bool is_carried;
	bool is_verbose;
	bool force;
};

#define OFF(member) offsetof(struct list_args, member)

static const struct sup_opt opts[] = {
	RPT_OPT_INPUT(OFF(input)),
	{ 'H', "with-hits", SUP_FLAG, OFF(with_hits), 0, NULL,
	  "show only files with samples", NULL },
	RPT_OPT_MAX_RATIO(OFF(max_ratio)),
	{ 'k', "kernel", SUP_FLAG, OFF(of_kernel), 0, NULL,
	  "show the build-id of the running kernel; read no recording", NULL },
	{ 'm', "kernel-maps", SUP_FLAG, OFF(of_kernel_maps), 0, NULL,
	  "show the build-ids and addresses of the running kernel and its "
	  "modules; read no recording",
	  NULL },
	{ 0, "carried", SUP_FLAG, OFF(is_carried), 0, NULL,
	  "list the files whose names the recording carries: build-id, number "
	  "of sampled addresses with a name and of all, path, and the reason "
	  "if names are missing",
	  NULL },
	{ 'v', "verbose", SUP_FLAG, OFF(is_verbose), 0, NULL,
	  "with --carried, list the names, too", NULL },
	RPT_OPT_FORCE(OFF(force)),
	{ 0 },
};

const struct sup_command rpt_buildid_list_command = {
	.name = "perfpair buildid-list",
	.usage = "[OPTION]...",
	.summary =
		"List the build-ids of a recording: of the files in its table, or of "
		"those with samples.",
	.opts = opts,
};

static void print_hex(const uint8_t *build_id, size_t build_id_len)
{
	char hex[PD_BUILD_ID_HEX_LEN];

	pd_build_id_hex(build_id, build_id_len, hex);
	fputs(hex, stdout);
}

static void print_row(const uint8_t *build_id, size_t build_id_len,
		      struct pd_str name)
{
	print_hex(build_id, build_id_len);
	printf("%*s ", 2 * (int)(PD_BUILD_ID_LEN_MAX - build_id_len), "");
	sup_put_safe(stdout, name);
	putchar('\n');
}

static int print_running_kernel(void)
{
	uint8_t id[RPT_BUILD_ID_MAX];
	uint8_t len = rpt_running_build_id(id);

	if (!len) {
		sup_message("the running kernel does not show its build-id");
		return RPT_EXIT_FAILED;
	}
	print_hex(id, len);
	putchar('\n');
	return RPT_EXIT_OK;
}

/* Remember the entry.  Return true if it was not there before. */
static bool is_new(struct rpt_intern *seen, const struct pd_header_build_id *id)
{
	char key[PD_BUILD_ID_LEN_MAX + PD_RECORD_LEN_MAX];
	uint32_t known_nr = seen->nr;

	memcpy(key, id->build_id, sizeof(id->build_id));
	memcpy(key + sizeof(id->build_id), id->filename.ptr, id->filename.len);
	return rpt_intern(seen, key, sizeof(id->build_id) + id->filename.len) ==
	       known_nr;
}

/* Print each entry of the table once: old recorders wrote one of the vdso for
 * each process. */
static int print_table(const struct rpt_recording_input *in, struct pd_err *err)
{
	struct rpt_intern seen = { 0 };
	struct pd_build_id_entry entry;
	struct pd_build_ids it;
	struct pd_cursor c;
	int rc;

	if (!pd_reader_feature(in->reader, PD_FEATURE_BUILD_ID, &c))
		return 0;
	pd_build_ids_init(&it, &c);
	while ((rc = pd_build_ids_next(&it, &entry, err)) > 0) {
		const struct pd_header_build_id *id = &entry.id;

		if (is_new(&seen, id))
			print_row(id->build_id, id->build_id_len, id->filename);
	}
	rpt_intern_release(&seen);
	return rc;
}

/* Add the DSOs that the samples' own addresses lie in to hits. */
static int mark_hits(struct rpt_recording_input *in,
		     const struct rpt_timeline *tl, struct rpt_intern *hits,
		     struct pd_err *err)
{
	const struct rpt_sample_reader_conf conf = {
		.events = pd_reader_events(in->reader),
		.timeline = tl,
	};
	struct rpt_sample_reader reader;
	struct rpt_sample sample;
	struct pd_records it;
	struct pd_record rec;
	struct rpt_map map;
	int rc;

	rpt_sample_reader_init(&reader, &conf);
	pd_records_init(&it, in->reader, pd_reader_data(in->reader));
	while ((rc = pd_records_next(&it, &rec, err)) > 0)
		if (rec.type == PD_RECORD_SAMPLE &&
		    !rpt_sample_reader_read(&reader, &rec, &sample, NULL) &&
		    rpt_timeline_map(tl, &sample.task->ref, sample.cpumode,
				     sample.fields.ip, sample.when, &map))
			rpt_intern(hits, &map.dso, sizeof(map.dso));
	pd_damage_merge(&in->damage, &it.damage);
	pd_records_release(&it);
	rpt_sample_reader_release(&reader);
	return rc;
}

/* A DSO with samples.  Those of the build-id table come first: perf knows them
 * before it meets the others. */
struct hit {
	struct rpt_dso *dso;
	uint32_t rank; /* in the table; UINT32_MAX: it is not there */
	size_t idx;    /* in the order of the maps */
};

static int compare_hits(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->idx > y->idx) - (x->idx < y->idx);
}

/* Number the names of the table in its order. */
static void rank_names(const struct rpt_recording_input *in,
		       struct rpt_intern *names)
{
	struct pd_build_id_entry entry;
	struct pd_build_ids it;
	struct pd_cursor c;

	if (!pd_reader_feature(in->reader, PD_FEATURE_BUILD_ID, &c))
		return;
	pd_build_ids_init(&it, &c);
	while (pd_build_ids_next(&it, &entry, NULL) > 0)
		rpt_intern(names, entry.id.filename.ptr, entry.id.filename.len);
}

static void print_dso(const struct rpt_dso *dso)
{
	const char *name = rpt_dso_name(dso);
	uint8_t len;
	const uint8_t *build_id = rpt_dso_build_id(dso, &len);

	print_row(build_id, len, (struct pd_str){ name, strlen(name) });
}

static void print_hits(const struct rpt_recording_input *in,
		       const struct rpt_symbols *symbols,
		       const struct rpt_intern *hits)
{
	struct rpt_intern names = { 0 };
	struct hit *found =
		rpt_alloc_zeroed((size_t)hits->nr + 1, sizeof(*found));
	struct rpt_dso *dso;
	size_t nr = 0;

	rank_names(in, &names);
	for (size_t i = 0; (dso = rpt_symbols_dso_at(symbols, i)); i++) {
		const char *name = rpt_dso_name(dso);

		if (rpt_intern_find(hits, &dso, sizeof(dso)) >= 0)
			found[nr++] = (struct hit){ dso,
						    (uint32_t)rpt_intern_find(
							    &names, name,
							    strlen(name)),
						    i };
	}
	qsort(found, nr, sizeof(*found), compare_hits);
	for (size_t i = 0; i < nr; i++)
		print_dso(found[i].dso);
	rpt_intern_release(&names);
	free(found);
}

static int list_hits(struct rpt_recording_input *in, struct pd_err *err)
{
	const struct rpt_symbols_conf conf = { 0 };
	struct rpt_symbols *symbols = rpt_symbols_new(&conf);
	struct rpt_timeline *tl = rpt_timeline_new(symbols);
	struct rpt_intern hits = { 0 };
	struct rpt_file_chunks pieces = { 0 };
	int rc = rpt_timeline_load(tl, in->reader, &pieces, err);

	if (!rc) {
		pd_damage_merge(&in->damage, rpt_timeline_damage(tl));
		rc = mark_hits(in, tl, &hits, err);
	}
	if (!rc)
		print_hits(in, symbols, &hits);
	rpt_intern_release(&hits);
	rpt_timeline_free(tl);
	rpt_symbols_free(symbols);
	return rc;
}

static int run_list(const struct list_args *args)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_recording_input in;
	struct pd_cursor c;
	int rc = rpt_recording_input_open(&in, args->input);

	if (rc)
		return rc;
	pd_reader_set_ratio(in.reader, args->max_ratio);
	if (args->is_carried)
		rc = rpt_carried_list_print(&in, args->is_verbose, &err);
	else if (args->with_hits ||
		 !pd_reader_feature(in.reader, PD_FEATURE_BUILD_ID, &c))
		rc = list_hits(&in, &err);
	else
		rc = print_table(&in, &err);
	if (rc) {
		rpt_warn_failed(in.path, rc, &err);
		in.exit_code = RPT_EXIT_FAILED;
	}
	return rpt_recording_input_close(&in);
}

int rpt_cmd_buildid_list(int argc, char **argv)
{
	struct list_args args = { .max_ratio = PD_LIMIT_ZSTD_RATIO };
	struct pd_err err = PD_ERR_INIT;
	int rc = rpt_options_parse(&rpt_buildid_list_command, &args, argc, argv,
				   NULL, &err);
	int exit_code;

	if (!rpt_options_are_good(rc, &rpt_buildid_list_command, &err,
				  &exit_code))
		return exit_code;
	if (args.of_kernel)
		return print_running_kernel();
	return args.of_kernel_maps ? rpt_running_maps_print() : run_list(&args);
}
