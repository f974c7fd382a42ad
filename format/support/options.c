#include "format/support/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "format/support/nearest.h"

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

const struct sup_opt *sup_command_opt(const struct sup_command *cmd, size_t idx)
{
	const struct sup_opt *table = cmd->opts;

	for (size_t t = 0; table; t++) {
		size_t nr = row_count(table);

		if (idx < nr)
			return &table[idx];
		idx -= nr;
		table = cmd->more_opts ? cmd->more_opts(t) : NULL;
	}
	return NULL;
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
	const struct sup_opt *opt;
	size_t nr = 0;
	struct option *o;
	char *s;

	while (sup_command_opt(cmd, nr))
		nr++;
	f->longs = o = calloc(2 * nr + 2, sizeof(*f->longs));
	f->shorts = s = calloc(3 * nr + 4, 1);
	if (!o || !s)
		return -ENOMEM;
	*s++ = cmd->stop_at_operand ? '+' : ':';
	if (cmd->stop_at_operand)
		*s++ = ':';
	for (size_t i = 0; (opt = sup_command_opt(cmd, i)); i++) {
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
	const struct sup_opt *o;

	for (size_t i = 0; (o = sup_command_opt(cmd, i)); i++)
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
	pd_err_set(err, -EINVAL, "%s: '%s' is %s", name, arg,
		   rc == -ERANGE	       ? "out of range"
		   : opt->kind == SUP_SIZE     ? "not a size"
		   : opt->kind == SUP_DURATION ? "not a duration"
					       : "not a number");
	if (opt->kind == SUP_SIZE)
		pd_err_hint(err, "give a number with K, M or G behind it: 64K");
	else if (opt->kind == SUP_DURATION)
		pd_err_hint(err, "give a number with ns, us, ms, s, m or h "
				 "behind it: 500ms");
	else
		pd_err_hint(err, "give a number of 0 or more, or one in hex: "
				 "0x7f");
	return -EINVAL;
}

/* Return what to do instead of an option of perf, or instead of its "no-"
 * form; NULL if it is not in the table of such options. */
static const char *find_instead(const struct sup_command *cmd, const char *word)
{
	size_t len = strcspn(word, "=");
	bool is_no = strncmp(word, "no-", 3) == 0;

	for (const struct sup_absent *a = cmd->absent; a && a->long_name; a++)
		if ((strlen(a->long_name) == len &&
		     !memcmp(a->long_name, word, len)) ||
		    (is_no && strlen(a->long_name) == len - 3 &&
		     !memcmp(a->long_name, word + 3, len - 3)))
			return a->instead;
	return NULL;
}

/* Report a long option that getopt did not find: it has no such name, or more
 * than one begins so. */
static int complain_of_long(const struct sup_command *cmd,
			    const struct getopt_form *form, const char *word,
			    struct pd_err *err)
{
	size_t len = strcspn(word, "=");
	char names[sizeof(err->hint)];
	struct sup_nearest near;
	size_t names_len = 0;

	sup_nearest_init(&near, word, len);
	names[0] = '\0';
	for (const struct option *o = form->longs; o->name; o++) {
		sup_nearest_offer(&near, o->name);
		if (strncmp(o->name, word, len) == 0 &&
		    names_len < sizeof(names))
			names_len += (size_t)snprintf(
				names + names_len, sizeof(names) - names_len,
				"%s--%s", names_len ? ", " : "", o->name);
	}
	if (names_len) {
		pd_err_set(err, -EINVAL, "option '%s' is short for several",
			   word - 2);
		pd_err_hint(err, "%s", names);
		return -EINVAL;
	}
	pd_err_set(err, -EINVAL, "unknown option '%s'", word - 2);
	if (near.nr)
		pd_err_hint(err, "nearest: --%s; '%s --help' lists the options",
			    near.best[0].name, cmd->name);
	return -EINVAL;
}

/* Report what getopt complained about: optopt is 0 for a long option that it
 * did not find, and its val for one that lacks a value or has one too many;
 * such an option is in argv[optind - 1]. */
static int complain(const struct sup_command *cmd, int c, char **argv,
		    const struct getopt_form *form, struct pd_err *err)
{
	bool is_long = !optopt || optopt >= HELP_VAL;
	const char letter[2] = { (char)optopt, '\0' };
	const char *word = is_long ? argv[optind - 1] : letter;
	const char *instead = NULL;

	if (c == '?' && (!is_long || !optopt))
		instead = find_instead(cmd, is_long ? word + 2 : word);
	if (instead) {
		pd_err_set(err, -EINVAL, "perf's option '%s%s' is not here",
			   is_long ? "" : "-", word);
		pd_err_hint(err, "%s", instead);
	} else if (!optopt) {
		complain_of_long(cmd, form, word + 2, err);
	} else {
		pd_err_set(err, -EINVAL,
			   c == ':'  ? "option '%s%s' needs a value"
			   : is_long ? "option '%s%s' takes no value"
				     : "unknown option '%s%s'",
			   is_long ? "" : "-", word);
	}
	if (!err->hint[0])
		pd_err_hint(err, "'%s --help' lists the options", cmd->name);
	return -EINVAL;
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
			return complain(cmd, c, argv, form, err);
		}
		opt = c < ROW_BASE
			      ? by_short(cmd, c)
			      : sup_command_opt(
					cmd, (size_t)(c - (unset ? UNSET_BASE
								 : ROW_BASE)));
		rc = apply(opt, conf, optarg, unset, err);
		if (rc)
			return pd_err_set(err, rc, "bad value '%s'",
					  optarg ? optarg : "");
		if (cmd->given)
			cmd->given(conf, opt);
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

enum { HELP_COLUMN = 34, HELP_WIDTH = 80 };

/* Print text, from column on, in lines up to HELP_WIDTH. */
static void help_text(const char *text, int column, FILE *out)
{
	const char *gap = "";
	int at = column;

	while (*text) {
		int len = (int)strcspn(text, " \n");

		if (at + (int)strlen(gap) + len > HELP_WIDTH && at > column) {
			fprintf(out, "\n%*s", column, "");
			at = column;
			gap = "";
		}
		at += fprintf(out, "%s%.*s", gap, len, text);
		text += len;
		gap = " ";
		if (*text == '\n') {
			fprintf(out, "\n%*s", column, "");
			at = column;
			gap = "";
		}
		text += *text != '\0';
	}
	fputc('\n', out);
}

static void help_row(const struct sup_opt *opt, FILE *out)
{
	char letter[8];
	int at;

	snprintf(letter, sizeof(letter), "  -%c%s", opt->short_name,
		 opt->long_name ? ", " : "");
	at = fprintf(out, "%s", opt->short_name ? letter : "      ");
	if (opt->long_name)
		at += fprintf(out, "--%s", opt->long_name);
	if (opt->metavar && (opt->flags & SUP_OPT_ARG_OPTIONAL))
		at += fprintf(out, "[=%s]", opt->metavar);
	else if (opt->metavar)
		at += fprintf(out, " %s", opt->metavar);
	if (at >= HELP_COLUMN - 1) {
		fputc('\n', out);
		at = 0;
	}
	fprintf(out, "%*s", HELP_COLUMN - at, "");
	help_text(opt->help, HELP_COLUMN, out);
}

void sup_help(const struct sup_command *cmd, FILE *out)
{
	const struct sup_opt *o;

	fprintf(out, "usage: %s %s\n\n", cmd->name, cmd->usage);
	help_text(cmd->summary, 0, out);
	fputc('\n', out);
	for (size_t i = 0; (o = sup_command_opt(cmd, i)); i++)
		if (!(o->flags & SUP_OPT_HIDDEN))
			help_row(o, out);
	fprintf(out, "%-*s%s\n", HELP_COLUMN, "      --help", "this text");
	if (cmd->more)
		cmd->more(out);
}

/* The values of options: numbers, sizes, durations. */

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

/* More digits than these are refused: no factor is longer. */
#define FRACTION_SCALE_MAX 1000000

struct suffix {
	const char *text;
	uint64_t factor;
};

/* Parse ".5" at *text, which may be missing: v becomes the digits, scale the
 * power of ten that they are parts of. */
static int parse_fraction(const char **text, uint64_t *ret, uint64_t *ret_scale)
{
	const char *p = *text;

	*ret = 0;
	*ret_scale = 1;
	if (*p != '.')
		return 0;
	for (p++; isdigit((unsigned char)*p); p++) {
		if (*ret_scale == FRACTION_SCALE_MAX)
			return -EINVAL;
		*ret = *ret * 10 + (uint64_t)(*p - '0');
		*ret_scale *= 10;
	}
	*text = p;
	return *ret_scale == 1 ? -EINVAL : 0;
}

static int parse_suffixed(const char *text, const struct suffix *suffixes,
			  uint64_t *ret)
{
	const char *rest;
	uint64_t v, part, scale;
	int rc = parse_digits(text, &v, &rest);

	if (!rc)
		rc = parse_fraction(&rest, &part, &scale);
	if (rc)
		return rc;
	for (; suffixes->text; suffixes++) {
		if (strcmp(rest, suffixes->text) != 0)
			continue;
		if (suffixes->factor == 1 && scale != 1)
			return -EINVAL; /* a part of a byte */
		if (__builtin_mul_overflow(v, suffixes->factor, &v) ||
		    __builtin_mul_overflow(part, suffixes->factor, &part) ||
		    __builtin_add_overflow(v, part / scale, &v))
			return -ERANGE;
		*ret = v;
		return 0;
	}
	return -EINVAL;
}

int sup_parse_size(const char *text, uint64_t *ret_len)
{
	static const struct suffix suffixes[] = {
		{ "", 1 },
		{ "B", 1 },
		{ "K", 1ull << 10 },
		{ "k", 1ull << 10 },
		{ "KB", 1ull << 10 },
		{ "M", 1ull << 20 },
		{ "m", 1ull << 20 },
		{ "MB", 1ull << 20 },
		{ "G", 1ull << 30 },
		{ "g", 1ull << 30 },
		{ "GB", 1ull << 30 },
		{ "T", 1ull << 40 },
		{ "TB", 1ull << 40 },
		{ NULL, 0 },
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
		{ "d", 24 * 3600 * 1000000000ull },
		{ NULL, 0 },
	};

	return parse_suffixed(text, suffixes, ret_ns);
}
