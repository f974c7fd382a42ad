/* perfpair check: finds out whether a recording is whole. */
#include "report/commands/commands.h"
#include "report/base/json_text.h"
#include "report/base/memory.h"
#include "report/check/check.h"
#include "report/cli/command_options.h"
#include "report/input/file_source.h"
#include "report/cli/recording_input.h"
#include "report/input/sample_pass.h"

#include "format/base/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_NR = 10 };

struct check_args {
	const char *input;
	bool is_json;
	bool quiet;
	unsigned verbose;
	bool force;
	uint32_t max_ratio;
};

#define OFF(member) offsetof(struct check_args, member)

static int parse_format(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "text", false },
		{ "json", true },
		{ NULL, 0 },
	};
	struct check_args *args = conf;
	unsigned value = 0;
	int rc = rpt_option_word("--format", words, arg, &value, err);

	(void)unset;
	args->is_json = value;
	return rc;
}

static const struct sup_opt opts[] = {
	RPT_OPT_INPUT(OFF(input)),
	RPT_OPT_FLAG('q', "quiet", OFF(quiet), 0,
		     "print nothing; only set the exit code"),
	{ 'v', "verbose", SUP_COUNT, OFF(verbose), 0, NULL,
	  "show every finding, not only the first 10 of each kind", NULL },
	RPT_OPT_CALL(0, "format", "text|json",
		     "choose the form of the output (text)", parse_format),
	RPT_OPT_MAX_RATIO(OFF(max_ratio)),
	RPT_OPT_FORCE(OFF(force)),
	{ 0 },
};

const struct sup_command rpt_check_command = {
	.name = "perfpair check",
	.usage = "[OPTION]... [FILE]",
	.summary =
		"Check that a recording is whole. Exit code 0: it is whole, 3: it is "
		"readable in part, 1: it is not readable.",
	.opts = opts,
};

struct output {
	const char *path;
	const struct rpt_dir_source *dir;
	struct rpt_json json; /* its text is owned */
};

/* Return the name of the file that *off lies in and make *off an offset in it;
 * NULL if the recording is no directory, or there is no offset. */
static const char *place_in_dir(const struct output *out, uint64_t *off)
{
	return *off == RPT_NO_OFF ? NULL : rpt_dir_source_place(out->dir, off);
}

static void show_text(void *ctx, const struct rpt_finding *finding)
{
	struct output *out = ctx;
	uint64_t off = finding->off;
	const char *file = place_in_dir(out, &off);

	printf("%s%s%s: %s: ", out->path, file ? "/" : "", file ? file : "",
	       rpt_finding_is_damage(finding->kind) ? "error" : "note");
	if (off != RPT_NO_OFF)
		printf("at byte 0x%" PRIx64 ": ", off);
	if (finding->plain_off != PD_RECORD_NOT_COMPRESSED)
		printf("at plain byte 0x%" PRIx64 ": ", finding->plain_off);
	printf("%s [%s]\n", finding->text, rpt_finding_name(finding->kind));
}

static void show_json(void *ctx, const struct rpt_finding *finding)
{
	struct output *out = ctx;
	uint64_t off = finding->off;
	const char *file = place_in_dir(out, &off);
	struct rpt_json *json = &out->json;

	rpt_json_line(json, 2);
	rpt_json_open(json, '{');
	rpt_json_member_str(json, "kind", rpt_finding_name(finding->kind));
	rpt_json_member_bool(json, "damage",
			     rpt_finding_is_damage(finding->kind));
	if (file)
		rpt_json_member_str(json, "file", file);
	if (off != RPT_NO_OFF)
		rpt_json_member_u64(json, "offset", off);
	if (finding->plain_off != PD_RECORD_NOT_COMPRESSED)
		rpt_json_member_u64(json, "plain_offset", finding->plain_off);
	rpt_json_member_str(json, "text", finding->text);
	rpt_json_close(json, '}');
}

static const char *verdict(int code)
{
	if (code == RPT_EXIT_OK)
		return "whole";
	return code == RPT_EXIT_DAMAGED ? "readable in part" : "not readable";
}

static uint64_t record_count(const struct rpt_check_totals *t)
{
	uint64_t nr = t->unknown_nr;

	for (uint32_t i = 0; i < PD_RECORD_USER_NR; i++)
		nr += t->record_nr[i];
	return nr;
}

static void print_records(const struct output *out,
			  const struct rpt_check_totals *t)
{
	const char *before = ": ";

	printf("%s: %" PRIu64 " records", out->path, record_count(t));
	for (uint32_t i = 0; i < PD_RECORD_USER_NR; i++) {
		const char *name = pd_record_type_name(i);

		if (!t->record_nr[i])
			continue;
		if (name)
			printf("%s%" PRIu64 " %s", before, t->record_nr[i],
			       name);
		else
			printf("%s%" PRIu64 " of type %" PRIu32, before,
			       t->record_nr[i], i);
		before = ", ";
	}
	if (t->unknown_nr)
		printf("%s%" PRIu64 " of unknown types", before, t->unknown_nr);
	putchar('\n');
}

/* Print the CPU and the thread whose trace data it is. */
static void print_owner(const struct rpt_check_payload *payload)
{
	if (payload->cpu != UINT32_MAX)
		printf(" of CPU %" PRIu32, payload->cpu);
	if (payload->tid != UINT32_MAX)
		printf(" of thread %" PRIu32, payload->tid);
}

/* Print the places of the trace data of AUXTRACE records. */
static void print_payloads(const struct output *out,
			   const struct rpt_check_totals *t, uint64_t shown_nr)
{
	if (!t->payload_nr)
		return;
	printf("%s: trace data: %" PRIu32 " payload%s of %" PRIu64
	       " bytes, not decoded\n",
	       out->path, t->payload_nr, t->payload_nr == 1 ? "" : "s",
	       t->payload_len);
	for (size_t i = 0; i < t->payload_nr && i < shown_nr; i++) {
		const struct rpt_check_payload *payload = &t->payloads[i];
		uint64_t off = payload->off;
		const char *file = place_in_dir(out, &off);

		printf("%s%s%s: trace data: at byte 0x%" PRIx64 ": %" PRIu64
		       " bytes",
		       out->path, file ? "/" : "", file ? file : "", off,
		       payload->len);
		print_owner(payload);
		putchar('\n');
	}
	if (t->payload_nr > shown_nr)
		printf("%s: trace data: %" PRIu64 " more payloads\n", out->path,
		       t->payload_nr - shown_nr);
}

static void print_payloads_json(struct output *out,
				const struct rpt_check_totals *t)
{
	struct rpt_json *json = &out->json;

	for (size_t i = 0; i < t->payload_nr; i++) {
		const struct rpt_check_payload *payload = &t->payloads[i];
		uint64_t off = payload->off;
		const char *file = place_in_dir(out, &off);

		rpt_json_line(json, 2);
		rpt_json_open(json, '{');
		if (file)
			rpt_json_member_str(json, "file", file);
		rpt_json_member_u64(json, "offset", off);
		rpt_json_member_u64(json, "bytes", payload->len);
		if (payload->cpu != UINT32_MAX)
			rpt_json_member_u64(json, "cpu", payload->cpu);
		if (payload->tid != UINT32_MAX)
			rpt_json_member_u64(json, "tid", payload->tid);
		rpt_json_close(json, '}');
	}
}

/* Print "3 errors (2 zstd, 1 cut)". */
static void print_kinds(const struct rpt_findings *all, bool is_damage)
{
	uint64_t nr = rpt_findings_count(all, is_damage);
	const char *before = " (";

	printf("%" PRIu64 " %s%s", nr, is_damage ? "error" : "note",
	       nr == 1 ? "" : "s");
	for (unsigned i = 0; i < RPT_FINDING_NR; i++) {
		if (!all->nr[i] || rpt_finding_is_damage(i) != is_damage)
			continue;
		printf("%s%" PRIu64 " %s", before, all->nr[i],
		       rpt_finding_name(i));
		before = ", ";
	}
	if (nr)
		putchar(')');
}

static void print_capped(const struct output *out,
			 const struct rpt_findings *all)
{
	for (unsigned i = 0; i < RPT_FINDING_NR; i++)
		if (all->nr[i] > all->cap && i != RPT_FINDING_PADDING)
			printf("%s: %s: %" PRIu64 " more like the %" PRIu64
			       " above [%s]\n",
			       out->path,
			       rpt_finding_is_damage(i) ? "error" : "note",
			       all->nr[i] - all->cap, all->cap,
			       rpt_finding_name(i));
}

static void print_text(const struct output *out, const struct rpt_findings *all,
		       const struct rpt_check_totals *t, uint64_t len, int code)
{
	print_capped(out, all);
	print_records(out, t);
	print_payloads(out, t, all->cap);
	printf("%s: %s: ", out->path, verdict(code));
	print_kinds(all, true);
	printf(", ");
	print_kinds(all, false);
	printf("; %" PRIu64 " bytes, %" PRIu64 " passed over; %" PRIu64
	       " events lost\n",
	       len, t->skipped_len,
	       rpt_lost_samples(t->lost_nr, t->lost_samples_nr));
}

static void print_records_json(struct rpt_json *json,
			       const struct rpt_check_totals *t)
{
	char number[16];

	for (uint32_t i = 0; i < PD_RECORD_USER_NR; i++) {
		const char *name = pd_record_type_name(i);

		if (!t->record_nr[i])
			continue;
		snprintf(number, sizeof(number), "%" PRIu32, i);
		rpt_json_member_u64(json, name ? name : number,
				    t->record_nr[i]);
	}
	if (t->unknown_nr)
		rpt_json_member_u64(json, "unknown", t->unknown_nr);
}

static void put_total(struct rpt_json *json, const char *key, uint64_t v)
{
	rpt_json_line(json, 1);
	rpt_json_member_u64(json, key, v);
}

static void print_json(struct output *out, const struct rpt_findings *all,
		       const struct rpt_check_totals *t, uint64_t len, int code)
{
	struct rpt_json *json = &out->json;

	rpt_json_line_close(json, 1, ']');
	rpt_json_line_key(json, 1, "found");
	rpt_json_open(json, '{');
	for (unsigned i = 0; i < RPT_FINDING_NR; i++)
		if (all->nr[i])
			rpt_json_member_u64(json, rpt_finding_name(i),
					    all->nr[i]);
	rpt_json_close(json, '}');
	rpt_json_line_key(json, 1, "records");
	rpt_json_open(json, '{');
	print_records_json(json, t);
	rpt_json_close(json, '}');
	rpt_json_line_key(json, 1, "trace_data");
	rpt_json_open(json, '[');
	print_payloads_json(out, t);
	rpt_json_close(json, ']');
	put_total(json, "record_count", record_count(t));
	put_total(json, "bytes", len);
	put_total(json, "bytes_passed_over", t->skipped_len);
	put_total(json, "events_lost",
		  rpt_lost_samples(t->lost_nr, t->lost_samples_nr));
	rpt_json_line(json, 1);
	rpt_json_member_str(json, "verdict", verdict(code));
	rpt_json_line_close(json, 0, '}');
	rpt_text_char(json->out, '\n');
	rpt_text_flush(json->out);
}

static void begin_json(struct output *out)
{
	struct rpt_text *text = rpt_alloc(sizeof(*text));

	rpt_text_init(text, stdout);
	out->json = RPT_JSON_INIT(text, "  ");
	rpt_json_open(&out->json, '{');
	rpt_json_line(&out->json, 1);
	rpt_json_member_str(&out->json, "file", out->path);
	rpt_json_line_key(&out->json, 1, "findings");
	rpt_json_open(&out->json, '[');
}

static uint64_t total_len(const struct rpt_file_source *source)
{
	uint64_t len = 0;

	for (size_t i = 0; i < source->dir.file_nr; i++)
		len += source->dir.files[i].len;
	return source->dir.file_nr ? len : source->len;
}

static int check_bytes(const struct check_args *args, const char *path,
		       const struct rpt_file_source *source)
{
	struct output out = { .path = path, .dir = &source->dir };
	struct rpt_findings all = {
		.show = args->is_json ? show_json : show_text,
		.ctx = &out,
		.cap = args->verbose ? UINT64_MAX : SHOWN_NR,
	};
	struct rpt_check_totals totals;
	int rc, code = RPT_EXIT_OK;

	if (args->quiet)
		all.show = NULL;
	else if (args->is_json)
		begin_json(&out);
	rc = rpt_check(source, args->max_ratio, &all, &totals);
	rpt_findings_end(&all);
	if (rc)
		code = RPT_EXIT_FAILED;
	else if (rpt_findings_count(&all, true))
		code = RPT_EXIT_DAMAGED;
	if (args->is_json && !args->quiet)
		print_json(&out, &all, &totals, total_len(source), code);
	else if (!args->quiet)
		print_text(&out, &all, &totals, total_len(source), code);
	rpt_check_release(&totals);
	free(out.json.out);
	return code;
}

int rpt_cmd_check(int argc, char **argv)
{
	struct check_args args = { .max_ratio = PD_LIMIT_ZSTD_RATIO };
	struct pd_err err = PD_ERR_INIT;
	struct rpt_file_source source;
	const char *path;
	int rc = rpt_options_parse(&rpt_check_command, &args, argc, argv,
				   &args.input, &err);
	int exit_code;

	if (!rpt_options_are_good(rc, &rpt_check_command, &err, &exit_code))
		return exit_code;
	path = args.input ? args.input : rpt_recording_input_default_path();
	if (rpt_file_source_open(&source, path, &err)) {
		rpt_warn_unread(path, &err);
		return RPT_EXIT_FAILED;
	}
	exit_code = check_bytes(&args, path, &source);
	rpt_file_source_close(&source);
	return exit_code;
}
