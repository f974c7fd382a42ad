/* Frames by frame pointers, out of stacks that are made here: code that was
 * generated is known by its map alone. */
#include "report/unwind/unwind_state.h"

#include "report/symbols/dso.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#define CODE  UINT64_C(0x10000) /* to 0x20000 */
#define DATA  UINT64_C(0x30000) /* to 0x40000, not executable */
#define STACK UINT64_C(0x7f0000)
#define AT(i) (STACK + 8 * (i))

enum { STACK_NR = 64, IPS_NR = 32, SP = 7, IP = 8, BP = 6 };

struct world {
	struct rpt_symbols *symbols;
	struct rpt_dso *dso;
	uint64_t stack[STACK_NR];
	uint64_t ips[IPS_NR];
	size_t nr;
	uint64_t link; /* of aarch64 */
	bool is_file;  /* the maps begin at the start of a file */
};

static bool find_map(void *ctx, uint64_t addr, struct rpt_unwind_map *ret)
{
	struct world *w = ctx;
	bool is_code = addr >= CODE && addr < 2 * CODE;

	*ret = (struct rpt_unwind_map){
		.dso = w->dso,
		.start = is_code ? CODE : DATA,
		.end = is_code ? 2 * CODE : DATA + CODE,
		.pgoff = w->is_file ? 0
			 : is_code  ? CODE
				    : DATA,
		.is_code = is_code,
	};
	return is_code || (addr >= DATA && addr < DATA + CODE);
}

static void set_up(struct world *w)
{
	static const struct rpt_symbols_conf conf = { .symfs = "/nowhere" };
	const struct rpt_dso_key key = { .name = "/tmp/perf-1.map",
					 .name_len = 15 };

	*w = (struct world){ .symbols = rpt_symbols_new(&conf) };
	w->dso = rpt_symbols_dso(w->symbols, &key);
	rpt_dso_add_symbol(w->dso, CODE + 0x100, CODE + 0x200, "f", 1);
	rpt_dso_add_symbol(w->dso, CODE + 0x200, CODE + 0x300, "g", 1);
	rpt_dso_add_symbol(w->dso, CODE + 0x300, CODE + 0x400, "py::h:p.py",
			   10);
}

/* Unwind with registers that are 0 but for the frame pointer, stack pointer and
 * ip, in the order of perf's numbers. */
static void unwind(struct world *w, enum rpt_arch arch, uint64_t fp,
		   uint64_t ip)
{
	bool is_aarch64 = arch == RPT_ARCH_AARCH64;
	uint64_t regs[33] = { 0 };
	const struct rpt_unwind_input input = {
		.regs_abi = 2,
		.regs_mask = is_aarch64 ? 0x1ffffffff : 0xff0fff,
		.regs = regs,
		.regs_nr = is_aarch64 ? 33 : 20,
		.stack = (const uint8_t *)w->stack,
		.stack_len = sizeof(w->stack),
		.find_map = find_map,
		.ctx = w,
	};
	struct rpt_unwind *u = rpt_unwind_new(arch);

	if (is_aarch64)
		regs[30] = w->link;
	regs[is_aarch64 ? 29 : BP] = fp;
	regs[is_aarch64 ? 31 : SP] = STACK;
	regs[is_aarch64 ? 32 : IP] = ip;
	w->nr = rpt_unwind_frames(u, &input, w->ips, IPS_NR);
	rpt_unwind_free(u);
}

static void clear(struct world *w)
{
	rpt_symbols_free(w->symbols);
}

static void test_unwind_chain__goes_up_to_its_end(void **state)
{
	static const enum rpt_arch archs[] = { RPT_ARCH_X86_64,
					       RPT_ARCH_AARCH64 };
	struct world w;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		set_up(&w);
		w.stack[4] = AT(10);
		w.stack[5] = CODE + 0x250;
		w.stack[10] = 0;
		w.stack[11] = CODE + 0x1f0;
		unwind(&w, archs[i], AT(4), CODE + 0x180);
		assert_int_equal(w.nr, 3);
		assert_int_equal(w.ips[0], CODE + 0x180);
		assert_int_equal(w.ips[1], CODE + 0x24f);
		assert_int_equal(w.ips[2], CODE + 0x1ef);
		clear(&w);
	}
}

/* Each spoils the frame pointer, or the address that it leads to. */
static void test_unwind_chain__what_is_no_caller_ends_it(void **state)
{
	static const struct {
		uint64_t fp, saved, addr;
	} bad[] = {
		{ STACK - 16, 0, CODE + 0x250 },     /* down */
		{ AT(4) + 4, 0, CODE + 0x250 },	     /* between words */
		{ AT(STACK_NR), 0, CODE + 0x250 },   /* behind the copy */
		{ AT(STACK_NR - 2) + 8, 0, CODE },   /* half of it */
		{ UINT64_MAX - 7, 0, CODE + 0x250 }, /* wraps */
		{ CODE + 0x100, 0, CODE + 0x250 },   /* elsewhere */
		{ AT(4), 0, 0 },		     /* to nobody */
		{ AT(4), 0, DATA + 0x100 },	     /* no code */
		{ AT(4), 0, 2 * CODE + 0x250 },	     /* no map */
		{ AT(4), 0, CODE },	    /* the word before is none */
		{ AT(4), 0, CODE + 0x200 }, /* a function, not in one */
	};
	static const enum rpt_arch archs[] = { RPT_ARCH_X86_64,
					       RPT_ARCH_AARCH64 };
	struct world w;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(bad) / sizeof(bad[0]); i++) {
		set_up(&w);
		w.stack[4] = bad[i / 2].saved;
		w.stack[5] = bad[i / 2].addr;
		unwind(&w, archs[i % 2], bad[i / 2].fp, CODE + 0x180);
		assert_int_equal(w.nr, 1);
		clear(&w);
	}
}

static void test_unwind_chain__that_goes_round_ends(void **state)
{
	struct world w;

	(void)state;
	set_up(&w);
	w.stack[4] = AT(4);
	w.stack[5] = CODE + 0x250;
	unwind(&w, RPT_ARCH_X86_64, AT(4), CODE + 0x180);
	assert_int_equal(w.nr, 2);
	w.stack[4] = AT(2);
	w.stack[2] = AT(4);
	w.stack[3] = CODE + 0x250;
	unwind(&w, RPT_ARCH_X86_64, AT(4), CODE + 0x180);
	assert_int_equal(w.nr, 2);
	clear(&w);
}

/* At the first instruction, behind "push %rbp", and at "ret" the frame pointer
 * is the caller's. */
static void test_unwind_chain__begin_and_end_of_a_function(void **state)
{
	static const struct {
		uint64_t ip;
		bool is_pushed;
	} at[] = {
		{ CODE + 0x100, false },
		{ CODE + 0x101, true },
		{ CODE + 0x1ff, false },
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		set_up(&w);
		w.stack[0] = AT(4);
		w.stack[at[i].is_pushed] = CODE + 0x2f0;
		w.stack[5] = CODE + 0x250;
		unwind(&w, RPT_ARCH_X86_64, AT(4), at[i].ip);
		assert_int_equal(w.nr, 3);
		assert_int_equal(w.ips[1], CODE + 0x2ef);
		assert_int_equal(w.ips[2], CODE + 0x24f);
		clear(&w);
	}
	/* behind "push %rbp; mov %rsp, %rbp; sub $16, %rsp", and further on,
	 * words at the top may be left of an earlier function's frame */
	for (uint64_t off = 8; off <= 0x80; off *= 2) {
		set_up(&w);
		w.stack[0] = AT(4);
		w.stack[1] = CODE + 0x2f0;
		w.stack[5] = CODE + 0x250;
		unwind(&w, RPT_ARCH_X86_64, AT(4), CODE + 0x100 + off);
		assert_int_equal(w.nr, 2);
		assert_int_equal(w.ips[1], CODE + 0x24f);
		clear(&w);
	}
}

/* f, called by a function of Python that has a word of its own on the stack, or
 * a frame, called by g. */
static void test_unwind_chain__functions_of_python(void **state)
{
	struct world w;

	(void)state;
	for (size_t has_frame = 0; has_frame < 2; has_frame++) {
		set_up(&w);
		w.stack[4] = has_frame ? AT(6) : AT(12);
		w.stack[5] = CODE + 0x30a;
		w.stack[6] = AT(12);
		w.stack[7] = CODE + 0x250;
		w.stack[13] = CODE + 0x1f0;
		unwind(&w, RPT_ARCH_X86_64, AT(4), CODE + 0x180);
		assert_int_equal(w.nr, 4);
		assert_int_equal(w.ips[1], CODE + 0x309);
		assert_int_equal(w.ips[2], CODE + 0x24f);
		assert_int_equal(w.ips[3], CODE + 0x1ef);
		clear(&w);
	}
	/* elsewhere a word is what it is, and where there is no caller */
	set_up(&w);
	w.stack[4] = AT(12);
	w.stack[5] = CODE + 0x30a;
	w.stack[7] = DATA + 0x250;
	w.stack[13] = CODE + 0x1f0;
	unwind(&w, RPT_ARCH_X86_64, AT(4), CODE + 0x180);
	assert_int_equal(w.nr, 3);
	assert_int_equal(w.ips[2], CODE + 0x1ef);
	w.stack[5] = CODE + 0x20a;
	w.stack[7] = CODE + 0x250;
	unwind(&w, RPT_ARCH_X86_64, AT(4), CODE + 0x180);
	assert_int_equal(w.nr, 3);
	assert_int_equal(w.ips[2], CODE + 0x1ef);
	clear(&w);
}

/* A call that returned leaves its address in the link register. */
static void test_unwind_chain__link_register_of_aarch64(void **state)
{
	struct world w;

	(void)state;
	set_up(&w);
	w.link = CODE + 0x2f0;
	w.stack[5] = CODE + 0x250;
	unwind(&w, RPT_ARCH_AARCH64, AT(4), CODE + 0x180);
	assert_int_equal(w.nr, 2);
	assert_int_equal(w.ips[1], CODE + 0x24f);
	unwind(&w, RPT_ARCH_AARCH64, AT(4), CODE + 0x900); /* no name */
	assert_int_equal(w.nr, 2);
	assert_int_equal(w.ips[1], CODE + 0x24f);
	unwind(&w, RPT_ARCH_AARCH64, AT(4), CODE + 0x100);
	assert_int_equal(w.nr, 3);
	assert_int_equal(w.ips[1], CODE + 0x2ef);
	assert_int_equal(w.ips[2], CODE + 0x24f);
	w.link = DATA + 0x10;
	unwind(&w, RPT_ARCH_AARCH64, AT(4), CODE + 0x100);
	assert_int_equal(w.nr, 2);
	clear(&w);
}

/* In a file that is not here, a function without a name may have called. */
static void test_unwind_chain__link_register_of_no_function(void **state)
{
	const struct rpt_dso_key key = { .name = "/nowhere/f.so",
					 .name_len = 13 };
	struct world w;

	(void)state;
	set_up(&w);
	w.dso = rpt_symbols_dso(w.symbols, &key);
	w.link = CODE + 0x170;
	w.stack[5] = CODE + 0x250;
	unwind(&w, RPT_ARCH_AARCH64, AT(4), CODE + 0x180);
	assert_int_equal(w.nr, 2);
	assert_int_equal(w.ips[1], CODE + 0x24f);
	clear(&w);
}

/* A function that calls nothing, of a program that is here. */
static void test_unwind_chain__a_leaf_was_called_by_code(void **state)
{
	static const struct rpt_symbols_conf conf = { 0 };
	static const char name[] =
		PERFPAIR_SOURCE_DIR "/fixtures/leaf/job/leaf";
	const struct rpt_dso_key key = { .name = name,
					 .name_len = sizeof(name) - 1 };
	struct world w = { .symbols = rpt_symbols_new(&conf), .is_file = true };
	const struct rpt_unwind_input input = { .regs_abi = 2,
						.find_map = find_map,
						.ctx = &w };
	struct rpt_unwind *u = rpt_unwind_new(RPT_ARCH_AARCH64);
	const uint64_t ip = CODE + 0x330;

	(void)state;
	w.dso = rpt_symbols_dso(w.symbols, &key);
	assert_int_equal(rpt_unwind_leaf_caller(u, &input, ip, CODE + 0x380),
			 CODE + 0x380);
	assert_int_equal(rpt_unwind_leaf_caller(u, &input, ip, DATA + 0x380),
			 0);
	assert_int_equal(rpt_unwind_leaf_caller(u, &input, ip, 4 * CODE), 0);
	rpt_unwind_free(u);
	clear(&w);
}

static void test_unwind_chain__calls_of_x86(void **state)
{
	static const struct {
		const char *code;
		size_t len;
		bool is_call;
	} codes[] = {
		{ "\x90\x90\xe8\1\2\3\4", 7, true },
		{ "\xe8\1\2\3\4", 5, true },
		{ "\xff\xd0", 2, true },		     /* *%rax */
		{ "\x90\x90\x90\x90\x41\xff\xd4", 7, true }, /* *%r12 */
		{ "\x90\x90\x90\x90\xff\x50\x18", 7, true }, /* *24(%rax) */
		{ "\x90\x90\x90\xff\x54\x24\x08", 7, true }, /* *8(%rsp) */
		{ "\x90\x90\x90\x90\xff\x14\xc8", 7, true },
		{ "\x90\xff\x15\1\2\3\4", 7, true }, /* *x(%rip) */
		{ "\xff\x14\xc5\1\2\3\4", 7, true },
		{ "\xff\x94\x24\1\2\3\4", 7, true },
		{ "\x90\x90\x90\x90\x90\xff\xe0", 7, false }, /* jmp */
		{ "\x90\x90\x90\xe9\1\2\3", 7, false },
		{ "\x90\x90\x90\xe8\1\2\3", 7, false },
		{ "\x90\x90\x90\x90\x90\x90\xc3", 7, false },
		{ "\x90\x90\x90\x90\x90\xff\x54", 7, false },
		{ "\xff", 1, false },
		{ "\xff\x14", 2, false },
		{ "", 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		assert_int_equal(rpt_is_call_x86((const uint8_t *)codes[i].code,
						 codes[i].len),
				 codes[i].is_call);
}

static void test_unwind_chain__calls_of_aarch64(void **state)
{
	static const struct {
		uint32_t word;
		bool is_call;
	} codes[] = {
		{ 0x94000010, true },  { 0x97fffff0, true },  /* bl */
		{ 0xd63f0260, true },			      /* blr x19 */
		{ 0xd63f0a7f, true },  { 0xd73f0a74, true },  /* blraaz, aa */
		{ 0xd63f0e7f, true },  { 0xd73f0e74, true },  /* blrabz, ab */
		{ 0x14000010, false }, { 0xd61f0260, false }, /* b, br */
		{ 0xd65f03c0, false }, { 0xd503201f, false }, /* ret, nop */
	};
	uint8_t bytes[4];

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		for (size_t k = 0; k < 4; k++)
			bytes[k] = (uint8_t)(codes[i].word >> 8 * k);
		assert_int_equal(rpt_is_call_aarch64(bytes, 4),
				 codes[i].is_call);
		assert_false(rpt_is_call_aarch64(bytes, 3));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unwind_chain__goes_up_to_its_end),
		cmocka_unit_test(test_unwind_chain__what_is_no_caller_ends_it),
		cmocka_unit_test(test_unwind_chain__that_goes_round_ends),
		cmocka_unit_test(
			test_unwind_chain__begin_and_end_of_a_function),
		cmocka_unit_test(test_unwind_chain__functions_of_python),
		cmocka_unit_test(test_unwind_chain__link_register_of_aarch64),
		cmocka_unit_test(
			test_unwind_chain__link_register_of_no_function),
		cmocka_unit_test(test_unwind_chain__a_leaf_was_called_by_code),
		cmocka_unit_test(test_unwind_chain__calls_of_x86),
		cmocka_unit_test(test_unwind_chain__calls_of_aarch64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
