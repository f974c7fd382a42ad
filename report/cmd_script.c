/* perfpair script: every sample as text, in the order of time. */
#include "report/commands.h"
#include "report/header_text.h"
#include "report/input.h"
#include "report/order.h"
#include "report/script.h"
#include "report/script_event.h"
#include "report/tracepoint_load.h"

#include "format/feature.h"
#include "format/limits.h"
#include "format/support/message.h"
#include "format/support/options.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct script_args {
	const char *input;
	struct rpt_script_fields fields;
	struct rpt_symbols_conf symbols;
	struct rpt_filter_args filter;
	uint32_t max_stack;
	uint32_t max_ratio;
	bool show[RPT_SHOW_NR];
	bool hide_chains;
	bool is_ns;
	bool is_reltime;
	bool is_deltatime;
	bool header;
	bool header_only;
	bool full_header;
	bool force;
};

static int add_fields(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	(void)unset;
	return rpt_script_fields_parse(&((struct script_args *)conf)->fields,
				       arg, err);
}

#define OFF(member) offsetof(struct script_args, member)

static const struct sup_opt opts[] = {
	{ 'i', "input", SUP_STRING, OFF(input), 0, "FILE",
	  "recording to read (perf.data; - is stdin)", NULL },
	{ 'F', "fields", SUP_CALL, 0, 0, "[TYPE:][+-]FIELD,...",
	  "what to print: comm tid pid time cpu event trace ip sym symoff dso "
	  "addr period iregs uregs brstack weight phys_addr data_src ins_lat "
	  "data_page_size code_page_size misc tod; TYPE is hw, sw, trace, raw "
	  "or break",
	  add_fields },
	{ 'G', "hide-call-graph", SUP_FLAG, OFF(hide_chains), 0, NULL,
	  "no call chains", NULL },
	{ 'c', "comms", SUP_STRING, OFF(filter.comms), 0, "NAME,...",
	  "only threads of these names; file://FILE: names in lines", NULL },
	{ 0, "pid", SUP_STRING, OFF(filter.pids), 0, "LIST",
	  "only these processes", NULL },
	{ 0, "tid", SUP_STRING, OFF(filter.tids), 0, "LIST",
	  "only these threads", NULL },
	{ 'C', "cpu", SUP_STRING, OFF(filter.cpus), 0, "LIST",
	  "only these CPUs: 0,2-3", NULL },
	{ 0, "dsos", SUP_STRING, OFF(filter.dsos), 0, "NAME,...",
	  "only samples taken in these files, by path or last part of it",
	  NULL },
	{ 'S', "symbols", SUP_STRING, OFF(filter.symbols), 0, "NAME,...",
	  "only samples taken in these functions, or at these addresses (hex)",
	  NULL },
	{ 0, "addr-range", SUP_U64, OFF(filter.addr_range), 0, "BYTES",
	  "with -S: so far from an address", NULL },
	{ 0, "time", SUP_STRING, OFF(filter.times), 0, "TIMES",
	  "only then: START,STOP in seconds (either may lack), several with "
	  "blanks between; or parts of the recording: 10%/2, 0%-10%,30%-40%",
	  NULL },
	{ 0, "max-stack", SUP_U32, OFF(max_stack), 0, "N",
	  "at most N entries of a call chain (127)", NULL },
	{ 0, "ns", SUP_FLAG, OFF(is_ns), 0, NULL, "times in nanoseconds",
	  NULL },
	{ 0, "reltime", SUP_FLAG, OFF(is_reltime), 0, NULL,
	  "times since the first that is shown", NULL },
	{ 0, "deltatime", SUP_FLAG, OFF(is_deltatime), 0, NULL,
	  "times since the one shown before", NULL },
	{ 0, "show-task-events", SUP_FLAG, OFF(show[RPT_SHOW_TASK]), 0, NULL,
	  "also tasks that start, end and change their names", NULL },
	{ 0, "show-mmap-events", SUP_FLAG, OFF(show[RPT_SHOW_MMAP]), 0, NULL,
	  "also what is mapped", NULL },
	{ 0, "show-switch-events", SUP_FLAG, OFF(show[RPT_SHOW_SWITCH]), 0,
	  NULL, "also context switches", NULL },
	{ 0, "show-namespace-events", SUP_FLAG, OFF(show[RPT_SHOW_NAMESPACE]),
	  0, NULL, "also namespaces of tasks", NULL },
	{ 0, "show-cgroup-events", SUP_FLAG, OFF(show[RPT_SHOW_CGROUP]), 0,
	  NULL, "also cgroups", NULL },
	{ 0, "show-lost-events", SUP_FLAG, OFF(show[RPT_SHOW_LOST]), 0, NULL,
	  "also how many records were lost", NULL },
	{ 0, "show-round-events", SUP_FLAG, OFF(show[RPT_SHOW_ROUND]), 0, NULL,
	  "also where the recorder had emptied all buffers", NULL },
	{ 0, "show-bpf-events", SUP_FLAG, OFF(show[RPT_SHOW_BPF]), 0, NULL,
	  "also BPF programs and their symbols", NULL },
	{ 0, "show-text-poke-events", SUP_FLAG, OFF(show[RPT_SHOW_TEXT_POKE]),
	  0, NULL, "also changes of kernel code", NULL },
	{ 0, "header", SUP_FLAG, OFF(header), 0, NULL,
	  "first what the file says of the machine", NULL },
	{ 0, "header-only", SUP_FLAG, OFF(header_only), 0, NULL,
	  "only what the file says of the machine", NULL },
	{ 'I', "show-info", SUP_FLAG, OFF(full_header), 0, NULL,
	  "all of it, the lists of CPUs and caches too", NULL },
	{ 0, "kallsyms", SUP_STRING, OFF(symbols.kallsyms), 0, "FILE",
	  "kernel symbols from this copy of /proc/kallsyms", NULL },
	{ 'k', "vmlinux", SUP_STRING, OFF(symbols.vmlinux), 0, "FILE",
	  "kernel symbols from this ELF file", NULL },
	{ 0, "symfs", SUP_STRING, OFF(symbols.symfs), 0, "DIR",
	  "look for all files below this folder", NULL },
	{ 0, "max-ratio", SUP_U32, OFF(max_ratio), 0, "N",
	  "plain bytes a compressed one may become (8192)", NULL },
	{ 'f', "force", SUP_FLAG, OFF(force), 0, NULL,
	  "other people's files are read in any case; for perf's scripts",
	  NULL },
	{ 0 },
};

static const struct sup_command command = {
	"perfpair script",
	"[OPTION]...",
	"Prints every sample of a recording, in the order of time.",
	opts,
	false,
};

/* Everything that lives while the records go by. */
struct script_run {
	const struct script_args *args;
	struct rpt_filter filter;
	struct rpt_input in;
	struct rpt_symbols *symbols;
	struct rpt_timeline *timeline;
	struct rpt_tracepoints *tracepoints;
	struct rpt_unwind *unwind;
	struct rpt_script *script;
	struct rpt_order order;
};

static int deliver(void *ctx, const struct pd_record *rec, uint64_t time_ns)
{
	struct script_run *run = ctx;

	(void)time_ns;
	if (rec->type != PD_RECORD_SAMPLE)
		return rpt_script_event(run->script, rec);
	return rpt_script_sample(run->script, rec);
}

static void print_header(const struct script_run *run)
{
	struct rpt_header_conf conf = { .full = run->args->full_header };
	struct stat st;

	if (stat(run->in.path, &st) == 0)
		conf.captured_on = st.st_mtime;
	rpt_header_print(stdout, run->in.reader, &conf);
}

static enum rpt_arch arch_of(const struct pd_reader *reader)
{
	struct pd_cursor c;
	struct pd_str s;

	if (!pd_reader_feature(reader, PD_FEATURE_ARCH, &c) ||
	    pd_feature_string_read(&c, &s))
		return RPT_ARCH_X86_64;
	return rpt_arch_of(s.ptr, s.len);
}

static int load_timeline(struct script_run *run, struct pd_err *err)
{
	struct rpt_pieces pieces = { 0 };

	struct rpt_symbols_conf conf = run->args->symbols;

	if (!conf.kallsyms && !conf.vmlinux)
		conf.kallsyms = run->in.source.dir.kallsyms;
	run->symbols = rpt_symbols_new(&conf);
	if (run->symbols)
		run->timeline = rpt_timeline_new(run->symbols);
	if (!run->timeline)
		return pd_err_set(err, -ENOMEM, "out of memory");
	return rpt_timeline_load(run->timeline, run->in.reader, &pieces, err);
}

static int load_formats(struct script_run *run)
{
	return rpt_tracepoints_load(&run->tracepoints, run->in.reader,
				    &run->in.damage);
}

/* What the time of day is ahead of the times of records. */
static int read_clock(const struct script_run *run,
		      struct rpt_script_conf *conf, struct pd_err *err)
{
	uint64_t fields = 0;
	struct pd_clock_data data = { 0 };
	struct pd_cursor c;

	for (int t = 0; t < RPT_SCRIPT_TYPE_NR; t++)
		fields |= conf->fields.asked[t];
	if (!(fields & RPT_FIELD_TOD))
		return 0;
	if (!pd_reader_feature(run->in.reader, PD_FEATURE_CLOCK_DATA, &c) ||
	    pd_feature_clock_data_read(&c, &data))
		return pd_err_set(err, -EINVAL,
				  "no clock data; the field 'tod' needs a "
				  "recording with -k CLOCKID");
	conf->tod_shift_ns = (int64_t)(data.wall_clock_ns - data.clockid_ns);
	return 0;
}

static int prepare(struct script_run *run, struct pd_err *err)
{
	const struct script_args *args = run->args;
	struct rpt_script_conf conf = {
		.reader = run->in.reader,
		.fields = args->fields,
		.arch = arch_of(run->in.reader),
		.is_ns = args->is_ns,
		.is_reltime = args->is_reltime,
		.is_deltatime = args->is_deltatime,
		.hide_chains = args->hide_chains,
		.max_stack = args->max_stack,
		.filter = &run->filter,
	};
	int rc = rpt_script_fields_settle(&conf.fields, run->in.reader,
					  !args->hide_chains, err);

	if (!rc)
		rc = rpt_filter_settle(&run->filter, &args->filter,
				       run->in.reader, err);
	if (!rc)
		rc = read_clock(run, &conf, err);
	if (!rc)
		rc = load_timeline(run, err);
	if (!rc)
		rc = load_formats(run);
	if (rc)
		return rc;
	run->unwind = rpt_unwind_new(conf.arch);
	run->script = calloc(1, sizeof(*run->script));
	if (!run->unwind || !run->script)
		return -ENOMEM;
	conf.timeline = run->timeline;
	conf.tracepoints = run->tracepoints;
	conf.unwind = run->unwind;
	return rpt_script_init(run->script, &conf, stdout);
}

/* Records of plain files stay where they are; others are copied. */
static bool is_lasting(const struct rpt_input *in, const struct pd_record *rec)
{
	return rpt_file_source_holds(&in->source, rec->data);
}

static int take(struct script_run *run, const struct pd_record *rec)
{
	bool is_shown = rpt_script_event_is_shown(run->args->show, rec->type);
	const struct pd_event_set *events = pd_reader_events(run->in.reader);
	uint64_t time_ns;

	if (rec->type == PD_RECORD_FINISHED_ROUND) {
		int rc = 0;

		if (!pd_reader_has_parts(run->in.reader))
			rc = rpt_order_round(&run->order);
		return rc || !is_shown ? rc
				       : rpt_script_event(run->script, rec);
	}
	if (rec->type != PD_RECORD_SAMPLE && !is_shown)
		return 0;
	time_ns = pd_event_set_order(events, pd_event_set_time_of(events, rec));
	if (!time_ns)
		return deliver(run, rec, 0);
	return rpt_order_add(&run->order, rec, time_ns,
			     is_lasting(&run->in, rec));
}

static int print_all(struct script_run *run, struct pd_err *err)
{
	struct pd_records it;
	struct pd_record rec;
	int rc, more;

	rpt_order_init(&run->order, deliver, run);
	pd_records_init(&it, run->in.reader, pd_reader_data(run->in.reader));
	do {
		rc = more = pd_records_next(&it, &rec, err);
		if (more > 0)
			rc = take(run, &rec);
	} while (more > 0 && !rc);
	/* what was read before the trouble is shown */
	if (more <= 0) {
		int last = rpt_order_finish(&run->order);

		rc = rc ? rc : last;
	}
	pd_damage_merge(&run->in.damage, &it.damage);
	pd_records_release(&it);
	rpt_order_release(&run->order);
	if (!rc)
		rc = rpt_text_flush(&run->script->text);
	else
		rpt_text_flush(&run->script->text);
	if (rc == -EPIPE)
		return 0;
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}

static void tell_damaged_samples(struct script_run *run)
{
	struct pd_damage damage = { 0 };

	if (!run->script || !run->script->damaged_nr)
		return;
	damage.skipped_nr = run->script->damaged_nr;
	damage.first = run->script->damage;
	pd_damage_merge(&run->in.damage, &damage);
}

static void release(struct script_run *run)
{
	if (run->script)
		rpt_script_release(run->script);
	free(run->script);
	rpt_unwind_free(run->unwind);
	rpt_tracepoints_free(run->tracepoints);
	rpt_timeline_free(run->timeline);
	rpt_symbols_free(run->symbols);
}

static int run_script(struct script_run *run)
{
	const struct script_args *args = run->args;
	struct pd_err err = PD_ERR_INIT;
	int rc = rpt_input_open(&run->in, args->input);

	if (rc)
		return rc;
	pd_reader_set_ratio(run->in.reader, args->max_ratio);
	if (args->header || args->header_only)
		print_header(run);
	if (!args->header_only) {
		rc = prepare(run, &err);
		if (!rc)
			rc = print_all(run, &err);
		else
			pd_err_set(&err, rc, "%s", strerror(-rc));
	}
	if (rc) {
		sup_message_err(run->in.path, &err);
		run->in.exit_code =
			rc == -EINVAL ? RPT_EXIT_USAGE : RPT_EXIT_FAILED;
	}
	tell_damaged_samples(run);
	release(run);
	return rpt_input_close(&run->in);
}

static int parse(struct script_args *args, int argc, char **argv,
		 struct pd_err *err)
{
	int first, rc;

	rpt_script_fields_init(&args->fields);
	rc = sup_options_parse(&command, args, argc, argv, &first, err);
	if (!rc && first < argc)
		rc = pd_err_set(err, -EINVAL,
				"'%s' is no option; scripts are not run",
				argv[first]);
	if (!rc && args->is_reltime && args->is_deltatime)
		rc = pd_err_set(err, -EINVAL,
				"--reltime and --deltatime: one of them");
	args->filter.is_relative = args->is_reltime;
	return rc;
}

int rpt_cmd_script(int argc, char **argv)
{
	struct script_args args = { .max_stack = 127,
				    .max_ratio = PD_LIMIT_INFLATE_RATIO };
	struct script_run run = { .args = &args };
	struct pd_err err = PD_ERR_INIT;
	int rc = parse(&args, argc, argv, &err);

	if (rc == 1) {
		sup_help(&command, stdout);
		return RPT_EXIT_OK;
	}
	if (!rc)
		rc = rpt_filter_parse(&run.filter, &args.filter, &err);
	if (rc) {
		sup_message_err(NULL, &err);
		rc = RPT_EXIT_USAGE;
	} else {
		rc = run_script(&run);
	}
	rpt_filter_release(&run.filter);
	return rc;
}
