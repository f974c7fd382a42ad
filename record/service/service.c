#include "record/service/service.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/support/options.h"

/* Fill the socket's address; '@' begins a name without a file.  Return false if
 * it is none. */
static bool set_address(struct rec_service *service, const char *name)
{
	size_t len = strlen(name);

	if ((*name != '/' && *name != '@') || len < 2 ||
	    len >= sizeof(service->at.sun_path))
		return false;
	service->at = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(service->at.sun_path, name, len);
	if (*name == '@')
		service->at.sun_path[0] = '\0';
	service->at_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				      len + (*name == '/'));
	return true;
}

static uint64_t number_of(const char *name)
{
	const char *text = getenv(name);
	uint64_t v;

	return text && !sup_parse_u64(text, &v) ? v : 0;
}

/* Set how often the watchdog wants to hear from this process. */
static void set_watchdog(struct rec_service *service)
{
	uint64_t us = number_of("WATCHDOG_USEC");

	if (getenv("WATCHDOG_PID") &&
	    number_of("WATCHDOG_PID") != (uint64_t)getpid())
		return;
	if (us < UINT64_MAX / 1000)
		service->interval_ns = us * 1000 / 2;
}

void rec_service_open(struct rec_service *service)
{
	const char *name = getenv("NOTIFY_SOCKET");

	*service = (struct rec_service){ .fd = -1 };
	if (name && set_address(service, name))
		service->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (service->fd >= 0)
		set_watchdog(service);
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void rec_service_close(struct rec_service *service)
{
	if (service->fd >= 0)
		close(service->fd);
	service->fd = -1;
}

void rec_service_export(const struct rec_service *service)
{
	char name[sizeof(service->at.sun_path) + 1], us[32];

	if (!service->at_len)
		return;
	memcpy(name, service->at.sun_path, sizeof(service->at.sun_path));
	name[sizeof(service->at.sun_path)] = '\0';
	if (!name[0])
		name[0] = '@';
	setenv("NOTIFY_SOCKET", name, 1);
	if (!service->interval_ns)
		return;
	snprintf(us, sizeof(us), "%" PRIu64, service->interval_ns * 2 / 1000);
	setenv("WATCHDOG_USEC", us, 1);
}

void rec_service_say(const struct rec_service *service, const char *format, ...)
{
	char text[512];
	va_list args;
	int len;

	if (service->fd < 0)
		return;
	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (len > 0 && (size_t)len < sizeof(text))
		(void)!sendto(service->fd, text, (size_t)len,
			      MSG_DONTWAIT | MSG_NOSIGNAL,
			      (const struct sockaddr *)&service->at,
			      service->at_len);
}

void rec_service_alive(struct rec_service *service, uint64_t now_ns,
		       uint64_t worked_ns)
{
	if (now_ns < rec_service_due_ns(service) ||
	    worked_ns + service->interval_ns < service->due_ns)
		return;
	rec_service_say(service, "WATCHDOG=1");
	service->due_ns = now_ns + service->interval_ns;
}
