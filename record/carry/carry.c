#include "record/carry/carry.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <unistd.h>

#include "record/base/runtime.h"
#include "record/carry/collector.h"
#include "record/carry/keeper.h"
#include "record/targets/privileges.h"

/* Linux 5.9; older headers do not have it. */
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

/* What rec_carry_collect() was called with, and its result. */
struct rec_carry_request {
	int fd;
	uint64_t len;
	struct pd_buf *b;
	struct pd_carried_sections *ret;
	struct pd_err *err;
	int rc;
};

static void run(const struct rec_carry *carry, struct rec_carry_request *r)
{
	const struct rec_collector_conf conf = {
		.limits = carry->conf,
		.proc_fd = carry->proc_fd,
		.kallsyms_fd = carry->kallsyms_fd,
		.keeper = carry->keeper,
	};

	if (carry->keeper)
		rec_keeper_settle(carry->keeper);
	r->rc = rec_collector_run(&conf, r->fd, r->len, r->b, r->ret, r->err);
}

static void *carry_main(void *arg)
{
	struct rec_carry *carry = arg;

	/* If it cannot be done, nothing is lost but caution. */
	(void)!rec_privileges_drop(PD_BIT(CAP_SYS_PTRACE) |
				   PD_BIT(CAP_DAC_READ_SEARCH) |
				   PD_BIT(CAP_CHECKPOINT_RESTORE));
	pthread_mutex_lock(&carry->lock);
	while (!carry->stop) {
		if (carry->request) {
			run(carry, carry->request);
			carry->request = NULL;
			pthread_cond_broadcast(&carry->changed);
		} else {
			pthread_cond_wait(&carry->changed, &carry->lock);
		}
	}
	pthread_mutex_unlock(&carry->lock);
	return NULL;
}

int rec_carry_start(struct rec_carry *carry, const struct rec_carry_conf *conf)
{
	int rc;

	*carry = (struct rec_carry){ .conf = *conf };
	carry->proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Who opens it sees addresses or not, whoever reads it later: Linux
	 * v6.12 kernel/kallsyms.c, kallsyms_open(). */
	carry->kallsyms_fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	pthread_mutex_init(&carry->lock, NULL);
	pthread_cond_init(&carry->changed, NULL);
	rc = rec_thread_start(&carry->thread, "names", carry_main, carry);
	carry->is_on = !rc;
	/* Without it what is there at the end has names. */
	if (!rc && rec_keeper_start(&carry->keeper, conf->id_len))
		carry->keeper = NULL;
	return rc;
}

void rec_carry_release(struct rec_carry *carry)
{
	if (!carry->is_on)
		return;
	pthread_mutex_lock(&carry->lock);
	carry->stop = true;
	pthread_cond_broadcast(&carry->changed);
	pthread_mutex_unlock(&carry->lock);
	pthread_join(carry->thread, NULL);
	rec_keeper_free(carry->keeper);
	carry->keeper = NULL;
	if (carry->proc_fd >= 0)
		close(carry->proc_fd);
	if (carry->kallsyms_fd >= 0)
		close(carry->kallsyms_fd);
	carry->is_on = false;
}

void rec_carry_see(struct rec_carry *carry, const struct pd_record *rec,
		   bool is_new)
{
	if (carry->keeper)
		rec_keeper_see(carry->keeper, rec, is_new);
}

int rec_carry_collect(struct rec_carry *carry, int fd, uint64_t len,
		      struct pd_buf *b, struct pd_carried_sections *ret,
		      struct pd_err *err)
{
	struct rec_carry_request request = { fd, len, b, ret, err, 0 };

	pthread_mutex_lock(&carry->lock);
	carry->request = &request;
	pthread_cond_broadcast(&carry->changed);
	while (carry->request)
		pthread_cond_wait(&carry->changed, &carry->lock);
	pthread_mutex_unlock(&carry->lock);
	return request.rc;
}
