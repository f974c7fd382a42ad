/* sysroots.h: where the kernel's file systems are mounted.
 *
 * Everything that reads /proc or /sys takes its paths from here, so that a test
 * puts a copied tree of another machine in their place.
 */
#ifndef REC_SYSROOTS_H
#define REC_SYSROOTS_H

struct rec_sysroots {
	const char *proc;    /* "/proc" */
	const char *sys;     /* "/sys" */
	const char *modules; /* "/lib/modules" */
};

/* clang-format off */
#define REC_SYSROOTS_REAL \
	{ .proc = "/proc", .sys = "/sys", .modules = "/lib/modules" }
/* clang-format on */

#endif
