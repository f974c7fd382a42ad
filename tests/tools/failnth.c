/* failnth.c: to be preloaded; fails the Nth call of a kind, as a machine that
 * is out of memory, of descriptors or of disk does.
 *
 *	FAILNTH_CALLS	malloc, open, read, write, ftruncate, mmap, fsync,
 *			rename or thread: each stands for all functions that do
 *			that (malloc: calloc, realloc and the aligned ones too)
 *	FAILNTH_AT	which call since main() began, from 1; 0: none
 *	FAILNTH_ON	set: all from that one on
 *	FAILNTH_ERRNO	with which errno; without it the kind's own
 *	FAILNTH_COUNT	a file that gets how many calls there were
 *	FAILNTH_TRACE	set: where the failed call came from, on stderr
 *	FAILNTH_THREADS	names of threads, each between commas: ",names,keeper,";
 *			without it calls of all threads are counted
 *
 * Programs that it starts are not touched.
 * Calls that libc makes inside itself (stdio's read and write) are not seen,
 * but for malloc. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { MALLOC, OPEN, READ, WRITE, FTRUNCATE, MMAP, FSYNC, RENAME, THREAD };

static const struct {
	const char *name;
	int code; /* without FAILNTH_ERRNO */
} kinds[] = {
	[MALLOC] = { "malloc", ENOMEM },    [OPEN] = { "open", EMFILE },
	[READ] = { "read", EIO },	    [WRITE] = { "write", ENOSPC },
	[FTRUNCATE] = { "ftruncate", EIO }, [MMAP] = { "mmap", ENOMEM },
	[FSYNC] = { "fsync", EIO },	    [RENAME] = { "rename", EACCES },
	[THREAD] = { "thread", EAGAIN },
};

static atomic_bool is_active; /* main() has begun */
static enum kind kind;
static unsigned long fail_at;
static bool is_on;
static bool is_traced;
static int fail_code;
static char count_path[PATH_MAX];
static char threads[200];
static atomic_ulong calls_nr;
static __thread bool is_inside; /* what the tracing itself calls */

static void trace(void)
{
	void *frames[32];

	is_inside = true;
	backtrace_symbols_fd(frames, backtrace(frames, 32), STDERR_FILENO);
	is_inside = false;
}

/* Whether calls of this thread count. */
static bool is_meant(void)
{
	char name[18] = ",";

	if (!*threads)
		return true;
	prctl(PR_GET_NAME, name + 1);
	strcat(name, ",");
	return strstr(threads, name);
}

/* Whether this call is to fail; errno then stands. */
static bool fails(enum kind of)
{
	unsigned long nr;

	if (!atomic_load_explicit(&is_active, memory_order_relaxed) ||
	    of != kind || is_inside || !is_meant())
		return false;
	nr = atomic_fetch_add(&calls_nr, 1) + 1;
	if (!fail_at || (is_on ? nr < fail_at : nr != fail_at))
		return false;
	if (is_traced)
		trace();
	errno = fail_code;
	return true;
}

/* next: the function that this one stands before. */
#define NEXT(name)                                         \
	static _Atomic(__typeof__(&name)) found;           \
	__typeof__(&name) next = atomic_load(&found);      \
	if (!next) {                                       \
		*(void **)&next = dlsym(RTLD_NEXT, #name); \
		atomic_store(&found, next);                \
	}

/* One function of that kind: its result where it fails. */
#define WRAP(ret, name, params, args, of, failed)      \
	ret name params;                               \
	ret name params                                \
	{                                              \
		NEXT(name)                             \
		return fails(of) ? failed : next args; \
	}

/* Programs with a malloc of their own call libc's by this name. */
WRAP(void *, __libc_malloc, (size_t len), (len), MALLOC, NULL)
WRAP(void *, __libc_calloc, (size_t nr, size_t len), (nr, len), MALLOC, NULL)
WRAP(void *, __libc_realloc, (void *old, size_t len), (old, len), MALLOC, NULL)
WRAP(void *, __libc_memalign, (size_t align, size_t len), (align, len), MALLOC,
     NULL)
WRAP(void *, malloc, (size_t len), (len), MALLOC, NULL)
WRAP(void *, calloc, (size_t nr, size_t len), (nr, len), MALLOC, NULL)
WRAP(void *, realloc, (void *old, size_t len), (old, len), MALLOC, NULL)
WRAP(void *, memalign, (size_t align, size_t len), (align, len), MALLOC, NULL)
WRAP(void *, aligned_alloc, (size_t align, size_t len), (align, len), MALLOC,
     NULL)
WRAP(int, posix_memalign, (void **ret, size_t align, size_t len),
     (ret, align, len), MALLOC, fail_code)

WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), OPEN,
     NULL)
WRAP(FILE *, fopen64, (const char *path, const char *mode), (path, mode), OPEN,
     NULL)
WRAP(DIR *, opendir, (const char *path), (path), OPEN, NULL)

WRAP(ssize_t, read, (int fd, void *to, size_t len), (fd, to, len), READ, -1)
WRAP(ssize_t, pread, (int fd, void *to, size_t len, off_t off),
     (fd, to, len, off), READ, -1)
WRAP(ssize_t, pread64, (int fd, void *to, size_t len, off_t off),
     (fd, to, len, off), READ, -1)
WRAP(ssize_t, readv, (int fd, const struct iovec *to, int nr), (fd, to, nr),
     READ, -1)

WRAP(ssize_t, write, (int fd, const void *from, size_t len), (fd, from, len),
     WRITE, -1)
WRAP(ssize_t, pwrite, (int fd, const void *from, size_t len, off_t off),
     (fd, from, len, off), WRITE, -1)
WRAP(ssize_t, pwrite64, (int fd, const void *from, size_t len, off_t off),
     (fd, from, len, off), WRITE, -1)
WRAP(ssize_t, writev, (int fd, const struct iovec *from, int nr),
     (fd, from, nr), WRITE, -1)
WRAP(ssize_t, pwritev, (int fd, const struct iovec *from, int nr, off_t off),
     (fd, from, nr, off), WRITE, -1)

WRAP(int, ftruncate, (int fd, off_t len), (fd, len), FTRUNCATE, -1)
WRAP(int, ftruncate64, (int fd, off_t len), (fd, len), FTRUNCATE, -1)
WRAP(int, fsync, (int fd), (fd), FSYNC, -1)
WRAP(int, fdatasync, (int fd), (fd), FSYNC, -1)
WRAP(int, rename, (const char *from, const char *to), (from, to), RENAME, -1)
WRAP(int, renameat, (int from_fd, const char *from, int to_fd, const char *to),
     (from_fd, from, to_fd, to), RENAME, -1)
WRAP(int, renameat2,
     (int from_fd, const char *from, int to_fd, const char *to, unsigned flags),
     (from_fd, from, to_fd, to, flags), RENAME, -1)
WRAP(void *, mmap,
     (void *at, size_t len, int prot, int flags, int fd, off_t off),
     (at, len, prot, flags, fd, off), MMAP, MAP_FAILED)
WRAP(void *, mmap64,
     (void *at, size_t len, int prot, int flags, int fd, off_t off),
     (at, len, prot, flags, fd, off), MMAP, MAP_FAILED)
WRAP(int, pthread_create,
     (pthread_t * ret, const pthread_attr_t *attr, void *(*run)(void *),
      void *arg),
     (ret, attr, run, arg), THREAD, fail_code)

/* The mode is read even where the flags ask for none: it is unused then. */
#define WRAP_OPEN(name)                                            \
	int name(const char *path, int flags, ...);                \
	int name(const char *path, int flags, ...)                 \
	{                                                          \
		NEXT(name)                                         \
		va_list ap;                                        \
		mode_t mode;                                       \
		va_start(ap, flags);                               \
		mode = va_arg(ap, mode_t);                         \
		va_end(ap);                                        \
		return fails(OPEN) ? -1 : next(path, flags, mode); \
	}
#define WRAP_OPENAT(name)                                               \
	int name(int dir, const char *path, int flags, ...);            \
	int name(int dir, const char *path, int flags, ...)             \
	{                                                               \
		NEXT(name)                                              \
		va_list ap;                                             \
		mode_t mode;                                            \
		va_start(ap, flags);                                    \
		mode = va_arg(ap, mode_t);                              \
		va_end(ap);                                             \
		return fails(OPEN) ? -1 : next(dir, path, flags, mode); \
	}
WRAP_OPEN(open)
WRAP_OPEN(open64)
WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : otherwise;
}

/* What the program starts runs without this. */
static void take_settings(void)
{
	static const char *const names[] = {
		"LD_PRELOAD",	 "FAILNTH_CALLS",  "FAILNTH_AT",
		"FAILNTH_ON",	 "FAILNTH_ERRNO",  "FAILNTH_COUNT",
		"FAILNTH_TRACE", "FAILNTH_THREADS"
	};
	const char *text = getenv("FAILNTH_CALLS");
	size_t i = 0;

	while (i <= THREAD && (!text || strcmp(text, kinds[i].name) != 0))
		i++;
	if (i > THREAD) {
		fprintf(stderr, "failnth: FAILNTH_CALLS names no kind\n");
		_exit(99);
	}
	kind = (enum kind)i;
	fail_at = number("FAILNTH_AT", 0);
	fail_code = (int)number("FAILNTH_ERRNO", (unsigned long)kinds[i].code);
	is_on = getenv("FAILNTH_ON");
	is_traced = getenv("FAILNTH_TRACE");
	text = getenv("FAILNTH_THREADS");
	snprintf(threads, sizeof(threads), "%s", text ? text : "");
	text = getenv("FAILNTH_COUNT");
	snprintf(count_path, sizeof(count_path), "%s", text ? text : "");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

static void tell_count(void)
{
	unsigned long nr = atomic_load(&calls_nr);
	FILE *file;

	atomic_store(&is_active, false);
	file = *count_path ? fopen(count_path, "w") : NULL;
	if (file) {
		fprintf(file, "%lu\n", nr);
		fclose(file);
	}
}

/* What was forked waits to become another program. */
static void in_child(void)
{
	atomic_store(&is_active, false);
}

static int (*real_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **env)
{
	take_settings();
	pthread_atfork(NULL, NULL, in_child);
	atexit(tell_count);
	atomic_store(&is_active, true);
	return real_main(argc, argv, env);
}

typedef int start_fn(int (*main)(int, char **, char **), int argc, char **argv,
		     void (*init)(void), void (*fini)(void),
		     void (*ld_fini)(void), void *stack_end);

start_fn __libc_start_main;
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
		      void (*init)(void), void (*fini)(void),
		      void (*ld_fini)(void), void *stack_end)
{
	NEXT(__libc_start_main)

	real_main = main;
	return next(counted_main, argc, argv, init, fini, ld_fini, stack_end);
}
