/* event_modifier.c: modifier letters to attr bits. */
#include "record/event/event_modifier.h"

#include <errno.h>
#include <string.h>

static const char letters[] = "ukhGHIpPSDWe";

enum { PRECISE_MAX = 3 };

/* What letters decide, before it goes into the attr. */
struct modifier {
	bool ex_user, ex_kernel, ex_hv, ex_guest, ex_host, ex_idle;
	bool guest_chosen;
	unsigned precise;
	bool precise_max, sample_read, pinned, exclusive, weak;
};

bool rec_modifier_is(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!text[i] || !strchr(letters, text[i]))
			return false;
	}
	return true;
}

static int letters_check(const char *text, size_t len, struct pd_err *err)
{
	unsigned counts[sizeof(letters)] = { 0 };

	for (size_t i = 0; i < len; i++) {
		const char *at = text[i] ? strchr(letters, text[i]) : NULL;
		unsigned max = text[i] == 'p' ? PRECISE_MAX : 1;

		if (!at) {
			pd_err_set(err, -EINVAL, "unknown event modifier '%c'",
				   text[i]);
			pd_err_hint(err, "modifiers are %s", letters);
			return -EINVAL;
		}
		if (++counts[at - letters] > max)
			return pd_err_set(
				err, -EINVAL,
				"event modifier '%c' stands too often",
				text[i]);
	}
	return 0;
}

/* The first of u, k, h excludes all three levels but its own. */
static void level_letter(struct modifier *m, bool *own)
{
	if (!m->ex_user && !m->ex_kernel && !m->ex_hv)
		m->ex_user = m->ex_kernel = m->ex_hv = true;
	*own = false;
}

static void guest_letter(struct modifier *m, bool *own)
{
	if (!m->guest_chosen)
		m->ex_guest = m->ex_host = true;
	m->guest_chosen = true;
	*own = false;
}

static void letter_apply(struct modifier *m, char letter)
{
	switch (letter) {
	case 'u':
		level_letter(m, &m->ex_user);
		break;
	case 'k':
		level_letter(m, &m->ex_kernel);
		break;
	case 'h':
		level_letter(m, &m->ex_hv);
		break;
	case 'G':
		guest_letter(m, &m->ex_guest);
		break;
	case 'H':
		guest_letter(m, &m->ex_host);
		break;
	case 'I':
		m->ex_idle = true;
		break;
	case 'p':
		m->precise++;
		break;
	case 'P':
		m->precise_max = true;
		break;
	case 'S':
		m->sample_read = true;
		break;
	case 'D':
		m->pinned = true;
		break;
	case 'e':
		m->exclusive = true;
		break;
	default:
		m->weak = true;
		break;
	}
	/* A guest's user space and its PEBS buffers are not seen from here. */
	if ((letter == 'u' || letter == 'p') && !m->guest_chosen)
		m->ex_guest = true;
}

static void event_to_modifier(const struct rec_event *event, struct modifier *m)
{
	const struct perf_event_attr *sys = &event->attr.sys;

	*m = (struct modifier){
		.ex_user = sys->exclude_user,
		.ex_kernel = sys->exclude_kernel,
		.ex_hv = sys->exclude_hv,
		.ex_guest = sys->exclude_guest,
		.ex_host = sys->exclude_host,
		.ex_idle = sys->exclude_idle,
		.guest_chosen = event->guest_chosen,
		.precise = event->precise_max ? 0 : sys->precise_ip,
		.precise_max = event->precise_max,
		.sample_read = event->sample_read,
		.pinned = sys->pinned,
		.exclusive = sys->exclusive,
		.weak = event->weak_group,
	};
}

static void modifier_to_event(const struct modifier *m, struct rec_event *event)
{
	struct perf_event_attr *sys = &event->attr.sys;

	sys->exclude_user = m->ex_user;
	sys->exclude_kernel = m->ex_kernel;
	sys->exclude_hv = m->ex_hv;
	sys->exclude_guest = m->ex_guest;
	sys->exclude_host = m->ex_host;
	sys->exclude_idle = m->ex_idle;
	sys->precise_ip = (m->precise_max ? PRECISE_MAX : m->precise) & 3;
	sys->pinned = m->pinned;
	sys->exclusive = m->exclusive;
	event->guest_chosen = m->guest_chosen;
	event->precise_max = m->precise_max;
	event->sample_read = m->sample_read;
	event->weak_group = m->weak;
}

static int letters_apply(struct modifier *m, const char *text, size_t len,
			 struct pd_err *err)
{
	int code = letters_check(text, len, err);

	if (code)
		return code;
	for (size_t i = 0; i < len; i++)
		letter_apply(m, text[i]);
	if (m->precise > PRECISE_MAX)
		return pd_err_set(err, -EINVAL,
				  "more than three p of event and group");
	return 0;
}

int rec_modifier_apply(struct rec_event *event, const char *text, size_t len,
		       struct pd_err *err)
{
	struct modifier m = { .ex_user = false };
	int code;

	/* No letter at all leaves the guest excluded, as in a new event. */
	if (len == 0)
		return 0;
	code = letters_apply(&m, text, len, err);
	if (code)
		return code;
	modifier_to_event(&m, event);
	return 0;
}

int rec_modifier_add_group(struct rec_event *event, bool is_leader,
			   const char *text, size_t len, struct pd_err *err)
{
	struct modifier m, own;
	int code;

	event_to_modifier(event, &m);
	own = m;
	code = letters_apply(&m, text, len, err);
	if (code)
		return code;
	/* The kernel takes these for the group from its leader. */
	if (!is_leader) {
		m.pinned = own.pinned;
		m.exclusive = own.exclusive;
		m.weak = own.weak;
	}
	modifier_to_event(&m, event);
	return 0;
}
