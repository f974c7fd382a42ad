/* perfpair scrub: makes a recording that can be given away. */
#include "report/base/memory.h"
#include "report/cli/command_options.h"
#include "report/cli/output_options.h"
#include "report/cli/recording_input.h"
#include "report/commands/commands.h"
#include "report/scrub/scrub.h"

#include "format/base/limits.h"
#include "format/support/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct scrub_args {
	const char *input;
	struct rpt_output_args output;
	const char *key_path;
	bool quiet;
	struct rpt_scrub_conf conf;
};

static bool may(const struct rpt_scrub_rule *rule, enum rpt_scrub_action action)
{
	return action == RPT_SCRUB_KEEP ? rule->may_keep : rule->may_hide;
}

/* Set the action of one word of a list. */
static int set_action(struct scrub_args *args, const char *option,
		      enum rpt_scrub_action action, const char *word,
		      size_t len, struct pd_err *err)
{
	char words[256] = "";

	for (unsigned i = 0; i < RPT_SCRUB_KIND_NR; i++) {
		const struct rpt_scrub_rule *rule = &rpt_scrub_rules[i];
		size_t used = strlen(words);

		if (!may(rule, action))
			continue;
		if (strlen(rule->name) == len &&
		    !memcmp(rule->name, word, len)) {
			args->conf.actions[i] = action;
			return 0;
		}
		snprintf(words + used, sizeof(words) - used, "%s%s",
			 used ? ", " : "", rule->name);
	}
	return pd_err_set(err, -EINVAL, "option --%s: '%.*s' is not one of %s",
			  option, (int)(len < 100 ? len : 100), word, words);
}

static int set_actions(struct scrub_args *args, const char *option,
		       enum rpt_scrub_action action, const char *list,
		       struct pd_err *err)
{
	int rc = 0;

	while (!rc) {
		size_t len = strcspn(list, ",");

		rc = set_action(args, option, action, list, len, err);
		list += len;
		if (!*list++)
			break;
	}
	return rc;
}

static int parse_keep(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	(void)unset;
	return set_actions(conf, "keep", RPT_SCRUB_KEEP, arg, err);
}

static int parse_hide(void *conf, const char *arg, bool unset,
		      struct pd_err *err)
{
	(void)unset;
	return set_actions(conf, "hide", RPT_SCRUB_HIDE, arg, err);
}

#define OFF(member) offsetof(struct scrub_args, member)

static const struct sup_opt opts[] = {
	RPT_OPT_INPUT(OFF(input)),
	RPT_OPTS_OUTPUT(OFF(output), "OUT"),
	RPT_OPT_CALL(0, "keep", "KIND,...",
		     "keep what is removed or hidden by default: paths, files "
		     "(the last part of a path), comms, cgroups, bpf, events, "
		     "addresses, words",
		     parse_keep),
	RPT_OPT_CALL(0, "hide", "KIND,...",
		     "hide what is kept by default: symbols (names of "
		     "functions of private files)",
		     parse_hide),
	RPT_OPT_FLAG(0, "drop-stacks", OFF(conf.drop_stacks), 0,
		     "remove stack copies, and with them all callers in user "
		     "code (run perfpair unwind first to keep these)"),
	RPT_OPT_TEXT(0, "key", OFF(key_path), "FILE",
		     "derive the key that hides names from the secret in "
		     "FILE, so that a name looks the same in several "
		     "recordings (default: a random key for each run)"),
	{ 0, "max-ratio", SUP_U64, OFF(conf.max_ratio), 0, "NR",
	  "let a compressed byte become at most NR plain ones (8192)", NULL },
	RPT_OPT_FLAG('q', "quiet", OFF(quiet), 0,
		     "print nothing of what was removed"),
	{ 0 },
};

const struct sup_command rpt_scrub_command = {
	.name = "perfpair scrub",
	.usage = "[OPTION]... [FILE] -o OUT",
	.summary = "Write a recording that can be given away: what is secret "
		   "is removed, and names of private things are hidden. Print "
		   "what it kept.",
	.opts = opts,
};

/* Print "removed: 3 stack copies; ...", the kinds with one action. */
static void print_taken(const struct scrub_args *args,
			const struct rpt_scrub_result *result,
			enum rpt_scrub_action action, const char *word)
{
	const char *before = "";

	printf("%s: %s: ", args->conf.path, word);
	for (unsigned i = 0; i < RPT_SCRUB_KIND_NR; i++) {
		bool is_hidden = args->conf.actions[i] == RPT_SCRUB_HIDE;

		if (!result->taken_nr[i] ||
		    is_hidden != (action == RPT_SCRUB_HIDE))
			continue;
		printf("%s%" PRIu64 " %s", before, result->taken_nr[i],
		       rpt_scrub_rules[i].what);
		before = "; ";
	}
	printf("%s\n", *before ? "" : "nothing");
}

static void print_kept(const struct scrub_args *args,
		       const struct rpt_scrub_result *result)
{
	printf("%s: kept:", args->conf.path);
	for (unsigned i = 0; i < RPT_SCRUB_KIND_NR; i++) {
		const struct rpt_scrub_rule *rule = &rpt_scrub_rules[i];

		if (!result->kept_nr[i])
			continue;
		printf(" %" PRIu64 " %s", result->kept_nr[i], rule->what);
		if (rule->plain && args->conf.actions[i] != RPT_SCRUB_KEEP)
			printf(" (%s)", rule->plain);
		putchar(';');
	}
	printf(" times, numbers of processes, threads, namespaces and CPUs, "
	       "addresses of code, counts, build-ids, and what describes the "
	       "machine and its kernel\n");
}

static void print_result(const struct scrub_args *args,
			 const struct rpt_scrub_result *result)
{
	const struct rpt_repair_result *r = &result->repair;
	uint64_t unread_nr = 0;

	for (unsigned i = RPT_RECORD_BAD_BODY; i < RPT_RECORD_EDITED_OUT; i++)
		unread_nr += r->outcome_nr[i];
	print_taken(args, result, RPT_SCRUB_REMOVE, "removed");
	print_taken(args, result, RPT_SCRUB_HIDE, "hidden");
	print_kept(args, result);
	if (unread_nr || r->loss_nr)
		printf("%s: left out: %" PRIu64 " records and %" PRIu64
		       " places of damage that cannot be read, or are newer "
		       "than what is known\n",
		       args->conf.path, unread_nr, r->loss_nr);
}

static int parse(int argc, char **argv, struct scrub_args *ret,
		 struct pd_err *err)
{
	int rc = rpt_options_parse(&rpt_scrub_command, ret, argc, argv,
				   &ret->input, err);

	if (rc)
		return rc;
	if (!ret->input)
		ret->input = rpt_recording_input_default_path();
	rc = rpt_output_check(&ret->output, ret->input, err);
	ret->conf.path = ret->output.path;
	ret->conf.force = ret->output.force;
	ret->conf.level = ret->output.level;
	return rc;
}

static int scrub(const struct scrub_args *args)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_scrub_result *result;
	struct rpt_file_source source;
	int rc;

	if (rpt_file_source_open(&source, args->input, &err)) {
		rpt_warn_unread(args->input, &err);
		return RPT_EXIT_FAILED;
	}
	result = rpt_alloc(sizeof(*result));
	rc = rpt_scrub(&source, &args->conf, result, &err);
	if (rc) {
		bool is_of_input =
			err.has_off || rc == -EBADMSG || result->has_stacks;

		pd_err_set(&err, rc, "%s", strerror(-rc));
		sup_message_err(is_of_input ? args->input : args->conf.path,
				&err);
	} else if (!args->quiet && rpt_output_keeps_text_apart(&args->output)) {
		print_result(args, result);
	}
	rpt_file_source_close(&source);
	free(result);
	return rc ? RPT_EXIT_FAILED : RPT_EXIT_OK;
}

int rpt_cmd_scrub(int argc, char **argv)
{
	struct scrub_args args = {
		.output.level = -1,
		.conf.max_ratio = PD_LIMIT_ZSTD_RATIO,
	};
	struct pd_err err = PD_ERR_INIT;
	int exit_code, rc;

	rpt_scrub_conf_init(&args.conf);
	if (!rpt_options_are_good(parse(argc, argv, &args, &err),
				  &rpt_scrub_command, &err, &exit_code))
		return exit_code;
	rc = args.key_path
		     ? rpt_name_key_read(&args.conf.key, args.key_path, &err)
		     : rpt_name_key_draw(&args.conf.key, &err);
	if (rc) {
		sup_message_err(args.key_path, &err);
		return RPT_EXIT_FAILED;
	}
	return scrub(&args);
}
