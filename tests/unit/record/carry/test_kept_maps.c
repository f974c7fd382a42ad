/* Notes of a perf map while it is written to. */
#include "record/carry/kept_maps.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct rec_pins pins;
static struct rec_kept_maps maps = { .pins = &pins };
static char path[64];

static void let_go(void *ctx, uint64_t tag)
{
	(void)ctx;
	(void)tag;
}

/* Write at off, have it looked at, and return how many growths are noted. */
static uint64_t write_at(off_t off, const char *text, size_t len, time_t mtime)
{
	const struct timespec times[] = { { mtime, 0 }, { mtime, 0 } };
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	struct rec_map_notes notes;

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, len, off), len);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
	rec_kept_maps_look(&maps, true);
	fd = rec_pins_find_noted(&pins, rec_pin_key_of_map((uint32_t)getpid()),
				 &notes);
	assert_true(fd >= 0);
	close(fd);
	return notes.nr;
}

static void test_kept_maps__one_that_is_written_anew_at_its_length(void **state)
{
	(void)state;
	rec_kept_maps_add(&maps, (uint32_t)getpid());
	assert_int_equal(write_at(0, "1000 20 first\n", 14, 1000), 1);
	assert_int_equal(write_at(14, "1000 20 second\n", 15, 1001), 2);
	/* one that is touched is the same */
	assert_int_equal(write_at(0, "1000 20 first\n", 14, 1002), 2);
	assert_int_equal(write_at(0, "1000 20 third\n", 14, 1003), 1);
	assert_int_equal(write_at(29, "1000 20 fourth\n", 15, 1004), 2);
}

static int start(void **state)
{
	(void)state;
	rec_pins_init(&pins, open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		      1);
	pins.let_go = let_go;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	unlink(path); /* another process of this number may have left one */
	return pins.proc_fd < 0;
}

static int end(void **state)
{
	(void)state;
	rec_pins_release(&pins);
	unlink(path);
	return close(pins.proc_fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_kept_maps__one_that_is_written_anew_at_its_length),
	};

	return cmocka_run_group_tests(tests, start, end);
}
