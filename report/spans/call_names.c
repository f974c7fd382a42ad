#include "report/spans/call_names.h"

#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libseccomp.so.2"

/* __AUDIT_ARCH_64BIT and _LE of linux/audit.h; the rest is the ELF machine */
#define WIDE   UINT32_C(0x80000000)
#define LITTLE UINT32_C(0x40000000)

#define EM_OF_LOONGARCH 258 /* newer than some elf.h */

/* Machines by the beginning of their names, the longer ones first. */
static const struct {
	const char *machine;
	uint32_t arch;
} arches[] = {
	{ "x86_64", EM_X86_64 | WIDE | LITTLE },
	{ "i386", EM_386 | LITTLE },
	{ "i486", EM_386 | LITTLE },
	{ "i586", EM_386 | LITTLE },
	{ "i686", EM_386 | LITTLE },
	{ "aarch64", EM_AARCH64 | WIDE | LITTLE },
	{ "arm", EM_ARM | LITTLE },
	{ "ppc64le", EM_PPC64 | WIDE | LITTLE },
	{ "ppc64", EM_PPC64 | WIDE },
	{ "ppc", EM_PPC },
	{ "s390x", EM_S390 | WIDE },
	{ "riscv64", EM_RISCV | WIDE | LITTLE },
	{ "loongarch64", EM_OF_LOONGARCH | WIDE | LITTLE },
};

static uint32_t arch_of(struct pd_str machine)
{
	for (size_t i = 0; i < sizeof(arches) / sizeof(*arches); i++) {
		size_t len = strlen(arches[i].machine);

		if (machine.len >= len &&
		    !memcmp(machine.ptr, arches[i].machine, len))
			return arches[i].arch;
	}
	return 0;
}

void rpt_call_names_init(struct rpt_call_names *names, struct pd_str machine)
{
	*names = (struct rpt_call_names){
		.arch = arch_of(machine),
		.library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL),
	};
	/* in POSIX a function pointer fits in a void * */
	if (names->library)
		*(void **)&names->resolve = dlsym(
			names->library, "seccomp_syscall_resolve_num_arch");
}

void rpt_call_names_release(struct rpt_call_names *names)
{
	if (names->library)
		dlclose(names->library);
}

bool rpt_call_names_find(const struct rpt_call_names *names, int64_t number,
			 char ret[RPT_CALL_NAME_LEN])
{
	bool is_known = names->resolve && names->arch && number >= 0 &&
			number <= INT_MAX;
	char *name = is_known ? names->resolve(names->arch, (int)number) : NULL;

	if (name)
		snprintf(ret, RPT_CALL_NAME_LEN, "%s", name);
	else
		snprintf(ret, RPT_CALL_NAME_LEN, "syscall_%" PRId64, number);
	is_known = name != NULL;
	free(name); /* the library's contract */
	return is_known;
}
