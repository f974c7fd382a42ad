#include "report/commands/running_maps.h"

#include "report/base/memory.h"
#include "format/support/safe_text.h"
#include "report/base/whole_file.h"
#include "report/cli/recording_input.h"
#include "report/symbols/dso_class.h"
#include "report/symbols/kernel_origin.h"

#include "format/records/build_id.h"
#include "format/symtab/kallsyms_line.h"
#include "format/support/message.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define NAME_LEN 64 /* of a module: less in Linux (MODULE_NAME_LEN) */

static const size_t text_len_max = (size_t)64 << 20;

/* A loaded module. */
struct module {
	uint64_t start;
	uint64_t end;
	char name[NAME_LEN + 2]; /* "[ext4]" */
	const char *file;	 /* in the text of modules.dep; NULL: unknown */
};

struct modules {
	struct module *items; /* owned */
	uint32_t nr;
	uint32_t cap;
};

static void print_row(const uint8_t *build_id, uint8_t build_id_len,
		      uint64_t start, uint64_t end, const char *name)
{
	char hex[PD_BUILD_ID_HEX_LEN];

	pd_build_id_hex(build_id, build_id_len, hex);
	printf("%s %16" PRIx64 " %16" PRIx64 " ", hex, start, end);
	sup_put_safe_text(stdout, name);
	putchar('\n');
}

/* Return false if the addresses are hidden or unknown: then they are the whole
 * range, as perf prints it. */
static bool find_kernel(uint64_t *ret_start, uint64_t *ret_end)
{
	struct pd_err err = PD_ERR_INIT;
	uint64_t addrs[PD_KERNEL_BOUND_NR + 1] = { 0 };
	size_t len;
	char *text = rpt_whole_file("/proc/kallsyms", text_len_max, &len, &err);
	char *left = text;

	while (left) {
		const char *at = strsep(&left, "\n");
		struct pd_kallsyms_line line;

		if (pd_kallsyms_line_read((struct pd_str){ at, strlen(at) },
					  &line))
			addrs[pd_kernel_bound_of(&line)] = line.addr;
	}
	free(text);
	*ret_start =
		addrs[addrs[PD_KERNEL_TEXT] ? PD_KERNEL_TEXT : PD_KERNEL_STEXT];
	*ret_end = addrs[addrs[PD_KERNEL_EDATA] ? PD_KERNEL_EDATA
						: PD_KERNEL_ETEXT];
	if (*ret_start && *ret_end > *ret_start)
		return true;
	*ret_start = 0;
	*ret_end = UINT64_MAX;
	return false;
}

/* Parse "ext4 987136 1 - Live 0xffffffffa0200000 (E)". */
static bool parse_module(const char *line, struct module *ret)
{
	char name[NAME_LEN];
	uint64_t len;

	if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s 0x%" SCNx64, name, &len,
		   &ret->start) != 3 ||
	    len > UINT64_MAX - ret->start)
		return false;
	ret->end = ret->start + len;
	ret->file = NULL;
	snprintf(ret->name, sizeof(ret->name), "[%s]", name);
	return true;
}

static int compare_modules(const void *a, const void *b)
{
	const struct module *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void read_modules(struct modules *modules)
{
	struct pd_err err = PD_ERR_INIT;
	size_t len;
	char *text = rpt_whole_file("/proc/modules", text_len_max, &len, &err);
	char *left = text;

	while (left) {
		const char *line = strsep(&left, "\n");
		struct module module;

		if (!parse_module(line, &module))
			continue;
		modules->items = rpt_grow(modules->items, &modules->cap,
					  modules->nr, sizeof(module));
		modules->items[modules->nr++] = module;
	}
	free(text);
	if (modules->nr)
		qsort(modules->items, modules->nr, sizeof(*modules->items),
		      compare_modules);
}

/* Set the files of the modules that the text of modules.dep names, which is
 * changed: "kernel/fs/ext4/ext4.ko: kernel/fs/jbd2/jbd2.ko ..." */
static void find_files(const struct modules *modules, char *text)
{
	while (text) {
		char *file = strsep(&text, "\n");
		char name[PATH_MAX];

		file[strcspn(file, ":")] = '\0';
		if (!rpt_module_name(file, name, sizeof(name)))
			continue;
		for (uint32_t i = 0; i < modules->nr; i++)
			if (!strcmp(modules->items[i].name, name))
				modules->items[i].file = file;
	}
}

static void print_module(const struct module *module, const char *dir)
{
	uint8_t id[RPT_BUILD_ID_MAX];
	char name[NAME_LEN + 2], path[PATH_MAX];
	uint8_t id_len;

	snprintf(name, sizeof(name), "%.*s", (int)strlen(module->name) - 2,
		 module->name + 1);
	id_len = rpt_running_module_build_id(name, id);
	if (!module->file)
		snprintf(path, sizeof(path), "%s", module->name);
	else if (*module->file == '/')
		snprintf(path, sizeof(path), "%s", module->file);
	else
		snprintf(path, sizeof(path), "%s/%s", dir, module->file);
	print_row(id, id_len, module->start, module->end, path);
}

static void print_modules(void)
{
	struct modules modules = { 0 };
	struct pd_err err = PD_ERR_INIT;
	struct utsname host = { 0 };
	char dir[sizeof(host.release) + 16], path[sizeof(dir) + 16];
	char *dep;
	size_t len;

	uname(&host);
	snprintf(dir, sizeof(dir), "/lib/modules/%s", host.release);
	snprintf(path, sizeof(path), "%s/modules.dep", dir);
	read_modules(&modules);
	dep = rpt_whole_file(path, text_len_max, &len, &err);
	find_files(&modules, dep);
	for (uint32_t i = 0; i < modules.nr; i++)
		print_module(&modules.items[i], dir);
	free(dep);
	free(modules.items);
}

int rpt_running_maps_print(void)
{
	uint8_t id[RPT_BUILD_ID_MAX];
	uint8_t id_len = rpt_running_build_id(id);
	uint64_t start, end;

	if (!find_kernel(&start, &end))
		sup_message("/proc/kallsyms does not show the kernel's "
			    "addresses: root sees them, unless "
			    "kernel.kptr_restrict is 2");
	print_row(id, id_len, start, end, "[kernel.kallsyms]");
	print_modules();
	return RPT_EXIT_OK;
}
