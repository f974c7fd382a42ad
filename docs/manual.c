/* manual: writes the man pages and the shell completion at build time, out of
 * the option tables that the programs parse their command lines by.
 *
 *	manual PAGES OUT
 *
 * PAGES is docs/man: a text for each page, PAGE.txt, with what no table knows.
 * Its lines up to the first heading are the DESCRIPTION; "# HEADING" begins a
 * section behind the OPTIONS; a line that is indented stands as it is, all
 * others are filled.  OUT gets man1/PAGE.1, bash/perfpair, zsh/_perfpair and
 * fish/perfpair.fish; its folders exist.
 */
#include "record/cmdline/args.h"
#include "record/listing/list.h"
#include "record/stat/stat.h"
#ifdef WITH_REPORT
#include "report/commands/commands.h"
#endif

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct page {
	char name[40];	  /* "perfpair-report" */
	const char *verb; /* "report"; NULL: perfpair-record */
	const char *summary;
	const struct sup_command *command;
};

static struct page pages[32];
static size_t pages_nr;

__attribute__((format(printf, 1, 2))) static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("manual: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static FILE *open_at(const char *folder, const char *name, const char *suffix,
		     const char *mode)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);
	file = fopen(path, mode);
	if (!file)
		die("%s: %s", path, strerror(errno));
	return file;
}

static void close_written(FILE *file)
{
	if (ferror(file) || fclose(file))
		die("cannot write: %s", strerror(errno));
}

static void add_page(const char *verb, const char *summary,
		     const struct sup_command *command)
{
	struct page *page = &pages[pages_nr++];

	snprintf(page->name, sizeof(page->name), "perfpair-%s",
		 verb ? verb : "record");
	page->verb = verb;
	page->summary = summary;
	page->command = command;
}

static void collect_pages(void)
{
	add_page(NULL, "record events into a perf.data file", &rec_command);
	add_page("list", "list events and metrics", &rec_list_command);
	add_page("stat", "count events", &rec_stat_command);
#ifdef WITH_REPORT
	for (const struct rpt_command *c = rpt_commands; c->name; c++)
		add_page(c->name, c->summary, c->options);
#endif
}

/* Text in roff: nothing in it is a request or an escape. */
static void put_roff(FILE *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			fputc(*text, out);
		if (*text == '\n' && (text[1] == '.' || text[1] == '\''))
			fputs("\\&", out);
	}
}

/* Text of a page, up to the next heading, which *heading gets, or the end. */
static void put_section(FILE *out, FILE *text, char *heading, size_t len)
{
	bool is_literal = false;
	char line[1024];

	heading[0] = '\0';
	while (fgets(line, sizeof(line), text)) {
		bool is_indented = line[0] == ' ' || line[0] == '\t';

		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#') {
			snprintf(heading, len, "%s", line + strspn(line, "# "));
			break;
		}
		if (!line[0]) {
			fputs(is_literal ? ".fi\n.RE\n" : "", out);
			is_literal = false;
			fputs(".PP\n", out);
			continue;
		}
		if (is_indented && !is_literal)
			fputs(".RS 4\n.nf\n", out);
		is_literal = is_literal || is_indented;
		put_roff(out, is_literal ? line + strspn(line, " \t") : line);
		fputc('\n', out);
	}
	if (is_literal)
		fputs(".fi\n.RE\n", out);
}

static void put_option(FILE *out, const struct sup_opt *opt)
{
	bool is_optional = opt->flags & SUP_OPT_ARG_OPTIONAL;
	char name[200] = "", value[200] = "";

	if (opt->metavar)
		snprintf(value, sizeof(value), "%s%s%s",
			 !is_optional	  ? " "
			 : opt->long_name ? "[="
					  : "[",
			 opt->metavar, is_optional ? "]" : "");
	if (opt->long_name)
		snprintf(name, sizeof(name), "%s--%s",
			 opt->short_name ? ", " : "", opt->long_name);
	fputs(".TP\n", out);
	if (opt->short_name) {
		char letter[3] = { '-', opt->short_name, '\0' };

		put_roff(out, letter);
	}
	put_roff(out, name);
	put_roff(out, value);
	fputc('\n', out);
	put_roff(out, opt->help);
	if (opt->flags & SUP_OPT_NEGATABLE && opt->long_name) {
		fputs(" (also ", out);
		put_roff(out, "--no-");
		put_roff(out, opt->long_name);
		fputc(')', out);
	}
	fputc('\n', out);
}

static bool is_shown(const struct sup_opt *opt)
{
	return !(opt->flags & SUP_OPT_HIDDEN);
}

static void put_options(FILE *out, const struct sup_command *command)
{
	const struct sup_opt *o;

	fputs(".SH OPTIONS\n", out);
	for (size_t i = 0; (o = sup_command_opt(command, i)); i++)
		if (is_shown(o))
			put_option(out, o);
	fputs(".TP\n\\-\\-help\nprint the options\n", out);
}

/* What --help ends with, line by line. */
static void put_more(FILE *out, const struct sup_command *command)
{
	char *text = NULL;
	size_t len;
	FILE *lines = open_memstream(&text, &len);

	if (!lines)
		die("out of memory");
	if (command->more)
		command->more(lines);
	fclose(lines);
	if (len) {
		fputs(".SH WORDS\n.nf\n", out);
		put_roff(out, text + strspn(text, "\n"));
		fputs(".fi\n", out);
	}
	free(text);
}

static void put_title(FILE *out, const char *name, const char *summary)
{
	fprintf(out, ".TH %s 1 \"\" \"perfpair %s\" \"perfpair\"\n", name,
		PERFPAIR_VERSION);
	fputs(".SH NAME\n", out);
	put_roff(out, name);
	fputs(" \\- ", out);
	put_roff(out, summary);
	fputs("\n.SH SYNOPSIS\n.nf\n", out);
}

static void put_sections(FILE *out, FILE *text, char *heading, size_t len)
{
	while (heading[0]) {
		fputs(".SH ", out);
		put_roff(out, heading);
		fputc('\n', out);
		put_section(out, text, heading, len);
	}
}

static void write_page(const struct page *page, const char *texts,
		       const char *man)
{
	FILE *text = open_at(texts, page->name, ".txt", "r");
	FILE *out = open_at(man, page->name, ".1", "w");
	char heading[80];

	put_title(out, page->name, page->summary);
	put_roff(out, page->command->name);
	fputc(' ', out);
	put_roff(out, page->command->usage);
	fputs("\n.fi\n.SH DESCRIPTION\n", out);
	put_section(out, text, heading, sizeof(heading));
	put_options(out, page->command);
	put_more(out, page->command);
	put_sections(out, text, heading, sizeof(heading));
	fclose(text);
	close_written(out);
}

/* perfpair(1): its commands instead of options. */
static void write_main_page(const char *texts, const char *man)
{
	FILE *text = open_at(texts, "perfpair", ".txt", "r");
	FILE *out = open_at(man, "perfpair", ".1", "w");
	char heading[80];

	put_title(out, "perfpair", "read perf.data recordings");
	put_roff(out, "perfpair COMMAND [OPTION]...");
	fputs("\n.fi\n.SH DESCRIPTION\n", out);
	put_section(out, text, heading, sizeof(heading));
	fputs(".SH COMMANDS\n", out);
	for (size_t i = 0; i < pages_nr; i++) {
		fputs(".TP\n.BR ", out);
		put_roff(out, pages[i].name);
		fputs(" (1)\n", out);
		put_roff(out, pages[i].summary);
		fputc('\n', out);
	}
	put_sections(out, text, heading, sizeof(heading));
	fclose(text);
	close_written(out);
}

static bool takes_value(const struct sup_opt *opt)
{
	return opt->kind != SUP_FLAG && opt->kind != SUP_COUNT &&
	       !(opt->flags & SUP_OPT_NO_ARG);
}

static bool takes_file(const struct sup_opt *opt)
{
	return takes_value(opt) && opt->metavar &&
	       (strstr(opt->metavar, "FILE") || strstr(opt->metavar, "DIR") ||
		strstr(opt->metavar, "OUT"));
}

static const char *verb_of(const struct page *page)
{
	return page->verb ? page->verb : "record";
}

/* All options of a command as words: -i --input ... */
static void put_words(FILE *out, const struct sup_command *command)
{
	const struct sup_opt *o;

	for (size_t i = 0; (o = sup_command_opt(command, i)); i++) {
		if (!is_shown(o))
			continue;
		if (o->short_name)
			fprintf(out, "-%c ", o->short_name);
		if (o->long_name)
			fprintf(out, "--%s ", o->long_name);
	}
	fputs("--help", out);
}

/* The options whose value is no file, and so nothing that a shell knows. */
static void put_value_pattern(FILE *out, const struct sup_command *command)
{
	const struct sup_opt *o;
	const char *bar = "";

	for (size_t i = 0; (o = sup_command_opt(command, i)); i++) {
		if (!is_shown(o) || !takes_value(o) || takes_file(o) ||
		    o->flags & SUP_OPT_ARG_OPTIONAL)
			continue;
		if (o->short_name) {
			fprintf(out, "%s-%c", bar, o->short_name);
			bar = "|";
		}
		if (o->long_name) {
			fprintf(out, "%s--%s", bar, o->long_name);
			bar = "|";
		}
	}
	if (!*bar)
		fputs("''", out);
}

static void write_bash(const char *folder)
{
	FILE *out = open_at(folder, "perfpair", "", "w");

	fputs("# bash completion of perfpair, made from its option tables.\n"
	      "_perfpair()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tlocal verb=${COMP_WORDS[1]} words=\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [[ ${COMP_WORDS[0]##*/} == perfpair-record ]]; then\n"
	      "\t\tverb=record\n"
	      "\telif [[ $COMP_CWORD == 1 ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W '",
	      out);
	for (size_t i = 0; i < pages_nr; i++)
		fprintf(out, "%s ", verb_of(&pages[i]));
	fputs("help version' -- \"$cur\"))\n\t\treturn\n\tfi\n"
	      "\tcase $verb in\n",
	      out);
	for (size_t i = 0; i < pages_nr; i++) {
		fprintf(out, "\t%s)\n\t\twords='", verb_of(&pages[i]));
		put_words(out, pages[i].command);
		fputs("'\n\t\tcase $prev in ", out);
		put_value_pattern(out, pages[i].command);
		fputs(") return ;; esac\n\t\t;;\n", out);
	}
	fputs("\tesac\n"
	      "\tif [[ $cur == -* ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	      "\telse\n"
	      "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	      "\tfi\n}\n"
	      "complete -o filenames -F _perfpair perfpair perfpair-record\n",
	      out);
	close_written(out);
}

/* Text within single quotes; stop: characters that stand behind a backslash. */
static void put_quoted(FILE *out, const char *text, const char *stop)
{
	for (; *text; text++) {
		if (*text == '\'') {
			fputs("'\\''", out);
			continue;
		}
		if (strchr(stop, *text))
			fputc('\\', out);
		fputc(*text == '\n' ? ' ' : *text, out);
	}
}

static void put_zsh_option(FILE *out, const struct sup_opt *opt,
			   const char *name, bool is_long)
{
	fprintf(out, "\t\t'*%s", name);
	if (takes_value(opt) && is_long)
		fputc('=', out);
	fputc('[', out);
	put_quoted(out, opt->help, "[]:\\");
	fputc(']', out);
	if (takes_value(opt)) {
		fputs(opt->flags & SUP_OPT_ARG_OPTIONAL ? "::" : ":", out);
		put_quoted(out, opt->metavar ? opt->metavar : "value", "[]:\\");
		fputs(takes_file(opt) ? ":_files" : ": ", out);
	}
	fputs("' \\\n", out);
}

static void write_zsh(const char *folder)
{
	FILE *out = open_at(folder, "_perfpair", "", "w");

	fputs("#compdef perfpair perfpair-record\n"
	      "# zsh completion of perfpair, made from its option tables.\n",
	      out);
	for (size_t i = 0; i < pages_nr; i++) {
		const struct sup_opt *o;
		char name[80];

		fprintf(out, "_perfpair_%s() {\n\t_arguments -s -S \\\n",
			verb_of(&pages[i]));
		for (size_t k = 0; (o = sup_command_opt(pages[i].command, k));
		     k++) {
			if (!is_shown(o))
				continue;
			if (o->short_name) {
				snprintf(name, sizeof(name), "-%c",
					 o->short_name);
				put_zsh_option(out, o, name, false);
			}
			if (o->long_name) {
				snprintf(name, sizeof(name), "--%s",
					 o->long_name);
				put_zsh_option(out, o, name, true);
			}
		}
		fputs("\t\t'--help[print the options]' '*:file:_files'\n}\n",
		      out);
	}
	fputs("if [[ $service == perfpair-record ]]; then\n"
	      "\t_perfpair_record\n\treturn\nfi\n"
	      "if (( CURRENT == 2 )); then\n\tlocal -a verbs=(\n",
	      out);
	for (size_t i = 0; i < pages_nr; i++) {
		fprintf(out, "\t\t'%s:", verb_of(&pages[i]));
		put_quoted(out, pages[i].summary, ":\\");
		fputs("'\n", out);
	}
	fputs("\t)\n\t_describe command verbs\nelse\n"
	      "\tlocal verb=${words[2]}\n"
	      "\tshift words; (( CURRENT-- ))\n"
	      "\t(( $+functions[_perfpair_$verb] )) && _perfpair_$verb\nfi\n",
	      out);
	close_written(out);
}

static void put_fish_option(FILE *out, const char *condition,
			    const struct sup_opt *opt)
{
	fprintf(out, "complete %s", condition);
	if (opt->short_name)
		fprintf(out, " -s %c", opt->short_name);
	if (opt->long_name)
		fprintf(out, " -l %s", opt->long_name);
	if (takes_value(opt) && !(opt->flags & SUP_OPT_ARG_OPTIONAL))
		fputs(takes_file(opt) ? " -r -F" : " -x", out);
	fputs(" -d '", out);
	for (const char *at = opt->help; *at; at++) {
		if (*at == '\'' || *at == '\\')
			fputc('\\', out);
		fputc(*at == '\n' ? ' ' : *at, out);
	}
	fputs("'\n", out);
}

static void write_fish(const char *folder)
{
	FILE *out = open_at(folder, "perfpair", ".fish", "w");
	const struct sup_opt *o;
	char condition[120];

	fputs("# fish completion of perfpair, made from its option tables.\n",
	      out);
	for (size_t i = 0; i < pages_nr; i++) {
		fprintf(out,
			"complete -c perfpair -f -n __fish_use_subcommand "
			"-a %s -d '",
			verb_of(&pages[i]));
		put_quoted(out, pages[i].summary, "");
		fputs("'\n", out);
		snprintf(condition, sizeof(condition),
			 "-c perfpair -n '__fish_seen_subcommand_from %s'",
			 verb_of(&pages[i]));
		for (size_t k = 0; (o = sup_command_opt(pages[i].command, k));
		     k++) {
			if (!is_shown(o))
				continue;
			put_fish_option(out, condition, o);
			if (!pages[i].verb)
				put_fish_option(out, "-c perfpair-record", o);
		}
	}
	close_written(out);
}

static const char *below(const char *folder, const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		die("usage: manual PAGES OUT");
	collect_pages();
	for (size_t i = 0; i < pages_nr; i++)
		write_page(&pages[i], argv[1], below(argv[2], "man1"));
	if (pages_nr > 1)
		write_main_page(argv[1], below(argv[2], "man1"));
	write_bash(below(argv[2], "bash"));
	write_zsh(below(argv[2], "zsh"));
	write_fish(below(argv[2], "fish"));
	return 0;
}
