#include "report/annotate/code_bytes.h"

#include "report/base/memory.h"
#include "report/elf/kcore.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/dso.h"
#include "report/symbols/inline_frames.h"

#include "format/support/whole_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Find the file's section with code at an address.  Debug files have sections
 * without bytes (SHT_NOBITS), which do not count. */
static bool section_of(const struct rpt_elf *file, uint64_t addr,
		       struct rpt_elf_section *ret)
{
	for (size_t i = 1; rpt_elf_section_at(file, i, ret); i++)
		if (ret->shdr.sh_type == SHT_PROGBITS &&
		    (ret->shdr.sh_flags & SHF_ALLOC) &&
		    addr >= ret->shdr.sh_addr &&
		    addr - ret->shdr.sh_addr < ret->shdr.sh_size)
			return true;
	return false;
}

/* Copy len bytes at an address of the file's sections.  Return false if it has
 * none; it may have fewer. */
static bool code_take(const struct rpt_elf *file, uint64_t addr, uint64_t len,
		      struct rpt_code_bytes *ret)
{
	struct rpt_elf_section section;
	size_t file_len;
	const char *raw = elf_rawfile(file->elf, &file_len);
	uint64_t off, left;

	if (!raw || !section_of(file, addr, &section))
		return false;
	off = addr - section.shdr.sh_addr;
	left = section.shdr.sh_size - off;
	if (section.shdr.sh_offset > file_len ||
	    off >= file_len - section.shdr.sh_offset)
		return false;
	off += section.shdr.sh_offset;
	if (left > file_len - off)
		left = file_len - off;
	ret->len = (size_t)(len < left ? len : left);
	ret->data = rpt_alloc(ret->len + 1);
	memcpy(ret->data, raw + off, ret->len);
	ret->start = addr;
	return true;
}

static bool take_local(struct rpt_dso *dso, uint64_t off, uint64_t len,
		       struct rpt_code_bytes *ret, uint16_t *ret_machine)
{
	const struct rpt_dso *loaded = rpt_dso_loaded(dso);
	const struct rpt_elf *files[] = { loaded->files.runtime,
					  loaded->files.debug };
	uint64_t addr;

	for (size_t i = 0; i < 2; i++) {
		if (!files[i] || !rpt_elf_off_to_addr(files[i], off, &addr))
			continue;
		*ret_machine = files[i]->ehdr.e_machine;
		if (code_take(files[i], addr, len, ret))
			return true;
	}
	return false;
}

/* Copy as many of len bytes from off on as the runs have in one piece. */
static void join_runs(const struct pd_carried_run *runs, uint32_t nr,
		      uint64_t off, uint64_t len, struct rpt_code_bytes *ret)
{
	ret->data = rpt_alloc((size_t)len + 1);
	ret->len = 0;
	for (uint32_t i = 0; i < nr && ret->len < len; i++) {
		uint64_t at = off + ret->len, skip;
		size_t left = (size_t)len - ret->len;

		if (runs[i].off > at || at - runs[i].off >= runs[i].len)
			continue;
		skip = at - runs[i].off;
		if (left > runs[i].len - skip)
			left = (size_t)(runs[i].len - skip);
		memcpy(ret->data + ret->len, runs[i].data + skip, left);
		ret->len += left;
	}
}

static bool take_carried(struct rpt_dso *dso, uint64_t off, uint64_t len,
			 const struct pd_carried_code *code,
			 struct rpt_code_bytes *ret, uint16_t *ret_machine)
{
	const struct pd_carried *carried = &dso->owner->carried;
	const struct pd_carried_file *f = rpt_dso_carried_file(dso);
	const struct pd_carried_run *runs;
	uint32_t nr;

	if (!code || !f || dso->names.carried.from != carried)
		return false;
	runs = pd_carried_code_of(code, (uint32_t)(f - carried->files), &nr);
	if (!runs)
		return false;
	join_runs(runs, nr, off, len, ret);
	if (!ret->len) {
		free(ret->data);
		ret->data = NULL;
		return false;
	}
	ret->start = rpt_dso_file_addr(dso, off);
	ret->is_carried = true;
	*ret_machine = f->machine;
	return true;
}

static int set_arch(struct rpt_code_bytes *ret, uint16_t machine,
		    struct pd_err *err)
{
	switch (machine) {
	case EM_X86_64:
		ret->arch = RPT_CODE_X86_64;
		return 0;
	case EM_386:
		ret->arch = RPT_CODE_X86_32;
		return 0;
	case EM_AARCH64:
		ret->arch = RPT_CODE_ARM64;
		return 0;
	default:
		return pd_err_set(err, -ENOTSUP,
				  "its code is of ELF machine %u: only x86 "
				  "and arm64 are disassembled",
				  machine);
	}
}

static bool is_of_kernel(const struct rpt_dso *dso)
{
	return dso->kind == RPT_DSO_KERNEL || dso->kind == RPT_DSO_MODULE;
}

/* Say why there is no code. */
static int set_missing(struct rpt_dso *dso, struct pd_err *err)
{
	const char *problem = rpt_dso_problem(dso);
	int rc;

	if (is_of_kernel(dso)) {
		rc = pd_err_set(err, -ENOENT,
				"no code: there is no vmlinux of the recorded "
				"kernel here, and its memory cannot be read");
		pd_err_hint(err, "-k FILE names a vmlinux; the memory of the "
				 "running kernel is /proc/kcore, which root "
				 "may read");
		return rc;
	}
	rc = pd_err_set(err, -ENOENT, "no code: %s",
			problem ? problem
				: "no file here has it, nor the recording");
	pd_err_hint(err, "perfpair carry --code puts it into the recording, "
			 "on a machine that has the file");
	return rc;
}

static bool read_all(int fd, void *to, size_t len, uint64_t off)
{
	return sup_read_at(fd, to, len, off) == (ssize_t)len;
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
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
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

/* Find the code of a symbol of the kernel or of a module.  Return false if
 * there is none. */
static bool kernel_bytes_find(struct rpt_dso *dso, const struct rpt_symbol *sym,
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
	if (vmlinux && code_take(vmlinux, addr + add, len, ret)) {
		*ret_machine = vmlinux->ehdr.e_machine;
		return true;
	}
	return kcore_path(symbols, path) &&
	       rpt_kcore_take(path, addr + add, len, ret, ret_machine);
}

int rpt_code_bytes_find(struct rpt_dso *dso, const struct rpt_symbol *sym,
			const struct pd_carried_code *carried,
			struct rpt_code_bytes *ret, struct pd_err *err)
{
	uint64_t len = sym->end - sym->start;
	uint16_t machine = EM_NONE;
	bool is_found;

	memset(ret, 0, sizeof(*ret));
	if (len > RPT_ANNOTATION_LEN_MAX)
		len = RPT_ANNOTATION_LEN_MAX;
	if (is_of_kernel(dso))
		is_found = kernel_bytes_find(dso, sym, len, ret, &machine);
	else
		is_found = (dso->kind == RPT_DSO_USER ||
			    dso->kind == RPT_DSO_VDSO) &&
			   (take_local(dso, sym->start, len, ret, &machine) ||
			    take_carried(dso, sym->start, len, carried, ret,
					 &machine));
	return is_found ? set_arch(ret, machine, err) : set_missing(dso, err);
}
