/* arch_regs.c: the registers of each architecture in PERF_SAMPLE_REGS_*.
 *
 * Source: Linux v6.12 arch/ARCH/include/uapi/asm/perf_regs.h.
 */
#include "record/event/attr_config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <strings.h>

#ifdef __aarch64__
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))

/* Bit i of a mask is names[i]; NULL: cannot be sampled. */
struct arch_regs {
	const char *machine;
	const char *const *names;
	size_t nr;
	uint64_t minimum;  /* instruction and stack pointer */
	uint64_t link;	   /* return address of a call; 0: on the stack */
	uint64_t optional; /* not all of these machines have them */
};

/* The kernel refuses DS, ES, FS and GS in 64-bit mode. */
static const char *const x86_64_names[] = {
	"AX", "BX",    "CX",  "DX",  "SI",  "DI",  "BP",  "SP",
	"IP", "FLAGS", "CS",  "SS",  NULL,  NULL,  NULL,  NULL,
	"R8", "R9",    "R10", "R11", "R12", "R13", "R14", "R15",
};

static const char *const i686_names[] = {
	"AX", "BX",    "CX", "DX", "SI", "DI", "BP", "SP",
	"IP", "FLAGS", "CS", "SS", "DS", "ES", "FS", "GS",
};

static const char *const aarch64_names[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	       "x7",  "x8",
	"x9",  "x10", "x11", "x12", "x13", "x14", "x15",       "x16", "x17",
	"x18", "x19", "x20", "x21", "x22", "x23", "x24",       "x25", "x26",
	"x27", "x28", "x29", "lr",  "sp",  "pc",  [46] = "vg",
};

static const char *const arm_names[] = {
	"r0", "r1", "r2",  "r3", "r4", "r5", "r6", "r7",
	"r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};

static const char *const riscv64_names[] = {
	"pc", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
	"a1", "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
	"s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

#define BIT(n)	     (UINT64_C(1) << (n))
#define NAMES(names) names, ARRAY_NR(names)

static const struct arch_regs arches[] = {
	{ "x86_64", NAMES(x86_64_names), BIT(7) | BIT(8), 0, 0 },
	{ "i686", NAMES(i686_names), BIT(7) | BIT(8), 0, 0 },
	{ "i586", NAMES(i686_names), BIT(7) | BIT(8), 0, 0 },
	{ "aarch64", NAMES(aarch64_names), BIT(31) | BIT(32), BIT(30),
	  REC_REG_VG },
	{ "armv7l", NAMES(arm_names), BIT(13) | BIT(15), 0, 0 },
	{ "armv8l", NAMES(arm_names), BIT(13) | BIT(15), 0, 0 },
	{ "riscv64", NAMES(riscv64_names), BIT(0) | BIT(2), 0, 0 },
};

static const struct arch_regs *arch_find(const char *machine)
{
	for (size_t i = 0; i < ARRAY_NR(arches); i++) {
		if (strcmp(arches[i].machine, machine) == 0)
			return &arches[i];
	}
	return NULL;
}

uint64_t rec_regs_user_mask(const char *machine)
{
	const struct arch_regs *arch = arch_find(machine);
	uint64_t mask = 0;

	for (size_t i = 0; arch && i < arch->nr; i++) {
		if (arch->names[i])
			mask |= BIT(i);
	}
	return arch ? mask & ~arch->optional : 0;
}

uint64_t rec_regs_own_optional(void)
{
#ifdef __aarch64__
	return getauxval(AT_HWCAP) & HWCAP_SVE ? REC_REG_VG : 0;
#else
	return 0;
#endif
}

uint64_t rec_regs_minimum_mask(const char *machine)
{
	const struct arch_regs *arch = arch_find(machine);

	return arch ? arch->minimum : 0;
}

uint64_t rec_regs_link_mask(const char *machine)
{
	const struct arch_regs *arch = arch_find(machine);

	return arch ? arch->link : 0;
}

static uint64_t reg_bit(const struct arch_regs *arch, const char *text,
			size_t len)
{
	for (size_t i = 0; i < arch->nr; i++) {
		const char *name = arch->names[i];

		if (name && strlen(name) == len &&
		    strncasecmp(name, text, len) == 0)
			return BIT(i);
	}
	return 0;
}

static void regs_hint(const struct arch_regs *arch, struct pd_err *err)
{
	char list[180] = "";
	size_t len = 0;

	for (size_t i = 0; i < arch->nr; i++) {
		const char *name = arch->names[i];

		if (!name || len + strlen(name) + 2 > sizeof(list))
			continue;
		len += (size_t)snprintf(list + len, sizeof(list) - len, " %s",
					name);
	}
	pd_err_hint(err, "there are%s", list);
}

int rec_regs_parse(const char *text, const char *machine, uint64_t *ret,
		   struct pd_err *err)
{
	const struct arch_regs *arch = arch_find(machine);
	uint64_t mask = 0;

	if (!arch)
		return pd_err_set(err, -ENOTSUP,
				  "the registers of %s are not known here",
				  machine);
	for (;;) {
		size_t len = strcspn(text, ",");
		uint64_t bit = reg_bit(arch, text, len);

		if (!bit) {
			pd_err_set(err, -EINVAL, "%s has no register '%.*s'",
				   machine, (int)len, text);
			regs_hint(arch, err);
			return -EINVAL;
		}
		mask |= bit;
		if (!text[len])
			break;
		text += len + 1;
	}
	*ret = mask;
	return 0;
}

int rec_regs_choose(const char *text, uint64_t *ret, struct pd_err *err)
{
	struct utsname machine;

	uname(&machine);
	if (text)
		return rec_regs_parse(text, machine.machine, ret, err);
	*ret = rec_regs_user_mask(machine.machine);
	if (*ret)
		return 0;
	return pd_err_set(err, -ENOTSUP,
			  "the registers of %s are not known here",
			  machine.machine);
}
