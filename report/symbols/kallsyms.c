#include "report/symbols/kallsyms.h"

#include "report/base/whole_file.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Real files have at most 20 MiB; hostile ones must not fill the memory. */
#define KALLSYMS_MAX_LEN ((size_t)32 * 1024 * 1024)
/* A name has at most 511 bytes, and so has that of a module. */
#define LINE_LEN 2048u

struct rpt_symbol rpt_kallsyms_symbol(const struct pd_kallsyms_line *line)
{
	const uint8_t info = pd_kallsyms_info(line->type);

	return (struct rpt_symbol){
		.start = line->addr,
		.end = line->addr,
		.name = line->text.ptr,
		.binding = (uint8_t)ELF64_ST_BIND(info),
		.type = (uint8_t)ELF64_ST_TYPE(info),
	};
}

static void add_line(struct rpt_kallsyms *kallsyms,
		     const struct pd_kallsyms_line *line)
{
	struct rpt_symbol sym = rpt_kallsyms_symbol(line);

	if (pd_kallsyms_line_counts(line))
		rpt_symbol_table_add(&kallsyms->kernel, &sym);
}

static void add_lines(struct rpt_kallsyms *kallsyms, char *text,
		      size_t text_len)
{
	char *end = text + text_len, *next;
	struct pd_kallsyms_line line;

	for (; text < end; text = next) {
		char *newline = memchr(text, '\n', (size_t)(end - text));
		struct pd_str whole = { text, 0 };

		whole.len = (size_t)((newline ? newline : end) - text);
		next = newline ? newline + 1 : end;
		if (newline)
			*newline = '\0';
		if (pd_kallsyms_line_read(whole, &line))
			add_line(kallsyms, &line);
	}
}

static bool is_hidden(const struct rpt_symbol_table *all)
{
	for (size_t i = 0; i < all->nr; i++)
		if (all->syms[i].start != 0)
			return false;
	return all->nr > 0;
}

struct rpt_symbol_table *
rpt_kallsyms_module(const struct rpt_kallsyms *kallsyms, const char *name)
{
	/* mostly the last: lines of one module follow each other */
	for (size_t i = kallsyms->modules_nr; i-- > 0;)
		if (strcmp(kallsyms->modules[i].name, name) == 0)
			return &kallsyms->modules[i].table;
	return NULL;
}

static struct rpt_symbol_table *add_module(struct rpt_kallsyms *kallsyms,
					   const char *name, bool raw_names)
{
	struct rpt_symbol_table *table = rpt_kallsyms_module(kallsyms, name);
	struct rpt_kallsyms_module *module;

	if (table)
		return table;
	kallsyms->modules =
		rpt_grow(kallsyms->modules, &kallsyms->modules_cap,
			 kallsyms->modules_nr, sizeof(*kallsyms->modules));
	module = &kallsyms->modules[kallsyms->modules_nr++];
	module->name = name;
	rpt_symbol_table_init(&module->table, raw_names);
	return &module->table;
}

/* Move the symbols of each module to its own table. */
static void split(struct rpt_kallsyms *kallsyms, bool raw_names)
{
	struct rpt_symbol_table *all = &kallsyms->kernel;
	size_t kernel_nr = 0;

	for (size_t i = 0; i < all->nr; i++) {
		struct rpt_symbol *sym = &all->syms[i];
		/* it is in kallsyms->text */
		char *tab = strchr((char *)(uintptr_t)sym->name, '\t');

		if (!tab) {
			all->syms[kernel_nr++] = *sym;
			continue;
		}
		sym->mark_len = (uint8_t)strlen(tab);
		*tab = '\0';
		rpt_symbol_table_add(add_module(kallsyms, tab + 1, raw_names),
				     sym);
	}
	all->nr = kernel_nr;
}

static void finish(struct rpt_kallsyms *kallsyms, bool raw_names)
{
	struct rpt_symbol_table *all = &kallsyms->kernel;

	kallsyms->is_hidden = is_hidden(all);
	if (kallsyms->is_hidden)
		all->nr = 0;
	rpt_symbol_table_fix_up(all, RPT_ENDS_KALLSYMS);
	all->raw_names = raw_names;
	split(kallsyms, raw_names);
}

void rpt_kallsyms_parse(struct rpt_kallsyms *kallsyms, char *text,
			size_t text_len, bool raw_names)
{
	memset(kallsyms, 0, sizeof(*kallsyms));
	kallsyms->text = text;
	/* aliases are chosen by the names as they are in the file; those are
	 * demangled only at a look-up */
	rpt_symbol_table_init(&kallsyms->kernel, true);
	add_lines(kallsyms, text, strnlen(text, text_len));
	finish(kallsyms, raw_names);
}

int rpt_kallsyms_read(struct rpt_kallsyms *kallsyms, const char *path,
		      bool raw_names, struct pd_err *err)
{
	size_t len;
	char *text = rpt_whole_file(path, KALLSYMS_MAX_LEN, &len, err);

	if (!text)
		return err->code;
	rpt_kallsyms_parse(kallsyms, text, len, raw_names);
	return 0;
}

void rpt_kallsyms_join(struct rpt_kallsyms *kallsyms)
{
	struct rpt_symbol_table *all = &kallsyms->kernel;

	for (size_t i = 0; i < kallsyms->modules_nr; i++) {
		struct rpt_symbol_table *table = &kallsyms->modules[i].table;

		for (size_t k = 0; k < table->nr; k++)
			rpt_symbol_table_add(all, &table->syms[k]);
		rpt_symbol_table_release(table);
	}
	kallsyms->modules_nr = 0;
}

static bool is_function_line(const char *text, const char *name,
			     uint64_t *ret_addr)
{
	struct pd_kallsyms_line line;

	if (!pd_kallsyms_line_read((struct pd_str){ text, strcspn(text, "\n") },
				   &line) ||
	    (!pd_kallsyms_is_code(line.type) && line.type != 'A') ||
	    !pd_str_eq(line.text, name))
		return false;
	*ret_addr = line.addr;
	return true;
}

bool rpt_kallsyms_look_for(const char *path, const char *name,
			   uint64_t *ret_addr)
{
	int fd = rpt_whole_file_open(path);
	bool is_found = false;
	char text[LINE_LEN];
	struct stat st;
	FILE *file = NULL;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && (uintmax_t)st.st_size <= KALLSYMS_MAX_LEN)
		file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return false;
	}
	while (!is_found && fgets(text, sizeof(text), file))
		is_found = is_function_line(text, name, ret_addr);
	fclose(file);
	return is_found;
}

void rpt_kallsyms_release(struct rpt_kallsyms *kallsyms)
{
	for (size_t i = 0; i < kallsyms->modules_nr; i++)
		rpt_symbol_table_release(&kallsyms->modules[i].table);
	free(kallsyms->modules);
	rpt_symbol_table_release(&kallsyms->kernel);
	free(kallsyms->text);
	memset(kallsyms, 0, sizeof(*kallsyms));
}
