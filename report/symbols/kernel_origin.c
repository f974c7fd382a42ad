#include "report/symbols/kernel_origin.h"

#include "report/base/whole_file.h"
#include "report/symbols/dso.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

#define NOTES_MAX_LEN ((size_t)1 << 20)

static size_t padded(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* Read the build-id out of a file of ELF notes. */
static uint8_t read_notes(const char *path, uint8_t ret[RPT_BUILD_ID_MAX])
{
	struct pd_err err = PD_ERR_INIT;
	size_t len, off = 0;
	char *notes = rpt_whole_file(path, NOTES_MAX_LEN, &len, &err);
	uint8_t id_len = 0;
	Elf64_Nhdr note;

	while (notes && len - off >= sizeof(note)) {
		const char *name = notes + off + sizeof(note);
		size_t body_len;

		memcpy(&note, notes + off, sizeof(note));
		body_len = padded(note.n_namesz) + padded(note.n_descsz);
		if (body_len > len - off - sizeof(note))
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(name, "GNU", 4) == 0 &&
		    note.n_descsz <= RPT_BUILD_ID_MAX) {
			id_len = (uint8_t)note.n_descsz;
			memcpy(ret, name + 4, id_len);
			break;
		}
		off += sizeof(note) + body_len;
	}
	free(notes);
	return id_len;
}

uint8_t rpt_running_build_id(uint8_t ret[RPT_BUILD_ID_MAX])
{
	return read_notes("/sys/kernel/notes", ret);
}

uint8_t rpt_running_module_build_id(const char *name,
				    uint8_t ret[RPT_BUILD_ID_MAX])
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id",
		 name);
	return read_notes(path, ret);
}

void rpt_symbols_set_origin(struct rpt_symbols *symbols, const char *release,
			    const char *machine)
{
	struct rpt_kernel_origin *origin = &symbols->origin;

	rpt_kernel_origin_release(origin);
	origin->release = strdup(release);
	origin->machine = strdup(machine);
	origin->is_recorded = true;
}

void rpt_kernel_origin_release(struct rpt_kernel_origin *origin)
{
	free(origin->release);
	free(origin->machine);
	origin->release = origin->machine = NULL;
	origin->is_recorded = false;
	atomic_store(&origin->is_here, 0);
}

bool rpt_have_one_origin(const struct rpt_kernel_origin *a,
			 const struct rpt_kernel_origin *b)
{
	return a->is_recorded == b->is_recorded &&
	       (!a->is_recorded || (!strcmp(a->release, b->release) &&
				    !strcmp(a->machine, b->machine)));
}

/* Return whether the recorded map of the kernel is where the running one is.
 * perf's map ends at one of these symbols; a kernel has one of them or both. */
static bool is_at_running_address(const struct rpt_kernel *kernel)
{
	static const char *const ends[] = { "_etext", "_edata" };
	uint64_t addr;
	bool is_same = false;

	if (!kernel->ref_addr || !kernel->ref_name ||
	    !rpt_kallsyms_look_for(RPT_RUNNING_KALLSYMS, kernel->ref_name,
				   &addr) ||
	    addr != kernel->ref_addr)
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && !is_same; i++)
		is_same = rpt_kallsyms_look_for(RPT_RUNNING_KALLSYMS, ends[i],
						&addr) &&
			  addr == kernel->end;
	return is_same;
}

static bool compare(const struct rpt_symbols *symbols)
{
	const struct rpt_kernel_origin *origin = &symbols->origin;
	const struct rpt_kernel *kernel = &symbols->kernel;
	uint8_t id[RPT_BUILD_ID_MAX];
	struct utsname host;

	if (kernel->build_id_len)
		return rpt_is_same_build_id(kernel->build_id,
					    kernel->build_id_len, id,
					    rpt_running_build_id(id));
	if (!origin->is_recorded)
		return true;
	if (uname(&host) != 0 ||
	    (*origin->release && strcmp(origin->release, host.release) != 0) ||
	    (*origin->machine && strcmp(origin->machine, host.machine) != 0))
		return false;
	return *origin->release || is_at_running_address(kernel);
}

bool rpt_is_kernel_here(struct rpt_symbols *symbols)
{
	int is_here = atomic_load(&symbols->origin.is_here);

	if (!is_here) {
		is_here = compare(symbols) ? 1 : -1;
		atomic_store(&symbols->origin.is_here, is_here);
	}
	return is_here > 0;
}

static const char *or_unknown(const char *text)
{
	return *text ? text : "unknown";
}

bool rpt_kernel_origin_text(const struct rpt_symbols *symbols, char *ret,
			    size_t len)
{
	static const char help[] = "addresses only; --kallsyms FILE or -k "
				   "VMLINUX of that kernel gives names";
	const struct rpt_kernel_origin *origin = &symbols->origin;
	struct utsname host;

	if (symbols->kernel.build_id_len || !origin->is_recorded ||
	    uname(&host) != 0)
		return false;
	if (*origin->release || *origin->machine)
		snprintf(ret, len,
			 "recorded on Linux %.64s, %.32s; here is %.64s, "
			 "%.32s: %s",
			 or_unknown(origin->release),
			 or_unknown(origin->machine), host.release,
			 host.machine, help);
	else
		snprintf(ret, len,
			 "the recording does not name its kernel, whose "
			 "address is not that of the kernel here: %s",
			 help);
	return true;
}

/* A machine runs its own programs, and those of its 32-bit variant. */
bool rpt_runs_on_origin(const struct rpt_symbols *symbols, unsigned e_machine)
{
	static const struct {
		const char *start; /* of the machine's name in uname(2) */
		uint16_t machines[2];
	} known[] = {
		{ "x86_64", { EM_X86_64, EM_386 } },
		{ "i386", { EM_386, EM_386 } },
		{ "i486", { EM_386, EM_386 } },
		{ "i586", { EM_386, EM_386 } },
		{ "i686", { EM_386, EM_X86_64 } },
		{ "aarch64", { EM_AARCH64, EM_ARM } },
		{ "arm64", { EM_AARCH64, EM_ARM } },
		{ "arm", { EM_ARM, EM_AARCH64 } },
		{ "ppc", { EM_PPC, EM_PPC64 } },
		{ "s390", { EM_S390, EM_S390 } },
		{ "riscv", { EM_RISCV, EM_RISCV } },
		{ "loongarch", { EM_LOONGARCH, EM_LOONGARCH } },
		{ "mips", { EM_MIPS, EM_MIPS } },
		{ "sparc", { EM_SPARC, EM_SPARCV9 } },
	};
	const struct rpt_kernel_origin *origin = &symbols->origin;

	for (size_t i = 0;
	     origin->is_recorded && i < sizeof(known) / sizeof(known[0]); i++) {
		const char *start = known[i].start;

		if (!strncmp(origin->machine, start, strlen(start)))
			return e_machine == known[i].machines[0] ||
			       e_machine == known[i].machines[1];
	}
	return true;
}
