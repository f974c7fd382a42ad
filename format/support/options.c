#include "format/support/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The val of an option for getopt: its row in the table, above all characters.
 */
#define ROW_BASE   0x1000
#define UNSET_BASE 0x100000 /* "--no-NAME" of that row */
#define HELP_VAL   0xfff

/* The table as getopt needs it. */
struct getopt_form {
	struct option *longs;
	char *shorts;
};

static void form_release(struct getopt_form *f)
{
	for (struct option *o = f->longs; o && o->name; o++)
		if (o->val >= UNSET_BASE)
			free((void *)(uintptr_t)o->name);
	free(f->longs);
	free(f->shorts);
}

static int arg_need(const struct sup_opt *opt)
{
	if (opt->kind == SUP_FLAG || opt->kind == SUP_COUNT ||
	    (opt->flags & SUP_OPT_NO_ARG))
		return no_argument;
	return opt->flags & SUP_OPT_ARG_OPTIONAL ? optional_argument
						 : required_argument;
}

static size_t row_count(const struct sup_opt *opts)
{
	size_t nr = 0;

	while (opts[nr].kind != SUP_END)
		nr++;
	return nr;
}

/* Return "no-NAME"; if NAME starts with "no-", return the rest of it: perf has
 * --inherit as the negation of --no-inherit. */
static char *negated_name(const char *name)
{
	char *text = NULL;

	if (strncmp(name, "no-", 3) == 0)
		return strdup(name + 3);
	if (asprintf(&text, "no-%s", name) < 0)
		return NULL;
	return text;
}

static void add_short(char **at, const struct sup_opt *opt)
{
	*(*at)++ = opt->short_name;
	for (int need = arg_need(opt); need > no_argument; need--)
		*(*at)++ = ':';
}

static int form_init(struct getopt_form *f, const struct sup_command *cmd)
{
	size_t nr = row_count(cmd->opts);
	struct option *o;
	char *s;

	f->longs = o = calloc(2 * nr + 2, sizeof(*f->longs));
	f->shorts = s = calloc(3 * nr + 4, 1);
	if (!o || !s)
		return -ENOMEM;
	*s++ = cmd->stop_at_operand ? '+' : ':';
	if (cmd->stop_at_operand)
		*s++ = ':';
	for (size_t i = 0; i < nr; i++) {
		const struct sup_opt *opt = &cmd->opts[i];

		if (opt->short_name)
			add_short(&s, opt);
		if (!opt->long_name)
			continue;
		*o++ = (struct option){ opt->long_name, arg_need(opt), NULL,
					(int)(ROW_BASE + i) };
		if (opt->kind != SUP_FLAG && !(opt->flags & SUP_OPT_NEGATABLE))
			continue;
		o->name = negated_name(opt->long_name);
		if (!o->name)
			return -ENOMEM;
		o->has_arg = no_argument;
		o->val = (int)(UNSET_BASE + i);
		o++;
	}
	*o = (struct option){ "help", no_argument, NULL, HELP_VAL };
	return 0;
}

static const struct sup_opt *by_short(const struct sup_command *cmd, int c)
{
	for (const struct sup_opt *o = cmd->opts; o->kind != SUP_END; o++)
		if (o->short_name == c)
			return o;
	return NULL;
}

/* Write the option as the user would type it: "-e" or "--event". */
static void spell(const struct sup_opt *opt, char *ret, size_t ret_len)
{
	if (opt->long_name)
		snprintf(ret, ret_len, "--%s", opt->long_name);
	else
		snprintf(ret, ret_len, "-%c", opt->short_name);
}

static int parse_number(const struct sup_opt *opt, void *field, const char *arg)
{
	uint64_t v;
	int rc;

	switch (opt->kind) {
	case SUP_U32:
		rc = sup_parse_u64(arg, &v);
		if (!rc && v > UINT32_MAX)
			return -ERANGE;
		if (!rc)
			*(uint32_t *)field = (uint32_t)v;
		return rc;
	case SUP_U64:
		return sup_parse_u64(arg, field);
	case SUP_SIZE:
		return sup_parse_size(arg, field);
	default:
		return sup_parse_duration(arg, field);
	}
}

static int apply(const struct sup_opt *opt, void *conf, const char *arg,
		 bool unset, struct pd_err *err)
{
	void *field = (char *)conf + opt->off;
	char name[64];
	int rc;

	switch (opt->kind) {
	case SUP_FLAG:
		*(bool *)field = !unset;
		return 0;
	case SUP_COUNT:
		*(unsigned *)field = unset ? 0 : *(unsigned *)field + 1;
		return 0;
	case SUP_STRING:
		*(const char **)field = unset ? NULL : arg;
		return 0;
	case SUP_CALL:
		return opt->call(field, arg, unset, err);
	default:
		break;
	}
	rc = unset ? 0 : parse_number(opt, field, arg);
	if (!rc)
		return 0;
	spell(opt, name, sizeof(name));
	return pd_err_set(err, -EINVAL, "%s: '%s' is %s", name, arg,
			  rc == -ERANGE		      ? "out of range"
			  : opt->kind == SUP_SIZE     ? "not a size"
			  : opt->kind == SUP_DURATION ? "not a duration"
						      : "not a number");
}

/* Return what to do instead of an option of perf; NULL if it is not in the
 * table of such options. */
static const char *find_instead(const struct sup_command *cmd, const char *word)
{
	size_t len = strcspn(word, "=");

	for (const struct sup_absent *a = cmd->absent; a && a->long_name; a++)
		if (strlen(a->long_name) == len &&
		    !memcmp(a->long_name, word, len))
			return a->instead;
	return NULL;
}

/* Report what getopt complained about, which is in argv[optind - 1]. */
static int complain(const struct sup_command *cmd, int c, char **argv,
		    struct pd_err *err)
{
	const char *word = argv[optind - 1];
	bool is_long = strncmp(word, "--", 2) == 0;
	const char letter[2] = { (char)optopt, '\0' };
	const char *instead = NULL;
	int rc;

	if (is_long && !optopt)
		instead = find_instead(cmd, word + 2);
	else if (!is_long && c == '?')
		instead = find_instead(cmd, letter);
	if (instead)
		rc = pd_err_set(err, -EINVAL,
				"perf's option '%s%s' is not here",
				is_long ? "" : "-", is_long ? word : letter);
	else if (c == ':')
		rc = is_long ? pd_err_set(err, -EINVAL,
					  "option '%s' needs a value", word)
			     : pd_err_set(err, -EINVAL,
					  "option '-%c' needs a value", optopt);
	else if (optopt >= ROW_BASE)
		rc = pd_err_set(err, -EINVAL, "option '%s' takes no value",
				word);
	else if (optopt)
		rc = pd_err_set(err, -EINVAL, "unknown option '-%c'", optopt);
	else
		rc = pd_err_set(err, -EINVAL,
				"unknown or ambiguous option '%s'", word);
	if (instead)
		pd_err_hint(err, "%s", instead);
	else
		pd_err_hint(err, "'%s --help' lists the options", cmd->name);
	return rc;
}

static int parse_all(const struct sup_command *cmd, void *conf, int argc,
		     char **argv, const struct getopt_form *form,
		     struct pd_err *err)
{
	int c, rc;

	optind = 0; /* tells glibc to start again */
	opterr = 0;
	while ((c = getopt_long(argc, argv, form->shorts, form->longs, NULL)) !=
	       -1) {
		const struct sup_opt *opt;
		bool unset = c >= UNSET_BASE;

		if (c == HELP_VAL)
			return 1;
		if (c == '?' || c == ':') {
			if (c == '?' && optopt == 'h' && !by_short(cmd, 'h'))
				return 1;
			return complain(cmd, c, argv, err);
		}
		opt = c >= ROW_BASE
			      ? &cmd->opts[c - (unset ? UNSET_BASE : ROW_BASE)]
			      : by_short(cmd, c);
		rc = apply(opt, conf, optarg, unset, err);
		if (rc)
			return pd_err_set(err, rc, "bad value '%s'",
					  optarg ? optarg : "");
	}
	return 0;
}

int sup_options_parse(const struct sup_command *cmd, void *conf, int argc,
		      char **argv, int *ret_first, struct pd_err *err)
{
	struct getopt_form form = { 0 };
	int rc = form_init(&form, cmd);

	if (rc)
		pd_err_set(err, rc, "out of memory");
	else
		rc = parse_all(cmd, conf, argc, argv, &form, err);
	if (!rc)
		*ret_first = optind;
	form_release(&form);
	return rc;
}

#define HELP_COLUMN 34

static void help_row(const struct sup_opt *opt, FILE *out)
{
	char left[120];
	int n = 0;

	if (opt->short_name)
		n = snprintf(left, sizeof(left), "  -%c%s", opt->short_name,
			     opt->long_name ? ", " : "");
	else
		n = snprintf(left, sizeof(left), "      ");
	if (opt->long_name)
		n += snprintf(left + n, sizeof(left) - (size_t)n, "--%s",
			      opt->long_name);
	if (opt->metavar)
		snprintf(left + n, sizeof(left) - (size_t)n,
			 opt->flags & SUP_OPT_ARG_OPTIONAL ? "[=%s]" : " %s",
			 opt->metavar);
	if (strlen(left) >= HELP_COLUMN - 1)
		fprintf(out, "%s\n%*s%s\n", left, HELP_COLUMN, "", opt->help);
	else
		fprintf(out, "%-*s%s\n", HELP_COLUMN, left, opt->help);
}

void sup_help(const struct sup_command *cmd, FILE *out)
{
	fprintf(out, "usage: %s %s\n\n%s\n\n", cmd->name, cmd->usage,
		cmd->summary);
	for (const struct sup_opt *o = cmd->opts; o->kind != SUP_END; o++)
		if (!(o->flags & SUP_OPT_HIDDEN))
			help_row(o, out);
	fprintf(out, "%-*s%s\n", HELP_COLUMN, "      --help", "this text");
}

/* Parse the digits at the start of text; *ret_rest becomes what follows them.
 */
static int parse_digits(const char *text, uint64_t *ret, const char **ret_rest)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	*ret = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
	if (errno)
		return -ERANGE;
	*ret_rest = end;
	return 0;
}

int sup_parse_u64(const char *text, uint64_t *ret)
{
	const char *rest;
	uint64_t v;
	int rc = parse_digits(text, &v, &rest);

	if (rc)
		return rc;
	if (*rest)
		return -EINVAL;
	*ret = v;
	return 0;
}

struct suffix {
	const char *text;
	uint64_t factor;
};

static int parse_suffixed(const char *text, const struct suffix *suffixes,
			  uint64_t *ret)
{
	const char *rest;
	uint64_t v;
	int rc = parse_digits(text, &v, &rest);

	if (rc)
		return rc;
	for (; suffixes->text; suffixes++) {
		if (strcmp(rest, suffixes->text) != 0)
			continue;
		return __builtin_mul_overflow(v, suffixes->factor, ret)
			       ? -ERANGE
			       : 0;
	}
	return -EINVAL;
}

int sup_parse_size(const char *text, uint64_t *ret_len)
{
	static const struct suffix suffixes[] = {
		{ "", 1 },	     { "B", 1 },	  { "K", 1ull << 10 },
		{ "k", 1ull << 10 }, { "M", 1ull << 20 }, { "m", 1ull << 20 },
		{ "G", 1ull << 30 }, { "g", 1ull << 30 }, { NULL, 0 },
	};

	return parse_suffixed(text, suffixes, ret_len);
}

int sup_parse_duration(const char *text, uint64_t *ret_ns)
{
	static const struct suffix suffixes[] = {
		{ "", 1000000000ull },
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000ull },
		{ "m", 60 * 1000000000ull },
		{ "h", 3600 * 1000000000ull },
		{ NULL, 0 },
	};

	return parse_suffixed(text, suffixes, ret_ns);
}
