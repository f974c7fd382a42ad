#include "record/base/runtime.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t rec_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t rec_wall_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

static uint64_t own_begin_ns;

void rec_own_cpu_begin(void)
{
	own_begin_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t rec_own_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) - own_begin_ns;
}

uint64_t rec_thread_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t rec_cpu_of_thread_ns(pthread_t thread)
{
	clockid_t clock;

	return pthread_getcpuclockid(thread, &clock) ? 0 : clock_ns(clock);
}

int rec_ioctl(int fd, unsigned long request, void *arg)
{
#ifdef __GLIBC__
	return ioctl(fd, request, arg);
#else
	return ioctl(fd, (int)request, arg);
#endif
}

void *rec_map_memory(size_t len)
{
	void *ret = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return ret == MAP_FAILED ? NULL : ret;
}

void rec_unmap_memory(void *memory, size_t len)
{
	if (memory)
		munmap(memory, len);
}

void rec_return_large_memory(void)
{
#ifdef __GLIBC__
	/* else glibc raises it, up to 32 MiB */
	mallopt(M_MMAP_THRESHOLD, 64 * 1024);
#endif
}

static uint64_t io_since_ns; /* atomic */

void rec_io_begin(void)
{
	__atomic_store_n(&io_since_ns, rec_now_ns(), __ATOMIC_RELAXED);
}

void rec_io_end(void)
{
	__atomic_store_n(&io_since_ns, 0, __ATOMIC_RELAXED);
}

uint64_t rec_io_since_ns(void)
{
	return __atomic_load_n(&io_since_ns, __ATOMIC_RELAXED);
}

void rec_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t steady;

	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &steady);
	pthread_condattr_destroy(&steady);
}

bool rec_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock,
		   uint64_t until_ns)
{
	const struct timespec until = { (time_t)(until_ns / 1000000000),
					(long)(until_ns % 1000000000) };

	return !pthread_cond_timedwait(cond, lock, &until);
}

int rec_thread_start(pthread_t *ret, const char *name, void *(*run)(void *),
		     void *arg)
{
	sigset_t most, old;
	int rc;

	sigfillset(&most);
	sigdelset(&most, SIGXCPU);
	pthread_sigmask(SIG_SETMASK, &most, &old);
	rc = -pthread_create(ret, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!rc)
		pthread_setname_np(*ret, name);
	return rc;
}
