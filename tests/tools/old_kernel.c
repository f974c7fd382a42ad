/* old_kernel.c: to be preloaded; perf_event_open(2) refuses what a kernel of
 * the release OLD_KERNEL did not know yet, as that kernel did, and uname(2)
 * tells that release.  What it knew is asked of the kernel that is there.
 *
 * Source: include/uapi/linux/perf_event.h of each release; perf_copy_attr() of
 * kernel/events/core.c for the order of its checks. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* How many low bits of each field are known. */
struct kernel {
	const char *release;
	unsigned attr_len;
	unsigned sample_bits, read_bits, branch_bits, flag_bits;
	unsigned software_nr;
};

static const struct kernel kernels[] = {
	{ "4.9.0", 112, 19, 4, 16, 28, 11 },
	{ "5.4.0", 112, 21, 4, 17, 32, 11 },
	{ "5.10.0", 120, 22, 4, 18, 34, 11 },
	{ "6.1.0", 128, 25, 5, 19, 38, 12 },
};

enum { FLAGS_OFF = 40 };

static const struct kernel *old_kernel(void)
{
	const char *name = getenv("OLD_KERNEL");

	for (size_t i = 0; name && i < sizeof(kernels) / sizeof(kernels[0]);
	     i++)
		if (!strcmp(kernels[i].release, name))
			return &kernels[i];
	fprintf(stderr, "old_kernel.c: no OLD_KERNEL of its table\n");
	abort();
}

static int refusal(const struct kernel *k, const struct perf_event_attr *attr)
{
	const uint8_t *bytes = (const uint8_t *)attr;
	uint64_t flags;

	for (unsigned i = k->attr_len; i < attr->size; i++)
		if (bytes[i])
			return E2BIG;
	memcpy(&flags, bytes + FLAGS_OFF, sizeof(flags));
	if (flags >> k->flag_bits || attr->sample_type >> k->sample_bits ||
	    attr->read_format >> k->read_bits ||
	    (attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	     attr->branch_sample_type >> k->branch_bits))
		return EINVAL;
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config >= k->software_nr)
		return ENOENT;
	return 0;
}

long syscall(long nr, ...)
{
	static long (*real)(long, ...);
	long words[6];
	va_list args;
	int rc;

	va_start(args, nr);
	for (size_t i = 0; i < 6; i++)
		words[i] = va_arg(args, long);
	va_end(args);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	rc = nr == SYS_perf_event_open
		     ? refusal(old_kernel(),
			       (const struct perf_event_attr *)words[0])
		     : 0;
	if (rc) {
		errno = rc;
		return -1;
	}
	return real(nr, words[0], words[1], words[2], words[3], words[4],
		    words[5]);
}

int uname(struct utsname *ret)
{
	int (*real)(struct utsname *);
	int rc;

	*(void **)&real = dlsym(RTLD_NEXT, "uname");
	rc = real(ret);
	if (!rc)
		snprintf(ret->release, sizeof(ret->release), "%s",
			 old_kernel()->release);
	return rc;
}
