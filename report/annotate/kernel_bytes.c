#include "report/annotate/kernel_bytes.h"

#include "report/base/memory.h"
#include "report/elf/kcore.h"
#include "report/symbols/dso.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_all(int fd, void *to, size_t len, uint64_t off)
{
	char *at = to;

	while (len) {
		ssize_t nr = off > (uint64_t)INT64_MAX - len
				     ? -1
				     : pread(fd, at, len, (off_t)off);

		if (nr <= 0)
			return false;
		at += nr;
		off += (uint64_t)nr;
		len -= (size_t)nr;
	}
	return true;
}

/* Find the header of the part of memory that holds addr. */
static bool find_part(int fd, uint64_t addr, Elf64_Phdr *ret,
		      uint16_t *ret_machine)
{
	Elf64_Ehdr head;

	if (!read_all(fd, &head, sizeof(head), 0) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_ident[EI_DATA] != ELFDATA2LSB ||
	    head.e_phentsize != sizeof(*ret))
		return false;
	*ret_machine = head.e_machine;
	for (uint64_t i = 0; i < head.e_phnum; i++) {
		if (!read_all(fd, ret, sizeof(*ret),
			      head.e_phoff + i * sizeof(*ret)))
			return false;
		if (ret->p_type == PT_LOAD && addr >= ret->p_vaddr &&
		    addr - ret->p_vaddr < ret->p_filesz)
			return true;
	}
	return false;
}

bool rpt_kcore_take(const char *path, uint64_t addr, uint64_t len,
		    struct rpt_code_bytes *ret, uint16_t *ret_machine)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_found = false;
	struct stat stat;
	Elf64_Phdr part;
	uint64_t left;

	if (fd < 0)
		return false;
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode) &&
	    find_part(fd, addr, &part, ret_machine)) {
		left = part.p_filesz - (addr - part.p_vaddr);
		ret->len = (size_t)(len < left ? len : left);
		ret->data = rpt_alloc(ret->len + 1);
		ret->start = addr;
		is_found = read_all(fd, ret->data, ret->len,
				    part.p_offset + (addr - part.p_vaddr));
		if (!is_found) {
			free(ret->data);
			ret->data = NULL;
		}
	}
	close(fd);
	return is_found;
}

/* Return the file of the kernel's memory beside its names, or false. */
static bool kcore_path(const struct rpt_symbols *symbols, char path[PATH_MAX])
{
	const char *kallsyms = symbols->kernel_names.source.kallsyms;

	return kallsyms && rpt_kcore_beside(kallsyms, "kcore", path);
}

bool rpt_kernel_bytes_find(struct rpt_dso *dso, const struct rpt_symbol *sym,
			   uint64_t len, struct rpt_code_bytes *ret,
			   uint16_t *ret_machine)
{
	const struct rpt_dso *loaded = rpt_dso_loaded(dso);
	const struct rpt_symbols *symbols = loaded->owner;
	const struct rpt_elf *vmlinux = symbols->kernel_names.source.vmlinux;
	uint64_t add = symbols->kernel_names.add, addr = sym->start;
	char path[PATH_MAX];

	/* where a module lies now is not known: if kcore counts (kcore.h), its
	 * code is the kernel's */
	if (dso->kind != RPT_DSO_KERNEL || !addr)
		return false;
	if (vmlinux && rpt_code_take(vmlinux, addr + add, len, ret)) {
		*ret_machine = vmlinux->ehdr.e_machine;
		return true;
	}
	return kcore_path(symbols, path) &&
	       rpt_kcore_take(path, addr + add, len, ret, ret_machine);
}
