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
#include "report/sched/sched.h"
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

/* Words behind a command; without options of its own it has the command's. */
static const struct word {
	const char *verb, *name;
	const struct sup_command *command;
} verb_words[] = {
#ifdef WITH_REPORT
	{ "data", "convert", NULL },
	{ "lock", "contention", NULL },
	{ "sched", "timehist", NULL },
	{ "sched", "latency", &rpt_sched_latency_command },
	{ "sched", "map", &rpt_sched_map_command },
#endif
	{ 0 },
};

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

static const char *verb_of(const struct page *page)
{
	return page->verb ? page->verb : "record";
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
	fputs(".SH OPTIONS\n", out);
	put_options(out, page->command);
	for (const struct word *w = verb_words; w->verb; w++) {
		if (!w->command || strcmp(w->verb, verb_of(page)) != 0)
			continue;
		fprintf(out, ".SS \"Options of %s %s\"\n", w->verb, w->name);
		put_options(out, w->command);
	}
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

/* Values that an option may have, as a shell completes them */
enum value {
	VALUE_OTHER, /* nothing that a shell knows */
	VALUE_FILE,
	VALUE_WORD, /* one of words */
	VALUE_LIST, /* words, with commas */
	VALUE_PIDS,
	VALUE_USER,
	VALUE_EVENT,
};

/* Append the words that --help ends with: those of forms of output, or all
 * others. */
static void add_listed(const struct sup_command *command, bool of_formats,
		       char *ret, size_t len)
{
	bool is_in = !of_formats;
	char *text = NULL, *at;
	size_t text_len;
	FILE *lines = open_memstream(&text, &text_len);

	if (!lines)
		die("out of memory");
	if (command->more)
		command->more(lines);
	fclose(lines);
	for (at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) {
		size_t used = strlen(ret);

		if (strchr(at, ':') == at + strlen(at) - 1)
			is_in = of_formats == !strncmp(at, "Formats", 7);
		else if (is_in && !strncmp(at, "  ", 2) && islower(at[2]))
			snprintf(ret + used, len - used, "%s%.*s",
				 used ? " " : "", (int)strcspn(at + 2, " "),
				 at + 2);
	}
	free(text);
}

static const struct sup_command *find(const char *verb)
{
	for (size_t i = 0; i < pages_nr; i++)
		if (!strcmp(verb_of(&pages[i]), verb))
			return pages[i].command;
	die("there is no command %s", verb);
	return NULL;
}

/* Set the words that the value may be, "a b c". */
static enum value value_of(const struct sup_command *command,
			   const struct sup_opt *opt, char *ret, size_t len)
{
	const char *name = opt->long_name ? opt->long_name : "";
	const char *metavar = opt->metavar ? opt->metavar : "";

	ret[0] = '\0';
	if (takes_file(opt))
		return VALUE_FILE;
	if (strchr(metavar, '|') &&
	    !metavar[strspn(metavar,
			    "abcdefghijklmnopqrstuvwxyz0123456789-|")]) {
		snprintf(ret, len, "%s", metavar);
		for (char *at = ret; *at; at++)
			*at = *at == '|' ? ' ' : *at;
		return VALUE_WORD;
	}
	if (!strcmp(name, "format"))
		add_listed(command, true, ret, len);
	if (*ret)
		return VALUE_WORD;
	if (!strncmp(metavar, "KEY", 3))
		add_listed(strstr(opt->help, "report --help") ? find("report")
							      : command,
			   false, ret, len);
	if (*ret)
		return VALUE_LIST;
	if (!strcmp(name, "pid") || !strcmp(name, "tid"))
		return VALUE_PIDS;
	if (!strcmp(name, "uid"))
		return VALUE_USER;
	return !strcmp(name, "event") ? VALUE_EVENT : VALUE_OTHER;
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

/* All words that may stand behind the command of w. */
static void put_siblings(FILE *out, const struct word *w)
{
	for (const struct word *other = verb_words; other->verb; other++)
		if (!strcmp(other->verb, w->verb))
			fprintf(out, "%s ", other->name);
}

/* Print what bash does behind an option with a value that is no file. */
static void put_bash_value(FILE *out, const struct sup_command *command,
			   const struct sup_opt *opt)
{
	char words[4096];
	enum value value = value_of(command, opt, words, sizeof(words));

	if (!is_shown(opt) || !takes_value(opt) || value == VALUE_FILE ||
	    opt->flags & SUP_OPT_ARG_OPTIONAL)
		return;
	fputs("\t\t", out);
	if (opt->short_name)
		fprintf(out, "-%c%s", opt->short_name,
			opt->long_name ? "|" : "");
	if (opt->long_name)
		fprintf(out, "--%s", opt->long_name);
	fputs(") ", out);
	if (value == VALUE_WORD || value == VALUE_LIST)
		fprintf(out, "_perfpair_list '%s'; ", words);
	else if (value == VALUE_PIDS)
		fputs("_perfpair_list \"$(cd /proc && echo [0-9]*)\"; ", out);
	else if (value == VALUE_USER)
		fputs("COMPREPLY=($(compgen -u -- \"$cur\")); ", out);
	else if (value == VALUE_EVENT)
		fputs("_perfpair_list \"$(_perfpair_events)\"; ", out);
	fputs("return ;;\n", out);
}

static void put_bash_command(FILE *out, const char *verb,
			     const struct sup_command *command)
{
	const struct sup_opt *o;

	fprintf(out, "\t'%s')\n\t\twords='", verb);
	put_words(out, command);
	fputs("'\n\t\tcase $prev in\n", out);
	for (size_t i = 0; (o = sup_command_opt(command, i)); i++)
		put_bash_value(out, command, o);
	fputs("\t\tesac\n\t\t;;\n", out);
}

/* The events of this machine, one a line. */
#define EVENTS                                       \
	"perfpair-record list 2>/dev/null | sed -n " \
	"'s/^  \\([^ ]*\\).*\\[.*/\\1/p'"

/* bash splits words at = and :, too; what stands before : is put back. */
static const char bash_start[] =
	"# bash completion of perfpair, made from its option tables.\n"
	"_perfpair_events()\n{\n\t" EVENTS "\n}\n"
	"_perfpair_list()\n{\n"
	"\tlocal before= i\n"
	"\t[[ $cur == *,* ]] && before=${cur%,*},\n"
	"\tCOMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\"))\n"
	"\tfor i in ${!COMPREPLY[@]}; do\n"
	"\t\tCOMPREPLY[i]=${COMPREPLY[i]#\"$colon\"}\n"
	"\tdone\n}\n"
	"_perfpair()\n{\n"
	"\tlocal at=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} colon= i\n"
	"\tlocal verb=${COMP_WORDS[1]} words= prev\n"
	"\tCOMPREPLY=()\n"
	"\t[[ $cur == : ]] && cur= && ((at++))\n"
	"\tif [[ ${COMP_WORDS[at-1]} == : ]]; then\n"
	"\t\tcolon=${COMP_WORDS[at-2]}: cur=${COMP_WORDS[at-2]}:$cur\n"
	"\t\t((at -= 2))\n"
	"\tfi\n"
	"\t[[ $cur == = ]] && cur= && ((at++))\n"
	"\t[[ ${COMP_WORDS[at-1]} == = ]] && ((at--))\n"
	"\tprev=${COMP_WORDS[at-1]}\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\t[[ ${COMP_WORDS[i]} == -- ]] || continue\n"
	"\t\t((i == COMP_CWORD - 1)) && COMPREPLY=($(compgen -c -- \"$cur\")) ||\n"
	"\t\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	"\t\treturn\n"
	"\tdone\n"
	"\tif [[ ${COMP_WORDS[0]##*/} == perfpair-record ]]; then\n"
	"\t\tverb=record\n"
	"\telif [[ $COMP_CWORD == 1 || $verb == help ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W '";

static void put_bash_siblings(FILE *out, const struct word *w)
{
	fprintf(out, "\t'2 %s') words='", w->verb);
	put_siblings(out, w);
	fputs("' ;;\n", out);
}

static void write_bash(const char *folder)
{
	FILE *out = open_at(folder, "perfpair", "", "w");

	fputs(bash_start, out);
	for (size_t i = 0; i < pages_nr; i++)
		fprintf(out, "%s ", verb_of(&pages[i]));
	fputs("help version' -- \"$cur\"))\n\t\treturn\n\tfi\n"
	      "\tcase \"$verb ${COMP_WORDS[2]}\" in\n",
	      out);
	for (const struct word *w = verb_words; w->verb; w++)
		if (w->command)
			fprintf(out,
				"\t'%s %s') ((COMP_CWORD > 2)) && "
				"verb+=' %s' ;;\n",
				w->verb, w->name, w->name);
	fputs("\tesac\n\tcase $verb in\n", out);
	for (size_t i = 0; i < pages_nr; i++)
		put_bash_command(out, verb_of(&pages[i]), pages[i].command);
	for (const struct word *w = verb_words; w->verb; w++) {
		char verb[80];

		snprintf(verb, sizeof(verb), "%s %s", w->verb, w->name);
		if (w->command)
			put_bash_command(out, verb, w->command);
	}
	fputs("\tesac\n"
	      "\tif [[ $cur == -* ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tcase \"$COMP_CWORD $verb\" in\n",
	      out);
	for (const struct word *w = verb_words; w->verb; w++)
		put_bash_siblings(out, w);
	fputs("\t*) words= ;;\n\tesac\n"
	      "\tCOMPREPLY=($(compgen -f -W \"$words\" -- \"$cur\"))\n"
	      "}\n"
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

static void put_zsh_value(FILE *out, const struct sup_command *command,
			  const struct sup_opt *opt)
{
	static const char *const actions[] = {
		[VALUE_OTHER] = ": ",
		[VALUE_FILE] = ":_files",
		[VALUE_PIDS] = ":_perfpair_pids",
		[VALUE_USER] = ":_users",
		[VALUE_EVENT] = ":_perfpair_events",
	};
	char words[4096];
	enum value value = value_of(command, opt, words, sizeof(words));

	if (value == VALUE_WORD)
		fprintf(out, ":(%s)", words);
	else if (value == VALUE_LIST)
		fprintf(out, ":_values -s , key %s", words);
	else
		fputs(actions[value], out);
}

static void put_zsh_option(FILE *out, const struct sup_command *command,
			   const struct sup_opt *opt, const char *name,
			   bool is_long)
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
		put_zsh_value(out, command, opt);
	}
	fputs("' \\\n", out);
}

static void put_zsh_command(FILE *out, const char *name,
			    const struct sup_command *command)
{
	const struct sup_opt *o;
	char word[80];

	fprintf(out, "_perfpair_%s() {\n\t_arguments -s -S \\\n", name);
	for (size_t k = 0; (o = sup_command_opt(command, k)); k++) {
		if (!is_shown(o))
			continue;
		if (o->short_name) {
			snprintf(word, sizeof(word), "-%c", o->short_name);
			put_zsh_option(out, command, o, word, false);
		}
		if (o->long_name) {
			snprintf(word, sizeof(word), "--%s", o->long_name);
			put_zsh_option(out, command, o, word, true);
		}
	}
	fputs("\t\t'--help[print the options]' ", out);
	fputs(strstr(command->usage, "COMMAND") ? "'*:::command:_normal'\n}\n"
						: "'*:file:_files'\n}\n",
	      out);
}

static void put_zsh_word(FILE *out, const struct word *w)
{
	fprintf(out,
		"\tif [[ $verb == %s && CURRENT -eq 2 ]]; then\n\t\tcompadd ",
		w->verb);
	put_siblings(out, w);
	fputs("\n\tfi\n", out);
	if (w->command)
		fprintf(out,
			"\tif [[ \"$verb $words[2]\" == '%s %s' && CURRENT -gt "
			"2 ]]; then\n"
			"\t\tshift words; (( CURRENT-- ))\n"
			"\t\t_perfpair_%s_%s\n\t\treturn\n\tfi\n",
			w->verb, w->name, w->verb, w->name);
}

static void write_zsh(const char *folder)
{
	FILE *out = open_at(folder, "_perfpair", "", "w");

	fputs("#compdef perfpair perfpair-record\n"
	      "# zsh completion of perfpair, made from its option tables.\n"
	      "_perfpair_events() {\n"
	      "\tlocal -a events=(${(f)\"$(" EVENTS ")\"})\n"
	      "\tcompset -P '*,'\n\tcompadd -a events\n}\n"
	      "_perfpair_pids() {\n"
	      "\tcompset -P '*,'\n\tcompadd -- /proc/[0-9]*(:t)\n}\n",
	      out);
	for (size_t i = 0; i < pages_nr; i++)
		put_zsh_command(out, verb_of(&pages[i]), pages[i].command);
	for (const struct word *w = verb_words; w->verb; w++) {
		char name[80];

		snprintf(name, sizeof(name), "%s_%s", w->verb, w->name);
		if (w->command)
			put_zsh_command(out, name, w->command);
	}
	fputs("if [[ $service == perfpair-record ]]; then\n"
	      "\t_perfpair_record\n\treturn\nfi\n"
	      "if (( CURRENT == 2 )) || [[ ${words[2]} == help ]]; then\n"
	      "\tlocal -a verbs=(\n",
	      out);
	for (size_t i = 0; i < pages_nr; i++) {
		fprintf(out, "\t\t'%s:", verb_of(&pages[i]));
		put_quoted(out, pages[i].summary, ":\\");
		fputs("'\n", out);
	}
	fputs("\t)\n\t_describe command verbs\nelse\n"
	      "\tlocal verb=${words[2]}\n"
	      "\tshift words; (( CURRENT-- ))\n",
	      out);
	for (const struct word *w = verb_words; w->verb; w++)
		put_zsh_word(out, w);
	fputs("\t(( $+functions[_perfpair_$verb] )) && _perfpair_$verb\nfi\n",
	      out);
	close_written(out);
}

static void put_fish_value(FILE *out, const struct sup_command *command,
			   const struct sup_opt *opt)
{
	static const char *const actions[] = {
		[VALUE_OTHER] = " -x",
		[VALUE_FILE] = " -r -F",
		[VALUE_PIDS] =
			" -x -a '(__fish_append , (__fish_complete_pids))'",
		[VALUE_USER] = " -x -a '(__fish_complete_users)'",
		[VALUE_EVENT] =
			" -x -a '(__fish_append , (__perfpair_events))'",
	};
	char words[4096];
	enum value value = value_of(command, opt, words, sizeof(words));

	if (value == VALUE_WORD)
		fprintf(out, " -x -a '%s'", words);
	else if (value == VALUE_LIST)
		fprintf(out, " -x -a '(__fish_append , %s)'", words);
	else
		fputs(actions[value], out);
}

static void put_fish_option(FILE *out, const char *condition,
			    const struct sup_command *command,
			    const struct sup_opt *opt)
{
	fprintf(out, "complete %s", condition);
	if (opt->short_name)
		fprintf(out, " -s %c", opt->short_name);
	if (opt->long_name)
		fprintf(out, " -l %s", opt->long_name);
	if (takes_value(opt) && !(opt->flags & SUP_OPT_ARG_OPTIONAL))
		put_fish_value(out, command, opt);
	fputs(" -d '", out);
	for (const char *at = opt->help; *at; at++) {
		if (*at == '\'' || *at == '\\')
			fputc('\\', out);
		fputc(*at == '\n' ? ' ' : *at, out);
	}
	fputs("'\n", out);
}

static void put_fish_command(FILE *out, const char *condition,
			     const struct sup_command *command)
{
	const struct sup_opt *o;

	for (size_t k = 0; (o = sup_command_opt(command, k)); k++)
		if (is_shown(o))
			put_fish_option(out, condition, command, o);
}

/* The condition under which options of a command are completed: another one has
 * those of a word behind it. */
static void put_fish_verb(FILE *out, const struct page *page)
{
	char condition[300];
	int len;

	len = snprintf(condition, sizeof(condition),
		       "-c perfpair -n '__fish_seen_subcommand_from %s",
		       verb_of(page));
	for (const struct word *w = verb_words; w->verb; w++)
		if (w->command && !strcmp(w->verb, verb_of(page)))
			len += snprintf(condition + len,
					sizeof(condition) - (size_t)len,
					"; and not __fish_seen_subcommand_from "
					"%s",
					w->name);
	snprintf(condition + len, sizeof(condition) - (size_t)len, "'");
	put_fish_command(out, condition, page->command);
	if (strstr(page->command->usage, "COMMAND"))
		fprintf(out,
			"complete -c perfpair -n '__fish_seen_subcommand_from "
			"%s; and contains -- -- (commandline -opc)' -x -a "
			"'(__perfpair_command)'\n",
			verb_of(page));
}

static void put_fish_word(FILE *out, const struct word *w)
{
	char condition[200];

	fprintf(out,
		"complete -c perfpair -n '__fish_seen_subcommand_from %s; and "
		"test (count (commandline -opc)) = 2' -a %s\n",
		w->verb, w->name);
	snprintf(condition, sizeof(condition),
		 "-c perfpair -n '__fish_seen_subcommand_from %s; and "
		 "__fish_seen_subcommand_from %s'",
		 w->verb, w->name);
	if (w->command)
		put_fish_command(out, condition, w->command);
}

static void write_fish(const char *folder)
{
	FILE *out = open_at(folder, "perfpair", ".fish", "w");

	fputs("# fish completion of perfpair, made from its option tables.\n"
	      "function __perfpair_events\n\t" EVENTS "\nend\n"
	      "function __perfpair_command\n"
	      "\tset -l words (commandline -opc)\n"
	      "\tset -l at (contains -i -- -- $words)\n"
	      "\tcomplete -C (string join ' ' -- $words[(math $at + 1)..] "
	      "(commandline -ct))\nend\n"
	      "complete -c perfpair -f -n '__fish_seen_subcommand_from help' "
	      "-a '",
	      out);
	for (size_t i = 0; i < pages_nr; i++)
		fprintf(out, "%s ", verb_of(&pages[i]));
	fputs("'\n", out);
	for (size_t i = 0; i < pages_nr; i++) {
		fprintf(out,
			"complete -c perfpair -f -n __fish_use_subcommand "
			"-a %s -d '",
			verb_of(&pages[i]));
		put_quoted(out, pages[i].summary, "");
		fputs("'\n", out);
		put_fish_verb(out, &pages[i]);
		if (!pages[i].verb)
			put_fish_command(out, "-c perfpair-record",
					 pages[i].command);
	}
	for (const struct word *w = verb_words; w->verb; w++)
		put_fish_word(out, w);
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
