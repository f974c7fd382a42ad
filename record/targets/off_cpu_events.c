#include "record/targets/off_cpu_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/event/tracefs.h"

#define SWITCH	"sched:sched_switch"
#define WAKING	"sched:sched_waking"
#define COUNTED "context-switches"

static bool has_event(const struct rec_event_list *list, const char *name)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->events[i].name, name))
			return true;
	return false;
}

/* Append an event, as -e does, whatever -F and -c say of its period. */
static int add(struct rec_event_list *list, const struct rec_event_env *env,
	       const char *name, const char *text, struct pd_err *err)
{
	size_t nr = list->nr;
	int rc = has_event(list, name) ? 0
				       : rec_event_parse(list, text, env, err);

	for (size_t i = nr; !rc && i < list->nr; i++) {
		char *own = strdup(name); /* without the terms */

		if (!own)
			return pd_err_set(err, -ENOMEM, "out of memory");
		free(list->events[i].name);
		list->events[i].name = own;
	}
	return rc;
}

static int add_tracepoints(struct rec_event_list *list,
			   const struct rec_event_env *env, struct pd_err *err)
{
	int rc = add(list, env, SWITCH, SWITCH "/period=1/", err);

	return rc ? rc
		  : add(list, env, WAKING, WAKING "/period=1,call-graph=no/",
			err);
}

/* Return whether the kernel lets this process open an event for itself. */
static bool may_open(const struct rec_event *event)
{
	struct perf_event_attr attr = event->attr.sys;
	long fd;

	attr.size = sizeof(attr);
	attr.disabled = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
		     PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close((int)fd);
	/* any other error is that of the recording, which explains it */
	return fd >= 0 || (errno != EACCES && errno != EPERM);
}

static int refuse(bool is_own, struct pd_err *err)
{
	pd_err_set(err, -EACCES,
		   is_own ? "--off-cpu: neither the tracepoints " SWITCH
			    " and " WAKING " nor the kernel's context switches "
			    "are allowed to this user"
			  : "--off-cpu: the tracepoints " SWITCH " and " WAKING
			    " are not allowed to this user");
	pd_err_hint(err, is_own ? "run as root, or set "
				  "kernel.perf_event_paranoid to 1 or less"
				: "run as root; own processes (a command, -p) "
				  "need kernel.perf_event_paranoid of 1 or "
				  "less");
	return -EACCES;
}

static int add_counted(struct rec_event_list *list,
		       const struct rec_event_env *env, struct pd_err *err)
{
	int rc = add(list, env, COUNTED, COUNTED "/period=1/", err);

	if (!rc && !may_open(&list->events[list->nr - 1]))
		return refuse(true, err);
	return rc;
}

int rec_off_cpu_events_add(struct rec_event_list *list,
			   struct rec_event_env *env, bool is_own,
			   const char **ret_note, struct pd_err *err)
{
	struct pd_err why = PD_ERR_INIT;
	size_t nr = list->nr;
	char *root = NULL;
	int rc = 0;

	*ret_note = NULL;
	if (!env->tracefs)
		rc = rec_tracefs_find(&root, &why);
	if (root)
		env->tracefs = root;
	if (!rc)
		rc = add_tracepoints(list, env, &why);
	if (!rc && (list->nr == nr || may_open(&list->events[nr])))
		return 0;
	rec_event_list_truncate(list, nr);
	if (!is_own)
		return refuse(false, err);
	rc = add_counted(list, env, err);
	*ret_note = "no tracepoints are allowed: context-switches are recorded "
		    "instead, which say neither why a thread waits nor who "
		    "wakes it";
	return rc;
}
