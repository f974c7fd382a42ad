/* service.h: tell a service manager how the recording is: sd_notify(3)'s
 * protocol, datagrams to the socket that NOTIFY_SOCKET names, and its watchdog.
 *
 *	READY=1		events are open, the first file is begun
 *	WATCHDOG=1	twice in WATCHDOG_USEC, by the main loop
 *	STOPPING=1	the last file is written
 *	RELOADING=1	likewise, and READY=1 follows (reload.h)
 *	STATUS=...	what systemctl status shows
 *
 * Without NOTIFY_SOCKET nothing is sent.
 */
#ifndef REC_SERVICE_H
#define REC_SERVICE_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

struct rec_service {
	int fd; /* -1: there is no manager */
	struct sockaddr_un at;
	socklen_t at_len;
	uint64_t interval_ns; /* of WATCHDOG=1; 0: no watchdog */
	uint64_t due_ns;      /* of the next one */
};

/* Take the variables out of the environment, so that commands do not speak for
 * us. */
void rec_service_open(struct rec_service *service);
void rec_service_close(struct rec_service *service);
/* Put them back, for the program that this process becomes. */
void rec_service_export(const struct rec_service *service);

/* Send lines, such as "READY=1\nSTATUS=...".  Never waits; a manager that does
 * not take it is left alone. */
__attribute__((format(printf, 2, 3))) void
rec_service_say(const struct rec_service *service, const char *format, ...);

/* Called at each turn of the main loop: send WATCHDOG=1 if it is due, but not
 * if the work that was due at worked_ns is late by more than its interval. */
void rec_service_alive(struct rec_service *service, uint64_t now_ns,
		       uint64_t worked_ns);

/* Return when it is due; UINT64_MAX: never. */
static inline uint64_t rec_service_due_ns(const struct rec_service *service)
{
	return service->interval_ns ? service->due_ns : UINT64_MAX;
}

#endif
