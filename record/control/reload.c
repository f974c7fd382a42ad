#include "record/control/reload.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool rec_reload_is_possible(const struct rec_args *args,
			    const struct rec_service *service)
{
	return args->config && !args->workload && service->fd >= 0;
}

int rec_reload_check(const struct rec_args *args, struct pd_err *err)
{
	struct rec_args now;
	int rc = rec_args_parse(&now, args->argc, args->argv, err);

	rec_args_release(&now);
	return rc;
}

int rec_reload_exec(char **argv, const struct rec_service *service,
		    struct pd_err *err)
{
	rec_service_export(service);
	execvp(argv[0], argv);
	return pd_err_set(err, -errno, "%s: %s", argv[0], strerror(errno));
}
