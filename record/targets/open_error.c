/* open_error.c: explain errors of perf_event_open(2), with a remedy. */
#include "record/targets/event_open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int paranoid_level(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 2;

	if (!file)
		return level;
	if (fscanf(file, "%d", &level) != 1)
		level = 2;
	fclose(file);
	return level;
}

/* Return the narrower recording that this level allows. */
static const char *allowed_by(int level, const struct rec_target *target)
{
	if (level > 2)
		return "nothing is allowed";
	if (target->system_wide && level == 2)
		return "own processes in user space (-p PID, --all-user) work";
	if (target->system_wide)
		return "own processes (-p PID or a command) work";
	if (level == 2)
		return "--all-user works";
	return "own processes work";
}

/* Explain options that need privileges even for one's own processes. */
static bool explain_privileged_option(const struct perf_event_attr *attr,
				      int level, int rc, struct pd_err *err)
{
	const char *option = NULL;

	if (attr->namespaces)
		option = "--namespaces";
	else if (attr->sample_type & PERF_SAMPLE_PHYS_ADDR && level > 1)
		option = "--phys-data";
	if (!option)
		return false;
	pd_err_set(err, rc, "no permission for %s", option);
	pd_err_hint(err, "run as root or with CAP_PERFMON, or leave %s out",
		    option);
	return true;
}

/* Read the text after a field of /proc/self/status, "Seccomp:".  Return false
 * if there is no such field. */
static bool own_status(const char *field, char *ret, size_t cap)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		found = !strncmp(line, field, strlen(field));
		if (found)
			snprintf(ret, cap, "%s", line + strlen(field));
	}
	if (file)
		fclose(file);
	return found;
}

static bool has_filter(void)
{
	char text[64];

	return own_status("Seccomp:", text, sizeof(text)) && atoi(text) == 2;
}

/* True if the kernel lets this process record anything. */
static bool is_privileged(void)
{
	enum { SYS_ADMIN = 21, PERFMON = 38 };
	char text[64];
	uint64_t caps;

	if (!own_status("CapEff:", text, sizeof(text)))
		return false;
	caps = strtoull(text, NULL, 16);
	return caps & (UINT64_C(1) << SYS_ADMIN | UINT64_C(1) << PERFMON);
}

/* Explain a seccomp filter: Docker's returns EPERM, others ENOSYS, whatever
 * capabilities the process has. */
static bool explain_filter(int rc, struct pd_err *err)
{
	if (!has_filter() || (rc != -ENOSYS && !is_privileged()))
		return false;
	pd_err_set(err, rc,
		   "perf_event_open(2): %s, by the seccomp filter of this "
		   "container or service (Seccomp: 2 in /proc/self/status)",
		   strerror(-rc));
	pd_err_hint(err, "start it with a filter that allows perf_event_open: "
			 "docker run --cap-add PERFMON, or --security-opt "
			 "seccomp=unconfined; SystemCallFilter= of systemd");
	return true;
}

static void explain_permission(const struct rec_event *event,
			       const struct rec_target *target, int rc,
			       struct pd_err *err)
{
	int level = paranoid_level();

	if (explain_filter(rc, err))
		return;
	if (event->attr.sys.type == PERF_TYPE_TRACEPOINT && level >= 0) {
		pd_err_set(err, rc,
			   "no permission for tracepoint %s "
			   "(kernel.perf_event_paranoid is %d)",
			   event->name, level);
		pd_err_hint(err,
			    "run as root or with CAP_PERFMON, or set "
			    "kernel.perf_event_paranoid to -1; without: "
			    "%s",
			    level > 2 ? "nothing is allowed"
				      : "-e cpu-clock or page-faults of own "
					"processes works");
		return;
	}
	if (explain_privileged_option(&event->attr.sys, level, rc, err))
		return;
	if (!target->system_wide && event->attr.sys.exclude_kernel) {
		pd_err_set(err, rc,
			   "no permission for %s: what is to be recorded is "
			   "another user's",
			   event->name);
		pd_err_hint(err,
			    "run as root or with CAP_PERFMON; processes of "
			    "your own (-p PID or a command) work");
		return;
	}
	pd_err_set(err, rc,
		   "no permission for %s%s (kernel.perf_event_paranoid is %d)",
		   event->name, target->system_wide ? " on whole CPUs" : "",
		   level);
	pd_err_hint(err,
		    "run as root, or with CAP_PERFMON, or lower "
		    "kernel.perf_event_paranoid; without: %s",
		    allowed_by(level, target));
}

/* Either the group exists but the kernel's perf_event controller uses another
 * tree of groups, or the kernel lacks the event, which has the same errno. */
static void explain_cgroup(const struct rec_event *event, int rc,
			   struct pd_err *err)
{
	pd_err_set(err, rc,
		   "control group %s: perf events do not belong to the mounted "
		   "hierarchy, or the kernel does not have %s",
		   event->cgroup, event->name);
	pd_err_hint(err, "/proc/cgroups tells whose perf_event is: 0 is "
			 "cgroup2's, else mount -t cgroup -o perf_event none "
			 "DIR; perf list shows what events there are");
}

static void explain_missing(const struct rec_event *event, int rc,
			    struct pd_err *err)
{
	uint32_t type = event->attr.sys.type;

	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ||
	    type == PERF_TYPE_RAW) {
		pd_err_set(err, rc,
			   "%s: this machine has no hardware PMU for it",
			   event->name);
		pd_err_hint(err, "use -e cpu-clock, or give the virtual "
				 "machine a PMU");
		return;
	}
	if (event->cgroup && rc == -ENOENT) {
		explain_cgroup(event, rc, err);
		return;
	}
	pd_err_set(err, rc, "%s: the kernel does not have this event",
		   event->name);
	pd_err_hint(err, "perf list shows what there is");
}

static void explain_unsupported(const struct rec_event *event, int rc,
				struct pd_err *err)
{
	if (event->attr.sys.sample_type & PERF_SAMPLE_BRANCH_STACK) {
		pd_err_set(err, rc, "%s: this event has no branch stacks",
			   event->name);
		pd_err_hint(err, "-b, -j and --call-graph lbr need a hardware "
				 "PMU that has them; use --call-graph fp or "
				 "dwarf");
		return;
	}
	pd_err_set(err, rc, "%s: the PMU cannot sample this event",
		   event->name);
	pd_err_hint(err, "drop :p modifiers, or use cpu-clock");
}

static void explain_invalid(const struct rec_event *event, int rc,
			    struct pd_err *err)
{
	const struct perf_event_attr *attr = &event->attr.sys;

	pd_err_set(err, rc, "%s: the kernel refuses these settings",
		   event->name);
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		pd_err_hint(err, "branch stacks need a PMU that has them; use "
				 "--call-graph fp or dwarf");
	else if (attr->type == PERF_TYPE_BREAKPOINT)
		pd_err_hint(err, "a breakpoint has 1, 2, 4 or 8 bytes and an "
				 "address that its length divides");
	else if (attr->freq && attr->sample_freq > 100000)
		pd_err_hint(err, "try a lower -F, or -F max");
	else if (attr->use_clockid)
		pd_err_hint(err, "mono and raw go with every event, other "
				 "clocks (-k) with software events only, such "
				 "as cpu-clock");
	else
		pd_err_hint(err, "try fewer options; the kernel's log (dmesg) "
				 "may say more");
}

int rec_open_error(const struct rec_event *event,
		   const struct rec_target *target, int rc, struct pd_err *err)
{
	struct rlimit limit = { 0 };

	switch (-rc) {
	case EACCES:
	case EPERM:
		explain_permission(event, target, rc, err);
		break;
	case ENOSYS:
		if (explain_filter(rc, err))
			break;
		pd_err_set(err, rc, "this kernel has no perf events");
		pd_err_hint(err, "it was built without CONFIG_PERF_EVENTS");
		break;
	case EMFILE:
		getrlimit(RLIMIT_NOFILE, &limit);
		pd_err_set(err, rc,
			   "too many open files for %zu CPUs x %zu "
			   "threads of %s (the limit is %llu)",
			   target->cpu_nr, target->thread_nr, event->name,
			   (unsigned long long)limit.rlim_cur);
		pd_err_hint(err, "raise the hard limit (ulimit -Hn), or name "
				 "fewer events, CPUs (-C) or threads");
		break;
	case ENOENT:
	case ENXIO:
	case ENODEV:
		explain_missing(event, rc, err);
		break;
	case ESRCH:
		pd_err_set(err, rc, "all threads to record have ended");
		pd_err_hint(err, "look with ps -eL and give a live -p or -t");
		break;
	case EOPNOTSUPP:
		explain_unsupported(event, rc, err);
		break;
	case ENOSPC:
		pd_err_set(err, rc, "%s: the CPU has no breakpoint left",
			   event->name);
		pd_err_hint(err, "name fewer mem: events, and end debuggers "
				 "that use breakpoints");
		break;
	case EINVAL:
		explain_invalid(event, rc, err);
		break;
	default:
		pd_err_set(err, rc, "%s: perf_event_open: %s", event->name,
			   strerror(-rc));
		pd_err_hint(err, "try fewer options; the kernel's log (dmesg) "
				 "may say more");
	}
	return rc;
}
