#include "record/targets/event_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "format/file/layout.h"
#include "record/base/read_file.h"
#include "record/base/runtime.h"
#include "record/event/attr_config.h"
#include "record/event/clock_period.h"
#include "record/event/pmu.h"
#include "record/targets/cgroup.h"
#include "record/targets/event_rate.h"

/* Errors of perf_event_open(2), explained with a remedy. */

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
	if (target->system_wide && level >= 2)
		return "own processes in user space (-p PID, --all-user) work";
	if (target->system_wide)
		return "own processes (-p PID or a command) work";
	if (level >= 2)
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

/* Numbers of linux/capability.h. */
enum { SYS_ADMIN = 21, PERFMON = 38 };

static bool has_capability(int nr)
{
	char text[64];

	return own_status("CapEff:", text, sizeof(text)) &&
	       strtoull(text, NULL, 16) >> nr & 1;
}

/* Explain levels that only the kernels of Debian (3) and Ubuntu (4) have: they
 * refuse everything, also to CAP_PERFMON (tried on Debian's 6.1.0-50). */
static bool explain_high_level(int level, int rc, struct pd_err *err)
{
	if (rc != -EACCES || level < 3 || has_capability(SYS_ADMIN))
		return false;
	pd_err_set(err, rc,
		   "no permission for perf events (kernel.perf_event_paranoid "
		   "is %d)",
		   level);
	pd_err_hint(err,
		    "run as root, or let root run: sysctl "
		    "kernel.perf_event_paranoid=2; at that CAP_PERFMON is "
		    "enough, and own processes work; above it the kernels of "
		    "Debian and Ubuntu want CAP_SYS_ADMIN");
	return true;
}

/* Explain a seccomp filter: Docker's returns EPERM, others ENOSYS, whatever
 * capabilities the process has. */
static bool explain_filter(int rc, struct pd_err *err)
{
	if (!has_filter() || (rc != -ENOSYS && !has_capability(PERFMON) &&
			      !has_capability(SYS_ADMIN)))
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

	if (explain_high_level(level, rc, err) || explain_filter(rc, err))
		return;
	if (event->attr.sys.type == PERF_TYPE_TRACEPOINT && level >= 0) {
		pd_err_set(err, rc,
			   "no permission for tracepoint %s "
			   "(kernel.perf_event_paranoid is %d)",
			   event->name, level);
		pd_err_hint(err, "run as root or with CAP_PERFMON, or set "
				 "kernel.perf_event_paranoid to -1; without: "
				 "-e cpu-clock or page-faults of own processes "
				 "works");
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
	char mount[512];

	if (rec_cgroup_is_idle(mount, sizeof(mount))) {
		pd_err_set(err, rc,
			   "control group %s: no controller is on, without "
			   "which the kernel has no perf events of groups",
			   event->cgroup);
		pd_err_hint(err, "echo +pids >%s/cgroup.subtree_control",
			    mount);
		return;
	}
	pd_err_set(err, rc,
		   "control group %s: perf events do not belong to the mounted "
		   "hierarchy, or the kernel does not have %s",
		   event->cgroup, event->name);
	pd_err_hint(err, "/proc/cgroups tells whose perf_event is: 0 is "
			 "cgroup2's, else mount -t cgroup -o perf_event none "
			 "DIR; perf list shows what events there are");
}

/* Explain an event that no PMU of the cores counts. */
static void explain_uncounted(const struct rec_event *event, int rc,
			      struct pd_err *err)
{
	static const struct rec_sysroots roots = REC_SYSROOTS_REAL;
	char *core = rec_pmu_first_core(roots.sys);

	if (core) {
		pd_err_set(err, rc, "%s: the PMU %s does not have this event",
			   event->name, core);
		pd_err_hint(err, "'perfpair-record list pmu' shows what it "
				 "has; cpu-clock needs no PMU");
	} else {
		pd_err_set(err, rc,
			   "%s: this machine has no hardware PMU for it",
			   event->name);
		pd_err_hint(err, "use -e cpu-clock, or give the virtual "
				 "machine a PMU");
	}
	free(core);
}

/* Since when kernels know what an attr may ask for: perf_event_open(2), or the
 * first release whose include/uapi/linux/perf_event.h has it. */
static const struct {
	const char *option;
	size_t field_off; /* of 64 bits in struct pd_attr */
	uint64_t bits;
	unsigned major, minor;
} features[] = {
#define FIELD(name) offsetof(struct pd_attr, name)
	{ "config3=", FIELD(config3), UINT64_MAX, 6, 3 },
	{ "-j priv", FIELD(branch_sample_type), PD_BRANCH_PRIV_SAVE, 6, 1 },
	{ "--user-regs=vg", FIELD(sample_regs_user), REC_REG_VG, 6, 1 },
	{ "--data-page-size", FIELD(sample_type), PD_SAMPLE_DATA_PAGE_SIZE, 5,
	  11 },
	{ "--code-page-size", FIELD(sample_type), PD_SAMPLE_CODE_PAGE_SIZE, 5,
	  11 },
	{ "--all-cgroups", FIELD(sample_type), PD_SAMPLE_CGROUP, 5, 7 },
	{ "--phys-data", FIELD(sample_type), PD_SAMPLE_PHYS_ADDR, 4, 14 },
	{ "-j save_type", FIELD(branch_sample_type), PD_BRANCH_TYPE_SAVE, 4,
	  14 },
	{ "--namespaces", FIELD(flags), PD_ATTR_NAMESPACES, 4, 12 },
	{ "--overwrite", FIELD(flags), PD_ATTR_WRITE_BACKWARD, 4, 7 },
	{ "-j call", FIELD(branch_sample_type), PD_BRANCH_CALL, 4, 4 },
	{ "--switch-events", FIELD(flags), PD_ATTR_CONTEXT_SWITCH, 4, 3 },
	{ "-j ind_jmp", FIELD(branch_sample_type), PD_BRANCH_IND_JUMP, 4, 2 },
	{ "--clockid", FIELD(flags), PD_ATTR_USE_CLOCKID, 4, 1 },
	{ "--call-graph lbr", FIELD(branch_sample_type), PD_BRANCH_CALL_STACK,
	  4, 1 },
#undef FIELD
};

/* Software events, for which the kernel says that there is no such event. */
static const struct {
	uint64_t config;
	unsigned major, minor;
} software[] = {
	{ PERF_COUNT_SW_CGROUP_SWITCHES, 5, 13 },
	{ PERF_COUNT_SW_BPF_OUTPUT, 4, 4 },
};

/* Return what the event needs that begins with a kernel newer than major.minor,
 * and that kernel's numbers; NULL: nothing. */
static const char *newer_feature(const struct rec_event *event, unsigned *major,
				 unsigned *minor)
{
	const unsigned old = *major << 16 | *minor;
	struct pd_attr attr;

	rec_attr_to_pd(&event->attr, &attr);
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		uint64_t field;

		memcpy(&field, (const char *)&attr + features[i].field_off,
		       sizeof(field));
		*major = features[i].major;
		*minor = features[i].minor;
		if (field & features[i].bits && old < (*major << 16 | *minor))
			return features[i].option;
	}
	for (size_t i = 0; i < sizeof(software) / sizeof(software[0]); i++) {
		*major = software[i].major;
		*minor = software[i].minor;
		if (attr.type == PERF_TYPE_SOFTWARE &&
		    attr.config == software[i].config &&
		    old < (*major << 16 | *minor))
			return "the event";
	}
	return NULL;
}

bool rec_open_explain_old(const struct rec_event *event, const char *release,
			  int rc, struct pd_err *err)
{
	unsigned major, minor;
	const char *what = NULL;

	if (sscanf(release, "%u.%u", &major, &minor) == 2)
		what = newer_feature(event, &major, &minor);
	if (!what)
		return false;
	pd_err_set(err, rc, "%s: %s needs Linux %u.%u, this is %s", event->name,
		   what, major, minor, release);
	pd_err_hint(err, "leave %s out", what);
	return true;
}

static bool explain_old(const struct rec_event *event, int rc,
			struct pd_err *err)
{
	struct utsname uts;

	return !uname(&uts) &&
	       rec_open_explain_old(event, uts.release, rc, err);
}

static void explain_missing(const struct rec_event *event, int rc,
			    struct pd_err *err)
{
	uint32_t type = event->attr.sys.type;
	char mount[512];

	/* of which the kernel knows before it looks for the event */
	if (event->cgroup && rc == -ENOENT &&
	    rec_cgroup_is_idle(mount, sizeof(mount))) {
		explain_cgroup(event, rc, err);
		return;
	}
	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ||
	    type == PERF_TYPE_RAW) {
		explain_uncounted(event, rc, err);
		return;
	}
	if (event->cgroup && rc == -ENOENT) {
		explain_cgroup(event, rc, err);
		return;
	}
	if (explain_old(event, rc, err))
		return;
	pd_err_set(err, rc, "%s: %s does not have this event", event->name,
		   type >= PERF_TYPE_MAX ? "its PMU" : "the kernel");
	pd_err_hint(err, "'perfpair-record list' shows what there is");
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

	if (explain_old(event, rc, err))
		return;
	if (attr->sample_type & PERF_SAMPLE_REGS_USER &&
	    !attr->sample_regs_user) {
		pd_err_set(err, rc,
			   "%s: the registers of this machine, which "
			   "stack copies need, are not known here",
			   event->name);
		pd_err_hint(err, "use --call-graph fp");
		return;
	}
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

/* Explain an error of perf_event_open(2) to the user.  Return rc, as
 * pd_err_set() does. */
static int open_error(const struct rec_event *event,
		      const struct rec_target *target, int rc,
		      struct pd_err *err)
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
	case E2BIG:
		if (explain_old(event, rc, err))
			break;
		__attribute__((fallthrough));
	default:
		pd_err_set(err, rc, "%s: perf_event_open: %s", event->name,
			   strerror(-rc));
		pd_err_hint(err, "try fewer options; the kernel's log (dmesg) "
				 "may say more");
	}
	return rc;
}

enum { NOTE_NR = 4 }; /* more than rec_event_fallback() has */

struct opener {
	struct rec_open_set *set;
	struct rec_event_list *list;
	const struct rec_open_conf *conf;
	int cgroup_fd;	     /* of the event that is opened; -1: any */
	unsigned dropped_nr; /* how many of enum feature */
	bool raised_limit;
	struct pd_err notes[NOTE_NR]; /* each text once */
	size_t note_nr;
};

/* The features that older kernels refuse with EINVAL, newest first. */
enum feature {
	FEATURE_VG,	       /* 6.1 */
	FEATURE_READ_LOST,     /* 6.0 */
	FEATURE_BUILD_ID,      /* 5.12 */
	FEATURE_WEIGHT_STRUCT, /* 5.12 */
	FEATURE_TEXT_POKE,     /* 5.9 */
	FEATURE_HW_INDEX,      /* 5.7 */
	FEATURE_BPF,	       /* 5.1 */
	FEATURE_MMAP2,	       /* 3.12 */
	FEATURE_EXCLUDE_GUEST, /* 3.2 */
	FEATURE_NR
};

/* Remove the feature from the attr. */
static void drop_from(struct perf_event_attr *attr, enum feature feature)
{
	if (feature == FEATURE_VG && attr->sample_regs_user != REC_REG_VG)
		attr->sample_regs_user &= ~REC_REG_VG;
	else if (feature == FEATURE_READ_LOST)
		attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	else if (feature == FEATURE_BUILD_ID)
		attr->build_id = 0;
	else if (feature == FEATURE_WEIGHT_STRUCT &&
		 attr->sample_type & PERF_SAMPLE_WEIGHT_STRUCT)
		attr->sample_type ^=
			PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_WEIGHT;
	else if (feature == FEATURE_TEXT_POKE)
		attr->text_poke = 0;
	else if (feature == FEATURE_HW_INDEX)
		attr->branch_sample_type &=
			~(uint64_t)PERF_SAMPLE_BRANCH_HW_INDEX;
	else if (feature == FEATURE_BPF)
		attr->bpf_event = attr->ksymbol = 0;
	else if (feature == FEATURE_MMAP2)
		attr->mmap2 = 0;
	else if (feature == FEATURE_EXCLUDE_GUEST)
		attr->exclude_guest = attr->exclude_host = 0;
}

/* Drop the next feature that any event uses.  Return false if none is left. */
static bool drop_feature(struct opener *o)
{
	while (o->dropped_nr < FEATURE_NR) {
		enum feature feature = o->dropped_nr++;
		bool any = false;

		for (size_t i = 0; i < o->list->nr; i++) {
			struct perf_event_attr *attr =
				&o->list->events[i].attr.sys;
			const struct perf_event_attr before = *attr;

			drop_from(attr, feature);
			any |= memcmp(attr, &before, sizeof(before)) != 0;
		}
		if (any && feature == FEATURE_BUILD_ID)
			o->set->dropped_build_id = true;
		if (any)
			return true;
	}
	return false;
}

static bool raise_file_limit(struct opener *o)
{
	struct rlimit limit;

	if (o->raised_limit || getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur >= limit.rlim_max)
		return false;
	o->raised_limit = true;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

/* Open in a control group if there is one; tid is -1 then. */
static int sys_perf_event_open(const struct opener *o,
			       struct perf_event_attr *attr,
			       const struct rec_open_fd *entry, int group_fd)
{
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;
	pid_t whom = entry->tid;
	long fd;

	if (o->cgroup_fd >= 0) {
		flags |= PERF_FLAG_PID_CGROUP;
		whom = o->cgroup_fd;
	}
	fd = syscall(SYS_perf_event_open, attr, whom, entry->cpu, group_fd,
		     flags);

	return fd < 0 ? -errno : (int)fd;
}

/* Return the leader's descriptor on the same CPU and thread; -1: none. */
static int leader_fd(const struct rec_open_set *set, size_t leader_idx, int cpu,
		     pid_t tid)
{
	for (size_t i = set->first[leader_idx]; i < set->first[leader_idx + 1];
	     i++)
		if (set->fds[i].cpu == cpu && set->fds[i].tid == tid)
			return set->fds[i].fd;
	return -1;
}

static int append_fd(struct rec_open_set *set, const struct rec_open_fd *fd)
{
	if (set->nr == set->cap) {
		size_t cap = set->cap ? 2 * set->cap : 64;
		struct rec_open_fd *grown =
			realloc(set->fds, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		set->fds = grown;
		set->cap = cap;
	}
	set->fds[set->nr++] = *fd;
	return 0;
}

/* A clock that is sampled at a frequency is opened with one of its periods,
 * which its samples tell. */
static void set_clock_period(struct perf_event_attr *attr, uint32_t nth)
{
	if (!rec_is_clock(attr) || !attr->freq || !attr->sample_freq ||
	    !(attr->sample_type & PERF_SAMPLE_PERIOD))
		return;
	attr->sample_period = rec_clock_period(attr->sample_freq, nth);
	attr->freq = 0;
}

/* Open one event on one CPU and thread. */
static int open_one(struct opener *o, struct perf_event_attr *attr,
		    struct rec_open_fd *entry)
{
	size_t leader_idx = o->list->events[entry->event_idx].leader_idx;
	int group_fd = -1;
	int rc;

	if (leader_idx != entry->event_idx) {
		group_fd =
			leader_fd(o->set, leader_idx, entry->cpu, entry->tid);
		if (group_fd < 0)
			return 0; /* its thread has ended */
	}
	entry->fd = sys_perf_event_open(o, attr, entry, group_fd);
	if (entry->fd < 0)
		return entry->fd;
	if (rec_ioctl(entry->fd, PERF_EVENT_IOC_ID, &entry->id))
		rc = -errno;
	else
		rc = append_fd(o->set, entry);
	if (rc)
		close(entry->fd);
	return rc;
}

static void close_event(struct rec_open_set *set, size_t idx)
{
	while (set->nr > set->first[idx])
		close(set->fds[--set->nr].fd);
}

/* Return the period of a clock's rung 0 on that CPU, or of that thread; 0: that
 * has ended. */
static uint64_t base_period(const struct rec_open_set *set,
			    const struct rec_open_fd *entry)
{
	for (size_t i = set->first[entry->event_idx]; i < set->nr; i++)
		if (rec_open_fd_is_of(&set->fds[i], entry->cpu, entry->tid))
			return set->fds[i].period_ns;
	return 0;
}

static void set_rate(const struct opener *o, struct perf_event_attr *attr,
		     struct rec_open_fd *entry)
{
	if (entry->rung) {
		rec_rate_set_rung(attr, entry->rung,
				  base_period(o->set, entry));
		if (attr->freq && o->conf->cap_hz)
			attr->sample_freq = o->conf->cap_hz;
		return;
	}
	set_clock_period(attr, entry->clock_nth);
	if (rec_is_clock(attr) && !attr->freq)
		entry->period_ns = attr->sample_period;
}

/* Open a rung of the event for all threads of its target on one CPU. */
static int open_on_cpu(struct opener *o, size_t idx, unsigned rung, int cpu)
{
	const struct rec_target *target = o->conf->target;
	const struct perf_event_attr *sys = &o->list->events[idx].attr.sys;
	struct rec_open_fd entry = { .cpu = cpu,
				     .event_idx = (uint32_t)idx,
				     .rung = (uint8_t)rung,
				     .is_backward = sys->write_backward };
	struct perf_event_attr attr;

	for (size_t i = 0; i < target->thread_nr; i++) {
		int rc;

		entry.tid = target->threads[i].tid;
		if (!i || cpu < 0) {
			attr = *sys;
			entry.clock_nth =
				(uint32_t)(idx + (cpu < 0 ? i : (size_t)cpu));
			set_rate(o, &attr, &entry);
			if (o->list->events[idx].has_leaf)
				rec_attr_add_leaf(&attr);
		}
		rc = open_one(o, &attr, &entry);
		if (rc == -ESRCH && (rung || target->thread_nr > 1)) {
			o->set->gone_nr += !rung;
			continue;
		}
		if (rc)
			return rc;
	}
	return 0;
}

/* Others need descriptors, too. */
static bool are_too_many(size_t rung_fd_nr, size_t open_nr)
{
	struct rlimit limit;

	return rung_fd_nr > REC_RATE_FDS_MAX ||
	       (rung_fd_nr && !getrlimit(RLIMIT_NOFILE, &limit) &&
		open_nr + rung_fd_nr > limit.rlim_max / 2);
}

static int open_event(struct opener *o, size_t idx, struct pd_err *err)
{
	struct rec_event *event = &o->list->events[idx];
	const struct rec_target *target = o->conf->target;
	bool may_lower = o->conf->may_lower ||
			 (o->conf->cap_hz && rec_rate_may_cap(o->list, idx));
	unsigned rung_nr = may_lower ? rec_rate_rung_nr(event) : 0;
	struct rec_cpu_list cpus = { target->cpus, target->cpu_nr };
	struct rec_cpu_list pmu_cpus = { NULL, 0 };
	int rc = 0;

	if (event->is_tracking && target->tracking.nr)
		cpus = target->tracking;
	if (event->cgroup) {
		o->cgroup_fd = rec_cgroup_open(event->cgroup, err);
		if (o->cgroup_fd < 0)
			return o->cgroup_fd;
	}
	if (event->cpus && target->cpus[0] >= 0)
		rc = rec_cpu_list_parse(event->cpus, &pmu_cpus, NULL);
	if (are_too_many(cpus.nr * target->thread_nr * rung_nr, o->set->nr)) {
		event->has_no_rungs = true;
		rung_nr = 0;
	}
	for (unsigned rung = 0; rung <= rung_nr && !rc; rung++)
		for (size_t i = 0; i < cpus.nr && !rc; i++)
			if (!pmu_cpus.nr ||
			    rec_cpu_list_has(&pmu_cpus, cpus.cpus[i]))
				rc = open_on_cpu(o, idx, rung, cpus.cpus[i]);
	rec_cpu_list_release(&pmu_cpus);
	if (o->cgroup_fd >= 0)
		close(o->cgroup_fd);
	o->cgroup_fd = -1;
	o->set->first[idx + 1] = o->set->nr;
	o->set->states[idx] = (struct rec_open_state){
		.is_on = event->attr.sys.enable_on_exec ||
			 !event->attr.sys.disabled,
	};
	return rc;
}

/* Queue a note until all is open: if opening fails in the end, no note on how
 * the event would have been recorded is needed. */
static void add_note(struct opener *o, const struct pd_err *text)
{
	for (size_t i = 0; i < o->note_nr; i++)
		if (!strcmp(o->notes[i].text, text->text))
			return;
	if (text->text[0] && o->note_nr < NOTE_NR)
		o->notes[o->note_nr++] = *text;
}

static void show_notes(const struct opener *o)
{
	for (size_t i = 0; i < o->note_nr && o->conf->note; i++)
		o->conf->note(&o->notes[i]);
}

/* Ungroup the events of a weak group that does not fit the PMU. */
static bool break_weak_group(struct opener *o, size_t idx)
{
	struct rec_event *events = o->list->events;
	size_t leader = events[idx].leader_idx;
	bool weak = events[leader].weak_group && events[leader].member_nr > 1;

	if (!weak)
		return false;
	for (size_t i = leader; i < o->list->nr; i++) {
		if (events[i].leader_idx != leader)
			continue;
		events[i].leader_idx = i;
		events[i].member_nr = 1;
	}
	return true;
}

/* A counter that became another event would be a wrong number; one of user
 * space alone, or of less precision, is named so. */
static bool may_fall_back(const struct opener *o, size_t idx, int rc)
{
	const struct rec_event *event = &o->list->events[idx];

	return !o->conf->refused || rc == -EACCES ||
	       (event->precise_max && event->attr.sys.precise_ip > 0);
}

/* Some PMUs cannot leave guests out, msr for one.  Return false if that is not
 * what the kernel refused. */
static bool include_guest(struct rec_event *event, int rc)
{
	bool was_out = event->attr.sys.exclude_guest;

	if (rc != -EINVAL || event->guest_chosen)
		return false;
	event->attr.sys.exclude_guest = 0;
	return was_out;
}

/* Open this event without rungs: they may have a rate that the kernel does not
 * allow.  Return false if there are none. */
static bool leave_rungs_of(struct opener *o, size_t idx, int rc)
{
	struct rec_event *event = &o->list->events[idx];

	if (rc != -EINVAL || o->set->nr == o->set->first[idx] ||
	    !rec_rate_rung_nr(event))
		return false;
	event->has_no_rungs = true;
	return true;
}

/* Open without rungs.  Return false if there are none. */
static bool leave_rungs(struct opener *o)
{
	bool may_lower = o->conf->may_lower || o->conf->cap_hz;
	bool any = false;

	for (size_t i = 0; i < o->list->nr && may_lower; i++) {
		struct rec_event *event = &o->list->events[i];

		any |= rec_rate_rung_nr(event) > 0;
		event->has_no_rungs = true;
	}
	return any;
}

/* Return true if opening may succeed now, after events[idx] was refused;
 * *ret_from is the event to start at. */
static bool can_retry(struct opener *o, size_t idx, int rc, size_t *ret_from)
{
	struct pd_err text = PD_ERR_INIT;

	*ret_from = idx;
	if (rc == -EMFILE && raise_file_limit(o))
		return true;
	if (rc == -EMFILE) {
		*ret_from = 0;
		return leave_rungs(o);
	}
	/* Each rung of a breakpoint takes one of the few that a CPU has. */
	if (rc == -ENOSPC && leave_rungs(o)) {
		*ret_from = 0;
		return true;
	}
	if (leave_rungs_of(o, idx, rc))
		return true;
	/* On whole CPUs user space needs the same rights as the kernel. */
	if (rc == -EACCES && o->conf->target->system_wide)
		return false;
	if (may_fall_back(o, idx, rc) &&
	    rec_event_fallback(&o->list->events[idx], rc, &text)) {
		add_note(o, &text);
		return true;
	}
	if (rc != -EINVAL && !o->conf->refused)
		return false;
	if (break_weak_group(o, idx)) {
		*ret_from = 0;
		return true;
	}
	if (o->conf->refused)
		return include_guest(&o->list->events[idx], rc);
	*ret_from = 0;
	return drop_feature(o);
}

/* Leave an event out that is only counted and that the machine lacks.  Return
 * false if that is not the reason, or if others need it as their leader. */
static bool leave_out(struct opener *o, size_t idx, const struct pd_err *why)
{
	const int lacking[] = { ENOENT,	    ENXIO,  ENODEV,
				EOPNOTSUPP, ENOSYS, EINVAL };
	bool is_lacking = false;

	for (size_t i = 0; i < sizeof(lacking) / sizeof(lacking[0]); i++)
		is_lacking |= why->code == -lacking[i];
	if (!o->conf->refused || !is_lacking ||
	    o->list->events[idx].member_nr > 1)
		return false;
	close_event(o->set, idx);
	o->set->first[idx + 1] = o->set->nr;
	o->conf->refused[idx] = *why;
	return true;
}

static int open_all(struct opener *o, struct pd_err *err)
{
	size_t idx = 0;

	while (idx < o->list->nr) {
		size_t from = idx;
		struct pd_err group = PD_ERR_INIT;
		int rc = open_event(o, idx, &group);

		if (!rc) {
			idx++;
			continue;
		}
		if (group.code) {
			*err = group;
			return rc;
		}
		if (can_retry(o, idx, rc, &from)) {
			close_event(o->set, from);
			idx = from;
			continue;
		}
		open_error(&o->list->events[idx], o->conf->target, rc, &group);
		if (!leave_out(o, idx, &group)) {
			*err = group;
			return rc;
		}
		idx++;
	}
	if (!o->set->nr && !o->conf->refused)
		return open_error(&o->list->events[0], o->conf->target, -ESRCH,
				  err);
	return 0;
}

static int set_filters(struct opener *o, struct pd_err *err)
{
	for (size_t i = 0; i < o->set->nr; i++) {
		const struct rec_open_fd *fd = &o->set->fds[i];
		const struct rec_event *event = &o->list->events[fd->event_idx];

		if (!event->filter ||
		    !ioctl(fd->fd, PERF_EVENT_IOC_SET_FILTER, event->filter))
			continue;
		pd_err_set(err, -errno, "filter \"%s\" of %s: %s",
			   event->filter, event->name, strerror(errno));
		pd_err_hint(err, "the names that it may use stand in the "
				 "tracepoint's format file under tracefs");
		return -EINVAL;
	}
	return 0;
}

int rec_open_set_open(struct rec_open_set *ret, struct rec_event_list *list,
		      const struct rec_open_conf *conf, struct pd_err *err)
{
	struct opener o = {
		.set = ret, .list = list, .conf = conf, .cgroup_fd = -1
	};
	int rc;

	memset(ret, 0, sizeof(*ret));
	ret->event_nr = list->nr;
	ret->first = calloc(list->nr + 1, sizeof(*ret->first));
	ret->states = calloc(list->nr + 1, sizeof(*ret->states));
	if (!ret->first || !ret->states) {
		rec_open_set_close(ret);
		return pd_err_set(err, -ENOMEM, "out of memory");
	}
	rc = open_all(&o, err);
	if (!rc)
		rc = set_filters(&o, err);
	if (rc)
		rec_open_set_close(ret);
	else
		show_notes(&o);
	return rc;
}

void rec_open_set_close(struct rec_open_set *set)
{
	for (size_t i = 0; i < set->nr; i++)
		close(set->fds[i].fd);
	free(set->fds);
	free(set->first);
	free(set->states);
	memset(set, 0, sizeof(*set));
}

/* So many calls are cheaper than to look at the rings now and then. */
enum { SIGNAL_FDS_MAX = 4096 };

/* Return true if each of its samples can have a signal, perf_event_open(2)
 * "Overflow handling". */
static bool has_signal(const struct rec_event *event)
{
	const struct perf_event_attr *attr = &event->attr.sys;

	/* rings that are overwritten are not drained */
	return attr->sample_period && !attr->write_backward &&
	       (attr->type != PERF_TYPE_SOFTWARE ||
		(attr->config != PERF_COUNT_SW_DUMMY &&
		 attr->config != PERF_COUNT_SW_BPF_OUTPUT));
}

/* Records of tasks alone are no news, but switches are. */
static bool may_signal(const struct rec_open_set *set,
		       const struct rec_event_list *list)
{
	bool has_any = false;

	for (size_t i = 0; i < list->nr; i++) {
		const struct rec_event *event = &list->events[i];

		if (event->attr.sys.context_switch ||
		    (!has_signal(event) && !rec_event_is_dummy(event) &&
		     event->leader_idx == i))
			return false;
		has_any |= has_signal(event);
	}
	return has_any && set->nr <= SIGNAL_FDS_MAX;
}

static bool set_signal(const struct rec_open_set *set,
		       const struct rec_event_list *list, bool on)
{
	const int flags = O_NONBLOCK | (on ? O_ASYNC : 0);
	bool is_done = true;

	for (size_t i = 0; i < set->nr && is_done; i++) {
		const struct rec_open_fd *fd = &set->fds[i];

		if (!has_signal(&list->events[fd->event_idx]))
			continue;
		is_done = (!on || !fcntl(fd->fd, F_SETOWN, getpid())) &&
			  !fcntl(fd->fd, F_SETFL, flags);
	}
	return is_done;
}

bool rec_open_set_signal(const struct rec_open_set *set,
			 const struct rec_event_list *list, bool on)
{
	if (!may_signal(set, list))
		return false;
	if (set_signal(set, list, on))
		return true;
	if (on)
		set_signal(set, list, false);
	return false;
}

/* Enable or disable one rung of an event; any: all of them. */
static int switch_rung(const struct rec_open_set *set, size_t idx,
		       unsigned rung, bool any, bool enable)
{
	unsigned long request =
		enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (size_t i = set->first[idx]; i < set->first[idx + 1]; i++)
		if ((any || set->fds[i].rung == rung) &&
		    rec_ioctl(set->fds[i].fd, request, NULL))
			return -errno;
	return 0;
}

int rec_open_set_enable_event(const struct rec_open_set *set, size_t idx,
			      bool enable, struct pd_err *err)
{
	struct rec_open_state *state = &set->states[idx];
	unsigned rung = __atomic_load_n(&state->rung, __ATOMIC_RELAXED);
	int rc;

	__atomic_store_n(&state->is_on, enable, __ATOMIC_RELAXED);
	rc = switch_rung(set, idx, rung, !enable, enable);
	return rc ? pd_err_set(err, rc, "switching events: %s", strerror(-rc))
		  : 0;
}

/* The next rung is on before the old one is off, so that no record of a task is
 * missed; for that moment both take samples. */
int rec_open_set_climb(const struct rec_open_set *set, size_t idx,
		       unsigned rung)
{
	struct rec_open_state *state = &set->states[idx];
	unsigned old = __atomic_exchange_n(&state->rung, (uint8_t)rung,
					   __ATOMIC_RELAXED);
	int rc = 0;

	if (old == rung || !__atomic_load_n(&state->is_on, __ATOMIC_RELAXED))
		return 0;
	rc = switch_rung(set, idx, rung, false, true);
	return rc ? rc : switch_rung(set, idx, old, false, false);
}

int rec_open_set_enable(const struct rec_open_set *set, bool enable,
			struct pd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < set->event_nr && !rc; i++)
		rc = rec_open_set_enable_event(set, i, enable, err);
	return rc;
}
