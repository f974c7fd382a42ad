#include "report/elf/kcore.h"

#include "report/base/memory.h"
#include "report/elf/elf_file.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rpt_kcore_beside(const char *kallsyms, const char *name,
		      char path[PATH_MAX])
{
	const char *slash = strrchr(kallsyms, '/');
	const char *base = slash ? slash + 1 : kallsyms;
	int len;

	if (strcmp(base, "kallsyms") != 0)
		return false;
	len = snprintf(path, PATH_MAX, "%.*s%s", (int)(base - kallsyms),
		       kallsyms, name);
	return len > 0 && len < PATH_MAX;
}

bool rpt_kcore_read(struct rpt_kcore *ret, const char *path)
{
	struct pd_err err = PD_ERR_INIT;
	/* a link could lead to what a process had in its memory */
	const struct sup_name name = { .path = path, .is_open_to_all = true };
	struct rpt_elf *file = rpt_elf_open_for(&name, &err);
	struct rpt_kcore kcore = { 0 };

	if (!file)
		return false;
	kcore.parts = rpt_alloc_zeroed(file->loads_nr, sizeof(*kcore.parts));
	for (size_t i = 0; i < file->loads_nr; i++) {
		const GElf_Phdr *load = &file->loads[i];
		uint64_t len = load->p_filesz < load->p_memsz ? load->p_filesz
							      : load->p_memsz;

		if (!(load->p_flags & PF_R) || !len ||
		    load->p_vaddr > UINT64_MAX - len)
			continue;
		kcore.parts[kcore.nr++] =
			(struct rpt_kcore_part){ load->p_vaddr,
						 load->p_vaddr + len };
	}
	rpt_elf_close(file);
	if (!kcore.nr) {
		free(kcore.parts);
		return false;
	}
	*ret = kcore;
	return true;
}

void rpt_kcore_release(struct rpt_kcore *kcore)
{
	free(kcore->parts);
	*kcore = (struct rpt_kcore){ 0 };
}

const struct rpt_kcore_part *rpt_kcore_at(const struct rpt_kcore *kcore,
					  uint64_t addr)
{
	const struct rpt_kcore_part *found = NULL;

	for (size_t i = 0; i < kcore->nr; i++) {
		const struct rpt_kcore_part *part = &kcore->parts[i];

		if (addr < part->start || addr >= part->end)
			continue;
		if (!found ||
		    part->end - part->start < found->end - found->start)
			found = part;
	}
	return found;
}

/* Find the address in a line "ext4 999424 1 - Live 0xffffffffc0123000 (E)". */
static bool address_of(const char *line, const char *end, uint64_t *ret_addr)
{
	const char *at = memmem(line, (size_t)(end - line), " 0x", 3);

	if (!at)
		return false;
	*ret_addr = strtoull(at + 1, NULL, 16);
	return true;
}

bool rpt_kcore_module(const char *modules, const char *name, uint64_t *ret_addr)
{
	size_t len = strlen(name);
	const char *line, *end;

	if (len < 2 || name[len - 1] != ']')
		return false;
	len -= 2; /* brackets */
	for (line = modules; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (!strncmp(line, name + 1, len) && line[len] == ' ')
			return address_of(line, end, ret_addr);
	}
	return false;
}
