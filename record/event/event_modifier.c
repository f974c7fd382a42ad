/* event_modifier.c: convert modifier letters to attr bits. */
#include "record/event/event_modifier.h"

#include <errno.h>
#include <string.h>

static const char letters[] = "ukhGHIpPSDWe";

enum { PRECISE_MAX = 3 };

bool rec_modifier_is(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!text[i] || !strchr(letters, text[i]))
			return false;
	}
	return true;
}

static int check_letters(const char *text, size_t len, struct pd_err *err)
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

/* The first of u, k and h excludes all three levels; then each includes its own
 * level again. */
static void exclude_levels(struct perf_event_attr *sys)
{
	if (sys->exclude_user || sys->exclude_kernel || sys->exclude_hv)
		return;
	sys->exclude_user = sys->exclude_kernel = sys->exclude_hv = 1;
}

static void choose_guest(struct rec_event *event)
{
	if (!event->guest_chosen)
		event->attr.sys.exclude_guest = event->attr.sys.exclude_host =
			1;
	event->guest_chosen = true;
}

/* Apply one letter other than p and P, which the caller applies. */
static void apply_letter(struct rec_event *event, char letter)
{
	struct perf_event_attr *sys = &event->attr.sys;

	if (strchr("ukh", letter))
		exclude_levels(sys);
	if (strchr("GH", letter))
		choose_guest(event);
	if (letter == 'u')
		sys->exclude_user = 0;
	else if (letter == 'k')
		sys->exclude_kernel = 0;
	else if (letter == 'h')
		sys->exclude_hv = 0;
	else if (letter == 'G')
		sys->exclude_guest = 0;
	else if (letter == 'H')
		sys->exclude_host = 0;
	else if (letter == 'I')
		sys->exclude_idle = 1;
	else if (letter == 'D')
		sys->pinned = 1;
	else if (letter == 'e')
		sys->exclusive = 1;
	else if (letter == 'S')
		event->sample_read = true;
	else if (letter == 'W')
		event->weak_group = true;
	/* A guest's user space and its PEBS buffers are not visible here. */
	if (strchr("up", letter) && !event->guest_chosen)
		sys->exclude_guest = 1;
}

static int apply_letters(struct rec_event *event, const char *text, size_t len,
			 struct pd_err *err)
{
	struct perf_event_attr *sys = &event->attr.sys;
	unsigned precise = event->precise_max ? 0 : sys->precise_ip;
	int rc = check_letters(text, len, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < len; i++) {
		apply_letter(event, text[i]);
		precise += text[i] == 'p';
		event->precise_max |= text[i] == 'P';
	}
	if (precise > PRECISE_MAX)
		return pd_err_set(err, -EINVAL,
				  "more than three p of event and group");
	sys->precise_ip = (event->precise_max ? PRECISE_MAX : precise) & 3;
	return 0;
}

int rec_modifier_apply(struct rec_event *event, const char *text, size_t len,
		       struct pd_err *err)
{
	struct perf_event_attr *sys = &event->attr.sys;

	/* Without a letter the guest stays excluded, as in a new event. */
	if (len == 0)
		return 0;
	sys->exclude_user = sys->exclude_kernel = sys->exclude_hv = 0;
	sys->exclude_guest = sys->exclude_host = sys->exclude_idle = 0;
	sys->pinned = sys->exclusive = 0;
	sys->precise_ip = 0;
	event->guest_chosen = event->precise_max = false;
	event->sample_read = event->weak_group = false;
	return apply_letters(event, text, len, err);
}

int rec_modifier_add_group(struct rec_event *event, bool is_leader,
			   const char *text, size_t len, struct pd_err *err)
{
	const struct perf_event_attr own = event->attr.sys;
	bool own_weak = event->weak_group;
	int rc = apply_letters(event, text, len, err);

	/* The kernel uses the leader's setting for the whole group. */
	if (!is_leader) {
		event->attr.sys.pinned = own.pinned & 1;
		event->attr.sys.exclusive = own.exclusive & 1;
		event->weak_group = own_weak;
	}
	return rc;
}
