#include "record/carry/pins.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

static uint64_t gone; /* tags of what was let go, added up */

static void let_go(void *ctx, uint64_t tag)
{
	(void)ctx;
	gone += tag;
}

static int proc_fd;

static void init(struct rec_pins *pins, size_t cap)
{
	gone = 0;
	proc_fd = open("/proc", O_PATH | O_DIRECTORY);
	rec_pins_init(pins, proc_fd, cap);
	pins->let_go = let_go;
}

static void release(struct rec_pins *pins)
{
	rec_pins_release(pins);
	close(proc_fd);
}

static void add(struct rec_pins *pins, uint64_t key, uint32_t pid,
		uint64_t now_ns)
{
	const struct rec_pin pin = {
		.keys = { key + 200, key + 100, key },
		.fd = memfd_create("pin", 0),
		.pid = pid,
		.since_ns = now_ns,
	};

	assert_true(pin.fd >= 0);
	/* its length says which one it is */
	assert_int_equal(ftruncate(pin.fd, (off_t)key), 0);
	rec_pins_add(pins, &pin);
}

static bool is_there(const struct rec_pins *pins, uint64_t key)
{
	int fd = rec_pins_find(pins, key);
	struct stat st;

	if (fd < 0)
		return false;
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, key % 100);
	close(fd);
	return true;
}

static void test_pins__end_some_time_after_their_process(void **state)
{
	const uint64_t end_ns = 6 * SECOND + REC_PIN_END_NS;
	uint32_t self = (uint32_t)getpid();
	struct rec_pins pins;

	(void)state;
	init(&pins, 4);
	assert_true(rec_pins_due_ns(&pins) == UINT64_MAX);
	add(&pins, 1, self, SECOND);
	add(&pins, 2, 0x7fffffff, SECOND);
	assert_true(is_there(&pins, 1) && is_there(&pins, 102));
	/* their processes are looked for */
	assert_true(rec_pins_ends_ns(&pins) == 5 * SECOND);
	rec_pins_tend(&pins, 2 * SECOND);
	assert_false(rec_pins_is_last_look(&pins, 2, UINT64_MAX));
	/* nobody said that it ended */
	rec_pins_tend(&pins, 6 * SECOND);
	assert_true(rec_pins_is_last_look(&pins, 2, end_ns));
	assert_false(rec_pins_is_last_look(&pins, 2, end_ns - 1));
	assert_true(is_there(&pins, 2));
	assert_false(rec_pins_is_last_look(&pins, 1, UINT64_MAX));
	assert_true(rec_pins_due_ns(&pins) == end_ns);
	assert_true(rec_pins_ends_ns(&pins) == 10 * SECOND);
	rec_pins_tend(&pins, end_ns);
	assert_true(is_there(&pins, 2)); /* nobody has read it */
	rec_pins_note_look(&pins, end_ns - 1);
	rec_pins_tend(&pins, 8 * SECOND);
	assert_true(is_there(&pins, 2));
	rec_pins_note_look(&pins, end_ns);
	rec_pins_tend(&pins, 9 * SECOND);
	assert_false(is_there(&pins, 2));
	assert_int_equal(gone, 2);
	/* it ends if it is read or not */
	rec_pins_end_process(&pins, self, 20 * SECOND);
	rec_pins_tend(&pins, 20 * SECOND + REC_PIN_END_NS_MAX - 1);
	assert_true(is_there(&pins, 1));
	rec_pins_tend(&pins, 21 * SECOND + REC_PIN_END_NS_MAX);
	assert_false(is_there(&pins, 1));
	release(&pins);
}

/* The process counts that mapped the file last. */
static void test_pins__stay_while_others_map_the_file(void **state)
{
	uint32_t self = (uint32_t)getpid();
	struct rec_pins pins;

	(void)state;
	init(&pins, 4);
	add(&pins, 1, 0x7fffffff, SECOND);
	rec_pins_end_process(&pins, 0x7fffffff, 2 * SECOND);
	rec_pins_renew(&pins, 1, self, 2 * SECOND);
	rec_pins_note_look(&pins, 4 * SECOND);
	rec_pins_end_process(&pins, 0x7fffffff, 4 * SECOND);
	rec_pins_tend(&pins, 10 * SECOND);
	assert_false(rec_pins_is_last_look(&pins, 1, UINT64_MAX));
	assert_true(is_there(&pins, 1));
	rec_pins_end_process(&pins, self, 10 * SECOND);
	rec_pins_tend(&pins, 10 * SECOND + REC_PIN_END_NS_MAX);
	assert_false(is_there(&pins, 1));
	release(&pins);
}

static void test_pins__old_ones_give_way(void **state)
{
	uint32_t self = (uint32_t)getpid();
	struct rec_pins pins;

	(void)state;
	init(&pins, 2);
	add(&pins, 1, self, SECOND);
	add(&pins, 2, self, 2 * SECOND);
	add(&pins, 3, self, 3 * SECOND); /* all are new */
	assert_false(is_there(&pins, 3));
	add(&pins, 4, self, 10 * SECOND);
	assert_true(!is_there(&pins, 1) && is_there(&pins, 4));
	rec_pins_end(&pins, 4, 10 * SECOND);
	add(&pins, 5, self, 11 * SECOND);
	assert_true(is_there(&pins, 2) && is_there(&pins, 5));
	assert_false(is_there(&pins, 4));
	assert_int_equal(gone, 1 + 4);
	rec_pins_drop(&pins, 5);
	assert_false(is_there(&pins, 5));
	release(&pins);
	init(&pins, 0);
	add(&pins, 1, self, SECOND);
	assert_false(is_there(&pins, 1));
	release(&pins);
}

static void note(struct rec_pins *pins, uint64_t len, uint64_t now_ns,
		 bool is_anew)
{
	const struct rec_map_note now = { len, now_ns - 1, now_ns };

	rec_pins_note_map(pins, 1, &now, is_anew);
}

/* Each length that a map has had, and of many every other one. */
static void test_pins__notes_on_a_map(void **state)
{
	struct rec_map_notes notes;
	struct rec_pins pins;
	int fd;

	(void)state;
	init(&pins, 2);
	add(&pins, 1, (uint32_t)getpid(), SECOND);
	note(&pins, 10, 2, false);
	note(&pins, 10, 3, false);
	note(&pins, 20, 4, false);
	fd = rec_pins_find_noted(&pins, 1, &notes);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(notes.nr, 2);
	assert_int_equal(notes.items[0].changed_ns, 1);
	assert_int_equal(notes.items[0].looked_ns, 3);
	assert_int_equal(notes.items[1].len, 20);
	note(&pins, 5, 6, true); /* it began anew */
	for (uint64_t i = 1; i < REC_MAP_NOTES_MAX + 2; i++)
		note(&pins, 5 + i, 6 + i, false);
	close(rec_pins_find_noted(&pins, 1, &notes));
	assert_int_equal(notes.nr, REC_MAP_NOTES_MAX / 2 + 2);
	assert_int_equal(notes.items[0].len, 6);
	assert_int_equal(notes.items[notes.nr - 2].len, 5 + REC_MAP_NOTES_MAX);
	rec_pins_drop(&pins, 1);
	add(&pins, 1, (uint32_t)getpid(), SECOND);
	close(rec_pins_find_noted(&pins, 1, &notes));
	assert_int_equal(notes.nr, 0);
	release(&pins);
}

static bool stop;

static void *change(void *arg)
{
	for (uint64_t i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
		add(arg, 1 + i % 3, (uint32_t)getpid(), SECOND);
		rec_pins_drop(arg, 1 + (i + 1) % 3);
	}
	return NULL;
}

/* Whoever looks has the file that was asked for, or none. */
static void test_pins__are_found_without_a_lock(void **state)
{
	struct rec_pins pins;
	unsigned found = 0;
	pthread_t thread;

	(void)state;
	init(&pins, 2);
	assert_int_equal(pthread_create(&thread, NULL, change, &pins), 0);
	for (unsigned i = 0; i < 20000 || (!found && i < 2000000); i++)
		found += is_there(&pins, 1 + i % 3);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	assert_true(found);
	release(&pins);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pins__end_some_time_after_their_process),
		cmocka_unit_test(test_pins__stay_while_others_map_the_file),
		cmocka_unit_test(test_pins__old_ones_give_way),
		cmocka_unit_test(test_pins__notes_on_a_map),
		cmocka_unit_test(test_pins__are_found_without_a_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
