/* enable_control.c: switch events while recording: -D and --control. */
#include "record/recording/session.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "format/support/attr_text.h"
#include "record/event/attr_work.h"

/* NOT_DONE: a command that is acknowledged later. */
enum { LINE_LEN = 1024, NOT_DONE = 1 };

static void say(const struct rec_session *session, const char *text)
{
	if (session->say)
		fprintf(session->say, "%s\n", text);
}

/* False for a dummy event that follows tasks and maps: otherwise what is mapped
 * while the others are off would have no names later. */
static bool is_switched(const struct rec_event *event)
{
	return !(event->is_tracking && rec_event_is_dummy(event));
}

static int switch_events(struct rec_session *session, bool on,
			 struct pd_err *err)
{
	const struct rec_event_list *list = &session->args->events;
	int rc = 0;

	for (size_t i = 0; i < list->nr && !rc; i++)
		if (is_switched(&list->events[i]))
			rc = rec_open_set_enable_event(&session->open, i, on,
						       err);
	if (!rc)
		say(session, on ? "Events enabled" : "Events disabled");
	return rc;
}

static int switch_dummy(struct rec_session *session, struct pd_err *err)
{
	const struct rec_event_list *list = &session->args->events;
	int rc = 0;

	for (size_t i = 0; i < list->nr && !rc; i++)
		if (!is_switched(&list->events[i]))
			rc = rec_open_set_enable_event(&session->open, i, true,
						       err);
	return rc;
}

int rec_session_follow(struct rec_session *session, struct pd_err *err)
{
	bool is_command = session->args->attr.target == REC_TARGET_COMMAND;

	return is_command ? 0 : switch_dummy(session, err);
}

/* By perf's rule a command's own events start at its exec, all others now. */
int rec_session_start(struct rec_session *session, struct pd_err *err)
{
	bool is_command = session->args->attr.target == REC_TARGET_COMMAND;

	if (session->args->delay.is_given) {
		say(session, "Events disabled");
		return 0;
	}
	return is_command ? 0 : rec_open_set_enable(&session->open, true, err);
}

uint64_t rec_session_due_ns(const struct rec_session *session)
{
	const struct rec_delay *delay = &session->args->delay;

	if (session->delay_idx == delay->nr)
		return UINT64_MAX;
	return session->started_ns +
	       (uint64_t)delay->at_ms[session->delay_idx] * 1000000;
}

int rec_session_switch_by_clock(struct rec_session *session, uint64_t now_ns,
				struct pd_err *err)
{
	const struct rec_delay *delay = &session->args->delay;
	int rc = 0;

	while (!rc && now_ns >= rec_session_due_ns(session)) {
		bool on = session->delay_idx % 2 == 0;

		rc = switch_events(session, on, err);
		session->delay_idx++;
		/* As in perf, nothing is left to be recorded then. */
		if (!on && session->delay_idx == delay->nr)
			session->is_stopped = true;
	}
	return rc;
}

/* Control commands. rest is the text after the command and a blank, or NULL. */

static void refuse(const struct rec_session *session)
{
	say(session, "failed: wrong command");
}

static int switch_named(struct rec_session *session, const char *name, bool on,
			struct pd_err *err)
{
	const struct rec_event_list *list = &session->args->events;

	for (size_t i = 0; i < list->nr; i++) {
		int rc;

		if (strcmp(list->events[i].name, name) != 0)
			continue;
		rc = rec_open_set_enable_event(&session->open, i, on, err);
		if (!rc && session->say)
			fprintf(session->say, "Event %s %s\n", name,
				on ? "enabled" : "disabled");
		return rc;
	}
	if (session->say)
		fprintf(session->say, "failed: can't find '%s' event\n", name);
	return 0;
}

static int run_enable(struct rec_session *session, const char *rest,
		      struct pd_err *err)
{
	return rest ? switch_named(session, rest, true, err)
		    : switch_events(session, true, err);
}

static int run_disable(struct rec_session *session, const char *rest,
		       struct pd_err *err)
{
	return rest ? switch_named(session, rest, false, err)
		    : switch_events(session, false, err);
}

static int run_stop(struct rec_session *session, const char *rest,
		    struct pd_err *err)
{
	(void)rest;
	(void)err;
	session->is_stopped = true;
	return 0;
}

/* The acknowledgement is all it does. */
static int run_ping(struct rec_session *session, const char *rest,
		    struct pd_err *err)
{
	(void)session;
	(void)rest;
	(void)err;
	return 0;
}

static int run_snapshot(struct rec_session *session, const char *rest,
			struct pd_err *err)
{
	(void)rest;
	(void)err;
	if (!session->args->switch_output.is_on) {
		say(session, "failed: a snapshot needs --switch-output");
		return 0;
	}
	session->wants_next_file = true;
	session->ack_nr++;
	return NOT_DONE;
}

static void print_group(const struct rec_event_list *list, size_t leader,
			FILE *out)
{
	const struct rec_event *event = &list->events[leader];
	const char *between = "{";

	if (event->group_name)
		fputs(event->group_name, out);
	for (size_t i = leader; i < list->nr; i++) {
		if (list->events[i].leader_idx != leader)
			continue;
		fprintf(out, "%s%s", between, list->events[i].name);
		between = ",";
	}
	fputs("}\n", out);
}

static void print_event(const struct rec_event *event, char option, FILE *out)
{
	const struct sup_attr_style style = { .perf = PD_PERF_6_1,
					      .first = " ",
					      .sep = ": " };
	struct pd_attr attr;

	rec_attr_to_pd(&event->attr, &attr);
	fputs(event->name, out);
	if (option == 'v') {
		fputc(':', out);
		sup_attr_print(out, &attr, (struct pd_str){ 0 }, &style);
	} else if (option == 'F') {
		fprintf(out, ": sample_%s=%" PRIu64,
			event->attr.sys.freq ? "freq" : "period",
			attr.sample_period);
	}
	fputc('\n', out);
}

/* evlist, evlist -v, evlist -g, evlist -F: print as perf evlist does, even with
 * -q, since it was asked for. */
static int run_evlist(struct rec_session *session, const char *rest,
		      struct pd_err *err)
{
	const struct rec_event_list *list = &session->args->events;
	char option = rest && rest[0] == '-' ? rest[1] : '\0';

	(void)err;
	if (rest && (!option || !strchr("vgF", option) || rest[2])) {
		refuse(session);
		return 0;
	}
	for (size_t i = 0; i < list->nr; i++) {
		const struct rec_event *event = &list->events[i];

		if (option == 'g' && event->leader_idx != i)
			continue;
		if (option == 'g' && event->member_nr > 1)
			print_group(list, i, stderr);
		else
			print_event(event, option, stderr);
	}
	return 0;
}

static const struct {
	const char *name;
	int (*run)(struct rec_session *session, const char *rest,
		   struct pd_err *err);
	bool takes_more;
} commands[] = {
	{ "enable", run_enable, true }, { "disable", run_disable, true },
	{ "evlist", run_evlist, true }, { "snapshot", run_snapshot, false },
	{ "stop", run_stop, false },	{ "ping", run_ping, false },
};

/* Run a command.  Return false if there is no such command, which is not
 * acknowledged. */
static bool obey(struct rec_session *session, const char *line, int *ret_rc,
		 struct pd_err *err)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		size_t len = strlen(commands[i].name);
		const char *rest = line + len;

		if (strncmp(line, commands[i].name, len) != 0)
			continue;
		if (!*rest || (commands[i].takes_more && *rest == ' '))
			*ret_rc = commands[i].run(session,
						  *rest ? rest + 1 : NULL, err);
		else
			refuse(session);
		return true;
	}
	return false;
}

int rec_session_obey(struct rec_session *session, struct pd_err *err)
{
	char line[LINE_LEN];
	int rc = 0, more = 1;

	while (rc >= 0 && more > 0) {
		more = rec_control_fd_read(&session->commands, line,
					   sizeof(line));
		if (more <= 0 || !*line)
			continue;
		rc = 0;
		if (!obey(session, line, &rc, err)) {
			if (session->say)
				fprintf(session->say,
					"failed: '%s' is no command\n", line);
		} else if (rc != NOT_DONE) {
			(void)!rec_control_fd_ack(&session->commands);
		}
	}
	if (rc < 0)
		return rc;
	return more < 0 ? more : 0;
}
