#include "record/service/reload.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool rec_reload_is_possible(const struct rec_args *args,
			    const struct rec_service *service)
{
	bool has_fd = args->control && !strncmp(args->control, "fd:", 3);

	return args->config && !args->workload && !has_fd && service->fd >= 0;
}

int rec_reload_exec(char **argv, const struct rec_service *service,
		    const struct rec_start_state *start, struct pd_err *err)
{
	rec_start_state_restore(start);
	rec_service_export(service);
	execvp(argv[0], argv);
	return pd_err_set(err, -errno, "%s: %s", argv[0], strerror(errno));
}
