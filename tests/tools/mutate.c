/* mutate.c: every command over a small recording cut at each length and with
 * each byte changed; for tests/cli/test_mutations.py.
 *
 *	mutate [-s STEP] FILE
 *
 * All in one process: thousands of runs a second, under the sanitizers that it
 * was built with.  Each run must end within RUN_S, with an exit code that was
 * agreed on, a reason on stderr unless that is 0, at most HEAP_MAX_LEN of
 * memory, and all of it given back.  The first that does not is told, and ends
 * the tool with 1.  -s: only each STEP-th place.
 */
#include "tests/tools/command_run.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RUN_S	     10u
#define HEAP_MAX_LEN ((size_t)48 << 20)
#define FILE_MAX_LEN ((size_t)1 << 20)

/* ---- the heap, where a sanitizer counts it ---- */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif

#ifdef HAS_ASAN
#include <sanitizer/allocator_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>

static atomic_size_t live_len, peak_len;

static void on_malloc(const volatile void *p, size_t len)
{
	size_t live = atomic_fetch_add(&live_len, len) + len;
	size_t peak = atomic_load(&peak_len);

	(void)p;
	while (live > peak &&
	       !atomic_compare_exchange_weak(&peak_len, &peak, live))
		;
}

static void on_free(const volatile void *p)
{
	atomic_fetch_sub(&live_len, __sanitizer_get_allocated_size(
					    (const void *)(uintptr_t)p));
}

static void heap_watch(int report_fd)
{
	__sanitizer_set_report_fd((void *)(intptr_t)report_fd);
	__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}

static void heap_start(void)
{
	atomic_store(&live_len, 0);
	atomic_store(&peak_len, 0);
}

static const char *heap_problem(void)
{
	if (atomic_load(&peak_len) > HEAP_MAX_LEN)
		return "took too much memory";
	if (atomic_load(&live_len) && __lsan_do_recoverable_leak_check())
		return "leaked";
	return NULL;
}
#else
static void heap_watch(int report_fd)
{
	(void)report_fd;
}

static void heap_start(void)
{
}

static const char *heap_problem(void)
{
	return NULL;
}
#endif

/* ---- the runs ---- */

static char path[64]; /* of the changed recording */

static const struct command_run runs[] = {
	{ rpt_cmd_report,
	  { "report", "--stdio", "--header", "-I", "--jobs", "1", "--symfs",
	    "/proc/self/task", "--kallsyms", "/dev/null", "-i", path } },
	{ rpt_cmd_check, { "check", "-i", path } },
	{ rpt_cmd_report, { "report", "--stats", "-i", path } },
	COMMAND_RUN_SCRIPT(path),
	{ rpt_cmd_evlist, { "evlist", "-v", "-i", path } },
	{ rpt_cmd_buildid_list, { "buildid-list", "-H", "-i", path } },
};

static struct {
	int fd;	     /* the recording */
	int err_fd;  /* what commands say */
	int told_fd; /* the user's stderr */
	const char *name;
	const char *command;
	char what[64]; /* that was changed */
	unsigned long run_nr;
} now;

static void tell(const char *text)
{
	if (write(now.told_fd, text, strlen(text)) < 0)
		_exit(2);
}

/* Also called by a signal. */
static void fail(const char *why)
{
	const char *const parts[] = { now.name,	   ", ", now.what, ": ",
				      now.command, " ",	 why,	   "\n" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		tell(parts[i]);
	_exit(1);
}

static void on_alarm(int signal_nr)
{
	(void)signal_nr;
	fail("hangs");
}

static void run_one(const struct command_run *run)
{
	const char *problem;

	now.command = run->argv[0];
	now.run_nr++;
	heap_start();
	alarm(RUN_S);
	problem = command_run(run, now.err_fd);
	if (!problem)
		problem = heap_problem();
	if (problem)
		fail(problem);
}

static void run_all(void)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		run_one(&runs[i]);
}

/* What is buffered once and kept is no leak of a run. */
static void warm_up(void)
{
	snprintf(now.what, sizeof(now.what), "unchanged");
	run_all();
}

static void cut(const uint8_t *data, size_t len, size_t step)
{
	for (size_t at = 0; at < len; at += step) {
		snprintf(now.what, sizeof(now.what), "cut at %zu", at);
		ftruncate(now.fd, 0);
		pwrite(now.fd, data, at, 0);
		run_all();
	}
	pwrite(now.fd, data, len, 0);
}

static void change(const uint8_t *data, size_t len, size_t step)
{
	for (size_t at = 0; at < len; at += step) {
		const uint8_t values[] = { 0x00, 0xff, data[at] ^ 0x80,
					   (uint8_t)(data[at] + 1) };

		for (size_t i = 0; i < sizeof(values); i++) {
			if (values[i] == data[at])
				continue;
			snprintf(now.what, sizeof(now.what),
				 "byte %zu is 0x%02x", at, values[i]);
			pwrite(now.fd, &values[i], 1, (off_t)at);
			run_all();
		}
		pwrite(now.fd, &data[at], 1, (off_t)at);
	}
}

static size_t read_file(const char *name, uint8_t *data)
{
	FILE *file = fopen(name, "rb");
	size_t len = file ? fread(data, 1, FILE_MAX_LEN, file) : 0;

	if (file)
		fclose(file);
	return len;
}

/* stdout goes nowhere, stderr into a file that is looked at. */
static bool redirect(void)
{
	now.told_fd = dup(STDERR_FILENO);
	now.err_fd = memfd_create("stderr", MFD_CLOEXEC);
	now.fd = memfd_create("recording", MFD_CLOEXEC);
	if (now.told_fd < 0 || now.err_fd < 0 || now.fd < 0)
		return false;
	heap_watch(now.told_fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", now.fd);
	fcntl(now.err_fd, F_SETFL, O_APPEND);
	return dup2(now.err_fd, STDERR_FILENO) >= 0 &&
	       freopen("/dev/null", "w", stdout);
}

int main(int argc, char **argv)
{
	static uint8_t data[FILE_MAX_LEN];
	size_t len, step = 1;
	int opt;

	while ((opt = getopt(argc, argv, "s:")) == 's')
		step = strtoul(optarg, NULL, 10);
	if (opt != -1 || optind + 1 != argc || !step) {
		fprintf(stderr, "usage: mutate [-s STEP] FILE\n");
		return 2;
	}
	now.name = argv[optind];
	len = read_file(now.name, data);
	if (!len || !redirect()) {
		perror(now.name);
		return 2;
	}
	signal(SIGALRM, on_alarm);
	pwrite(now.fd, data, len, 0);
	warm_up();
	cut(data, len, step);
	change(data, len, step);
	snprintf(now.what, sizeof(now.what), "%lu runs\n", now.run_nr);
	tell(now.what);
	return 0;
}
