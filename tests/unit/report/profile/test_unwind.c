/* Unwinds this process's own stack: registers and bytes are taken as the
 * kernel takes them into a sample. */
#include "report/unwind/unwind.h"

#include "report/profile/user_stack.h"

#include "format/records/record_body.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STACK_LEN 16384
#define MAPS_NR	  256
#define REGS_NR	  24

static struct rpt_symbols *symbols;
static struct rpt_unwind_map maps[MAPS_NR];
static size_t maps_nr;
static uint64_t stack_end;

static void read_maps(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[4096 + 256], perms[8], name[4096];
	uint64_t start, end, pgoff;

	assert_non_null(file);
	while (maps_nr < MAPS_NR && fgets(line, sizeof(line), file)) {
		struct rpt_dso_key key = { .kind = RPT_DSO_USER, .name = name };

		if (strstr(line, "[stack]"))
			sscanf(line, "%*x-%lx", &stack_end);
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095s", &start, &end,
			   perms, &pgoff, name) != 5 ||
		    perms[2] != 'x')
			continue;
		key.name_len = strlen(name);
		maps[maps_nr++] = (struct rpt_unwind_map){
			.dso = rpt_symbols_dso(symbols, &key),
			.start = start,
			.end = end,
			.pgoff = pgoff,
		};
	}
	fclose(file);
}

static bool find_map(void *ctx, uint64_t addr, struct rpt_unwind_map *ret)
{
	size_t i;

	(void)ctx;
	for (i = 0; i < maps_nr; i++) {
		if (addr < maps[i].start || addr >= maps[i].end)
			continue;
		*ret = maps[i];
		return true;
	}
	return false;
}

static const char *name_at(uint64_t ip)
{
	struct rpt_unwind_map map;
	const struct rpt_symbol *sym;

	if (!find_map(NULL, ip, &map))
		return "no map";
	sym = rpt_dso_symbol(map.dso, ip - map.start + map.pgoff);
	return sym ? sym->name : "no symbol";
}

#if defined(__x86_64__)
static uint64_t regs[REGS_NR];
static uint8_t stack[STACK_LEN];
static size_t stack_len;
static volatile int keep;

/* The red zones between variables are part of the stack, too. */
__attribute__((no_sanitize("address"))) static void copy_stack(void)
{
	const volatile uint8_t *from = (const volatile uint8_t *)regs[7];
	size_t i;

	for (i = 0; i < stack_len; i++)
		stack[i] = from[i];
}

/* perf's numbers: BP 6, SP 7, IP 8; R12 .. R15 and BX are callee-saved. */
static __attribute__((noinline)) void take_sample(void)
{
	__asm__ volatile("mov %%rbx, 8(%0)\n mov %%rbp, 48(%0)\n"
			 "mov %%rsp, 56(%0)\n lea 0(%%rip), %%rax\n"
			 "mov %%rax, 64(%0)\n mov %%r12, 160(%0)\n"
			 "mov %%r13, 168(%0)\n mov %%r14, 176(%0)\n"
			 "mov %%r15, 184(%0)\n"
			 :
			 : "r"(regs)
			 : "rax", "memory");
	stack_len = stack_end - regs[7];
	if (stack_len > sizeof(stack))
		stack_len = sizeof(stack);
	copy_stack();
	keep++;
}

static __attribute__((noinline)) void inner(int n)
{
	volatile char room[333];

	room[n] = 1;
	take_sample();
	keep += room[n];
}

static __attribute__((noinline)) void outer(int n)
{
	char room[200];

	memset(room, n, sizeof(room));
	inner(n);
	keep += room[3];
}

static struct rpt_unwind_input own_input(void)
{
	struct rpt_unwind_input input = {
		.regs_abi = 2,
		.regs_mask = (1u << REGS_NR) - 1,
		.regs = regs,
		.regs_nr = REGS_NR,
		.stack = stack,
		.stack_len = stack_len,
		.find_map = find_map,
	};

	return input;
}

static void test_unwind__own_frames(void **state)
{
	struct rpt_unwind *unwind = rpt_unwind_new(RPT_ARCH_X86_64);
	struct rpt_unwind_input input;
	uint64_t ips[64];
	size_t nr;

	(void)state;
	outer(99);
	input = own_input();
	nr = rpt_unwind_frames(unwind, &input, ips, 64);
	assert_in_range(nr, 6, 64);
	assert_int_equal(ips[0], regs[8]);
	assert_string_equal(name_at(ips[0]), "take_sample");
	assert_string_equal(name_at(ips[1]), "inner");
	assert_string_equal(name_at(ips[2]), "outer");
	assert_string_equal(name_at(ips[3]), "test_unwind__own_frames");
	assert_string_equal(name_at(ips[nr - 1]), "_start");
	/* the bound holds */
	assert_int_equal(rpt_unwind_frames(unwind, &input, ips, 2), 2);
	rpt_unwind_free(unwind);
}

/* Return addresses in stacks that are being rewritten (_Unwind_Resume). */
static void test_unwind__frame_at_0_is_none(void **state)
{
	struct rpt_unwind *unwind = rpt_unwind_new(RPT_ARCH_X86_64);
	const uint64_t one = 1;
	struct rpt_unwind_input input;
	uint64_t ips[64], ip;
	size_t off;

	(void)state;
	outer(70);
	input = own_input();
	assert_in_range(rpt_unwind_frames(unwind, &input, ips, 64), 6, 64);
	for (off = 0; off + 8 <= stack_len; off += 8) {
		memcpy(&ip, stack + off, sizeof(ip));
		if (ip == ips[2] + 1)
			memcpy(stack + off, &one, sizeof(one));
	}
	assert_int_equal(rpt_unwind_frames(unwind, &input, ips, 64), 2);
	rpt_unwind_free(unwind);
}

static void tell_map(struct rpt_timeline *tl, const struct pd_event_set *events,
		     const struct rpt_unwind_map *map, uint64_t end,
		     uint64_t seq)
{
	const char *name = rpt_dso_name(map->dso);
	struct pd_body body = { .type = PD_RECORD_MMAP2 };
	struct pd_buf b = { 0 };
	struct pd_record rec;
	size_t start = pd_record_begin(&b, body.type, PD_CPUMODE_USER);

	body.u.mmap = (struct pd_mmap){ .pid = 1,
					.tid = 1,
					.addr = map->start,
					.map_len = end - map->start,
					.pgoff = map->pgoff,
					.filename = { name, strlen(name) },
					.prot = 4 };
	pd_body_write_fields(&b, &body);
	pd_record_end(&b, start);
	assert_int_equal(pd_record_read(b.data, b.len, 0, false, &rec, NULL),
			 0);
	rec.seq = seq;
	rpt_timeline_add(tl, events, &rec);
	pd_buf_release(&b);
}

/* The program's own map as if it had reached to the end of all, and libraries
 * had been mapped over it. */
static struct rpt_timeline *own_timeline(struct pd_event_set *events)
{
	const struct pd_attr attr = { .attr_len = PD_ATTR_LEN_VER5,
				      .sample_type = PD_SAMPLE_TID };
	struct rpt_timeline *tl = rpt_timeline_new(symbols);
	struct rpt_unwind_map own = maps[0];

	assert_non_null(tl);
	events->sample_id_off = -1;
	assert_int_equal(pd_event_set_add(events, &attr, NULL, NULL), 0);
	assert_true(find_map(NULL, regs[8], &own));
	tell_map(tl, events, &own, UINT64_MAX, 1);
	for (size_t i = 0; i < maps_nr; i++)
		if (maps[i].start != own.start)
			tell_map(tl, events, &maps[i], maps[i].end, 3);
	rpt_timeline_finish(tl);
	return tl;
}

static void test_unwind__later_maps_lie_over_earlier_ones(void **state)
{
	struct rpt_unwind *unwind = rpt_unwind_new(RPT_ARCH_X86_64);
	struct rpt_unwind_input input;
	struct pd_event_set events = { 0 };
	uint64_t chain[RPT_USER_STACK_FRAMES + 1], ips[64];
	const struct pd_record rec = { .type = PD_RECORD_SAMPLE };
	struct rpt_task_state task = { .ref.pid = 1 };
	struct rpt_sample sample = {
		.fields.regs_user.abi = 2,
		.rec = &rec,
		.when = { 1, 1 },
		.task = &task,
	};
	struct rpt_timeline *tl;
	size_t nr;

	(void)state;
	outer(80);
	input = own_input();
	nr = rpt_unwind_frames(unwind, &input, ips, 64);
	assert_string_equal(name_at(ips[nr - 1]), "_start");
	tl = own_timeline(&events);
	rpt_timeline_task(tl, 1, 1, sample.when, &task.ref);
	sample.fields.regs_user.mask = input.regs_mask;
	sample.fields.regs_user.regs =
		(struct pd_u64s){ (uint8_t *)regs, REGS_NR, 0 };
	sample.fields.stack = stack;
	sample.fields.stack_dyn_len = stack_len;
	assert_int_equal(rpt_user_stack_frames(NULL, tl, &sample, chain), 0);
	assert_int_equal(rpt_user_stack_frames(unwind, tl, &sample, chain),
			 nr + 1);
	assert_memory_equal(chain + 1, ips, nr * sizeof(ips[0]));
	/* ... nor is what was found kept for other times, or processes */
	sample.when = (struct rpt_timestamp){ 0, 2 };
	assert_in_range(rpt_user_stack_frames(unwind, tl, &sample, chain), 3,
			nr);
	rpt_timeline_task(tl, 2, 2, sample.when, &task.ref);
	assert_int_equal(rpt_user_stack_frames(unwind, tl, &sample, chain), 2);
	/* what was unwound before needs neither a copy nor an unwinder */
	sample.unwound = (struct pd_u64s){ (uint8_t *)ips, 3, 0 };
	assert_int_equal(rpt_user_stack_frames(NULL, tl, &sample, chain), 3);
	assert_true(chain[0] == RPT_CONTEXT_UNWOUND);
	assert_memory_equal(chain + 1, ips + 1, 2 * sizeof(ips[0]));
	rpt_timeline_free(tl);
	pd_event_set_release(&events);
	rpt_unwind_free(unwind);
}

static void test_unwind__missing_data_ends_a_chain(void **state)
{
	struct rpt_unwind *unwind = rpt_unwind_new(RPT_ARCH_X86_64);
	struct rpt_unwind *other = rpt_unwind_new(RPT_ARCH_OTHER);
	struct rpt_unwind_input input;
	uint64_t ips[64];

	(void)state;
	outer(50);
	input = own_input();
	assert_int_equal(rpt_unwind_frames(other, &input, ips, 64), 0);
	/* a copy that ends inside the first frame's caller */
	input.stack_len = 64;
	assert_in_range(rpt_unwind_frames(unwind, &input, ips, 64), 1, 3);
	input.stack_len = 0;
	assert_int_equal(rpt_unwind_frames(unwind, &input, ips, 64), 0);
	input = own_input();
	input.regs_abi = 0;
	assert_int_equal(rpt_unwind_frames(unwind, &input, ips, 64), 0);
	input = own_input();
	input.regs_mask = 1; /* neither ip nor sp */
	assert_int_equal(rpt_unwind_frames(unwind, &input, ips, 64), 0);
	rpt_unwind_free(unwind);
	rpt_unwind_free(other);
}
#else
static void test_unwind__own_frames(void **state)
{
	(void)state;
	skip(); /* registers are taken by assembly */
	name_at(0);
}

static void test_unwind__frame_at_0_is_none(void **state)
{
	(void)state;
	skip();
}

static void test_unwind__later_maps_lie_over_earlier_ones(void **state)
{
	(void)state;
	skip();
}

static void test_unwind__missing_data_ends_a_chain(void **state)
{
	(void)state;
	skip();
}
#endif

int main(void)
{
	const struct rpt_symbols_conf conf = { .buildid_dir = "" };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unwind__own_frames),
		cmocka_unit_test(test_unwind__frame_at_0_is_none),
		cmocka_unit_test(test_unwind__later_maps_lie_over_earlier_ones),
		cmocka_unit_test(test_unwind__missing_data_ends_a_chain),
	};
	int rc;

	symbols = rpt_symbols_new(&conf);
	read_maps();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rpt_symbols_free(symbols);
	return rc;
}
