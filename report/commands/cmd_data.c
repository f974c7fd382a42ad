/* perfpair data convert: writes a recording as JSON. */
#include "report/commands/commands.h"
#include "report/cli/command_options.h"
#include "report/cli/output_options.h"
#include "report/cli/symbol_options.h"
#include "report/export/data_json.h"
#include "report/cli/recording_input.h"
#include "report/base/shortage.h"
#include "report/timeline/timeline.h"

#include "format/base/limits.h"
#include "format/support/message.h"
#include "format/support/new_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct convert_args {
	const char *input;
	const char *to_json;
	struct rpt_symbols_conf symbols;
	struct rpt_filter_args filter; /* times alone */
	uint32_t max_ratio;
	bool force;
};

#define OFF(member) offsetof(struct convert_args, member)

static const struct sup_opt opts[] = {
	RPT_OPT_INPUT(OFF(input)),
	{ 0, "to-json", SUP_STRING, OFF(to_json), 0, "OUT",
	  "write the samples as JSON to OUT", NULL },
	{ 'f', "force", SUP_FLAG, OFF(force), 0, NULL,
	  "overwrite OUT if it exists", NULL },
	RPT_OPT_TEXT(0, "time", OFF(filter.times), "TIMES",
		     "only convert samples within TIMES, as of report"),
	RPT_OPT_KALLSYMS(OFF(symbols.kallsyms)),
	RPT_OPT_VMLINUX(OFF(symbols.vmlinux)),
	RPT_OPT_SYMFS(OFF(symbols.symfs)),
	RPT_OPT_CARRIED(OFF(symbols.carried)),
	RPT_OPT_MAX_RATIO(OFF(max_ratio)),
	{ 0 },
};

static const struct sup_absent absent[] = {
	{ "all", "JSON has a form for samples only" },
	{ "tod", "times in JSON are those of the recording; its headers have "
		 "clock-time and real-time of one instant" },
	{ "verbose", "all is printed without it" },
	{ "v", "all is printed without it" },
	{ "to-ctf", "CTF is not written; use --to-json" },
	{ 0 },
};

const struct sup_command rpt_data_command = {
	.name = "perfpair data convert",
	.usage = "--to-json OUT [OPTION]...",
	.summary = "Convert a recording into JSON as perf does.",
	.opts = opts,
	.absent = absent,
};

/* All that is open while samples are read */
struct convert {
	struct rpt_recording_input in;
	struct rpt_symbols *symbols;
	struct rpt_timeline *timeline;
	struct rpt_filter filter;
	uint64_t sample_nr;
	struct sup_new_file file;
	FILE *out;
};

static int open_out(struct convert *c, const struct convert_args *args,
		    struct pd_err *err)
{
	int rc = sup_new_file_open(&c->file, args->to_json, 0666, args->force,
				   err);

	if (rc)
		return rc;
	rpt_shortage_unlinks(c->file.temp);
	c->out = fdopen(c->file.fd, "w");
	if (!c->out)
		return pd_err_set(err, -errno, "%s", strerror(errno));
	c->file.fd = -1; /* the stream's */
	return 0;
}

static int load(struct convert *c, const struct convert_args *args,
		struct pd_err *err)
{
	struct rpt_file_chunks pieces = { 0 };
	int rc;

	rc = rpt_filter_parse(&c->filter, &args->filter, err);
	if (!rc)
		rc = rpt_filter_resolve(&c->filter, &args->filter, c->in.reader,
					err);
	if (rc)
		return rc;
	c->symbols = rpt_symbols_new(&args->symbols);
	c->timeline = rpt_timeline_new(c->symbols);
	rc = rpt_timeline_load(c->timeline, c->in.reader, &pieces, err);
	pd_damage_merge(&c->in.damage, rpt_timeline_damage(c->timeline));
	return rc;
}

static void report_written(const struct convert *c,
			   const struct convert_args *args)
{
	struct stat st = { 0 };

	fstat(fileno(c->out), &st);
	fprintf(stderr,
		"[ perfpair data convert: Converted '%s' into JSON data '%s' "
		"]\n[ perfpair data convert: Converted and wrote %.3f MB "
		"(%" PRIu64 " samples) ]\n",
		c->in.path, args->to_json, (double)st.st_size / 1024.0 / 1024.0,
		c->sample_nr);
}

static int run_convert(const struct convert_args *args)
{
	struct convert c = { 0 };
	struct pd_err err = PD_ERR_INIT;
	int rc = rpt_recording_input_open(&c.in, args->input);

	if (rc)
		return rc;
	pd_reader_set_ratio(c.in.reader, args->max_ratio);
	rc = open_out(&c, args, &err);
	if (!rc)
		rc = load(&c, args, &err);
	if (!rc)
		rc = rpt_data_json_write(&c.in, c.timeline, &c.filter, c.out,
					 &c.sample_nr, &err);
	if (!rc && fflush(c.out))
		rc = -errno;
	rpt_shortage_unlinks(NULL); /* before its path is freed */
	if (!rc)
		rc = sup_new_file_name(&c.file, NULL);
	if (rc) {
		bool is_read = c.out && err.code;

		c.in.exit_code = rpt_warn_failed(
			is_read ? c.in.path : args->to_json, rc, &err);
	} else {
		report_written(&c, args);
		rpt_warn_withheld(c.symbols);
	}
	if (c.out)
		fclose(c.out);
	sup_new_file_release(&c.file);
	rpt_filter_release(&c.filter);
	rpt_timeline_free(c.timeline);
	rpt_symbols_free(c.symbols);
	return rpt_recording_input_close(&c.in);
}

/* All that is read stays as it is. */
static int refuse_inputs(const struct convert_args *args, struct pd_err *err)
{
	const char *const inputs[] = {
		args->input ? args->input : rpt_recording_input_default_path(),
		args->symbols.kallsyms,
		args->symbols.vmlinux,
		args->symbols.carried,
	};

	return rpt_output_refuse_inputs(
		args->to_json, inputs, sizeof(inputs) / sizeof(inputs[0]), err);
}

static int convert(int argc, char **argv)
{
	struct convert_args args = { .max_ratio = PD_LIMIT_ZSTD_RATIO };
	struct pd_err err = PD_ERR_INIT;
	int rc = rpt_options_parse(&rpt_data_command, &args, argc, argv, NULL,
				   &err);
	int exit_code;

	if (!rc && !args.to_json)
		rc = pd_err_set(&err, -EINVAL,
				"--to-json OUT says where to write");
	if (!rc)
		rc = rpt_symbol_files_check(&args.symbols, &err);
	if (!rc)
		rc = refuse_inputs(&args, &err);
	if (!rpt_options_are_good(rc, &rpt_data_command, &err, &exit_code))
		return exit_code;
	return run_convert(&args);
}

int rpt_cmd_data(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "convert"))
		return convert(argc - 1, argv + 1);
	if (argc > 1 &&
	    (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		puts("usage: perfpair data convert --to-json OUT [OPTION]...");
		return RPT_EXIT_OK;
	}
	sup_message("data: the one thing to do is 'convert'");
	return RPT_EXIT_USAGE;
}
