#include "report/symbols/debuginfod.h"

#include "report/base/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define LIBRARY	 "libdebuginfod.so.1"
#define URLS_ENV "DEBUGINFOD_URLS"
#define NS_PER_S UINT64_C(1000000000)

/* The part of the library that is used: debuginfod_find_debuginfo(3). */
typedef struct debuginfod_client client;
typedef int progress_fn(client *c, long a, long b);

struct library {
	void *handle;
	client *(*begin)(void);
	void (*end)(client *c);
	int (*find_debuginfo)(client *c, const unsigned char *build_id,
			      int build_id_len, char **path);
	void (*set_progressfn)(client *c, progress_fn *fn);
};

struct rpt_debuginfod {
	struct rpt_debuginfod_conf conf;
	struct library library;
	client *client;
	uint64_t deadline_ns;
	const char *name; /* of the file that is being fetched */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static bool load_function(void *handle, const char *name, void *ret)
{
	/* in POSIX a function pointer fits in a void * */
	*(void **)ret = dlsym(handle, name);
	return *(void **)ret;
}

static bool load(struct library *l)
{
	l->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	return l->handle &&
	       load_function(l->handle, "debuginfod_begin", &l->begin) &&
	       load_function(l->handle, "debuginfod_end", &l->end) &&
	       load_function(l->handle, "debuginfod_find_debuginfo",
			     &l->find_debuginfo) &&
	       load_function(l->handle, "debuginfod_set_progressfn",
			     &l->set_progressfn);
}

/* The library passes only its own client to a callback. */
static _Thread_local const struct rpt_debuginfod *current;

/* Return 0, or 1 to end the transfer. */
static int on_progress(client *c, long a, long b)
{
	const struct rpt_debuginfod *d = current;

	(void)c;
	if (d->conf.progress)
		d->conf.progress(d->conf.progress_ctx, d->name,
				 a > 0 ? (uint64_t)a : 0,
				 b > 0 ? (uint64_t)b : 0);
	return now_ns() >= d->deadline_ns;
}

int rpt_debuginfod_open(struct rpt_debuginfod **ret,
			const struct rpt_debuginfod_conf *conf,
			struct pd_err *err)
{
	struct rpt_debuginfod *d;
	const char *urls;

	if (conf->urls)
		setenv(URLS_ENV, conf->urls, 1);
	urls = getenv(URLS_ENV);
	if (!urls || !*urls)
		return pd_err_set(err, -ENOTSUP,
				  "option --debuginfod: no server is named, "
				  "neither there nor in " URLS_ENV);
	d = rpt_alloc_zeroed(1, sizeof(*d));
	d->conf = *conf;
	d->deadline_ns = now_ns() + conf->limit_ns;
	if (load(&d->library))
		d->client = d->library.begin();
	if (!d->client || !d->library.set_progressfn) {
		rpt_debuginfod_close(d);
		return pd_err_set(err, -ENOTSUP,
				  "option --debuginfod: " LIBRARY
				  " cannot be loaded");
	}
	d->library.set_progressfn(d->client, on_progress);
	*ret = d;
	return 0;
}

void rpt_debuginfod_close(struct rpt_debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		d->library.end(d->client);
	/* The library stays loaded: its own libraries (curl, gnutls) would leak
	 * memory if it were closed. */
	free(d);
}

int rpt_debuginfod_find(struct rpt_debuginfod *d, const uint8_t *build_id,
			uint8_t build_id_len, const char *name)
{
	int fd;

	if (now_ns() >= d->deadline_ns)
		return -ETIME;
	d->name = name;
	current = d;
	fd = d->library.find_debuginfo(d->client, build_id, build_id_len, NULL);
	current = NULL;
	return fd < 0 && now_ns() >= d->deadline_ns ? -ETIME : fd;
}
