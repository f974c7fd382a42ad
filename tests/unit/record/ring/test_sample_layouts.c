#include "record/ring/sample_layouts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "format/file/layout.h"
#include "format/records/leaf_words.h"

enum { PID = 7, SP = 0x7ff0 };

/* One event of IP, TID, CALLCHAIN and PHYS_ADDR, opened with the top of the
 * stack; process 7 has code at 0x4000 .. 0x6000. */
struct fixture {
	struct rec_event event;
	struct rec_event_list events;
	struct rec_sample_layouts layouts;
	uint64_t stack[PD_LEAF_STACK_LEN / 8];
	uint64_t abi;
	uint64_t bp;
	uint64_t dyn_len;
	uint64_t caller; /* in the chain */
	uint64_t record[64];
	size_t nr; /* words of the record */
};

static int setup(void **state)
{
	const uint64_t map[] = { PD_RECORD_MMAP2 |
					 (uint64_t)PD_CPUMODE_USER << 32 |
					 UINT64_C(72) << 48,
				 PID | (uint64_t)PID << 32,
				 0x4000,
				 0x2000,
				 0,
				 0,
				 0,
				 0,
				 PROT_EXEC };
	struct rec_ring ring;
	struct rec_open_set open = { .nr = 0 };
	struct fixture *f = calloc(1, sizeof(*f));

	rec_attr_init(&f->event.attr);
	f->event.attr.sys.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					PERF_SAMPLE_CALLCHAIN |
					PERF_SAMPLE_PHYS_ADDR;
	f->event.has_leaf = true;
	f->events = (struct rec_event_list){ .events = &f->event, .nr = 1 };
	assert_int_equal(
		rec_sample_layouts_init(&f->layouts, &f->events, &open), 0);
	rec_ring_init_memory(&ring, map, sizeof(map));
	rec_sample_layouts_see(&f->layouts, &ring, 0, true);
	f->abi = PD_REGS_ABI_64;
	f->bp = SP + 48;
	f->dyn_len = sizeof(f->stack);
	f->caller = 0x4300;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rec_sample_layouts_release(&f->layouts);
	free(f);
	return 0;
}

static void put(struct fixture *f, uint64_t word)
{
	f->record[f->nr++] = word;
}

/* Make the record as the kernel does. */
static void make(struct fixture *f)
{
	f->nr = 1;
	put(f, 0x4100);
	put(f, PID | (uint64_t)PID << 32);
	put(f, 3);
	put(f, PD_CONTEXT_USER);
	put(f, 0x4100);
	put(f, f->caller);
	put(f, f->abi);
	if (f->abi) {
		put(f, f->bp);
		put(f, SP);
	}
	put(f, f->abi ? sizeof(f->stack) : 0);
	for (size_t i = 0; i < PD_LEAF_STACK_LEN / 8 && f->abi; i++)
		put(f, f->stack[i]);
	if (f->abi)
		put(f, f->dyn_len);
	put(f, 0xadd4);
	f->record[0] = PD_RECORD_SAMPLE | (uint64_t)(f->nr * 8) << 48;
}

/* Cut it, and check what is always there; the words behind that are left. */
static void cut(struct fixture *f, uint64_t max_len, const uint64_t *words,
		size_t nr)
{
	enum { FIELDS_NR = 8 };
	uint8_t *record = (uint8_t *)f->record;
	size_t len;

	make(f);
	len = rec_sample_cut_stack(&f->layouts, record, f->nr * 8, max_len);
	assert_int_equal(len, 8 * (FIELDS_NR + nr));
	assert_int_equal(f->record[0] >> 48, len);
	assert_int_equal(f->record[6], f->caller);
	assert_int_equal(f->record[7], 0xadd4);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(f->record[FIELDS_NR + i], words[i]);
}

static void test_sample_layouts__leaf_words(void **state)
{
	const uint64_t kept[] = { pd_leaf_word(0, 0x4200),
				  pd_leaf_word(40, 0x6000) };
	struct fixture *f = *state;

	f->stack[0] = 0x4200;
	f->stack[1] = 0x7000; /* no code */
	f->stack[3] = UINT64_C(0x4c00000000004200);
	f->stack[5] = 0x6000; /* right behind */
	f->stack[6] = 0x4208; /* above the frame pointer */
	cut(f, UINT64_MAX, kept, 2);
	cut(f, 0, NULL, 0);
	f->dyn_len = 40; /* the rest is no stack */
	cut(f, UINT64_MAX, kept, 1);
	f->dyn_len = UINT64_MAX; /* cannot be */
	cut(f, UINT64_MAX, kept, 2);
	f->stack[2] = 0x4300; /* the chain has it, and what is above */
	cut(f, UINT64_MAX, kept, 1);
}

static void test_sample_layouts__leaf_words_are_limited(void **state)
{
	uint64_t kept[PD_LEAF_WORDS_NR];
	struct fixture *f = *state;

	for (unsigned i = 0; i < PD_LEAF_STACK_LEN / 8; i++)
		f->stack[i] = 0x4200 + i;
	for (unsigned i = 0; i < PD_LEAF_WORDS_NR; i++)
		kept[i] = pd_leaf_word(8 * i, 0x4200 + i);
	f->bp = 1; /* some number */
	cut(f, UINT64_MAX, kept, PD_LEAF_WORDS_NR);
}

/* A chain whose caller is none is of code without frame pointers. */
static void test_sample_layouts__words_of_all_if_asked(void **state)
{
	const uint64_t kept[] = { pd_leaf_word(0, 0x4200) };
	struct fixture *f = *state;

	f->stack[0] = 0x4200;
	cut(f, UINT64_MAX, kept, 1);
	f->caller = 0x7000;
	cut(f, UINT64_MAX, NULL, 0);
	f->layouts.all_have_leaf = true;
	cut(f, UINT64_MAX, kept, 1);
}

static void test_sample_layouts__no_words_of_others(void **state)
{
	struct fixture *f = *state;

	f->stack[0] = 0x4200;
	f->abi = PD_REGS_ABI_32;
	cut(f, UINT64_MAX, NULL, 0);
	f->abi = PD_REGS_ABI_NONE;
	cut(f, UINT64_MAX, NULL, 0);
}

static void test_sample_layouts__nothing_of_a_broken_sample(void **state)
{
	enum { FRONT_NR = 7 };
	struct fixture *f = *state;
	uint8_t *record = (uint8_t *)f->record;

	f->stack[0] = 0x4200;
	make(f);
	f->record[FRONT_NR + 3] = 4096; /* the length of the stack */
	assert_int_equal(rec_sample_cut_stack(&f->layouts, record, f->nr * 8,
					      UINT64_MAX),
			 8 * FRONT_NR);
	assert_int_equal(f->record[0] >> 48, 8 * FRONT_NR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sample_layouts__leaf_words,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_sample_layouts__words_of_all_if_asked, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			test_sample_layouts__leaf_words_are_limited, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			test_sample_layouts__no_words_of_others, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			test_sample_layouts__nothing_of_a_broken_sample, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
